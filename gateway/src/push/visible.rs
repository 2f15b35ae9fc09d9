//! Which person sees which session on a visible page now. Pages say so over their WebSocket, and it ends with that.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::Command;
use super::decide::Input;
use crate::access::person::Person;

/// How many pages of each person show each session.
#[derive(Clone, Debug)]
pub struct VisiblePages(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    counts: Mutex<HashMap<(Person, String), usize>>,
    changes: UnboundedSender<Command>,
}

/// What one page shows. Dropping it means that the page is gone.
#[derive(Debug)]
pub struct VisiblePage {
    all: VisiblePages,
    shown: Mutex<HashSet<(Person, String)>>,
}

impl VisiblePages {
    /// None yet. Changes go to `changes`.
    pub fn new(changes: UnboundedSender<Command>) -> Self {
        Self(Arc::new(Shared { counts: Mutex::default(), changes }))
    }

    /// A page that shows nothing yet.
    pub fn page(&self) -> VisiblePage {
        VisiblePage { all: self.clone(), shown: Mutex::default() }
    }

    fn change(&self, shown: (Person, String), visible: bool) {
        // The lock is held while the change is sent, so that changes arrive in order.
        let mut counts = self.0.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(shown.clone()).or_default();
        *count = if visible { *count + 1 } else { count.saturating_sub(1) };
        let is_news = *count == usize::from(visible);
        if *count == 0 {
            counts.remove(&shown);
        }
        if is_news {
            // Nobody listens where push is off.
            let _ = self.0.changes.send(Command::Input(Input::Visible(shown.0, shown.1, visible)));
        }
    }
}

impl VisiblePage {
    /// The page of this person shows a session from now on, or does not any more.
    pub fn set(&self, person: &Person, session: &str, visible: bool) {
        let shown = (person.clone(), session.to_owned());
        let mut all = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = if visible { all.insert(shown.clone()) } else { all.remove(&shown) };
        if changed {
            self.all.change(shown, visible);
        }
    }
}

impl Drop for VisiblePage {
    fn drop(&mut self) {
        let shown = std::mem::take(self.shown.get_mut().unwrap_or_else(PoisonError::into_inner));
        for one in shown {
            self.all.change(one, false);
        }
    }
}
