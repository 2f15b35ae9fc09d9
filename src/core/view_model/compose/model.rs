//! The models that a session can be switched to.

use serde_json::{Value, json};

use super::attachment::Limits;
use crate::i18n;
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
    /// What a request to it costs, as a multiple of a premium request, in hundredths.
    pub multiplier: Option<i64>,
    /// A warning from the service, for people.
    pub warning: Option<String>,
    /// What can be attached to a message.
    pub limits: Limits,
}

impl Model {
    fn of(value: Value) -> Option<Self> {
        let limits = Limits::of(&value);
        let efforts = efforts(&value);
        let multiplier = multiplier(&value);
        // A model that the account may not use is not offered.
        let refused = value.pointer("/policy/state").and_then(Value::as_str) == Some("disabled");
        let mut fields = Fields::of(value);
        let id = fields.non_empty_text("id").filter(|_| !refused)?;
        Some(Self {
            name: fields.non_empty_text("name").unwrap_or_else(|| id.clone()),
            efforts,
            multiplier,
            effort: fields.non_empty_text("defaultReasoningEffort"),
            warning: fields.non_empty_text("warningText"),
            limits,
            id,
        })
    }

    /// These models, and before them the one that is in use, if it is none of them.
    pub fn with_current(models: &[Self], current: Option<&str>) -> Vec<Self> {
        let unlisted = current.filter(|id| models.iter().all(|model| model.id != *id));
        let unlisted = unlisted.and_then(|id| Self::of(json!({ "id": id })));
        unlisted.into_iter().chain(models.iter().cloned()).collect()
    }

    /// The effort to name as the usual one: none where one of them is itself called the default.
    pub fn usual_effort(&self) -> Option<&str> {
        let is_named = self.efforts.iter().any(|effort| effort == "default");
        self.effort.as_deref().filter(|_| !is_named)
    }

    /// What a request to it costs: `1x`, `0.33x`. Empty where the runtime does not say.
    pub fn price(&self) -> String {
        self.multiplier.map(|hundredths| i18n::hundredths(hundredths) + "x").unwrap_or_default()
    }

    /// Reads the answer of `session.model.list`, or of `models.list`,
    /// which is used before there is a session.
    pub fn list(answer: Value) -> Vec<Self> {
        let mut fields = Fields::of(answer);
        let list = fields.list(if fields.has("list") { "list" } else { "models" });
        list.into_iter().filter_map(Self::of).collect()
    }
}

/// What a request costs, rounded to hundredths. Anything that can't be a price is none.
fn multiplier(model: &Value) -> Option<i64> {
    const MOST: f64 = 10_000.0;
    let multiplier = model.pointer("/billing/multiplier")?.as_f64()?;
    (0.0..=MOST).contains(&multiplier).then(|| (multiplier * 100.0).round() as i64)
}

/// The reasoning efforts of a model. `models.list` names them beside the model. `session.model.list` passes on what the
/// service says, which is among the capabilities.
fn efforts(model: &Value) -> Vec<String> {
    const PLACES: [&str; 2] = ["/supportedReasoningEfforts", "/capabilities/supports/reasoning_effort"];
    let named = PLACES.iter().filter_map(|place| model.pointer(place)?.as_array());
    let mut efforts = Vec::new();
    for effort in named.flatten().filter_map(Value::as_str).filter(|effort| !effort.is_empty()) {
        if !efforts.iter().any(|known| known == effort) {
            efforts.push(effort.to_owned());
        }
    }
    efforts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_in_use_is_listed_and_one_effort_is_the_default() {
        let list = Model::list(json!({ "models": [
            { "id": "a", "supportedReasoningEfforts": ["default", "low"], "defaultReasoningEffort": "low" },
            { "id": "b", "supportedReasoningEfforts": ["low", "high"], "defaultReasoningEffort": "low" },
        ] }));
        assert_eq!(list.iter().map(Model::usual_effort).collect::<Vec<_>>(), [None, Some("low")]);
        let ids = |current| {
            Model::with_current(&list, current).into_iter().map(|model| model.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(Some("a")), ["a", "b"]);
        assert_eq!(ids(None), ["a", "b"]);
        assert_eq!(ids(Some("flash")), ["flash", "a", "b"]);
    }

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

    /// Both answers as 1.0.14 and 1.0.15-preview.4 gave them, without what is not read here.
    #[test]
    fn efforts_are_found_where_each_answer_has_them() {
        let supports = json!({ "vision": true, "streaming": true, "tool_calls": true, "parallel_tool_calls": true,
            "reasoning_effort": ["low", "medium", "high"], "adaptive_thinking": "unsupported" });
        let policy = json!({ "state": "enabled", "terms": "" });
        let of_session = json!({ "list": [{ "id": "gpt-5.4", "name": "gpt-5.4", "object": "model", "vendor": "scripted",
            "policy": policy, "capabilities": { "type": "chat", "supports": supports } }],
            "modelPriceCategories": [], "quotaSnapshots": {} });
        let mut supports = supports;
        supports["reasoningEffort"] = true.into();
        let before = json!({ "models": [{ "id": "gpt-5.4", "name": "gpt-5.4", "policy": policy,
            "capabilities": { "type": "chat", "supports": supports },
            "supportedReasoningEfforts": ["low", "medium", "high"], "billing": { "multiplier": 1 } }] });
        for answer in [of_session, before] {
            assert_eq!(Model::list(answer)[0].efforts, ["low", "medium", "high"]);
        }
    }

    #[test]
    fn a_price_is_what_the_runtime_says_of_it() {
        for (billing, price) in [
            (json!({ "multiplier": 1 }), "1x"),
            (json!({ "multiplier": 0.33 }), "0.33x"),
            (json!({ "multiplier": 0.333_333 }), "0.33x"),
            (json!({ "multiplier": 0 }), "0x"),
            (json!({ "multiplier": 7.5, "is_premium": true }), "7.5x"),
            (json!({ "multiplier": -1 }), ""),
            (json!({ "multiplier": 1e99 }), ""),
            (json!({ "multiplier": "1" }), ""),
            (json!({ "multiplier": null }), ""),
            (json!({}), ""),
            (json!(3), ""),
        ] {
            let list = Model::list(json!({ "list": [{ "id": "m", "billing": billing }] }));
            assert_eq!(list[0].price(), price, "{billing}");
        }
        assert_eq!(Model::list(json!({ "list": [{ "id": "m" }] }))[0].price(), "");
    }

    #[test]
    fn what_is_not_a_name_is_not_an_effort() {
        for (model, efforts) in [
            (json!({ "supportedReasoningEfforts": null }), vec![]),
            (
                json!({ "supportedReasoningEfforts": [], "capabilities": { "supports": { "reasoning_effort": ["low"] } } }),
                vec!["low"],
            ),
            (json!({ "capabilities": { "supports": { "reasoning_effort": true } } }), vec![]),
            (json!({ "capabilities": { "supports": { "reasoning_effort": "high" } } }), vec![]),
            (json!({ "capabilities": { "supports": { "reasoningEffort": false } } }), vec![]),
            (
                json!({ "capabilities": { "supports": { "reasoning_effort": ["none", null, 3, "", "xhigh", "none"] } } }),
                vec!["none", "xhigh"],
            ),
            (json!({ "capabilities": {} }), vec![]),
            (json!({ "capabilities": "chat" }), vec![]),
        ] {
            let mut named = model.clone();
            named["id"] = "m".into();
            assert_eq!(Model::list(json!({ "list": [named] }))[0].efforts, efforts, "{model}");
        }
    }
}
