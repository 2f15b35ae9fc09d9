//! Owns how a person's answers reach the server, and which open requests it still knows. Refuses what an answer says
//! (`core::answer`) and to settle anything itself: the runtime's closing event does.

use std::collections::HashSet;
use std::rc::Rc;

use leptos::prelude::{Set, untrack};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Driver;
use crate::core::answer::{self, Answer};
use crate::core::request::{Request, RequestKind};

impl Driver {
    /// Permissions that were open when we asked and that the server does not list are gone.
    pub(super) fn reconcile(self: &Rc<Self>) {
        let held: Vec<String> = {
            let session = self.session.borrow();
            let state = session.state();
            let permission = |place: &usize| {
                let entry = state.entry(*place)?;
                (entry.request()?.kind == RequestKind::Permission).then(|| entry.id.clone())
            };
            state.open_requests.iter().filter_map(permission).collect()
        };
        if held.is_empty() {
            return;
        }
        let Some(answer) = self.request("session.permissions.pendingRequests", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let (Ok(result), Some(driver)) = (answer.await, weak.upgrade()) else {
                return;
            };
            let Some(items) =
                result.get("items").or_else(|| result.get("requests")).and_then(Value::as_array)
            else {
                return;
            };
            let listed: HashSet<&str> =
                items.iter().filter_map(|item| item.get("requestId")?.as_str()).collect();
            driver.feed(|session| {
                for id in held.iter().filter(|id| !listed.contains(id.as_str())) {
                    session.answer_refused(id);
                }
            });
        });
    }

    /// Sends a person's answer, unless the host does.
    pub(super) fn answer(self: &Rc<Self>, request_id: &str, answer: &Answer) {
        if untrack(|| self.store.silent()) {
            return;
        }
        let prepared = {
            let session = self.session.borrow();
            let state = session.state();
            let entry = state.request_place(request_id).and_then(|place| state.entry(place));
            entry.and_then(|entry| entry.request()).filter(|request| request.open()).cloned()
        };
        let Some(request) = prepared else { return };
        self.store.trouble.set(None);
        let Some(outgoing) = answer::outgoing(&self.session_id(), request_id, &request, answer) else {
            self.confirm(request_id, &request, answer);
            return;
        };
        let by_host = self.host.answering(outgoing.method, &outgoing.params);
        self.feed(|session| session.answer_sending(request_id, answer));
        if by_host {
            return;
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
    }

    /// A platform confirmation is `POSTed`, and no event ever settles it.
    fn confirm(self: &Rc<Self>, request_id: &str, request: &Request, answer: &Answer) {
        let accepted = match answer {
            Answer::Other { params, .. } => params.get("accepted").and_then(Value::as_bool).unwrap_or(false),
            _ => return,
        };
        let body = answer::confirmation(request, accepted);
        let by_host = self.host.answering("copilot_confirmations", &body);
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
