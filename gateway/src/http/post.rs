//! Calls that are posted, one or a batch.

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;

use super::answers;
use super::caller::Caller;
use super::door::refusal_of;
use super::server::{self, BodyError};
use super::state::AppState;
use crate::access::gate::{Answer, Pass};
use crate::rpc::{self, Call, Fault, Incoming};

/// Serves `POST /api/sessions/{id}/rpc`.
pub async fn call(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    // Nothing is unpacked, so a small body can't become a large one.
    if headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return answers::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a body is not compressed");
    }
    let body = match server::read(body, pass.largest()).await {
        Ok(body) => body,
        Err(error) => return refused(error, pass.largest()),
    };
    let incoming = rpc::read(&body);
    if let Some(refusal) = refusal_of(&pass, &incoming) {
        return refusal;
    }
    let Some(session) = state.sessions.find(Some(&id)) else {
        let fault = Fault::unknown_session(&id);
        return answers::json_with(StatusCode::NOT_FOUND, fault.response(None));
    };
    let caller = Caller::new(&pass);
    let counted = &caller.answers;
    let one = async |call, counts: bool| {
        let call: Call = match call {
            Ok(call) => call,
            Err(response) => return Some(counted.count(response)),
        };
        let further = if counts { pass.count_further_call() } else { Ok(()) };
        let answer = match further {
            Ok(()) => caller.respond(&state.sessions, &call, Some(&session)).await?,
            Err(fault) => fault.response(Some(call.id.as_ref()?)),
        };
        Some(counted.count(answer))
    };
    let answer = match incoming {
        Incoming::Nothing => None,
        Incoming::One(call) => one(call, false).await,
        Incoming::Many(calls) => {
            let all = calls.into_iter().enumerate().map(|(at, call)| one(call, at > 0));
            let answers = join_all(all).await.into_iter().flatten();
            let mut all = String::new();
            for Answer { text, .. } in answers {
                all.push(if all.is_empty() { '[' } else { ',' });
                all.push_str(&text);
            }
            all.push(']');
            (all.len() > 1).then(|| counted.count(all))
        }
    };
    match answer {
        Some(answer) => answers::json(Bytes::from_owner(answer)),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

fn refused(error: BodyError, largest: usize) -> Response {
    let (status, message) = match error {
        BodyError::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, format!("a body has at most {largest} bytes")),
        BodyError::TooSlow => {
            let seconds = server::BODY_PAUSES.as_secs();
            (StatusCode::REQUEST_TIMEOUT, format!("nothing of the body came for {seconds} s"))
        }
        BodyError::Broken => (StatusCode::BAD_REQUEST, "the body could not be read".to_owned()),
    };
    answers::error(status, &message)
}
