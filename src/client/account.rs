//! Who is signed in at the gateway that served this page, and how one signs in and out there.

use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestInit, Response, window};

/// Where one signs in with the gateway's provider.
const SIGN_IN: &str = "/signin/oidc?back=";
/// What says who one is.
const ME: &str = "/api/me";
/// Response header with the name of the provider's host, where one is not signed in.
const PROVIDER: &str = "pilothouse-sign-in";

/// Somebody who can sign out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The name; none where the way in tells none.
    pub name: Option<String>,
}

/// The host of the provider with which one signs in; none where there is none, or the page is not from this gateway.
pub async fn provider(server: Option<String>) -> Option<String> {
    let response = ask(server).await?;
    response.headers().get(PROVIDER).ok().flatten().filter(|_| response.status() == 401)
}

/// Who has signed in with a cookie; none where nobody has, or the page is not from this gateway.
pub async fn account(server: Option<String>) -> Option<Account> {
    let response = ask(server).await?;
    let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
    let me: Value = serde_json::from_str(&text).ok()?;
    (me["signedIn"] == true).then(|| Account { name: me["name"].as_str().map(str::to_owned) })
}

/// The address at which one signs in, and then comes back to what is shown now.
pub fn sign_in_address() -> String {
    let location = window().map(|window| window.location());
    let part = |part: Option<Result<String, _>>| part.and_then(Result::ok).unwrap_or_default();
    let path = part(location.as_ref().map(web_sys::Location::pathname));
    let query = part(location.as_ref().map(web_sys::Location::search));
    [SIGN_IN, &String::from(js_sys::encode_uri_component(&[path, query].concat()))].concat()
}

/// Signs out, and goes where the gateway says: to the provider, to sign out there as well, or to the first page.
pub async fn sign_out() {
    let init = RequestInit::new();
    init.set_method("POST");
    let location = async {
        let response = fetch("/signout", &init).await?;
        let text = JsFuture::from(response.text().ok()?).await.ok()?.as_string()?;
        Some(serde_json::from_str::<Value>(&text).ok()?["location"].as_str()?.to_owned())
    };
    if let (Some(location), Some(window)) = (location.await, window()) {
        // If this fails, the page stays, and is signed out.
        let _ = window.location().assign(&location);
    }
}

async fn ask(server: Option<String>) -> Option<Response> {
    let origin = window()?.location().origin().ok()?;
    let is_own = server?.strip_prefix(&origin).is_some_and(|path| path.is_empty() || path == "/");
    if is_own { fetch(ME, &RequestInit::new()).await } else { None }
}

async fn fetch(address: &str, init: &RequestInit) -> Option<Response> {
    JsFuture::from(window()?.fetch_with_str_and_init(address, init)).await.ok()?.dyn_into().ok()
}
