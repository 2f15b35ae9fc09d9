//! How one signs in at the gateway that served this page.

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Response, window};

/// Where one signs in with the gateway's provider.
const SIGN_IN: &str = "/signin/oidc?back=";
/// What says who one is.
const ME: &str = "/api/me";
/// Response header with the name of the provider's host, where one is not signed in.
const PROVIDER: &str = "pilothouse-sign-in";

/// The host of the provider with which one signs in; none where there is none, or the page is not from this gateway.
pub async fn provider(server: Option<String>) -> Option<String> {
    let response = ask(server).await?;
    response.headers().get(PROVIDER).ok().flatten().filter(|_| response.status() == 401)
}

/// The address at which one signs in, and then comes back to what is shown now.
pub fn sign_in_address() -> String {
    let location = window().map(|window| window.location());
    let part = |part: Option<Result<String, _>>| part.and_then(Result::ok).unwrap_or_default();
    let path = part(location.as_ref().map(web_sys::Location::pathname));
    let query = part(location.as_ref().map(web_sys::Location::search));
    [SIGN_IN, &String::from(js_sys::encode_uri_component(&[path, query].concat()))].concat()
}

async fn ask(server: Option<String>) -> Option<Response> {
    let origin = window()?.location().origin().ok()?;
    let is_own = server?.strip_prefix(&origin).is_some_and(|path| path.is_empty() || path == "/");
    if !is_own {
        return None;
    }
    JsFuture::from(window()?.fetch_with_str(ME)).await.ok()?.dyn_into().ok()
}
