//! The menus of modes, models, efforts and permissions. A change is shown once the server has confirmed it.

use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::controls::icon_button;
use super::menu::{MenuLine, menu};
use super::state::{ComposerState, Dialog, Outcome};
use crate::core::client::compose::Note;
use crate::core::i18n::format::capitalised;
use crate::core::i18n::words::composer as words;
use crate::core::model::state::{Section, State};
use crate::core::view_model::compose::model::Model;
use crate::core::view_model::icon::Icon;
use crate::core::wire::fields::Fields;
use crate::ui::elements::builder::{El, el};

const SET_MODE: &str = "session.mode.set";
const SWITCH: &str = "session.model.switchTo";
const EFFORT: &str = "session.model.setReasoningEffort";
const SET_PERMISSIONS: &str = "session.permissions.setMode";

/// The agent's modes, as the runtime names them.
const MODES: [&str; 3] = ["interactive", "plan", "autopilot"];
/// The permission modes: whom the agent asks.
const PERMISSIONS: [&str; 3] = ["manual", "assisted", "allow-all"];
/// The permission mode in which nobody is asked.
pub(super) const ALLOW_ALL: &str = "allow-all";

/// A fact about the live session. Subscribes.
fn fact(composer: ComposerState, read: fn(&State) -> Option<String>) -> Option<String> {
    let store = composer.store;
    store.section(Section::Session, |_| ());
    store.live(read).flatten()
}

/// A menu's button, which shows what is selected.
fn menu_button(icon: Icon, name: &'static str, shown: impl Fn() -> String + Clone + 'static) -> El {
    let shown_in_name = shown.clone();
    // Where there is no room for that, the tooltip shows it.
    icon_button(icon, name)
        .class("btn bare worded")
        .attrs(["aria-label", "title"], move || {
            let shown = shown_in_name();
            let whole = if shown.is_empty() { name.to_owned() } else { format!("{name}: {shown}") };
            [Some(whole.clone()), Some(whole)]
        })
        .child(el("span").text(shown))
}

/// The menu of modes.
pub(super) fn mode_menu(composer: ComposerState) -> El {
    let here =
        move || fact(composer, |state| state.info.current_mode().map(str::to_owned)).unwrap_or_default();
    let name = move || {
        let mode = here();
        if mode.is_empty() {
            mode
        } else {
            words::MODE_NAME.with(&[("mode", (&capitalised_mode(&mode)).into())])
        }
    };
    let button = menu_button(Icon::Spark, words::MODE.text(), name).attr("data-mode", "");
    let items = move || {
        let on = here();
        let item = |mode: &'static str| {
            let name = words::MODE_NAME.with(&[("mode", mode.into())]);
            let tells = words::MODE_TELLS.with(&[("mode", mode.into())]);
            MenuLine::choice(on == mode, name, tells, move || set_mode(composer, mode))
        };
        MODES.map(item).into()
    };
    let place = menu(button, words::MODE.text(), RwSignal::new(false), items);
    place.attr("hidden", move || composer.lacks_method(SET_MODE))
}

/// The argument for `MODE_NAME`, which translates known modes and shows
/// others as given: those are capitalised.
fn capitalised_mode(mode: &str) -> String {
    if MODES.contains(&mode) { mode.to_owned() } else { capitalised(mode) }
}

/// Changes the mode; the event that follows shows it.
pub(super) fn set_mode(composer: ComposerState, mode: &str) {
    composer.act(SET_MODE, json!({ "mode": mode }), move |outcome| report_outcome(composer, outcome));
}

/// Shows the outcome of a change, if there is something to say about it.
fn report_outcome(composer: ComposerState, outcome: Outcome) {
    let note = match outcome {
        Ok(answer) => {
            let mut fields = Fields::of(answer);
            let unchanged =
                fields.flag("modeApplied") == Some(false) || fields.flag("success") == Some(false);
            let words =
                fields.non_empty_text("warning").or_else(|| fields.non_empty_text("persistenceError"));
            match words {
                Some(words) => Some(Note::Error(words)),
                None if unchanged => Some(Note::Error(words::NOT_CHANGED.text().to_owned())),
                None => None,
            }
        }
        Err(failure) => Some(Note::failed(&failure)),
    };
    if note.is_some() {
        composer.set_note(note);
    }
}

/// The menu of models, and of the efforts of the one that is selected.
pub(super) fn model_menu(composer: ComposerState) -> El {
    let model = move || fact(composer, |state| state.info.model.clone());
    let effort = move || fact(composer, |state| state.info.reasoning_effort.clone());
    let name = move || {
        let id = model().unwrap_or_default();
        let name = composer.models.with(|models| {
            let models = models.as_deref().unwrap_or_default();
            models.iter().find(|model| model.id == id).map(|model| model.name.clone())
        });
        let name = name.unwrap_or(id);
        match effort() {
            Some(effort) if !name.is_empty() => format!("{name} · {effort}"),
            _ => name,
        }
    };
    let button = menu_button(Icon::Thought, words::MODEL.text(), name).attr("data-model", "");
    let items = move || {
        let (on, effort) = (model(), effort());
        composer.models.with(|models| match models {
            None => vec![MenuLine::heading(words::MODELS_LOADING.text())],
            Some(models) if models.is_empty() => vec![MenuLine::heading(words::NO_MODELS.text())],
            Some(models) => model_items(composer, models, on.as_deref(), effort.as_deref()),
        })
    };
    let place = menu(button, words::MODEL.text(), composer.pick_model, items);
    place.attr("hidden", move || {
        composer.lacks_method(SWITCH) || (composer.models.with(Option::is_none) && model().is_none())
    })
}

fn model_items(
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
            let usual = model.effort.as_ref() == Some(name);
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

/// Whether everything is allowed without asking. Subscribes.
pub(super) fn allows_all(composer: ComposerState) -> bool {
    permissions(composer).as_deref() == Some(ALLOW_ALL)
}

fn permissions(composer: ComposerState) -> Option<String> {
    fact(composer, |state| state.info.current_permission_mode().map(str::to_owned))
}

/// The menu of permission modes.
pub(super) fn permission_menu(composer: ComposerState) -> El {
    let here = move || permissions(composer);
    let name = move || {
        here().map_or_else(String::new, |mode| words::PERMISSION_NAME.with(&[("mode", (&mode).into())]))
    };
    let button = menu_button(Icon::Shield, words::PERMISSIONS.text(), name).attr("data-permissions", "");
    let items = move || {
        let on = here();
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
    };
    let place = menu(button, words::PERMISSIONS.text(), RwSignal::new(false), items);
    place.attr("hidden", move || composer.lacks_method(SET_PERMISSIONS))
}

/// Changes the permission mode; the event that follows shows it.
pub(super) fn set_permissions(composer: ComposerState, mode: &str) {
    composer.act(SET_PERMISSIONS, json!({ "mode": mode }), move |outcome| {
        report_outcome(composer, outcome);
    });
}
