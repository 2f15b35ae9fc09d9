//! Which person sees which session, or the board, on a visible page now. Pages say so over their WebSocket, and it ends with that. It does not
//! count while nothing comes from the page: its machine may sleep.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::Command;
use super::decide::{Input, Sight};
use crate::access::person::Person;

/// How many pages of each person show each session, and the board.
#[derive(Clone, Debug)]
pub struct VisiblePages(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    counts: Mutex<HashMap<(Person, Sight), usize>>,
    changes: UnboundedSender<Command>,
}

/// What one page shows. Dropping it means that the page is gone.
#[derive(Debug)]
pub struct VisiblePage {
    all: VisiblePages,
    shown: Mutex<Shown>,
}

#[derive(Debug, Default)]
struct Shown {
    sights: HashSet<(Person, Sight)>,
    /// Nothing comes from it.
    silent: bool,
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

    fn change(&self, shown: (Person, Sight), visible: bool) {
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
    /// The page of this person shows a session or the board from now on, or does not any more.
    pub fn set(&self, person: &Person, sight: Sight, visible: bool) {
        let seen = (person.clone(), sight);
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = if visible { shown.sights.insert(seen.clone()) } else { shown.sights.remove(&seen) };
        if changed && !shown.silent {
            self.all.change(seen, visible);
        }
    }

    /// Nothing comes from the page, or something does again.
    pub fn set_silent(&self, silent: bool) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::replace(&mut shown.silent, silent) != silent {
            for seen in &shown.sights {
                self.all.change(seen.clone(), !silent);
            }
        }
    }
}

impl Drop for VisiblePage {
    fn drop(&mut self) {
        self.set_silent(true);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::VisiblePages;
    use crate::access::Role;
    use crate::access::person::Person;
    use crate::push::Command;
    use crate::push::decide::{Input, Sight};

    #[test]
    fn a_session_is_visible_as_long_as_any_page_shows_it_that_is_awake() {
        let (changes, mut incoming) = unbounded_channel();
        let all = VisiblePages::new(changes);
        let mut news = || {
            let mut seen = Vec::new();
            while let Ok(Command::Input(Input::Visible(person, sight, visible))) = incoming.try_recv() {
                let name = match &sight {
                    Sight::Session(id) => id,
                    Sight::Board => "board",
                };
                seen.push(format!("{} {name} {visible}", person.role.word()));
            }
            seen
        };
        let session = |id: &str| Sight::Session(id.to_owned());
        let (operator, viewer) = (Person::unnamed(Role::Operator), Person::unnamed(Role::Viewer));
        let (one, other, viewers) = (all.page(), all.page(), all.page());
        one.set(&operator, session("s"), true);
        one.set(&operator, session("s"), true);
        other.set(&operator, session("s"), true);
        viewers.set(&viewer, session("s"), true);
        other.set(&operator, session("t"), false);
        assert_eq!(news(), ["operator s true", "viewer s true"]);
        one.set(&operator, session("s"), false);
        assert!(news().is_empty());
        other.set_silent(true);
        other.set_silent(true);
        assert_eq!(news(), ["operator s false"]);
        other.set(&operator, session("t"), true);
        other.set(&operator, session("s"), false);
        assert!(news().is_empty());
        other.set_silent(false);
        assert_eq!(news(), ["operator t true"]);
        viewers.set(&viewer, Sight::Board, true);
        assert_eq!(news(), ["viewer board true"]);
        drop((one, other, viewers));
        let mut gone = news();
        gone.sort();
        assert_eq!(gone, ["operator t false", "viewer board false", "viewer s false"]);
        assert!(all.0.counts.lock().unwrap().is_empty(), "nothing is remembered");
    }
}
