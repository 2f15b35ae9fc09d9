//! Reads runs of events that begin with the same bytes: the deltas of a stream differ only in the text, the
//! id and the times, the counters between them only in the number. An event that begins with other bytes, or
//! goes on in an unusual way, ends the run.

use crate::Value;
use crate::event::{Delta, Event, Member, Members, Stream, delta, read};
use crate::ids::Uuids;
use crate::step::{Beginning, Minute};

/// How many streams are remembered: a few agents may write at once.
const MOST: usize = 4;
/// The longest beginning that is remembered, in bytes.
const LONGEST: usize = 1024;
/// The type of counter events, and the name of their number.
const COUNTER: &str = "assistant.streaming_delta";
const COUNTED: &str = "totalResponseSizeBytes";

/// How the newest streams of deltas begin, and the newest counter.
#[derive(Debug, Clone, Default)]
pub struct Again {
    known: Vec<Beginning>,
    newest: usize,
    counter: Option<Beginning>,
    minute: Minute,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// No more events than this.
    pub most: usize,
    /// The position of the event before it in the gateway's log. Events that
    /// have a position must follow without a gap.
    pub after: Option<u64>,
}

/// The events of a run taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Run {
    /// How many there are.
    pub events: usize,
    /// How many of them are deltas.
    pub deltas: usize,
    /// Where the last of them ends.
    pub end: usize,
    /// Line breaks up to there.
    pub breaks: usize,
    /// The newest of their times, in milliseconds since 1970 (UTC).
    pub at: Option<i64>,
    /// The newest time of the deltas, in milliseconds since 1970 (UTC).
    pub said_at: Option<i64>,
    /// The number of the last counter.
    pub counted: Option<i64>,
    /// The position of the last event in the gateway's log.
    pub seq: Option<u64>,
}

/// An event of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Its bytes, from start to end.
    pub raw: (usize, usize),
    /// Position in the gateway's log.
    pub seq: Option<u64>,
    /// It belongs to a sub-agent.
    pub of_agent: bool,
    /// It is a counter.
    pub counter: bool,
}

impl Again {
    /// Like [`read`](crate::read), with the payload if it is one of
    /// the deltas. Remembers how the event begins.
    #[inline(never)]
    pub fn read<'a>(
        &mut self,
        text: &'a str,
        at: usize,
        members: &mut Members<'a>,
    ) -> Option<(Event<'a>, Option<Delta<'a>>, usize)> {
        let (event, end) = read(text, at, members)?;
        let delta = delta(event.kind, members);
        let differs = match &delta {
            Some(delta) => Some(delta.text.0),
            None if event.kind == COUNTER => match members.list() {
                Some([Member { name: COUNTED, value: Value::Other(number), .. }]) => Some(*number),
                _ => None,
            },
            None => None,
        };
        let new = |known: &Beginning| !known.begins(text, at);
        if let Some(differs) = differs
            && self.known.iter().chain(&self.counter).all(new)
        {
            self.learn(text, at, end, &event, delta.as_ref(), differs);
        }
        Some((event, delta, end))
    }

    fn learn(
        &mut self,
        text: &str,
        at: usize,
        end: usize,
        event: &Event<'_>,
        delta: Option<&Delta<'_>>,
        differs: &str,
    ) {
        let place = |part: &str| (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize + at);
        let bytes = text.as_bytes().get(at..at.saturating_add(place(differs)));
        // An event has to be on one line.
        let Some(bytes) = bytes.filter(|bytes| bytes.len() <= LONGEST && !bytes.contains(&b'\n')) else {
            return;
        };
        let of = delta.map(|delta| (delta.stream, delta.id.into()));
        let known = Beginning { bytes: bytes.into(), event: place(event.raw), of };
        // It is remembered only if everything that identifies the delta is in it, and if it gives the
        // same for the event that it was made from.
        let told = delta.is_none_or(|delta| {
            let parts = [Some(delta.id), delta.tool, delta.parent, event.session_id];
            parts.into_iter().flatten().all(|part| place(part) < bytes.len())
        });
        let same = known.step(text, at, &mut String::new(), &mut self.minute).is_some_and(|found| {
            (found.at, found.seq, found.end) == (event.at, event.seq, end)
                && text.get(found.raw.0..found.raw.1) == Some(event.raw)
                && found.of_agent == event.agent_id.is_some()
        });
        if !told || !same {
            return;
        }
        if delta.is_none() {
            self.counter = Some(known);
        } else if self.known.len() < MOST {
            self.newest = self.known.len();
            self.known.push(known);
        } else {
            self.newest = (self.newest + MOST - 1) % MOST;
            if let Some(oldest) = self.known.get_mut(self.newest) {
                *oldest = known;
            }
        }
    }

    /// The stream and the id of the delta that the text continues, if its beginning is known.
    pub fn goes_on(&mut self, text: &str) -> Option<(Stream, &str)> {
        let count = self.known.len();
        let mut places = (0..count).map(|step| (self.newest + step) % count);
        let known = &self.known;
        if let Some(place) = places.find(|place| known.get(*place).is_some_and(|known| known.begins(text, 0)))
        {
            self.newest = place;
        } else if !self.counter.as_ref().is_some_and(|counter| counter.begins(text, 0)) {
            return None;
        }
        let (stream, id) = self.known.get(self.newest)?.of.as_ref()?;
        Some((*stream, id))
    }

    /// Reads a run from the start of the text: adds the ids to `seen` and the texts to `said`. Stops before
    /// an event whose id is known, and before a persisted one.
    #[inline(never)]
    pub fn run(
        &mut self,
        text: &str,
        limits: Limits,
        seen: &mut Uuids,
        said: &mut String,
        mut parts: Option<&mut Vec<Part>>,
    ) -> Run {
        let mut run = Run::default();
        let Some(stream) = self.known.get(self.newest) else { return run };
        let (mut at, mut breaks, mut last) = (0, 0, limits.after);
        while run.events < limits.most {
            let before = said.len();
            let known = match &self.counter {
                Some(counter) if counter.begins(text, at) => counter,
                _ => stream,
            };
            // Persisted events have a place in the history and are read one by one.
            let found = known.step(text, at, said, &mut self.minute).filter(|found| {
                let follows = found.seq.is_none() || found.seq == last.and_then(|last| last.checked_add(1));
                found.ephemeral && follows && seen.insert(found.uuid)
            });
            let Some(found) = found else {
                said.truncate(before);
                break;
            };
            run.events += 1;
            (run.end, run.breaks) = (found.end, breaks);
            run.at = run.at.max(found.at);
            (run.seq, last) = (found.seq, found.seq.or(last));
            if found.counted.is_some() {
                run.counted = found.counted;
            } else {
                run.deltas += 1;
                run.said_at = run.said_at.max(found.at);
            }
            if let Some(parts) = &mut parts {
                let (seq, of_agent, counter) = (found.seq, found.of_agent, found.counted.is_some());
                parts.push(Part { raw: found.raw, seq, of_agent, counter });
            }
            at = found.end;
            while let Some(byte @ (b' ' | b'\n' | b'\r' | b'\t')) = text.as_bytes().get(at) {
                breaks += usize::from(*byte == b'\n');
                at += 1;
            }
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::uuid;

    const LINES: [&str; 6] = [
        r#"{"type":"assistant.message_delta","data":{"messageId":"m-1","deltaContent":"Hello, wörld\n"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":"00000000-5ce1-4c1e-9577-30beb9e5fef6"}"#,
        r#"{"type":"assistant.reasoning_delta","data":{"reasoningId":"r","deltaContent":""},"agentId":"a 1","ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
        r#"{"type":"assistant.tool_call_delta","data":{"toolCallId":"c","toolName":"bash","inputDelta":"{\"a\":"},"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
        r#"{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":{"type":"assistant.message_delta","data":{"messageId":"m","parentToolCallId":"p","deltaContent":"\u001b[0m"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null},"seq":12}}"#,
        r#"{"jsonrpc":"2.0","method":"session.event","params":{"event":{"type":"assistant.message_delta","data":{"messageId":"m","deltaContent":"x"},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null},"seq":7}}"#,
        r#"{"type":"assistant.streaming_delta","data":{"totalResponseSizeBytes":204},"ephemeral":true,"id":"6c7a53ba-5ce1-4c1e-9577-30beb9e5fef6","timestamp":"2026-11-21T21:43:23.139Z","parentId":null}"#,
    ];

    const BYTES: [u8; 37] = *b"\0\x01\n\x1F !\"#'+-,./0189:@AFTZ[\\]`afgnu{}\x7F\x80";

    fn trained(line: &str) -> Again {
        let mut again = Again::default();
        assert!(again.read(line, 0, &mut Members::UNKNOWN.clone()).is_some());
        again
    }

    /// Whether the line was read by one of the beginnings. If so, checks that the general way gives the same.
    fn agrees(again: &Again, line: &str) -> bool {
        let mut said = String::new();
        let mut known = again.known.iter().chain(&again.counter);
        let Some((known, quick)) =
            known.find_map(|known| Some((known, known.step(line, 0, &mut said, &mut Minute::default())?)))
        else {
            return false;
        };
        let mut members = Members::UNKNOWN;
        let (event, end) = read(line, 0, &mut members).unwrap_or_else(|| panic!("not plain: {line}"));
        let told = delta(event.kind, &members);
        assert_eq!(
            (quick.at, quick.seq, quick.end, quick.ephemeral, Some(quick.uuid)),
            (event.at, event.seq, end, event.ephemeral, uuid(event.id)),
            "{line}"
        );
        assert_eq!(&line[quick.raw.0..quick.raw.1], event.raw);
        assert_eq!(quick.of_agent, event.agent_id.is_some(), "{line}");
        let of = told.map(|told| (told.stream, told.id.into()));
        assert_eq!(known.of, of, "{line}");
        match told {
            Some(told) => {
                assert_eq!(Some(said), crate::unescaped(told.text.0, told.text.1).map(Into::into), "{line}");
            }
            None => assert_eq!(
                members.list(),
                Some(
                    &[Member {
                        name: COUNTED,
                        value: Value::Other(&quick.counted.unwrap().to_string()),
                        inside: 0
                    }][..]
                ),
                "{line}"
            ),
        }
        true
    }

    #[test]
    fn what_begins_like_one_before_says_the_same_whatever_byte_is_another() {
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
        for line in LINES.iter().take(MOST) {
            assert_eq!(again.goes_on(line), None);
            again.read(line, 0, &mut Members::UNKNOWN.clone()).unwrap();
        }
        let known = |again: &mut Again, line: &str| again.goes_on(line).map(|(_, id)| id.to_owned());
        for (line, id) in LINES.iter().zip(["m-1", "r", "c", "m"]) {
            assert_eq!(known(&mut again, line).as_deref(), Some(id));
        }
        // One more replaces one that is not the newest.
        again.read(LINES[MOST], 0, &mut Members::UNKNOWN.clone()).unwrap();
        assert!(known(&mut again, LINES[MOST]).is_some() && known(&mut again, LINES[MOST - 1]).is_some());
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
