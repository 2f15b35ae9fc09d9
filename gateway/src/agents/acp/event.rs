//! What the translation makes: session events, answers to the agent, and what is to be done next; and the port through which it
//! gets ids and the time.

use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

/// What the translation does not make itself, so that the same messages give the same events in a test.
pub trait Port {
    /// An id that no other call has returned, in any process.
    fn new_id(&mut self) -> String;
    /// The time, as ISO 8601 with milliseconds in UTC.
    fn now(&mut self) -> String;
}

/// A session event, all of its envelope but the `parentId`, which the writer of the journal knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its type.
    pub event_type: EventKind,
    /// Its `data`.
    pub data: Value,
    /// Whether history leaves it out.
    pub ephemeral: bool,
    /// The sub-agent that it is about.
    pub agent_id: Option<String>,
    /// Its id.
    pub id: String,
    /// When it was made.
    pub timestamp: String,
}

impl Event {
    /// The event as a line of a journal. The parent is the newest event before it that is not ephemeral.
    pub fn line(&self, parent_id: Option<&str>) -> String {
        let mut event = json!({
            "type": self.event_type.name(),
            "data": self.data,
            "id": self.id,
            "timestamp": self.timestamp,
            "parentId": parent_id,
        });
        if self.ephemeral {
            event["ephemeral"] = true.into();
        }
        if let Some(agent_id) = &self.agent_id {
            event["agentId"] = agent_id.as_str().into();
        }
        event.to_string()
    }
}

/// The code of the error with which an agent says that somebody has to sign in.
pub const SIGN_IN: i64 = -32000;

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq)]
pub struct RpcError {
    /// Its code.
    pub code: i64,
    /// Its message, for people or as JSON text.
    pub message: String,
    /// What the agent adds.
    pub data: Option<Value>,
}

impl RpcError {
    /// The error that a method is not offered.
    pub fn not_offered(method: &str) -> Self {
        Self { code: -32601, message: format!("Pilothouse does not offer {method}"), data: None }
    }

    /// The message for people, with what a person runs to sign in where the agent asks for that.
    pub fn words_with(&self, sign_in: Option<&str>) -> String {
        let words = self.words();
        if self.code != SIGN_IN {
            return words;
        }
        let run = sign_in.map(|command| format!(" Run: {command}.")).unwrap_or_default();
        format!("It needs a sign-in on its machine: {}.{run}", words.trim_end_matches('.'))
    }

    /// The message for people. Some agents put JSON into it, or the cause into `data.details`.
    pub fn words(&self) -> String {
        let details = self.data.as_ref().and_then(|data| data.get("details")).and_then(Value::as_str);
        let message = plain_message(&self.message);
        match details {
            Some(details) if !message.contains(details) => format!("{message}: {details}"),
            _ => message,
        }
    }
}

/// The sentence in an error message that may be JSON text with `error.message`; the text as it is if it is not JSON.
pub fn plain_message(text: &str) -> String {
    let trimmed = text.trim();
    let parsed: Option<Value> =
        trimmed.starts_with(['{', '[']).then(|| serde_json::from_str(trimmed).ok()).flatten();
    let message = parsed.as_ref().and_then(|parsed| {
        let first = parsed.get(0).unwrap_or(parsed);
        first.pointer("/error/message").or_else(|| first.get("message"))?.as_str()
    });
    // The message inside can be JSON text again.
    message.map_or_else(|| trimmed.to_owned(), plain_message)
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Write this event.
    Event(Event),
    /// Answer the agent's request.
    Respond {
        /// The request's id in JSON-RPC.
        rpc_id: Value,
        /// The result or the error.
        response: Result<Value, RpcError>,
    },
    /// Notify the agent.
    Notify {
        /// The method.
        method: &'static str,
        /// Its params.
        params: Value,
    },
    /// Send this text as the next prompt, before what is queued.
    Prompt {
        /// What a person wrote.
        text: String,
    },
    /// Nothing runs: the next message of the queue may be sent.
    TurnOver,
    /// Whether a person's answer counts: it does not if the request is not open. An error says why it answers nothing.
    Answered(Result<bool, &'static str>),
    /// A message has no event of its own, for this reason.
    LeftOut(&'static str),
}

/// Collects effects.
pub struct Out<'a> {
    port: &'a mut dyn Port,
    /// The effects so far.
    pub effects: Vec<Effect>,
}

impl<'a> Out<'a> {
    /// Nothing yet.
    pub fn new(port: &'a mut dyn Port) -> Self {
        Self { port, effects: Vec::new() }
    }

    /// A new id.
    pub fn new_id(&mut self) -> String {
        self.port.new_id()
    }

    /// The time.
    pub fn now(&mut self) -> String {
        self.port.now()
    }

    /// Adds an event of the session.
    pub fn event(&mut self, event_type: EventKind, data: Value) {
        self.event_of(None, event_type, data);
    }

    /// Adds an event of this sub-agent, or of the session.
    pub fn event_of(&mut self, agent_id: Option<&str>, event_type: EventKind, data: Value) {
        let ephemeral = event_type.is_ephemeral();
        let (id, timestamp) = (self.port.new_id(), self.port.now());
        let agent_id = agent_id.map(str::to_owned);
        self.effects.push(Effect::Event(Event { event_type, data, ephemeral, agent_id, id, timestamp }));
    }

    /// Adds a notice: `session.info`, `session.warning` or `session.error`.
    pub fn notice(&mut self, event_type: EventKind, kind: &str, message: &str) {
        self.event(event_type, json!({ event_type.category_field(): kind, "message": message }));
    }

    /// Adds an answer to the agent.
    pub fn respond(&mut self, rpc_id: Value, response: Result<Value, RpcError>) {
        self.effects.push(Effect::Respond { rpc_id, response });
    }

    /// Counts a message without an event.
    pub fn leave_out(&mut self, why: &'static str) {
        self.effects.push(Effect::LeftOut(why));
    }
}

impl std::fmt::Debug for Out<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Out").field("effects", &self.effects).finish_non_exhaustive()
    }
}
