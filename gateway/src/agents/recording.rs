//! A recording as an agent: carries out what a recording can, and refuses the rest.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use pilothouse_core::protocol::{ErrorReason, EventKind, RequestKind};
use serde_json::{Value, json};

use crate::journal::memory::Memory;
use crate::journal::{Cursor, Entry, Journal};
use crate::playback::answer::Decision;
use crate::playback::player::{Pace, Player, PlayerHandle};
use crate::playback::recording::Recording;
use crate::rpc::{Call, Fault};
use crate::sessions::agent::{Agent, CallFuture, Presence};
use crate::sessions::session::Session;

const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A recording that is played.
#[derive(Debug)]
struct PlayedRecording {
    player: PlayerHandle,
    journal: Arc<dyn Journal>,
}

/// The session of a recording, its player, which has not begun, and what the player is asked by.
pub fn open(recording: Recording, pace: Pace, looped: bool) -> (Arc<Session>, Player, PlayerHandle) {
    let (handle, requests) = PlayerHandle::new();
    let journal = Arc::new(Memory::default());
    let agent = PlayedRecording { player: handle.clone(), journal: Arc::clone(&journal) as Arc<dyn Journal> };
    let mut facts = recording.facts.clone();
    facts.title.get_or_insert_with(|| recording.name.clone());
    let session = Arc::new(Session::new(&recording.session_id, facts, Arc::new(agent), journal));
    let player = Player::new(recording, Arc::clone(&session), requests, pace, looped);
    (session, player, handle)
}

impl Agent for PlayedRecording {
    fn call<'a>(self: Arc<Self>, _: &'a str, call: &'a Call) -> CallFuture<'a> {
        async move { self.serve(call).await }.boxed()
    }

    fn add_own_event(&self, _: &str, event: String) {
        self.journal.append(vec![Entry::read(&event)]);
    }

    fn presence(&self, _: &str) -> Presence {
        Presence::Recording
    }
}

impl PlayedRecording {
    async fn serve(&self, call: &Call) -> Result<String, Fault> {
        let method = call.method.as_str();
        if let Some(family) = RequestKind::answered_by(method) {
            let wrong = |what: String| Fault::new(ErrorReason::InvalidParams, format!("{method}: {what}"));
            let request_id =
                call.params["requestId"].as_str().ok_or_else(|| wrong("requestId is missing".to_owned()))?;
            let decision = Decision::read(family, &call.params).map_err(wrong)?;
            let settled = self.player.answer(family, request_id.to_owned(), decision).await;
            return Ok(json!({"success": settled}).to_string());
        }
        match method {
            "pilothouse.backlog" => Ok(json!({"messages": []}).to_string()),
            _ if method.starts_with("pilothouse.backlog") => Err(Fault::no_such_message()),
            "session.permissions.pendingRequests" => Ok(pending_permissions(&self.player.open().await)),
            "session.queue.pendingItems" => {
                Ok(json!({"items": [], "steeringMessages": [], "inFlightSteeringCount": 0}).to_string())
            }
            "session.getMessages" => {
                let entries = self.journal.all_after(0);
                let persisted = entries.iter().map(|(_, entry)| entry).filter(|entry| entry.persisted);
                Ok(format!(r#"{{"events":{}}}"#, array(persisted)))
            }
            "session.eventLog.read" => read_log(&*self.journal, &call.params).await,
            _ => Err(Fault::new(
                ErrorReason::Recording,
                format!("{method}: this is a recording, it can't take new messages or orders"),
            )),
        }
    }
}

/// The open permission requests. Like the runtime, this gives the shorter copy of each, `promptRequest`, if
/// there is one.
fn pending_permissions(open: &[Value]) -> String {
    let permissions = open.iter().filter(|event| EventKind::of(event) == EventKind::PermissionRequested);
    let items = permissions.map(|event| {
        let data = &event["data"];
        let short = &data["promptRequest"];
        let request = if short.is_null() { &data["permissionRequest"] } else { short };
        json!({"requestId": data["requestId"], "request": request})
    });
    json!({"items": items.collect::<Vec<_>>()}).to_string()
}
/// Reads the log as the runtime would give it.
async fn read_log(journal: &dyn Journal, params: &Value) -> Result<String, Fault> {
    let number = |name: &str, default: u64| match &params[name] {
        Value::Null => Ok(default),
        value => value.as_u64().ok_or_else(|| {
            Fault::new(
                ErrorReason::InvalidParams,
                format!("session.eventLog.read: {name} must be a whole number, 0 or more"),
            )
        }),
    };
    let max = usize::try_from(number("max", 200)?.clamp(1, 1000)).unwrap_or(200);
    let wait = Duration::from_millis(number("waitMs", 0)?).min(LONGEST_WAIT);
    let all = params["includeEphemeral"] == true;
    let asked = params["cursor"].as_str();
    let known =
        asked.map(|text| parse_cursor(text).filter(|cursor| cursor.epoch == journal.position().epoch));
    let expired = matches!(known, Some(None));
    let mut cursor = known.flatten().unwrap_or_else(|| journal.cursor_after(0));

    let mut grown = journal.follow();
    let deadline = tokio::time::sleep(wait);
    tokio::pin!(deadline);
    let mut events: Vec<Entry> = Vec::new();
    loop {
        grown.mark_unchanged();
        let mut probe = cursor;
        for (seq, entry) in journal.read(&mut probe, usize::MAX).entries {
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
    let more = cursor.seq < journal.position().length;
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
