//! Reads successive deltas of a stream at once, which is nearly all that comes while the model writes. The
//! result is the same as when they are read one by one.

use pilothouse_scan::{Run, Stream};

use super::log::Noted;
use super::{Received, Session};
use crate::model::change::Section;

impl Session {
    /// Reads what continues the newest delta, from the start of `text`.
    pub(super) fn run(&mut self, text: &str, received: &mut Received) -> Run {
        let Self { state, seen, again, parts, log, continuity, .. } = self;
        let none = Run::default();
        let Some((stream, id)) = again.goes_on(text) else { return none };
        let Some(limits) = continuity.unbroken().filter(|_| state.info.id.is_some()) else { return none };
        let Some(place) = state.written_at(stream, id) else { return none };
        parts.clear();
        let noted = log.is_some().then_some(&mut *parts);
        let run = state.write_at(place, stream, |said| again.run(text, limits, seen.uuids(), said, noted));
        if run.events == 0 {
            return none;
        }
        if let Some(log) = log {
            let name = match stream {
                Stream::Message => "assistant.message_delta",
                Stream::Reasoning => "assistant.reasoning_delta",
                Stream::Call => "assistant.tool_call_delta",
            };
            for part in parts {
                log.event(Noted {
                    kind: if part.counter { "assistant.streaming_delta" } else { name },
                    raw: text.get(part.raw.0..part.raw.1).unwrap_or_default(),
                    seq: part.seq,
                    ephemeral: true,
                    duplicate: false,
                    of_agent: part.of_agent,
                });
            }
        }
        if run.counted.is_some() {
            state.info.response_bytes = run.counted;
            state.touch(Section::Session);
        }
        state.info.last_event_at = state.info.last_event_at.max(run.at);
        state.counters.total += run.events as u64;
        state.counters.ephemeral += run.events as u64;
        state.live = true;
        state.touch(Section::Diagnostics);
        self.number += run.events as u64;
        received.records += run.events;
        received.last_seq = received.last_seq.max(continuity.followed_by(run.events, run.seq));
        run
    }

    /// The same from the start of a line. Returns how many bytes were read; `None` if there was no run.
    pub(super) fn run_of_lines(&mut self, ahead: &str, received: &mut Received) -> Option<usize> {
        let run = self.run(ahead, received);
        if run.events == 0 {
            return None;
        }
        // The line break after the last line was read as well.
        let ends_line = ahead.as_bytes().get(run.end).is_none_or(|byte| *byte == b'\n');
        self.lines += run.breaks as u64 + u64::from(ends_line);
        Some(run.end + usize::from(ends_line))
    }
}

#[cfg(test)]
mod tests {
    use pilothouse_scan::Again;

    use super::*;

    const ID: &str = "6c7a53ba-5ce1-4c1e-9577-30beb9e5f";

    fn event(number: usize, kind: &str, data: &str, more: &str) -> String {
        format!(
            r#"{{"type":"{kind}","data":{data}{more},"id":"{ID}{number:03x}","timestamp":"2026-11-21T21:43:{:02}.{number:03}Z","parentId":"{ID}000"}}"#,
            59 - number % 7
        )
    }

    fn says(number: usize, id: &str, text: &str) -> String {
        let data = format!(r#"{{"messageId":"{id}","deltaContent":"{text}"}}"#);
        event(number, "assistant.message_delta", &data, r#","ephemeral":true"#)
    }

    fn counts(number: usize) -> String {
        let data = format!(r#"{{"totalResponseSizeBytes":{}}}"#, number * 10);
        event(number, "assistant.streaming_delta", &data, r#","ephemeral":true"#)
    }

    fn thinks(number: usize, more: &str) -> String {
        let data = r#"{"reasoningId":"r","deltaContent":"hm "}"#;
        event(number, "assistant.reasoning_delta", data, more)
    }

    fn asks(number: usize, name: &str) -> String {
        let data = format!(r#"{{"toolCallId":"c"{name},"inputDelta":"{{\"a\":"}}"#);
        event(number, "assistant.tool_call_delta", &data, r#","ephemeral":true"#)
    }

    fn enveloped(seq: usize, event: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"s","event":{event},"seq":{seq}}}}}"#
        )
    }

    fn begun(lines: Vec<String>) -> Vec<String> {
        let start = event(0, "session.start", r#"{"sessionId":"s","version":1}"#, "");
        [vec![start], lines].concat()
    }

    /// Everything that can be observed of a session.
    fn told(session: &mut Session, lines: bool) -> String {
        let log = session.log().unwrap();
        let records: Vec<_> =
            (0..log.len()).map(|record| (log.head(record), log.text(record), log.kind(record))).collect();
        let records = format!("{records:?}");
        let line = if lines { session.lines } else { 0 };
        format!(
            "{}\n{:?}\n{records}\n{line} {} {:?} {:?}",
            session.snapshot(),
            session.take_changes(),
            session.number,
            session.continuity,
            session.state().entries,
        )
    }

    /// Checks that runs and single events give the same. Returns whether there was a run.
    fn agree(text: &str, frames: bool) -> bool {
        let (mut together, mut apart) = (Session::new(), Session::new());
        let mut runs = false;
        for session in [&mut together, &mut apart] {
            session.keep_log();
            // Runs are only looked for after the first line of a stream.
            session.push(b"\n");
        }
        if frames {
            for line in text.lines() {
                runs |= together.again.goes_on(line).is_some();
                together.push_frame(line);
            }
        } else {
            together.push(text.as_bytes());
            runs = together.parts.len() > 1;
        }
        for line in text.split_inclusive('\n') {
            apart.again = Again::default();
            if frames {
                apart.push_frame(line);
            } else {
                apart.push(line.as_bytes());
            }
        }
        assert_eq!(told(&mut together, !frames), told(&mut apart, !frames), "{text}");
        runs
    }

    fn streams() -> Vec<Vec<String>> {
        let plain = r#","ephemeral":true"#;
        let agent = r#","agentId":"a","ephemeral":true"#;
        let message = event(9, "assistant.message", r#"{"messageId":"m","content":"Hi"}"#, "");
        let idle = event(10, "session.idle", "{}", plain);
        vec![
            vec![
                says(1, "m", "Hi "),
                counts(2),
                counts(3),
                says(4, "m", r"a\n\u00fc"),
                says(5, "m", ""),
                counts(6),
            ],
            vec![
                thinks(1, plain),
                thinks(2, plain),
                thinks(3, agent),
                thinks(4, ""),
                thinks(5, plain),
                says(6, "m", "x"),
            ],
            vec![
                asks(1, r#","toolName":"bash""#),
                asks(2, r#","toolName":"bash""#),
                asks(3, r#","toolName":"bash""#),
            ],
            vec![
                asks(1, ""),
                asks(2, ""),
                asks(3, r#","toolName":"bash""#),
                asks(4, r#","toolName":"bash""#),
            ],
            vec![
                says(1, "m", "a"),
                says(2, "m", "b"),
                says(2, "m", "b"),
                says(3, "m", "c"),
                says(1, "m", "a"),
            ],
            vec![
                says(1, "m", "a"),
                says(2, "m", "b"),
                message,
                says(3, "m", "late"),
                says(4, "m", "later"),
                counts(5),
            ],
            vec![says(1, "m", "a"), says(2, "m", "b"), idle, says(3, "m", "on"), says(4, "m", "and on")],
            vec![
                says(1, "m", "a"),
                says(2, "n", "b"),
                says(3, "m", "c"),
                says(4, "m", "d"),
                says(5, "n", "e"),
            ],
        ]
    }

    #[test]
    fn what_is_taken_in_together_is_the_same_as_one_by_one() {
        for stream in streams() {
            let enveloped: Vec<_> =
                (1..).zip(&stream).map(|(seq, event)| enveloped(seq + seq / 4, event)).collect();
            for lines in [begun(stream), enveloped] {
                for end in ["\n", "\r\n", " \n\n", "  garbage\n", ""] {
                    let text = lines.join(end) + end;
                    agree(&text, false);
                    agree(&text, true);
                }
            }
        }
        let first = streams().swap_remove(0);
        assert!(agree(&(begun(first.clone()).join("\n") + "\n"), false));
        assert!(agree(&begun(first).join("\n"), true));
    }

    #[test]
    fn whatever_byte_is_another_it_is_the_same() {
        let streams = streams();
        for (stream, from, to) in [(&streams[0], 3, 5), (&streams[1], 3, 4), (&streams[2], 2, 3)] {
            let bare = begun(stream.clone());
            let enveloped: Vec<_> = (1..).zip(stream).map(|(seq, event)| enveloped(seq, event)).collect();
            for (lines, shift) in [(&bare, 0), (&enveloped, 1)] {
                let before = lines[..from - shift].join("\n") + "\n";
                let middle = lines[from - shift..to - shift].join("\n");
                let after = format!("\n{}\n", lines[to - shift..].join("\n"));
                for place in 0..middle.len() {
                    for byte in [b'"', b'\\', b'0', b'}', b'\n', b' '] {
                        let mut changed = middle.clone().into_bytes();
                        changed[place] = byte;
                        if let Ok(changed) = String::from_utf8(changed) {
                            agree(&format!("{before}{changed}{after}"), false);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn server_sent_events_are_followed_by_their_ids() {
        let lines = begun(streams().swap_remove(0));
        let mut sessions = [Session::new(), Session::new()];
        for (one_by_one, session) in [false, true].into_iter().zip(&mut sessions) {
            session.keep_log();
            session.follows(None);
            for (line, seq) in lines.iter().zip([1, 2, 3, 4, 7, 8, 8]) {
                if one_by_one {
                    session.again = Again::default();
                }
                let received = session.push_server_sent("message", line, Some(seq));
                assert_eq!((received.records, received.last_seq), (1, Some(seq)));
            }
        }
        let [together, apart] = &mut sessions;
        assert_eq!(told(together, true), told(apart, true));
    }
}
