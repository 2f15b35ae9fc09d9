//! Owns what the page asks of the server beside answers: the queue after each change, and the orders that views give.
//! Refuses to know what an order means.

use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Driver;
use crate::core::order::Failure;
use crate::link::RequestError;

impl Driver {
    /// Sends an order for this session. It is sent, or refused, before this returns.
    pub(super) fn order(
        &self,
        method: &str,
        params: Value,
    ) -> impl Future<Output = Result<Value, Failure>> + use<> {
        let sent = self.request(method, params);
        async move {
            match sent {
                Some(sent) => sent.await.map_err(|error| failure(&error)),
                None => Err(failure(&RequestError::NotConnected)),
            }
        }
    }

    /// No event carries the queue: after each change the server is asked.
    pub(super) fn ask_queue(self: &Rc<Self>) {
        let Some(answer) = self.request("session.queue.pendingItems", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            // Without a back channel the indicator says only that the queue changed.
            if let (Ok(told), Some(driver)) = (answer.await, weak.upgrade()) {
                driver.feed(|session| session.set_queue(told));
            }
        });
    }

    pub(super) fn request(
        &self,
        method: &str,
        params: Value,
    ) -> Option<impl Future<Output = Result<Value, RequestError>> + use<>> {
        let mut params = params;
        if let Some(members) = params.as_object_mut() {
            members.entry("sessionId").or_insert_with(|| self.session_id().into());
        }
        self.link.borrow().as_ref().map(|link| link.request(method, params))
    }
}

pub(super) fn failure(error: &RequestError) -> Failure {
    let code = if let RequestError::Refused { code, .. } = error { Some(*code) } else { None };
    Failure { words: error.to_string(), code, uncertain: error.uncertain() }
}
