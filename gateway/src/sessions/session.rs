//! One session: its events, its viewers and its row in the list.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use pilothouse_core::State;
use pilothouse_core::i18n::{Language, in_language};
use pilothouse_core::markup::screen::{Reader, screen};
use pilothouse_core::protocol::request::{PENDING_PERMISSIONS, listed_permissions};
use pilothouse_core::view_model::snapshot;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::agent::{Agent, Presence};
use super::summary::{EndedRequest, ReducedSession, Wait};
use super::traffic::Traffic;
use super::watchers::{Watcher, Watchers};
use crate::journal::{Cursor, Facts, Journal, Storage};
use crate::rpc::Call;

/// One session.
#[derive(Debug)]
pub struct Session {
    /// Its id, unique in this gateway.
    pub id: String,
    /// What it has sent so far.
    pub journal: Arc<dyn Journal>,
    facts: Mutex<Facts>,
    /// What carries out the calls about it.
    pub agent: Arc<dyn Agent>,
    /// Lines that came from its agent.
    pub received: Traffic,
    /// Lines that were given to viewers.
    pub delivered: Traffic,
    /// When it was made here.
    began: SystemTime,
    watchers: watch::Sender<Watchers>,
    row: Mutex<SummaryRow>,
}

/// One viewer of a session; dropping it means that the viewer is gone.
#[derive(Debug)]
pub struct Viewer {
    session: Arc<Session>,
    number: u64,
}

struct SummaryRow {
    folded: ReducedSession,
    cursor: Cursor,
    reduced: Value,
    unloaded: Option<UnloadedSummary>,
}

/// What is known of the state while the journal is not loaded.
struct UnloadedSummary {
    fields: Map<String, Value>,
    open_requests: usize,
    ends: u64,
}

impl std::fmt::Debug for SummaryRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

impl Session {
    /// A session of this agent, with this journal.
    pub fn new(id: &str, facts: Facts, agent: Arc<dyn Agent>, journal: Arc<dyn Journal>) -> Self {
        Self {
            id: id.to_owned(),
            journal,
            facts: Mutex::new(facts),
            agent,
            received: Traffic::default(),
            delivered: Traffic::default(),
            began: SystemTime::now(),
            watchers: watch::Sender::default(),
            row: Mutex::new(SummaryRow {
                folded: ReducedSession::default(),
                cursor: Cursor { epoch: 0, seq: 0 },
                reduced: Value::Null,
                unloaded: None,
            }),
        }
    }

    /// Takes over facts from the runtime's list. Returns whether any of them was new.
    pub fn merge_facts(&self, facts: Facts) -> bool {
        let mut known = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let before = known.clone();
        let newer = |new: Option<String>, old: &mut Option<String>| *old = new.or(old.take());
        newer(facts.title, &mut known.title);
        newer(facts.model, &mut known.model);
        newer(facts.cwd, &mut known.cwd);
        newer(facts.repository, &mut known.repository);
        newer(facts.branch, &mut known.branch);
        newer(facts.start_time, &mut known.start_time);
        newer(facts.modified, &mut known.modified);
        newer(facts.agent, &mut known.agent);
        newer(facts.agent_session, &mut known.agent_session);
        *known != before
    }

    /// Shows in its row the requests that still waited when it was stored, by the last events of its log. The log is not read
    /// for that. Only requests that outlive the agent's process count: the next one asks no other again.
    pub fn show_what_waited(&self, ending: &[Arc<str>]) {
        let mut folded = ReducedSession::default();
        for event in ending {
            folded.take(event);
        }
        let waiting = folded.surviving_requests();
        if waiting.is_empty() {
            return;
        }
        let mut fields = folded.fields();
        if let Some(Value::Array(requests)) = fields.get_mut("requests") {
            requests.retain(|request| waiting.iter().any(|id| request["requestId"] == **id));
        }
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        self.journal.storage().map(Storage::unload);
        row.unloaded = Some(UnloadedSummary { fields, open_requests: waiting.len(), ends: 0 });
    }

    /// Whether it is a session of another machine.
    pub fn is_remote(&self) -> bool {
        self.agent.is_remote()
    }

    /// Whether it is one of another machine, and something happens in it or somebody is asked.
    pub fn is_busy_elsewhere(&self) -> bool {
        let is_busy = |status: &Value| status == "running" || status == "waiting";
        self.is_remote() && self.agent.remote(&self.id).is_some_and(|remote| is_busy(&remote.row["status"]))
    }

    /// When it changed last, as far as the runtime's list tells.
    pub fn last_modified(&self) -> Option<String> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).modified.clone()
    }

    /// Adds a viewer, as whom the others are told; nothing is told of it where nobody signs in. A recording starts with its first
    /// one.
    pub fn watch(self: &Arc<Self>, watcher: Option<Watcher>) -> Viewer {
        let mut number = 0;
        self.watchers.send_modify(|watchers| number = watchers.add(watcher));
        Viewer { session: Arc::clone(self), number }
    }

    /// Who watches.
    pub fn watchers(&self) -> watch::Receiver<Watchers> {
        self.watchers.subscribe()
    }

    /// How many viewers there are.
    pub fn viewers(&self) -> usize {
        self.watchers.borrow().count()
    }

    /// How long requests waited that have ended since this was asked last, as of the last `summary`. What an older log tells of them
    /// does not count.
    pub fn take_waits(&self) -> Vec<Duration> {
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |wait: &Wait| wait.ended >= self.began;
        row.folded.take_waits().into_iter().filter(is_recent).map(|wait| wait.waited).collect()
    }

    /// Returns once there is a viewer.
    pub async fn watched(&self) {
        // An error would mean that the sender is gone, and the sender is `self`.
        let _ = self.watchers.subscribe().wait_for(|watchers| !watchers.is_empty()).await;
    }

    /// Its row in the list. New events are reduced only now, when somebody asks.
    pub fn summary(&self) -> Value {
        if let Some(remote) = self.agent.remote(&self.id) {
            return remote.row;
        }
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        self.fold(&mut row);
        self.summarise(&row)
    }

    /// Calls `read` with its state; none while nothing is known of it, and while its events are not at hand.
    pub fn with_state<R>(&self, read: impl FnOnce(&State) -> R) -> Option<R> {
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        self.fold(&mut row);
        (row.cursor.seq > 0 && row.unloaded.is_none()).then(|| read(row.folded.state()))
    }

    /// The first screen of its page; none while nothing is known of it.
    pub fn screen(&self, readonly: bool, language: Option<&'static Language>) -> Option<String> {
        let takes_messages = self.agent.presence(&self.id) != Presence::Recording;
        let reader = Reader { readonly, takes_messages };
        self.with_state(|state| in_language(language, || screen(state, reader)))
    }

    /// Whether a stop has closed requests since this was asked last, as of the last `summary`, and the agent has the
    /// session at hand.
    pub fn take_stop(&self) -> bool {
        if self.is_remote() {
            return false; // its own machine asks
        }
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        self.agent.presence(&self.id) != Presence::Stored && row.folded.take_stop()
    }

    /// Asks the agent which permissions are open. After a stop a sub-agent in the background may still ask, and no event
    /// says so. Without an answer the row stays as the events have it.
    pub async fn list_permissions_after_stop(self: Arc<Self>) {
        let params = json!({"sessionId": self.id});
        let call = Call { id: None, method: PENDING_PERMISSIONS.to_owned(), params, raw: None, by: None };
        let Ok(answer) = Arc::clone(&self.agent).call(&self.id, &call).await else { return };
        let Some(items) = listed_permissions(serde_json::from_str(&answer).unwrap_or_default()) else {
            return;
        };
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        if row.unloaded.is_none() {
            row.folded.permissions_listed(items);
            row.reduced = snapshot::session(row.folded.state());
        }
    }

    /// Lets go of its events, which are in its log, and of its state. Its row in the list stays as it is.
    pub fn unload(&self) {
        let mut row = self.row.lock().unwrap_or_else(PoisonError::into_inner);
        self.fold(&mut row);
        let SummaryRow { folded, unloaded, .. } = &mut *row;
        let open_requests = folded.state().open_requests.len();
        *unloaded = Some(UnloadedSummary { fields: folded.fields(), open_requests, ends: folded.ends() });
        *folded = ReducedSession::default();
        self.journal.storage().map(Storage::unload);
    }

    /// Reduces new events for its row.
    fn fold(&self, row: &mut SummaryRow) {
        if row.unloaded.is_some() && self.journal.is_unloaded() {
            return;
        }
        let before = row.unloaded.take();
        if before.is_some() {
            row.cursor.seq = 0;
        }
        let mut new = false;
        loop {
            // From the beginning, what is left of the log is enough.
            let batch = match row.cursor.seq {
                0 => self.journal.read_left(&mut row.cursor),
                _ => self.journal.read(&mut row.cursor, 1 << 20),
            };
            if batch.restarted {
                row.folded.restart();
                new = true;
            }
            if batch.entries.is_empty() {
                break;
            }
            new = true;
            for (_, entry) in batch.entries {
                row.folded.take(&entry.raw);
            }
        }
        new |= row.folded.become_idle_if_silent(Instant::now());
        if new || row.reduced.is_null() {
            row.reduced = snapshot::session(row.folded.state());
        }
        if let Some(UnloadedSummary { ends, .. }) = before {
            row.folded.number_from(ends);
        }
    }

    /// The event that opened a request, byte for byte, as of the last `summary`; none if it is too large.
    pub fn opening(&self, request_id: &str) -> Option<Arc<str>> {
        if let Some(mut remote) = self.agent.remote(&self.id) {
            return remote.openings.remove(request_id);
        }
        self.row.lock().unwrap_or_else(PoisonError::into_inner).folded.opening(request_id)
    }

    /// The ended requests with a number above this one, as of the last `summary`.
    pub fn ended_after(&self, number: u64) -> Vec<EndedRequest> {
        if let Some(mut remote) = self.agent.remote(&self.id) {
            remote.ended.retain(|ended| ended.number > number);
            return remote.ended;
        }
        self.row.lock().unwrap_or_else(PoisonError::into_inner).folded.ended_after(number)
    }

    fn summarise(&self, row: &SummaryRow) -> Value {
        let facts = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |field: &str, fact: Option<&str>| match row.reduced[field].as_str() {
            Some(text) if !text.is_empty() => row.reduced[field].clone(),
            _ => fact.map_or(Value::Null, Value::from),
        };
        let (mut fields, open_requests) = match &row.unloaded {
            Some(unloaded) => (unloaded.fields.clone(), unloaded.open_requests),
            None => (row.folded.fields(), row.folded.state().open_requests.len()),
        };
        let mut summary = json!({
            "sessionId": self.id,
            "title": known("title", facts.title.as_deref()),
            "status": known("status", Some("idle")),
            "mode": row.reduced["mode"],
            "model": known("model", facts.model.as_deref()),
            "cwd": known("cwd", facts.cwd.as_deref()),
            "repository": known("repository", facts.repository.as_deref()),
            "branch": known("branch", facts.branch.as_deref()),
            "startTime": facts.start_time,
            "events": row.cursor.seq,
            "openRequests": open_requests,
        });
        if let Some(agent) = self.agent.name(&self.id) {
            summary["agent"] = agent.into();
        }
        match self.agent.presence(&self.id) {
            Presence::Recording => summary["recording"] = true.into(),
            presence => {
                summary["live"] = true.into();
                summary["stored"] = (presence == Presence::Stored).into();
                summary["modifiedTime"] = json!(facts.modified);
            }
        }
        // Where no event tells the model, the one from the list stays.
        fields.retain(|name, value| name != "model" || !value.is_null());
        if let Some(summary) = summary.as_object_mut() {
            summary.extend(fields);
        }
        summary
    }
}

impl Viewer {
    /// It says nothing, so nobody is told that it watches; or it does again.
    pub fn set_silent(&self, silent: bool) {
        self.session.watchers.send_modify(|watchers| watchers.set_silent(self.number, silent));
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.session.watchers.send_modify(|watchers| watchers.remove(self.number));
    }
}
