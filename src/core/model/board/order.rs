//! Which sessions the board shows, in which order and groups. Those that wait for a person come first.

use super::summary::{Status, Summary};
use crate::model::agents::title;

/// Which sessions are shown; all by default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    /// Lowercase words, each of which must occur in one of the session's texts.
    pub words: Vec<String>,
    /// Only sessions with this status.
    pub status: Option<Status>,
    /// Only sessions of this repository.
    pub repository: Option<String>,
    /// Only sessions on this machine.
    pub machine: Option<String>,
    /// Only sessions with this agent.
    pub agent: Option<String>,
}

impl SessionFilter {
    /// Splits what somebody typed into words.
    pub fn set_words(&mut self, typed: &str) {
        self.words = typed.split_whitespace().map(str::to_lowercase).collect();
    }

    /// True if every session is shown.
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a session is shown.
    pub fn matches(&self, session: &Summary) -> bool {
        if self.status.is_some_and(|status| status != session.shown_status()) {
            return false;
        }
        if self.repository.is_some() && self.repository != session.repository {
            return false;
        }
        if self.machine.is_some() && self.machine != session.machine {
            return false;
        }
        if self.agent.is_some() && self.agent != session.agent {
            return false;
        }
        if self.words.is_empty() {
            return true;
        }
        let agent = session.agent.as_deref().map(|agent| title(agent).to_owned());
        let fields = [
            Some(&session.id),
            session.title.as_ref(),
            session.repository.as_ref(),
            session.branch.as_ref(),
            session.cwd.as_ref(),
            session.model.as_ref(),
            session.intent.as_ref(),
            session.error.as_ref(),
            session.machine.as_ref(),
            session.agent.as_ref(),
            agent.as_ref(),
        ];
        let asked = session.requests.iter().map(|asked| &asked.text);
        let texts: Vec<String> =
            fields.into_iter().flatten().chain(asked).map(|field| field.to_lowercase()).collect();
        self.words.iter().all(|word| texts.iter().any(|field| field.contains(word)))
    }
}

/// What sessions are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grouping {
    /// One group with all of them.
    #[default]
    None,
    /// By repository.
    Repository,
    /// By status.
    Status,
    /// By machine.
    Machine,
    /// By agent.
    Agent,
}

impl Grouping {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Repository, Self::Status, Self::Machine, Self::Agent];

    /// Its name, under which the choice is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Repository => "repository",
            Self::Status => "status",
            Self::Machine => "machine",
            Self::Agent => "agent",
        }
    }

    /// The grouping with this name; [`Self::None`] if it is unknown.
    pub fn of(word: &str) -> Self {
        Self::ALL.into_iter().find(|grouping| grouping.word() == word).unwrap_or_default()
    }

    fn key(self, session: &Summary) -> String {
        match self {
            Self::None => String::new(),
            Self::Repository => session.repository.clone().unwrap_or_default(),
            Self::Status => session.shown_status().word().to_owned(),
            Self::Machine => session.machine.clone().unwrap_or_default(),
            Self::Agent => session.agent.clone().unwrap_or_default(),
        }
    }
}

/// A group of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGroup {
    /// The repository, the status, the machine or the agent; empty for sessions without one and if there is no grouping.
    pub key: String,
    /// The ids of its sessions.
    pub ids: Vec<String>,
}

/// The sessions that the filter accepts, the most urgent first: waiting (longest wait first, those last whose machine is away, since
/// nothing can be answered there), error, running, idle, ended. Running sessions keep their order of arrival, so that they don't move while they work.
pub fn groups(sessions: &[Summary], filter: &SessionFilter, grouping: Grouping) -> Vec<SessionGroup> {
    let mut shown: Vec<(usize, &Summary)> =
        sessions.iter().enumerate().filter(|(_, session)| filter.matches(session)).collect();
    shown.sort_by_key(|(place, session)| {
        let age = match session.shown_status() {
            Status::Waiting => session.waits_since().unwrap_or(i64::MAX),
            Status::Running => 0,
            _ => session.last_active_at().unwrap_or(i64::MIN).saturating_neg(),
        };
        let status = session.shown_status();
        (status, status == Status::Waiting && session.away().is_some(), age, *place)
    });
    let mut groups: Vec<SessionGroup> = Vec::new();
    for (_, session) in shown {
        let key = grouping.key(session);
        match groups.iter_mut().find(|group| group.key == key) {
            Some(group) => group.ids.push(session.id.clone()),
            None => groups.push(SessionGroup { key, ids: vec![session.id.clone()] }),
        }
    }
    groups
}
