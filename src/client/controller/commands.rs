//! Sends requests other than answers: the orders that views give, and the question for
//! the queue after each change.

use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use crate::client::store::OrderOutcome;
use crate::client::transport::RequestError;
use crate::core::model::queue::BacklogItem;
use crate::core::protocol::order::Failure;

const QUEUE: &str = "session.queue.pendingItems";
const BACKLOG: &str = "pilothouse.backlog";

impl Controller {
    /// Sends an order for this session. It is sent or refused before this returns. The queue, the backlog and
    /// a command's timeline entry are in the state when the answer is there.
    pub(super) fn order(self: &Rc<Self>, method: &str, params: Value) -> OrderOutcome {
        if self.speaks_platform() {
            return self.platform_order(method, &params);
        }
        let sent = self.request(method, params);
        let (queue, backlog, controller) = (method == QUEUE, method == BACKLOG, Rc::downgrade(self));
        Box::pin(async move {
            let Some(sent) = sent else { return Err(failure(&RequestError::NotConnected)) };
            let mut answer = sent.await.map_err(|error| failure(&error))?;
            if let Some(controller) = controller.upgrade() {
                if queue {
                    controller.feed(|session| session.set_queue(answer.clone()));
                } else if backlog {
                    controller.feed(|session| session.set_backlog(answer.clone()));
                } else {
                    // Taken already where the answer came over the session's own stream.
                    controller.feed(|session| session.take_timeline_entry(&mut answer));
                }
            }
            Ok(answer)
        })
    }

    /// Asks the server for the queue, which no event carries.
    pub(super) fn ask_queue(self: &Rc<Self>) {
        // A stream that has not named its session yet has no queue either.
        if self.session_id().is_empty() {
            return;
        }
        let asked = self.order(QUEUE, json!({}));
        let controller = Rc::downgrade(self);
        spawn_local(async move {
            // Without a back channel this fails, and the indicator says only that the queue changed.
            _ = asked.await;
            let backlog = controller.upgrade().and_then(|controller| controller.ask_backlog(|_| true));
            if let Some(backlog) = backlog {
                _ = backlog.await;
            }
        });
    }

    /// Asks for the server's backlog, if the server is known to keep one and `when` holds for its known
    /// items. The composer has found out whether it keeps one.
    pub(super) fn ask_backlog(self: &Rc<Self>, when: fn(&[BacklogItem]) -> bool) -> Option<OrderOutcome> {
        let worth = self.session.borrow().state().queue.backlog.as_deref().is_some_and(when);
        worth.then(|| self.order(BACKLOG, json!({})))
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
    let reason = if let RequestError::Refused { reason, .. } = error { Some(*reason) } else { None };
    let unsent = matches!(error, RequestError::NotConnected);
    Failure { words: error.to_string(), reason, uncertain: error.uncertain(), unsent }
}
