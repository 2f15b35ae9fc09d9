//! What must hold in the cluster's log itself: one writer at a time for each session, positions that rise, each with one content.

use std::collections::BTreeMap;

use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A message of a session's subject.
#[derive(Clone, Debug)]
pub struct Message {
    pub writer: String,
    pub log: String,
    /// The last position in it.
    pub seq: Option<u64>,
    /// Which part of how many it is.
    pub part: Option<(u64, u64)>,
    pub payload: Vec<u8>,
}

/// The events of a session as the stream has them: each position with its event or text, byte for byte.
pub type Log = BTreeMap<u64, String>;

#[derive(Deserialize)]
struct Line<'a> {
    seq: u64,
    #[serde(borrow, default)]
    event: Option<&'a RawValue>,
    #[serde(default)]
    text: Option<String>,
}

impl From<StreamMessage> for Message {
    fn from(message: StreamMessage) -> Self {
        let of = |headers: &HeaderMap, name: &str| headers.get(name).map(|value| value.as_str().to_owned());
        let headers = &message.headers;
        let part = of(headers, "Pilothouse-Part").and_then(|part| {
            let (number, count) = part.split_once('/')?;
            Some((number.parse().ok()?, count.parse().ok()?))
        });
        Self {
            writer: of(headers, "Pilothouse-Writer").unwrap_or_default(),
            log: of(headers, "Pilothouse-Log").unwrap_or_default(),
            seq: of(headers, "Pilothouse-Seq").and_then(|seq| seq.parse().ok()),
            part,
            payload: message.payload.to_vec(),
        }
    }
}

/// Reads the messages of one subject, in their order. Adds what is wrong with them.
pub fn read(subject: &str, messages: &[Message], wrong: &mut Vec<String>) -> Log {
    let mut log = Log::new();
    let mut writer: Option<&str> = None;
    let mut newest = 0;
    let mut parts: Vec<u8> = Vec::new();
    let mut expected = (1, 1);
    for (at, message) in messages.iter().enumerate() {
        let mut complain = |what: String| wrong.push(format!("{subject}, message {at}: {what}"));
        if message.writer.is_empty() || message.log.is_empty() {
            complain(format!("it does not say who wrote it: {message:?}"));
        }
        if message.payload.is_empty() {
            // Whoever claims it writes from here on. What was begun is left.
            (writer, parts) = (Some(&*message.writer), Vec::new());
            expected = (1, 1);
            continue;
        }
        if writer != Some(&message.writer) {
            complain(format!("{:?} wrote, but {writer:?} had claimed it", message.writer));
        }
        let (part, count) = message.part.unwrap_or((1, 1));
        if part == 1 {
            parts.clear();
        } else if (part, count) != expected {
            complain(format!("part {part}/{count} came, expected was {expected:?}"));
        }
        parts.extend(&message.payload);
        expected = (part + 1, count);
        if part < count {
            continue;
        }
        let payload = std::mem::take(&mut parts);
        let text = String::from_utf8_lossy(&payload);
        let mut last = None;
        for line in text.lines() {
            let Ok(line) = serde_json::from_str::<Line<'_>>(line) else {
                complain(format!("it can't be read: {line}"));
                continue;
            };
            let content = line.event.map(|event| event.get().to_owned()).or(line.text).unwrap_or_default();
            if let Some(other) = log.get(&line.seq).filter(|other| **other != content) {
                complain(format!("position {} is {content}, and was {other}", line.seq));
            }
            if line.seq <= newest {
                complain(format!("position {} came after {newest}", line.seq));
            }
            newest = newest.max(line.seq);
            last = Some(line.seq);
            log.insert(line.seq, content);
        }
        if message.seq != last {
            complain(format!("it says that it ends at {:?}, and ends at {last:?}", message.seq));
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(writer: &str, payload: &str, seq: u64) -> Message {
        Message {
            writer: writer.into(),
            log: "l".into(),
            seq: Some(seq),
            part: None,
            payload: payload.into(),
        }
    }

    fn of(messages: &[Message]) -> (Log, Vec<String>) {
        let mut wrong = Vec::new();
        (read("s", messages, &mut wrong), wrong)
    }

    #[test]
    fn a_log_of_two_writers_one_after_the_other_is_read_and_nothing_is_wrong() {
        let mut first = message("b", "{\"seq\":3,\"te", 3);
        first.part = Some((1, 2));
        let mut second = message("b", "xt\":\"z\\n\"}\n", 3);
        second.part = Some((2, 2));
        let (log, wrong) = of(&[
            message("a", "", 0),
            message("a", "{\"seq\":1,\"event\":{\"x\": 1}}\n{\"seq\":2,\"event\":{}}\n", 2),
            message("b", "", 2),
            first.clone(),
            message("b", "", 2),
            first,
            second,
        ]);
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(log.values().map(String::as_str).collect::<Vec<_>>(), ["{\"x\": 1}", "{}", "z\n"]);
    }

    #[test]
    fn a_second_writer_a_position_that_comes_again_and_a_part_too_few_are_found() {
        let claimed = message("a", "", 0);
        let one = message("a", "{\"seq\":1,\"event\":{}}\n", 1);
        let found = |messages: &[Message], what: &str| {
            let (_, wrong) = of(messages);
            assert!(wrong.iter().any(|one| one.contains(what)), "{what}: {wrong:?}");
        };
        let other = message("b", "{\"seq\":2,\"event\":{}}\n", 2);
        found(&[claimed.clone(), one.clone(), other], "had claimed it");
        found(&[claimed.clone(), one.clone(), one.clone()], "came after");
        let changed = message("a", "{\"seq\":1,\"event\":{\"y\":1}}\n", 1);
        found(&[claimed.clone(), one.clone(), changed], "and was");
        let mut late = message("a", "{\"seq\":2,\"event\":{}}\n", 2);
        late.part = Some((2, 2));
        found(&[claimed, one, late], "part 2/2");
    }
}
