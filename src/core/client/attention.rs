//! What the tab's title says of the sessions and boards on a page, and when a reader who is not looking is notified.

use std::sync::Arc;

use crate::i18n::Word;
use crate::i18n::format::without_marks;
use crate::i18n::words::{page, panel};
use crate::model::entry::{Entry, EntryState, Kind};
use crate::model::state::State;
use crate::text::hidden;
use crate::view_model::interrupted_turn::may_end_turn;
use crate::view_model::{entry_words, snapshot};

/// How many characters a notification has.
const LENGTH: usize = 200;

/// How much a session needs to be looked at; the highest on the page counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Nothing happens.
    #[default]
    Nothing,
    /// A turn runs.
    Running,
    /// A person must act.
    Person,
}

impl Need {
    /// What a session with this status word needs.
    pub fn of(status: &str) -> Self {
        match status {
            "waiting" => Self::Person,
            "running" => Self::Running,
            _ => Self::Nothing,
        }
    }

    fn mark(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Running => "● ",
            Self::Person => "! ",
        }
    }
}

/// What the sessions and boards on a page need.
#[derive(Debug, Clone, Default)]
pub struct Attention {
    sessions: Vec<(u32, Need)>,
    /// How many sessions wait on each board.
    boards: Vec<(u32, usize)>,
    /// The number of the newest session or board.
    newest: u32,
    /// A board has been on the page, so a number in front of the title may be its.
    counts: bool,
    /// The title has marks.
    marked: bool,
}

impl Attention {
    /// The number of a new session or board.
    pub fn enter(&mut self) -> u32 {
        self.newest = self.newest.wrapping_add(1);
        self.newest
    }

    /// A session needs this.
    pub fn session(&mut self, number: u32, need: Need) {
        self.sessions.retain(|(other, _)| *other != number);
        self.sessions.push((number, need));
    }

    /// So many sessions of a board wait for a person.
    pub fn board(&mut self, number: u32, waiting: usize) {
        self.counts = true;
        self.boards.retain(|(other, _)| *other != number);
        self.boards.push((number, waiting));
    }

    /// A session or a board is gone.
    pub fn leave(&mut self, number: u32) {
        self.sessions.retain(|(other, _)| *other != number);
        self.boards.retain(|(other, _)| *other != number);
    }

    /// The highest need of the sessions.
    pub fn need(&self) -> Need {
        self.sessions.iter().map(|(_, need)| *need).max().unwrap_or_default()
    }

    /// The title with the marks of what is needed now; `None` leaves it as it is. The page may have changed its title since
    /// the last marks.
    pub fn title(&mut self, shown: &str) -> Option<String> {
        let waiting = self.boards.iter().map(|(_, waiting)| waiting).max().filter(|waiting| **waiting > 0);
        let count = waiting.map(|waiting| format!("({waiting}) ")).unwrap_or_default();
        let marks = [self.need().mark(), &count].concat();
        let was_marked = std::mem::replace(&mut self.marked, !marks.is_empty());
        let title = || marks.clone() + self.without_marks(shown);
        (was_marked || self.marked).then(title).filter(|title| title != shown)
    }

    fn without_marks<'a>(&self, mut title: &'a str) -> &'a str {
        let count = |title: &'a str| {
            let (number, rest) = title.strip_prefix('(')?.split_once(") ")?;
            (self.counts && number.parse::<usize>().is_ok()).then_some(rest)
        };
        let mark = |title: &'a str| title.strip_prefix("● ").or_else(|| title.strip_prefix("! "));
        while let Some(rest) = mark(title).or_else(|| count(title)) {
            title = rest;
        }
        title
    }
}

/// What has come of the work, for who listens: that the agent has replied, or how else the work ended, in the words of its row.
pub fn outcome(state: &State) -> Option<String> {
    let ends = |entry: &&Arc<Entry>| entry.kind == Kind::Assistant || may_end_turn(entry);
    let last = state.entries.iter().rev().take(20).find(ends)?;
    if may_end_turn(last) {
        return Some(entry_words::text(last).chars().take(LENGTH).collect());
    }
    (last.state == EntryState::Done).then(|| page::REPLIED.text().to_owned())
}

/// What a reader is told who is not looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// What has happened.
    pub title: String,
    /// What is asked, or which session it is.
    pub words: String,
}

/// What to tell when the status word has changed from `before`: that a person is needed, or that the work is done. Of what
/// happened before the page was loaded nothing is told; then `before` is empty, or the history has not arrived.
pub fn notification(
    before: &str,
    state: &State,
    is_readonly: bool,
    has_history: bool,
) -> Option<Notification> {
    let title: Word = match (before, state.status()) {
        (_, "waiting") if is_readonly => page::WAITING_READ_ONLY,
        (_, "waiting") => panel::TOLD_NEEDED,
        ("running" | "waiting", "idle") => panel::TOLD_DONE,
        ("running" | "waiting", "error") => panel::TOLD_FAILED,
        _ => return None,
    };
    if before.is_empty() || !has_history {
        return None;
    }
    let first = state.open_requests.first().and_then(|place| state.entry(*place));
    let words = first.map(asked).or_else(|| self::title(state)).unwrap_or_default();
    let words = hidden::named(&words).chars().take(LENGTH).collect();
    Some(Notification { title: title.text().to_owned(), words })
}

/// What a request asks.
pub fn asked(request: &Entry) -> String {
    let words = entry_words::text(request);
    // Every character of a command or a path counts, so none is taken for markup.
    if request.kind == Kind::Permission { words.into_owned() } else { without_marks(&words) }
}

/// Which session it is.
pub fn title(state: &State) -> Option<String> {
    snapshot::title(state).map(|title| without_marks(&title))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Attention, Need, notification, outcome};
    use crate::Session;

    #[test]
    fn who_listens_hears_how_the_work_has_ended() {
        let said = |ends: &[serde_json::Value]| {
            let mut session = Session::new();
            session.push_frame(&json!({ "type": "assistant.message", "id": "m", "data": { "messageId": "m", "content": "Done" } }).to_string());
            for end in ends {
                session.push_frame(&end.to_string());
            }
            outcome(session.state())
        };
        let stop = json!({ "type": "abort", "id": "a", "data": { "reason": "user_initiated" } });
        let error = json!({ "type": "session.error", "id": "e", "data": { "errorType": "query", "message": "No model answers" } });
        assert_eq!(said(&[]).as_deref(), Some("The agent has replied"));
        assert_eq!(said(&[stop]).as_deref(), Some("Stopped by you"));
        assert!(said(&[error]).unwrap().contains("No model answers"));
    }

    #[test]
    fn the_title_has_one_mark_of_the_sessions_and_one_of_the_boards() {
        let mut attention = Attention::default();
        let (one, two, board) = (attention.enter(), attention.enter(), attention.enter());
        attention.board(board, 0);
        for own in ["(3) Mail", "! Mail", "Mail"] {
            assert_eq!(attention.title(own), None, "that is the page's own");
        }
        let mut title = "Boats".to_owned();
        let mut seen = Vec::new();
        let mut show = |attention: &mut Attention| {
            title = attention.title(&title).unwrap();
            assert_eq!(attention.title(&title), None);
            seen.push(title.clone());
        };
        attention.session(one, Need::of("running"));
        show(&mut attention);
        attention.session(two, Need::of("waiting"));
        show(&mut attention);
        attention.board(board, 2);
        show(&mut attention);
        attention.board(board, 12);
        show(&mut attention);
        attention.session(two, Need::of("idle"));
        show(&mut attention);
        attention.leave(one);
        show(&mut attention);
        attention.leave(board);
        show(&mut attention);
        assert_eq!(
            seen,
            ["● Boats", "! Boats", "! (2) Boats", "! (12) Boats", "● (12) Boats", "(12) Boats", "Boats"]
        );
    }

    #[test]
    fn a_title_that_the_page_has_changed_or_taken_up_is_marked_once() {
        let mut attention = Attention::default();
        let (session, board) = (attention.enter(), attention.enter());
        attention.session(session, Need::Person);
        let title = |attention: &mut Attention, shown: &str| attention.title(shown).unwrap();
        assert_eq!(title(&mut attention, "Other"), "! Other");
        assert_eq!(title(&mut attention, "● Other"), "! Other", "an old mark");
        attention.board(board, 0);
        assert_eq!(title(&mut attention, "! (2) ● Other"), "! Other");
        assert_eq!(title(&mut attention, "(draft) Other"), "! (draft) Other");
        assert_eq!(title(&mut attention, ""), "! ");
    }

    fn session(kinds: &[&str]) -> Session {
        let mut session = Session::new();
        for kind in kinds {
            let data = match *kind {
                "user.message" => json!({ "content": "Paint the boats", "messageId": "m" }),
                "permission.requested" => {
                    let command = "paint ".repeat(90);
                    let asked = json!({ "kind": "shell", "fullCommandText": command, "commands": [] });
                    json!({ "requestId": "p", "permissionRequest": asked })
                }
                "session.error" => json!({ "message": "No paint", "errorType": "query" }),
                _ => json!({ "turnId": "0" }),
            };
            session.push_frame(&json!({ "type": kind, "id": kind, "data": data }).to_string());
        }
        session
    }

    #[test]
    fn who_is_not_looking_is_told_what_is_asked_and_what_is_done() {
        const BEGUN: [&str; 2] = ["user.message", "assistant.turn_start"];
        let with = |more: &[&'static str]| session(&[&BEGUN[..], more].concat());
        let told = |before: &str, session: &Session, is_readonly, has_history| {
            notification(before, session.state(), is_readonly, has_history)
                .map(|told| (told.title, told.words))
        };
        let asks = with(&["permission.requested"]);
        let (title, words) = told("running", &asks, false, true).unwrap();
        assert!(words.contains("paint paint") && words.chars().count() == 200, "{words}");
        assert_ne!(told("running", &asks, true, true).unwrap().0, title, "who only looks is not needed");
        assert_eq!(told("", &asks, false, true), None, "it was so when the page came");
        assert_eq!(told("running", &asks, false, false), None, "it is history");
        let mut hiding = with(&[]);
        let command = json!({ "kind": "shell", "fullCommandText": "cat ok\u{202E}gpj.exe", "commands": [] });
        let data = json!({ "requestId": "h", "permissionRequest": command });
        hiding.push_frame(&json!({ "type": "permission.requested", "id": "h", "data": data }).to_string());
        let words = told("running", &hiding, false, true).unwrap().1;
        assert!(words.contains("ok[right-to-left override]gpj.exe"), "{words}");
        let done = with(&["assistant.turn_end", "session.idle"]);
        assert_eq!(told("running", &done, false, true).unwrap().1, "Paint the boats");
        assert_eq!(told("error", &done, false, true), None);
        let failed = with(&["session.error", "session.idle"]);
        assert!(told("running", &failed, false, true).is_some());
        assert_eq!(told("idle", &with(&[]), false, true), None, "a turn that begins");
    }
}
