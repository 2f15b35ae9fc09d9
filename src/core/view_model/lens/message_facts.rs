//! What one message of the lens says: whose it is, its text and its calls, and what people see instead.

use crate::json_writer;
use serde_json::Value;

use super::lines::FOLD;
use super::{Difference, Relation, calls, role_name, shown_text};
use crate::i18n::words::lens;
use crate::model::model_context::{Cause, Message, Role};
use crate::model::state::State;

/// Lines of a text that are shown before the reader asks for more.
const FOLD_LINES: usize = 16;

/// The facts; a message never changes, so they are read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFacts {
    /// Who speaks to the model.
    pub role: Role,
    /// The same in words, with the name of the tool.
    pub who: String,
    /// The text that the model reads.
    pub content: String,
    /// The tools that it calls, with their arguments as text.
    pub calls: Vec<(String, String)>,
    /// How many tokens it takes, if that is known.
    pub tokens: Option<i64>,
    /// What people see instead, if that differs.
    pub people: Option<String>,
    /// People don't see it at all.
    pub unseen: bool,
    /// Why the model does not read it any more.
    pub gone: Option<Cause>,
    /// The entry that belongs to it.
    pub entry: Option<usize>,
}

impl MessageFacts {
    /// The facts of a message; `relation` is that of its own entry.
    pub fn of(state: &State, message: &Message, relation: Option<&Relation>, gone: Option<Cause>) -> Self {
        let entry = message.entry.and_then(|place| state.entry(place)).filter(|entry| entry.ui_visible);
        let comparable = match relation {
            Some(Relation::Differs(Difference::Summary(_) | Difference::CallOnly { .. })) => false,
            Some(Relation::Differs(_)) => true,
            Some(Relation::NoLonger(_)) => {
                entry.is_some_and(|entry| shown_text(entry).trim() != message.content.trim())
            }
            _ => false,
        };
        let called = calls(state, message);
        let tool = || entry.and_then(|entry| entry.tool()).map(|call| call.name.clone());
        let name = message.name.clone().or_else(|| (message.role == Role::Tool).then(tool).flatten());
        let who = match name {
            Some(name) => format!("{} · {name}", role_name(message.role)),
            None => role_name(message.role).to_owned(),
        };
        Self {
            role: message.role,
            who,
            content: message.content.to_string(),
            calls: message.calls().iter().map(call).collect(),
            tokens: message.tokens,
            people: entry.filter(|_| comparable).map(|entry| shown_text(entry).into_owned()),
            unseen: entry.is_none() && called.is_empty(),
            gone,
            entry: entry.and(message.entry).or_else(|| called.first().copied()),
        }
    }
}

/// A call's name and its arguments, as text.
fn call(call: &Value) -> (String, String) {
    let name = call.get("name").and_then(Value::as_str).unwrap_or(lens::A_TOOL.text()).to_owned();
    let arguments = match call.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => json_writer::pretty(value),
        None => String::new(),
    };
    (name, arguments)
}

/// The byte at which to cut a long text; `None` if it is short enough, or hardly longer.
pub fn cut(text: &str) -> Option<usize> {
    let lines = text.match_indices('\n').nth(FOLD_LINES).map(|(at, _)| at);
    let at = lines.unwrap_or(usize::MAX).min(FOLD);
    let mut at = Some(at).filter(|at| text.len() > at.saturating_mul(5) / 4)?;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::model::model_context::ModelContext;
    use crate::view_model::lens::Lens;

    fn facts(events: &str) -> Vec<MessageFacts> {
        let mut session = Session::new();
        session.push_frame(events);
        let (state, mut lens) = (session.state(), Lens::default());
        lens.update(state);
        let messages = lens.view(state).map(ModelContext::messages).unwrap_or_default();
        let of = |message: &Message| {
            let relation = message.entry.and_then(|entry| lens.relation(state, entry));
            MessageFacts::of(state, message, relation.as_ref(), None)
        };
        messages.iter().map(|message| of(message)).collect()
    }

    #[test]
    fn a_message_says_whose_it_is_and_what_people_see_instead() {
        let facts = facts(concat!(
            r#"{"type":"user.message","id":"u","data":{"content":"Go","transformedContent":"<now>today</now>Go"}}"#,
            r#"{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"","toolRequests":[{"toolCallId":"c","name":"grep","arguments":{"pattern":"x"}}]}}"#,
            r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"c","toolName":"grep","arguments":{"pattern":"x"}}}"#,
            r#"{"type":"tool.execution_complete","id":"e","data":{"toolCallId":"c","success":true,"result":{"content":"found"}}}"#,
            r#"{"type":"assistant.message","id":"n","data":{"messageId":"n","content":"Done"}}"#,
        ));
        let [user, asks, result, says] = facts.as_slice() else { panic!("{facts:?}") };
        assert_eq!((user.role, user.people.as_deref()), (Role::User, Some("Go")));
        assert!(user.content.contains("today"));
        assert_eq!(asks.calls.len(), 1);
        assert_eq!(asks.calls[0].0, "grep");
        assert!(asks.entry.is_some() && !asks.unseen, "it leads to its call");
        assert_eq!((result.role, result.people.as_deref()), (Role::Tool, None));
        assert!(result.who.ends_with(" · grep"), "{}", result.who);
        assert_eq!((says.people.as_deref(), says.unseen, says.content.as_str()), (None, false, "Done"));
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_a_little_more_is_shown_whole() {
        let lines = |count: usize| "line\n".repeat(count);
        for (text, expected) in [
            ("x".repeat(FOLD), None),
            ("x".repeat(FOLD * 5 / 4), None),
            ("x".repeat(FOLD * 2), Some(FOLD)),
            ("é".repeat(FOLD), Some(FOLD)),
            ("€".repeat(FOLD), Some(FOLD)),
            ("xé".repeat(FOLD), Some(FOLD)),
            (lines(FOLD_LINES), None),
            (lines(FOLD_LINES * 2), Some(5 * FOLD_LINES + 4)),
        ] {
            assert_eq!(cut(&text), expected, "{} bytes", text.len());
        }
        let odd = format!("{}{}", "x".repeat(FOLD - 1), "é".repeat(FOLD));
        assert_eq!(cut(&odd), Some(FOLD - 1));
    }
}
