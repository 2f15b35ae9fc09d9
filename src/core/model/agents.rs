//! The agents behind sessions: their names for people, and what the agent of a session offers, as a gateway says it.

use serde_json::Value;

/// The method that asks who the agent of a session is and what it offers.
pub const METHOD: &str = "pilothouse.agent";

/// An agent's name for people, from the one by which it is chosen. Who gave an agent a name of their own sees that one.
pub fn title(name: &str) -> &str {
    match name {
        "copilot" => "Copilot",
        "opencode" => "OpenCode",
        "codex" => "Codex",
        "gemini" => "Gemini CLI",
        own => own,
    }
}

/// Whether the agent carries out a method of its session. `about` is the answer to [`METHOD`]; one that names no methods has all.
pub fn offers(about: &Value, method: &str) -> bool {
    about["methods"].as_array().is_none_or(|methods| methods.iter().any(|known| known == method))
}

/// A mode that an agent has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentMode {
    /// Its id, with which it is chosen.
    pub id: String,
    /// The agent's name for it.
    pub name: String,
    /// What the agent says of it.
    pub description: String,
    /// It is the one now.
    pub is_current: bool,
    /// What it is a choice of, where the agent has several settings of this kind; else empty.
    pub setting: String,
}

/// The modes that the agent has, in its order. None where it has those of the runtime. `list` is the answer to [`METHOD`], or to
/// `models.list`.
pub fn modes(list: &Value) -> Option<Vec<AgentMode>> {
    let one = |mode: &Value| {
        let text = |name: &str| mode[name].as_str().unwrap_or_default().to_owned();
        let id = text("id");
        let name = Some(text("name")).filter(|name| !name.is_empty()).unwrap_or_else(|| id.clone());
        let (description, setting) = (text("description"), text("setting"));
        let is_current = mode["current"] == true;
        (!id.is_empty()).then_some(AgentMode { id, name, description, is_current, setting })
    };
    Some(list["modes"].as_array()?.iter().filter_map(one).collect())
}

/// The names of the modes that a session is in, one for each setting; empty where the agent does not say.
pub fn mode_name(about: &Value) -> String {
    let modes = modes(about).unwrap_or_default();
    let current = modes.into_iter().filter(|mode| mode.is_current).map(|mode| mode.name);
    current.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_without_methods_has_all_of_them() {
        let about = json!({ "methods": ["session.send"] });
        assert!(offers(&about, "session.send") && !offers(&about, "session.history.compact"));
        for runtime in [json!({ "agent": "copilot" }), json!(null), json!({ "methods": 7 })] {
            assert!(offers(&runtime, "session.history.compact"), "{runtime}");
        }
    }

    #[test]
    fn modes_are_the_agent_s_own_and_those_without_an_id_are_left_out() {
        let about = json!({ "modes": [
            { "id": "ask", "name": "Ask first", "description": "Asks", "setting": "Mode" },
            { "id": "code", "current": true, "setting": "Mode" },
            { "id": "plan", "name": "Plan", "current": true, "setting": "Way" },
            { "name": "no id" }, 7,
        ] });
        let all = modes(&about).unwrap();
        let shown: Vec<_> =
            all.iter().map(|mode| (mode.id.as_str(), mode.name.as_str(), mode.is_current)).collect();
        assert_eq!(shown, [("ask", "Ask first", false), ("code", "code", true), ("plan", "Plan", true)]);
        assert_eq!(mode_name(&about), "code · Plan");
        assert_eq!(modes(&json!({ "modes": [] })), Some(Vec::new()), "an agent without modes has none");
        assert_eq!(modes(&json!({ "agent": "copilot" })), None);
    }

    #[test]
    fn a_name_of_one_s_own_stays() {
        assert_eq!((title("gemini"), title("work")), ("Gemini CLI", "work"));
    }
}
