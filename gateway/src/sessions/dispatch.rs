//! Finds out what a call is about, and has the agent carry it out.
//! Subscriptions are in `http::socket`.

use std::sync::Arc;

use super::Sessions;
use super::session::Session;
use crate::rpc::{Call, Fault, success};
use pilothouse_core::protocol::ErrorReason;

/// Methods that make, reopen and close sessions, or are about none.
const MANAGES: [&str; 8] = [
    "pilothouse.create",
    "session.create",
    "pilothouse.resume",
    "session.resume",
    "pilothouse.close",
    "session.detach",
    "session.destroy",
    "models.list",
];

/// Serves one call and gives the response, `None` for a notification.
///
/// `here` is the session in the address (`POST /api/sessions/{id}/rpc`); without it the parameters must name
/// the session.
pub async fn respond(sessions: &Sessions, call: &Call, here: Option<&Arc<Session>>) -> Option<String> {
    let served = serve(sessions, call, here).await;
    let id = call.id.as_ref()?;
    Some(match served {
        Ok(result) => success(id, &result),
        Err(fault) => fault.response(Some(id)),
    })
}

async fn serve(sessions: &Sessions, call: &Call, here: Option<&Arc<Session>>) -> Result<String, Fault> {
    let method = call.method.as_str();
    match (sessions.agent(), method) {
        (Some(agent), _) if MANAGES.contains(&method) => return Arc::clone(agent).manage(call).await,
        // A recording refuses the runtime's own names itself, with its own message.
        (None, _) if MANAGES.contains(&method) && !method.starts_with("session.") => {
            let message = format!("{method}: there is no runtime here; start the gateway with --copilot");
            return Err(Fault::new(ErrorReason::MethodNotFound, message));
        }
        (_, "pilothouse.ping") => return Ok("{}".to_owned()),
        (_, "pilothouse.sessions") => return Ok(sessions.summaries().await.to_string()),
        (_, "pilothouse.subscribe" | "pilothouse.unsubscribe" | "pilothouse.board") => {
            return Err(Fault::new(
                ErrorReason::MethodNotFound,
                format!("{method} works over the WebSocket at /api/rpc only"),
            ));
        }
        _ if method.starts_with("session.") || method.starts_with("pilothouse.backlog") => {}
        _ => return Err(Fault::new(ErrorReason::MethodNotFound, format!("no method \"{method}\" here"))),
    }
    let session = session_of(sessions, call, here)?;
    Arc::clone(&session.agent).call(&session.id, call).await
}

fn session_of(sessions: &Sessions, call: &Call, here: Option<&Arc<Session>>) -> Result<Arc<Session>, Fault> {
    let named = call.params["sessionId"].as_str();
    match (here, named) {
        (Some(here), None) => Ok(Arc::clone(here)),
        (Some(here), Some(named)) if here.id == named => Ok(Arc::clone(here)),
        (Some(here), Some(named)) => Err(Fault::new(
            ErrorReason::InvalidParams,
            format!("sessionId is \"{named}\", but this is the address of session \"{}\"", here.id),
        )),
        (None, Some(named)) => sessions.find(Some(named)).ok_or_else(|| Fault::unknown_session(named)),
        (None, None) => {
            Err(Fault::new(ErrorReason::InvalidParams, format!("{}: sessionId is missing", call.method)))
        }
    }
}
