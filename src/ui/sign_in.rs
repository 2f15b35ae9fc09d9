//! The form that signs somebody in to the gateway. Owns the token while it is typed and nowhere longer; refuses to
//! keep it in the page, in an address, or in any storage.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;

use super::dom::{El, el};
use crate::core::connection::{SIGN_IN, TOO_FAST};
use crate::core::language::Word;
use crate::core::language::words::connection;
use crate::core::order::{Failure, SIGN_IN_ORDER};
use crate::store::Store;

/// Says that a token was tried where only the next connection can tell what it was worth.
const TRIED: &str = "sign-in/tried";

/// A password field and its button. Must be made under an owner.
pub fn sign_in(store: Store) -> El {
    let busy = RwSignal::new(false);
    let tried = !store.draft(TRIED).is_empty();
    store.set_draft(TRIED, String::new());
    let wrong = RwSignal::new(tried.then_some(connection::NOT_THE_TOKEN));
    let input = el("input")
        .class("input")
        .attr("type", "password")
        .attr("name", "token")
        .attr("autocomplete", "current-password")
        .attr("autocapitalize", "none")
        .attr("spellcheck", "false")
        .attr("dir", "ltr")
        .attr("required", "")
        .live_flag("disabled", move || busy.get())
        .live_attr("aria-invalid", move || wrong.get().map(|_| "true".to_owned()));
    let field = input.element().clone().dyn_into::<HtmlInputElement>().ok();
    let words = move || if busy.get() { connection::SIGNING_IN } else { connection::SIGN_IN_NOW };
    let button = el("button")
        .class("btn primary")
        .attr("part", "button")
        .attr("type", "submit")
        .live_flag("disabled", move || busy.get())
        .live_text(move || words().text().to_owned());
    let label = el("label").class("field").child(el("span").text(connection::TOKEN.text())).child(input);
    // A form of the browser's, so that Enter sends it and a keeper of passwords knows it.
    el("form")
        .class("sign-in")
        .attr("part", "sign-in")
        .on("submit", move |event| {
            event.prevent_default();
            let Some(field) = field.clone() else { return };
            let token = field.value().trim().to_owned();
            if token.is_empty() || busy.get_untracked() {
                return;
            }
            let Some(sent) = store.order(SIGN_IN_ORDER, json!({ "token": token })) else { return };
            busy.set(true);
            wrong.set(None);
            spawn_local(async move {
                let outcome = sent.await;
                // The form may be gone by now.
                if busy.try_set(false).is_some() {
                    return;
                }
                match outcome.map_err(|failure| refused(&failure)) {
                    Err(Some(words)) => {
                        wrong.set(Some(words));
                        field.select();
                        // Where somebody else has it by now, it stays there.
                        let _ = field.focus();
                    }
                    Err(None) => {
                        field.set_value("");
                        store.set_draft(TRIED, "1".to_owned());
                        store.retry();
                    }
                    Ok(_) => {
                        field.set_value("");
                        store.retry();
                    }
                }
            });
        })
        .child(label)
        .child(button)
        .part_if(move || {
            let words = wrong.get()?;
            Some(el("p").class("err").attr("role", "alert").text(words.text()))
        })
}

/// What a gateway says of the token; none where the server knows no such question and the connection has to tell.
fn refused(failure: &Failure) -> Option<Word> {
    match failure.code {
        Some(SIGN_IN) => Some(connection::NOT_THE_TOKEN),
        Some(TOO_FAST) => Some(connection::TOO_MANY_TRIES),
        _ if failure.uncertain => Some(connection::SILENT_NOW),
        _ => None,
    }
}
