//! The main type of the crate, a session: bytes and frames in, changes and snapshots out.

mod calls;
mod continuity;
pub mod log;
mod server_sent;
pub mod superseded;
pub mod time_travel;

use crate::json_writer::one_line;
use std::collections::HashMap;

use serde_json::Value;

use super::reduce::EventMeta;
use super::wire::{self, Event, JoinResult, Malformed, Record, Response, Unfinished};
use crate::i18n::Phrase;
use crate::i18n::words::connection;
use crate::model::entry::{EntryState, Kind, Level};
use crate::model::health;
use crate::model::queue::BACKLOG_CHANGED;
use crate::model::state::{Change, EventId, EventIds, Phase, Section, Space, State};
use crate::model::watchers;
use crate::model::watchers::Watcher;
use crate::protocol::EventKind;
use crate::reduce::platform::{READ_LOOSELY, REPLY_BROKE};
use crate::wire::decoder::{Decoder, MAX_LINE, StreamLine};
use crate::wire::fields::Fields;
use crate::wire::sse::SseParser;
use continuity::{Continuity, GAP};
use log::{HostBytes, Log, Logged, LoggedEvent, RecordTag};

/// What one call received, apart from the changes.
#[derive(Debug, Default)]
pub struct Received {
    /// Records accepted.
    pub records: usize,
    /// The newest position in the gateway's log so far.
    pub last_seq: Option<u64>,
    /// Responses to the viewer's own requests.
    pub responses: Vec<Response>,
    /// The gateway's newest report about its own problems; see [`crate::model::health`].
    pub health: Option<Value>,
    /// Who else watches now, in the gateway's newest list.
    pub watchers: Option<Vec<Watcher>>,
}

/// A session: push input, read its [`State`], take its [`Change`]s.
#[derive(Debug)]
pub struct Session {
    state: State,
    seen: EventIds,
    /// The data of events whose data could not be read, or not unchanged. Another copy with other data is not a duplicate.
    doubtful: HashMap<EventId, Box<str>>,
    decoder: Decoder,
    sse: Option<Box<SseParser>>,
    number: u64,
    lines: u64,
    /// A record whose string was not closed at the end of its line, and the number of that line.
    unfinished: Option<(Box<Unfinished>, u64)>,
    confirmations: u64,
    local: u64,
    log: Option<Box<Log>>,
    continuity: Continuity,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// An empty session.
    // Else everything that makes one would have a copy of this.
    #[inline(never)]
    pub fn new() -> Self {
        Self {
            state: State::default(),
            seen: EventIds::default(),
            doubtful: HashMap::new(),
            decoder: Decoder::default(),
            sse: None,
            number: 0,
            lines: 0,
            unfinished: None,
            confirmations: 0,
            local: 0,
            log: None,
            continuity: Continuity::default(),
        }
    }

    /// Takes the next part of a stream (JSONL, or a captured event stream) and returns the number of records
    /// that it completed. A partial last line waits for the next call.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        let mut received = Received::default();
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.push(bytes, &mut |line| self.receive_line(line, &mut received));
        self.decoder = decoder;
        received.records
    }

    /// Same as [`Session::push`], for bytes that the host keeps in `host`: the log does not copy them until
    /// it compresses them.
    pub fn push_host_input(&mut self, bytes: &[u8], host: Box<dyn HostBytes>) -> usize {
        if let Some(log) = &mut self.log {
            log.begin_host_input(bytes, host);
        }
        let records = self.push(bytes);
        if let Some(log) = &mut self.log {
            log.end_host_input();
        }
        records
    }

    /// Ends the input: a partial last line counts as a line.
    pub fn end(&mut self) {
        let mut received = Received::default();
        let mut decoder = std::mem::take(&mut self.decoder);
        decoder.end(&mut |line| self.receive_line(line, &mut received));
        self.give_up_unfinished(&mut received);
        self.end_sse(&mut received);
        self.report_missing_parents();
        self.settle_at_end();
    }

    /// Nothing comes after the end of a log, so no grace is needed.
    fn settle_at_end(&mut self) {
        if let Some(silent_since) = self.state.idle_after_grace() {
            self.grace_ended(silent_since);
        }
    }

    /// Takes a whole frame: a JSON array, or consecutive JSON values. Nothing waits for the next call.
    pub fn push_frame(&mut self, frame: &str) -> Received {
        let mut received = Received::default();
        self.read_values(frame, &mut received);
        received
    }

    /// Like [`Session::push_frame`] for a frame of bytes; bytes that are not UTF-8 are replaced and reported.
    pub fn push_frame_bytes(&mut self, frame: &[u8]) -> Received {
        if let Some(text) = pilothouse_scan::utf8(frame) {
            return self.push_frame(text);
        }
        self.report_not_utf8("a frame");
        self.push_frame(&String::from_utf8_lossy(frame))
    }

    /// Takes whole lines of a gateway's history. Positions without an event in it are no gaps.
    pub fn push_history(&mut self, lines: &[u8]) -> Received {
        self.continuity.reads_history = true;
        let received = self.push_frame_bytes(lines);
        self.continuity.reads_history = false;
        received
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// True if [`Session::take_changes`] would return changes.
    pub fn changed(&self) -> bool {
        self.state.changed() || self.has_restarted()
    }

    /// The changes since the last call.
    pub fn take_changes(&mut self) -> Vec<Change> {
        let mut changes = self.state.take_changes();
        if self.take_restarted() {
            changes.insert(0, Change::Renewed);
        }
        changes
    }

    /// The state as JSON, in the format of `pilothouse inspect`.
    pub fn snapshot(&self) -> Value {
        crate::view_model::snapshot::of(&self.state)
    }

    /// Adds a notice of the host page, with the fields of the runtime's notification helper: `level` (info if
    /// missing), `message`, `url`, `ephemeral`. It is reduced like the runtime's event and marked as local.
    /// `at` is the host's time in milliseconds since 1970. Returns the id of its entry; none without a
    /// message.
    pub fn notify(&mut self, mut note: Fields, at: Option<i64>) -> Option<String> {
        let kind = match note.non_empty_text("level").as_deref() {
            Some("error") => EventKind::SessionError.name(),
            Some("warning") => EventKind::SessionWarning.name(),
            _ => EventKind::SessionInfo.name(),
        };
        if !note.has("message") {
            return None;
        }
        if self.log.is_some() {
            let raw = one_line(&note.clone().rest());
            self.log_record(RecordTag::Local, kind, at.and_then(|at| at.try_into().ok()), "", &raw);
        }
        self.add_note(kind, note, at)
    }

    fn add_note(&mut self, kind: &str, mut note: Fields, at: Option<i64>) -> Option<String> {
        let ephemeral = note.flag("ephemeral").unwrap_or(false);
        self.local += 1;
        let id = format!("local-{}", self.local);
        let meta = EventMeta { id: &id, at, ephemeral, local: true, ..self.next_meta(kind) };
        let place = self.state.add_host_notice(meta, note);
        self.state.entry(place).map(|entry| entry.id.clone())
    }

    /// Notes that the session has been silent for [`GRACE`](crate::model::state::GRACE) since this record, which
    /// [`State::idle_after_grace`] gave. It is idle then, unless something was received meanwhile.
    pub fn grace_ended(&mut self, silent_since: u64) {
        if self.state.idle_after_grace() == Some(silent_since) {
            self.state.set_phase(Phase::Idle);
        }
    }

    /// Logs everything that is received from now on.
    pub fn keep_log(&mut self) {
        self.log.get_or_insert_default();
    }

    /// The log, if there is one.
    pub fn log(&self) -> Option<&Log> {
        self.log.as_deref()
    }

    /// Same as [`Session::log`], mutable, to compress it.
    pub fn log_mut(&mut self) -> Option<&mut Log> {
        self.log.as_deref_mut()
    }

    /// Has this log in place of one from which events were left out.
    pub fn replace_log(&mut self, log: Log) {
        self.log = Some(Box::new(log));
        self.nothing_is_left_out();
    }

    /// A copy with the same state, but without the log and the ids of seen events. Unchanged data is shared.
    pub(super) fn copy(&mut self) -> Self {
        self.state.freeze();
        self.share()
    }

    /// Same as `copy`, for a session that is already frozen and has not changed since.
    pub(super) fn share(&self) -> Self {
        let (state, number) = (self.state.clone(), self.number);
        Self { state, number, confirmations: self.confirmations, local: self.local, ..Self::default() }
    }

    /// Takes a record from a log, with the same effect as when it was received.
    pub(super) fn replay(&mut self, name: &str, logged: Logged<'_>) {
        let mut received = Received::default();
        match logged {
            Logged::Event { raw, duplicate, .. } => wire::records(raw, |found| {
                if let Ok(Record::Event(event)) = found {
                    self.reduce_event(&event, duplicate);
                }
            }),
            Logged::Platform { name, data } => self.server_sent(name, data, &mut received),
            Logged::Other(raw) => self.read_values(raw, &mut received),
            Logged::Malformed { reason, text, line } => self.report_malformed(reason, text, line),
            Logged::NotUtf8(place) => self.report_not_utf8(place),
            Logged::Local { note, at } => {
                let note = Fields::parse(note).unwrap_or_default();
                self.add_note(name, note, at.and_then(|at| at.try_into().ok()));
            }
        }
    }

    fn log_record(&mut self, tag: RecordTag, name: &str, number: Option<u64>, label: &str, raw: &str) {
        if let Some(log) = &mut self.log {
            log.other(tag, name, number, label, raw);
        }
    }

    fn receive_line(&mut self, line: StreamLine<'_>, received: &mut Received) {
        self.lines += 1;
        match line {
            StreamLine::Text { text, lossy } => {
                if lossy {
                    self.report_not_utf8(&format!("line {}", self.lines));
                }
                if self.unfinished.is_some() && self.continue_unfinished(text, received) {
                    return;
                }
                if self.is_sse(text) {
                    self.sse_line(text, received);
                    return;
                }
                self.interrupt_sse(received);
                if self.unfinished.is_none() || !self.continue_unfinished(text, received) {
                    self.read_lines(text, self.lines, received);
                }
            }
            StreamLine::TooLong => {
                self.give_up_unfinished(received);
                let limit = MAX_LINE >> 20;
                let reason = format!("it is longer than {limit} MiB: it was skipped");
                self.report_malformed(&reason, "", Some(self.lines));
            }
        }
    }

    fn next_meta<'a>(&mut self, name: &'a str) -> EventMeta<'a> {
        self.number += 1;
        let kind = EventKind::parse(name);
        EventMeta {
            number: self.number,
            kind,
            name,
            id: "",
            at: None,
            ephemeral: false,
            agent: None,
            local: false,
        }
    }

    /// Reads a whole text.
    fn read_values(&mut self, text: &str, received: &mut Received) {
        let other = wire::plain_events(text, |event| self.receive_event(event, received));
        if other < text.len() {
            let rest = text.get(other..).unwrap_or_default();
            wire::records(rest, |found| self.receive(found, None, received));
        }
    }

    /// Reads lines of a stream, of which the first has this number.
    fn read_lines(&mut self, text: &str, line: u64, received: &mut Received) {
        let other = wire::plain_events(text, |event| self.receive_event(event, received));
        if other < text.len() {
            let (read, rest) = text.split_at_checked(other).unwrap_or_default();
            let line = line + wire::line_breaks(read);
            let unfinished = wire::records_of_lines(rest, |found| self.receive(found, Some(line), received));
            self.unfinished = unfinished.map(|found| {
                let line = line + found.lines_before;
                (Box::new(found), line)
            });
        }
    }

    /// Adds a line to the record that was not closed; false if it does not continue it.
    fn continue_unfinished(&mut self, line: &str, received: &mut Received) -> bool {
        let Some((mut unfinished, first)) = self.unfinished.take() else { return false };
        match unfinished.join(line) {
            JoinResult::Whole => self.read_lines(&unfinished.text, first, received),
            JoinResult::Unfinished => self.unfinished = Some((unfinished, first)),
            JoinResult::Broken => {
                self.read_broken(&unfinished, first, received);
                return false;
            }
        }
        true
    }

    /// Nothing continues the record that was not closed.
    fn give_up_unfinished(&mut self, received: &mut Received) {
        if let Some((unfinished, first)) = self.unfinished.take() {
            self.read_broken(&unfinished, first, received);
        }
    }

    fn read_broken(&mut self, unfinished: &Unfinished, first: u64, received: &mut Received) {
        wire::records(&unfinished.text, |found| self.receive(found, Some(first), received));
    }

    fn receive(
        &mut self,
        found: Result<Record<'_>, Malformed<'_>>,
        line: Option<u64>,
        received: &mut Received,
    ) {
        match found {
            Ok(record) => self.receive_record(record, received),
            Err(Malformed { reason, text, lines_before }) => {
                self.report_malformed(&reason, text, line.map(|line| line + lines_before));
            }
        }
    }

    fn receive_record(&mut self, record: Record<'_>, received: &mut Received) {
        match record {
            Record::Event(event) => self.receive_event(&event, received),
            Record::Response(mut response) => {
                if let Ok(answer) = &mut response.outcome {
                    self.take_timeline_entry(answer);
                }
                received.responses.push(response);
            }
            Record::Notification { method, raw } if method == GAP => self.gap(raw),
            Record::Notification { method, .. } if method == READ_LOOSELY => self.read_loosely(),
            Record::Notification { method, raw } if method == wire::UNREADABLE_LINE => {
                let mut line = Fields::parse(raw).unwrap_or_default().object("params");
                let number = line.integer("line").and_then(|number| number.try_into().ok());
                let [reason, text] = ["reason", "text"].map(|name| line.text(name).unwrap_or_default());
                self.report_malformed(&reason, &text, number);
            }
            // The view of the queue then asks for it again.
            Record::Notification { method, .. } if method == BACKLOG_CHANGED => {
                self.state.touch(Section::Queue);
            }
            Record::Notification { method, raw } => {
                if !method.starts_with("pilothouse.") {
                    self.count_unpositioned();
                } else if method == REPLY_BROKE {
                    let meta = self.next_meta(REPLY_BROKE);
                    self.state.reply_broke(meta);
                } else if method == health::METHOD {
                    received.health = health::report(raw);
                } else if method == watchers::METHOD {
                    received.watchers = watchers::list(raw);
                }
                self.log_record(RecordTag::Other, &method, None, "", raw);
                self.state.counters.notifications += 1;
                self.state.touch(Section::Diagnostics);
            }
            Record::TimelineEntry { kind, text, raw } => {
                const NAME: &str = EventKind::AddTimelineEntry.name();
                received.records += 1;
                self.count_unpositioned();
                self.log_record(RecordTag::Other, NAME, None, "", raw);
                let meta = self.next_meta(NAME);
                self.state.timeline_entry(meta, &kind, text);
            }
            Record::ChatChunk(text) => {
                const NAME: &str = EventKind::ChatCompletionChunk.name();
                received.records += 1;
                self.count_unpositioned();
                self.log_record(RecordTag::Other, NAME, None, "", text);
                let meta = self.next_meta(NAME);
                self.state.chat_chunk(meta, text);
            }
            Record::Platform { name, data } => self.by_shape(name, data, received),
            Record::StreamEnd => {
                self.log_record(RecordTag::Other, "[DONE]", None, "", "[DONE]");
                self.state.chat_ended(self.number);
            }
        }
    }

    fn receive_event(&mut self, event: &Event<'_>, received: &mut Received) {
        if let Some(name) = wire::platform_shape(event) {
            return self.by_shape(name, event.raw, received);
        }
        received.records += 1;
        let known = !self.seen.insert(event.id) && !self.differs_from_doubtful(event);
        let seq = self.check_position(event, known);
        received.last_seq = received.last_seq.max(seq);
        if let (None, Some(id)) = (&self.state.info.id, event.session_id) {
            self.state.info.id = Some(id.to_owned());
            self.state.touch(Section::Session);
        }
        // `check_position` may have reset the session, and with it the seen ids.
        let duplicate = known && !self.seen.insert(event.id);
        if !duplicate {
            self.check_parent(event);
        }
        if let Some(log) = &mut self.log {
            log.event(LoggedEvent {
                kind: event.kind,
                raw: event.raw,
                seq,
                ephemeral: event.ephemeral,
                duplicate,
                of_agent: event.agent_id.is_some(),
            });
        }
        self.reduce_event(event, duplicate);
    }

    fn reduce_event(&mut self, event: &Event<'_>, duplicate: bool) {
        if duplicate {
            self.state.counters.total += 1;
            self.state.counters.ephemeral += u64::from(event.ephemeral);
            self.state.counters.duplicate += 1;
            self.state.touch(Section::Diagnostics);
        } else {
            self.number += 1;
            let read = self.state.reduce(event, self.number);
            if (!read || event.mended) && !event.id.is_empty() {
                self.doubtful.insert(EventId::of(event.id), event.data.into());
            } else if !self.doubtful.is_empty() {
                self.doubtful.remove(&EventId::of(event.id));
            }
        }
    }

    /// Whether the first copy of this event could not be read, or only after it was mended, and this one says
    /// something else: then this one counts as well.
    fn differs_from_doubtful(&self, event: &Event<'_>) -> bool {
        let tree = |data| serde_json::from_str::<Value>(data).ok();
        !self.doubtful.is_empty()
            && self.doubtful.get(&EventId::of(event.id)).is_some_and(|data| {
                **data != *event.data && tree(data).is_none_or(|data| Some(data) != tree(event.data))
            })
    }

    pub(super) fn report_not_utf8(&mut self, place: &str) {
        self.log_record(RecordTag::NotUtf8, "not UTF-8", None, "", place);
        let message = format!("{place} has bytes that are not UTF-8: they are shown as \u{FFFD}");
        self.state.diagnose("warning", message, None);
    }

    /// Counts, explains and shows an input that could not be read.
    pub(super) fn report_malformed(&mut self, reason: &str, text: &str, line: Option<u64>) {
        const NOTICE: &str = "malformed";
        const EXCERPT: usize = 200;
        self.count_unpositioned();
        self.log_record(RecordTag::Malformed, NOTICE, line, reason, text);
        let why = ("why", reason.into());
        let mut detail = match line {
            Some(line) => connection::UNREADABLE_LINE.phrase(vec![("line", line.to_string().into()), why]),
            None => connection::UNREADABLE_FRAME.phrase(vec![why]),
        };
        let mut excerpt: String = text.chars().take(EXCERPT).collect();
        if !excerpt.is_empty() {
            excerpt.push_str(if excerpt.len() < text.len() { " …" } else { "" });
            detail = Phrase::Joined(vec![detail, excerpt.into()], ": ");
        }
        self.state.counters.malformed += 1;
        let count = self.state.counters.malformed;
        self.state.diagnose("error", detail.clone(), None);
        let entry = if let Some(entry) = self.state.place(Space::Named, NOTICE) {
            entry
        } else {
            let mut meta = self.next_meta("malformed");
            meta.ephemeral = true;
            let entry = self.state.notice(meta, Level::Warning, NOTICE, "".into());
            self.state.index_entry(Space::Named, NOTICE.to_owned(), entry);
            self.state.update(entry, |entry| NOTICE.clone_into(&mut entry.id));
            entry
        };
        let records = i64::try_from(count).unwrap_or(i64::MAX);
        self.state.replace_phrase(entry, connection::UNREADABLE.phrase(vec![("n", records.into())]));
        self.state.notice_facts(entry, None, Some(detail));
        debug_assert!(
            self.state.entry(entry).is_some_and(|e| e.kind == Kind::Notice && e.state == EntryState::Done)
        );
    }
}
