//! Transcripts that other agents keep on disk, as session events: Claude Code, Codex and Gemini CLI.
//!
//! [`LogReader`] takes the bytes of any file. A log of session events goes through as it is. The lines of a transcript come out as
//! the events that tell the same, with ids and times of the file, so that everything that is made of events works. What it is, is
//! found out from its first lines. Nothing in it is fatal: a line that can't be read is said with its number, one that nobody
//! knows becomes an event of its own, and one that tells nothing of the conversation is counted. `docs/transcripts.md` has the
//! forms.

mod claude_code;
mod codex;
mod gemini;
mod outcome;
mod tools;
mod values;
mod writer;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::claude_code::ClaudeCode;
use self::codex::Codex;
use self::gemini::Gemini;
use self::writer::Writer;
use crate::protocol::EventKind;
use crate::wire::decoder::{Decoder, StreamLine};
use crate::wire::half_characters;
use crate::wire::utf16::FileText;

/// In how many lines it has to be clear what a file is.
const FIRST_LINES: usize = 32;
/// In how many bytes.
const FIRST_BYTES: usize = 8 << 20;
/// In how many bytes a document has to say what it is.
const HEAD: usize = 4 << 10;

/// What a file is a transcript of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Claude Code, a line for each block of a message.
    ClaudeCode,
    /// Codex, a line for each item in an envelope.
    CodexRollout,
    /// Codex before September 2025, a line for each item.
    CodexItems,
    /// Codex before June 2025, one JSON document.
    CodexDocument,
    /// Gemini CLI, a line for each state of a message.
    Gemini,
    /// Gemini CLI before version 0.39, one JSON document.
    GeminiDocument,
}

impl Form {
    /// The agent's name.
    pub const fn agent(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::CodexRollout | Self::CodexItems | Self::CodexDocument => "Codex",
            Self::Gemini | Self::GeminiDocument => "Gemini CLI",
        }
    }

    /// The name of the form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode | Self::Gemini => "JSONL",
            Self::CodexRollout => "rollout",
            Self::CodexItems => "JSONL, 2025",
            Self::CodexDocument | Self::GeminiDocument => "JSON",
        }
    }

    fn of_line(line: &Value) -> Option<Self> {
        if Gemini::is_document(line) {
            Some(Self::GeminiDocument)
        } else if is_codex_document(line) {
            Some(Self::CodexDocument)
        } else if Codex::knows(line) {
            Some(if Codex::is_bare(line) { Self::CodexItems } else { Self::CodexRollout })
        } else if Gemini::knows(line) {
            Some(Self::Gemini)
        } else if ClaudeCode::knows(line) {
            Some(Self::ClaudeCode)
        } else {
            None
        }
    }

    /// The form of a document of which only the beginning is there.
    fn of_head(head: &str) -> Option<Self> {
        let has = |name: &str| head.contains(&format!("\"{name}\""));
        if !head.starts_with('{') {
            None
        } else if has("sessionId") && has("messages") && !has("uuid") {
            Some(Self::GeminiDocument)
        } else if has("session") && has("items") {
            Some(Self::CodexDocument)
        } else {
            None
        }
    }
}

fn is_codex_document(value: &Value) -> bool {
    value.get("session").is_some_and(Value::is_object) && value.get("items").is_some_and(Value::is_array)
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What the file is.
    pub form: Form,
    /// How many lines were read.
    pub lines: u64,
    /// How many of them could not be read.
    pub unreadable: u64,
    /// What has no event of its own, with how often it was there.
    pub left_out: BTreeMap<String, u64>,
}

/// Finds the transcript of a sub-agent that is in a file of its own, by the sub-agent's id. The id is from the file.
pub type Siblings = Box<dyn FnMut(&str) -> Option<Vec<u8>>>;

enum Reader {
    ClaudeCode(Box<ClaudeCode>),
    Codex(Box<Codex>),
    Gemini(Box<Gemini>),
}

/// A transcript that is being read.
struct Transcript {
    form: Form,
    reader: Reader,
    out: Writer,
    lines: u64,
    unreadable: u64,
    decoder: Decoder,
    /// A document, until it is whole.
    document: Option<Vec<u8>>,
    siblings: Siblings,
}

enum State {
    /// The first bytes, and how many of them have been looked at as lines.
    Undecided {
        bytes: Vec<u8>,
        seen: usize,
        lines: usize,
    },
    Events,
    Transcript(Box<Transcript>),
}

/// Reads a file: a log of session events, or a transcript of another agent as such a log.
pub struct LogReader {
    text: FileText,
    state: State,
    siblings: Option<Siblings>,
}

impl Default for LogReader {
    fn default() -> Self {
        Self::new(Box::new(|_| None))
    }
}

impl std::fmt::Debug for LogReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogReader").field("report", &self.report()).finish_non_exhaustive()
    }
}

impl LogReader {
    /// A reader that finds the transcripts of sub-agents in this way.
    pub fn new(siblings: Siblings) -> Self {
        let state = State::Undecided { bytes: Vec::new(), seen: 0, lines: 0 };
        Self { text: FileText::default(), state, siblings: Some(siblings) }
    }

    /// The whole file as a log of session events, and what it was if it was none.
    pub fn whole(bytes: &[u8], siblings: Siblings) -> (Cow<'_, [u8]>, Option<Report>) {
        let mut reader = Self::new(siblings);
        let first = reader.push(bytes);
        let rest = reader.end();
        let all = match first {
            Cow::Borrowed(all) if rest.is_empty() => Cow::Borrowed(all),
            first => Cow::Owned([first.into_owned(), rest].concat()),
        };
        (all, reader.report())
    }

    /// The next bytes of the file, as a log of session events. They may wait for those that follow.
    pub fn push<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let text = self.text.push(bytes);
        self.take(text)
    }

    /// What is left when the file has ended.
    pub fn end(&mut self) -> Vec<u8> {
        let rest = self.text.end();
        let mut log = self.take(rest.into()).into_owned();
        log.extend(self.decide(true));
        if let State::Transcript(transcript) = &mut self.state {
            log.extend(transcript.end());
        }
        log
    }

    /// What was read, if it is a transcript; the whole once the file has ended.
    pub fn report(&self) -> Option<Report> {
        let State::Transcript(transcript) = &self.state else { return None };
        Some(transcript.report())
    }

    fn take<'a>(&mut self, text: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        match &mut self.state {
            State::Events => text,
            State::Transcript(transcript) => transcript.push(&text).into(),
            State::Undecided { bytes, .. } => {
                if bytes.is_empty() && is_certainly_a_log(&text) {
                    self.state = State::Events;
                    return text;
                }
                bytes.extend_from_slice(&text);
                self.decide(false).into()
            }
        }
    }

    /// Finds out what the file is, if its first lines say so, and reads them.
    fn decide(&mut self, has_ended: bool) -> Vec<u8> {
        let State::Undecided { bytes, seen, lines } = &mut self.state else { return Vec::new() };
        let mut found = None;
        while found.is_none() {
            let rest = bytes.get(*seen..).unwrap_or_default();
            let end = match memchr::memchr(b'\n', rest) {
                Some(end) => end + 1,
                None if has_ended && !rest.is_empty() => rest.len(),
                None => break,
            };
            let line = String::from_utf8_lossy(rest.get(..end).unwrap_or_default());
            let line = line.trim_start_matches('\u{feff}').trim();
            *seen += end;
            if line.is_empty() {
                continue;
            }
            *lines += 1;
            found = match parse(line) {
                Ok(value) if value.is_object() => {
                    Form::of_line(&value).map(Some).or_else(|| is_own(&value).then_some(None))
                }
                _ => None,
            };
        }
        // A document on many lines, or on one that has not ended.
        if found.is_none() && (*lines > 0 || has_ended || bytes.len() > HEAD) {
            let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes)).into_owned();
            found = Form::of_head(head.trim_start_matches('\u{feff}').trim_start()).map(Some);
        }
        if found.is_none() && (has_ended || *lines >= FIRST_LINES || bytes.len() > FIRST_BYTES) {
            found = Some(None);
        }
        let Some(found) = found else { return Vec::new() };
        let bytes = std::mem::take(bytes);
        let Some(form) = found else {
            self.state = State::Events;
            return bytes;
        };
        let siblings = self.siblings.take().unwrap_or_else(|| Box::new(|_| None));
        let mut transcript = Box::new(Transcript::new(form, siblings));
        let log = transcript.push(&bytes);
        self.state = State::Transcript(transcript);
        log
    }
}

/// Whether the first bytes of a file are those of an event, which needs no further look. Most logs are.
fn is_certainly_a_log(text: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', text) else { return false };
    let line = text.get(..end).unwrap_or_default();
    let line = std::str::from_utf8(line).ok().and_then(|line| parse(line.trim()).ok());
    line.is_some_and(|line| is_own(&line))
}

/// Whether an object is a record that the core reads.
fn is_own(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    has("jsonrpc")
        || (has("seq") && (has("event") || has("text")))
        || (value.get("data").is_some_and(Value::is_object)
            && has("type")
            && !has("uuid")
            && !has("sessionId"))
}

fn parse(line: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(line).or_else(|error| match half_characters::replaced(line) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

impl Transcript {
    fn new(form: Form, siblings: Siblings) -> Self {
        let reader = match form {
            Form::ClaudeCode => Reader::ClaudeCode(Box::default()),
            Form::CodexRollout | Form::CodexItems | Form::CodexDocument => Reader::Codex(Box::default()),
            Form::Gemini | Form::GeminiDocument => Reader::Gemini(Box::default()),
        };
        let document = matches!(form, Form::CodexDocument | Form::GeminiDocument).then(Vec::new);
        let mut out = Writer::default();
        out.line(0, Some("transcript"), None);
        out.event(EventKind::PilothouseTranscript, json!({ "agent": form.agent(), "form": form.name() }));
        let decoder = Decoder::default();
        Self { form, reader, out, lines: 0, unreadable: 0, decoder, document, siblings }
    }

    fn report(&self) -> Report {
        let left_out = self.out.left_out().clone();
        Report { form: self.form, lines: self.lines, unreadable: self.unreadable, left_out }
    }

    fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        if let Some(document) = &mut self.document {
            document.extend_from_slice(bytes);
        } else {
            let mut decoder = std::mem::take(&mut self.decoder);
            decoder.push(bytes, &mut |line| self.line(line));
            self.decoder = decoder;
        }
        self.out.take()
    }

    fn end(&mut self) -> Vec<u8> {
        if let Some(document) = self.document.take() {
            self.read_document(&document);
        } else {
            let mut decoder = std::mem::take(&mut self.decoder);
            decoder.end(&mut |line| match line {
                // Behind the line break at the end of the file.
                StreamLine::Text { text: "", .. } => {}
                line => self.line(line),
            });
        }
        match &mut self.reader {
            Reader::ClaudeCode(reader) => reader.end(&mut self.out),
            Reader::Codex(reader) => reader.end(&mut self.out),
            Reader::Gemini(reader) => reader.end(&mut self.out),
        }
        self.out.end(self.lines);
        let data = json!({
            "agent": self.form.agent(),
            "form": self.form.name(),
            "lines": self.lines,
            "leftOut": self.out.left_out(),
        });
        self.out.event(EventKind::PilothouseTranscript, data);
        self.out.take()
    }

    fn line(&mut self, line: StreamLine<'_>) {
        let (line, is_lossy) = match line {
            StreamLine::Text { text, lossy } => (text.trim_start_matches('\u{feff}').trim(), lossy),
            StreamLine::TooLong => {
                self.lines += 1;
                return self.unreadable("it is too long: it was skipped", "");
            }
        };
        self.lines += 1;
        if line.is_empty() {
            return;
        }
        if is_lossy {
            self.unreadable("it has bytes that are not UTF-8: they are shown as \u{FFFD}", "");
        }
        let number = self.lines;
        match parse(line) {
            Ok(value) if value.is_object() => self.object(number, &value),
            Ok(_) => self.unreadable("this is not a JSON object", line),
            Err(error) => self.unreadable(&format!("this is not JSON: {error}"), line),
        }
    }

    fn object(&mut self, number: u64, value: &Value) {
        match &mut self.reader {
            Reader::ClaudeCode(reader) => {
                let siblings = &mut self.siblings;
                let mut lines_of = |id: &str| siblings(id).map(|bytes| lines(&bytes));
                reader.line(number, value, &mut lines_of, &mut self.out);
            }
            Reader::Codex(reader) => reader.line(number, value, &mut self.out),
            Reader::Gemini(reader) => reader.line(number, value, &mut self.out),
        }
    }

    fn unreadable(&mut self, reason: &str, text: &str) {
        self.unreadable += 1;
        self.out.flush_all();
        self.out.unreadable(self.lines, reason, text);
    }

    fn read_document(&mut self, document: &[u8]) {
        let text = String::from_utf8_lossy(document);
        let text = text.trim_start_matches('\u{feff}').trim();
        self.lines = crate::wire::line_breaks(text) + 1;
        let (value, broken) = match parse(text) {
            Ok(value) => (value, None),
            Err(error) => {
                let (value, rest) = whole_part(text);
                (value, Some((error, rest)))
            }
        };
        match &mut self.reader {
            Reader::Codex(reader) => reader.document(&value, &mut self.out),
            Reader::Gemini(reader) => reader.document(1, &value, &mut self.out),
            Reader::ClaudeCode(_) => {}
        }
        if let Some((error, rest)) = broken {
            self.unreadable(&format!("this is not JSON: {error}"), rest);
        }
    }
}

/// The objects in the lines of a file.
fn lines(bytes: &[u8]) -> Vec<Value> {
    let bytes = FileText::whole(bytes);
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.trim_start_matches('\u{feff}').lines().filter_map(|line| parse(line.trim()).ok());
    lines.filter(Value::is_object).collect()
}

/// What is whole of a document that is broken or cut, and the rest: its first members, and the first elements of its list.
fn whole_part(text: &str) -> (Value, &str) {
    let mut document = json!({});
    let mut rest = text;
    for list in ["messages", "items"] {
        let name = format!("\"{list}\"");
        let Some(start) = text.find(&name).and_then(|at| Some(at + text.get(at..)?.find('[')? + 1)) else {
            continue;
        };
        let (head, elements) = text.split_at_checked(start).unwrap_or_default();
        let Ok(facts) = parse(&format!("{head}]}}")) else { continue };
        document = facts;
        rest = elements;
        let mut found = Vec::new();
        loop {
            rest = rest.trim_start_matches(|letter: char| letter == ',' || letter.is_whitespace());
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            let Some(Ok(value)) = values.next() else { break };
            rest = rest.get(values.byte_offset()..).unwrap_or_default();
            found.push(value);
        }
        document[list] = found.into();
    }
    (document, rest)
}
