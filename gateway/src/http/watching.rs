//! Tells one subscriber of a session who else watches it.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::watch;
use tokio::time::sleep_until;

use crate::access::person::Person;
use crate::sessions::session::Session;
use crate::sessions::watchers::{Watcher, WatcherNews, Watchers, note};

/// Who else watches a session, for somebody who signed in.
#[derive(Debug)]
pub struct OtherWatchers {
    own: Person,
    session_id: String,
    watchers: watch::Receiver<Watchers>,
    news: WatcherNews,
}

impl OtherWatchers {
    /// For this watcher; none for who came by a link, and where nobody signs in.
    pub fn of(session: &Arc<Session>, watcher: Option<&Watcher>) -> Option<Self> {
        let Some(Watcher::Account(own)) = watcher else { return None };
        let mut watchers = session.watchers();
        watchers.mark_changed();
        let (own, session_id, news) = (own.clone(), session.id.clone(), WatcherNews::default());
        Some(Self { own, session_id, watchers, news })
    }

    /// The notification that is due now.
    pub fn due_note(&mut self) -> Option<String> {
        let now = Instant::now();
        // The sender lives as long as the session that the subscription holds, so there is not an error.
        let changed = self.watchers.has_changed().unwrap_or(false);
        if !changed && self.news.due().is_none_or(|due| now < due) {
            return None;
        }
        let others = self.watchers.borrow_and_update().others(&self.own);
        self.news.take(others, now).map(|others| note(&self.session_id, &others))
    }

    /// Returns when there may be something to tell.
    async fn changed(&self) {
        let mut watchers = self.watchers.clone(); // so that the change is still seen by `due_note`
        let due = async {
            match self.news.due() {
                Some(due) => sleep_until(due.into()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! { _ = watchers.changed() => {}, () = due => {} }
    }
}

/// Returns when there may be something to tell; never for who is told of nobody.
pub async fn any_others(others: Option<&OtherWatchers>) {
    match others {
        Some(others) => others.changed().await,
        None => std::future::pending().await,
    }
}
