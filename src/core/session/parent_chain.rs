//! Notices missing events by the chain of `parentId`, which also works for streams without positions.
//!
//! Each persisted event names the persisted event before it. An event whose parent has not come is a hint, no
//! proof (docs/protocol.md has the rule): parents come late, some are in histories only, and after a resume
//! they are in another file. So a gap is reported only once the parent has had time to come.

use super::Session;
use super::continuity::GAP_SOMEWHERE;
use crate::protocol::EventKind;
use crate::wire::Event;

/// After so many events, a parent that has not come is missing. The latest one
/// in practice came 6 events after its child.
const PATIENCE: u64 = 8;

/// How far the chain has been followed.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// A parent was found since the start, or since the last gap. Until then it is unknown what came before.
    linked: bool,
    /// A skill was used: the event with its content, which only histories have, may be the next parent.
    receipt: bool,
    /// The parents that have not come, each with the number of the event that named it.
    awaited: Vec<(String, u64)>,
}

impl Chain {
    /// A gap was reported here: parents that are missing in it need no second report.
    pub(super) fn gap_told(&mut self) {
        self.linked = false;
        self.awaited.clear();
    }

    /// Whether an unknown parent is no sign of a gap here.
    fn excuses(&self, event: &Event<'_>) -> bool {
        // In histories only, binary data is in an event of its own, before the one that names it.
        let binary = || event.data.contains("\"mimeType\"");
        let begins =
            matches!(EventKind::parse(&event.kind), EventKind::SessionStart | EventKind::SessionResume);
        !self.linked || self.receipt || begins || binary()
    }
}

impl Session {
    /// Checks the parent of an event that is no duplicate. Must be called before the event is counted.
    pub(super) fn chained(&mut self, event: &Event<'_>) {
        // That is nearly every event of a stream.
        if event.ephemeral && self.chain.awaited.is_empty() {
            return;
        }
        let ends =
            matches!(EventKind::parse(&event.kind), EventKind::SessionIdle | EventKind::SessionShutdown);
        if event.ephemeral && !ends {
            return;
        }
        let number = self.number;
        let chain = &mut self.chain;
        if !chain.awaited.is_empty() {
            chain.awaited.retain(|(parent, _)| *parent != event.id);
            let due = |(_, since): &(String, u64)| ends || number.saturating_sub(*since) >= PATIENCE;
            if chain.awaited.iter().any(due) {
                self.parent_missing();
            }
        }
        let parent = event.parent_id.as_deref().filter(|parent| !parent.is_empty() && *parent != event.id);
        if let Some(parent) = parent.filter(|_| !event.ephemeral) {
            if self.seen.contains(parent) {
                self.chain.linked = true;
            } else if !self.chain.excuses(event) {
                self.chain.awaited.push((parent.to_owned(), number));
            } else {
                self.chain.receipt = false;
            }
        }
        match EventKind::parse(&event.kind) {
            EventKind::SkillInvoked | EventKind::SkillInvokedRef => self.chain.receipt = true,
            EventKind::AssistantTurnEnd
            | EventKind::SkillContextDelivered
            | EventKind::SkillContextDeliveredRef => {
                self.chain.receipt = false;
            }
            _ => {}
        }
    }

    /// No more input: parents that have not come are missing.
    pub(super) fn chain_ended(&mut self) {
        if !self.chain.awaited.is_empty() {
            self.parent_missing();
        }
    }

    /// Reports a gap once, as a server would, so that the log has it as well.
    fn parent_missing(&mut self) {
        self.gap(GAP_SOMEWHERE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::entry::Kind;
    use crate::view_model::entry_words::text;

    fn event(id: &str, parent: Option<&str>, kind: &str, more: &str) -> String {
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
        format!(
            r#"{{"type":"{kind}","data":{{"content":"{id}"{more}}},"id":"{id}","parentId":{parent}}}{}"#,
            '\n'
        )
    }

    fn says(id: &str, parent: &str) -> String {
        event(id, Some(parent), "user.message", "")
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
        (from..=to).map(|n| event(&format!("e{n}"), parent(n).as_deref(), "user.message", "")).collect()
    }

    fn texts(input: &str) -> Vec<String> {
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

    const GAP: &str = "Events may be missing here";

    #[test]
    fn a_parent_that_does_not_come_is_told_once() {
        let cut = chain(0, 3) + &chain(6, 9);
        assert_eq!(texts(&cut).len(), 8, "it may still come");
        assert_eq!(texts(&(cut.clone() + &idle("e9"))).last().map(String::as_str), Some(GAP));
        assert_eq!(gaps(&(cut.clone() + &cut)), 1, "once, also if everything comes twice");
        assert_eq!(gaps(&cut), 1, "at the end of the input it is missing");
        let long = chain(0, 3) + &chain(6, 40) + &chain(43, 80);
        assert_eq!(texts(&long).iter().filter(|text| *text == GAP).count(), 2, "one for each hole");
    }

    #[test]
    fn a_parent_that_comes_late_is_not_missing() {
        let late = chain(0, 2) + &says("e5", "e4") + &says("e4", "e3") + &says("e3", "e2") + &chain(6, 30);
        assert_eq!(gaps(&late), 0);
    }

    #[test]
    fn what_was_joined_resumed_or_never_had_a_chain_lacks_nothing() {
        assert_eq!(gaps(&chain(5, 30)), 0, "joined in the middle");
        let resumed = chain(0, 3) + &event("r", Some("gone"), "session.resume", "") + &says("x", "r");
        assert_eq!(gaps(&(resumed + &idle("x"))), 0);
        let loose: String = (0..30).map(|n| says(&format!("e{n}"), &format!("other-{n}"))).collect();
        assert_eq!(gaps(&loose), 0, "whoever never links events keeps no chain");
    }

    #[test]
    fn what_only_histories_have_is_not_missing() {
        let image = r#","attachments":[{"type":"blob","data":"aGk=","mimeType":"image/png"}]"#;
        let asset = chain(0, 3) + &event("x", Some("asset"), "user.message", image) + &says("y", "x");
        assert_eq!(gaps(&asset), 0);
        let skill = event("s", Some("e3"), "skill.invoked", "") + &says("x", "receipt") + &says("y", "x");
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
        let told: Vec<_> = session.state().entries.iter().filter(|entry| entry.kind == Kind::Gap).collect();
        assert_eq!(told.len(), 1);
        assert_eq!(text(told[0]), "Events are missing here: 6");
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
