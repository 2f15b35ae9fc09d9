//! Owns what binds a session to the runtime: over which connection it is open, and what it is
//! resumed with. It refuses to open it (`live::opening`).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};
use tokio::sync::Mutex as Turn;

use crate::live::answering::Answering;
use crate::live::backlog::Backlog;
use crate::live::line::Line;

/// One session's tie.
#[derive(Debug)]
pub struct Tie {
    /// Held while the session is opened or closed: one at a time.
    pub stage: Turn<Stage>,
    /// The requests that are being answered.
    pub answering: Answering,
    /// What people sent and nobody has begun.
    pub backlog: Backlog,
    facts: Arc<Mutex<Facts>>,
}

/// Who holds it may open and close.
#[derive(Debug)]
pub struct Stage(Arc<Mutex<Facts>>);

#[derive(Debug, Default)]
struct Facts {
    line: Option<Arc<Line>>,
    restarted: bool,
    wanted: bool,
    settings: Map<String, Value>,
    said: Option<String>,
}

impl Default for Tie {
    fn default() -> Self {
        let facts = Arc::<Mutex<Facts>>::default();
        Self {
            stage: Turn::new(Stage(Arc::clone(&facts))),
            answering: Answering::default(),
            backlog: Backlog::default(),
            facts,
        }
    }
}

impl Tie {
    /// Whether it is open, be it over a connection that has just ended.
    pub fn is_open(&self) -> bool {
        facts(&self.facts).line.is_some()
    }

    /// Whether it has to be opened over this connection: it was open over another one, or somebody looks at it and there
    /// was none.
    pub fn is_missing_over(&self, line: &Arc<Line>) -> bool {
        let facts = facts(&self.facts);
        facts.line.as_ref().map_or(facts.wanted, |open| !Arc::ptr_eq(open, line))
    }

    /// Somebody looks at it, and there is no connection over which it could be opened.
    pub fn want(&self) {
        facts(&self.facts).wanted = true;
    }

    /// The connection over which it is open.
    pub fn line(&self) -> Option<Arc<Line>> {
        facts(&self.facts).line.clone()
    }

    /// Whether the runtime had it no more in its memory when it was opened over its connection.
    pub fn is_restarted(&self) -> bool {
        facts(&self.facts).restarted
    }

    /// What to resume it with.
    pub fn settings(&self) -> Map<String, Value> {
        facts(&self.facts).settings.clone()
    }

    /// Adds to what to resume it with; gives all of it.
    pub fn keep(&self, more: Map<String, Value>) -> Map<String, Value> {
        let mut facts = facts(&self.facts);
        facts.settings.extend(more);
        facts.settings.clone()
    }

    /// Whether this was not the last thing said about it.
    pub fn is_news(&self, message: &str) -> bool {
        let before = facts(&self.facts).said.replace(message.to_owned());
        before.as_deref() != Some(message)
    }
}

impl Stage {
    /// The connection over which it is open.
    pub fn line(&self) -> Option<Arc<Line>> {
        facts(&self.0).line.clone()
    }

    /// Whether it is open over this connection.
    pub fn is_open_over(&self, line: &Arc<Line>) -> bool {
        facts(&self.0).line.as_ref().is_some_and(|open| Arc::ptr_eq(open, line))
    }

    /// It is open now. `restarted`: the runtime did not have it in its memory before.
    pub fn open(&mut self, line: &Arc<Line>, restarted: bool) {
        let mut facts = facts(&self.0);
        facts.line = Some(Arc::clone(line));
        facts.restarted = restarted;
        facts.wanted = false;
        facts.said = None;
    }

    /// It is not open any more.
    pub fn close(&mut self) {
        let mut facts = facts(&self.0);
        (facts.line, facts.wanted) = (None, false);
    }
}

fn facts(of: &Mutex<Facts>) -> MutexGuard<'_, Facts> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
