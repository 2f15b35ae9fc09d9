//! The models that a session can be switched to.

use serde_json::Value;

use super::attachment::Limits;
use crate::wire::fields::Fields;

/// A model of `session.model.list`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// Its id, as the runtime takes it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The reasoning efforts to choose from.
    pub efforts: Vec<String>,
    /// The effort if none is chosen.
    pub effort: Option<String>,
    /// A warning from the service, for people.
    pub warning: Option<String>,
    /// What can be attached to a message.
    pub limits: Limits,
}

impl Model {
    fn of(value: Value) -> Option<Self> {
        let limits = Limits::of(&value);
        // A model that the account may not use is not offered.
        let refused = value.pointer("/policy/state").and_then(Value::as_str) == Some("disabled");
        let mut fields = Fields::of(value);
        let id = fields.filled("id").filter(|_| !refused)?;
        Some(Self {
            name: fields.filled("name").unwrap_or_else(|| id.clone()),
            efforts: fields.texts("supportedReasoningEfforts"),
            effort: fields.filled("defaultReasoningEffort"),
            warning: fields.filled("warningText"),
            limits,
            id,
        })
    }

    /// Reads the answer of `session.model.list`, or of `models.list`,
    /// which is used before there is a session.
    pub fn list(answer: Value) -> Vec<Self> {
        let mut fields = Fields::of(answer);
        let list = fields.list(if fields.has("list") { "list" } else { "models" });
        list.into_iter().filter_map(Self::of).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_that_may_not_be_used_are_not_offered() {
        let list = Model::list(json!({ "list": [
            { "id": "a", "name": "A", "supportedReasoningEfforts": ["low", "high"], "defaultReasoningEffort": "low" },
            { "id": "b", "name": "B", "policy": { "state": "disabled" } },
            { "id": "c" }, { "name": "no id" }, null, 7,
        ] }));
        let names: Vec<_> = list.iter().map(|model| (model.id.as_str(), model.name.as_str())).collect();
        assert_eq!(names, [("a", "A"), ("c", "c")]);
        assert_eq!(list[0].efforts, ["low", "high"]);
        assert_eq!(list[0].effort.as_deref(), Some("low"));
        let before = Model::list(json!({ "models": [{ "id": "a" }] }));
        assert_eq!(before.first().map(|model| model.id.as_str()), Some("a"));
    }
}
