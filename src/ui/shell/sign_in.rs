//! The form for signing in to the gateway: one for each gateway of a page, whatever the page shows of it.
//!
//! The token is in the field while it is typed, and nowhere longer: it is not kept in the page, in an address,
//! or in any storage.

use std::cell::RefCell;
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
    /// The address of the gateway; `None` if there is no network.
    fn server(&self) -> Option<String>;
    /// Whether this is a board, which may lie under a session.
    fn is_board(&self) -> bool;
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

    fn server(&self) -> Option<String> {
        self.server().address.try_get_untracked().flatten()
    }

    fn is_board(&self) -> bool {
        false
    }

    fn tried(&self) -> bool {
        self.server().tried.get_untracked()
    }

    fn set_tried(&self, tried: bool) {
        self.server().tried.set(tried);
    }
}

impl Way for BoardStore {
    fn call(&self, params: Value) -> Option<CallOutcome> {
        BoardStore::call(self, SIGN_IN_METHOD, params)
    }

    fn retry(&self) {
        BoardStore::retry(self);
    }

    fn server(&self) -> Option<String> {
        self.server.try_get_untracked().flatten()
    }

    fn is_board(&self) -> bool {
        true
    }

    fn tried(&self) -> bool {
        self.tried.get_untracked()
    }

    fn set_tried(&self, tried: bool) {
        self.tried.set(tried);
    }
}

/// Something on the page that wants a sign-in.
struct Waiting {
    way: Rc<dyn Way>,
    /// It shows the form.
    shown: RwSignal<bool>,
}

thread_local! {
    /// Everything on the page that wants a sign-in, in the order in which it began to.
    static WAITING: RefCell<Vec<Waiting>> = const { RefCell::new(Vec::new()) };
}

/// Whether this one shows the form now, as long as the owner lives.
fn register(way: &Rc<dyn Way>) -> RwSignal<bool> {
    let shown = RwSignal::new(false);
    WAITING.with_borrow_mut(|all| all.push(Waiting { way: Rc::clone(way), shown }));
    arrange();
    on_cleanup(move || {
        WAITING.with_borrow_mut(|all| all.retain(|waiting| waiting.shown != shown));
        arrange();
    });
    shown
}

/// Gives each gateway one form.
fn arrange() {
    let all: Vec<_> = WAITING.with_borrow(|all| {
        all.iter().map(|waiting| (waiting.shown, (waiting.way.server(), waiting.way.is_board()))).collect()
    });
    let (signals, ways): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    for (shown, now) in signals.into_iter().zip(one_each(&ways)) {
        if shown.try_get_untracked() != Some(now) {
            shown.try_set(now);
        }
    }
}

/// Which of those that want a sign-in show the form, given each one's gateway and whether it is a board: of each
/// gateway's the first session, since it may cover a board, or else the first board.
fn one_each(ways: &[(Option<String>, bool)]) -> Vec<bool> {
    let chosen = |server: &Option<String>| {
        let same = ways.iter().enumerate().filter(|(_, (other, _))| other == server);
        same.min_by_key(|(at, (_, is_board))| (*is_board, *at)).map(|(at, _)| at)
    };
    let shows =
        |(at, (server, _)): (usize, &(Option<String>, bool))| server.is_none() || chosen(server) == Some(at);
    ways.iter().enumerate().map(shows).collect()
}

/// Tries the connections again of everything that waits for a sign-in to the same gateway.
fn retry_all(way: &dyn Way) {
    let server = way.server();
    let others: Vec<_> = WAITING.with_borrow(|all| {
        let same =
            all.iter().map(|waiting| &waiting.way).filter(|way| server.is_some() && way.server() == server);
        same.map(Rc::clone).collect()
    });
    if others.is_empty() {
        way.retry();
    }
    for way in others {
        way.retry();
    }
}

/// The form: a password field and a button; without them while another form of the page signs in to the same gateway.
/// Must be made under an owner.
pub fn sign_in(way: Rc<dyn Way>) -> El {
    let busy = RwSignal::new(false);
    let tried = way.tried();
    way.set_tried(false);
    let wrong = RwSignal::new(tried.then_some(connection::NOT_THE_TOKEN));
    let shown = register(&way);
    // A real form, so that Enter sends it and password managers recognise it.
    let form = el("form").class("sign-in").attr("part", "sign-in").attr("hidden", move || !shown.get());
    let element = form.element().clone();
    form.on("submit", move |event| {
        event.prevent_default();
        let field = element.query_selector("input").ok().flatten();
        let Some(field) = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok()) else { return };
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
                    retry_all(way.as_ref());
                }
                Ok(_) => {
                    field.set_value("");
                    retry_all(way.as_ref());
                }
            }
        });
    })
    .child(move || if shown.get() { untrack(|| fields(busy, wrong)) } else { Vec::new() })
}

fn fields(busy: RwSignal<bool>, wrong: RwSignal<Option<Word>>) -> Vec<El> {
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
    let words = move || if busy.get() { connection::SIGNING_IN } else { connection::SIGN_IN_NOW };
    let button = el("button")
        .class("btn primary")
        .attr("part", "button")
        .attr("type", "submit")
        .attr("disabled", move || busy.get())
        .text(move || words().text().to_owned());
    let label = el("label").class("field").child(el("span").text(connection::TOKEN.text())).child(input);
    let why = el("p").class("err").attr("role", "alert").attr("hidden", move || wrong.get().is_none());
    vec![
        label,
        button,
        why.text(move || wrong.get().map_or_else(String::new, |words| words.text().to_owned())),
    ]
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

#[cfg(test)]
mod tests {
    use super::one_each;

    fn shown(ways: &[(&str, bool)]) -> Vec<bool> {
        let ways: Vec<_> = ways.iter().map(|(server, board)| (Some((*server).to_owned()), *board)).collect();
        one_each(&ways)
    }

    #[test]
    fn each_gateway_of_a_page_has_one_form() {
        assert_eq!(shown(&[("a", false)]), [true]);
        assert_eq!(shown(&[("a", true)]), [true], "a board alone");
        assert_eq!(shown(&[("a", true), ("a", false)]), [false, true], "the session may cover the board");
        assert_eq!(shown(&[("a", false), ("a", true)]), [true, false], "in whatever order they came");
        assert_eq!(
            shown(&[("a", false), ("a", false), ("a", false)]),
            [true, false, false],
            "sessions side by side"
        );
        assert_eq!(shown(&[("a", true), ("b", false)]), [true, true], "two gateways");
        assert_eq!(shown(&[("a", true), ("a", true), ("b", true)]), [true, false, true]);
        assert_eq!(
            one_each(&[(None, false), (None, false)]),
            [true, true],
            "what is not known to be the same"
        );
    }
}
