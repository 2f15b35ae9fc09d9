//! What can be chosen in a session: modes, models, efforts, and what is asked for. Agents offer it in three ways; the newest,
//! `configOptions`, counts where it is there.

use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::event::Out;

/// Modes in which an agent asks for nothing, or for no edit.
const UNASKED: [&str; 6] =
    ["yolo", "agent-full-access", "autoEdit", "autopilot", "bypassPermissions", "acceptEdits"];

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The agent's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What the agent says of it.
    pub description: Option<String>,
}

/// A call that changes an option.
#[derive(Clone, Debug, PartialEq)]
pub struct OptionCall {
    /// The method.
    pub method: &'static str,
    /// Its params.
    pub params: Value,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Setting {
    /// The id of the config option; empty for `modes` and `models`.
    id: String,
    name: String,
    category: String,
    current: String,
    choices: Vec<Choice>,
}

/// The options of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    config: Vec<Setting>,
    modes: Option<Setting>,
    models: Option<Setting>,
}

impl Options {
    /// Reads what a result or an update has of them. What is not in it stays.
    pub fn read(&mut self, from: &Value) {
        if let Some(options) = from.get("configOptions").and_then(Value::as_array) {
            self.config = options.iter().filter_map(config_option).collect();
        }
        if let Some(modes) = from.get("modes").filter(|modes| modes.is_object()) {
            self.modes = Some(listed(modes, "availableModes", "currentModeId", "id"));
        }
        if let Some(models) = from.get("models").filter(|models| models.is_object()) {
            self.models = Some(listed(models, "availableModels", "currentModelId", "modelId"));
        }
        if let Some(mode) = from.get("currentModeId").and_then(Value::as_str) {
            self.mode_is(mode);
        }
    }

    /// The session is in this mode now.
    pub fn mode_is(&mut self, mode: &str) {
        let has = |setting: &&mut Setting| setting.choices.iter().any(|choice| choice.id == mode);
        let config = self.config.iter_mut().filter(|setting| setting.category == "mode").find(has);
        if let Some(setting) = config {
            mode.clone_into(&mut setting.current);
        }
        if let Some(modes) = &mut self.modes {
            mode.clone_into(&mut modes.current);
        }
    }

    /// The result of a call that [`set_mode`](Self::set_mode) and the others made.
    pub fn was_set(&mut self, call: &OptionCall, result: &Value) {
        let text = |name: &str| call.params.get(name).and_then(Value::as_str).map(str::to_owned);
        self.read(result);
        if result.get("configOptions").is_some() {
            return;
        }
        match call.method {
            "session/set_mode" => {
                if let Some(mode) = text("modeId") {
                    self.mode_is(&mode);
                }
            }
            "session/set_model" => {
                if let (Some(models), Some(model)) = (&mut self.models, text("modelId")) {
                    models.current = model;
                }
            }
            _ => {
                let setting =
                    text("configId").and_then(|id| self.config.iter_mut().find(|setting| setting.id == id));
                if let (Some(setting), Some(value)) = (setting, text("value")) {
                    setting.current = value;
                }
            }
        }
    }

    fn of(&self, category: &str) -> Option<&Setting> {
        self.config.iter().find(|setting| setting.category == category)
    }

    fn mode_setting(&self) -> Option<&Setting> {
        self.of("mode").or(self.modes.as_ref())
    }

    fn model_setting(&self) -> Option<&Setting> {
        self.of("model").or(self.models.as_ref())
    }

    /// What can be chosen as a mode, as a page is told: some agents have several settings for it, of which each choice names its own.
    pub fn mode_choices(&self) -> Value {
        let settings: Vec<&Setting> =
            self.mode_settings().filter(|setting| !setting.choices.is_empty()).collect();
        let choices = settings.iter().flat_map(|setting| {
            let heading = (settings.len() > 1).then(|| setting.name.as_str().into());
            setting.choices.iter().map(move |choice| {
                object([
                    ("id", Some(choice.id.as_str().into())),
                    ("name", Some(choice.name.as_str().into())),
                    ("description", choice.description.as_deref().map(Value::from)),
                    ("current", (choice.id == setting.current).then_some(true.into())),
                    ("setting", heading.clone()),
                ])
            })
        });
        choices.collect()
    }

    /// What a person chooses as a mode: `modes` only where no option is one.
    fn mode_settings(&self) -> impl Iterator<Item = &Setting> {
        let config = self.config.iter().filter(|setting| is_mode(setting));
        config.chain(self.modes.as_ref().filter(|_| self.of("mode").is_none()))
    }

    /// The setting of a mode that has changed, and what it was before. At the start of a session it is the one that makes the page's mode.
    fn changed_mode<'a>(&'a self, before: &'a Self) -> Option<(&'a Setting, Option<&'a Setting>)> {
        let was = |setting: &Setting| before.mode_settings().find(|old| old.id == setting.id);
        let with = self.mode_settings().map(|setting| (setting, was(setting)));
        let changed =
            |pair: &(&Setting, Option<&Setting>)| pair.1.is_some_and(|old| old.current != pair.0.current);
        let makes = |setting: &&Setting| {
            self.page_mode().is_some_and(|mode| page_mode(&setting.current) == Some(mode))
        };
        with.into_iter().find(changed).or_else(|| Some((self.mode_settings().find(makes)?, None)))
    }

    /// The models.
    pub fn models(&self) -> &[Choice] {
        self.model_setting().map_or(&[], |setting| &setting.choices)
    }

    /// The efforts of the current model.
    pub fn efforts(&self) -> &[Choice] {
        self.of("thought_level").map_or(&[], |setting| &setting.choices)
    }

    /// The current mode.
    pub fn mode(&self) -> Option<&str> {
        current(self.mode_setting())
    }

    /// The current model.
    pub fn model(&self) -> Option<&str> {
        current(self.model_setting())
    }

    /// The current effort.
    pub fn effort(&self) -> Option<&str> {
        current(self.of("thought_level"))
    }

    /// The page's mode: `plan`, `interactive` or `autopilot`. None if the agent's mode is none of them.
    pub fn page_mode(&self) -> Option<&'static str> {
        let settings = self.config.iter().filter(|setting| is_mode(setting)).chain(&self.modes);
        let modes: Vec<_> = settings.map(|setting| page_mode(&setting.current)).collect();
        let first = |mode| modes.contains(&Some(mode)).then_some(mode);
        first("plan").or_else(|| first("autopilot")).or_else(|| first("interactive"))
    }

    /// The mode in a word: the page's own, or the agent's name for it.
    pub fn mode_word(&self) -> Option<&str> {
        let setting = self.mode_setting();
        let own =
            setting.filter(|setting| !setting.current.is_empty() && page_mode(&setting.current).is_none());
        match self.page_mode() {
            Some("interactive") | None => own.map(name).or(self.page_mode()),
            page => page,
        }
    }

    /// The name of the mode or option in which the agent asks for less than it could, if it is in one.
    pub fn unasked(&self) -> Option<String> {
        let settings = self.config.iter().chain(&self.modes);
        let is_unasked = |setting: &&Setting| match setting.category.as_str() {
            "permissions" => matches!(setting.current.as_str(), "on" | "allow-all" | "allow_all"),
            "mode" => UNASKED.contains(&tail(&setting.current)),
            _ => false,
        };
        let setting = settings.into_iter().find(is_unasked)?;
        let name = name(setting);
        Some(if setting.category == "permissions" {
            format!("{}: {name}", setting.name)
        } else {
            name.to_owned()
        })
    }

    /// The call that sets a mode: the agent's own id, one of the page's three, or the agent's name. None if the agent has no such mode.
    pub fn set_mode(&self, session_id: &str, mode: &str) -> Option<OptionCall> {
        let with = |test: &dyn Fn(&Choice) -> bool| {
            let config = self.config.iter().filter(|setting| is_mode(setting));
            config
                .chain(&self.modes)
                .find_map(|setting| Some((setting, setting.choices.iter().find(|choice| test(choice))?)))
        };
        let (setting, choice) = with(&|choice| choice.id == mode)
            .or_else(|| with(&|choice| page_mode(&choice.id) == Some(mode)))
            .or_else(|| with(&|choice| choice.name == mode))?;
        Some(call(session_id, setting, choice, "session/set_mode", "modeId"))
    }

    /// The call that sets a model.
    pub fn set_model(&self, session_id: &str, model: &str) -> Option<OptionCall> {
        let setting = self.model_setting()?;
        let choice = setting.choices.iter().find(|choice| choice.id == model)?;
        Some(call(session_id, setting, choice, "session/set_model", "modelId"))
    }

    /// The call that sets an effort.
    pub fn set_effort(&self, session_id: &str, effort: &str) -> Option<OptionCall> {
        let setting = self.of("thought_level")?;
        let choice = setting.choices.iter().find(|choice| choice.id == effort)?;
        Some(call(session_id, setting, choice, "", ""))
    }

    /// Tells what has changed since `before`; at the start of a session nothing was before.
    pub fn tell_changes(&self, before: &Self, out: &mut Out<'_>) {
        if !self.tell_mode(before.mode_word(), Some(before), out)
            && let Some(setting) = self
                .mode_setting()
                .filter(|setting| before.mode().is_some_and(|mode| mode != setting.current))
        {
            // It plans, before and after.
            out.notice(EventKind::SessionInfo, "mode", &format!("Mode: {}", name(setting)));
        }
        let is_new = |old: Option<&str>, new: Option<&str>| old.is_some() && new.is_some() && old != new;
        let loses_effort = before.effort().is_some() && self.effort().is_none();
        if is_new(before.model(), self.model()) || is_new(before.effort(), self.effort()) || loses_effort {
            let text = |text: Option<&str>| text.map(Value::from);
            let data = object([
                ("previousModel", text(before.model())),
                ("newModel", Some(self.model().unwrap_or_default().into())),
                ("previousReasoningEffort", text(before.effort())),
                ("reasoningEffort", Some(text(self.effort()).unwrap_or(Value::Null))),
            ]);
            out.event(EventKind::SessionModelChange, data);
        }
        let unasked = before.unasked();
        self.tell_unasked(unasked.is_some(), self.unasked() != unasked, out);
    }

    /// Tells its mode where that is another than this one; none is what nobody has told. Which setting has changed is known from what
    /// was before, if that is known.
    pub fn tell_mode(&self, before: Option<&str>, was: Option<&Self>, out: &mut Out<'_>) -> bool {
        // Which mode of its own a session begins with is in the page's menu: nobody has changed it.
        let is_told = |new: &&str| before.is_some() || matches!(*new, "plan" | "autopilot");
        let Some(new) = self.mode_word().filter(|new| Some(*new) != before).filter(is_told) else {
            return false;
        };
        let changed = was.and_then(|was| self.changed_mode(was));
        // With one setting, its name says nothing.
        let heading =
            changed.filter(|_| self.mode_settings().count() > 1).map(|(setting, _)| setting.name.as_str());
        let data = object([
            ("previousMode", Some(before.unwrap_or("interactive").into())),
            ("newMode", Some(new.into())),
            ("setting", heading.map(Into::into)),
            ("previousName", changed.and_then(|(_, before)| before).map(|before| name(before).into())),
            ("newName", changed.map(|(setting, _)| name(setting).into())),
        ]);
        out.event(EventKind::SessionModeChanged, data);
        true
    }

    /// Tells whether the agent asks before it acts, if that has changed, and warns where it does not, if `warns`.
    pub fn tell_unasked(&self, before: bool, warns: bool, out: &mut Out<'_>) {
        let now = self.unasked();
        if before != now.is_some() {
            let mode = |allows: bool| if allows { "allow-all" } else { "manual" };
            let data = json!({ "previousMode": mode(before), "mode": mode(now.is_some()) });
            out.event(EventKind::SessionPermissionsChanged, data);
        }
        if let Some(name) = now.filter(|_| warns) {
            let words = format!("The agent is in a mode in which it does not ask before it acts: {name}");
            out.notice(EventKind::SessionWarning, "permissions", &words);
        }
    }
}

fn current(setting: Option<&Setting>) -> Option<&str> {
    setting.map(|setting| setting.current.as_str()).filter(|current| !current.is_empty())
}

/// A mode, or another option that has one of the page's modes.
fn is_mode(setting: &Setting) -> bool {
    setting.category == "mode" || setting.category.ends_with("_mode")
}

fn name(setting: &Setting) -> &str {
    let choice = setting.choices.iter().find(|choice| choice.id == setting.current);
    choice.map_or(setting.current.as_str(), |choice| choice.name.as_str())
}

/// The last part of an id: some are addresses.
fn tail(id: &str) -> &str {
    id.rsplit('#').next().unwrap_or(id)
}

fn page_mode(id: &str) -> Option<&'static str> {
    match tail(id) {
        "plan" => Some("plan"),
        "build" | "default" | "agent" | "interactive" => Some("interactive"),
        "autopilot" => Some("autopilot"),
        _ => None,
    }
}

fn call(
    session_id: &str,
    setting: &Setting,
    choice: &Choice,
    method: &'static str,
    name: &str,
) -> OptionCall {
    if setting.id.is_empty() {
        let mut params = json!({ "sessionId": session_id });
        params[name] = choice.id.as_str().into();
        return OptionCall { method, params };
    }
    let params = json!({ "sessionId": session_id, "configId": setting.id, "value": choice.id });
    OptionCall { method: "session/set_config_option", params }
}

fn choice(value: &Value, id: &str) -> Option<Choice> {
    let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = text(id)?;
    Some(Choice { name: text("name").unwrap_or_else(|| id.clone()), description: text("description"), id })
}

fn config_option(option: &Value) -> Option<Setting> {
    let text = |name: &str| option.get(name).and_then(Value::as_str).map(str::to_owned);
    let options = option.get("options").and_then(Value::as_array).into_iter().flatten();
    // Options can be in groups.
    let options = options.flat_map(|option| match option.get("options").and_then(Value::as_array) {
        Some(group) => group.iter().collect::<Vec<_>>(),
        None => vec![option],
    });
    Some(Setting {
        id: text("id")?,
        name: text("name").or_else(|| text("id"))?,
        category: text("category").unwrap_or_default(),
        current: text("currentValue").unwrap_or_default(),
        choices: options.filter_map(|option| choice(option, "value")).collect(),
    })
}

fn listed(from: &Value, list: &str, current: &str, id: &str) -> Setting {
    let choices = from.get(list).and_then(Value::as_array).into_iter().flatten();
    let category = if id == "id" { "mode" } else { "model" };
    Setting {
        id: String::new(),
        name: String::new(),
        category: category.to_owned(),
        current: from.get(current).and_then(Value::as_str).unwrap_or_default().to_owned(),
        choices: choices.filter_map(|one| choice(one, id)).collect(),
    }
}
