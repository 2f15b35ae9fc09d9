//! Owns which open requests the server still knows, and what became of answers that nobody confirmed. Refuses to send
//! an answer a second time: a person does, once it is known that the first one did not count.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::GetUntracked;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Driver;
use crate::core::connection::ConnectionState;
use crate::core::language::words::connection;
use crate::core::request::{Life, Request, RequestKind};
use crate::link::RequestError;

/// How long the event of a listed permission may take before the list has to do, in milliseconds.
const EVENT_WAIT: u32 = 1_000;
/// A runtime that has just taken its session up again lists nothing for a moment: what is missing is looked for again after
/// so many milliseconds before it counts as gone.
const SECOND_LOOK: u32 = 2_000;
/// After so many milliseconds a server is asked again that did not say what is open.
const AGAIN: u32 = 5_000;

/// What is to be found out.
#[derive(Default)]
pub(super) struct Checks {
    /// The connection is new: the server is asked once the history has come, for before that everything would look
    /// unknown.
    due: Cell<bool>,
    /// Answers on their way: the connection still says what becomes of them, or the host does.
    flying: RefCell<Vec<String>>,
    /// How often a first look was taken: a second one is of no use when there was another first one meanwhile.
    looks: Cell<u32>,
}

/// What is missing in the list is gone when it was missing twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    First,
    Second,
}

impl Driver {
    /// An answer goes out.
    pub(super) fn answer_flies(&self, id: &str) {
        self.checks.flying.borrow_mut().push(id.to_owned());
    }

    /// It is known what became of an answer, or that the connection will not say.
    pub(super) fn answer_landed(self: &Rc<Self>, id: &str, outcome: Result<Value, RequestError>) {
        self.checks.flying.borrow_mut().retain(|other| other != id);
        match outcome {
            Ok(result) if result.get("success").and_then(Value::as_bool) == Some(false) => {
                self.feed(|session| session.answer_refused(id));
            }
            // The `*.completed` event settles it.
            Ok(_) => {}
            Err(error) if error.uncertain() => {
                self.store.set_trouble(id, Some(connection::MAYBE_ARRIVED.text().to_owned()));
                if self.store.connection.get_untracked().0 == ConnectionState::Open {
                    self.reconcile(Look::First);
                }
            }
            Err(error) => self.answer_again(id, error.to_string()),
        }
    }

    /// The request waits again, and says why.
    pub(super) fn answer_again(self: &Rc<Self>, id: &str, why: String) {
        self.feed(|session| session.answer_unsent(id));
        self.store.set_trouble(id, Some(why));
    }

    /// There is a new connection.
    pub(super) fn reconcile_soon(self: &Rc<Self>) {
        self.checks.due.set(true);
        self.caught_up();
    }

    /// Something came in: what the log does not tell by now, the server is asked, once it is known of which session.
    pub(super) fn caught_up(self: &Rc<Self>) {
        if !self.checks.due.get() {
            return;
        }
        let (newest, reached) = self.store.progress.get_untracked();
        if reached >= newest && !self.session_id().is_empty() {
            self.checks.due.set(false);
            self.reconcile(Look::First);
        }
    }

    /// Asks which permissions are open: those that we hold and the server does not list are gone, those that only it
    /// knows are shown. Of other requests only the log tells. What was answered, and is still open by all that is
    /// known then, can be answered again.
    fn reconcile(self: &Rc<Self>, look: Look) {
        let held = self.open(&|request| request.kind == RequestKind::Permission);
        let unsure = self.unsure();
        self.checks.looks.set(self.checks.looks.get() + u32::from(look == Look::First));
        let looks = self.checks.looks.get();
        let Some(answer) = self.request("session.permissions.pendingRequests", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let items = match answer.await {
                Ok(mut result) => {
                    let name = if result.get("items").is_some() { "items" } else { "requests" };
                    result.get_mut(name).map(Value::take)
                }
                // A new connection asks again by itself.
                Err(RequestError::NotConnected | RequestError::Replaying) => return,
                Err(error) if error.uncertain() => {
                    TimeoutFuture::new(AGAIN).await;
                    if let Some(driver) = weak.upgrade().filter(|_| !unsure.is_empty()) {
                        driver.reconcile(look);
                    }
                    return;
                }
                Err(_) => None,
            };
            let items =
                items.and_then(|items| if let Value::Array(items) = items { Some(items) } else { None });
            let mut listed = Vec::new();
            for item in items.as_deref().unwrap_or_default() {
                if let Some(id) = item.get("requestId").and_then(Value::as_str) {
                    listed.push(id.to_owned());
                }
            }
            // The events of what is listed may be on their way, and say more than the list.
            let known = |driver: Rc<Self>| {
                let session = driver.session.borrow();
                listed.iter().all(|id| session.state().request_place(id).is_some())
            };
            if !weak.upgrade().is_some_and(known) {
                TimeoutFuture::new(EVENT_WAIT).await;
            }
            let Some(driver) = weak.upgrade() else { return };
            let missing = look == Look::First && held.iter().any(|id| !listed.contains(id));
            if let Some(items) = items {
                let gone = if missing { &[][..] } else { &held };
                driver.feed(|session| session.permissions_listed(gone, items));
                if missing {
                    drop(driver);
                    TimeoutFuture::new(SECOND_LOOK).await;
                    if let Some(driver) = weak.upgrade().filter(|driver| driver.checks.looks.get() == looks) {
                        driver.reconcile(Look::Second);
                    }
                    return;
                }
            }
            for id in driver.unsure().iter().filter(|id| unsure.contains(id)) {
                let arrived =
                    if listed.contains(id) { connection::NOT_ARRIVED } else { connection::UNCONFIRMED };
                driver.answer_again(id, arrived.text().to_owned());
            }
        });
    }

    /// Open requests that were answered, and of which nothing tells whether the answer arrived.
    fn unsure(&self) -> Vec<String> {
        let mut unsure = self.open(&|request| matches!(request.life, Life::Sending(_)));
        unsure.retain(|id| !self.checks.flying.borrow().contains(id));
        unsure
    }

    fn open(&self, of: &dyn Fn(&Request) -> bool) -> Vec<String> {
        let session = self.session.borrow();
        let state = session.state();
        let mut ids = Vec::new();
        for place in &state.open_requests {
            if let Some(entry) = state.entry(*place)
                && entry.request().is_some_and(of)
            {
                ids.push(entry.id.clone());
            }
        }
        ids
    }
}
