//! The menus of modes, models, efforts and permissions: their buttons, and what is selected. A change is shown once the server
//! has confirmed it. What can be chosen is in `mode_choices.rs`.

use leptos::prelude::*;
use serde_json::json;

use super::controls::icon_button;
use super::menu::menu;
use super::state::{ComposerState, Menu, Outcome};
use crate::core::client::compose::Note;
use crate::core::i18n::format::capitalised;
use crate::core::i18n::words::composer as words;
use crate::core::model::agents;
use crate::core::model::state::{Section, State};
use crate::core::view_model::icon::Icon;
use crate::core::wire::fields::Fields;
use crate::ui::elements::builder::{El, el};

/// The methods that change them. What the server does not know has no menu.
pub(super) const SET_MODE: &str = "session.mode.set";
pub(super) const SWITCH: &str = "session.model.switchTo";
const SET_PERMISSIONS: &str = "session.permissions.setMode";

/// The agent's modes, as the runtime names them.
pub(super) const MODES: [&str; 3] = ["interactive", "plan", "autopilot"];
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

/// The agent's mode; empty while it is unknown. Subscribes.
pub(super) fn mode(composer: ComposerState) -> String {
    fact(composer, |state| state.info.current_mode().map(str::to_owned)).unwrap_or_default()
}

/// The selected model. Subscribes.
pub(super) fn model(composer: ComposerState) -> Option<String> {
    fact(composer, |state| state.info.model.clone())
}

/// Its effort. Subscribes.
pub(super) fn effort(composer: ComposerState) -> Option<String> {
    fact(composer, |state| state.info.reasoning_effort.clone())
}

/// The menu of modes.
pub(super) fn mode_menu(composer: ComposerState) -> El {
    let agent = composer.store.server().agent;
    let name = move || {
        let own = agent.with(|about| about.as_ref().map(agents::mode_name).unwrap_or_default());
        if !own.is_empty() {
            return own;
        }
        let mode = mode(composer);
        if mode.is_empty() {
            mode
        } else {
            words::MODE_NAME.with(&[("mode", (&capitalised_mode(&mode)).into())])
        }
    };
    let button = menu_button(Icon::Spark, words::MODE.text(), name).attr("data-mode", "");
    let place = menu(composer, button, Menu::Mode, RwSignal::new(false));
    place.attr("hidden", move || composer.lacks_method(SET_MODE))
}

/// The argument for `MODE_NAME`, which translates known modes and shows
/// others as given: those are capitalised.
fn capitalised_mode(mode: &str) -> String {
    if MODES.contains(&mode) { mode.to_owned() } else { capitalised(mode) }
}

/// Shows the outcome of a change, if there is something to say about it.
pub(super) fn report_outcome(composer: ComposerState, outcome: Outcome) {
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
    let name = move || {
        let id = model(composer).unwrap_or_default();
        let name = composer.models.with(|models| {
            let models = models.as_deref().unwrap_or_default();
            models.iter().find(|model| model.id == id).map(|model| model.name.clone())
        });
        let name = name.unwrap_or(id);
        match effort(composer) {
            Some(effort) if !name.is_empty() => format!("{name} · {effort}"),
            _ => name,
        }
    };
    let button = menu_button(Icon::Thought, words::MODEL.text(), name).attr("data-model", "");
    let place = menu(composer, button, Menu::Model, composer.pick_model);
    place.attr("hidden", move || {
        composer.lacks_method(SWITCH) || (composer.models.with(Option::is_none) && model(composer).is_none())
    })
}

/// Whether everything is allowed without asking. Subscribes.
pub(super) fn allows_all(composer: ComposerState) -> bool {
    permissions(composer).as_deref() == Some(ALLOW_ALL)
}

/// The permission mode: whom the agent asks. Subscribes.
pub(super) fn permissions(composer: ComposerState) -> Option<String> {
    fact(composer, |state| state.info.current_permission_mode().map(str::to_owned))
}

/// The menu of permission modes.
pub(super) fn permission_menu(composer: ComposerState) -> El {
    let name = move || {
        permissions(composer)
            .map_or_else(String::new, |mode| words::PERMISSION_NAME.with(&[("mode", (&mode).into())]))
    };
    let button = menu_button(Icon::Shield, words::PERMISSIONS.text(), name).attr("data-permissions", "");
    let place = menu(composer, button, Menu::Permissions, RwSignal::new(false));
    place.attr("hidden", move || composer.lacks_method(SET_PERMISSIONS))
}

/// Changes the permission mode; the event that follows shows it.
pub(super) fn set_permissions(composer: ComposerState, mode: &str) {
    composer.act(SET_PERMISSIONS, json!({ "mode": mode }), move |outcome| {
        report_outcome(composer, outcome);
    });
}
