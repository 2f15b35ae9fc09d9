//! Finds out what a call is about, and has it served.
//! Subscriptions are in `http::socket`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Sessions;
use super::session::Session;
use crate::agents::copilot::{calls, delivery};
use crate::journal::{Cursor, Entry};
use crate::playback::answer::Decision;
use crate::rpc::{Call, Fault, INVALID_PARAMS, METHOD_NOT_FOUND, RECORDING, success};
use pilothouse_core::protocol::EventKind;
use pilothouse_core::protocol::RequestKind;

const LONGEST_WAIT: Duration = Duration::from_secs(30);

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
    if let Some(served) = calls::serve(sessions, call).await {
        return served;
    }
    match method {
        "pilothouse.ping" => return Ok("{}".to_owned()),
        "pilothouse.sessions" => return Ok(sessions.summaries().await.to_string()),
        "pilothouse.subscribe" | "pilothouse.unsubscribe" | "pilothouse.board" => {
            return Err(Fault::new(
                METHOD_NOT_FOUND,
                format!("{method} works over the WebSocket at /api/rpc only"),
            ));
        }
        _ if method.starts_with("pilothouse.backlog") => {
            let session = session_of(sessions, call, here)?;
            return delivery::serve(sessions, &session, call).await;
        }
        _ if !method.starts_with("session.") => {
            return Err(Fault::new(METHOD_NOT_FOUND, format!("no method \"{method}\" here")));
        }
        _ => {}
    }
    let session = session_of(sessions, call, here)?;
    if let (Some(live), Some(runtime_link)) = (sessions.live(), session.runtime_link()) {
        return calls::relay(live, &session, runtime_link, call).await;
    }
    if let Some(family) = RequestKind::answered_by(method) {
        let wrong = |what: String| Fault::new(INVALID_PARAMS, format!("{method}: {what}"));
        let request_id =
            call.params["requestId"].as_str().ok_or_else(|| wrong("requestId is missing".to_owned()))?;
        let decision = Decision::read(family, &call.params).map_err(wrong)?;
        let settled = session.answer(family, request_id.to_owned(), decision).await;
        return Ok(json!({"success": settled}).to_string());
    }
    match method {
        "session.permissions.pendingRequests" => Ok(pending_permissions(&session).await),
        "session.queue.pendingItems" => {
            Ok(json!({"items": [], "steeringMessages": [], "inFlightSteeringCount": 0}).to_string())
        }
        "session.getMessages" => {
            let entries = session.journal.all_after(0);
            let kept = entries.iter().map(|(_, entry)| entry).filter(|entry| entry.persisted);
            Ok(format!(r#"{{"events":{}}}"#, array(kept)))
        }
        "session.eventLog.read" => read_log(&session, &call.params).await,
        _ => Err(Fault::new(
            RECORDING,
            format!("{method}: this is a recording, it can't take new messages or orders"),
        )),
    }
}

fn session_of(sessions: &Sessions, call: &Call, here: Option<&Arc<Session>>) -> Result<Arc<Session>, Fault> {
    let named = call.params["sessionId"].as_str();
    match (here, named) {
        (Some(here), None) => Ok(Arc::clone(here)),
        (Some(here), Some(named)) if here.id == named => Ok(Arc::clone(here)),
        (Some(here), Some(named)) => Err(Fault::new(
            INVALID_PARAMS,
            format!("sessionId is \"{named}\", but this is the address of session \"{}\"", here.id),
        )),
        (None, Some(named)) => sessions.find(Some(named)).ok_or_else(|| Fault::unknown_session(named)),
        (None, None) => Err(Fault::new(INVALID_PARAMS, format!("{}: sessionId is missing", call.method))),
    }
}

/// The open permission requests. Like the runtime, this gives the shorter copy of each, `promptRequest`, if
/// there is one.
async fn pending_permissions(session: &Session) -> String {
    let open = session.open_requests().await;
    let permissions = open.iter().filter(|event| EventKind::of(event) == EventKind::PermissionRequested);
    let items = permissions.map(|event| {
        let data = &event["data"];
        let short = &data["promptRequest"];
        let request = if short.is_null() { &data["permissionRequest"] } else { short };
        json!({"requestId": data["requestId"], "request": request})
    });
    json!({"items": items.collect::<Vec<_>>()}).to_string()
}

async fn read_log(session: &Session, params: &Value) -> Result<String, Fault> {
    let number = |name: &str, default: u64| match &params[name] {
        Value::Null => Ok(default),
        value => value.as_u64().ok_or_else(|| {
            Fault::new(
                INVALID_PARAMS,
                format!("session.eventLog.read: {name} must be a whole number, 0 or more"),
            )
        }),
    };
    let max = usize::try_from(number("max", 200)?.clamp(1, 1000)).unwrap_or(200);
    let wait = Duration::from_millis(number("waitMs", 0)?).min(LONGEST_WAIT);
    let all = params["includeEphemeral"] == true;
    let asked = params["cursor"].as_str();
    let known = asked
        .map(|text| parse_cursor(text).filter(|cursor| cursor.epoch == session.journal.position().epoch));
    let expired = matches!(known, Some(None));
    let mut cursor = known.flatten().unwrap_or_else(|| session.journal.cursor_after(0));

    let mut grown = session.journal.follow();
    let deadline = tokio::time::sleep(wait);
    tokio::pin!(deadline);
    let mut events: Vec<Entry> = Vec::new();
    loop {
        grown.mark_unchanged();
        let mut probe = cursor;
        for (seq, entry) in session.journal.read(&mut probe, usize::MAX).entries {
            if events.len() == max {
                break;
            }
            cursor = Cursor { epoch: probe.epoch, seq };
            if entry.event && (all || entry.persisted) {
                events.push(entry);
            }
        }
        if !events.is_empty() {
            break;
        }
        tokio::select! {
            biased;
            () = &mut deadline => break,
            changed = grown.changed() => if changed.is_err() { break },
        }
    }
    let more = cursor.seq < session.journal.position().length;
    let status = if expired { "expired" } else { "ok" };
    let events = array(events.iter());
    let Cursor { epoch, seq } = cursor;
    Ok(format!(
        r#"{{"events":{events},"cursor":"{epoch}|{seq}","hasMore":{more},"cursorStatus":"{status}"}}"#
    ))
}

fn parse_cursor(text: &str) -> Option<Cursor> {
    let (epoch, seq) = text.split_once('|')?;
    Some(Cursor { epoch: epoch.parse().ok()?, seq: seq.parse().ok()? })
}

fn array<'a>(entries: impl Iterator<Item = &'a Entry>) -> String {
    let mut text = String::from("[");
    for entry in entries {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&entry.raw);
    }
    text.push(']');
    text
}
