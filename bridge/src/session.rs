//! Owns the sessions that the gateway shows: how they are found, who watches them, and their rows
//! in the list. It refuses to play them (`player`) and to reduce them (the core does).

use std::sync::{Arc, Mutex, PoisonError};

use pilothouse::core::{Session as Reduced, snapshot};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};

use crate::answer::Decision;
use crate::journal::{Cursor, Journal};
use crate::recording::{Facts, Recording};
use crate::request::Family;

/// What a carrier may ask a session's player.
#[derive(Debug)]
pub enum Ask {
    /// Settle a request; `true` when it was open and this answer settled it.
    Answer {
        /// The kind that the method answers.
        family: Family,
        /// The request.
        request_id: String,
        /// The checked answer.
        decision: Decision,
        /// Where the result goes.
        reply: oneshot::Sender<bool>,
    },
    /// The opening events of the requests that are open.
    Open(oneshot::Sender<Vec<Value>>),
}

/// One session.
#[derive(Debug)]
pub struct Session {
    /// Its id, unique in this gateway.
    pub id: String,
    /// What it has sent so far.
    pub journal: Journal,
    name: String,
    facts: Facts,
    desk: mpsc::Sender<Ask>,
    viewers: watch::Sender<usize>,
    row: Mutex<Row>,
}

/// Somebody who watches a session; dropping it ends that.
#[derive(Debug)]
pub struct Viewer(Arc<Session>);

struct Row {
    core: Reduced,
    cursor: Cursor,
    summary: Option<Value>,
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

impl Session {
    /// The session of a recording, and where its player reads what is asked.
    pub fn new(recording: &Recording) -> (Arc<Self>, mpsc::Receiver<Ask>) {
        let (desk, asked) = mpsc::channel(64);
        let session = Self {
            id: recording.session_id.clone(),
            journal: Journal::default(),
            name: recording.name.clone(),
            facts: recording.facts.clone(),
            desk,
            viewers: watch::Sender::new(0),
            row: Mutex::new(Row { core: Reduced::new(), cursor: Cursor { epoch: 0, seq: 0 }, summary: None }),
        };
        (Arc::new(session), asked)
    }

    /// Begins to watch. A recording waits for its first viewer.
    pub fn watch(self: &Arc<Self>) -> Viewer {
        self.viewers.send_modify(|viewers| *viewers += 1);
        Viewer(Arc::clone(self))
    }

    /// Returns once somebody watches.
    pub async fn watched(&self) {
        // An error means that the sender is gone, and the sender is `self`.
        let _ = self.viewers.subscribe().wait_for(|viewers| *viewers > 0).await;
    }

    /// Settles a request; `false` when it is not open (any more).
    pub async fn answer(&self, family: Family, request_id: String, decision: Decision) -> bool {
        let (reply, replied) = oneshot::channel();
        let sent = self.desk.send(Ask::Answer { family, request_id, decision, reply }).await;
        sent.is_ok() && replied.await.unwrap_or(false)
    }

    /// The opening events of the requests that are open.
    pub async fn open_requests(&self) -> Vec<Value> {
        let (reply, replied) = oneshot::channel();
        if self.desk.send(Ask::Open(reply)).await.is_err() {
            return Vec::new();
        }
        replied.await.unwrap_or_default()
    }

    /// Its row in the list. The core is fed with what is new only now, when somebody asks.
    pub fn summary(&self) -> Value {
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = false;
        loop {
            let batch = self.journal.read(&mut row.cursor, 1 << 20);
            if batch.restarted {
                row.core = Reduced::new();
                new = true;
            }
            if batch.entries.is_empty() {
                break;
            }
            new = true;
            for (_, entry) in batch.entries {
                row.core.push(entry.raw.as_bytes());
                row.core.push(b"\n");
            }
        }
        let events = row.cursor.seq;
        if !new && let Some(summary) = &row.summary {
            return summary.clone();
        }
        let summary = self.summarise(&row.core, events);
        row.summary = Some(summary.clone());
        summary
    }

    fn summarise(&self, core: &Reduced, events: u64) -> Value {
        let reduced = snapshot::session(core.state());
        let known = |value: &Value, fact: Option<&String>| match value.as_str() {
            Some(text) if !text.is_empty() => value.clone(),
            _ => fact.map_or(Value::Null, |fact| fact.as_str().into()),
        };
        json!({
            "sessionId": self.id,
            "title": known(&reduced["title"], Some(&self.name)),
            "status": known(&reduced["status"], Some(&"idle".to_owned())),
            "mode": reduced["mode"],
            "model": known(&reduced["model"], self.facts.model.as_ref()),
            "cwd": known(&reduced["cwd"], self.facts.cwd.as_ref()),
            "repository": reduced["repository"],
            "branch": reduced["branch"],
            "startTime": self.facts.start_time,
            "events": events,
            "openRequests": core.state().open_requests.len(),
            "recording": true,
        })
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.0.viewers.send_modify(|viewers| *viewers = viewers.saturating_sub(1));
    }
}

/// All sessions, in the order in which they were named.
#[derive(Clone, Debug, Default)]
pub struct Sessions(Arc<Vec<Arc<Session>>>);

impl Sessions {
    /// These sessions.
    pub fn new(sessions: Vec<Arc<Session>>) -> Self {
        Self(Arc::new(sessions))
    }

    /// The one with this id; without an id, the first.
    pub fn find(&self, id: Option<&str>) -> Option<Arc<Session>> {
        let found = match id {
            Some(id) => self.0.iter().find(|session| session.id == id),
            None => self.0.first(),
        };
        found.cloned()
    }

    /// The list of `GET /api/sessions`. Reducing a long log takes its time, so it is done aside.
    pub async fn summaries(&self) -> Value {
        let sessions = Arc::clone(&self.0);
        let all = move || sessions.iter().map(|session| session.summary()).collect::<Vec<_>>();
        Value::Array(tokio::task::spawn_blocking(all).await.unwrap_or_default())
    }
}
