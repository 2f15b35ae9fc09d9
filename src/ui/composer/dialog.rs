//! The composer's dialogs: before something that can't be undone, and for a name.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlDialogElement, HtmlInputElement, KeyboardEvent};

use super::controls::{answers, button, icon_button, target};
use super::modes::{self, ALLOW_ALL};
use super::state::{ComposerState, Dialog, use_composer};
use super::{actions, rewind};
use crate::core::i18n::words::composer as words;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::snapshot::title;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::live::Live;
use crate::ui::session::use_session;

/// The longest name that the runtime takes, in characters.
const NAME: &str = "100";

/// The dialog that is open.
#[component(transparent)]
pub fn ComposerDialog() -> Live {
    let composer = use_composer();
    use_session().framed_live("position: absolute", move |_| {
        let open = composer.open_dialog.get()?;
        actions::view(|actions| (actions.dialog)(composer, open))
    })
}

/// The dialog. When it closes, the browser gives the focus back to where it was.
pub(super) fn dialog(composer: ComposerState, open: Dialog) -> El {
    let (heading, body) = match open {
        Dialog::Rename => (words::RENAME_TITLE, rename(composer)),
        Dialog::AllowAll => (words::ALLOW_ALL_TITLE, allow_all(composer)),
        Dialog::Rewind(row) => (words::REWIND_TITLE, rewind::body(composer, row)),
    };
    let dialog = el("dialog").class("composer-dialog").attr("aria-labelledby", "ph-composer-title");
    let element: HtmlDialogElement = dialog.element().clone().unchecked_into();
    spawn_local(async move {
        // Fails if it is open already or not in the document; then there is nothing to show.
        let _ = element.show_modal();
    });
    let close = icon_button(Icon::Cross, words::CLOSE.text()).on("click", move |_| composer.close_dialog());
    let head = el("header").child(el("h2").attr("id", "ph-composer-title").text(heading.text())).child(close);
    dialog
        .child(head)
        .child(body)
        // The browser closes it on Escape; its removal is decided here.
        .on("close", move |_| composer.open_dialog.set(None))
        .on("keydown", |event| {
            if event.dyn_ref::<KeyboardEvent>().is_some() {
                event.stop_propagation();
            }
        })
}

fn rename(composer: ComposerState) -> El {
    let now =
        composer.store.live_session().and_then(|session| title(session.borrow().state())).unwrap_or_default();
    let name = RwSignal::new(now.clone());
    let field = el("input")
        .class("input")
        .attr("type", "text")
        .attr("maxlength", NAME)
        .attr("value", &now)
        .attr("dir", "auto")
        .attr("autofocus", "")
        .on("input", move |event| {
            if let Some(field) = target::<HtmlInputElement>(event) {
                name.set(field.value());
            }
        });
    let label = el("label").class("field").child(el("span").text(words::NAME.text())).child(field);
    let save = el("button")
        .attr("type", "submit")
        .class("btn primary")
        .attr("part", "button")
        .attr("disabled", move || name.with(|name| name.trim().is_empty()))
        .text(words::SAVE.text());
    el("form").class("composer-body").child(label).child(answers(composer, save)).on("submit", move |event| {
        event.prevent_default();
        let name = name.get_untracked().trim().to_owned();
        if !name.is_empty() {
            composer.act_and_report("session.name.set", json!({ "name": name }));
            composer.close_dialog();
        }
    })
}

fn allow_all(composer: ComposerState) -> El {
    let act = button(words::ALLOW_ALL_DO).class("btn danger").on("click", move |_| {
        modes::set_permissions(composer, ALLOW_ALL);
        composer.close_dialog();
    });
    div("composer-body").child(el("p").text(words::ALLOW_ALL_TEXT.text())).child(answers(composer, act))
}
