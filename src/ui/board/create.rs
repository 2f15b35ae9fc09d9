//! The form for a new session.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::BoardView;
use crate::core::i18n::Word;
use crate::core::i18n::words::board as words;
use crate::core::model::board::Board;
use crate::core::view_model::compose::model::Model;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::live::Live;

/// The form for a new session, while somebody makes one: it asks for a working directory and a model, creates the session, and
/// opens it.
#[component(transparent)]
pub(super) fn NewSession(
    /// The board's state.
    view: BoardView,
) -> Live {
    Live::new(move || (view.creating.get() && view.store.can("create")).then(|| untrack(|| form(view))))
}

fn form(view: BoardView) -> El {
    let sending = RwSignal::new(false);
    let trouble = RwSignal::new(None::<String>);
    let directory =
        labelled(words::NEW_DIRECTORY, Some(words::NEW_DIRECTORY_HINT), input("workingDirectory"));
    let model = model(view);
    let (first, second) = (directory.clone(), model.clone());
    let recent = recent_folders(view, &directory);
    let create = move || {
        if sending.get_untracked() {
            return;
        }
        let mut params = Map::new();
        for (name, field) in [("workingDirectory", &first), ("model", &second)] {
            let value = value(field);
            if !value.trim().is_empty() {
                params.insert(name.to_owned(), value.trim().into());
            }
        }
        sending.set(true);
        trouble.set(None);
        let Some(sent) = view.store.call("pilothouse.create", Value::Object(params)) else {
            sending.set(false);
            return view.creating.set(false);
        };
        spawn_local(async move {
            let made = sent.await.map_err(|failure| failure.words);
            sending.try_set(false);
            match made {
                Ok(made) => {
                    view.creating.try_set(false);
                    if let Some(id) = made.get("sessionId").and_then(Value::as_str) {
                        view.store.open_session(id);
                    }
                }
                Err(why) => _ = trouble.try_set(Some(words::CREATE_FAILED.with(&[("why", (&why).into())]))),
            }
        });
    };
    let warning =
        move || trouble.get().map(|words| el("p").class("board-trouble").attr("role", "alert").text(&words));
    let submit = el("button")
        .class("btn primary")
        .attr("type", "submit")
        .attr("part", "button")
        .attr("disabled", move || sending.get())
        .text(move || if sending.get() { words::CREATING } else { words::CREATE }.text().to_owned());
    let cancel = el("button").class("btn").attr("type", "button").attr("part", "button");
    let cancel = cancel.on("click", move |_| view.creating.set(false)).text(words::CANCEL.text());
    let focused = directory.element().query_selector("input").ok().flatten();
    // Somebody has just opened the form.
    request_animation_frame(move || {
        if let Some(field) = focused.as_ref().and_then(|field| field.dyn_ref::<HtmlElement>()) {
            let _ = field.focus(); // a focus that fails stays where it is
        }
    });
    el("form")
        .class("board-form")
        .attr("aria-label", words::NEW.text())
        .on("submit", move |event| {
            event.prevent_default();
            create();
        })
        .on("keydown", move |event| {
            if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                view.creating.set(false);
            }
        })
        .child(directory)
        .child(recent)
        .child(model)
        .child(warning)
        .child(div("answers").child(cancel).child(submit))
}

/// The folders in which sessions have worked, as choices for the field.
fn recent_folders(view: BoardView, label: &El) -> Option<El> {
    let folders = view.store.read(Board::recent_folders).unwrap_or_default();
    if folders.is_empty() {
        return None;
    }
    let field = label.element().query_selector("input").ok().flatten();
    let field = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let choice = |folder: String| {
        let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
        let text = el("span").attr("dir", "ltr").attr("translate", "no");
        let button = button.attr("title", &folder).child(exact(text, &folder));
        let field = field.clone();
        button.attr("data-folder", &folder).on("click", move |_| {
            if let Some(field) = &field {
                field.set_value(&folder);
                let _ = field.focus(); // a focus that fails stays where it is
            }
        })
    };
    let choices = folders.into_iter().map(choice).collect::<Vec<_>>();
    let name = el("span")
        .class("board-recent-name")
        .attr("id", "ph-board-recent")
        .text(words::RECENT_FOLDERS.text());
    let group = div("board-recent").attr("role", "group").attr("aria-labelledby", "ph-board-recent");
    Some(group.child(name).child(choices))
}

/// The value of the field in a label.
fn value(label: &El) -> String {
    let field = label.element().query_selector("[name]").ok().flatten();
    let typed =
        field.as_ref().and_then(|field| field.dyn_ref::<HtmlInputElement>()).map(HtmlInputElement::value);
    let chosen = || {
        field.as_ref().and_then(|field| field.dyn_ref::<HtmlSelectElement>()).map(HtmlSelectElement::value)
    };
    typed.or_else(chosen).unwrap_or_default()
}

/// The runtime's models as a choice, or a text field where they are not known.
fn model(view: BoardView) -> El {
    let models = RwSignal::new(Some(Vec::<Model>::new()));
    let asked = view.store.call("models.list", Value::Object(Map::new()));
    spawn_local(async move {
        let list = match asked {
            Some(asked) => asked.await.map(Model::list).unwrap_or_default(),
            None => Vec::new(),
        };
        // The form may be gone by now.
        models.try_set(Some(list).filter(|list| !list.is_empty()));
    });
    el("span").class("contents").child(move || {
        vec![models.with(|models| match models {
            Some(models) => {
                let option = |(value, words): (&str, &str)| el("option").attr("value", value).text(words);
                let any = std::iter::once(("", words::NEW_MODEL_ANY.text()));
                let all = any.chain(models.iter().map(|model| (model.id.as_str(), model.name.as_str())));
                let select = el("select")
                    .class("input")
                    .attr("name", "model")
                    .child(all.map(option).collect::<Vec<_>>());
                labelled(words::NEW_MODEL, None, select)
            }
            None => labelled(words::NEW_MODEL, Some(words::NEW_MODEL_HINT), input("model")),
        })]
    })
}

fn input(name: &str) -> El {
    el("input")
        .class("input")
        .attr("name", name)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("dir", "auto")
}

fn labelled(label: Word, hint: Option<Word>, control: El) -> El {
    let words = el("span").text(label.text()).text(" ").child(hint.map(|hint| el("small").text(hint.text())));
    el("label").class("field").child(words).child(control)
}
