//! The words for relations: a name for the legend, a sentence for the entry.

use super::{Cause, Difference, Relation};
use crate::i18n::format::grouped;
use crate::i18n::words::lens;
use crate::i18n::{Value, Word};
use crate::model::model_context::{Removal, Role};

/// The name of a role, for people.
pub fn role_name(role: Role) -> &'static str {
    let name = match role {
        Role::System => lens::ROLE_SYSTEM,
        Role::Developer => lens::ROLE_DEVELOPER,
        Role::User => lens::ROLE_USER,
        Role::Assistant => lens::ROLE_ASSISTANT,
        Role::Tool => lens::ROLE_TOOL,
    };
    name.text()
}

impl Relation {
    /// Its name in the legend.
    pub fn name(&self) -> &'static str {
        let name = match self {
            Self::Sees => lens::SEES,
            Self::Differs(_) => lens::DIFFERS,
            Self::PeopleOnly => lens::PEOPLE_ONLY,
            Self::LiveOnly => lens::LIVE_ONLY,
            Self::NoLonger(_) => lens::NO_LONGER,
            Self::Elsewhere(_) => lens::ELSEWHERE,
        };
        name.text()
    }

    /// The details; `None` if the name says everything.
    pub fn what(&self) -> Option<String> {
        let what = match self {
            Self::Sees | Self::PeopleOnly => return None,
            Self::Differs(difference) => return Some(difference.words()),
            Self::LiveOnly => lens::NOT_IN_LOG,
            Self::NoLonger(Cause::Compacted(_)) => lens::GONE_COMPACTED,
            Self::NoLonger(Cause::Truncated) => lens::GONE_TRUNCATED,
            Self::NoLonger(Cause::Rewound) => lens::GONE_REWOUND,
            Self::NoLonger(Cause::Cleared) => lens::GONE_CLEARED,
            Self::Elsewhere(agent) if agent.is_empty() => lens::MAIN_AGENT_SEES,
            Self::Elsewhere(_) => lens::SUB_AGENT_SEES,
        };
        Some(what.text().to_owned())
    }
}

impl Difference {
    fn words(&self) -> String {
        let characters = |number: &usize| figure(*number, lens::CHARACTERS);
        let what = match self {
            Self::Wrapped(tags) if tags.is_empty() => lens::WRAPPED,
            Self::Wrapped(tags) => {
                let names: Vec<_> = tags.iter().map(|tag| format!("<{tag}>")).collect();
                return lens::WRAPPED_IN.with(&[("tags", (&names.join(", ")).into())]);
            }
            Self::Reworded => lens::REWORDED,
            Self::Text(length) => return lens::A_TEXT.with(&[("size", (&characters(length)).into())]),
            Self::Shortened(length, whole) => {
                let (size, whole) = (characters(length), characters(whole));
                return lens::SHORTENED.with(&[("size", (&size).into()), ("whole", (&whole).into())]);
            }
            Self::LastLine => lens::LAST_LINE,
            Self::CallOnly { waits: true } => lens::CALL_WAITS,
            Self::CallOnly { waits: false } => lens::CALL_ONLY,
            Self::Summary(messages) => {
                let size = figure(*messages, lens::MESSAGES);
                return lens::SUMMARY.with(&[("size", (&size).into())]);
            }
        };
        what.text().to_owned()
    }
}

impl Removal {
    /// What happened, in one line: 'Compacted: 14 messages, 12.3 k → 2.1 k tokens'.
    pub fn words(&self) -> String {
        let messages = figure(self.messages.len(), lens::MESSAGES);
        let messages = ("messages", Value::Text(&messages));
        match self.cause {
            Cause::Compacted(Some((before, after))) => {
                let (before, after) = (Value::Count(before), Value::Count(after));
                lens::COMPACTED_TOKENS.with(&[messages, ("before", before), ("after", after)])
            }
            Cause::Compacted(None) => lens::COMPACTED.with(&[messages]),
            Cause::Truncated => lens::TRUNCATED.with(&[messages]),
            Cause::Rewound => lens::REWOUND.with(&[messages]),
            Cause::Cleared => lens::CLEARED.with(&[messages]),
        }
    }
}

/// A number of things: `1 message`, `4,120 characters`.
pub fn figure(number: usize, things: Word) -> String {
    things.with(&[("n", number.into()), ("figure", (&grouped(number)).into())])
}
