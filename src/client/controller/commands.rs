//! Sends requests other than answers: the calls that views give, and the question for
//! the queue after each change.

use std::rc::Rc;

use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use crate::client::store::CallOutcome;
use crate::core::client::RequestError;
use crate::core::model::queue::BacklogItem;
use crate::core::model::queue::edits::Edit;
use crate::core::model::state::info::ModeKind;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;

const QUEUE: &str = "session.queue.pendingItems";
const PAUSE: &str = "session.queue.setDrainPaused";
const BACKLOG: &str = "pilothouse.backlog";
const GET_MODE: &str = "session.mode.get";
const SET_MODE: &str = "session.mode.set";
const GET_PERMISSION_MODE: &str = "session.permissions.getMode";
const SET_PERMISSION_MODE: &str = "session.permissions.setMode";

/// What the outcome of a call changes in the state, as no event tells it.
#[derive(Clone)]
enum Effect {
    /// What waits for the agent.
    Queue,
    /// What the server keeps.
    Backlog,
    /// The queue is paused, or goes on.
    Paused(bool),
    /// The edit of the queue with this number is done, or refused.
    Edited(u64),
    /// What a mode is, as the server answers.
    Mode(ModeKind),
    /// This mode was chosen here.
    ModeRequested(ModeKind, String),
    /// At most an entry for the timeline.
    Other,
}

/// Calls that only read. The views make them by themselves, so they are nothing that a person does.
const READS: [&str; 12] = [
    QUEUE,
    BACKLOG,
    GET_MODE,
    GET_PERMISSION_MODE,
    "session.commands.list",
    "session.completions.getTriggerCharacters",
    "session.completions.request",
    "session.history.listRewindPoints",
    "session.history.previewRewind",
    "session.model.list",
    "session.permissions.locations.resolve",
    "session.permissions.pendingRequests",
];

impl Controller {
    /// Sends a call that a view makes. If it changes something, the host hears of it before and after, and may make
    /// it itself: then this returns `None`.
    pub(super) fn call_of_person(self: &Rc<Self>, method: &str, params: Value) -> Option<CallOutcome> {
        if READS.contains(&method) {
            return Some(self.call(method, params));
        }
        if self.host.calling(method, &params) {
            return None;
        }
        let sent = self.call(method, params.clone());
        let (controller, method) = (Rc::downgrade(self), method.to_owned());
        Some(Box::pin(async move {
            let outcome = sent.await;
            if let Some(controller) = controller.upgrade() {
                let result = outcome.as_ref().map_err(|failure| failure.words.clone());
                controller.host.called(&method, &params, result);
            }
            outcome
        }))
    }

    /// Sends a call for this session. It is sent or refused before this returns. The queue, the backlog and
    /// a command's timeline entry are in the state when the answer is there; an edit of the queue is at once.
    pub(super) fn call(self: &Rc<Self>, method: &str, params: Value) -> CallOutcome {
        if self.speaks_platform() {
            return self.platform_call(method, &params);
        }
        let edit = Edit::of_request(method, &params);
        let effect = match method {
            QUEUE => Effect::Queue,
            BACKLOG => Effect::Backlog,
            PAUSE => Effect::Paused(params.get("paused").and_then(Value::as_bool).unwrap_or(false)),
            GET_MODE => Effect::Mode(ModeKind::Agent),
            GET_PERMISSION_MODE => Effect::Mode(ModeKind::Permission),
            SET_MODE => Effect::ModeRequested(ModeKind::Agent, mode_of(&params)),
            SET_PERMISSION_MODE => Effect::ModeRequested(ModeKind::Permission, mode_of(&params)),
            _ => Effect::Other,
        };
        let sent = self.request(method, params);
        if let (Effect::ModeRequested(kind, mode), Some(_)) = (&effect, &sent) {
            self.feed(|session| session.mode_requested(*kind, mode));
        }
        let effect = edit.filter(|_| sent.is_some()).map_or(effect, |edit| {
            let number = self.feed(|session| session.queue_edit_sent(edit));
            // Whoever moved an item with a key presses the next one at once.
            self.commit();
            Effect::Edited(number)
        });
        let controller = Rc::downgrade(self);
        Box::pin(async move {
            let outcome = match sent {
                Some(sent) => sent.await.map_err(|error| error.failure()),
                None => Err(RequestError::NotConnected.failure()),
            };
            match controller.upgrade() {
                Some(controller) => controller.take_outcome(effect, outcome),
                None => outcome,
            }
        })
    }

    /// Puts into the state what the outcome of a call tells.
    fn take_outcome(
        self: &Rc<Self>,
        effect: Effect,
        mut outcome: Result<Value, CallFailure>,
    ) -> Result<Value, CallFailure> {
        self.feed(|session| match (effect, &mut outcome) {
            (Effect::Queue, Ok(answer)) => session.set_queue(answer.clone()),
            (Effect::Queue, Err(_)) => session.queue_unknown(),
            (Effect::Backlog, Ok(answer)) => session.set_backlog(answer.clone()),
            (Effect::Edited(number), outcome) => {
                session.queue_edit_answered(number, outcome.as_ref().ok());
            }
            (Effect::Mode(kind), Ok(answer)) => {
                let mode = answer.as_str().or_else(|| answer.get("mode")?.as_str());
                session.mode_answered(kind, mode.filter(|mode| !mode.is_empty()).map(str::to_owned));
            }
            (Effect::Mode(kind), Err(_)) => session.mode_answered(kind, None),
            (Effect::ModeRequested(kind, mode), _) => session.mode_request_ended(kind, &mode),
            (Effect::Paused(paused), Ok(_)) => session.queue_paused(paused),
            // Somebody else has paused it: so it is paused, and can be resumed from here.
            (
                Effect::Paused(true),
                Err(CallFailure { reason: Some(ErrorReason::QueueAlreadyPaused), .. }),
            ) => {
                session.queue_paused(true);
            }
            // Taken already where the answer came over the session's own stream.
            (Effect::Other, Ok(answer)) => session.take_timeline_entry(answer),
            _ => {}
        });
        outcome
    }

    /// Asks the server for the queue, which no event carries.
    pub(super) fn ask_queue(self: &Rc<Self>) {
        // A stream that has not named its session yet has no queue either.
        if self.session_id().is_empty() {
            return;
        }
        let asked = self.call(QUEUE, json!({}));
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
    pub(super) fn ask_backlog(self: &Rc<Self>, when: fn(&[BacklogItem]) -> bool) -> Option<CallOutcome> {
        let worth = self.session.borrow().state().queue.backlog.as_deref().is_some_and(when);
        worth.then(|| self.call(BACKLOG, json!({})))
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
        self.link().map(|link| link.request(method, params))
    }
}

/// The mode that a request asks for.
fn mode_of(params: &Value) -> String {
    params.get("mode").and_then(Value::as_str).unwrap_or_default().to_owned()
}
