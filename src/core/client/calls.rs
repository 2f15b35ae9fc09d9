//! Sends requests other than answers: the calls that views give, and the questions for the queue and the backlog.

use serde_json::{Value, json};

use super::connection::Outcome;
use super::{Client, Effect, With};
use crate::Session;
use crate::model::agents;
use crate::model::queue::edits::QueueEdit;
use crate::model::state::info::ModeKind;
use crate::protocol::ErrorReason;
use crate::protocol::call::CallFailure;

const QUEUE: &str = "session.queue.pendingItems";
const PAUSE: &str = "session.queue.setDrainPaused";
const BACKLOG: &str = "pilothouse.backlog";
const GET_MODE: &str = "session.mode.get";
const SET_MODE: &str = "session.mode.set";
const GET_PERMISSION_MODE: &str = "session.permissions.getMode";
const SET_PERMISSION_MODE: &str = "session.permissions.setMode";

/// Calls that only read. The views make them by themselves, so they are nothing that a person does.
const READS: [&str; 14] = [
    QUEUE,
    BACKLOG,
    agents::METHOD,
    "pilothouse.visible",
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

/// Whether a call only reads. The host hears of the others, and may make them itself.
pub fn is_read(method: &str) -> bool {
    READS.contains(&method)
}

/// What a request that is under way is for.
#[derive(Debug, Clone)]
pub(super) enum Purpose {
    /// A view's call, with what its outcome changes. The host hears of what became of it, if it has a method here.
    Call { caller: u64, change: StateChange, of_person: Option<(String, Value)> },
    /// The queue, which the client asked for by itself; then it asks for the backlog.
    Queue,
    /// The backlog.
    Backlog,
    /// An answer to a request.
    Answer { request: String, method: &'static str, params: Value },
    /// An answer to a confirmation of the platform.
    Confirmation { request: String, accepted: bool, body: Value },
    /// A message to an agent of the platform, and the id of its entry.
    Message { caller: u64, text: String, id: String, of_person: (String, Value) },
    /// Which permissions are open.
    Permissions,
}

/// What the outcome of a call changes in the state, as no event tells it.
#[derive(Debug, Clone)]
pub(super) enum StateChange {
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

/// The requests that are under way, by ticket.
#[derive(Debug, Default)]
pub(super) struct Requests(Vec<(u64, Purpose)>);

impl Requests {
    pub(super) fn purpose(&mut self, ticket: u64) -> Option<&mut Purpose> {
        self.0.iter_mut().find(|(known, _)| *known == ticket).map(|(_, purpose)| purpose)
    }

    pub(super) fn tickets(&self) -> Vec<u64> {
        self.0.iter().map(|(ticket, _)| *ticket).collect()
    }

    fn take(&mut self, ticket: u64) -> Option<Purpose> {
        let place = self.0.iter().position(|(known, _)| *known == ticket)?;
        Some(self.0.remove(place).1)
    }
}

impl Client {
    /// A ticket for a request that is sent now.
    pub(super) fn ticket(&mut self, purpose: Purpose) -> u64 {
        self.last_ticket = self.last_ticket.wrapping_add(1);
        self.requests.0.push((self.last_ticket, purpose));
        self.last_ticket
    }

    /// Sends a request for this session.
    pub(super) fn request(&mut self, purpose: Purpose, method: &str, mut params: Value, with: &mut With<'_>) {
        if let Some(members) = params.as_object_mut() {
            members.entry("sessionId").or_insert_with(|| self.session_id(with.session).into());
        }
        self.send(purpose, method, params, with);
    }

    /// Sends a call that a view makes. The queue, the backlog and a command's timeline entry are in the state when the
    /// answer is there; an edit of the queue is at once.
    pub(super) fn call_of_view(&mut self, caller: u64, method: &str, params: Value, with: &mut With<'_>) {
        let of_person = (!is_read(method)).then(|| (method.to_owned(), params.clone()));
        if self.speaks_platform() {
            return self.platform_call(caller, method, of_person, with);
        }
        let mut change = match method {
            QUEUE => StateChange::Queue,
            BACKLOG => StateChange::Backlog,
            PAUSE => StateChange::Paused(params.get("paused").and_then(Value::as_bool).unwrap_or(false)),
            GET_MODE => StateChange::Mode(ModeKind::Agent),
            GET_PERMISSION_MODE => StateChange::Mode(ModeKind::Permission),
            SET_MODE => StateChange::ModeRequested(ModeKind::Agent, mode_of(&params)),
            SET_PERMISSION_MODE => StateChange::ModeRequested(ModeKind::Permission, mode_of(&params)),
            _ => StateChange::Other,
        };
        if let StateChange::ModeRequested(kind, mode) = &change {
            with.session.mode_requested(*kind, mode);
        }
        if let Some(edit) = QueueEdit::of_request(method, &params) {
            change = StateChange::Edited(with.session.queue_edit_sent(edit));
            // Whoever moved an item with a key presses the next one at once.
            self.effects.push(Effect::Commit);
        }
        self.request(Purpose::Call { caller, change, of_person }, method, params, with);
    }

    /// What became of a request. A ticket that is not known, or not any more, is ignored.
    pub(super) fn answered(&mut self, ticket: u64, outcome: Outcome, with: &mut With<'_>) {
        let Some(purpose) = self.requests.take(ticket) else { return };
        match purpose {
            Purpose::Call { caller, change, of_person } => {
                let mut outcome = outcome.map_err(|error| error.failure());
                change_state(change, &mut outcome, with.session);
                self.resolve(caller, of_person, outcome);
            }
            Purpose::Queue => {
                let mut outcome = outcome.map_err(|error| error.failure());
                change_state(StateChange::Queue, &mut outcome, with.session);
                // Without a back channel this fails, and the indicator says only that the queue changed.
                self.ask_backlog(with);
            }
            Purpose::Backlog => {
                let mut outcome = outcome.map_err(|error| error.failure());
                change_state(StateChange::Backlog, &mut outcome, with.session);
            }
            Purpose::Answer { request, method, params } => {
                let checkable = !self.server.is_host;
                self.called(method, params, outcome.clone().map_err(|error| error.to_string()));
                self.answer_ended(request, outcome, checkable, with);
            }
            Purpose::Confirmation { request, body, .. } => {
                self.confirmed(request, body, outcome, with);
            }
            Purpose::Message { caller, id, of_person, .. } => {
                self.message_ended(caller, &id, of_person, outcome, with);
            }
            Purpose::Permissions => self.permissions_answered(ticket, outcome, with),
        }
    }

    /// Tells the host what became of an answer or of a person's call.
    pub(super) fn called(&mut self, method: &str, params: Value, outcome: Result<Value, String>) {
        self.effects.push(Effect::Called { method: method.to_owned(), params, outcome });
    }

    /// Tells a view what became of its call.
    pub(super) fn resolve(
        &mut self,
        caller: u64,
        of_person: Option<(String, Value)>,
        outcome: Result<Value, CallFailure>,
    ) {
        if let Some((method, params)) = of_person {
            self.called(&method, params, outcome.clone().map_err(|failure| failure.words));
        }
        self.effects.push(Effect::Resolve(caller, outcome));
    }

    /// Asks the server for the queue, which no event carries.
    pub(super) fn ask_queue(&mut self, with: &mut With<'_>) {
        // A stream that has not named its session yet has no queue either. On the platform there is none.
        if !self.session_id(with.session).is_empty() && !self.speaks_platform() {
            self.request(Purpose::Queue, QUEUE, json!({}), with);
        }
    }

    /// Asks for the server's backlog, if the server is known to keep one. The composer has found out whether it does.
    pub(super) fn ask_backlog(&mut self, with: &mut With<'_>) {
        if with.session.state().queue.backlog.is_some() && !self.speaks_platform() {
            self.request(Purpose::Backlog, BACKLOG, json!({}), with);
        }
    }
}

/// Puts into the state what the outcome of a call tells.
fn change_state(change: StateChange, outcome: &mut Result<Value, CallFailure>, session: &mut Session) {
    match (change, outcome) {
        (StateChange::Queue, Ok(answer)) => session.set_queue(answer.clone()),
        (StateChange::Queue, Err(_)) => session.queue_unknown(),
        (StateChange::Backlog, Ok(answer)) => session.set_backlog(answer.clone()),
        (StateChange::Edited(number), outcome) => session.queue_edit_answered(number, outcome.as_ref().ok()),
        (StateChange::Mode(kind), Ok(answer)) => {
            let mode = answer.as_str().or_else(|| answer.get("mode")?.as_str());
            session.mode_answered(kind, mode.filter(|mode| !mode.is_empty()).map(str::to_owned));
        }
        (StateChange::Mode(kind), Err(_)) => session.mode_answered(kind, None),
        (StateChange::ModeRequested(kind, mode), _) => session.mode_request_ended(kind, &mode),
        (StateChange::Paused(paused), Ok(_)) => session.queue_paused(paused),
        // Somebody else has paused it: so it is paused, and can be resumed from here.
        (
            StateChange::Paused(true),
            Err(CallFailure { reason: Some(ErrorReason::QueueAlreadyPaused), .. }),
        ) => session.queue_paused(true),
        // Taken already where the answer came over the session's own stream.
        (StateChange::Other, Ok(answer)) => session.take_timeline_entry(answer),
        _ => {}
    }
}

/// The mode that a request asks for.
fn mode_of(params: &Value) -> String {
    params.get("mode").and_then(Value::as_str).unwrap_or_default().to_owned()
}
