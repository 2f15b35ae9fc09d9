//! Owns how a person's answers reach the server, and which open requests it still knows. Refuses what an answer says
//! (`core::answer`) and to settle anything itself: the runtime's closing event does.

use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{GetUntracked, Set, untrack};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Driver;
use crate::core::answer::{self, Answer};
use crate::core::language::words::requests;
use crate::core::request::{Life, Request, RequestKind};

/// How long the event of a listed permission may take before the list has to do, in milliseconds.
const EVENT_WAIT: u32 = 1_000;

impl Driver {
    /// Asks which permissions are open: those that we hold and the server does not list are gone, those that only it
    /// knows are shown. Before the history has come everything would look unknown: then it is asked later.
    pub(super) fn reconcile(self: &Rc<Self>) {
        let (newest, reached) = self.store.progress.get_untracked();
        self.unreconciled.set(reached < newest);
        if self.unreconciled.get() {
            return;
        }
        let held: Vec<String> = {
            let session = self.session.borrow();
            let state = session.state();
            let permission = |place: &usize| {
                let entry = state.entry(*place)?;
                (entry.request()?.kind == RequestKind::Permission).then(|| entry.id.clone())
            };
            state.open_requests.iter().filter_map(permission).collect()
        };
        let Some(answer) = self.request("session.permissions.pendingRequests", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let Ok(mut result) = answer.await else { return };
            let items =
                ["items", "requests"].into_iter().find_map(|name| result.get_mut(name).map(Value::take));
            let Some(Value::Array(items)) = items else { return };
            // The events of what is listed may be on their way, and say more than the list.
            let known = |driver: &Rc<Self>| {
                let session = driver.session.borrow();
                let id = |item: &Value| item.get("requestId")?.as_str().map(str::to_owned);
                items.iter().filter_map(id).all(|id| session.state().request_place(&id).is_some())
            };
            match weak.upgrade() {
                Some(driver) if known(&driver) => {}
                Some(_) => TimeoutFuture::new(EVENT_WAIT).await,
                None => return,
            }
            if let Some(driver) = weak.upgrade() {
                driver.feed(|session| session.permissions_listed(&held, items));
            }
        });
    }

    /// Sends a person's answer, unless the host does.
    pub(super) fn answer(self: &Rc<Self>, request_id: &str, answer: &Answer) {
        if !untrack(|| self.store.silent()) {
            self.carry(request_id, answer, false);
        }
    }

    /// Takes the answer of a host's own program: the params of the request's method beside `sessionId` and
    /// `requestId`. False if nothing is open under this id, or these are no params.
    pub fn answer_of_host(self: &Rc<Self>, request_id: &str, params: Value) -> bool {
        let Value::Object(params) = params else { return false };
        let words = requests::BY_PROGRAM.text().to_owned();
        self.carry(request_id, &Answer::Other { params, words }, true)
    }

    /// Brings an answer to the server. One that a host's program gives is not offered to it again.
    fn carry(self: &Rc<Self>, request_id: &str, answer: &Answer, of_host: bool) -> bool {
        let prepared = {
            let session = self.session.borrow();
            let state = session.state();
            let entry = state.request_place(request_id).and_then(|place| state.entry(place));
            entry.and_then(|entry| entry.request()).filter(|request| request.open()).cloned()
        };
        let waiting = |request: &Request| !of_host || request.life == Life::Waiting;
        let Some(request) = prepared.filter(waiting) else { return false };
        self.store.trouble.set(None);
        let Some(outgoing) = answer::outgoing(&self.session_id(), request_id, &request, answer) else {
            self.confirm(request_id, &request, answer, of_host);
            return true;
        };
        let by_host = !of_host && self.host.answering(outgoing.method, &outgoing.params);
        self.feed(|session| session.answer_sending(request_id, answer));
        if by_host {
            return true;
        }
        let sent = self.link.borrow().as_ref().map(|link| link.request(outgoing.method, outgoing.params));
        let (weak, id) = (Rc::downgrade(self), request_id.to_owned());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await.map_err(|error| error.to_string()),
                None => Err("Not sent: there is no connection.".to_owned()),
            };
            let Some(driver) = weak.upgrade() else { return };
            match outcome {
                Ok(result) if result.get("success").and_then(Value::as_bool) == Some(false) => {
                    driver.feed(|session| session.answer_refused(&id));
                }
                // The `*.completed` event settles it.
                Ok(_) => {}
                Err(words) => {
                    driver.feed(|session| session.answer_unsent(&id));
                    driver.store.trouble.set(Some((id, words)));
                }
            }
        });
        true
    }

    /// A platform confirmation is `POSTed`, and no event ever settles it.
    fn confirm(self: &Rc<Self>, request_id: &str, request: &Request, answer: &Answer, of_host: bool) {
        let accepted = match answer {
            Answer::Other { params, .. } => params.get("accepted").and_then(Value::as_bool).unwrap_or(false),
            _ => return,
        };
        let body = answer::confirmation(request, accepted);
        let by_host = !of_host && self.host.answering("copilot_confirmations", &body);
        self.feed(|session| session.answer_sending(request_id, answer));
        let sent = (!by_host).then(|| self.link.borrow().as_ref().map(|link| link.post(&body))).flatten();
        let (weak, id) = (Rc::downgrade(self), request_id.to_owned());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await.map(drop).map_err(|error| error.to_string()),
                None if by_host => Ok(()),
                None => Err("Not sent: there is no connection.".to_owned()),
            };
            let Some(driver) = weak.upgrade() else { return };
            match outcome {
                Ok(()) => driver.feed(|session| session.confirmation_answered(&id, accepted)),
                Err(words) => {
                    driver.feed(|session| session.answer_unsent(&id));
                    driver.store.trouble.set(Some((id, words)));
                }
            }
        });
    }
}
