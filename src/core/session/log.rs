//! The log of a session: everything that was received, in order and byte for byte, in compressed form.
//!
//! Text is appended to pieces of a fixed size. Full ones are compressed to about a fifth when there is time
//! (`compact`). Each piece can be read without the others.

mod compaction;
mod host_memory;
pub mod whole;

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use crate::protocol::catalogue;
use crate::protocol::catalogue::EventFamily;
use compaction::Compaction;
use host_memory::{HostInput, Lengths};

/// Size of a piece in bytes. The log grows by pieces, so that growing never copies what is there.
const PIECE: usize = 128 * 1024;
/// Number of decompressed pieces that are cached.
const OPENED: usize = 8;
/// Maximum memory of a log in bytes. The log of 100,000 events takes a twentieth of it.
const MAX_BYTES: usize = 256 << 20;

/// A record of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logged<'a> {
    /// A session event.
    Event {
        /// Its JSON text, without its frame.
        raw: &'a str,
        /// Position in the gateway's log, if it is from a gateway.
        seq: Option<u64>,
        /// Its event id was seen before.
        duplicate: bool,
    },
    /// One of the platform's named server-sent events.
    Platform {
        /// Its name.
        name: &'a str,
        /// Its data.
        data: &'a str,
    },
    /// Any other record that was understood: a timeline entry, a chunk of a chat, a notification, `[DONE]`.
    Other(&'a str),
    /// Text that could not be read.
    Malformed {
        /// What is wrong.
        reason: &'a str,
        /// The text itself.
        text: &'a str,
        /// Its line in the stream.
        line: Option<u64>,
    },
    /// Bytes that are not UTF-8 were replaced here; the text says where.
    NotUtf8(&'a str),
    /// A notice of the host page, which was not in the stream.
    Local {
        /// The notice as JSON text.
        note: &'a str,
        /// Its time, in milliseconds since 1970.
        at: Option<u64>,
    },
}

impl<'a> Logged<'a> {
    /// The text to show.
    pub fn text(self) -> &'a str {
        match self {
            Self::Event { raw: text, .. }
            | Self::Other(text)
            | Self::Platform { data: text, .. }
            | Self::Malformed { text, .. }
            | Self::NotUtf8(text)
            | Self::Local { note: text, .. } => text,
        }
    }
}

/// A record's properties that are known without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordInfo<'a> {
    /// The event type, or a name for another kind of record.
    pub name: &'a str,
    /// It is not part of the history.
    pub ephemeral: bool,
    /// Its event id was seen before.
    pub duplicate: bool,
    /// It belongs to a sub-agent.
    pub of_agent: bool,
}

/// The parts of an event that are logged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LoggedEvent<'a> {
    pub(crate) kind: &'a str,
    pub(crate) raw: &'a str,
    pub(crate) seq: Option<u64>,
    pub(crate) ephemeral: bool,
    pub(crate) duplicate: bool,
    pub(crate) of_agent: bool,
}

impl LoggedEvent<'_> {
    fn flags(self) -> u16 {
        (if self.ephemeral { EPHEMERAL } else { 0 })
            | if self.duplicate { DUPLICATE } else { 0 }
            | if self.of_agent { OF_AGENT } else { 0 }
    }
}

/// The kind of a stored record, which decides how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordTag {
    Event,
    Platform,
    Other,
    Malformed,
    NotUtf8,
    Local,
}

impl RecordTag {
    const ALL: [Self; 6] =
        [Self::Event, Self::Platform, Self::Other, Self::Malformed, Self::NotUtf8, Self::Local];
}

const EPHEMERAL: u16 = 1 << 15;
const DUPLICATE: u16 = 1 << 14;
const OF_AGENT: u16 = 1 << 13;
const KIND: u16 = OF_AGENT - 1;
/// Maximum number of distinct types; further ones share the last.
const MOST_KINDS: usize = 1024;

/// A piece that is stored outside WebAssembly memory. Dropping this frees it.
pub trait HostBytes: Send {
    /// A copy of the stored bytes, perhaps followed by bytes that do not belong to the piece.
    fn bytes(&self) -> Vec<u8>;
}

impl fmt::Debug for dyn HostBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostBytes")
    }
}

/// Copies a piece out of WebAssembly memory.
pub type MoveToHost = fn(&[u8]) -> Box<dyn HostBytes>;
/// Makes a log smaller; true if there is more to be done. It is [`Log::compact`], whose code may come later than the log.
pub type Compact = fn(&mut Log) -> bool;

/// From this size on, in bytes, a log is made smaller while more of it is read.
const LARGE_LOG: usize = if cfg!(test) { 4 << 20 } else { 96 << 20 };

#[derive(Debug)]
struct LogPiece {
    first: u32,
    length: usize,
    bytes: Vec<u8>,
    /// If this is set, `bytes` is empty.
    host: Option<Box<dyn HostBytes>>,
    compressed: bool,
    lengths: Option<Lengths>,
}

impl LogPiece {
    fn stored(&self) -> Cow<'_, [u8]> {
        let Some(host) = &self.host else { return Cow::Borrowed(&self.bytes) };
        let mut bytes = host.bytes();
        if !self.compressed {
            bytes.truncate(self.length);
        }
        Cow::Owned(bytes)
    }
}

/// A cache of decompressed pieces with their numbers, the most recently used first.
type PieceCache = Vec<(usize, Arc<Vec<u8>>)>;

/// The log of one session.
#[derive(Debug, Default)]
pub struct Log {
    pieces: Vec<LogPiece>,
    starts: Vec<u32>,
    heads: Vec<u16>,
    kinds: Vec<Box<str>>,
    bytes: u32,
    memory: usize,
    lost: u64,
    compressed: usize,
    compaction: Option<Compaction>,
    opened: RefCell<PieceCache>,
    move_to_host: Option<MoveToHost>,
    compact: Option<Compact>,
    host_input: Option<HostInput>,
}

impl Log {
    /// Moves full pieces out of WebAssembly memory from now on, because that memory never shrinks.
    pub fn move_to_host(&mut self, move_to_host: MoveToHost) {
        self.move_to_host = Some(move_to_host);
    }

    /// Sets how [`Log::compact_if_large`] makes it smaller.
    pub fn compact_with(&mut self, compact: Compact) {
        self.compact = Some(compact);
    }

    /// Makes a large log smaller, faster than it grows. To be called after more of it was read.
    pub fn compact_if_large(&mut self) {
        if let Some(compact) = self.compact.filter(|_| self.bytes() > LARGE_LOG) {
            let _ = compact(self);
        }
    }

    /// An empty log with the same storage settings.
    pub(crate) fn empty_copy(&self) -> Self {
        Self { move_to_host: self.move_to_host, compact: self.compact, ..Self::default() }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// True if there are no records.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of records that were dropped because the log was full.
    pub fn dropped_records(&self) -> u64 {
        self.lost
    }

    /// Memory that the log takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.memory + self.starts.capacity() * 4 + self.heads.capacity() * 2
    }

    /// A record's properties that are known without reading it.
    pub fn head(&self, record: usize) -> Option<RecordInfo<'_>> {
        let head = *self.heads.get(record)?;
        Some(RecordInfo {
            name: self.kinds.get(usize::from(head & KIND))?,
            ephemeral: head & EPHEMERAL != 0,
            duplicate: head & DUPLICATE != 0,
            of_agent: head & OF_AGENT != 0,
        })
    }

    /// The number of a record's type: an index into [`Log::kinds`] that never changes.
    pub fn kind(&self, record: usize) -> Option<usize> {
        self.heads.get(record).map(|head| usize::from(head & KIND))
    }

    /// The types that occurred, in the order of their numbers, each with its family if the catalogue has one.
    pub fn kinds(&self) -> impl Iterator<Item = (&str, Option<EventFamily>)> {
        self.kinds.iter().map(|name| (&**name, catalogue::find(name).map(|row| row.family)))
    }

    /// Calls `look` with a record.
    pub fn read<R>(&self, record: usize, look: impl FnOnce(Logged<'_>) -> R) -> Option<R> {
        let head = self.head(record)?;
        let start = *self.starts.get(record)?;
        let number = self.pieces.partition_point(|piece| piece.first <= start).checked_sub(1)?;
        let piece = self.pieces.get(number)?;
        let opened =
            if piece.compressed || piece.host.is_some() { Some(self.open(number, piece)?) } else { None };
        let bytes = opened.as_deref().unwrap_or(&piece.bytes);
        let start = (start - piece.first) as usize;
        if let Some(lengths) = &piece.lengths {
            let length = *lengths.of_records.get(record.checked_sub(lengths.first)?)? as usize;
            let raw = std::str::from_utf8(bytes.get(start..start.checked_add(length)?)?).ok()?;
            return Some(look(Logged::Event { raw, seq: None, duplicate: head.duplicate }));
        }
        let next = self.starts.get(record + 1).map_or(usize::MAX, |next| (next - piece.first) as usize);
        let mut bytes = bytes.get(start..next.min(bytes.len()))?;
        let tag = RecordTag::ALL.get(usize::from(*bytes.split_off_first()?))?;
        let number = take_number(&mut bytes)?.checked_sub(1);
        let label = usize::try_from(take_number(&mut bytes)?).ok()?;
        let (label, raw) = std::str::from_utf8(bytes).ok()?.split_at_checked(label)?;
        Some(look(match tag {
            RecordTag::Event => Logged::Event { raw, seq: number, duplicate: head.duplicate },
            RecordTag::Platform => Logged::Platform { name: label, data: raw },
            RecordTag::Other => Logged::Other(raw),
            RecordTag::Malformed => Logged::Malformed { reason: label, text: raw, line: number },
            RecordTag::NotUtf8 => Logged::NotUtf8(raw),
            RecordTag::Local => Logged::Local { note: raw, at: number },
        }))
    }

    /// A record's text.
    pub fn text(&self, record: usize) -> Option<String> {
        self.read(record, |logged| logged.text().to_owned())
    }

    /// A record as a line of a recording, which can be opened again; none for records that were not in the
    /// stream.
    pub fn line(&self, record: usize) -> Option<String> {
        self.read(record, |logged| match logged {
            // A line break can only be between values: inside JSON strings it is escaped.
            Logged::Event { raw: text, .. } | Logged::Other(text) | Logged::Malformed { text, .. } => {
                Some(format!("{}\n", text.replace(['\n', '\r'], " ")))
            }
            Logged::Platform { name, data } => {
                let data = data.replace('\n', "\ndata: ");
                Some(format!("event: {name}\ndata: {data}\n\n"))
            }
            Logged::NotUtf8(_) | Logged::Local { .. } => None,
        })
        .flatten()
    }

    /// All records in this form. Together they are a recording that can be opened again.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        (0..self.len()).filter_map(|record| self.line(record))
    }

    pub(crate) fn event(&mut self, event: LoggedEvent<'_>) {
        let flags = event.flags();
        if !self.note(flags, event) {
            self.store_record(RecordTag::Event, flags, event.kind, event.seq, "", event.raw);
        }
    }

    pub(crate) fn other(&mut self, tag: RecordTag, name: &str, number: Option<u64>, label: &str, raw: &str) {
        self.store_record(tag, EPHEMERAL, name, number, label, raw);
    }

    fn store_record(
        &mut self,
        tag: RecordTag,
        flags: u16,
        name: &str,
        number: Option<u64>,
        label: &str,
        raw: &str,
    ) {
        // A byte for the tag, and two numbers of up to ten bytes.
        let most = raw.len() + label.len() + 21;
        let room = self.pieces.last().is_some_and(|piece| piece.bytes.len() + most <= piece.bytes.capacity());
        let fresh = if room { 0 } else { PIECE.max(most) };
        let end = u32::try_from(most).ok().and_then(|most| self.bytes.checked_add(most));
        if self.lost > 0 || self.memory + fresh > MAX_BYTES || end.is_none() {
            self.lost += 1;
            return;
        }
        // The records of a host's input must be contiguous, so any other record ends it.
        self.host_input.take_if(|host_input| host_input.has_event());
        if fresh > 0 {
            self.close();
            let bytes = Vec::with_capacity(fresh);
            let (first, length) = (self.bytes, 0);
            self.pieces.push(LogPiece { first, length, bytes, host: None, compressed: false, lengths: None });
            self.memory += fresh;
        }
        let kind = self.kind_of(name);
        let Some(piece) = self.pieces.last_mut() else { return };
        self.starts.push(self.bytes);
        self.heads.push(kind | flags);
        let before = piece.bytes.len();
        piece.bytes.push(tag as u8);
        push_number(&mut piece.bytes, number.map_or(0, |number| number.saturating_add(1)));
        push_number(&mut piece.bytes, label.len() as u64);
        piece.bytes.extend_from_slice(label.as_bytes());
        piece.bytes.extend_from_slice(raw.as_bytes());
        piece.length = piece.bytes.len();
        self.bytes += (piece.length - before) as u32;
    }

    /// Closes the last piece: if pieces are moved out of memory, this one is now.
    fn close(&mut self) {
        let last = self.pieces.last_mut().filter(|piece| piece.host.is_none());
        if let (Some(move_to_host), Some(full)) = (self.move_to_host, last) {
            let bytes = std::mem::take(&mut full.bytes);
            full.host = Some(move_to_host(&bytes));
            self.memory = self.memory + bytes.len() - bytes.capacity();
        }
    }

    fn kind_of(&mut self, name: &str) -> u16 {
        let known = self.kinds.iter().position(|kind| **kind == *name);
        known.unwrap_or_else(|| {
            if self.kinds.len() < MOST_KINDS {
                self.kinds.push(name.into());
            }
            self.kinds.len() - 1
        }) as u16
    }

    /// The bytes of a piece that is compressed or stored elsewhere.
    fn open(&self, number: usize, piece: &LogPiece) -> Option<Arc<Vec<u8>>> {
        let mut opened = self.opened.borrow_mut();
        let bytes = match opened.iter().position(|(known, _)| *known == number) {
            Some(0) => return opened.first().map(|(_, bytes)| bytes.clone()),
            Some(place) => opened.remove(place).1,
            None if piece.compressed => Arc::new(compaction::restore(&piece.stored(), piece.length)?),
            None => Arc::new(piece.stored().into_owned()),
        };
        opened.insert(0, (number, Arc::clone(&bytes)));
        opened.truncate(OPENED);
        Some(bytes)
    }
}

/// Appends a number in a variable length (LEB128): seven bits in each byte, the lowest first.
fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut left = number;
    while left >= 0x80 {
        out.push(left as u8 | 0x80);
        left >>= 7;
    }
    out.push(left as u8);
}

/// Takes such a number from the front; `None` if it is cut off or too large.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests;
