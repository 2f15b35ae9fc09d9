//! Finds out which open requests the server still knows, and what became of answers that nobody confirmed. No
//! answer is sent again here; only a person does that.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::GetUntracked;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use super::in_flight::{self, Delivery};
use crate::core::client::{Asked, PermissionChecks, RequestError};
use crate::core::i18n::words::connection;
use crate::core::model::request::{Life, Request};

/// How long to wait for the event of a listed permission before the list's own data is used, in milliseconds.
const EVENT_WAIT: u32 = 1_000;

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
    /// What the lists so far have shown.
    permissions: RefCell<PermissionChecks>,
    /// How many lists were requested. Only the newest counts.
    lists: Cell<u32>,
    again: RefCell<Option<Timeout>>,
}

impl Controller {
    /// Finds out what became of an answer that may have arrived.
    pub(super) fn look_into(self: &Rc<Self>) {
        self.checks.permissions.borrow_mut().begin();
        self.reconcile();
    }

    /// The server has taken the answer to a permission. Whether it still waits for one is asked later, unless an event
    /// says what came of it.
    pub(super) fn look_into_later(self: &Rc<Self>) {
        let delay_ms = self.checks.permissions.borrow_mut().taken();
        self.ask_again(delay_ms);
    }

    /// After a stop that closed requests: a sub-agent in the background may still ask.
    pub(super) fn look_after_stop(self: &Rc<Self>) {
        let stops = self.session.borrow().state().doubtful_ends;
        if self.checks.stops.replace(stops) < stops && !self.checks.due.get() {
            self.look_into();
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
            self.look_into();
        }
    }

    /// Asks which permissions are open. [`PermissionChecks`] says what the answer means for those that are open here;
    /// those that only the server knows are shown. Other requests are known from the log only. An answered request
    /// that is listed can be answered anew; one that is open only because nothing reports its end can
    /// get the same answer again.
    fn reconcile(self: &Rc<Self>) {
        self.checks.again.take();
        let asked = self.asked();
        let answered = self.answered();
        self.checks.lists.set(self.checks.lists.get().wrapping_add(1));
        let number = self.checks.lists.get();
        let Some(answer) = self.request("session.permissions.pendingRequests", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        let newest = move || weak.upgrade().filter(|controller| controller.checks.lists.get() == number);
        spawn_local(async move {
            let items = match answer.await {
                Ok(mut result) => {
                    let name = if result.get("items").is_some() { "items" } else { "requests" };
                    result.get_mut(name).map(Value::take)
                }
                // A new connection asks again by itself.
                Err(RequestError::NotConnected | RequestError::Replaying) => return,
                Err(error) if error.uncertain() => {
                    let Some(controller) = newest() else { return };
                    let delay_ms = controller.checks.permissions.borrow_mut().unanswered();
                    return controller.ask_again(delay_ms);
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
            if !newest().is_some_and(known) {
                TimeoutFuture::new(EVENT_WAIT).await;
            }
            let Some(controller) = newest() else { return };
            let place = controller.place();
            if let Some(mut items) = items {
                if controller.requests_only.get() {
                    // The list covers the whole session. Requests that are not shown here arrive
                    // with the board's summary.
                    let session = controller.session.borrow();
                    let known = |id: &str| session.state().request_place(id).is_some();
                    items.retain(|item| item.get("requestId").and_then(Value::as_str).is_some_and(known));
                }
                let found = {
                    let session = controller.session.borrow();
                    controller.checks.permissions.borrow_mut().listed(session.state(), &asked, &listed)
                };
                controller.feed(|session| session.permissions_listed(&found.gone, items));
                for id in &found.unheeded {
                    in_flight::reopen(&place, id, connection::NOT_ARRIVED.text());
                }
                if let Some(delay_ms) = found.again_ms {
                    controller.ask_again(delay_ms);
                }
            }
            for id in controller.answered().iter().filter(|id| answered.contains(id)) {
                if listed.contains(id) {
                    in_flight::reopen(&place, id, connection::NOT_ARRIVED.text());
                } else if in_flight::delivery(&place, id) == Some(Delivery::Checking) {
                    in_flight::mark_unsure(&place, id, None);
                }
            }
        });
    }

    /// What is compared with the list. A board's card knows from the board's summary what is open.
    fn asked(&self) -> Asked {
        let asked = self.checks.permissions.borrow().ask(self.session.borrow().state());
        if self.requests_only.get() { asked.without_open() } else { asked }
    }

    /// Asks again after so many milliseconds, if anything is in question by then.
    fn ask_again(self: &Rc<Self>, delay_ms: u32) {
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(delay_ms, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                let Some(controller) = weak.upgrade() else { return };
                if !controller.asked().is_empty() || !controller.answered().is_empty() {
                    controller.reconcile();
                }
            });
        });
        self.checks.again.replace(Some(timer));
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
