//! The form for a new session. Refuses to know what the runtime makes of it.

use leptos::prelude::*;
use serde_json::{Map, Value};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, HtmlInputElement, KeyboardEvent};

use super::View;
use crate::core::language::Word;
use crate::core::language::words::board as said;
use crate::ui::dom::{El, div, el};

/// Asks for a working directory and a model, makes the session, and opens it.
pub(super) fn form(view: View) -> El {
    let sending = RwSignal::new(false);
    let trouble = RwSignal::new(None::<String>);
    let directory = input("workingDirectory");
    let model = input("model");
    let value = |field: &El| field.element().dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value);
    let (first, second) = (directory.clone(), model.clone());
    let create = move || {
        if sending.get_untracked() {
            return;
        }
        let mut params = Map::new();
        for (name, field) in [("workingDirectory", &first), ("model", &second)] {
            let value = value(field).unwrap_or_default();
            if !value.trim().is_empty() {
                params.insert(name.to_owned(), value.trim().into());
            }
        }
        sending.set(true);
        trouble.set(None);
        let sent = view.store.order("pilothouse.create", Value::Object(params));
        spawn_local(async move {
            let made = match sent {
                Some(sent) => sent.await.map_err(|failure| failure.words),
                None => Err(said::NOT_CONNECTED.text().to_owned()),
            };
            sending.try_set(false);
            match made {
                Ok(made) => {
                    view.creating.try_set(false);
                    if let Some(id) = made.get("sessionId").and_then(Value::as_str) {
                        view.store.enter(id);
                    }
                }
                Err(why) => _ = trouble.try_set(Some(said::CREATE_FAILED.with(&[("why", (&why).into())]))),
            }
        });
    };
    let warning =
        move || trouble.get().map(|words| el("p").class("board-trouble").attr("role", "alert").text(&words));
    let submit = el("button")
        .class("btn primary")
        .attr("type", "submit")
        .attr("part", "button")
        .live_flag("disabled", move || sending.get())
        .live_text(move || if sending.get() { said::CREATING } else { said::CREATE }.text().to_owned());
    let cancel = el("button").class("btn").attr("type", "button").attr("part", "button");
    let cancel = cancel.on("click", move |_| view.creating.set(false)).text(said::CANCEL.text());
    let focused = directory.element().clone();
    // Somebody has just asked for the form.
    request_animation_frame(move || {
        if let Some(field) = focused.dyn_ref::<HtmlElement>() {
            let _ = field.focus(); // a focus that fails stays where it is
        }
    });
    el("form")
        .class("board-form")
        .attr("aria-label", said::NEW.text())
        .on("submit", move |event| {
            event.prevent_default();
            create();
        })
        .on("keydown", move |event| {
            if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                view.creating.set(false);
            }
        })
        .child(labelled(said::NEW_DIRECTORY, said::NEW_DIRECTORY_HINT, directory))
        .child(labelled(said::NEW_MODEL, said::NEW_MODEL_HINT, model))
        .part_if(warning)
        .child(div("answers").child(cancel).child(submit))
}

fn input(name: &str) -> El {
    el("input")
        .class("input")
        .attr("name", name)
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("dir", "auto")
}

fn labelled(label: Word, hint: Word, control: El) -> El {
    let words = el("span").text(label.text()).text(" ").child(el("small").text(hint.text()));
    el("label").class("field").child(words).child(control)
}
