//! 'Open on a phone': the address of this gateway, or of a session there, as a QR code; if its person asks, with a code that signs the
//! same person in, once.

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;
use serde_json::json;

use super::answers;
use super::server;
use super::sharing::ENCODED;
use super::state::AppState;
use crate::access::audit::record::{DONE, Record, UNKNOWN};
use crate::access::codes::PHONE_LINK_LIFE;
use crate::access::gate::Pass;
use crate::access::guard::leads_to_itself;
use crate::qr_code;

/// In bytes.
const LARGEST: usize = 4 << 10;

/// What is to be opened.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asked {
    /// The session that is alone on the page.
    session_id: Option<String>,
    /// Whether the address signs in.
    #[serde(default)]
    sign_in: bool,
}

/// Serves `POST /api/phone {sessionId?, signIn?}`.
pub async fn open(State(state): State<AppState>, Extension(pass): Extension<Pass>, body: Body) -> Response {
    let body = server::read(body, LARGEST).await.unwrap_or_default();
    let Ok(asked) = serde_json::from_slice::<Asked>(&body) else {
        return answers::error(StatusCode::BAD_REQUEST, "the body is {sessionId?, signIn?}");
    };
    let Some(person) = pass.person() else { return StatusCode::UNAUTHORIZED.into_response() };
    let access = pass.access();
    // A page of this machine may have an address that leads every device to itself.
    let own = Some(pass.address()).filter(|own| !leads_to_itself(own));
    let reachable = own.or(state.phone_origin.as_deref());
    let (address, is_reachable) = (reachable.unwrap_or(pass.address()), reachable.is_some());
    let path = asked.session_id.map_or_else(
        || "/".to_owned(),
        |session| format!("/?session={}", utf8_percent_encode(&session, ENCODED)),
    );
    let can_sign_in = is_reachable && access.can_link(person);
    let link = if asked.sign_in && can_sign_in {
        let actor = pass.actor();
        // Where the log is required there is no link without a line.
        if let Err(why) = access.audit().begin(&Record::phone_link(&actor, UNKNOWN)) {
            return answers::error(StatusCode::SERVICE_UNAVAILABLE, &format!("{why}; no link was made"));
        }
        let link = access.link_for_phone(person);
        if link.is_some() {
            access.audit().write(&Record::phone_link(&actor, DONE));
        }
        link
    } else {
        None
    };
    if asked.sign_in && link.is_none() {
        return answers::error(StatusCode::FORBIDDEN, "there is no link that signs this person in elsewhere");
    }
    let minutes = link.as_ref().map(|_| PHONE_LINK_LIFE.as_secs() / 60);
    let url = match link {
        Some(link) => format!("{address}{link}&back={}", utf8_percent_encode(&path, ENCODED)),
        None => format!("{address}{path}"),
    };
    let code = qr_code::for_page(&url).filter(|_| is_reachable);
    let code = code.map(|code| json!({"size": code.size, "path": code.path}));
    let answer = json!({
        "url": url, "reachable": is_reachable, "code": code, "canSignIn": can_sign_in, "minutes": minutes,
    });
    answers::json(answer.to_string())
}
