//! What the form for a new session asks: with which agent, and what can be chosen of that one.

use serde_json::Value;

use super::compose::model::Model;
use crate::connection::plain;
use crate::i18n::words::board as words;
use crate::model::agents::{AgentMode, modes};
use crate::protocol::call::CallFailure;

/// The agent that is chosen when the form opens: the one of the last time if it is there, else the first. None where nothing is to be
/// chosen.
pub fn preset(agents: &[String], last: Option<&str>) -> Option<String> {
    let known = agents.iter().find(|agent| Some(agent.as_str()) == last);
    known.or(agents.first()).filter(|_| agents.len() > 1).cloned()
}

/// How the model of a new session is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelField {
    /// From a list.
    Choice,
    /// By its name, since nobody says which models there are.
    Typed,
    /// Not at all: the agent says only in a session which models it has.
    AgentsOwn,
}

/// What can be chosen of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choices {
    /// How the model is chosen.
    pub field: ModelField,
    /// The models.
    pub models: Vec<Model>,
    /// The modes; none where the agent has those of the runtime, which are chosen in the session.
    pub modes: Vec<AgentMode>,
    /// Whether the agent may have sessions that the gateway does not know. Those of the runtime are always known.
    pub may_have_others: bool,
}

impl Choices {
    /// Those while the agent is being asked: its own default is offered.
    pub fn asking() -> Self {
        Self { field: ModelField::Choice, models: Vec::new(), modes: Vec::new(), may_have_others: false }
    }

    /// Those in the answer to `models.list`; `None` if there is none.
    pub fn of(answer: Option<Value>) -> Self {
        let own = answer.as_ref().and_then(modes);
        let models = answer.map(Model::list).unwrap_or_default();
        let field = match (&own, models.is_empty()) {
            (_, false) => ModelField::Choice,
            (Some(_), true) => ModelField::AgentsOwn,
            (None, true) => ModelField::Typed,
        };
        Self { field, models, may_have_others: own.is_some(), modes: own.unwrap_or_default() }
    }

    /// The efforts of a model.
    pub fn efforts(&self, model: &str) -> &[String] {
        self.models.iter().find(|known| known.id == model).map_or(&[], |known| &known.efforts)
    }
}

/// What the answer to `pilothouse.discover` says: how many sessions the agents have that list them, or why one could not be asked.
pub fn found(answer: &Value) -> String {
    let rows = || answer["agents"].as_array().into_iter().flatten();
    if let Some(error) = rows().find_map(|row| row["error"].as_str()) {
        return plain(error);
    }
    let counts: Vec<i64> = rows().filter_map(|row| row["sessions"].as_i64()).collect();
    match counts.into_iter().sum::<i64>() {
        0 => words::LISTS_NO_SESSIONS.text().to_owned(),
        n => words::FOUND_SESSIONS.with(&[("n", n.into())]),
    }
}

/// Why a session was not made, as a sentence, and the last lines that its agent printed, as they came.
pub fn failure(failure: &CallFailure) -> (String, &str) {
    match failure.message.trim_end().split_once('\n') {
        Some((sentence, lines)) => (plain(sentence), lines),
        None => (failure.words.clone(), ""),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_agent_is_chosen_until_another_one_was_used() {
        let two = ["opencode".to_owned(), "codex".to_owned()];
        let of = |agents: &[String], last| preset(agents, last);
        assert_eq!(of(&two, None).as_deref(), Some("opencode"));
        assert_eq!(of(&two, Some("codex")).as_deref(), Some("codex"));
        assert_eq!(of(&two, Some("gone")).as_deref(), Some("opencode"));
        assert_eq!((of(&two[..1], Some("opencode")), of(&[], None)), (None, None), "nothing to choose");
    }

    #[test]
    fn an_agent_that_tells_its_models_in_a_session_has_no_empty_list_before() {
        let before = Choices::of(Some(json!({ "models": [], "modes": [] })));
        assert_eq!((before.field, before.may_have_others), (ModelField::AgentsOwn, true));
        let later = Choices::of(Some(json!({
            "models": [{ "id": "large", "supportedReasoningEfforts": ["low", "high"] }, { "id": "small" }],
            "modes": [{ "id": "ask", "name": "Ask" }, { "id": "code" }],
        })));
        assert_eq!(later.field, ModelField::Choice);
        assert_eq!(later.modes.iter().map(|mode| mode.name.as_str()).collect::<Vec<_>>(), ["Ask", "code"]);
        assert_eq!(
            (later.efforts("large").len(), later.efforts("small").len(), later.efforts("").len()),
            (2, 0, 0)
        );
    }

    #[test]
    fn a_model_is_typed_where_nobody_says_which_there_are() {
        for answer in [None, Some(json!({})), Some(json!({ "models": [] }))] {
            assert_eq!(Choices::of(answer).field, ModelField::Typed);
        }
        let runtime = Choices::of(Some(json!({ "models": [{ "id": "gpt-5.4" }] })));
        assert_eq!((runtime.field, runtime.modes.len()), (ModelField::Choice, 0));
        assert!(!runtime.may_have_others, "the runtime's are always known");
    }

    #[test]
    fn what_was_found_is_counted_and_an_agent_that_can_not_be_asked_says_why() {
        let said = |agents: Value| found(&json!({ "agents": agents }));
        assert_eq!(said(json!([{ "agent": "a", "sessions": 3 }])), "3 sessions of it are on the board.");
        assert_eq!(
            said(json!([{ "agent": "a", "sessions": 1 }, { "agent": "b", "sessions": null }])),
            "1 session of it is on the board."
        );
        assert_eq!(said(json!([{ "agent": "a", "sessions": null }])), "It lists no sessions.");
        assert_eq!(said(json!([{ "agent": "a", "error": "a needs\ta sign-in" }])), "a needs a sign-in");
        assert_eq!(found(&Value::Null), "It lists no sessions.");
    }

    #[test]
    fn what_an_agent_printed_stands_below_the_sentence() {
        let refused = |message: &str| {
            let words = format!("The server refused it: {message}");
            CallFailure { words, message: message.to_owned(), reason: None, uncertain: false, unsent: false }
        };
        let printed = refused("codex needs\ta sign-in.\nno\n  key\u{202e}\n");
        assert_eq!(failure(&printed), ("codex needs a sign-in.".to_owned(), "no\n  key\u{202e}"));
        assert_eq!(failure(&refused("no folder")).0, "The server refused it: no folder");
    }
}
