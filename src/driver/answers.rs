//! Owns how a person's answers reach the server. Refuses what an answer says (`core::answer`) and to settle anything
//! itself: the runtime's closing event does.

use std::rc::Rc;

use leptos::prelude::untrack;
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::Driver;
use crate::core::answer::{self, Prepared};
use crate::core::language::words::requests;
use crate::core::request::Life;
use crate::link::RequestError;

impl Driver {
    /// Sends a person's answer, unless the host does.
    pub(super) fn answer(self: &Rc<Self>, request_id: &str, answer: Prepared) {
        if !untrack(|| self.store.silent()) {
            self.carry(request_id, answer, false);
        }
    }

    /// Takes the answer of a host's own program: the params of the request's method beside `sessionId` and
    /// `requestId`. False if nothing is open under this id, or these are no params.
    pub fn answer_of_host(self: &Rc<Self>, request_id: &str, params: Value) -> bool {
        let Value::Object(params) = params else { return false };
        self.read_all();
        let words = requests::BY_PROGRAM.text();
        self.carry(request_id, Prepared::plain(params, words), true)
    }

    /// Brings an answer to the server. One that a host's program gives is not offered to it again.
    fn carry(self: &Rc<Self>, request_id: &str, answer: Prepared, of_host: bool) -> bool {
        let prepared = {
            let session = self.session.borrow();
            let state = session.state();
            let entry = state.request_place(request_id).and_then(|place| state.entry(place));
            entry.and_then(|entry| entry.request()).filter(|request| request.open()).cloned()
        };
        // An answer that is on its way may still arrive.
        let Some(request) = prepared.filter(|request| request.life == Life::Waiting) else { return false };
        self.store.set_trouble(request_id, None);
        let Some(method) = answer::method(request.kind) else {
            self.confirm(request_id, &request, answer, of_host);
            return true;
        };
        let Prepared { params: answered, ending } = answer;
        let mut params = Map::new();
        params.insert("sessionId".to_owned(), self.session_id().into());
        params.insert("requestId".to_owned(), request_id.into());
        params.extend(answered.into_iter().filter(|(name, _)| !matches!(&**name, "sessionId" | "requestId")));
        let params = Value::Object(params);
        let by_host = !of_host && self.host.answering(method, &params);
        self.answer_flies(request_id);
        self.feed(|session| session.answer_sending(request_id, ending));
        if by_host {
            return true;
        }
        let sent = self.link.borrow().as_ref().map(|link| link.request(method, params));
        let (weak, id) = (Rc::downgrade(self), request_id.to_owned());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await,
                None => Err(RequestError::NotConnected),
            };
            if let Some(driver) = weak.upgrade() {
                driver.answer_landed(&id, outcome);
            }
        });
        true
    }
}
