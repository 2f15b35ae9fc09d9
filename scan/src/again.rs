//! Deltas that begin like one before: of a stream, only the text, the event's id and times differ. Refuses whatever
//! does not have the very same bytes up to its text, or goes on in a way of its own behind it.

use crate::bytes::end_of_string;
use crate::cursor::Cursor;
use crate::event::{Delta, EMPTY, Event, Members, Stream, delta, read, usual_time};
use crate::ids::uuid;
use crate::same;

/// Streams that are remembered: a few agents may talk at once.
const MOST: usize = 4;
/// Longer beginnings are not remembered.
const LONGEST: usize = 1024;

/// How the newest streams of deltas began.
#[derive(Debug, Clone, Default)]
pub struct Again {
    known: Vec<Beginning>,
    newest: usize,
}

/// What an event that is read in one pass says.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// Its envelope.
    pub event: Event<'a>,
    /// Its payload, if it is one of the deltas.
    pub delta: Option<Delta<'a>>,
    /// Its id as a number, if that is known already.
    pub uuid: Option<u128>,
    /// Where it ends.
    pub end: usize,
}

/// Bytes up to a delta's text, and where in them is what.
#[derive(Debug, Clone)]
struct Beginning {
    bytes: Vec<u8>,
    stream: Stream,
    event: usize,
    kind: Span,
    data: usize,
    id: Span,
    parent: Option<Span>,
    tool: Option<Span>,
    session: Option<Span>,
    enveloped: bool,
}

type Span = (usize, usize);

impl Again {
    /// Like [`read`]; the members are only known where there is no delta.
    #[inline(never)]
    pub fn read<'a>(&mut self, text: &'a str, at: usize, members: &mut Members<'a>) -> Option<Read<'a>> {
        members.clear();
        let count = self.known.len();
        for step in 0..count {
            let place = (self.newest + step) % count;
            if let Some(found) = self.known.get(place).and_then(|known| known.read(text, at)) {
                self.newest = place;
                return Some(found);
            }
        }
        let (event, end) = read(text, at, members)?;
        let delta = delta(event.kind, members);
        if let Some(delta) = &delta {
            self.learn(text, at, &event, delta, end);
        }
        Some(Read { event, delta, uuid: None, end })
    }

    fn learn(&mut self, text: &str, at: usize, event: &Event<'_>, delta: &Delta<'_>, end: usize) {
        let Some(known) = Beginning::of(text, at, event, delta) else { return };
        // It counts only if it says the same of the event that it was made of.
        let same = known
            .read(text, at)
            .is_some_and(|found| (&found.event, found.delta, found.end) == (event, Some(*delta), end));
        if !same {
            return;
        }
        if self.known.len() < MOST {
            self.newest = self.known.len();
            self.known.push(known);
        } else {
            self.newest = (self.newest + MOST - 1) % MOST;
            if let Some(oldest) = self.known.get_mut(self.newest) {
                *oldest = known;
            }
        }
    }
}

impl Beginning {
    fn of(text: &str, at: usize, event: &Event<'_>, delta: &Delta<'_>) -> Option<Self> {
        let span = |part: &str| {
            let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?.checked_sub(at)?;
            Some((start, start + part.len()))
        };
        let (end, _) = span(delta.text.0)?;
        let bytes = text.as_bytes().get(at..at + end).filter(|bytes| bytes.len() <= LONGEST)?.to_vec();
        let inside = |part: &str| span(part).filter(|(_, last)| *last < end);
        let optional = |part: Option<&str>| part.map(inside).map_or(Some(None), |found| found.map(Some));
        Some(Self {
            stream: delta.stream,
            event: span(event.raw)?.0,
            kind: inside(event.kind)?,
            data: span(event.data)?.0,
            id: inside(delta.id)?,
            parent: optional(delta.parent)?,
            tool: optional(delta.tool)?,
            session: optional(event.session_id)?,
            enveloped: event.raw.as_ptr() != text.get(at..)?.as_ptr(),
            bytes,
        })
    }

    #[inline]
    fn read<'a>(&self, text: &'a str, at: usize) -> Option<Read<'a>> {
        let start = at + self.bytes.len();
        if !same(text.as_bytes().get(at..start)?, &self.bytes) {
            return None;
        }
        let (end, escaped) = end_of_string(text.as_bytes(), start)?;
        let part = |(start, end): Span| text.get(at + start..at + end);
        let mut cursor = Cursor::new(text, end + 1);
        if !cursor.eat(b'}') {
            return None;
        }
        let mut event = EMPTY;
        event.kind = part(self.kind)?;
        event.data = text.get(at + self.data..cursor.at)?;
        if cursor.eat_all(b",\"agentId\":\"") {
            event.agent_id = Some(cursor.rest_of_string()?).filter(|id| !id.is_empty());
        }
        event.ephemeral = cursor.eat_all(b",\"ephemeral\":true");
        if !cursor.eat_all(b",\"id\":\"") {
            return None;
        }
        event.id = cursor.take(36)?;
        let uuid = uuid(event.id)?;
        if !cursor.eat_all(b"\",\"timestamp\":\"") {
            return None;
        }
        let timestamp = cursor.take(24)?;
        event.timestamp = Some(timestamp);
        event.at = usual_time(timestamp);
        if event.at.is_none() || !cursor.eat_all(b"\",\"parentId\":") {
            return None;
        }
        if cursor.eat(b'"') {
            cursor.rest_of_string()?;
        } else if !cursor.eat_all(b"null") {
            return None;
        }
        if !cursor.eat(b'}') {
            return None;
        }
        event.raw = text.get(at + self.event..cursor.at)?;
        if self.enveloped {
            if !cursor.eat_all(b",\"seq\":") {
                return None;
            }
            let from = cursor.at;
            cursor.digits()?;
            let digits = cursor.since(from)?;
            let usual = digits.len() < 16 && !digits.starts_with('0');
            event.seq = Some(usual.then(|| digits.parse().ok()).flatten()?);
            if !cursor.eat_all(b"}}") {
                return None;
            }
        }
        if let Some(session) = self.session {
            event.session_id = Some(part(session)?);
        }
        let delta = Delta {
            stream: self.stream,
            id: part(self.id)?,
            text: (text.get(start..end)?, escaped),
            parent: self.parent.map_or(Some(None), |span| part(span).map(Some))?,
            tool: self.tool.map_or(Some(None), |span| part(span).map(Some))?,
        };
        Some(Read { event, delta: Some(delta), uuid: Some(uuid), end: cursor.at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 5] = [
        r#"{"type":"assistant.message_delta","data":{"messageId":"m-1","deltaContent":"Hello, wörld\n"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":"00000000-5ce1-4c1e-9577-30beb9e5fef6"}"#,
        r#"{"type":"assistant.reasoning_delta","data":{"reasoningId":"r","deltaContent":""},"agentId":"a 1","ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
        r#"{"type":"assistant.tool_call_delta","data":{"toolCallId":"c","toolName":"bash","inputDelta":"{\"a\":"},"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
        r#"{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":{"type":"assistant.message_delta","data":{"messageId":"m","parentToolCallId":"p","deltaContent":"\u001b[0m"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null},"seq":12}}"#,
        r#"{"jsonrpc":"2.0","method":"session.event","params":{"event":{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"x"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null},"seq":7}}"#,
    ];

    const BYTES: [u8; 37] = *b"\0\x01\n\x1F !\"#'+-,./0189:@AFTZ[\\]`afgnu{}\x7F\x80";

    fn trained(line: &str) -> Again {
        let mut again = Again::default();
        let mut members = Members::UNKNOWN;
        assert!(
            again
                .read(line, 0, &mut members)
                .is_some_and(|found| found.delta.is_some() && found.uuid.is_none())
        );
        again
    }

    /// True if it was read as one that begins like the one before; it then says what it says to everybody.
    fn agrees(again: &Again, line: &str) -> bool {
        let Some(quick) = again.known.iter().find_map(|known| known.read(line, 0)) else { return false };
        let mut members = Members::UNKNOWN;
        let (event, end) = read(line, 0, &mut members).unwrap_or_else(|| panic!("not plain: {line}"));
        assert_eq!(
            (quick.event, quick.delta, quick.end),
            (event, delta(event.kind, &members), end),
            "{line}"
        );
        assert_eq!(quick.uuid, uuid(event.id));
        true
    }

    #[test]
    fn what_is_read_again_says_the_same_whatever_byte_is_another() {
        for line in LINES {
            let again = trained(line);
            assert!(agrees(&again, line), "{line}");
            let mut taken = 0;
            for place in 0..line.len() {
                for byte in BYTES {
                    for (from, with) in [(place + 1, true), (place, true), (place + 1, false)] {
                        let mut changed = line.as_bytes().to_vec();
                        changed.splice(place..from, with.then_some(byte));
                        if let Ok(changed) = String::from_utf8(changed) {
                            taken += usize::from(agrees(&again, &changed));
                        }
                    }
                }
                if let Some(start) = line.get(..place) {
                    assert!(!agrees(&again, start), "{start}");
                }
            }
            assert!(taken > 80, "{taken}");
        }
    }

    #[test]
    fn streams_that_alternate_are_all_remembered() {
        let mut again = Again::default();
        let mut members = Members::UNKNOWN;
        for round in 0..3 {
            for line in LINES.iter().take(MOST) {
                let found = again.read(line, 0, &mut members).unwrap();
                assert_eq!(found.uuid.is_some(), round > 0, "{line}");
            }
        }
        // One more takes the place of one that was not the newest.
        assert!(again.read(LINES[MOST], 0, &mut members).unwrap().uuid.is_none());
        assert!(again.read(LINES[MOST], 0, &mut members).unwrap().uuid.is_some());
        assert!(again.read(LINES[MOST - 1], 0, &mut members).unwrap().uuid.is_some());
    }

    #[test]
    fn what_is_said_before_the_type_or_behind_the_text_is_left_to_others() {
        for line in [
            r#"{"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"x"},"timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
            r#"{"type":"assistant.message_delta","data":{"deltaContent":"x","messageId":"m"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
            r#"{"agentId":"a","type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"x"},"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
        ] {
            assert!(!agrees(&trained(line), line), "{line}");
        }
    }
}
