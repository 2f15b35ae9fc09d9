//! What an end closes: one table for the ends of turns, agents, compactions, processes and sessions.
//!
//! Every end that closes more than the one thing that it names comes through here. `docs/design/endings.md` has the table
//! for people, `tests/wire_facts/endings.rs` a test of each cell.

use crate::i18n::words::notices;
use crate::model::entry::{Entry, EntryState, Kind};
use crate::model::request::{Request, RequestKind, StaleReason};
use crate::model::state::State;

/// Whose things an end closes.
#[derive(Debug, Clone, Copy)]
pub(super) enum EndScope<'a> {
    /// The main agent's.
    Main,
    /// One sub-agent's: by its id, by the `task` call that started it, or by both.
    Agent { id: Option<&'a str>, task: Option<&'a str> },
    /// The main agent's and those of all sub-agents.
    Everyone,
}

impl<'a> EndScope<'a> {
    /// The things of the agent that an event's envelope names.
    pub(super) fn of(agent: Option<&'a str>) -> Self {
        agent.map_or(Self::Main, |agent| Self::Agent { id: Some(agent), task: None })
    }

    pub(super) fn has(self, entry: &Entry) -> bool {
        match self {
            Self::Everyone => true,
            // Old logs name a sub-agent by its call only.
            Self::Main => entry.agent_id.is_none() && entry.parent_tool_call_id.is_none(),
            Self::Agent { id, task } => {
                (id.is_some() && entry.agent_id.as_deref() == id)
                    || (task.is_some() && entry.parent_tool_call_id.as_deref() == task)
            }
        }
    }
}

/// What has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndCause {
    /// A model call: the next one begins, or it is tried again.
    ModelCall,
    /// Another compaction, or the conversation that it was about: a new one begins, or the context is
    /// cleared or rewound.
    Compaction,
    /// An error ended the model's work.
    Error,
    /// An agent has nothing more to do in its turn.
    Idle,
    /// A turn was stopped.
    Abort,
    /// A sub-agent has completed or failed.
    Agent,
    /// Somebody else's connection: the session was resumed while its process went on.
    Connection,
    /// The process. `gives_up`: the next one does not continue pending work.
    Process { gives_up: bool },
    /// The session.
    Session,
}

/// What an end closes. Messages include reasoning.
struct EndEffects {
    messages: bool,
    tools: bool,
    compactions: bool,
    /// Sub-agents.
    agents: bool,
    /// The tasks of servers.
    tasks: bool,
    requests: Option<(StaleReason, EndedRequests)>,
}

/// Which requests an end closes.
enum EndedRequests {
    /// Those that a turn makes.
    OfTurn,
    /// Those that do not survive a resume.
    NotSurviving,
    /// The same, and permissions.
    GivenUp,
    /// All but those of the platform, which is another system.
    OfSession,
}

impl EndedRequests {
    fn have(&self, request: &Request) -> bool {
        match self {
            Self::OfTurn => request.kind.belongs_to_turn(),
            Self::NotSurviving => !request.kind.survives_resume(),
            Self::GivenUp => !request.kind.survives_resume() || request.kind == RequestKind::Permission,
            Self::OfSession => request.kind != RequestKind::Confirmation,
        }
    }
}

impl EndCause {
    #[rustfmt::skip]
    fn closes(self) -> EndEffects {
        use EndedRequests::{GivenUp, NotSurviving, OfSession, OfTurn};
        let row = |messages, tools, compactions, agents, tasks, requests| {
            EndEffects { messages, tools, compactions, agents, tasks, requests }
        };
        match self {
            //                                       messages  tools  compactions  agents  tasks  requests
            Self::ModelCall =>                    row(true,    false, false,       false,  false, None),
            Self::Compaction =>                   row(false,   false, true,        false,  false, None),
            Self::Error =>                        row(true,    false, true,        false,  false, None),
            Self::Idle | Self::Agent =>           row(true,    true,  true,        false,  false, Some((StaleReason::TurnEnded, OfTurn))),
            Self::Abort =>                        row(true,    true,  true,        true,   false, Some((StaleReason::Stopped, OfTurn))),
            Self::Connection =>                   row(false,   false, false,       false,  false, Some((StaleReason::Resumed, NotSurviving))),
            Self::Process { gives_up: false } =>  row(true,    true,  true,        true,   true,  Some((StaleReason::Restarted, NotSurviving))),
            Self::Process { gives_up: true } =>   row(true,    true,  true,        true,   true,  Some((StaleReason::GivenUp, GivenUp))),
            Self::Session =>                      row(true,    true,  true,        true,   true,  Some((StaleReason::SessionEnded, OfSession))),
        }
    }
}

impl State {
    /// Closes what this end closes.
    pub(super) fn close(&mut self, end: EndCause, whose: EndScope<'_>) {
        let closes = end.closes();
        if closes.messages {
            self.close_messages(whose);
        }
        if closes.tools {
            // A call whose permission outlives the process can still run.
            let asked = if end == (EndCause::Process { gives_up: false }) {
                self.calls_asked_for()
            } else {
                Vec::new()
            };
            self.close_tools(whose, &asked);
        }
        if closes.compactions {
            self.close_compactions(whose);
        }
        if closes.agents {
            self.close_agents(whose);
        }
        if closes.tasks {
            self.close_tasks();
        }
        if let Some((why, requests)) = closes.requests {
            let open = self.open_requests.len();
            self.stale_entries(why, |entry, request| whose.has(entry) && requests.have(request));
            if end == EndCause::Abort && self.open_requests.len() < open {
                self.doubtful_ends += 1;
            }
        }
    }

    /// Messages and reasoning that were still streaming keep their text.
    fn close_messages(&mut self, whose: EndScope<'_>) {
        for place in std::mem::take(&mut self.streaming) {
            let Some(entry) = self.entry(place) else { continue };
            if !whose.has(entry) {
                self.streaming.push(place);
            } else if entry.state == EntryState::Streaming {
                self.update(place, |entry| {
                    entry.state = EntryState::Interrupted;
                    // An incomplete message never enters the history that the model is given.
                    entry.model_visible = false;
                });
            }
        }
    }

    fn close_tools(&mut self, whose: EndScope<'_>, but: &[usize]) {
        for place in std::mem::take(&mut self.open_tools) {
            if self.entry(place).is_some_and(|entry| whose.has(entry)) && !but.contains(&place) {
                self.interrupt_tool(place);
            } else {
                self.open_tools.push(place);
            }
        }
    }

    fn close_compactions(&mut self, whose: EndScope<'_>) {
        for place in std::mem::take(&mut self.open_compactions) {
            if self.entry(place).is_some_and(|entry| whose.has(entry)) {
                self.update(place, |entry| entry.state = EntryState::Interrupted);
                self.replace_phrase(place, notices::COMPACTION_INTERRUPTED.into());
            } else {
                self.open_compactions.push(place);
            }
        }
    }

    fn close_agents(&mut self, whose: EndScope<'_>) {
        for place in 0..self.entries.len() {
            let is_open = |entry: &Entry| {
                entry.kind == Kind::Subagent && entry.state == EntryState::Running && whose.has(entry)
            };
            if self.entry(place).is_some_and(is_open) {
                self.update(place, |entry| entry.state = EntryState::Interrupted);
            }
        }
    }

    /// The tasks of servers outlive a turn, but not the process.
    fn close_tasks(&mut self) {
        for place in 0..self.entries.len() {
            if self.entry(place).is_some_and(|entry| entry.kind == Kind::Custom) {
                self.end_task(place);
            }
        }
    }
}
