//! The port behind which an agent is: what carries out the calls about its sessions, and writes their events into their
//! journals.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::sync::watch;

use super::summary::EndedRequest;
use crate::health::Report;
use crate::rpc::{Call, Fault};
use pilothouse_core::protocol::ErrorReason;

/// The result of a call, as JSON text.
pub type CallFuture<'a> = BoxFuture<'a, Result<String, Fault>>;

/// How a session is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// As a recording.
    Recording,
    /// Open: the agent has it at hand.
    Open,
    /// Stored: the agent opens it when somebody uses it.
    Stored,
}

/// What another machine says of one of its sessions.
#[derive(Clone, Debug, Default)]
pub struct RemoteSession {
    /// Its row in the list, with the machine.
    pub row: Value,
    /// The events that opened its open requests, by request.
    pub openings: HashMap<String, Arc<str>>,
    /// The newest requests that have ended.
    pub ended: Vec<EndedRequest>,
}

/// What carries out the calls about its sessions.
pub trait Agent: fmt::Debug + Send + Sync {
    /// Carries out a call about one of its sessions.
    fn call<'a>(self: Arc<Self>, session_id: &'a str, call: &'a Call) -> CallFuture<'a>;

    /// Carries out a call that makes, reopens or closes sessions, or is about none.
    fn manage(self: Arc<Self>, call: &Call) -> CallFuture<'_> {
        let fault = Fault::new(ErrorReason::MethodNotFound, format!("no method \"{}\" here", call.method));
        async { Err(fault) }.boxed()
    }

    /// Adds an event of the gateway itself to this session.
    fn add_own_event(&self, session_id: &str, event: String);

    /// The name of the agent of this session, by which people choose it; none if it has none, as a recording.
    fn name(&self, _session_id: &str) -> Option<String> {
        None
    }

    /// How this session is there.
    fn presence(&self, session_id: &str) -> Presence;

    /// Returns when this session has something to show. A session of another machine is waited for, within limits, until it has
    /// this position, which somebody has seen at another gateway.
    fn ready(self: Arc<Self>, _session_id: &str, _seen: u64) -> BoxFuture<'_, ()> {
        async {}.boxed()
    }

    /// Whether its sessions are those of other machines.
    fn is_remote(&self) -> bool {
        false
    }

    /// What its machine says of this session; none if it is one of this machine.
    fn remote(&self, _session_id: &str) -> Option<RemoteSession> {
        None
    }

    /// Notifies of changes of the session's backlog; none if it has no backlog.
    fn backlog(&self, _session_id: &str) -> Option<watch::Receiver<u64>> {
        None
    }

    /// What is wrong with it; none if nothing can be.
    fn health(&self) -> Option<watch::Receiver<Report>> {
        None
    }

    /// What is wrong with what drives this session, its machine for example.
    fn health_of(&self, _session_id: &str) -> Option<watch::Receiver<Report>> {
        self.health()
    }
}
