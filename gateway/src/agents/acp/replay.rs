//! What an agent says again when it loads a session, compared with the log: where the log has all of it, nothing is taken over;
//! where the session went on in another program, what came after the log's last message is.
//!
//! Compared are the messages of the user, which agents keep in full. Agents forget some of them, say only the newest, or join
//! two that no answer came between; and people write the same more than once. So what is taken over is certain to be new: either
//! the log's messages are all there in their order, or nothing behind them has the words of any message in the log.

use pilothouse_core::protocol::EventKind;
use serde_json::Value;

use crate::journal::{Entry, event_kind};

/// What the log of a session has before it is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// The messages of the user, in order.
    pub messages: Vec<LoggedMessage>,
    /// Whether nothing was dropped from its beginning.
    pub is_whole: bool,
    /// The mode that it was in at last, in the page's word or the agent's, if it was told.
    pub mode: Option<String>,
    /// Whether the agent asked nobody at last.
    pub allowed_all: bool,
}

/// A message of the user in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedMessage {
    words: String,
    /// Whether it has attachments, for which agents add words of their own.
    has_more: bool,
}

/// What a replay is to the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// The log has all of it.
    Same,
    /// From this message of the user on it is new.
    NewFrom(usize),
    /// It has more, but where that belongs is not certain.
    Unclear,
}

impl LoggedMessage {
    /// A message with this text.
    pub fn new(text: &str, has_more: bool) -> Self {
        Self { words: words(text), has_more }
    }

    /// That of this event; none of a sub-agent's.
    fn of(event: &Value) -> Option<Self> {
        let data = &event["data"];
        let has_more = data["attachments"].as_array().is_some_and(|all| !all.is_empty());
        let content = data["content"].as_str().filter(|_| event["agentId"].is_null())?;
        Some(Self::new(content, has_more))
    }
}

impl Logged {
    /// Reads the entries that are left of a log.
    pub fn read<'a>(entries: impl Iterator<Item = &'a Entry>, is_whole: bool) -> Self {
        let mut log = Self { is_whole, ..Self::default() };
        for entry in entries {
            let event = || serde_json::from_str::<Value>(&entry.raw).unwrap_or_default();
            match event_kind(&entry.raw) {
                EventKind::UserMessage => log.messages.extend(LoggedMessage::of(&event())),
                EventKind::SessionModeChanged => {
                    log.mode = event()["data"]["newMode"].as_str().map(str::to_owned);
                }
                EventKind::SessionPermissionsChanged => {
                    log.allowed_all = event()["data"]["mode"] == "allow-all";
                }
                _ => {}
            }
        }
        log
    }

    /// Compares the texts of the user in a replay with the log.
    pub fn compare(&self, replayed: &[&str]) -> Compared {
        let replayed: Vec<String> = replayed.iter().map(|text| words(text)).collect();
        let Some(last) = self.messages.len().checked_sub(1) else {
            return match (replayed.is_empty(), self.is_whole) {
                (true, _) => Compared::Same,
                (false, true) => Compared::NewFrom(0),
                (false, false) => Compared::Unclear,
            };
        };
        // The best place: the most messages in a row, then the newest of the log.
        let mut best: Option<(usize, usize, usize)> = None;
        for place in 0..replayed.len() {
            for newest in 0..=last {
                let row = self.row(newest, replayed.get(..=place).unwrap_or_default());
                let is_better = best.is_none_or(|(most, of, _)| {
                    // Of a whole log the first place is right; else what comes later is surely not new.
                    (row, newest) > (most, of)
                        || (row, newest) == (most, of) && !(self.is_whole && row > last)
                });
                if row > 0 && is_better {
                    best = Some((row, newest, place));
                }
            }
        }
        let Some((row, newest, place)) = best else {
            return if replayed.is_empty() { Compared::Same } else { Compared::Unclear };
        };
        let more = replayed.get(place + 1..).unwrap_or_default();
        let is_in_log = |text: &String| self.messages.iter().any(|message| message.is(text));
        if more.is_empty() {
            Compared::Same
        } else if newest == last && (row > last || !more.iter().any(is_in_log)) {
            Compared::NewFrom(place + 1)
        } else {
            Compared::Unclear
        }
    }

    /// How many messages of the log, in a row up to this one, are those at the end of this replay.
    fn row(&self, newest: usize, replayed: &[String]) -> usize {
        let mut row = 0;
        let mut messages = self.messages.get(..=newest).unwrap_or_default().iter().rev();
        for text in replayed.iter().rev() {
            let Some(message) = messages.next() else { return row };
            if message.is(text) {
                row += 1;
                continue;
            }
            // Messages without an id and without an answer between them are one.
            let mut rest = text.strip_suffix(message.words.as_str()).filter(|_| !message.words.is_empty());
            let mut joined = 1;
            while let Some(before) = rest.filter(|rest| !rest.is_empty()) {
                let Some(message) = messages.next() else { return row };
                rest = before.strip_suffix(message.words.as_str()).filter(|_| !message.words.is_empty());
                joined += 1;
            }
            if rest.is_none() {
                return row;
            }
            row += joined;
        }
        row
    }
}

impl LoggedMessage {
    fn is(&self, replayed: &str) -> bool {
        self.words == replayed || self.has_more && replayed.starts_with(self.words.as_str())
    }
}

/// A text without its spaces, which agents change.
fn words(text: &str) -> String {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn logged(texts: &[&str]) -> Logged {
        Logged {
            messages: texts.iter().map(|text| LoggedMessage::new(text, false)).collect(),
            is_whole: true,
            ..Logged::default()
        }
    }

    #[test]
    fn what_came_after_the_last_common_message_is_new() {
        let log = logged(&["Look", "yes", "Mend it", "yes"]);
        for (replayed, expected) in [
            (&["Look", "yes", "Mend it", "yes"][..], Compared::Same),
            (&["Look ", "yes\n", "Mend  it", "yes", "yes"], Compared::NewFrom(4)),
            // The agent says only the newest.
            (&["Mend it", "yes", "Go on"], Compared::NewFrom(2)),
            // It forgot the last message, or one between.
            (&["Look", "yes", "Mend it"], Compared::Same),
            (&["Look", "Mend it", "yes", "Go on"], Compared::NewFrom(3)),
            // It joined two.
            (&["Look", "yesMend it", "yes", "Go on"], Compared::NewFrom(3)),
            (&["Look", "yes", "Mend it\nyes", "Look"], Compared::NewFrom(3)),
            // What is new can't be told from what is old.
            (&["Look", "yes", "Go on"], Compared::Unclear),
            (&["yes", "Mend it", "Look"], Compared::Unclear),
            (&["Something else"], Compared::Unclear),
            (&[], Compared::Same),
        ] {
            assert_eq!(log.compare(replayed), expected, "{replayed:?}");
        }
    }

    #[test]
    fn a_log_without_messages_has_nothing_of_it_unless_its_beginning_is_gone() {
        assert_eq!(logged(&[]).compare(&["a", "b"]), Compared::NewFrom(0));
        assert_eq!(Logged::default().compare(&["a"]), Compared::Unclear);
        assert_eq!(Logged::default().compare(&[]), Compared::Same);
    }

    #[test]
    fn an_agent_may_add_words_for_attachments_and_for_nothing_else() {
        let with = Logged {
            messages: vec![LoggedMessage::new("Look at this", true)],
            is_whole: true,
            ..Logged::default()
        };
        assert_eq!(with.compare(&["Look at this[a.txt](file:///a.txt)"]), Compared::Same);
        assert_eq!(
            logged(&["Look at this"]).compare(&["Look at this[a.txt](file:///a.txt)"]),
            Compared::Unclear
        );
    }

    #[test]
    fn the_messages_of_a_log_are_read() {
        let lines = [
            r#"{"type":"user.message","data":{"content":"Look"}}"#,
            r#"{"type":"assistant.message","data":{"content":"Yes"}}"#,
            r#"{"type":"user.message","agentId":"sub","data":{"content":"inside"}}"#,
            r#"{"type":"user.message","data":{"content":"at this","attachments":[{"type":"file"}]}}"#,
            "no event",
        ];
        let entries: Vec<Entry> = lines.iter().map(|line| Entry::read(line)).collect();
        let read = Logged::read(entries.iter(), true);
        assert_eq!(read.messages, [LoggedMessage::new("Look", false), LoggedMessage::new("at this", true)]);
    }

    proptest! {
        /// An agent forgets messages at any place, says only the newest, joins some; another program adds some, perhaps in the
        /// same words.
        #[test]
        fn nothing_of_the_log_is_ever_new(
            log in prop::collection::vec(0..4_u8, 0..7),
            forgets in prop::collection::vec(any::<bool>(), 7),
            forgets_none in any::<bool>(),
            begins in 0..7_usize,
            joins in prop::option::of(0..7_usize),
            added in prop::collection::vec(0..5_u8, 0..4),
        ) {
            let text = |letter: &u8| ["yes", "no", "Go on", "Look", "Something new"][usize::from(*letter)].to_owned();
            let texts: Vec<String> = log.iter().map(text).collect();
            let remembers = |(place, _): &(usize, &String)| forgets_none || !forgets[*place] && *place >= begins;
            let mut old: Vec<String> =
                texts.iter().enumerate().filter(remembers).map(|(_, text)| text.clone()).collect();
            if let Some(place) = joins.filter(|place| place + 1 < old.len()) {
                let second = old.remove(place + 1);
                old[place].push_str(&second);
            }
            let new: Vec<String> = added.iter().map(text).collect();
            let all: Vec<&str> = old.iter().chain(&new).map(String::as_str).collect();
            let compared = logged(&texts.iter().map(String::as_str).collect::<Vec<_>>()).compare(&all);
            if let Compared::NewFrom(place) = compared {
                prop_assert!(place >= old.len(), "{texts:?} {all:?} {compared:?}");
                prop_assert!(place < all.len());
            }
            // Who forgets nothing says exactly what is new.
            if forgets_none && joins.is_none() {
                let expected = if new.is_empty() { Compared::Same } else { Compared::NewFrom(old.len()) };
                prop_assert_eq!(compared, expected);
            }
            if all.is_empty() {
                prop_assert_eq!(compared, Compared::Same);
            }
        }
    }
}
