//! What the menus of modes, models, efforts and permissions offer.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::menu_list::MenuLine;
use super::modes::{self, ALLOW_ALL, MODES, SET_MODE, SWITCH, report_outcome, set_permissions};
use super::state::{ComposerState, Dialog};
use crate::core::client::compose::Note;
use crate::core::i18n::words::composer as words;
use crate::core::model::agents::{self, AgentMode};
use crate::core::view_model::compose::model::Model;

const EFFORT: &str = "session.model.setReasoningEffort";

/// The permission modes, as the runtime names them.
const PERMISSIONS: [&str; 3] = ["manual", "assisted", ALLOW_ALL];

/// The agent's modes: its own by their own names where it says which it has, else those of the runtime.
pub(super) fn mode_lines(composer: ComposerState) -> Vec<MenuLine> {
    let own = composer.store.server().agent.with(|about| about.as_ref().and_then(agents::modes));
    if let Some(own) = own {
        return own_mode_lines(composer, own);
    }
    let on = modes::mode(composer);
    let item = |mode: &'static str| {
        let name = words::MODE_NAME.with(&[("mode", mode.into())]);
        let tells = words::MODE_TELLS.with(&[("mode", mode.into())]);
        MenuLine::choice(on == mode, name, tells, move || set_mode(composer, mode))
    };
    MODES.map(item).into()
}

fn own_mode_lines(composer: ComposerState, modes: Vec<AgentMode>) -> Vec<MenuLine> {
    let mut lines = Vec::new();
    let mut setting = String::new();
    for AgentMode { id, name, description, is_current, setting: own } in modes {
        if own != setting {
            lines.push(MenuLine::heading(&own));
            setting = own;
        }
        lines.push(MenuLine::choice(is_current, name, description, move || set_mode(composer, &id)));
    }
    lines
}

/// Changes the mode; the event that follows shows it.
pub(super) fn set_mode(composer: ComposerState, mode: &str) {
    composer.act(SET_MODE, json!({ "mode": mode }), move |outcome| report_outcome(composer, outcome));
}

/// The models, and the efforts of the one that is selected.
pub(super) fn model_lines(composer: ComposerState) -> Vec<MenuLine> {
    let (on, effort) = (modes::model(composer), modes::effort(composer));
    composer.models.with(|all| match all {
        None => vec![MenuLine::heading(words::MODELS_LOADING.text())],
        Some(all) if all.is_empty() => vec![MenuLine::heading(words::NO_MODELS.text())],
        Some(all) => {
            let all = Model::with_current(all, on.as_deref());
            models(composer, &all, on.as_deref(), effort.as_deref())
        }
    })
}

fn models(
    composer: ComposerState,
    models: &[Model],
    on: Option<&str>,
    effort: Option<&str>,
) -> Vec<MenuLine> {
    let mut items: Vec<MenuLine> = models
        .iter()
        .map(|model| {
            let id = model.id.clone();
            let tells = model.warning.clone().unwrap_or_default();
            MenuLine::choice(on == Some(&model.id), model.name.clone(), tells, move || {
                switch_model(composer, &id, None);
            })
            .price(model.price())
        })
        .collect();
    let selected = models.iter().find(|model| on == Some(&model.id));
    if let Some(model) = selected.filter(|model| !model.efforts.is_empty() && !composer.lacks_method(EFFORT))
    {
        items.push(MenuLine::heading(words::EFFORT.text()));
        let now = effort.or(model.effort.as_deref());
        items.extend(model.efforts.iter().map(|name| {
            let usual = model.usual_effort() == Some(name);
            let tells = if usual { words::EFFORT_USUAL.text() } else { "" };
            let wanted = name.clone();
            MenuLine::choice(now == Some(name), name.clone(), tells.to_owned(), move || {
                let params = json!({ "reasoningEffort": wanted });
                composer.act(EFFORT, params, move |outcome| report_outcome(composer, outcome));
            })
        }));
    }
    items
}

/// Switches the model; the event that follows shows it.
pub(super) fn switch_model(composer: ComposerState, id: &str, effort: Option<&str>) {
    let mut params = Map::new();
    params.insert("modelId".to_owned(), id.into());
    if let Some(effort) = effort {
        params.insert("reasoningEffort".to_owned(), effort.into());
    }
    composer.act(SWITCH, Value::Object(params), move |outcome| {
        // A switch during a turn waits in the queue, and the server says so.
        let later = outcome
            .as_ref()
            .ok()
            .filter(|answer| answer.get("deferred").and_then(Value::as_bool) == Some(true));
        let message = later.and_then(|answer| answer.get("message")?.as_str().map(str::to_owned));
        match message {
            Some(message) => composer.set_note(Some(Note::info(&message))),
            None if later.is_some() => composer.set_note(Some(Note::info(words::RUNS_LATER.text()))),
            None => report_outcome(composer, outcome),
        }
    });
}

/// The permission modes.
pub(super) fn permission_lines(composer: ComposerState) -> Vec<MenuLine> {
    let on = modes::permissions(composer);
    let item = |mode: &'static str| {
        let name = words::PERMISSION_NAME.with(&[("mode", mode.into())]);
        let tells = words::PERMISSION_TELLS.with(&[("mode", mode.into())]);
        MenuLine::choice(on.as_deref() == Some(mode), name, tells, move || {
            if mode == ALLOW_ALL {
                composer.open_dialog.set(Some(Dialog::AllowAll));
            } else {
                set_permissions(composer, mode);
            }
        })
    };
    PERMISSIONS.map(item).into()
}
