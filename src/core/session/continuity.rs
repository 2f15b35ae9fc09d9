//! Checks whether input continues what came before: gaps in the server's positions, and a server that starts
//! over. Gaps are shown where they are; nobody asks for the missing events.

use serde_json::Value;

use super::Session;
use super::log::Tag;
use crate::i18n::words::connection;
use crate::model::entry::Kind;
use crate::protocol::EventKind;
use crate::reduce::Meta;
use crate::wire::Event;
use crate::wire::fields::Fields;

/// The notification with which a server says that its log has a gap at this place.
pub(super) const GAP: &str = "pilothouse.gap";

/// The same without the number of missing events.
pub(super) const GAP_SOMEWHERE: &str = r#"{"jsonrpc":"2.0","method":"pilothouse.gap","params":{}}"#;

/// How far the server's log was followed.
#[derive(Debug, Default)]
pub(super) struct Continuity {
    /// The id of the very first event.
    first: Option<String>,
    /// The position of the newest event.
    last: Option<u64>,
    /// Records since then that may have a position without naming it.
    strays: u64,
    /// The position that the carrier gave for the next record.
    pub(super) framed: Option<u64>,
    /// The server has started over, and no event has come since.
    over: bool,
    renewed: bool,
}

impl Session {
    /// The next events follow the one at position `after`, or are the first
    /// of all. Gaps are detected from there on.
    pub fn follows(&mut self, after: Option<u64>) {
        let followed = &mut self.continuity;
        (followed.last, followed.strays) = (Some(after.unwrap_or(0)), 0);
    }

    /// The server has started over: what came so far is not what it has now. If its next event is the first
    /// of this session, the session is read from the start again. Any other new event gets a gap before it.
    pub fn started_over(&mut self) {
        self.continuity.over = true;
        self.continuity.last = None;
    }

    /// Another session follows: drops everything of this one.
    pub fn begin_again(&mut self) {
        self.renew();
    }

    /// How far the server's log was followed; 0 if it gives no positions.
    pub fn position(&self) -> u64 {
        self.continuity.last.map_or(0, |last| last + self.continuity.strays)
    }

    /// True if the session has begun again and that was not reported yet.
    pub(super) fn renewed(&self) -> bool {
        self.continuity.renewed
    }

    /// True once after the session has begun again.
    pub(super) fn take_renewed(&mut self) -> bool {
        std::mem::take(&mut self.continuity.renewed)
    }

    /// A record without a position came.
    pub(super) fn strayed(&mut self) {
        self.continuity.strays += 1;
    }

    /// Compares an event's position with the one before. Must be called before the event is counted.
    pub(super) fn followed(&mut self, event: &Event<'_>, known: bool) -> Option<u64> {
        let seq = event.seq.or(self.continuity.framed.take());
        let again = seq == Some(1) && self.continuity.last.is_some_and(|last| last > 0);
        if std::mem::take(&mut self.continuity.over) || again {
            self.continuity.last = None;
            let same = !event.id.is_empty() && self.continuity.first.as_deref() == Some(&event.id);
            if same || self.is_start_of_another(event) {
                self.renew();
            } else if !known {
                self.missing(None);
            }
        }
        if self.continuity.first.is_none() {
            self.continuity.first = Some(event.id.clone().into_owned());
        }
        let Some(seq) = seq else {
            self.strayed();
            return None;
        };
        let strays = std::mem::take(&mut self.continuity.strays);
        let last = self.continuity.last;
        self.continuity.last = last.max(Some(seq));
        let missing = last.map_or(0, |last| seq.saturating_sub(last + 1).saturating_sub(strays));
        if missing > 0 {
            self.missing(Some(missing));
        }
        Some(seq)
    }

    /// Whether this event starts another session than the one that is shown.
    fn is_start_of_another(&self, event: &Event<'_>) -> bool {
        EventKind::parse(&event.kind) == EventKind::SessionStart
            && self.state.info.id.is_some()
            && Fields::parse(event.data).is_ok_and(|mut data| data.filled("sessionId") != self.state.info.id)
    }

    /// Reports missing events as a server would, so that the log has the gap as well.
    fn missing(&mut self, missing: Option<u64>) {
        let params =
            missing.map_or_else(String::new, |missing| ["\"missing\":", &missing.to_string()].concat());
        self.gap(&[r#"{"jsonrpc":"2.0","method":"pilothouse.gap","params":{"#, &params, "}}"].concat());
    }

    /// Shows that events are missing at this place.
    pub(super) fn gap(&mut self, raw: &str) {
        self.chain.gap_told();
        self.keep(Tag::Other, GAP, None, "", raw);
        let gap = serde_json::from_str::<Value>(raw).unwrap_or_default();
        let phrase = match gap.pointer("/params/missing").and_then(Value::as_u64) {
            Some(missing) => connection::MISSING.phrase(vec![("n", missing.into())]),
            None => connection::MISSING_SOME.into(),
        };
        let meta = Meta { ephemeral: true, ..self.next_meta(GAP) };
        let before = self.state.entries.iter().filter(|entry| entry.kind == Kind::Gap).count();
        let place = self.state.add_entry(None, Kind::Gap, format!("gap-{}", before + 1), meta);
        self.state.replace_phrase(place, phrase);
    }

    /// Drops everything, but goes on keeping a log if there was one.
    #[cold]
    #[inline(never)]
    fn renew(&mut self) {
        let logs = self.log.is_some();
        *self = Self::default();
        if logs {
            self.keep_log();
        }
        self.continuity.renewed = true;
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::view_model::entry_words::text;

    fn event(seq: u64, id: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"boats","event":{{"type":"user.message","id":"{id}","data":{{"content":"{id}"}}}},"seq":{seq}}}}}"#
        )
    }

    fn texts(session: &Session) -> Vec<Cow<'_, str>> {
        session.state().entries.iter().map(|entry| text(entry)).collect()
    }

    #[test]
    fn a_hole_in_the_count_is_told_where_it_is_and_once() {
        let mut session = Session::new();
        session.follows(None);
        for frame in [event(1, "a"), event(2, "b"), event(123, "c"), event(123, "c"), event(124, "d")] {
            session.push_frame(&frame);
        }
        assert_eq!(texts(&session), ["a", "b", "Events are missing here: 120", "c", "d"]);
        assert_eq!(session.position(), 124);
        assert_eq!(session.state().info.id.as_deref(), Some("boats"), "the message says whose event it is");
    }

    #[test]
    fn what_a_bounded_log_has_lost_at_its_start_is_missing_too() {
        let mut session = Session::new();
        session.follows(None);
        session.push_server_sent(
            "message",
            r#"{"type":"user.message","id":"c","data":{"content":"c"}}"#,
            Some(41),
        );
        assert_eq!(texts(&session), ["Events are missing here: 40", "c"]);
        let mut joined = Session::new();
        joined.push_frame(&event(41, "c"));
        assert_eq!(texts(&joined), ["c"], "of a stream that was joined nobody knows where it began");
    }

    #[test]
    fn server_sent_events_are_followed_by_their_ids() {
        let mut session = Session::new();
        session.follows(None);
        for (text, seq) in [("a", 1), ("b", 2), ("c", 5), ("d", 6)] {
            let data = format!(
                r#"{{"type":"assistant.message_delta","ephemeral":true,"id":"{seq}","data":{{"messageId":"m","deltaContent":"{text}"}}}}"#
            );
            let received = session.push_server_sent("message", &data, Some(seq));
            assert_eq!((received.records, received.last_seq), (1, Some(seq)));
        }
        assert_eq!(texts(&session), ["abcd", "Events are missing here: 2"]);
    }

    #[test]
    fn a_line_that_is_no_event_has_its_place_in_the_count() {
        let mut session = Session::new();
        session.follows(None);
        session.push_frame(&event(1, "a"));
        session.push_frame("this is no record");
        session.push_frame(&event(3, "b"));
        assert!(session.state().entries.iter().all(|entry| entry.kind != Kind::Gap));
    }

    #[test]
    fn a_server_that_begins_the_session_again_is_followed_from_the_beginning() {
        let mut session = Session::new();
        session.keep_log();
        session.follows(None);
        for frame in [event(1, "a"), event(2, "b")] {
            session.push_frame(&frame);
        }
        session.take_changes();
        session.started_over();
        session.push_frame(&event(1, "a"));
        assert_eq!(texts(&session), ["a"]);
        assert_eq!(session.take_changes().first(), Some(&crate::Change::Renewed));
        assert_eq!(session.log().map(crate::session::log::Log::len), Some(1));
        session.push_frame(&event(2, "b"));
        assert_eq!(texts(&session), ["a", "b"]);
        assert_eq!(session.state().counters.duplicate, 0);
        session.push_frame(&event(1, "a"));
        assert_eq!(texts(&session), ["a"], "a recording that is played in a loop");
    }

    #[test]
    fn a_server_that_goes_on_with_something_else_keeps_what_came() {
        let mut session = Session::new();
        session.follows(None);
        for frame in [event(1, "a"), event(2, "b")] {
            session.push_frame(&frame);
        }
        session.started_over();
        for frame in [event(1, "x"), event(2, "y")] {
            session.push_frame(&frame);
        }
        assert_eq!(texts(&session), ["a", "b", "Events may be missing here", "x", "y"]);
    }

    #[test]
    fn a_server_that_begins_another_session_is_followed_from_its_beginning() {
        let start = |seq: u64, id: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"{id}","event":{{"type":"session.start","id":"start-{id}","data":{{"sessionId":"{id}"}}}},"seq":{seq}}}}}"#
            )
        };
        let mut session = Session::new();
        session.follows(None);
        for frame in [start(1, "boats"), event(2, "a"), start(1, "ships"), event(2, "b")] {
            session.push_frame(&frame);
        }
        assert_eq!((texts(&session), session.state().info.id.as_deref()), (vec!["b".into()], Some("ships")));
    }

    #[test]
    fn a_server_can_say_itself_that_something_is_missing() {
        let mut session = Session::new();
        session.push_frame(r#"{"jsonrpc":"2.0","method":"pilothouse.gap","params":{"missing":1}}"#);
        session.push_frame(r#"{"jsonrpc":"2.0","method":"pilothouse.gap"}"#);
        assert_eq!(texts(&session), ["An event is missing here", "Events may be missing here"]);
        assert_eq!(session.state().counters.notifications, 0);
    }
}
