//! The form for signing in to the gateway: one for each gateway of a page, whatever the page shows of it.
//!
//! The token is in the field while it is typed, and nowhere longer: it is not stored in the page, in an address,
//! or in any storage.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::html::Input;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use web_sys::SubmitEvent;

use crate::client::account;
use crate::core::i18n::Word;
use crate::core::i18n::words::connection;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::{CallFailure, SIGN_IN_METHOD};
use crate::store::board::BoardStore;
use crate::store::{CallOutcome, Store};
use crate::ui::elements::builder::El;
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::live_text::LiveText;

/// Where somebody signs in: on a session's page, or on a board.
pub trait SignInTarget {
    /// Sends the token; `None` if nothing can send it.
    fn call(&self, params: Value) -> Option<CallOutcome>;
    /// Tries the connection again.
    fn retry(&self);
    /// The address of the gateway; `None` if there is no network.
    fn server(&self) -> Option<String>;
    /// Whether this is a board, which may lie under a session.
    fn is_board(&self) -> bool;
    /// Whether a token was sent, and this connection shows whether it was right.
    fn has_sent_token(&self) -> bool;
    /// Remembers whether such a token was sent.
    fn set_sent_token(&self, tried: bool);
}

impl SignInTarget for Store {
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

    fn has_sent_token(&self) -> bool {
        self.server().tried.get_untracked()
    }

    fn set_sent_token(&self, tried: bool) {
        self.server().tried.set(tried);
    }
}

impl SignInTarget for BoardStore {
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

    fn has_sent_token(&self) -> bool {
        self.tried.get_untracked()
    }

    fn set_sent_token(&self, tried: bool) {
        self.tried.set(tried);
    }
}

/// Something on the page that wants a sign-in.
struct PendingSignIn {
    target: Rc<dyn SignInTarget>,
    /// It has the form.
    has_form: RwSignal<bool>,
}

thread_local! {
    /// Everything on the page that wants a sign-in, in the order in which it began to.
    static WAITING: RefCell<Vec<PendingSignIn>> = const { RefCell::new(Vec::new()) };
}

/// Whether this one shows the form now, as long as the owner lives.
fn register(target: &Rc<dyn SignInTarget>) -> RwSignal<bool> {
    let has_form = RwSignal::new(false);
    WAITING.with_borrow_mut(|all| all.push(PendingSignIn { target: Rc::clone(target), has_form }));
    arrange();
    on_cleanup(move || {
        WAITING.with_borrow_mut(|all| all.retain(|waiting| waiting.has_form != has_form));
        arrange();
    });
    has_form
}

/// Gives each gateway one form.
fn arrange() {
    let of =
        |waiting: &PendingSignIn| (waiting.has_form, (waiting.target.server(), waiting.target.is_board()));
    let all: Vec<_> = WAITING.with_borrow(|all| all.iter().map(of).collect());
    let (signals, targets): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    for (has_form, now) in signals.into_iter().zip(one_form_per_gateway(&targets)) {
        if has_form.try_get_untracked() != Some(now) {
            has_form.try_set(now);
        }
    }
}

/// Which of those that want a sign-in show the form, given each one's gateway and whether it is a board: of each
/// gateway's the first session, since it may cover a board, or else the first board.
fn one_form_per_gateway(targets: &[(Option<String>, bool)]) -> Vec<bool> {
    let chosen = |server: &Option<String>| {
        let same = targets.iter().enumerate().filter(|(_, (other, _))| other == server);
        same.min_by_key(|(at, (_, is_board))| (*is_board, *at)).map(|(at, _)| at)
    };
    let shows =
        |(at, (server, _)): (usize, &(Option<String>, bool))| server.is_none() || chosen(server) == Some(at);
    targets.iter().enumerate().map(shows).collect()
}

/// Tries the connections again of everything that waits for a sign-in to the same gateway.
fn retry_all(target: &dyn SignInTarget) {
    let server = target.server();
    let others: Vec<_> = WAITING.with_borrow(|all| {
        let targets = all.iter().map(|waiting| &waiting.target);
        targets.filter(|other| server.is_some() && other.server() == server).map(Rc::clone).collect()
    });
    if others.is_empty() {
        target.retry();
    }
    for other in others {
        other.retry();
    }
}

/// The form: a password field and a button, before them a link to the gateway's provider if it has one; without them while another form of the page signs in to the same gateway.
/// Must be made under an owner.
pub fn sign_in(target: Rc<dyn SignInTarget>) -> El {
    let busy = RwSignal::new(false);
    let tried = target.has_sent_token();
    target.set_sent_token(false);
    let wrong = RwSignal::new(tried.then_some(connection::NOT_THE_TOKEN));
    let has_form = register(&target);
    let provider = RwSignal::new(None);
    let server = target.server();
    spawn_local(async move {
        let host = account::provider(server).await;
        provider.try_set(host); // the form may have been removed in the meantime
    });
    let field: NodeRef<Input> = NodeRef::new();
    let target = StoredValue::new_local(target);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let (Some(field), Some(target)) = (field.get_untracked(), target.try_get_value()) else { return };
        let token = field.value().trim().to_owned();
        if token.is_empty() || busy.get_untracked() {
            return;
        }
        let Some(sent) = target.call(json!({ "token": token })) else { return };
        busy.set(true);
        wrong.set(None);
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
                    target.set_sent_token(true);
                    retry_all(target.as_ref());
                }
                Ok(_) => {
                    field.set_value("");
                    retry_all(target.as_ref());
                }
            }
        });
    };
    let fields = move || if has_form.get() { untrack(|| fields(field, busy, wrong)) } else { Vec::new() };
    // A real form, so that Enter sends it and password managers recognise it.
    El::of(view! {
        <form class="sign-in" part="sign-in" hidden=LiveAttribute::new(move || !has_form.get()) on:submit=submit>
            {Live::new(move || provider.get().filter(|_| has_form.get()).map(|host| provider_link(&host)))}
            {Live::new(fields)}
        </form>
    })
}

/// The link to the provider with which one signs in instead.
fn provider_link(host: &str) -> El {
    let words = connection::SIGN_IN_WITH.with(&[("host", host.into())]);
    El::of(view! {
        <a class="btn primary provider" part="button" href=account::sign_in_address()>{words}</a>
    })
}

fn fields(field: NodeRef<Input>, busy: RwSignal<bool>, wrong: RwSignal<Option<Word>>) -> Vec<El> {
    let name = move || if busy.get() { connection::SIGNING_IN } else { connection::SIGN_IN_NOW };
    let why = move || wrong.get().map_or_else(String::new, |words| words.text().to_owned());
    vec![
        El::of(view! {
            <label class="field">
                <span>{connection::TOKEN.text()}</span>
                <input
                    class="input"
                    type="password"
                    name="token"
                    autocomplete="current-password"
                    autocapitalize="none"
                    spellcheck="false"
                    dir="ltr"
                    required
                    disabled=LiveAttribute::new(move || busy.get())
                    aria-invalid=LiveAttribute::new(move || wrong.get().map(|_| "true"))
                    node_ref=field
                />
            </label>
        }),
        El::of(view! {
            <button class="btn primary" part="button" type="submit" disabled=LiveAttribute::new(move || busy.get())>
                {LiveText::new(move || name().text().to_owned())}
            </button>
        }),
        El::of(view! {
            <p class="err" role="alert" hidden=LiveAttribute::new(move || wrong.get().is_none())>
                {LiveText::new(why)}
            </p>
        }),
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
    use super::one_form_per_gateway;

    fn forms(targets: &[(&str, bool)]) -> Vec<bool> {
        let of = |(server, board): &(&str, bool)| (Some((*server).to_owned()), *board);
        one_form_per_gateway(&targets.iter().map(of).collect::<Vec<_>>())
    }

    #[test]
    fn each_gateway_of_a_page_has_one_form() {
        assert_eq!(forms(&[("a", false)]), [true]);
        assert_eq!(forms(&[("a", true)]), [true], "a board alone");
        assert_eq!(forms(&[("a", true), ("a", false)]), [false, true], "the session may cover the board");
        assert_eq!(forms(&[("a", false), ("a", true)]), [true, false], "in whatever order they came");
        assert_eq!(
            forms(&[("a", false), ("a", false), ("a", false)]),
            [true, false, false],
            "sessions side by side"
        );
        assert_eq!(forms(&[("a", true), ("b", false)]), [true, true], "two gateways");
        assert_eq!(forms(&[("a", true), ("a", true), ("b", true)]), [true, false, true]);
        assert_eq!(
            one_form_per_gateway(&[(None, false), (None, false)]),
            [true, true],
            "what is not known to be the same"
        );
    }
}
