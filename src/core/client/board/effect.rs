//! What goes into a board's client and what comes out of it.

use serde_json::Value;

use super::cards::CardNews;
use crate::client::connection::{self, Outcome};
use crate::connection::{Attributes, ConnectionState};
use crate::model::board::SessionChange;
use crate::protocol::call::CallFailure;

/// Everything that a board's client hears of.
#[derive(Debug)]
pub enum Input<'a> {
    /// Connect as these attributes say, in place of the connection before.
    Connect(&'a Attributes<'a>),
    /// Input for the connection.
    Connection(connection::Input<'a>),
    /// A view calls for something.
    Call {
        /// The view's number for it.
        caller: u64,
        /// Its method.
        method: &'a str,
        /// Its parameters.
        params: Value,
    },
    /// The client of a session's cards wants a request carried.
    Relay {
        /// That client's number on the page.
        cards: u32,
        /// Its own number for the request.
        ticket: u64,
        /// The method.
        method: &'a str,
        /// Its parameters.
        params: Value,
    },
    /// The cards of a session are on screen. A client for them is there.
    CardsOpened {
        /// That client's number on the page.
        cards: u32,
        /// The session.
        session: &'a str,
    },
    /// They are gone.
    CardsClosed(u32),
    /// The timer has run out.
    Poll,
    /// The page has closed it.
    Close,
    /// Nobody gives it what became of its requests any more.
    Gone,
}

/// What has to be done for a board.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Do this for the connection.
    Browser(connection::Effect),
    /// Set the timer, in milliseconds.
    SetTimer(u32),
    /// Drop the timer.
    DropTimer,
    /// The connection has changed. The message is for people.
    Connection(ConnectionState, Option<String>),
    /// The gateway's address; `None` without a network.
    Server(Option<String>),
    /// What the gateway can do with sessions.
    Capabilities(Vec<String>),
    /// What the gateway lets this client do.
    Role {
        /// Whether it may only look.
        viewer: bool,
    },
    /// What is wrong with the gateway itself.
    Health(Option<Value>),
    /// The list is polled, or not any longer.
    Polled(bool),
    /// A list has arrived, or news: this has changed.
    Changed(Vec<SessionChange>),
    /// The list of machines, or of agents, is another one.
    Machines,
    /// For the client of a session's cards.
    Cards(u32, CardInput),
    /// Tell the host what became of a call.
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
    /// An error that a developer should know about.
    Error(String),
}

/// What the client of a session's cards hears from the board.
#[derive(Debug, Clone, PartialEq)]
pub enum CardInput {
    /// What became of its request with this ticket.
    Answered(u64, Outcome),
    /// What the summary says of its requests.
    News(CardNews),
    /// Requests can be answered again, as there is a connection.
    ConnectedAgain,
    /// Look into what became of answers, if any are under way.
    LookIntoAnswers,
}
