//! The runtime as an agent: serves the gateway's own methods and relays the runtime's, unchanged.
//! Which methods are relayed is listed in `access::methods`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::NAME;
use super::connection::Failure;
use super::delivery::{self, SentKind};
use super::link::SessionHandle;
use super::runtime::{Runtime, close, create, open, open_with, ready};
use crate::access::methods::{self, Right};
use crate::agents::recorder::RecorderCommand;
use crate::health::Report;
use crate::rpc::{Call, Fault};
use crate::sessions::agent::{Agent, CallFuture, Presence};
use pilothouse_core::model::agents;
use pilothouse_core::protocol::{ErrorReason, RequestKind};

/// How many of the calls that may wait for the runtime are not for methods that only read.
const NOT_FOR_READING: usize = 64;

impl Agent for Runtime {
    fn call<'a>(self: Arc<Self>, session_id: &'a str, call: &'a Call) -> CallFuture<'a> {
        async move {
            let handle = self.named(session_id)?;
            if call.method.starts_with("pilothouse.backlog") {
                return delivery::serve(&self, &handle, call).await;
            }
            if call.method == "pilothouse.agent" {
                // All that the page has is the runtime's.
                return Ok(json!({"agent": NAME, "name": agents::title(NAME)}).to_string());
            }
            relay(&self, &handle, call).await
        }
        .boxed()
    }

    fn manage(self: Arc<Self>, call: &Call) -> CallFuture<'_> {
        async move { manage(&self, call).await }.boxed()
    }

    fn add_own_event(&self, session_id: &str, event: String) {
        self.recorder.send(RecorderCommand::OwnEvent(session_id.to_owned(), event));
    }

    fn name(&self, _session_id: &str) -> Option<String> {
        Some(NAME.to_owned())
    }

    fn presence(&self, session_id: &str) -> Presence {
        match self.link(session_id) {
            Some(link) if link.is_open() => Presence::Open,
            _ => Presence::Stored,
        }
    }

    fn ready(self: Arc<Self>, session_id: &str, _seen: u64) -> BoxFuture<'_, ()> {
        async move {
            if let Some(handle) = self.find(session_id) {
                ready(&self, handle).await;
            }
        }
        .boxed()
    }

    fn backlog(&self, session_id: &str) -> Option<watch::Receiver<u64>> {
        self.link(session_id).map(|link| link.backlog.changes())
    }

    fn health(&self) -> Option<watch::Receiver<Report>> {
        Some(self.health.follow())
    }
}

/// Serves a method that makes, reopens or closes sessions, or is about none.
async fn manage(runtime: &Arc<Runtime>, call: &Call) -> Result<String, Fault> {
    let method = call.method.as_str();
    match method {
        "pilothouse.create" | "session.create" => create(runtime, &call.params).await,
        "pilothouse.resume" | "session.resume" => resume(runtime, call).await,
        "pilothouse.close" | "session.detach" | "session.destroy" => {
            close(runtime, runtime.named(session_id(call)?)?).await
        }
        // The runtime's list of its sessions is known whenever there is a connection.
        "pilothouse.discover" => Ok(json!({"agent": NAME}).to_string()),
        "models.list" => {
            let models = runtime.connection().await?.call(method, "{}").await;
            models.map_err(|failure| failure.fault(method))
        }
        _ => Err(Fault::new(ErrorReason::MethodNotFound, format!("no method \"{method}\" here"))),
    }
}

/// Relays one of the runtime's methods. Parameters and result go through unchanged; the session's id is added
/// where only the address names it.
///
/// Only one answer to a request is under way at a time. It stays so until the runtime has answered or has
/// ended, even if its client leaves first: what was sent to the runtime can't be taken back.
async fn relay(runtime: &Arc<Runtime>, handle: &SessionHandle, call: &Call) -> Result<String, Fault> {
    let method = call.method.as_str();
    let Some(right) = methods::right(method) else {
        return Err(Fault::new(
            ErrorReason::MethodNotFound,
            format!("{method} is not relayed to the runtime"),
        ));
    };
    let busy = || {
        Fault::new(
            ErrorReason::Busy,
            format!("{method}: too many calls wait for the runtime; nothing was sent"),
        )
    };
    let places = &runtime.calls;
    // Who only reads can't keep others from answering and stopping: a read may wait as long as its client likes.
    if right == Right::Read && places.available_permits() <= NOT_FOR_READING {
        return Err(busy());
    }
    let place = Arc::clone(places).try_acquire_owned().map_err(|_| busy())?;
    let answered = call.params["requestId"].as_str().filter(|_| RequestKind::is_answer(method));
    let permit = match answered.map(|request_id| handle.link.answering.begin(request_id)) {
        Some(None) => {
            let message =
                format!("{method}: this request is already being answered; this answer was not sent");
            return Err(Fault::new(ErrorReason::BeingAnswered, message));
        }
        permit => permit.flatten(),
    };
    let params = with_session(&call.params, call.raw.as_deref(), &handle.session.id);
    if let Some(kind) = SentKind::sent_by(method) {
        return delivery::send(runtime, handle, call, kind, params).await;
    }
    let connection = open(runtime, handle).await?;
    let outcome = if permit.is_some() {
        let method = method.to_owned();
        let answer = tokio::spawn(async move {
            let _until_answered = (permit, place);
            connection.call(&method, &params).await
        });
        answer.await.unwrap_or(Err(Failure::Ended))
    } else if delivery::changes_queue(method) {
        delivery::change_queue(runtime, handle, connection, call, params).await
    } else {
        connection.call(method, &params).await
    };
    outcome.map_err(|failure| failure.fault(method))
}

async fn resume(runtime: &Arc<Runtime>, call: &Call) -> Result<String, Fault> {
    let id = session_id(call)?;
    let is_new = runtime.sessions.find(Some(id)).is_none();
    let handle = if is_new { runtime.adopt(id) } else { runtime.named(id)? };
    let mut given: Map<String, Value> = call.params.as_object().cloned().unwrap_or_default();
    given.remove("sessionId");
    match open_with(runtime, &handle, given).await {
        Ok(_) => Ok(json!({"sessionId": id}).to_string()),
        Err(fault) => {
            if is_new {
                runtime.remove(id);
            }
            Err(fault)
        }
    }
}

fn session_id(call: &Call) -> Result<&str, Fault> {
    let id = call.params["sessionId"].as_str();
    id.ok_or_else(|| Fault::new(ErrorReason::InvalidParams, format!("{}: sessionId is missing", call.method)))
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
