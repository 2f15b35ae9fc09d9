//! One session with an agent: carries out what its translation says, and has the queue. An agent gets one prompt at a time, the
//! next one when it has answered: at some agents a second prompt would cancel the first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};
use tokio::sync::{Mutex as Turn, watch};
use tokio::time::timeout;
use tracing::debug;
use uuid::Uuid;

use super::connection::{Failure, Incoming};
use super::event::{Effect, Event, Port};
use super::options::{OptionCall, Options};
use super::process::{Listener, Process};
use super::prompt::{Prompt, content};
use super::translation::{Input, Translation};
use crate::agents::backlog::Backlog;
use crate::agents::queue::{Queue, QueueItem};
use crate::agents::recorder::{Recorder, RecorderCommand};
use crate::journal::Entry;
use crate::time;

/// How long an agent may go on with a replay once it has answered the load.
const LONGEST_REPLAY: Duration = Duration::from_secs(30);

/// A session with an agent.
#[derive(Debug)]
pub struct AcpSession {
    /// The session's id here.
    pub id: String,
    /// The messages that people sent and that have not begun.
    pub backlog: Arc<Backlog>,
    /// Locked while the session is being opened or closed.
    pub stage: Turn<()>,
    /// Locked from when a message comes until it is in the queue, so that messages keep their order.
    pub sending: Arc<Turn<()>>,
    recorder: Recorder,
    state: Mutex<State>,
    /// Whether the agent is saying again what was before.
    replaying: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    /// The process that has it, and the agent's id for it.
    open: Option<(Arc<Process>, String)>,
    translation: Option<Translation>,
    queue: Vec<Message>,
    /// What the agent is told before the queue.
    first: VecDeque<String>,
    /// The newest event that is not ephemeral.
    parent: Option<String>,
}

/// A message in the queue.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its id, which its `user.message` has.
    pub id: String,
    /// What the person wrote.
    pub text: String,
    /// The attachments of the page's message.
    pub attachments: Vec<Value>,
    /// The mode that it was written for.
    pub mode: Option<String>,
}

struct Shell;

impl Port for Shell {
    fn new_id(&mut self) -> String {
        Uuid::new_v4().to_string()
    }

    fn now(&mut self) -> String {
        time::now()
    }
}

impl AcpSession {
    /// A session that is not open.
    pub fn new(id: &str, recorder: Recorder) -> Self {
        Self {
            id: id.to_owned(),
            backlog: Arc::default(),
            stage: Turn::default(),
            sending: Arc::default(),
            recorder,
            state: Mutex::default(),
            replaying: watch::Sender::new(false),
        }
    }

    /// Whether a process has it.
    pub fn is_open(&self) -> bool {
        self.state().open.is_some()
    }

    /// The process that has it, and the agent's id for it.
    pub fn open(&self) -> Option<(Arc<Process>, String)> {
        self.state().open.clone()
    }

    /// Whether its agent takes pictures in a prompt; none while no process has it.
    pub fn takes_images(&self) -> Option<bool> {
        let (process, _) = self.open()?;
        Some(*process.capability("/promptCapabilities/image") == true)
    }

    /// It is opened by this process, which knows it by this id. What is known of it so far is forgotten.
    pub fn begin(&self, process: &Arc<Process>, agent_id: &str, translation: Translation) {
        let mut state = self.state();
        state.open = Some((Arc::clone(process), agent_id.to_owned()));
        state.translation = Some(translation);
    }

    /// The process has it no more.
    pub fn end(&self) {
        self.state().end();
    }

    /// This process has ended, or the session was taken from it. What was open in it ends. Returns whether it had the session: another
    /// one may have it by now.
    pub fn process_ended(
        self: &Arc<Self>,
        process: &Arc<Process>,
        message: String,
        last_lines: Vec<String>,
    ) -> bool {
        let mut state = self.state();
        if state.open.as_ref().is_none_or(|(open, _)| !Arc::ptr_eq(open, process)) {
            return false;
        }
        // Nothing that waits is sent after it.
        state.queue.clear();
        state.first.clear();
        // No answer is in it that could be wrong.
        let _ = self.carry_out(&mut state, Input::ProcessEnded { message, last_lines });
        state.end();
        true
    }

    /// Returns when the agent has said again what was before. A prompt would come between, and what is old could not be told from
    /// what is new.
    pub async fn replayed(self: &Arc<Self>) {
        let mut replaying = self.replaying.subscribe();
        if timeout(LONGEST_REPLAY, replaying.wait_for(|replaying| !replaying)).await.is_err() {
            self.take(Input::ReplayGivenUp);
        }
    }

    /// Whether a prompt runs.
    pub fn is_busy(&self) -> bool {
        self.state().is_busy()
    }

    /// Reads what is known of it; none if it was not open yet.
    pub fn read<R>(&self, read: impl FnOnce(&Translation) -> R) -> Option<R> {
        self.state().translation.as_ref().map(read)
    }

    /// Has the translation take this, and carries out what it says.
    pub fn take(self: &Arc<Self>, input: Input) {
        let _ = self.carry_out(&mut self.state(), input); // no answer
    }

    /// Takes a person's answer. False if the request is not open; an error says why it answers nothing.
    pub fn answer(self: &Arc<Self>, request_id: String, params: Value) -> Result<bool, &'static str> {
        self.carry_out(&mut self.state(), Input::Answer { request_id, params })
    }

    /// Writes an event of now.
    pub fn write(&self, event_type: EventKind, data: Value, ephemeral: bool) {
        self.write_event(&mut self.state(), event_type, data, ephemeral);
    }

    /// Puts a message into the queue, or sends it if nothing runs. An immediate one comes before the queue, and what runs is
    /// cancelled for it. The message comes back if the session is not open any more.
    pub fn send(self: &Arc<Self>, message: Message, is_immediate: bool) -> Result<(), Message> {
        let mut state = self.state();
        if state.open.as_ref().is_none_or(|(process, _)| process.connection.is_over()) {
            return Err(message);
        }
        if !state.is_busy() {
            self.prompt(&mut state, message, false);
            return Ok(());
        }
        let place = if is_immediate { 0 } else { state.queue.len() };
        state.queue.insert(place, message);
        self.queue_changed(&mut state);
        if is_immediate {
            let _ = self.carry_out(&mut state, Input::Cancel); // no answer
        }
        Ok(())
    }

    /// Changes the queue. Returns what `change` returns.
    pub fn change_queue<R>(&self, change: impl FnOnce(&mut Vec<Message>) -> R) -> R {
        let mut state = self.state();
        let before: Vec<_> =
            state.queue.iter().map(|message| (message.id.clone(), message.text.clone())).collect();
        let result = change(&mut state.queue);
        if !before
            .iter()
            .map(|(id, text)| (id, text))
            .eq(state.queue.iter().map(|message| (&message.id, &message.text)))
        {
            self.queue_changed(&mut state);
        }
        result
    }

    /// The queue, for the page's `session.queue.pendingItems`.
    pub fn pending_items(&self) -> Value {
        let state = self.state();
        let items = state.queue.iter().map(|message| {
            json!({"id": message.id, "messageId": message.id, "kind": "message", "displayText": message.text,
                   "agentMode": message.mode})
        });
        json!({"items": items.collect::<Vec<_>>(), "steeringMessages": [], "inFlightSteeringCount": 0})
    }

    /// The queue, for comparing it with the backlog.
    pub fn queue(&self) -> Queue {
        let state = self.state();
        let items = state.queue.iter().map(|message| QueueItem {
            id: message.id.clone(),
            message_id: Some(message.id.clone()),
            command: false,
            text: message.text.clone(),
        });
        Queue { items: items.collect(), steering: Vec::new() }
    }

    /// Sets an option: `make` says with which call. None if the agent does not have it.
    pub async fn set_option(
        self: &Arc<Self>,
        make: impl FnOnce(&Options, &str) -> Option<OptionCall>,
    ) -> Option<Result<(), Failure>> {
        let (process, call) = {
            let state = self.state();
            let (process, agent_id) = state.open.as_ref()?;
            let call = make(state.translation.as_ref()?.options(), agent_id)?;
            (Arc::clone(process), call)
        };
        let set = process.connection.call(call.method, &call.params).await;
        Some(set.map(|result| self.take(Input::OptionSet { call, result })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn carry_out(self: &Arc<Self>, state: &mut State, input: Input) -> Result<bool, &'static str> {
        let Some(translation) = &mut state.translation else { return Ok(false) };
        let effects = translation.take(input, &mut Shell);
        let is_replaying = translation.is_replaying();
        let mut counts = Ok(false);
        for effect in effects {
            match effect {
                Effect::Event(event) => self.record(state, &event),
                Effect::Respond { rpc_id, response } => {
                    if let Some((process, _)) = &state.open {
                        process.connection.respond(&rpc_id, response);
                    }
                }
                Effect::Notify { method, params } => {
                    if let Some((process, _)) = &state.open {
                        process.connection.notify(method, &params);
                    }
                }
                Effect::Prompt { text } => state.first.push_back(text),
                Effect::TurnOver => {}
                Effect::Answered(answered) => counts = answered,
                Effect::LeftOut(why) => debug!(session = self.id, why, "a message of the agent has no event"),
            }
        }
        // What was said again is in the log by then.
        self.replaying.send_replace(is_replaying);
        self.prompt_next(state);
        counts
    }

    /// Sends the next message if nothing runs.
    fn prompt_next(self: &Arc<Self>, state: &mut State) {
        if state.is_busy() || state.open.as_ref().is_none_or(|(process, _)| process.connection.is_over()) {
            return;
        }
        if let Some(text) = state.first.pop_front() {
            let message =
                Message { id: Uuid::new_v4().to_string(), text, attachments: Vec::new(), mode: None };
            self.prompt(state, message, true);
        } else if !state.queue.is_empty() {
            let message = state.queue.remove(0);
            self.queue_changed(state);
            self.prompt(state, message, true);
        }
    }

    fn prompt(self: &Arc<Self>, state: &mut State, message: Message, queued: bool) {
        let Some((process, agent_id)) = state.open.clone() else { return };
        let connection = &process.connection;
        self.set_mode_of(state, &process, &agent_id, message.mode.as_deref());
        let prompt =
            Prompt { message_id: message.id, text: message.text, attachments: message.attachments, queued };
        let blocks = content(&prompt, process.capability("/promptCapabilities"));
        // Its event is there before anything can follow from it.
        if let Some(translation) = &mut state.translation {
            for effect in translation.take(Input::PromptSent(prompt), &mut Shell) {
                if let Effect::Event(event) = effect {
                    self.record(state, &event);
                }
            }
        }
        let own = Arc::clone(self);
        connection.begin(
            "session/prompt",
            &json!({"sessionId": agent_id, "prompt": blocks}),
            move |outcome| {
                match outcome {
                    Ok(result) => own.take(Input::PromptEnded(Ok(result))),
                    Err(Failure::Refused(error)) => own.take(Input::PromptEnded(Err(error))),
                    Err(Failure::Ended) => {} // the end of the process ends the turn
                }
            },
        );
    }

    /// Sets the mode that a message was written for, before the message.
    fn set_mode_of(
        self: &Arc<Self>,
        state: &State,
        process: &Arc<Process>,
        agent_id: &str,
        mode: Option<&str>,
    ) {
        let options = state.translation.as_ref().map(Translation::options);
        let (Some(mode), Some(options)) = (mode, options) else { return };
        if [options.page_mode(), options.mode(), options.mode_word()].contains(&Some(mode)) {
            return;
        }
        let Some(call) = options.set_mode(agent_id, mode) else { return };
        let own = Arc::clone(self);
        let params = call.params.clone();
        process.connection.begin(call.method, &params, move |outcome| {
            if let Ok(result) = outcome {
                own.take(Input::OptionSet { call, result });
            }
        });
    }

    fn queue_changed(&self, state: &mut State) {
        self.write_event(state, EventKind::PendingMessagesModified, json!({}), true);
    }

    fn write_event(&self, state: &mut State, event_type: EventKind, data: Value, ephemeral: bool) {
        let (id, timestamp) = (Shell.new_id(), Shell.now());
        self.record(state, &Event { event_type, data, ephemeral, agent_id: None, id, timestamp });
    }

    fn record(&self, state: &mut State, event: &Event) {
        let entry = Entry::read(&event.line(state.parent.as_deref()));
        if !event.ephemeral {
            state.parent = Some(event.id.clone());
        }
        self.recorder.send(RecorderCommand::Event { session_id: self.id.clone(), entry });
    }
}

impl Listener for AcpSession {
    fn owns(&self, agent_id: &str) -> bool {
        self.read(|translation| translation.owns(agent_id)) == Some(true)
    }

    fn receive(self: Arc<Self>, process: &str, incoming: Incoming) {
        match incoming {
            Incoming::Notification { method, params } => {
                self.take(Input::Notification { method, params });
            }
            Incoming::Request { rpc_id, method, params } => {
                let request_id = format!("{process}/{}", plain(&rpc_id));
                self.take(Input::Request { request_id, rpc_id, method, params });
            }
            Incoming::Unreadable(_) => {}
        }
    }

    fn withdraw(self: Arc<Self>, rpc_id: &Value) {
        self.take(Input::Withdrawn { rpc_id: rpc_id.clone() });
    }
}

impl State {
    fn end(&mut self) {
        self.open = None;
        self.first.clear();
        self.queue.clear();
    }

    fn is_busy(&self) -> bool {
        self.translation.as_ref().is_some_and(Translation::is_busy)
    }
}

/// An id of JSON-RPC as part of ours.
fn plain(rpc_id: &Value) -> String {
    rpc_id.as_str().map_or_else(|| rpc_id.to_string(), str::to_owned)
}
