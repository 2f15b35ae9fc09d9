//! Sends a person's answers to the server. The runtime's closing event settles the request, not this code.

use std::rc::Rc;

use leptos::prelude::untrack;
use serde_json::{Map, Value};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use super::in_flight;
use crate::core::client::RequestError;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Prepared;
use crate::core::model::request::Request;

impl Controller {
    /// Sends a person's answer, or the earlier one again for `None`. Does nothing while the
    /// session can't be answered.
    pub(super) fn answer(self: &Rc<Self>, request_id: &str, answer: Option<Prepared>) {
        if !untrack(|| self.store.silent()) {
            self.carry(request_id, answer, false);
        }
    }

    /// Takes the answer of a host's own program: the params of the request's method, without `sessionId` and
    /// `requestId`. Returns false if no request with this id is open, or `params` is no object.
    pub fn answer_of_host(self: &Rc<Self>, request_id: &str, params: Value) -> bool {
        let Value::Object(params) = params else { return false };
        self.read_all();
        self.carry(request_id, Some(Prepared::plain(params, requests::BY_PROGRAM)), true)
    }

    /// Sends an answer to the server. One from the host's own program (`of_host`) is not
    /// offered to the host again.
    fn carry(self: &Rc<Self>, request_id: &str, answer: Option<Prepared>, of_host: bool) -> bool {
        let request = {
            let session = self.session.borrow();
            let state = session.state();
            let entry = state.request_place(request_id).and_then(|place| state.entry(place));
            entry.and_then(|entry| entry.request()).filter(|request| Request::open(request)).cloned()
        };
        let Some(request) = request.filter(|request| !request.is_sending()) else { return false };
        // An earlier answer that is under way or was lost may still arrive.
        let place = self.place();
        let Some(answer) = in_flight::begin(&place, request_id, answer) else { return false };
        let Some(method) = request.kind.method() else {
            self.confirm(request_id, &request, &answer, of_host);
            return true;
        };
        let answered = answer.params.clone().into_iter();
        let mut params = Map::new();
        params.insert("sessionId".to_owned(), self.session_id().into());
        params.insert("requestId".to_owned(), request_id.into());
        params.extend(answered.filter(|(name, _)| !matches!(&**name, "sessionId" | "requestId")));
        let params = Value::Object(params);
        let by_host = !of_host && self.host.answering(method, &params);
        in_flight::show_sending(&place, request_id, &answer);
        if by_host {
            return true;
        }
        let sent = self.link().map(|link| link.request(method, params.clone()));
        let controller = Rc::downgrade(self);
        let (id, checkable) = (request_id.to_owned(), !self.answers_to_host.get());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await,
                None => Err(RequestError::NotConnected),
            };
            if let Some(controller) = controller.upgrade() {
                controller.host.called(method, &params, outcome.as_ref().map_err(ToString::to_string));
            }
            in_flight::resolve(&place, &id, outcome, checkable);
        });
        true
    }
}
