//! The form for signing in to the gateway.
//!
//! The token is in the field while it is typed, and nowhere longer: it is not kept in the page, in an address,
//! or in any storage.

use std::rc::Rc;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlInputElement;

use crate::client::store::board::BoardStore;
use crate::client::store::{CallOutcome, Store};
use crate::core::i18n::Word;
use crate::core::i18n::words::connection;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::{CallFailure, SIGN_IN_METHOD};
use crate::ui::elements::builder::{El, el};

/// Where somebody signs in: on a session's page, or on a board.
pub trait Way {
    /// Sends the token; `None` if nothing can send it.
    fn call(&self, params: Value) -> Option<CallOutcome>;
    /// Tries the connection again.
    fn retry(&self);
    /// Whether a token was sent, and this connection shows whether it was right.
    fn tried(&self) -> bool;
    /// Remembers whether such a token was sent.
    fn set_tried(&self, tried: bool);
}

impl Way for Store {
    fn call(&self, params: Value) -> Option<CallOutcome> {
        Store::call(self, SIGN_IN_METHOD, params)
    }

    fn retry(&self) {
        Store::retry(self);
    }

    fn tried(&self) -> bool {
        Store::tried(self)
    }

    fn set_tried(&self, tried: bool) {
        Store::set_tried(self, tried);
    }
}

impl Way for BoardStore {
    fn call(&self, params: Value) -> Option<CallOutcome> {
        BoardStore::call(self, SIGN_IN_METHOD, params)
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

/// The form: a password field and a button. Must be made under an owner.
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
        .attr("disabled", move || busy.get())
        .attr("aria-invalid", move || wrong.get().map(|_| "true".to_owned()));
    let field = input.element().clone().dyn_into::<HtmlInputElement>().ok();
    let words = move || if busy.get() { connection::SIGNING_IN } else { connection::SIGN_IN_NOW };
    let button = el("button")
        .class("btn primary")
        .attr("part", "button")
        .attr("type", "submit")
        .attr("disabled", move || busy.get())
        .text(move || words().text().to_owned());
    let label = el("label").class("field").child(el("span").text(connection::TOKEN.text())).child(input);
    // A real form, so that Enter sends it and password managers recognise it.
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
            let Some(sent) = way.call(json!({ "token": token })) else { return };
            busy.set(true);
            wrong.set(None);
            let way = Rc::clone(&way);
            spawn_local(async move {
                let outcome = sent.await;
                // The form may have been removed in the meantime.
                if busy.try_set(false).is_some() {
                    return;
                }
                match outcome.map_err(|failure| refused(&failure)) {
                    Err(Some(words)) => {
                        wrong.set(Some(words));
                        field.select();
                        // If this fails, the focus stays where it is, which does no harm.
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
        .child(move || {
            let words = wrong.get()?;
            Some(el("p").class("err").attr("role", "alert").text(words.text()))
        })
}

/// The gateway's reason for refusing the token; `None` if the server does not know the method, so that the
/// connection has to show it.
fn refused(failure: &CallFailure) -> Option<Word> {
    match failure.reason {
        Some(ErrorReason::SignIn) => Some(connection::NOT_THE_TOKEN),
        Some(ErrorReason::TooFast) => Some(connection::TOO_MANY_TRIES),
        _ if failure.uncertain => Some(connection::SILENT_NOW),
        _ => None,
    }
}
