//! The one line that is left of a request that can't be answered any more.

use crate::i18n;
use crate::i18n::format::without_marks;
use crate::i18n::words::requests;
use crate::model::request::{AnsweredBy, Ending, RequestKind, RequestStage};
use crate::model::state::State;
use crate::view_model::entry_words::{request_gone, request_outcome, request_taken, settled_outcome, text};

/// Most characters of what a request was about that its line shows; the tool call below shows all of it.
const ABOUT: usize = 160;

/// How a request ended, for its icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettledOutcome {
    /// It was allowed or answered.
    Taken,
    /// It was refused.
    Refused,
    /// Nobody can answer it any more.
    Gone,
}

/// The line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledRequest {
    /// How it ended.
    pub outcome: SettledOutcome,
    /// The same in words.
    pub words: String,
    /// What the request was about; empty if the row above says it.
    pub about: String,
    /// Whether `about` is a command, a path or a name, which is shown as code.
    pub code: bool,
    /// What a person wrote with an answer that may not have arrived.
    pub unheard: Option<String>,
}

impl SettledRequest {
    /// What is left of the request in this row; `None` while it can be answered.
    pub fn of(state: &State, row: usize) -> Option<Self> {
        let entry = state.entry(row)?;
        let request = entry.request()?;
        let code = matches!(
            request.kind,
            RequestKind::Permission
                | RequestKind::ExternalTool
                | RequestKind::QueuedCommand
                | RequestKind::Command
        );
        let text = text(entry);
        let mut unheard = None;
        let of = |refused| if refused { SettledOutcome::Refused } else { SettledOutcome::Taken };
        // Whether the words say more than the outcome.
        let (outcome, words, says_more) = match &request.stage {
            RequestStage::Settled { ending, .. } if request.answerer.is_some() => {
                let says_more = has_words(ending);
                (of(ending.is_refusal()), settled_outcome(request, ending), says_more)
            }
            RequestStage::Settled { ending, by: AnsweredBy::Elsewhere } => {
                let outcome = lowercase_first(&request_outcome(ending));
                let words = requests::ANSWERED_ELSEWHERE.with(&[("outcome", (&outcome).into())]);
                (of(ending.is_refusal()), words, true)
            }
            RequestStage::Settled { ending, .. } => {
                (of(ending.is_refusal()), request_outcome(ending), has_words(ending))
            }
            RequestStage::Taken(answer) => {
                (of(answer.is_refusal()), request_taken(answer), has_words(answer))
            }
            RequestStage::Stale { why, reply } => {
                unheard = reply.as_ref().map(|reply| reply.words().into_owned());
                (SettledOutcome::Gone, request_gone(*why).to_owned(), false)
            }
            RequestStage::Waiting | RequestStage::Sending(_) | RequestStage::Unsure(_) => return None,
        };
        let about =
            if call_is_above(state, row) { String::new() } else { beginning(request.kind, text.trim()) };
        let words = if code && !says_more && !about.is_empty() {
            requests::LEFT_ABOUT.with(&[("outcome", (&words).into())])
        } else {
            words
        };
        Some(Self { outcome, words, about, code, unheard })
    }
}

/// Whether an ending has words of the agent's or of a person's.
fn has_words(ending: &Ending) -> bool {
    ending.reply.is_some() || ending.option.is_some()
}

/// The first line of what was asked.
fn beginning(kind: RequestKind, text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    // Every character of a command or a path counts, so none is taken for markup.
    let is_prose =
        matches!(kind, RequestKind::ExitPlanMode | RequestKind::UserInput | RequestKind::Elicitation);
    let words = if is_prose { without_marks(first) } else { first.to_owned() };
    let mut about: String = words.chars().take(ABOUT).collect();
    if about.len() < words.len() || first.len() < text.len() {
        about.truncate(about.trim_end().len());
        about.push('…');
    }
    about
}

/// Whether the last visible row above a request is the tool call that it was for, which says what it was about.
fn call_is_above(state: &State, row: usize) -> bool {
    let call = state.entry(row).and_then(|entry| entry.request()?.tool_call_id.as_deref());
    let above = (0..row).rev().find(|row| state.entry(*row).is_some_and(|entry| entry.ui_visible));
    call.is_some_and(|call| above.is_some() && state.tool_place(call) == above)
}

/// A text in the middle of a sentence: a small first letter. ASCII only, since a table of all letters would
/// be larger than all cards. Other languages keep theirs: German nouns have capitals, the rest has none.
pub fn lowercase_first(words: &str) -> String {
    if i18n::current().is_some() {
        return words.to_owned();
    }
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        std::iter::once(first.to_ascii_lowercase()).chain(letters).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    const COMMAND: &str = r#"{"kind":"shell","toolCallId":"c","fullCommandText":"make all"}"#;
    const CALL: &str = r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"make all"}}}"#;

    fn asked(permission: &str) -> String {
        format!(
            r#"{{"type":"permission.requested","id":"p","data":{{"requestId":"r","permissionRequest":{permission}}}}}"#
        )
    }

    fn ended(result: &str) -> String {
        format!(
            r#"{{"type":"permission.completed","id":"q","data":{{"requestId":"r","result":{{"kind":"{result}"}}}}}}"#
        )
    }

    fn left(events: &[&str]) -> Option<SettledRequest> {
        let mut session = Session::new();
        session.push_frame(&events.concat());
        let row = session.state().entries.iter().position(|entry| entry.request().is_some()).unwrap();
        SettledRequest::of(session.state(), row)
    }

    #[test]
    fn who_answered_stands_at_the_answer() {
        let by = |who: &str| {
            format!(
                r#"{{"type":"pilothouse.answered","id":"w","ephemeral":true,"source":"pilothouse","data":{{"requestId":"r","who":"{who}","decision":"approve-once"}}}}"#
            )
        };
        let (approved, rejected) = (ended("approved"), ended("denied-interactively-by-user"));
        let words = |events: &[&str]| left(events).unwrap().words;
        assert_eq!(words(&[&asked(COMMAND), &approved, &by("Ana")]), "Allowed once by Ana:");
        assert_eq!(words(&[&asked(COMMAND), &by("Ana"), &approved]), "Allowed once by Ana:");
        assert!(words(&[CALL, &asked(COMMAND), &rejected, &by("Ana")]).ends_with(" by Ana"));
        assert!(!words(&[&asked(COMMAND), &approved, &by("A\\u202ena")]).contains('\u{202e}'));
        let reply = r#"{"type":"permission.completed","id":"q","data":{"requestId":"r","result":{"kind":"denied-interactively-by-user","feedback":"not now"}}}"#;
        assert_eq!(words(&[&asked(COMMAND), reply, &by("Ana")]), "Rejected by Ana: not now");
        assert_eq!(left(&[&asked(COMMAND), &by("Ana")]), None, "it waits until it has ended");
    }

    #[test]
    fn the_agents_option_stands_there_by_its_name_and_so_does_who_chose_it() {
        let ended = |result: &str, option: &str| {
            format!(
                r#"{{"type":"permission.completed","id":"q","data":{{"requestId":"r","result":{result},"agentOption":"{option}"}}}}"#
            )
        };
        let by = r#"{"type":"pilothouse.answered","id":"w","ephemeral":true,"source":"pilothouse","data":{"requestId":"r","who":"Ana","decision":"approve-for-session","optionId":"always"}}"#;
        let always = ended(r#"{"kind":"approved-for-session"}"#, "Always allow touch");
        let refused = ended(r#"{"kind":"denied-interactively-by-user","feedback":"Use printf"}"#, "Deny");
        let words = |events: &[&str]| left(events).unwrap().words;
        assert_eq!(words(&[&asked(COMMAND), &always]), "Allowed: “Always allow touch”");
        assert_eq!(words(&[&asked(COMMAND), &always, by]), "Allowed by Ana: “Always allow touch”");
        assert_eq!(words(&[CALL, &asked(COMMAND), &refused]), "Rejected: Use printf");
        assert_eq!(
            words(&[&asked(COMMAND), &ended("{}", "Ask my supervisor")]),
            "Decided: “Ask my supervisor”"
        );
        // A name that says no more than the outcome is not said beside it.
        let once = r#"{"kind":"approved"}"#;
        for (result, option, said) in [
            (once, "Allow", "Allowed"),
            (once, "Allow once", "Allowed once"),
            (once, "Yes, proceed", "Allowed: “Yes, proceed”"),
            (r#"{"kind":"denied-interactively-by-user"}"#, "Reject", "Rejected"),
            (r#"{"kind":"approved-for-session"}"#, "Allow", "Allowed: “Allow”"),
        ] {
            assert_eq!(words(&[CALL, &asked(COMMAND), &ended(result, option)]), said);
        }
        let line = left(&[&asked(COMMAND), &always]).unwrap();
        assert_eq!((line.about.as_str(), line.outcome), ("make all", SettledOutcome::Taken));
        assert_eq!(left(&[&asked(COMMAND), &refused]).unwrap().outcome, SettledOutcome::Refused);
    }

    #[test]
    fn a_request_that_waits_has_no_such_line() {
        assert_eq!(left(&[&asked(COMMAND)]), None);
    }

    #[test]
    fn the_line_says_how_it_ended_and_what_it_was_about() {
        for (result, outcome) in [
            ("approved", SettledOutcome::Taken),
            ("approved-for-session", SettledOutcome::Taken),
            ("denied-interactively-by-user", SettledOutcome::Refused),
            ("denied-by-rules", SettledOutcome::Refused),
        ] {
            let line = left(&[&asked(COMMAND), &ended(result)]).unwrap();
            assert_eq!(
                (line.outcome, line.about.as_str(), line.code),
                (outcome, "make all", true),
                "{result}"
            );
        }
        let gone = left(&[&asked(COMMAND), r#"{"type":"session.shutdown","id":"s","data":{}}"#]).unwrap();
        assert_eq!((gone.outcome, gone.about.as_str()), (SettledOutcome::Gone, "make all"));
    }

    #[test]
    fn the_call_right_above_is_not_said_again() {
        let line = left(&[CALL, &asked(COMMAND), &ended("approved")]).unwrap();
        assert_eq!((line.about.as_str(), line.outcome), ("", SettledOutcome::Taken));
        let notice = r#"{"type":"session.warning","id":"w","data":{"warningType":"x","message":"Look"}}"#;
        let apart = left(&[CALL, notice, &asked(COMMAND), &ended("approved")]).unwrap();
        assert_eq!(apart.about, "make all");
    }

    #[test]
    fn long_or_many_lines_are_cut_and_say_so() {
        let long = "x".repeat(ABOUT + 1);
        for (text, expected) in [
            ("make", "make".to_owned()),
            ("\n  \nmake  \nmore", "make…".to_owned()),
            (long.as_str(), format!("{}…", "x".repeat(ABOUT))),
            (&"é".repeat(ABOUT), "é".repeat(ABOUT)),
            ("# A plan\nfirst", "# A plan…".to_owned()),
        ] {
            assert_eq!(beginning(RequestKind::Permission, text.trim()), expected);
        }
        assert_eq!(beginning(RequestKind::ExitPlanMode, "# A plan\nfirst"), "A plan…");
        assert_eq!(beginning(RequestKind::UserInput, "Use **markdown**?"), "Use markdown?");
    }
}
