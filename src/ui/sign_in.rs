//! The form that signs somebody in to the gateway. Owns the token while it is typed and nowhere longer; refuses to
//! keep it in the page, in an address, or in any storage.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;

use super::dom::{El, el};
use crate::core::connection::{SIGN_IN, TOO_FAST};
use crate::core::language::Word;
use crate::core::language::words::connection;
use crate::core::order::{Failure, SIGN_IN_ORDER};
use crate::store::board::BoardStore;
use crate::store::{Ordered, Store};

/// Says that a token was tried where only the next connection can tell what it was worth.
const TRIED: &str = "sign-in/tried";

/// Where somebody signs in: a session's page, or a board.
pub trait Way {
    /// Sends the token; none where nothing carries it.
    fn order(&self, params: Value) -> Option<Ordered>;
    /// Tries the connection again.
    fn retry(&self);
    /// Whether a token was tried where only this connection can tell what it was worth.
    fn tried(&self) -> bool;
    /// Remembers whether one was.
    fn set_tried(&self, tried: bool);
}

impl Way for Store {
    fn order(&self, params: Value) -> Option<Ordered> {
        Store::order(self, SIGN_IN_ORDER, params)
    }

    fn retry(&self) {
        Store::retry(self);
    }

    fn tried(&self) -> bool {
        !self.draft(TRIED).is_empty()
    }

    fn set_tried(&self, tried: bool) {
        self.set_draft(TRIED, if tried { "1".to_owned() } else { String::new() });
    }
}

impl Way for BoardStore {
    fn order(&self, params: Value) -> Option<Ordered> {
        BoardStore::order(self, SIGN_IN_ORDER, params)
    }

    fn retry(&self) {
        BoardStore::retry(self);
    }

    fn tried(&self) -> bool {
        self.tried.get_untracked()
    }

    fn set_tried(&self, tried: bool) {
        self.tried.set(tried);
    }
}

/// A password field and its button. Must be made under an owner.
pub fn sign_in(way: Rc<dyn Way>) -> El {
    let busy = RwSignal::new(false);
    let tried = way.tried();
    way.set_tried(false);
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
            let Some(sent) = way.order(json!({ "token": token })) else { return };
            busy.set(true);
            wrong.set(None);
            let way = Rc::clone(&way);
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
                        way.set_tried(true);
                        way.retry();
                    }
                    Ok(_) => {
                        field.set_value("");
                        way.retry();
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
