//! Reads the records in a text that may have anything between them: torn copies, lines of a log, separators.
//!
//! A record begins where the one before ended. Where none can be read, the text is searched for the next place from which a
//! whole record reads, and only what is before it counts as malformed. The search is linear: a place that one [`Walk`] has
//! seen is not walked again, because a value that is open where the text breaks is broken as well. Only what one walk takes
//! for the inside of a string is left to another, so each byte is walked over twice at most.

use std::borrow::Cow;

use pilothouse_scan as scan;

use super::decoder::MAX_LINE;
use super::scanner::Scanner;
use super::walk::{RecordSpan, Walk, WalkEnd, escaped};
use super::{Event, Malformed, Record, Sink, dispatch, half_characters, record};

/// Reads every record in a text that is whole, such as a frame, and calls `sink` with each. Values may be separated by
/// white space, by NULs and other separators, or by nothing; arrays are read element by element. What is not a record is
/// reported with the reason, each line of it by itself.
pub fn records(text: &str, mut sink: impl FnMut(Result<Record<'_>, Malformed<'_>>)) {
    read(text, false, &mut sink);
}

/// Reads the records in lines of a stream, as [`records`] does. If the last line ends inside a value that belongs to no
/// whole record, the text from that value on is returned: it may go on in the next line.
pub fn records_of_lines(
    text: &str,
    mut sink: impl FnMut(Result<Record<'_>, Malformed<'_>>),
) -> Option<Unfinished> {
    let (start, walk) = read(text, true, &mut sink)?;
    let lines_before = line_breaks(text.get(..start)?);
    // The walk begins anew in the part that stays.
    let text = text.get(start..)?.to_owned();
    Some(Unfinished { walk: walk.moved(start), text, lines_before })
}

/// A record that is not closed where a line ends: it was printed over several lines, or the line break is inside a string,
/// where it should have been escaped.
#[derive(Debug)]
pub struct Unfinished {
    /// What has come of it.
    pub text: String,
    /// How many line breaks were before it in the text that was read.
    pub lines_before: u64,
    walk: Walk,
}

/// What a further line does to an unfinished record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinResult {
    /// The record is whole now.
    Whole,
    /// It goes on.
    Unfinished,
    /// The line does not continue it, and was not added.
    Broken,
}

impl Unfinished {
    /// Adds a line, if the record can go on with it.
    pub fn join(&mut self, line: &str) -> JoinResult {
        let before = self.text.len();
        if before + line.len() >= MAX_LINE {
            return JoinResult::Broken;
        }
        self.text.push('\n');
        self.text.push_str(line);
        let end = self.walk.run(&self.text, &mut |_| {});
        let is_own = self.walk.found.iter().any(|found| found.start > before);
        match end {
            WalkEnd::Whole(_) => JoinResult::Whole,
            // A record that begins and ends in this line does not wait for what is around it.
            WalkEnd::Unfinished if is_own => JoinResult::Whole,
            WalkEnd::Unfinished => JoinResult::Unfinished,
            // What was around the record is torn, but it is whole itself.
            WalkEnd::Broken(_) if !self.walk.found.is_empty() => JoinResult::Whole,
            WalkEnd::Broken(_) => {
                self.text.truncate(before);
                JoinResult::Broken
            }
        }
    }
}

fn read(text: &str, may_go_on: bool, sink: &mut Sink<'_>) -> Option<(usize, Walk)> {
    let mut at = 0;
    let mut search = RecordSearch::default();
    let mut lines = LineCounter::default();
    loop {
        let tail = text.get(at..)?;
        let rest = tail.trim_start_matches(is_separator);
        if rest.is_empty() {
            return None;
        }
        at += tail.len() - rest.len();
        if let Some(after) = rest.strip_prefix("[DONE]")
            && is_alone(text, at, after)
        {
            sink(Ok(Record::StreamEnd));
            at = text.len() - after.len();
            continue;
        }
        let begins = rest.starts_with(['{', '[']) && !search.was_seen(at);
        if begins {
            let (mut event, mut members) = (Event::EMPTY, scan::Members::unknown());
            if let Some(end) = scan::read(text, at, &mut event, &mut members) {
                at = end;
                event.members = Some(&members);
                sink(Ok(Record::Event(event)));
                continue;
            }
        }
        if begins && let Some(end) = search.begin(text, at) {
            take(text, at, end, &mut lines, sink);
            at = end;
            continue;
        }
        let next = search.next(text, at);
        if let Some(found) = next.filter(|found| found.start == at) {
            take(text, at, found.end, &mut lines, sink);
            at = found.end;
            continue;
        }
        let unfinished = search.unfinished.as_ref().map(|(start, _)| *start);
        let unfinished = unfinished.filter(|_| may_go_on && next.is_none());
        if unfinished == Some(at) {
            return search.unfinished;
        }
        let limit = next.map(|found| found.start).or(unfinished).unwrap_or(text.len());
        let end = end_of_line(text.get(..limit)?, at);
        let junk = text.get(at..end)?.trim_end();
        sink(Err(Malformed { lines_before: lines.until(text, at), ..Malformed::unreadable(junk) }));
        at = end;
    }
}

/// Gives out the value between two bytes of the text, whose grammar was checked.
fn take(text: &str, start: usize, end: usize, lines: &mut LineCounter, sink: &mut Sink<'_>) {
    let raw = text.get(start..end).unwrap_or_default();
    let mut whole = Cow::Borrowed(raw);
    let mut mended = false;
    if raw.bytes().any(|byte| byte < b' ') {
        let escaped = escaped(raw, lines.has_crlf(text, end));
        mended = escaped != raw;
        whole = Cow::Owned(escaped);
    }
    let replaced = half_characters::replaced(&whole);
    // What is put in place of a half is as long, so that the same bytes of `whole` are the original event.
    let as_written = |raw: &str| {
        let at = (raw.as_ptr() as usize).checked_sub(replaced.as_ref()?.as_ptr() as usize)?;
        whole.get(at..at + raw.len())
    };
    if let Some(value) = Scanner::at(replaced.as_deref().unwrap_or(&whole), 0).value() {
        let mut counted = |found: Result<Record<'_>, Malformed<'_>>| match found {
            Ok(Record::Event(event)) => {
                let written =
                    as_written(event.raw).filter(|written| *written != event.raw && !event.has_halves);
                sink(Ok(Record::Event(Event {
                    mended: event.mended | mended,
                    has_halves: event.has_halves | written.is_some(),
                    raw: written.unwrap_or(event.raw),
                    ..event
                })));
            }
            Ok(record) => sink(Ok(record)),
            Err(malformed) => {
                sink(Err(Malformed { lines_before: lines.until(text, start), ..malformed }));
            }
        };
        dispatch(value, &mut counted, 0);
    }
}

/// What may stand between records: white space, and what crashes, editors and other formats leave there.
fn is_separator(character: char) -> bool {
    matches!(character, '\0' | '\u{4}' | '\u{1a}' | '\u{1c}'..='\u{1f}' | '\u{feff}')
        || character.is_whitespace()
}

/// Whether nothing else is on the line of a value that begins at a byte, and after which the text goes on with `after`.
fn is_alone(text: &str, at: usize, after: &str) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let begins = before.trim_end_matches(|c| c != '\n' && is_separator(c));
    let ends = after.trim_start_matches(|c| c != '\n' && is_separator(c));
    (begins.is_empty() || begins.ends_with('\n')) && (ends.is_empty() || ends.starts_with('\n'))
}

fn end_of_line(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(text.len(), |length| at + length)
}

/// How many line breaks there are.
pub fn line_breaks(text: &str) -> u64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u64
}

/// Knows the lines around places that only go forward.
#[derive(Default)]
struct LineCounter {
    at: usize,
    breaks: u64,
    /// The end of the line that was looked at last.
    end: usize,
}

impl LineCounter {
    fn until(&mut self, text: &str, at: usize) -> u64 {
        self.breaks += line_breaks(text.get(self.at..at).unwrap_or_default());
        self.at = self.at.max(at);
        self.breaks
    }

    /// Whether the line of a place ends with CR and LF.
    fn has_crlf(&mut self, text: &str, at: usize) -> bool {
        if self.end < at {
            self.end = end_of_line(text, at);
        }
        text.get(at..self.end).is_some_and(|rest| rest.ends_with('\r'))
    }
}

/// The search for records in text that can't be read from where it is.
#[derive(Default)]
struct RecordSearch {
    /// A bit for each byte of the text at which a walk has seen an object or array begin.
    seen: Vec<u64>,
    /// Where the search goes on.
    at: usize,
    /// Records that were found, in their order.
    found: Vec<RecordSpan>,
    /// How many of them are done with.
    passed: usize,
    /// The first value that does not end with the text.
    unfinished: Option<(usize, Walk)>,
}

impl RecordSearch {
    fn was_seen(&self, at: usize) -> bool {
        self.seen.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    fn walk(&mut self, text: &str, start: usize) -> (WalkEnd, Walk) {
        let mut walk = Walk::from(start);
        let seen = &mut self.seen;
        let end = walk.run(text, &mut |at| {
            if seen.is_empty() {
                seen.resize(text.len() / 64 + 1, 0);
            }
            if let Some(bits) = seen.get_mut(at / 64) {
                *bits |= 1 << (at % 64);
            }
        });
        (end, walk)
    }

    /// Walks from where a record should begin. Returns the end of the value there, unless it is not a record and records are
    /// inside of it.
    fn begin(&mut self, text: &str, start: usize) -> Option<usize> {
        let (end, walk) = self.walk(text, start);
        if let WalkEnd::Whole(end) = end
            && (walk.found.first().is_none_or(|found| found.start == start) || is_read(text.get(start..end)?))
        {
            return Some(end);
        }
        self.note(start, end, walk);
        None
    }

    /// Keeps what a walk has found.
    fn note(&mut self, start: usize, end: WalkEnd, mut walk: Walk) {
        for found in walk.found.drain(..) {
            let place = self.found.partition_point(|other| other.start < found.start);
            self.found.insert(place, found);
        }
        if end == WalkEnd::Unfinished && self.unfinished.is_none() {
            self.unfinished = Some((start, walk));
        }
    }

    /// The next record at this place or after it.
    fn next(&mut self, text: &str, at: usize) -> Option<RecordSpan> {
        self.at = self.at.max(at);
        if let Some((_, walk)) = self.unfinished.take_if(|(start, _)| *start < at) {
            self.unfinished = walk.inside_from(at);
        }
        loop {
            while self.found.get(self.passed).is_some_and(|found| found.start < at) {
                self.passed += 1;
            }
            let first = self.found.get(self.passed).copied();
            let limit = first.map_or(text.len(), |found| found.start);
            let Some(start) = object(text, self.at, limit) else {
                self.at = self.at.max(limit);
                return first;
            };
            self.at = start + 1;
            if !self.was_seen(start) {
                let (end, walk) = self.walk(text, start);
                self.note(start, end, walk);
            }
        }
    }
}

/// Whether a whole value is a record, or a list of records.
fn is_read(value: &str) -> bool {
    let mut read = value.starts_with('[');
    if !read {
        record(value, &mut |found| read = found.is_ok());
    }
    read
}

/// The next place from `at` on, before `limit`, at which an object with a key seems to begin.
fn object(text: &str, mut at: usize, limit: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    loop {
        at += memchr::memchr(b'{', bytes.get(at..limit)?)?;
        let inside = bytes.get(at + 1..)?;
        let key = inside.iter().find(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        if key == Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}
