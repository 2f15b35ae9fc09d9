//! Checks whether input continues the earlier input: gaps in the server's positions, gaps in the chain of `parentId`, and a
//! server that starts over. Gaps are shown where they are; nobody asks for the missing events. What a server leaves out of a
//! history is not missing: later events supersede it.
//!
//! The chain also works for streams without positions. Each persisted event names the persisted event before it. An event whose
//! parent has not come is a hint, not proof (docs/protocol.md has the rule): parents come late, some are in histories only, and
//! after a resume they are in another file. So a gap is reported only once the parent has had time to come.

use serde_json::Value;

use super::Session;
use super::log::RecordTag;
use crate::i18n::words::connection;
use crate::model::entry::Kind;
use crate::protocol::EventKind;
use crate::reduce::EventMeta;
use crate::wire::Event;
use crate::wire::fields::Fields;

/// The notification with which a server says that its log has a gap at this place.
pub(super) const GAP: &str = "pilothouse.gap";

/// After so many persisted events, a parent that has not come is missing. The latest one in practice was 6 events after
/// its child. Ephemeral ones don't count, because superseded ones may have been left out.
const MAX_EVENTS_BEFORE_PARENT: u64 = 8;

/// How far the server's log was followed.
#[derive(Debug, Default)]
pub(super) struct Continuity {
    /// The id of the very first event.
    first: Option<String>,
    /// The position of the newest event.
    last: Option<u64>,
    /// Records since then that may have a position without naming it.
    unpositioned: u64,
    /// The position that the carrier gave for the next record.
    pub(super) framed: Option<u64>,
    /// Lines of a history are read, whose superseded events were left out.
    pub(super) reads_history: bool,
    /// How many events were left out.
    left_out: u64,
    /// The newest position so far, also where the server's log is read from its beginning once more.
    newest: u64,
    /// The server has started over, and no event has come since.
    over: bool,
    renewed: bool,
    chain: Chain,
}

/// How far the chain of parents has been followed.
#[derive(Debug, Default)]
struct Chain {
    /// A parent was found since the start, or since the last gap. Until then the earlier events are unknown.
    linked: bool,
    /// Events were left out right before, and the next parent may be one of them.
    left_out: bool,
    /// A skill was used: the event with its content, which only histories have, may be the next parent.
    receipt: bool,
    /// The parents that have not come, each with the number of persisted events before the one that named it.
    awaited: Vec<(String, u64)>,
}

impl Chain {
    /// A gap was reported here: parents that are missing in it need no second report.
    fn begin_after_gap(&mut self) {
        self.linked = false;
        self.awaited.clear();
    }

    /// Whether an unknown parent is not a sign of a gap here.
    fn explains_missing_parent(&self, event: &Event<'_>) -> bool {
        // In histories only, binary data is in an event of its own, before the one that names it.
        let binary = || event.data.contains("\"mimeType\"");
        let begins =
            matches!(EventKind::parse(event.kind), EventKind::SessionStart | EventKind::SessionResume);
        !self.linked || self.receipt || self.left_out || begins || binary()
    }
}

impl Session {
    /// The next events follow the one at position `after`, or are the first
    /// of all. Gaps are detected from there on.
    pub fn follow_from(&mut self, after: Option<u64>) {
        let continuity = &mut self.continuity;
        (continuity.last, continuity.unpositioned) = (Some(after.unwrap_or(0)), 0);
    }

    /// The server has started over: it no longer has the events received so far. If its next event is the first
    /// of this session, the session is read from the start again. Any other new event gets a gap before it.
    pub fn restart_positions(&mut self) {
        self.continuity.over = true;
        (self.continuity.last, self.continuity.newest) = (None, 0);
    }

    /// The history goes up to this position: what is missing at its end was left out as well.
    pub fn end_history(&mut self, newest: u64) {
        self.pass_left_out(newest);
        self.follow_from(Some(newest));
    }

    /// How many events the server has left out of the history because later ones supersede them.
    pub fn left_out(&self) -> u64 {
        self.continuity.left_out
    }

    /// The log has what was left out.
    pub(super) fn nothing_is_left_out(&mut self) {
        self.continuity.left_out = 0;
    }

    /// Events up to this position are here or were left out.
    fn pass_left_out(&mut self, to: u64) {
        let known = self.continuity.newest.max(self.position());
        self.continuity.left_out += to.saturating_sub(known);
        self.continuity.chain.left_out |= to > known;
        self.continuity.newest = known.max(to);
    }

    /// Another session follows: drops everything of this one.
    pub fn restart(&mut self) {
        self.reset();
    }

    /// How far the server's log was followed; 0 if it gives no positions.
    pub fn position(&self) -> u64 {
        self.continuity.last.map_or(0, |last| last + self.continuity.unpositioned)
    }

    /// True if the session has begun again and that was not reported yet.
    pub(super) fn has_restarted(&self) -> bool {
        self.continuity.renewed
    }

    /// True once after the session has begun again.
    pub(super) fn take_restarted(&mut self) -> bool {
        std::mem::take(&mut self.continuity.renewed)
    }

    /// Counts a record that names no position.
    pub(super) fn count_unpositioned(&mut self) {
        self.continuity.unpositioned += 1;
    }

    /// Compares an event's position with the one before. Must be called before the event is counted.
    pub(super) fn check_position(&mut self, event: &Event<'_>, known: bool) -> Option<u64> {
        let seq = event.seq.or(self.continuity.framed.take());
        let again = seq == Some(1) && self.continuity.last.is_some_and(|last| last > 0);
        if std::mem::take(&mut self.continuity.over) || again {
            self.continuity.last = None;
            let same = !event.id.is_empty() && self.continuity.first.as_deref() == Some(event.id);
            if same || self.is_start_of_another(event) {
                self.reset();
            } else if !known {
                self.report_missing(None);
            }
        }
        if self.continuity.first.is_none() {
            self.continuity.first = Some(event.id.to_owned());
        }
        let Some(seq) = seq else {
            self.count_unpositioned();
            return None;
        };
        if self.continuity.reads_history {
            self.pass_left_out(seq.saturating_sub(1));
        }
        let continuity = &mut self.continuity;
        continuity.newest = continuity.newest.max(seq);
        let unpositioned = std::mem::take(&mut continuity.unpositioned);
        let last = continuity.last;
        continuity.last = last.max(Some(seq));
        let missing = last.map_or(0, |last| seq.saturating_sub(last + 1).saturating_sub(unpositioned));
        if missing > 0 && !continuity.reads_history {
            self.report_missing(Some(missing));
        }
        Some(seq)
    }

    /// Whether this event starts another session than the one that is shown.
    fn is_start_of_another(&self, event: &Event<'_>) -> bool {
        EventKind::parse(event.kind) == EventKind::SessionStart
            && self.state.info.id.is_some()
            && Fields::parse(event.data)
                .is_ok_and(|mut data| data.non_empty_text("sessionId") != self.state.info.id)
    }

    /// Checks the parent of an event that is not a duplicate. Must be called before the event is counted.
    pub(super) fn check_parent(&mut self, event: &Event<'_>) {
        // That is nearly every event of a stream.
        if event.ephemeral && self.continuity.chain.awaited.is_empty() {
            return;
        }
        let ends =
            matches!(EventKind::parse(event.kind), EventKind::SessionIdle | EventKind::SessionShutdown);
        if event.ephemeral && !ends {
            return;
        }
        let number = self.state.persisted;
        let chain = &mut self.continuity.chain;
        if !chain.awaited.is_empty() {
            chain.awaited.retain(|(parent, _)| *parent != event.id);
            let due = |(_, since): &(String, u64)| {
                ends || number.saturating_sub(*since) >= MAX_EVENTS_BEFORE_PARENT
            };
            if chain.awaited.iter().any(due) {
                self.report_missing(None);
            }
        }
        let parent = event.parent_id.filter(|parent| !parent.is_empty() && *parent != event.id);
        if let Some(parent) = parent.filter(|_| !event.ephemeral) {
            if self.seen.contains(parent) {
                self.continuity.chain.linked = true;
            } else if !self.continuity.chain.explains_missing_parent(event) {
                self.continuity.chain.awaited.push((parent.to_owned(), number));
            } else {
                self.continuity.chain.receipt = false;
            }
        }
        self.continuity.chain.left_out &= event.ephemeral;
        match EventKind::parse(event.kind) {
            EventKind::SkillInvoked | EventKind::SkillInvokedRef => self.continuity.chain.receipt = true,
            EventKind::AssistantTurnEnd
            | EventKind::SkillContextDelivered
            | EventKind::SkillContextDeliveredRef => {
                self.continuity.chain.receipt = false;
            }
            _ => {}
        }
    }

    /// No more input: parents that have not come are missing.
    pub(super) fn report_missing_parents(&mut self) {
        if !self.continuity.chain.awaited.is_empty() {
            self.report_missing(None);
        }
    }

    /// Reports missing events as a server would, so that the log has the gap as well.
    fn report_missing(&mut self, missing: Option<u64>) {
        let params =
            missing.map_or_else(String::new, |missing| ["\"missing\":", &missing.to_string()].concat());
        self.gap(&[r#"{"jsonrpc":"2.0","method":"pilothouse.gap","params":{"#, &params, "}}"].concat());
    }

    /// Shows that events are missing at this place.
    pub(super) fn gap(&mut self, raw: &str) {
        self.continuity.chain.begin_after_gap();
        self.log_record(RecordTag::Other, GAP, None, "", raw);
        let gap = serde_json::from_str::<Value>(raw).unwrap_or_default();
        let missing = gap.pointer("/params/missing").and_then(Value::as_u64);
        if self.continuity.reads_history {
            // These positions are not among those that were left out.
            self.continuity.newest += missing.unwrap_or(0);
        }
        let phrase = match missing {
            Some(missing) => connection::MISSING.phrase(vec![("n", missing.into())]),
            None => connection::MISSING_SOME.into(),
        };
        let meta = EventMeta { ephemeral: true, ..self.next_meta(GAP) };
        let before = self.state.entries.iter().filter(|entry| entry.kind == Kind::Gap).count();
        let place = self.state.add_entry(None, Kind::Gap, format!("gap-{}", before + 1), meta);
        self.state.replace_phrase(place, phrase);
    }

    /// Drops everything, but goes on keeping a log if there was one.
    #[cold]
    #[inline(never)]
    fn reset(&mut self) {
        let log = self.log.as_ref().map(|log| Box::new(log.empty_copy()));
        let reads_history = self.continuity.reads_history;
        *self = Self { log, ..Self::default() };
        (self.continuity.renewed, self.continuity.reads_history) = (true, reads_history);
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
        session.follow_from(None);
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
        session.follow_from(None);
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
        session.follow_from(None);
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
        session.follow_from(None);
        session.push_frame(&event(1, "a"));
        session.push_frame("this is not a record");
        session.push_frame(&event(3, "b"));
        assert!(session.state().entries.iter().all(|entry| entry.kind != Kind::Gap));
    }

    #[test]
    fn a_server_that_begins_the_session_again_is_followed_from_the_beginning() {
        let mut session = Session::new();
        session.keep_log();
        session.follow_from(None);
        for frame in [event(1, "a"), event(2, "b")] {
            session.push_frame(&frame);
        }
        session.take_changes();
        session.restart_positions();
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
        session.follow_from(None);
        for frame in [event(1, "a"), event(2, "b")] {
            session.push_frame(&frame);
        }
        session.restart_positions();
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
        session.follow_from(None);
        for frame in [start(1, "boats"), event(2, "a"), start(1, "ships"), event(2, "b")] {
            session.push_frame(&frame);
        }
        assert_eq!((texts(&session), session.state().info.id.as_deref()), (vec!["b".into()], Some("ships")));
    }

    #[test]
    fn a_parent_that_was_left_out_is_not_missing() {
        let line = |seq: u64, parent: &str, ephemeral: bool| {
            format!(
                "{{\"seq\":{seq},\"event\":{{\"type\":\"user.message\",\"id\":\"e{seq}\",\"parentId\":\"{parent}\",\"ephemeral\":{ephemeral},\"data\":{{\"content\":\"{seq}\"}}}}}}\n"
            )
        };
        let mut session = Session::new();
        session.follow_from(None);
        let lines =
            [line(1, "", false), line(2, "e1", false), line(4, "e3", true), line(5, "e3", false)].concat();
        session.push_history(lines.as_bytes());
        session.end_history(6);
        session.push_frame(&linked("live", Some("e6"), "user.message", ""));
        session.push_frame(&linked("after", Some("unknown"), "user.message", ""));
        for later in 0..9 {
            session.push_frame(&linked(&later.to_string(), Some("after"), "user.message", ""));
        }
        let gaps = session.state().entries.iter().filter(|entry| entry.kind == Kind::Gap).count();
        assert_eq!(gaps, 1, "only the one that was not left out");
    }

    #[test]
    fn what_a_history_leaves_out_is_counted_and_not_missing() {
        let line = |seq: u64| {
            format!(
                r#"{{"seq":{seq},"event":{{"type":"user.message","id":"{seq}","data":{{"content":"{seq}"}}}}}}"#
            )
        };
        let gap = r#"{"seq":2,"text":"{\"jsonrpc\":\"2.0\",\"method\":\"pilothouse.gap\",\"params\":{\"missing\":2}}"}"#;
        let mut session = Session::new();
        session.follow_from(None);
        session.push_history(format!("{gap}\n{}\n{}\n", line(3), line(6)).as_bytes());
        assert_eq!((session.left_out(), session.position()), (2, 6));
        session.end_history(9);
        assert_eq!((session.left_out(), session.position()), (5, 9));
        session.push_frame(&event(10, "live"));
        session.push_frame(&event(12, "hole"));
        let expected = ["Events are missing here: 2", "3", "6", "live", "An event is missing here", "hole"];
        assert_eq!(texts(&session), expected);
        // The same once more, as after a reconnect to the same server.
        session.follow_from(None);
        session.push_history(format!("{}\n{}\n", line(3), line(6)).as_bytes());
        assert_eq!(session.left_out(), 5, "they were counted");
        assert_eq!(session.state().counters.duplicate, 2);
    }

    #[test]
    fn a_server_can_say_itself_that_something_is_missing() {
        let mut session = Session::new();
        session.push_frame(r#"{"jsonrpc":"2.0","method":"pilothouse.gap","params":{"missing":1}}"#);
        session.push_frame(r#"{"jsonrpc":"2.0","method":"pilothouse.gap"}"#);
        assert_eq!(texts(&session), ["An event is missing here", "Events may be missing here"]);
        assert_eq!(session.state().counters.notifications, 0);
    }

    fn linked(id: &str, parent: Option<&str>, kind: &str, more: &str) -> String {
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        format!(
            r#"{{"type":"{kind}","data":{{"content":"{id}"{more}}},"id":"{id}","parentId":{parent}}}{}"#,
            '\n'
        )
    }

    fn says(id: &str, parent: &str) -> String {
        linked(id, Some(parent), "user.message", "")
    }

    fn idle(parent: &str) -> String {
        format!(
            r#"{{"type":"session.idle","data":{{}},"id":"idle","ephemeral":true,"parentId":"{parent}"}}{}"#,
            '\n'
        )
    }

    /// A chain of events from one number to another, each the child of the one before.
    fn chain(from: usize, to: usize) -> String {
        let parent = |number: usize| (number > 0).then(|| format!("e{}", number - 1));
        (from..=to).map(|n| linked(&format!("e{n}"), parent(n).as_deref(), "user.message", "")).collect()
    }

    fn texts_of(input: &str) -> Vec<String> {
        let mut session = Session::new();
        session.push(input.as_bytes());
        session.state().entries.iter().map(|entry| text(entry).into_owned()).collect()
    }

    fn gaps(input: &str) -> usize {
        let mut session = Session::new();
        session.push(input.as_bytes());
        session.end();
        session.state().entries.iter().filter(|entry| entry.kind == Kind::Gap).count()
    }

    const SOME_MISSING: &str = "Events may be missing here";

    #[test]
    fn a_parent_that_does_not_come_is_told_once() {
        let cut = chain(0, 3) + &chain(6, 9);
        assert_eq!(texts_of(&cut).len(), 8, "it may still come");
        assert_eq!(texts_of(&(cut.clone() + &idle("e9"))).last().map(String::as_str), Some(SOME_MISSING));
        assert_eq!(gaps(&(cut.clone() + &cut)), 1, "once, also if everything comes twice");
        assert_eq!(gaps(&cut), 1, "at the end of the input it is missing");
        let long = chain(0, 3) + &chain(6, 40) + &chain(43, 80);
        assert_eq!(
            texts_of(&long).iter().filter(|text| *text == SOME_MISSING).count(),
            2,
            "one for each hole"
        );
    }

    #[test]
    fn a_parent_that_comes_late_is_not_missing() {
        let late = chain(0, 2) + &says("e5", "e4") + &says("e4", "e3") + &says("e3", "e2") + &chain(6, 30);
        assert_eq!(gaps(&late), 0);
    }

    #[test]
    fn what_was_joined_resumed_or_never_had_a_chain_lacks_nothing() {
        assert_eq!(gaps(&chain(5, 30)), 0, "joined in the middle");
        let resumed = chain(0, 3) + &linked("r", Some("gone"), "session.resume", "") + &says("x", "r");
        assert_eq!(gaps(&(resumed + &idle("x"))), 0);
        let loose: String = (0..30).map(|n| says(&format!("e{n}"), &format!("other-{n}"))).collect();
        assert_eq!(gaps(&loose), 0, "whoever never links events keeps no chain");
    }

    #[test]
    fn what_only_histories_have_is_not_missing() {
        let image = r#","attachments":[{"type":"blob","data":"aGk=","mimeType":"image/png"}]"#;
        let asset = chain(0, 3) + &linked("x", Some("asset"), "user.message", image) + &says("y", "x");
        assert_eq!(gaps(&asset), 0);
        let skill = linked("s", Some("e3"), "skill.invoked", "") + &says("x", "receipt") + &says("y", "x");
        assert_eq!(gaps(&(chain(0, 3) + &skill)), 0);
    }

    #[test]
    fn a_gap_that_a_position_tells_is_told_once() {
        let mut session = Session::new();
        for (seq, event) in [(1, chain(0, 0)), (2, chain(1, 1)), (9, chain(8, 8)), (10, chain(9, 9))] {
            let params = format!(r#"{{"event":{},"seq":{seq}}}"#, event.trim_end());
            session.push_frame(&format!(r#"{{"jsonrpc":"2.0","method":"session.event","params":{params}}}"#));
        }
        session.end();
        let reported: Vec<_> =
            session.state().entries.iter().filter(|entry| entry.kind == Kind::Gap).collect();
        assert_eq!(reported.len(), 1);
        assert_eq!(text(reported[0]), "Events are missing here: 6");
    }

    #[test]
    fn what_is_written_down_has_the_gap_and_gives_no_second_one() {
        let mut session = Session::new();
        session.keep_log();
        session.push((chain(0, 3) + &chain(6, 20)).as_bytes());
        let log = session.log().map(|log| (0..log.len()).filter_map(|at| log.text(at)).collect::<Vec<_>>());
        assert_eq!(gaps(&(log.unwrap_or_default().join("\n") + "\n")), 1);
    }
}
