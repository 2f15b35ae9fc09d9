//! Reads the properties by which a host's page adds to the views: `suggestions`, `commands`, `completions` and
//! `entryActions`. What has not the right shape is named in an error of the console, and left out.

use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use crate::client::js::function;

/// A message that is offered before anybody has written one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What its button says.
    pub title: String,
    /// The message.
    pub prompt: String,
    /// It is sent at once, instead of being put into the field.
    pub sends: bool,
}

impl Suggestion {
    /// The suggestion in a value: a text is both.
    pub fn of(item: &JsValue) -> Option<Self> {
        let prompt = item.as_string().or_else(|| text(item, "prompt"))?;
        let title = text(item, "title").unwrap_or_else(|| prompt.clone());
        Some(Self { title, prompt, sends: field(item, "send").is_truthy() })
    }
}

/// A slash command that the page executes.
#[derive(Debug, Clone)]
pub struct HostCommand {
    /// Its name without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// A hint for its arguments.
    pub hint: String,
    /// `run({name, input})` executes it.
    pub run: Function,
}

impl HostCommand {
    /// The command in a value.
    pub fn of(item: &JsValue) -> Option<Self> {
        Some(Self {
            name: text(item, "name")?,
            description: text(item, "description").unwrap_or_default(),
            hint: text(item, "hint").unwrap_or_default(),
            run: function(item, "run")?,
        })
    }
}

/// Completions that the page knows, for words that begin with a sign.
#[derive(Debug, Clone)]
pub struct HostCompletion {
    /// The sign.
    pub trigger: String,
    /// `complete(typed)` returns completions, or a promise of them.
    pub complete: Function,
}

impl HostCompletion {
    /// The completions in a value.
    pub fn of(item: &JsValue) -> Option<Self> {
        Some(Self { trigger: text(item, "trigger")?, complete: function(item, "complete")? })
    }
}

/// A button of the page's for entries.
#[derive(Debug, Clone)]
pub struct EntryAction {
    /// What it says.
    pub label: String,
    /// `applies(entry)` says for which entries; messages if it is absent.
    pub applies: Option<Function>,
    /// `run(entry)` does it.
    pub run: Function,
}

impl EntryAction {
    /// The button in a value.
    pub fn of(item: &JsValue) -> Option<Self> {
        Some(Self {
            label: text(item, "label")?,
            applies: function(item, "applies"),
            run: function(item, "run")?,
        })
    }
}

/// The items of the property `name`; nothing for `null` and `undefined`.
pub fn items<T>(name: &str, value: &JsValue, of: impl Fn(&JsValue) -> Option<T>) -> Vec<T> {
    if value.is_null() || value.is_undefined() {
        return Vec::new();
    }
    let Some(items) = value.dyn_ref::<Array>() else {
        leptos::logging::error!("Pilothouse: {name} has to be an array");
        return Vec::new();
    };
    let items = items.iter().enumerate().filter_map(|(at, item)| {
        let one = of(&item);
        if one.is_none() {
            leptos::logging::error!("Pilothouse: {name}[{at}] lacks something; see docs/extending.md");
        }
        one
    });
    items.collect()
}

/// A field of an object.
pub fn field(item: &JsValue, name: &str) -> JsValue {
    // Fails for what is not an object.
    Reflect::get(item, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

/// A field that is a text with something in it.
pub fn text(item: &JsValue, name: &str) -> Option<String> {
    field(item, name).as_string().filter(|text| !text.is_empty())
}
