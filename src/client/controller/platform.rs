//! Talks with an agent of the Copilot platform: a person's messages, their answers to
//! confirmations, and the replies.

use std::cell::RefCell;
use std::future::ready;
use std::rc::{Rc, Weak};

use leptos::prelude::GetUntracked;
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use super::in_flight;
use crate::client::store::CallOutcome;
use crate::client::transport::Listener;
use crate::core::Session;
use crate::core::client::RequestError;
use crate::core::client::connection::ReplyEnd;
use crate::core::connection::Protocol;
use crate::core::model::answer;
use crate::core::model::answer::Prepared;
use crate::core::model::request::Request;
use crate::core::reduce::platform::REPLY_BROKE;

/// What hosts know answers to confirmations by: the field of the platform's messages that has them.
const CONFIRMATIONS: &str = "copilot_confirmations";

impl Controller {
    /// Whether messages go out in the platform's form.
    pub(super) fn speaks_platform(&self) -> bool {
        self.store.host().get_untracked() == Some(Protocol::Platform)
    }

    /// Carries out the calls that the platform has: to send a message, and to stop.
    pub(super) fn platform_call(self: &Rc<Self>, method: &str, params: &Value) -> CallOutcome {
        match method {
            "session.send" => self.say(params.get("prompt").and_then(Value::as_str).unwrap_or_default()),
            "session.abort" => {
                if let Some(link) = self.link() {
                    link.stop_replies();
                }
                Box::pin(ready(Ok(json!({ "success": true }))))
            }
            _ => Box::pin(ready(Err(RequestError::NoWayBack.failure()))),
        }
    }

    /// Sends a person's message with the conversation so far. It is in the timeline
    /// once the agent has taken it.
    fn say(self: &Rc<Self>, text: &str) -> CallOutcome {
        let body = self.session.borrow().platform_body(text);
        self.feed(Session::reply_awaited);
        let id = Rc::<RefCell<String>>::default();
        let (weak, text, taken) = (Rc::downgrade(self), text.to_owned(), Rc::clone(&id));
        let listener = Reply {
            controller: weak.clone(),
            taken: Box::new(move |session| *taken.borrow_mut() = session.message_taken(&text)),
        };
        let sent = self.link().map(|link| link.converse(&body, Rc::new(listener)));
        Box::pin(async move {
            let outcome = match sent {
                Some(sent) => sent.await,
                None => Err(RequestError::NotConnected),
            };
            match outcome {
                Ok(_) => Ok(json!({ "messageId": id.take() })),
                Err(error) => {
                    if let Some(controller) = weak.upgrade() {
                        controller.feed(Session::reply_ended);
                    }
                    Err(error.failure())
                }
            }
        })
    }

    /// Posts the answer to a confirmation: no event ever settles it, and the agent's reply is the response.
    pub(super) fn confirm(
        self: &Rc<Self>,
        request_id: &str,
        request: &Request,
        answer: &Prepared,
        of_host: bool,
    ) {
        let accepted = answer.params.get("accepted").and_then(Value::as_bool).unwrap_or(false);
        let body = answer::confirmation(request, accepted);
        let by_host = !of_host && self.host.answering(CONFIRMATIONS, &body);
        let place = self.place();
        in_flight::show_sending(&place, request_id, answer);
        if by_host {
            self.feed(|session| session.confirmation_answered(request_id, accepted));
            return;
        }
        let id = request_id.to_owned();
        let taken = {
            let id = id.clone();
            Box::new(move |session: &mut Session| {
                session.confirmation_answered(&id, accepted);
                session.reply_awaited();
            })
        };
        let controller = Rc::downgrade(self);
        let listener = Reply { controller: Weak::clone(&controller), taken };
        let sent = self.link().map(|link| link.converse(&body, Rc::new(listener)));
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await,
                None => Err(RequestError::NotConnected),
            };
            if let Some(controller) = controller.upgrade() {
                controller.host.called(CONFIRMATIONS, &body, outcome.as_ref().map_err(ToString::to_string));
            }
            in_flight::resolve(&place, &id, outcome.map(|_| Value::Null), false);
        });
    }
}

/// Receives what becomes of a reply.
struct Reply {
    controller: Weak<Controller>,
    taken: Box<dyn Fn(&mut Session)>,
}

impl Listener for Reply {
    fn taken(&self) {
        if let Some(controller) = self.controller.upgrade() {
            controller.feed(&self.taken);
        }
    }

    fn over(&self, end: ReplyEnd) {
        let Some(controller) = self.controller.upgrade() else { return };
        match end {
            ReplyEnd::Whole => controller.feed(Session::reply_ended),
            ReplyEnd::Stopped => controller.feed(Session::reply_stopped),
            ReplyEnd::Broken => {
                let note = json!({ "jsonrpc": "2.0", "method": REPLY_BROKE }).to_string();
                controller.feed(|session| _ = session.push_frame(&note));
            }
        }
    }
}
