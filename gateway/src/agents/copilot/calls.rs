//! What clients may call of a runtime: serves the gateway's own methods and relays the runtime's, unchanged.
//! Which methods are relayed is listed in `methods`.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::delivery::{self, Kind};
use super::link::RuntimeLink;
use crate::access::methods::{self, Right};
use crate::agents::copilot::connection::Failure;
use crate::agents::copilot::open_session::fault;
use crate::agents::copilot::supervisor::Live;
use crate::rpc::{BEING_ANSWERED, BUSY, Call, Fault, INVALID_PARAMS, METHOD_NOT_FOUND};
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use pilothouse_core::protocol::RequestKind;

/// How many of the calls that may wait for the runtime are not for methods that only read.
const NOT_FOR_READING: usize = 64;

/// Serves a method if it is one of the gateway's own, else `None`.
pub async fn serve(sessions: &Sessions, call: &Call) -> Option<Result<String, Fault>> {
    let method = call.method.as_str();
    let own = match method {
        "pilothouse.create" | "session.create" => Own::Create,
        "pilothouse.resume" | "session.resume" => Own::Resume,
        "pilothouse.close" | "session.detach" | "session.destroy" => Own::Close,
        "models.list" => Own::Models,
        _ => return None,
    };
    let Some(runtime) = sessions.live() else {
        // A recording refuses these itself, with its own message.
        let here = method.starts_with("session.");
        let message = format!("{method}: there is no runtime here; start the gateway with --copilot");
        return (!here).then(|| Err(Fault::new(METHOD_NOT_FOUND, message)));
    };
    Some(match own {
        Own::Create => runtime.create(&call.params).await,
        Own::Resume => resume(runtime, call).await,
        Own::Close => match named(runtime, call) {
            Ok(session) => runtime.close(&session).await,
            Err(fault) => Err(fault),
        },
        Own::Models => match runtime.connection().await {
            Ok(connection) => {
                connection.call("models.list", "{}").await.map_err(|failure| fault("models.list", failure))
            }
            Err(fault) => Err(fault),
        },
    })
}

/// Relays one of the runtime's methods. Parameters and result go through unchanged; the session's id is added
/// where only the address names it.
///
/// Only one answer to a request is under way at a time. It stays so until the runtime has answered or has
/// ended, even if its client leaves first: what was sent to the runtime can't be taken back.
pub async fn relay(
    runtime: &Live,
    session: &Arc<Session>,
    runtime_link: &RuntimeLink,
    call: &Call,
) -> Result<String, Fault> {
    let method = call.method.as_str();
    let Some(right) = methods::right(method) else {
        return Err(Fault::new(METHOD_NOT_FOUND, format!("{method} is not relayed to the runtime")));
    };
    let busy =
        || Fault::new(BUSY, format!("{method}: too many calls wait for the runtime; nothing was sent"));
    let places = runtime.places();
    // Who only reads can't keep others from answering and stopping: a read may wait as long as its client likes.
    if right == Right::Read && places.available_permits() <= NOT_FOR_READING {
        return Err(busy());
    }
    let place = Arc::clone(places).try_acquire_owned().map_err(|_| busy())?;
    let answered = call.params["requestId"].as_str().filter(|_| RequestKind::is_answer(method));
    let pass = match answered.map(|request_id| runtime_link.answering.begin(request_id)) {
        Some(None) => {
            let message =
                format!("{method}: this request is already being answered; this answer was not sent");
            return Err(Fault::new(BEING_ANSWERED, message));
        }
        pass => pass.flatten(),
    };
    let params = with_session(&call.params, call.raw.as_deref(), &session.id);
    if let Some(kind) = Kind::sent_by(method) {
        return runtime.send(session, call, kind, params).await;
    }
    let connection = runtime.open(session).await?;
    let outcome = if pass.is_some() {
        let method = method.to_owned();
        let answer = tokio::spawn(async move {
            let _held = (pass, place);
            connection.call(&method, &params).await
        });
        answer.await.unwrap_or(Err(Failure::Ended))
    } else if delivery::changes_queue(method) {
        runtime.change_queue(session, connection, call, params).await
    } else {
        connection.call(method, &params).await
    };
    outcome.map_err(|failure| fault(method, failure))
}

enum Own {
    Create,
    Resume,
    Close,
    Models,
}

async fn resume(runtime: &Live, call: &Call) -> Result<String, Fault> {
    let Some(id) = call.params["sessionId"].as_str() else {
        return Err(Fault::new(INVALID_PARAMS, format!("{}: sessionId is missing", call.method)));
    };
    let known = runtime.sessions().find(Some(id));
    let session = known.clone().unwrap_or_else(|| runtime.adopt(id));
    let mut given: Map<String, Value> = call.params.as_object().cloned().unwrap_or_default();
    given.remove("sessionId");
    match runtime.open_with(&session, given).await {
        Ok(_) => Ok(json!({"sessionId": id}).to_string()),
        Err(fault) => {
            if known.is_none() {
                runtime.sessions().remove(id);
            }
            Err(fault)
        }
    }
}

fn named(runtime: &Live, call: &Call) -> Result<Arc<Session>, Fault> {
    let Some(id) = call.params["sessionId"].as_str() else {
        return Err(Fault::new(INVALID_PARAMS, format!("{}: sessionId is missing", call.method)));
    };
    runtime.sessions().find(Some(id)).ok_or_else(|| Fault::unknown_session(id))
}

fn with_session(params: &Value, raw: Option<&str>, id: &str) -> String {
    let raw = raw.map(str::trim).filter(|raw| raw.starts_with('{'));
    match raw {
        Some(raw) if params["sessionId"].is_string() => raw.to_owned(),
        Some(raw) if params.as_object().is_some_and(|fields| !fields.is_empty()) => {
            let rest = raw.get(1..).unwrap_or("}");
            format!(r#"{{"sessionId":{},{rest}"#, Value::from(id))
        }
        _ => json!({"sessionId": id}).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::with_session;
    use serde_json::Value;

    #[test]
    fn parameters_go_through_as_they_are() {
        let through =
            |raw: &str| with_session(&serde_json::from_str::<Value>(raw).unwrap_or_default(), Some(raw), "s");
        let whole = r#"{"n":1.0e3, "sessionId":"s","t":"\u00e9"}"#;
        assert_eq!(through(whole), whole);
        assert_eq!(through(r#"{"n":1.50}"#), r#"{"sessionId":"s","n":1.50}"#);
        assert_eq!(through("{ }"), r#"{"sessionId":"s"}"#);
        assert_eq!(with_session(&Value::Null, None, "s"), r#"{"sessionId":"s"}"#);
    }
}
