//! A recorded session, read from JSONL: its lines byte for byte, their pace, and which of them open or close
//! a request. A line that is not an event stays unchanged.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, fs};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::journal::Facts;
use crate::playback::files;
use crate::playback::requests::{Requests, decided_by_a_person};
use pilothouse_core::protocol::EventKind;
use pilothouse_core::protocol::RequestKind;
use pilothouse_core::transcripts::{LogReader, Report, Siblings};
use pilothouse_core::wire::time;

const DEMO: &str = include_str!("../../demo/fix-failing-test.jsonl");

/// A session as it was recorded.
#[derive(Debug)]
pub struct Recording {
    /// The session's name until it has a title: the file's name.
    pub name: String,
    /// The session's id, from `session.start`, else the file's name.
    pub session_id: String,
    /// What it was read from, if it is a transcript of another agent. It is there at once, without its pace.
    pub transcript: Option<Report>,
    /// The facts in `session.start`.
    pub facts: Facts,
    /// Its lines, empty ones left out.
    pub lines: Vec<RecordedLine>,
}

/// One line.
#[derive(Debug)]
pub struct RecordedLine {
    /// Its bytes without the line end. Bytes that are not UTF-8 are replaced, since neither carrier can send
    /// them as text.
    pub raw: Arc<str>,
    /// Time since the event before it; 0 where the clock went backwards or a timestamp is missing.
    pub gap: Duration,
    /// Whether it is an object with a `type`.
    pub event: bool,
    /// Whether history keeps the event.
    pub persisted: bool,
    /// Its part in a request.
    pub role: LineRole,
}

/// A line's part in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// It has none.
    Plain,
    /// It opens one.
    Opens {
        /// The kind of request.
        family: RequestKind,
        /// The request's id.
        request_id: Arc<str>,
        /// How the recording settles it.
        settled: RecordedEnding,
    },
    /// It closes one.
    Closes {
        /// The request's id.
        request_id: Arc<str>,
    },
}

/// How the recording settles a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedEnding {
    /// A person settles it, so the player asks again.
    ByPerson {
        /// Index of the closing line.
        line: usize,
        /// Index of the line that the player must not play before the answer: the closing one, or an earlier
        /// one.
        due: usize,
        /// For a tool of the host: index of the `tool.execution_complete` with its recorded result.
        outcome: Option<usize>,
    },
    /// A rule, a hook or an abort settles it.
    ByItself,
    /// Nothing settles it.
    Never,
}

/// A file that can't be read.
#[derive(Debug)]
pub struct ReadError {
    path: String,
    reason: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "can't read the recording {}: {}. Check the path and its permissions.",
            self.path, self.reason
        )
    }
}

impl std::error::Error for ReadError {}

#[derive(Deserialize)]
struct EventHeader<'a> {
    #[serde(rename = "type")]
    event_type: String,
    #[serde(default)]
    ephemeral: Value,
    #[serde(default)]
    timestamp: Value,
    #[serde(default, rename = "agentId")]
    agent_id: Value,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl Recording {
    /// The built-in recording.
    pub fn demo() -> Self {
        Self::from_bytes("Fix a failing test", DEMO.as_bytes())
    }

    /// Reads the recordings of these files and folders. A folder has those of its files that are sessions.
    pub fn open_all(paths: &[PathBuf]) -> Result<Vec<Self>, ReadError> {
        let mut recordings = Vec::new();
        for path in paths {
            let is_session = |recording: &Self| recording.lines.iter().any(|line| line.event);
            let is_folder = path.is_dir();
            let before = recordings.len();
            for file in files::of_path(path) {
                recordings.push(Self::open(&file)?);
                if is_folder {
                    recordings.pop_if(|recording| !is_session(recording));
                }
            }
            if is_folder && recordings.len() == before {
                let reason = "no file in this folder is a session".to_owned();
                return Err(ReadError { path: path.display().to_string(), reason });
            }
        }
        Ok(recordings)
    }

    /// Reads a recording from a file, and the sub-agents of a transcript from theirs.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let bytes = fs::read(path)
            .map_err(|error| ReadError { path: path.display().to_string(), reason: error.to_string() })?;
        Ok(Self::read(&name_of(path), &bytes, files::siblings(path)))
    }

    /// Reads a recording from bytes.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Self {
        Self::read(name, bytes, Box::new(|_| None))
    }

    fn read(name: &str, bytes: &[u8], siblings: Siblings) -> Self {
        let (text, transcript) = LogReader::whole(bytes, siblings);
        let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
        let mut recording = Self {
            name: name.to_owned(),
            session_id: name.to_owned(),
            transcript,
            facts: Facts::default(),
            lines: Vec::new(),
        };
        let mut latest = None;
        let mut requests = Requests::default();
        let mut outcomes = HashMap::new();
        let (mut identified, mut is_named) = (false, false);
        for bytes in bytes.split(|byte| *byte == b'\n') {
            let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let raw: Arc<str> = String::from_utf8_lossy(bytes).into();
            let mut line = RecordedLine {
                raw: Arc::clone(&raw),
                gap: Duration::ZERO,
                event: false,
                persisted: false,
                role: LineRole::Plain,
            };
            let head = serde_json::from_str::<EventHeader<'_>>(&raw).ok();
            let index = recording.lines.len();
            let kind = head.as_ref().map_or(EventKind::Unknown, |head| EventKind::parse(&head.event_type));
            let agent = head.as_ref().and_then(|head| head.agent_id.as_str());
            requests.read(index, &raw, kind, agent);
            if let Some(head) = head {
                line.event = true;
                line.persisted = head.ephemeral != true;
                if recording.transcript.is_none() {
                    line.gap = gap(&mut latest, head.timestamp.as_str());
                } else if kind == EventKind::SessionTitleChanged {
                    is_named |= recording.name_after(&data_of(&head), "title");
                } else if kind == EventKind::UserMessage && !is_named {
                    is_named = recording.name_after(&data_of(&head), "content");
                }
                if !identified && (kind == EventKind::SessionStart || kind == EventKind::SessionResume) {
                    identified = recording.identify(&data_of(&head));
                } else if let Some(family) = RequestKind::opened_by(kind) {
                    line.role = opening(family, data_of(&head), index, &mut requests);
                } else if RequestKind::is_closing(kind) {
                    line.role = recording.closing(&data_of(&head), index, &mut requests);
                } else if kind == EventKind::ToolExecutionComplete
                    && let Some(id) = data_of(&head)["toolCallId"].as_str()
                {
                    outcomes.insert(id.to_owned(), index);
                }
            }
            recording.lines.push(line);
        }
        recording.join_outcomes(&outcomes);
        recording
    }

    fn identify(&mut self, data: &Value) -> bool {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        self.facts.model = text(&data["selectedModel"]);
        self.facts.cwd = text(&data["context"]["cwd"]);
        self.facts.start_time = text(&data["startTime"]);
        let id = text(&data["sessionId"]).filter(|id| !id.is_empty());
        let found = id.is_some();
        self.session_id = id.unwrap_or_else(|| self.session_id.clone());
        found
    }

    /// A transcript is known by its title or its first message, for its file's name is only an id.
    fn name_after(&mut self, data: &Value, member: &str) -> bool {
        const LONGEST: usize = 80;
        let line = data[member].as_str().and_then(|text| text.lines().find(|line| !line.trim().is_empty()));
        let Some(line) = line else { return false };
        self.name = line.trim().chars().take(LONGEST).collect();
        true
    }

    fn closing(&mut self, data: &Value, index: usize, requests: &mut Requests) -> LineRole {
        let Some(id) = data["requestId"].as_str() else {
            return LineRole::Plain;
        };
        let request_id: Arc<str> = id.into();
        if let Some(opening) = requests.closed(&request_id)
            && let Some(LineRole::Opens { family, settled, .. }) =
                self.lines.get_mut(opening.line).map(|line| &mut line.role)
        {
            *settled = if decided_by_a_person(*family, &opening.requested, data) {
                RecordedEnding::ByPerson { line: index, due: opening.follows.unwrap_or(index), outcome: None }
            } else {
                RecordedEnding::ByItself
            };
        }
        LineRole::Closes { request_id }
    }

    /// Finds the recorded results of the host's tools. They are needed only to say that another one was
    /// recorded.
    fn join_outcomes(&mut self, outcomes: &HashMap<String, usize>) {
        for line in &mut self.lines {
            if let LineRole::Opens {
                family: RequestKind::ExternalTool,
                settled: RecordedEnding::ByPerson { outcome, .. },
                ..
            } = &mut line.role
            {
                let event: Value = serde_json::from_str(&line.raw).unwrap_or_default();
                *outcome = event["data"]["toolCallId"].as_str().and_then(|id| outcomes.get(id)).copied();
            }
        }
    }
}

/// Gives every recording an id of its own: `x`, `x-2`, `x-3` …
pub fn make_ids_unique(recordings: &mut [Recording]) {
    let mut taken = HashSet::new();
    for recording in recordings {
        let wanted = recording.session_id.clone();
        let mut copy = 2;
        while !taken.insert(recording.session_id.clone()) {
            recording.session_id = format!("{wanted}-{copy}");
            copy += 1;
        }
    }
}

fn opening(family: RequestKind, data: Value, index: usize, requests: &mut Requests) -> LineRole {
    let Some(id) = data["requestId"].as_str() else {
        return LineRole::Plain;
    };
    let request_id: Arc<str> = id.into();
    if requests.opened(&request_id, index, data) {
        LineRole::Opens { family, request_id, settled: RecordedEnding::Never }
    } else {
        LineRole::Plain
    }
}

fn data_of(head: &EventHeader<'_>) -> Value {
    head.data.and_then(|data| serde_json::from_str(data.get()).ok()).unwrap_or_default()
}

/// The time since the latest timestamp so far. So a step of the clock back and forth does not count twice.
fn gap(latest: &mut Option<i64>, timestamp: Option<&str>) -> Duration {
    let Some(now) = timestamp.and_then(time::parse_iso) else {
        return Duration::ZERO;
    };
    let gap = latest.map_or(0, |latest| now.saturating_sub(latest).max(0));
    *latest = Some(latest.map_or(now, |latest| latest.max(now)));
    Duration::from_millis(gap.unsigned_abs())
}

/// The file's stem, or its folder's name where the stem is `events` or `persisted`: recordings lie in folders
/// named after their case.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    match folder {
        Some(folder) if stem == "events" || stem == "persisted" => folder,
        _ if stem.is_empty() => "recording".to_owned(),
        _ => stem,
    }
}

#[cfg(test)]
mod tests;
