//! Finds out which open requests the server still knows, and what became of answers that nobody confirmed. No
//! answer is sent again here; only a person does that.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::GetUntracked;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use super::in_flight::{self, Delivery};
use crate::client::transport::RequestError;
use crate::core::i18n::words::connection;
use crate::core::model::request::{Life, Request, RequestKind};

/// How long to wait for the event of a listed permission before the list's own data is used, in milliseconds.
const EVENT_WAIT: u32 = 1_000;
/// A runtime that has just resumed its session lists nothing for a moment. What is missing is looked for
/// again after this many milliseconds before it counts as gone.
const SECOND_LOOK: u32 = 2_000;
/// How long until a server that did not say what is open is asked again, in milliseconds.
const AGAIN: u32 = 5_000;

/// What is still to be found out.
#[derive(Default)]
pub(super) struct Checks {
    /// The connection is new. The server is asked once the history has arrived, because before that
    /// everything would look unknown.
    due: Cell<bool>,
    /// Answers that failed for lack of a connection and can be given again.
    unsent: RefCell<Vec<String>>,
    /// How many stops the server has been asked about.
    stops: Cell<u64>,
    /// How many first looks were made: a second look is skipped if another first one came in between.
    looks: Cell<u32>,
}

/// Which look at the list this is: a permission counts as gone when it is missing in both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    First,
    Second,
}

impl Controller {
    /// Finds out what became of an answer that may have arrived.
    pub(super) fn look_into(self: &Rc<Self>) {
        self.reconcile(Look::First);
    }

    /// After a stop that closed requests: a sub-agent in the background may still ask.
    pub(super) fn look_after_stop(self: &Rc<Self>) {
        let stops = self.session.borrow().state().doubtful_ends;
        if self.checks.stops.replace(stops) < stops && !self.checks.due.get() {
            self.reconcile(Look::First);
        }
    }

    /// Notes an answer that found no connection: its card says so until there is one.
    pub(super) fn found_no_connection(&self, id: &str) {
        self.checks.unsent.borrow_mut().push(id.to_owned());
    }

    /// Checks the open requests of a new connection, once the history has arrived.
    pub(super) fn reconcile_soon(self: &Rc<Self>) {
        self.connected_again();
        self.checks.due.set(true);
        self.caught_up();
    }

    /// Removes the messages about a missing connection from cards: they can be answered now.
    pub(super) fn connected_again(&self) {
        for id in self.checks.unsent.take() {
            self.store.set_trouble(&id, None);
        }
    }

    /// Called when input arrived. Once the history is here and the session is known, the server is asked
    /// about what the log does not tell.
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

    /// Asks which permissions are open. Those held here but not listed are gone, and those that only
    /// the server knows are shown. Other requests are known from the log only. An answered request
    /// that is listed can be answered anew; one that is open only because nothing reports its end can
    /// get the same answer again.
    fn reconcile(self: &Rc<Self>, look: Look) {
        let held = self.open(&|request| request.kind == RequestKind::Permission);
        let answered = self.answered();
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
                    if let Some(controller) = weak.upgrade().filter(|_| !answered.is_empty()) {
                        controller.reconcile(look);
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
            // The events of listed permissions may be under way, and say more than the list.
            let known = |controller: Rc<Self>| {
                let session = controller.session.borrow();
                listed.iter().all(|id| session.state().request_place(id).is_some())
            };
            if !weak.upgrade().is_some_and(known) {
                TimeoutFuture::new(EVENT_WAIT).await;
            }
            let Some(controller) = weak.upgrade() else { return };
            let missing = look == Look::First && held.iter().any(|id| !listed.contains(id));
            if let Some(mut items) = items {
                if controller.requests_only.get() {
                    // The list covers the whole session. Requests that are not shown here arrive
                    // with the board's summary.
                    let session = controller.session.borrow();
                    let known = |id: &str| session.state().request_place(id).is_some();
                    items.retain(|item| item.get("requestId").and_then(Value::as_str).is_some_and(known));
                }
                let gone = if missing { &[][..] } else { &held };
                controller.feed(|session| session.permissions_listed(gone, items));
                if missing {
                    drop(controller);
                    TimeoutFuture::new(SECOND_LOOK).await;
                    if let Some(controller) =
                        weak.upgrade().filter(|controller| controller.checks.looks.get() == looks)
                    {
                        controller.reconcile(Look::Second);
                    }
                    return;
                }
            }
            let place = controller.place();
            for id in controller.answered().iter().filter(|id| answered.contains(id)) {
                if listed.contains(id) {
                    in_flight::reopen(&place, id, connection::NOT_ARRIVED.text());
                } else if in_flight::delivery(&place, id) == Some(Delivery::Checking) {
                    in_flight::mark_unsure(&place, id, None);
                }
            }
        });
    }

    /// Open requests that were answered and whose outcome the connection will not report any more.
    pub(super) fn answered(&self) -> Vec<String> {
        let place = self.place();
        let mut answered = self.open(&|request| matches!(request.life, Life::Sending(_) | Life::Unsure(_)));
        answered.retain(|id| in_flight::delivery(&place, id) != Some(Delivery::Pending));
        answered
    }

    /// The ids of the open requests for which `of` holds.
    pub(super) fn open(&self, of: &dyn Fn(&Request) -> bool) -> Vec<String> {
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
