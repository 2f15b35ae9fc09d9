//! Finds out whether a restarted runtime may go on with a session's interrupted work. It may not if a call
//! had been allowed and had not ended: the runtime would carry it out a second time without asking.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::agents::copilot::connection::RuntimeConnection;
use crate::agents::recorder::Recorder;
use crate::sessions::session::Session;
use pilothouse_core::protocol::EventKind;

const PROCESSING: &str = "session.metadata.isProcessing";
const PERSISTED: &str = "sessions.readPersistedEvents";
const PAGE: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PersistedPage {
    events: Vec<Value>,
    #[serde(default)]
    cursor: Value,
    #[serde(default)]
    has_more: bool,
}

/// The calls that were allowed, and those whose outcome is known.
#[derive(Debug, Default)]
struct Calls {
    allowed: HashSet<String>,
    over: HashSet<String>,
}

impl Calls {
    fn note(&mut self, event: &Value) {
        let data = &event["data"];
        // This resume gave up whatever was interrupted before it.
        if EventKind::of(event) == EventKind::SessionResume && data["continuePendingWork"] == false {
            self.over.extend(self.allowed.iter().cloned());
        }
        let Some(id) = data["toolCallId"].as_str() else { return };
        let granted = || data["result"]["kind"].as_str().is_some_and(|kind| kind.starts_with("approved"));
        match EventKind::of(event) {
            EventKind::PermissionCompleted if granted() => _ = self.allowed.insert(id.to_owned()),
            // A tool of the host is asked for again, and not carried out by the runtime.
            EventKind::ToolExecutionComplete | EventKind::ExternalToolRequested => {
                _ = self.over.insert(id.to_owned());
            }
            _ => {}
        }
    }

    fn are_interrupted(&self) -> bool {
        !self.allowed.is_subset(&self.over)
    }
}

/// Whether the runtime has the session in its memory.
pub async fn is_in_memory(connection: &RuntimeConnection, session_id: &str) -> bool {
    let params = json!({"sessionId": session_id}).to_string();
    connection.call(PROCESSING, &params).await.is_ok()
}

/// Whether the end of the runtime interrupted a call that had been allowed.
pub async fn was_interrupted(connection: &RuntimeConnection, recorder: &Recorder, session: &Session) -> bool {
    let mut calls = Calls::default();
    // Brings the journal up to date. Either log may have events that the other one lacks, so both are read.
    recorder.waiting_ids(&session.id).await;
    let kinds = [
        EventKind::PermissionCompleted,
        EventKind::ToolExecutionComplete,
        EventKind::ExternalToolRequested,
        EventKind::SessionResume,
    ];
    for (_, entry) in session.journal.left_after(0) {
        if kinds.iter().any(|kind| entry.raw.contains(kind.name()))
            && let Ok(event) = serde_json::from_str(&entry.raw)
        {
            calls.note(&event);
        }
    }
    let mut params = json!({"sessionId": session.id, "max": PAGE, "direction": "backward"});
    while let Ok(answer) = connection.call(PERSISTED, &params.to_string()).await {
        let Ok(page) = serde_json::from_str::<PersistedPage>(&answer) else { break };
        page.events.iter().for_each(|event| calls.note(event));
        // Calls from before the newest message ended with it.
        let begins = |event: &Value| EventKind::of(event) == EventKind::UserMessage;
        if !page.has_more || page.cursor.is_null() || page.events.iter().any(begins) {
            break;
        }
        params["cursor"] = page.cursor;
    }
    calls.are_interrupted()
}

#[cfg(test)]
mod tests {
    use super::Calls;
    use serde_json::{Value, json};

    fn cut_off(events: &[Value]) -> bool {
        let mut calls = Calls::default();
        for event in events {
            calls.note(event);
        }
        calls.are_interrupted()
    }

    fn allowed(kind: &str) -> Value {
        json!({"type": "permission.completed", "data": {"toolCallId": "a", "requestId": "r", "result": {"kind": kind}}})
    }

    #[test]
    fn a_call_that_was_allowed_and_has_not_ended_was_cut_off() {
        let asked =
            json!({"type": "permission.requested", "data": {"permissionRequest": {"toolCallId": "a"}}});
        let ended = json!({"type": "tool.execution_complete", "data": {"toolCallId": "a"}});
        assert!(!cut_off(&[]));
        assert!(!cut_off(std::slice::from_ref(&asked)), "it still waits");
        for kind in ["approved", "approved-for-session", "approved-for-location"] {
            assert!(cut_off(&[asked.clone(), allowed(kind)]));
            assert!(!cut_off(&[asked.clone(), allowed(kind), ended.clone()]));
            assert!(!cut_off(&[ended.clone(), allowed(kind)]), "events come in any order");
        }
        assert!(!cut_off(&[asked, allowed("denied-interactively-by-user")]));
    }

    #[test]
    fn what_a_resume_gave_up_is_not_given_up_again() {
        let resumed =
            |goes_on: bool| json!({"type": "session.resume", "data": {"continuePendingWork": goes_on}});
        assert!(!cut_off(&[allowed("approved"), resumed(false)]));
        assert!(
            !cut_off(&[allowed("approved"), resumed(false), allowed("approved")]),
            "read in the other log"
        );
        assert!(cut_off(&[allowed("approved"), resumed(true)]), "it may still run");
        let mut later = allowed("approved");
        later["data"]["toolCallId"] = "b".into();
        assert!(cut_off(&[allowed("approved"), resumed(false), later]));
    }
}
