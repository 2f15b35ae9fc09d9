//! Agents that speak the Agent Client Protocol (ACP).
//!
//! The pure part: what an agent sends becomes session events, and answers of people become what the agent expects.
//! Reading order: [`known`] (the agents by name, and how each differs) → [`event`] (what comes out) → [`translation`] (what goes
//! in, and the order of things) → [`segments`] (text and reasoning), [`calls`] with [`arguments`] and [`outcome`] (tool calls),
//! [`requests`] (what a person is asked), [`options`] (modes, models, efforts), [`todos`], [`usage`], [`subagents`],
//! [`unified_diff`]. [`prompt`] makes the content of a prompt, [`replay`] compares what a load says again with the log.
//! `docs/design/acp.md` has the map and the decisions.
//!
//! What lives: [`settings`] (how an agent is started) → [`connection`] (one connection, in its protocol) → [`process`] (started when
//! needed, with a route for each session), [`listing`] (the sessions that it has) → [`session`] (carries out what its translation says, and has the queue) → [`agent`]
//! (makes, opens and closes sessions) → [`delivery`] (messages of people) → [`page_calls`] (what clients ask). [`host`] has all agents.

pub mod agent;
pub mod arguments;
pub mod call;
pub mod calls;
pub mod connection;
pub mod delivery;
pub mod event;
pub mod host;
pub mod known;
pub mod listing;
pub mod options;
pub mod outcome;
pub mod page_calls;
pub mod process;
pub mod prompt;
pub mod replay;
pub mod requests;
pub mod segments;
pub mod session;
pub mod settings;
pub mod subagents;
pub mod todos;
pub mod translation;
pub mod unified_diff;
pub mod usage;
