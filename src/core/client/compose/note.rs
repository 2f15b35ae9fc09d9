//! The notes above the field, and when those go that speak of something that passes.

use crate::i18n::words::composer as words;
use crate::model::state::State;
use crate::protocol::ErrorReason;
use crate::protocol::call::CallFailure;

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Information.
    Info(String),
    /// Something went wrong.
    Error(String),
    /// A call found no connection.
    Unsent(String),
    /// The output of a command.
    Output {
        /// The command.
        title: String,
        /// Its answer.
        text: String,
    },
    /// A command that needs a choice.
    Choice {
        /// The question.
        title: String,
        /// What is put into the field, and its description.
        options: Vec<(String, String)>,
    },
}

impl Note {
    /// Information.
    pub fn info(words: &str) -> Self {
        Self::Info(words.to_owned())
    }

    /// Why a call failed.
    pub fn failed(failure: &CallFailure) -> Self {
        match failure.reason {
            Some(ErrorReason::MethodNotFound | ErrorReason::Recording) => {
                Self::Error(words::UNKNOWN_METHOD.text().to_owned())
            }
            _ if failure.unsent => Self::Unsent(failure.words.clone()),
            _ => Self::Error(failure.words.clone()),
        }
    }
}

/// What a note speaks of besides what a person has just done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The turn that ran then, or that none did.
    Turn {
        /// A turn ran.
        busy: bool,
    },
    /// The message in the queue with this id.
    Queued(String),
}

impl About {
    pub(super) fn is_over(&self, state: &State) -> bool {
        match self {
            Self::Turn { busy } => state.is_busy() != *busy,
            Self::Queued(id) => {
                state.queue.items.as_ref().is_some_and(|items| !items.iter().any(|item| item.id == *id))
            }
        }
    }
}

/// Why a text is sent only on the second try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// It begins with a command of this name, which there is not: it would go to the agent as text.
    UnknownCommand(String),
    /// The same message may have arrived already.
    MayHaveArrived,
}

impl Doubt {
    /// The question, for people.
    pub fn words(&self) -> String {
        match self {
            Self::UnknownCommand(name) => words::AS_TEXT.with(&[("name", name.into())]),
            Self::MayHaveArrived => words::MAYBE_TWICE.text().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::About;
    use crate::Session;

    fn session(events: &[Value]) -> Session {
        let mut session = Session::new();
        for event in events {
            session.push_frame(&event.to_string());
        }
        session
    }

    #[test]
    fn a_note_about_a_turn_goes_when_it_begins_or_ends() {
        let start = json!({ "type": "assistant.turn_start", "id": "t", "data": { "turnId": "0" } });
        let end = json!({ "type": "session.idle", "id": "i", "data": {} });
        let (rests, runs) = (session(&[]), session(std::slice::from_ref(&start)));
        let ended = session(&[start, end]);
        let over = |busy: bool, session: &Session| About::Turn { busy }.is_over(session.state());
        assert_eq!([over(true, &runs), over(true, &ended)], [false, true]);
        assert_eq!([over(false, &rests), over(false, &runs)], [false, true]);
    }

    #[test]
    fn a_note_about_a_queued_message_goes_with_it() {
        let about = About::Queued("a".to_owned());
        let item = |id: &str| json!({ "id": id, "kind": "message", "displayText": id, "prompt": id });
        let with = |ids: &[&str]| {
            let mut session = Session::new();
            let items: Vec<_> = ids.iter().map(|id| item(id)).collect();
            session.set_queue(json!({ "items": items }));
            about.is_over(session.state())
        };
        assert!(!about.is_over(Session::new().state()), "nothing is known of the queue");
        assert_eq!([with(&["b", "a"]), with(&["b"]), with(&[])], [false, true, true]);
    }
}
