//! `pilothouse.board`: keeps what one connection has been sent of every session, and finds what to send next.
//! The rows come from `summary`; `socket` writes to the wire.
//!
//! Four times a second the rows are compared with those that were sent. Only changed fields go out, all
//! changes of a session in one notification. So a session that changes a thousand times between two
//! comparisons costs one line, and a client that reads slowly gets the newest state late instead of every
//! state.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::Sessions;
use super::session::{Session, Viewer};

/// The time between two comparisons, so at most four notifications a second for each session.
const NEWS_INTERVAL: Duration = Duration::from_millis(250);

/// What one connection has been sent of all sessions.
pub struct Board {
    sessions: Sessions,
    sent: HashMap<String, SentSession>,
    /// The machines of the cluster as they were sent.
    machines: Option<Value>,
    look: Interval,
}

/// What it has been sent of one session.
#[derive(Default)]
struct SentSession {
    row: Map<String, Value>,
    /// Requests whose opening event was sent.
    opened: HashSet<String>,
    /// The number of the newest request that has ended.
    ends: u64,
    /// A recording starts with its first viewer, and a board counts as one.
    viewer: Option<Viewer>,
}

impl Board {
    /// A board of which nothing has been sent yet.
    pub fn new(sessions: Sessions) -> Self {
        let mut look = interval(NEWS_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { sessions, sent: HashMap::new(), machines: None, look }
    }

    /// The answer to `pilothouse.board`: every session with its open requests, and the gateway's
    /// capabilities.
    pub async fn all(&mut self) -> Value {
        self.sent.clear();
        let rows: Vec<Value> = self.news().await.into_iter().map(Value::Object).collect();
        let mut all = json!({"sessions": rows, "capabilities": self.sessions.capabilities(), "agents": self.sessions.agent_names()});
        self.machines = self.sessions.machines().map(|machines| machines.list());
        if let Some(machines) = &self.machines {
            all["machines"] = machines.clone();
        }
        all
    }

    /// Waits until something has changed, and returns the notifications to send.
    pub async fn next(&mut self) -> Vec<String> {
        loop {
            self.look.tick().await;
            let news = self.news().await;
            let summary = |news: Map<String, Value>| note("pilothouse.summary", &Value::Object(news));
            let mut notes: Vec<_> = news.into_iter().map(summary).collect();
            notes.extend(self.news_of_machines());
            if !notes.is_empty() {
                return notes;
            }
        }
    }

    /// The notification that the machines of the cluster have changed.
    fn news_of_machines(&mut self) -> Option<String> {
        let machines = self.sessions.machines()?.list();
        if self.machines.as_ref() == Some(&machines) {
            return None;
        }
        let capabilities = self.sessions.capabilities();
        let params = json!({"machines": machines, "capabilities": capabilities});
        self.machines = Some(machines);
        Some(note("pilothouse.machines", &params))
    }

    /// The changed fields of each session since the last call.
    async fn news(&mut self) -> Vec<Map<String, Value>> {
        let rows = self.sessions.summaries().await;
        let rows = match rows {
            Value::Array(rows) => rows,
            _ => Vec::new(),
        };
        let mut removed: HashSet<String> = self.sent.keys().cloned().collect();
        let mut news = Vec::new();
        for row in rows {
            let (Value::Object(row), id) = (&row, id_of(&row)) else { continue };
            removed.remove(&id);
            news.extend(self.compare(id, row));
        }
        for id in removed {
            self.sent.remove(&id);
            let sent = json!({"sessionId": id, "removed": true});
            news.extend(sent.as_object().cloned());
        }
        news
    }

    fn compare(&mut self, id: String, row: &Map<String, Value>) -> Option<Map<String, Value>> {
        let first = !self.sent.contains_key(&id);
        let sent = self.sent.entry(id.clone()).or_default();
        // The end of a request changes the row as well, if the client was sent the request.
        if !first && sent.row == *row {
            return None;
        }
        let session = self.sessions.find(Some(&id));
        let recording = row.get("recording").and_then(Value::as_bool) == Some(true);
        if recording && sent.viewer.is_none() {
            sent.viewer = session.as_ref().map(|session| session.watch(None));
        }
        let ended = session.as_ref().map(|session| session.ended_after(sent.ends)).unwrap_or_default();
        let mut news = Map::new();
        news.insert("sessionId".to_owned(), id.into());
        for (name, value) in row {
            if sent.row.get(name) != Some(value) {
                news.insert(name.clone(), value.clone());
            }
        }
        for name in sent.row.keys().filter(|name| !row.contains_key(*name)) {
            news.insert(name.clone(), Value::Null);
        }
        sent.row.clone_from(row);
        if let Some(Value::Array(requests)) = news.get_mut("requests") {
            let before = std::mem::take(&mut sent.opened);
            for request in requests {
                let Some(request_id) = request_id_of(request) else { continue };
                if let Some(session) = session.as_ref().filter(|_| !before.contains(&request_id)) {
                    add_opening(request, session);
                }
                sent.opened.insert(request_id);
            }
        }
        sent.ends = ended.last().map_or(sent.ends, |ended| ended.number);
        if !first && !ended.is_empty() {
            let settled = ended.iter().map(|ended| {
                let event =
                    ended.event.as_deref().and_then(|event| serde_json::from_str::<Value>(event).ok());
                json!({"requestId": ended.request_id, "event": event})
            });
            news.insert("settled".to_owned(), settled.collect());
        }
        (news.len() > 1).then_some(news)
    }
}

fn note(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string()
}

/// The list of all sessions with the events of their open requests, for a page that begins with it. Nobody counts as a viewer
/// of a recording by that. None while nothing is known of any.
pub async fn first_list(sessions: &Sessions) -> Option<Value> {
    let mut rows = sessions.summaries().await;
    let is_known =
        |row: &Value| row["live"] == true || row["events"].as_u64().is_some_and(|events| events > 0);
    if !rows.as_array()?.iter().any(is_known) {
        return None;
    }
    for row in rows.as_array_mut().into_iter().flatten() {
        let session = sessions.find(Some(&id_of(row)));
        let requests = row.get_mut("requests").and_then(Value::as_array_mut);
        for request in requests.into_iter().flatten() {
            if let Some(session) = &session {
                add_opening(request, session);
            }
        }
    }
    Some(rows)
}

/// Adds the event that opened a request.
fn add_opening(request: &mut Value, session: &Session) {
    let opening = request_id_of(request).and_then(|id| session.opening(&id));
    if let (Some(fields), Some(event)) = (request.as_object_mut(), opening) {
        fields.insert("event".to_owned(), serde_json::from_str(&event).unwrap_or_default());
    }
}

fn request_id_of(request: &Value) -> Option<String> {
    request.get("requestId").and_then(Value::as_str).map(str::to_owned)
}

fn id_of(row: &Value) -> String {
    row["sessionId"].as_str().unwrap_or_default().to_owned()
}
