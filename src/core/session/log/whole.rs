//! Makes a log whole from which a server has left out superseded events: the events of the server's whole log take their places
//! between the records that are here.

use super::{Log, Logged, LoggedEvent, RecordTag};
use crate::model::state::EventIds;
use crate::wire::decoder::{Decoder, StreamLine};
use crate::wire::{Event, Record, records};

/// A log that is being made whole.
#[derive(Debug)]
pub struct WholeLog {
    log: Log,
    seen: EventIds,
    lines: Decoder,
    /// How many of the records that are here it has, or has in place of.
    passed: usize,
}

impl WholeLog {
    /// Begins with a log from which events were left out.
    pub fn new(here: &Log) -> Self {
        Self { log: here.empty_copy(), seen: EventIds::default(), lines: Decoder::default(), passed: 0 }
    }

    /// Takes the next part of the server's whole log, as lines with positions. `here` is the log from the beginning, which
    /// may have grown.
    pub fn push(&mut self, bytes: &[u8], here: &Log) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.push(bytes, &mut |line| self.line(line, here));
        self.lines = lines;
    }

    /// The server's log has ended: what has come here since follows.
    pub fn finish(mut self, here: &Log) -> Log {
        let mut lines = std::mem::take(&mut self.lines);
        lines.end(&mut |line| self.line(line, here));
        self.pass(here, u64::MAX);
        self.log
    }

    fn line(&mut self, line: StreamLine<'_>, here: &Log) {
        let StreamLine::Text { text, .. } = line else { return };
        // Other records are never left out.
        records(text, |found| {
            if let Ok(Record::Event(event)) = found
                && let Some(seq) = event.seq
            {
                self.event(&event, seq, here);
            }
        });
    }

    fn event(&mut self, event: &Event<'_>, seq: u64, here: &Log) {
        self.pass(here, seq);
        self.log.event(LoggedEvent {
            kind: event.kind,
            raw: event.raw,
            seq: Some(seq),
            ephemeral: event.ephemeral,
            duplicate: !self.seen.insert(event.id),
            of_agent: event.agent_id.is_some(),
        });
        if position(here, self.passed) == Some(seq) {
            self.passed += 1;
        }
    }

    /// Takes what is here before the event at this position. What has no position stays right behind what it came after.
    fn pass(&mut self, here: &Log, seq: u64) {
        while self.passed < here.len() && position(here, self.passed).is_none_or(|at| at < seq) {
            self.log.append(here, self.passed);
            self.passed += 1;
        }
    }
}

/// The position of a record in the server's log, if it has one.
fn position(log: &Log, record: usize) -> Option<u64> {
    log.read(record, |logged| if let Logged::Event { seq, .. } = logged { seq } else { None }).flatten()
}

impl Log {
    /// Appends a record of another log.
    fn append(&mut self, from: &Self, record: usize) {
        let Some(head) = from.head(record) else { return };
        from.read(record, |logged| match logged {
            Logged::Event { raw, seq, duplicate } => self.event(LoggedEvent {
                kind: head.name,
                raw,
                seq,
                ephemeral: head.ephemeral,
                duplicate,
                of_agent: head.of_agent,
            }),
            Logged::Platform { name, data } => self.other(RecordTag::Platform, head.name, None, name, data),
            Logged::Other(raw) => self.other(RecordTag::Other, head.name, None, "", raw),
            Logged::Malformed { reason, text, line } => {
                self.other(RecordTag::Malformed, head.name, line, reason, text);
            }
            Logged::NotUtf8(place) => self.other(RecordTag::NotUtf8, head.name, None, "", place),
            Logged::Local { note, at } => self.other(RecordTag::Local, head.name, at, "", note),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::wire::fields::Fields;

    fn line(seq: u64) -> String {
        format!("{{\"seq\":{seq},\"event\":{{\"type\":\"a.b\",\"id\":\"{seq}\",\"data\":{{}}}}}}\n")
    }

    fn described(log: &Log) -> Vec<String> {
        let describe = |logged: Logged<'_>| match logged {
            Logged::Event { seq, duplicate, .. } => format!("{seq:?} {duplicate}"),
            other => other.text().to_owned(),
        };
        (0..log.len()).filter_map(|record| log.read(record, describe)).collect()
    }

    #[test]
    fn events_that_were_left_out_take_their_places_and_the_rest_stays() {
        let mut session = Session::new();
        session.keep_log();
        session.push_history(line(1).as_bytes());
        session.notify(Fields::parse(r#"{"message":"local"}"#).unwrap(), Some(5));
        session.push_history(line(4).as_bytes());
        session.end_history(6);
        session.push_frame("not a record");
        session.push_history(line(7).as_bytes());
        assert_eq!(session.left_out(), 4);
        let mut whole = WholeLog::new(session.log().unwrap());
        let lines: String = (1..=6).map(line).collect();
        for part in lines.as_bytes().chunks(7) {
            whole.push(part, session.log().unwrap());
        }
        session.push_history(line(8).as_bytes());
        let whole = whole.finish(session.log().unwrap());
        let expected = [
            "Some(1) false",
            r#"{"message":"local"}"#,
            "Some(2) false",
            "Some(3) false",
            "Some(4) false",
            "not a record",
            "Some(5) false",
            "Some(6) false",
            "Some(7) false",
            "Some(8) false",
        ];
        assert_eq!(described(&whole), expected);
        session.replace_log(whole);
        assert_eq!((session.left_out(), session.log().map(Log::len)), (0, Some(10)));
    }

    #[test]
    fn what_only_is_here_stays_and_an_event_that_comes_twice_is_a_duplicate() {
        let mut session = Session::new();
        session.keep_log();
        session.push_history([line(2), line(3)].concat().as_bytes());
        let mut whole = WholeLog::new(session.log().unwrap());
        let again = line(3).replace("\"seq\":3", "\"seq\":4");
        whole.push([line(3), again].concat().as_bytes(), session.log().unwrap());
        let whole = whole.finish(session.log().unwrap());
        assert_eq!(described(&whole), ["Some(2) false", "Some(3) false", "Some(4) true"]);
    }
}
