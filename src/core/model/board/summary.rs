//! The summary of one session, as the page reads it. `view_model::board_summary` is what a gateway sends.

use std::sync::Arc;

use serde_json::Value;

use crate::i18n::format::without_marks;
use crate::json_writer::one_line;
use crate::model::machines::{Away, AwayMachine};
use crate::wire::time::parse_iso;

/// Bytes of the largest event that is sent with its request. A request without its event
/// can only be answered in the open session.
pub const LARGEST_EVENT: usize = 256 << 10;

/// What a session is doing, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Status {
    /// A person must act.
    Waiting,
    /// The last turn failed, and no other has begun.
    Error,
    /// A turn is running.
    Running,
    /// Ready for the next message.
    #[default]
    Idle,
    /// It was shut down, or is stored and not open.
    Ended,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Waiting, Self::Error, Self::Running, Self::Idle, Self::Ended];

    /// Its word in the gateway's messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Error => "error",
            Self::Running => "running",
            Self::Idle => "idle",
            Self::Ended => "ended",
        }
    }

    /// The status with this word; `Idle` if it is unknown.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|status| status.word() == word).unwrap_or_default()
    }
}

/// Where a session comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionSource {
    /// A recording that is played.
    #[default]
    Recording,
    /// The runtime has it open.
    Live,
    /// The runtime could open it again.
    Stored,
}

/// A request that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    /// Its id.
    pub request_id: String,
    /// The request's kind, as in `pending[].kind`.
    pub kind: String,
    /// The name of the sub-agent that asks, empty if that is not known; none for the main agent.
    pub agent: Option<String>,
    /// Milliseconds since 1970 when it was asked.
    pub since: Option<i64>,
    /// What is asked, in one line.
    pub text: String,
    /// The event that opened it, as JSON text. Without it the request can't be answered from the board.
    pub event: Option<Arc<str>>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// Its id.
    pub id: String,
    /// Its title, or how the person's first message begins.
    pub title: Option<String>,
    /// What it is doing.
    pub status: Status,
    /// Repository, `owner/name`.
    pub repository: Option<String>,
    /// Git branch.
    pub branch: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// The model that answers.
    pub model: Option<String>,
    /// `interactive`, `plan` or `autopilot`.
    pub mode: Option<String>,
    /// What the agent says it is doing.
    pub intent: Option<String>,
    /// Milliseconds since 1970 of the newest event.
    pub last_event_at: Option<i64>,
    /// Milliseconds since 1970 when it began, by the runtime's list.
    pub started_at: Option<i64>,
    /// Milliseconds since 1970 when it was last stored, by the runtime's list.
    pub stored_at: Option<i64>,
    /// Tokens in the context window.
    pub context_tokens: Option<i64>,
    /// Size of the context window.
    pub context_limit: Option<i64>,
    /// Premium requests.
    pub cost: f64,
    /// The error of the last turn, if it failed.
    pub error: Option<String>,
    /// Where it comes from.
    pub source: SessionSource,
    /// The agent behind it, by the name with which it is chosen; none for a recording.
    pub agent: Option<String>,
    /// The machine of the cluster on which it runs; none without a cluster.
    pub machine: Option<String>,
    /// That machine can't be reached.
    away: Option<Away>,
    /// The open requests, oldest first.
    pub requests: Vec<OpenRequest>,
}

impl Summary {
    /// A session of which only the id is known.
    pub fn new(id: String) -> Self {
        Self { id, ..Self::default() }
    }

    /// A copy with nothing but the id and the requests, which the full list is then merged into: the list may
    /// leave out events of requests that were sent before.
    pub(super) fn without_details(&self) -> Self {
        Self { requests: self.requests.clone(), ..Self::new(self.id.clone()) }
    }

    /// Takes every field that is in the message; `null` clears one.
    pub(super) fn merge(&mut self, row: &Value) {
        let Some(fields) = row.as_object() else { return };
        for (name, value) in fields {
            let text = || value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
            match name.as_str() {
                "title" => self.title = text().map(|title| without_marks(&title)),
                "status" => self.status = Status::of(value.as_str().unwrap_or_default()),
                "repository" => self.repository = text(),
                "branch" => self.branch = text(),
                "cwd" => self.cwd = text(),
                "model" => self.model = text(),
                "mode" => self.mode = text(),
                "intent" => self.intent = text(),
                "lastEventAt" => self.last_event_at = value.as_i64(),
                "startTime" => self.started_at = value.as_str().and_then(parse_iso),
                "modifiedTime" => self.stored_at = value.as_str().and_then(parse_iso),
                "contextTokens" => self.context_tokens = value.as_i64(),
                "contextLimit" => self.context_limit = value.as_i64(),
                "cost" => self.cost = value.as_f64().unwrap_or_default(),
                "error" => self.error = text(),
                "live" if value.as_bool() == Some(true) && self.source != SessionSource::Stored => {
                    self.source = SessionSource::Live;
                }
                "stored" if value.as_bool() == Some(true) => self.source = SessionSource::Stored,
                // A session that is no longer only stored has been opened.
                "stored" if self.source == SessionSource::Stored => self.source = SessionSource::Live,
                "requests" => self.take_requests(value),
                "agent" => self.agent = text(),
                "machine" => self.machine = text(),
                "away" => self.away = Away::of(value),
                _ => {}
            }
        }
    }

    fn take_requests(&mut self, list: &Value) {
        let before = std::mem::take(&mut self.requests);
        let one = |item: &Value| {
            let text = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            let request_id = text("requestId")?;
            let known = before.iter().find(|asked| asked.request_id == request_id);
            let listed =
                item.get("event").filter(|event| event.is_object()).map(|event| one_line(event).into());
            Some(OpenRequest {
                kind: text("kind").unwrap_or_default(),
                agent: text("agent"),
                since: item.get("since").and_then(Value::as_i64),
                text: text("text").unwrap_or_default(),
                event: listed.or_else(|| known.and_then(|asked| asked.event.clone())),
                request_id,
            })
        };
        self.requests = list.as_array().into_iter().flatten().filter_map(one).collect();
    }

    /// The status to show: a session that is only stored counts as ended, unless it waits or has failed.
    pub fn shown_status(&self) -> Status {
        match (self.source, self.status) {
            (SessionSource::Stored, Status::Idle | Status::Running) => Status::Ended,
            (_, status) => status,
        }
    }

    /// Its machine, if that can't be reached: nothing can be answered then.
    pub fn away(&self) -> Option<AwayMachine> {
        let (name, Away { since }) = (self.machine.clone()?, self.away?);
        Some(AwayMachine { name, since })
    }

    /// When the oldest open request was asked, in milliseconds since 1970.
    pub fn waits_since(&self) -> Option<i64> {
        self.requests.iter().filter_map(|asked| asked.since).min()
    }

    /// When it was last active, in milliseconds since 1970. The events of a stored session may not be loaded: then the
    /// runtime's list says it.
    pub fn last_active_at(&self) -> Option<i64> {
        self.last_event_at.or(self.stored_at).or(self.started_at)
    }

    /// How full the context window is, in per cent.
    pub fn context_percent(&self) -> Option<i64> {
        let (tokens, limit) = (self.context_tokens?, self.context_limit.filter(|limit| *limit > 0)?);
        Some((tokens.saturating_mul(100) / limit).clamp(0, 100))
    }
}
