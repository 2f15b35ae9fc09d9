//! The relations in people's words: a name for the legend, a sentence for the entry. Refuses to find relations.

use super::{Cause, Difference, Relation};
use crate::core::model_context::Removal;
use crate::core::words::count;

impl Relation {
    /// Its name, as in the legend.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sees => "Model sees it",
            Self::Differs(_) => "Model sees something else",
            Self::PeopleOnly => "People only",
            Self::LiveOnly => "Live only",
            Self::NoLonger(_) => "Model no longer sees it",
            Self::Elsewhere(_) => "Another agent's model sees it",
        }
    }

    /// What exactly; nothing where the name says it.
    pub fn what(&self) -> Option<String> {
        Some(match self {
            Self::Sees | Self::PeopleOnly => return None,
            Self::Differs(difference) => difference.words(),
            Self::LiveOnly => "not in the log, gone after a reload".to_owned(),
            Self::NoLonger(Cause::Compacted(_)) => "a summary took its place (compacted)".to_owned(),
            Self::NoLonger(Cause::Truncated) => "cut for room (truncated)".to_owned(),
            Self::NoLonger(Cause::Rewound) => "the session went back (rewound)".to_owned(),
            Self::NoLonger(Cause::Cleared) => "the conversation was cleared".to_owned(),
            Self::Elsewhere(agent) if agent.is_empty() => "the main agent".to_owned(),
            Self::Elsewhere(_) => "a sub-agent with a view of its own".to_owned(),
        })
    }
}

impl Difference {
    fn words(&self) -> String {
        let characters = |number: usize| figure(number, "character");
        match self {
            Self::Wrapped(tags) if tags.is_empty() => "these words, with more around them".to_owned(),
            Self::Wrapped(tags) => {
                let names: Vec<_> = tags.iter().map(|tag| format!("<{tag}>")).collect();
                format!("these words, with {} around them", names.join(", "))
            }
            Self::Reworded => "other words".to_owned(),
            Self::Text(length) => format!("a text of {}", characters(*length)),
            Self::Shortened(length, whole) => {
                format!("{} in place of {}", characters(*length), characters(*whole))
            }
            Self::LastLine => "this, and a last line from the runtime".to_owned(),
            Self::CallOnly { waits: true } => "the call; its result is not there yet".to_owned(),
            Self::CallOnly { waits: false } => "the call, without a result".to_owned(),
            Self::Summary(messages) => format!("a summary in place of {}", figure(*messages, "message")),
        }
    }
}

impl Removal {
    /// What happened, in a line: 'Compacted: 14 messages, 12.3 k → 2.1 k tokens'.
    pub fn words(&self) -> String {
        let messages = figure(self.messages.len(), "message");
        match self.cause {
            Cause::Compacted(Some((before, after))) => {
                format!("Compacted: {messages}, {} → {} tokens", count(before), count(after))
            }
            Cause::Compacted(None) => format!("Compacted: {messages}"),
            Cause::Truncated => format!("Truncated: {messages}"),
            Cause::Rewound => format!("Rewound: {messages}"),
            Cause::Cleared => format!("Cleared: {messages}"),
        }
    }
}

/// A number of things: `1 message`, `4,120 characters`.
pub fn figure(number: usize, thing: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if number == 1 { format!("1 {thing}") } else { format!("{grouped} {thing}s") }
}
