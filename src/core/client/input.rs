//! What goes into a client and what comes out of it.

use serde_json::Value;

use super::answers::News;
use super::connection::{self, Outcome};
use crate::connection::{Attributes, ConnectionState, Protocol};
use crate::model::answer::Prepared;
use crate::model::state::Change;
use crate::model::watchers::Watcher;
use crate::protocol::call::CallFailure;

/// Everything that a client hears of.
#[derive(Debug)]
pub enum Input<'a> {
    /// Connect as these attributes say, in place of the connection before.
    Connect {
        /// The attributes.
        attributes: &'a Attributes<'a>,
        /// The page brings another transport of its own than before.
        other_transport: bool,
        /// What spreads the attempts of a restarted server's clients.
        seed: u64,
    },
    /// Use the connection of a board.
    Attach {
        /// The server's address; `None` without a network.
        address: Option<String>,
        /// The session.
        session: &'a str,
    },
    /// Input for the connection.
    Connection(connection::Input<'a>),
    /// These changes were shown, or none while everything was read that had arrived.
    Committed {
        /// The changes.
        changes: &'a [Change],
        /// Input has arrived that has not been read yet, and may change requests and the queue again.
        reading: bool,
    },
    /// What became of the request with this ticket, which was carried elsewhere.
    Answered(u64, Outcome),
    /// A view calls for something.
    Call {
        /// The view's number for it.
        caller: u64,
        /// Its method.
        method: &'a str,
        /// Its parameters, without the session's id.
        params: Value,
    },
    /// A person answers a request, or with `None` gives the earlier answer again.
    Answer {
        /// The request's id.
        request: &'a str,
        /// The answer.
        answer: Option<Prepared>,
        /// It is the answer of the host's own program, which is not offered to the host.
        of_host: bool,
    },
    /// Whether the host sends the answer itself that was offered to it.
    HostTook(&'a str, bool),
    /// What the tab has kept of the session.
    Recalled(Option<String>),
    /// A timer has run out.
    Timer(Timer),
    /// Another client of the page tells something.
    News(News),
    /// The requests can be answered again, as there is a connection.
    ConnectedAgain,
    /// Look into what became of answers, if any are under way.
    LookIntoAnswers,
    /// The page has closed it. What is under way still comes to its end.
    Close,
    /// Nobody gives it what became of its requests any more.
    Gone,
}

impl Input<'_> {
    /// Whether it changes the session, so that older input of the session has to be read first.
    pub fn changes_session(&self) -> bool {
        match self {
            Self::Connection(input) => input.brings_data(),
            Self::Answered(..)
            | Self::Answer { .. }
            | Self::HostTook(..)
            | Self::News(_)
            | Self::Recalled(_)
            | Self::Timer(_) => true,
            Self::Connect { .. }
            | Self::Attach { .. }
            | Self::Committed { .. }
            | Self::Call { .. }
            | Self::ConnectedAgain
            | Self::LookIntoAnswers
            | Self::Close
            | Self::Gone => false,
        }
    }
}

/// A timer. Setting one that runs sets it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// Until the server is asked again which permissions are open.
    AskAgain,
    /// How long the events of listed permissions are waited for.
    Events,
    /// Until a session that is silent since this record counts as idle.
    Idle(u64),
}

/// What has to be done for a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Do this for the connection.
    Browser(connection::Effect),
    /// Have a request carried by the connection of the board.
    Relay {
        /// The number that comes back with what became of it.
        ticket: u64,
        /// Its method.
        method: String,
        /// Its parameters.
        params: Value,
    },
    /// Set a timer, in milliseconds.
    SetTimer(Timer, u32),
    /// Drop a timer.
    DropTimer(Timer),
    /// Tell the client with this number.
    Tell(u32, News),
    /// Another server.
    Server {
        /// Its address; `None` without a network.
        address: Option<String>,
        /// In what form the host at `answer-url` takes messages.
        protocol: Option<Protocol>,
        /// Whether it takes messages and calls; `None` if it has to be asked.
        steering: Option<bool>,
    },
    /// The connection has changed. The message is for people.
    Connection(ConnectionState, Option<String>),
    /// The list of sessions, as none was named. Unless it leads to something else,
    /// [`ShowFirst`](connection::Input::ShowFirst) comes back.
    Listed(Value),
    /// What the server lets this client do.
    Role {
        /// Whether it may only look.
        viewer: bool,
    },
    /// What is wrong with the gateway itself.
    Health(Option<Value>),
    /// Who else watches the session now.
    Watchers(Vec<Watcher>),
    /// Code of the page has failed.
    Error(String),
    /// Show what changed at once.
    Commit,
    /// The newest position of the server, and the one reached.
    Progress(u64, u64),
    /// What is wrong with the answer to a request; `None` if nothing is.
    Trouble(String, Option<String>),
    /// The status word has changed.
    Status(&'static str),
    /// A request waits for a person: its id, and what it is.
    OfferRequest(String, Value),
    /// Offer an answer to the host, which says with [`Input::HostTook`] whether it sends it.
    OfferAnswer {
        /// The request's id.
        request: String,
        /// The method.
        method: &'static str,
        /// Its parameters.
        params: Value,
    },
    /// Tell the host what became of an answer or a call.
    Called {
        /// The method.
        method: String,
        /// Its parameters.
        params: Value,
        /// The result, or why there is none.
        outcome: Result<Value, String>,
    },
    /// Tell a view what became of its call.
    Resolve(u64, Result<Value, CallFailure>),
    /// An event for the host's own telemetry.
    Telemetry(Value),
    /// Look what the tab keeps under this name, and say it with [`Input::Recalled`].
    Recall(String),
    /// Have the tab keep a text under this name, or nothing.
    Keep(String, Option<String>),
}
