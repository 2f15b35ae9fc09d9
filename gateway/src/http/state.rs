//! What every handler gets: the sessions, push, and when connections must end.

use std::path::Path;
use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::Response;
use tokio::sync::watch;

use super::answers;
use crate::access::Access;
use crate::push::Push;
use crate::sessions::Sessions;
use crate::sessions::session::Session;

/// The state that every handler gets.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The sessions.
    pub sessions: Sessions,
    /// Who is let in, and how much is open.
    pub access: Access,
    /// The folder of the sessions' logs; none where they are in memory only.
    pub logs: Option<Arc<Path>>,
    /// Who lacks more bytes of events than this is referred to the history, if he can read it.
    pub far_behind: usize,
    /// Tells people's devices.
    pub push: Push,
    /// Where a phone reaches the gateway, if that is known.
    pub phone_origin: Option<Arc<str>>,
    /// Turns `true` when connections must end.
    pub stopping: watch::Receiver<bool>,
    /// The WebSockets that are open: HTTP ends where they begin.
    pub sockets: Sockets,
}

/// Counts WebSockets. Clones share one count.
#[derive(Clone, Debug, Default)]
pub struct Sockets(Arc<watch::Sender<usize>>);

/// A WebSocket that is open, until this is dropped.
#[derive(Debug)]
pub struct OpenSocket(Sockets);

impl Sockets {
    /// One more is open.
    pub fn open(&self) -> OpenSocket {
        self.0.send_modify(|count| *count += 1);
        OpenSocket(self.clone())
    }

    /// Returns when none is open.
    pub async fn closed(&self) {
        // The sender is `self`, so there is not an error.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl AppState {
    /// The session with this id, once its journal can be read and has the position that the reader has seen; where there is
    /// none, the response that says so.
    pub async fn session(&self, id: &str, seen: u64) -> Result<Arc<Session>, Response> {
        let Some(session) = self.sessions.find(Some(id)) else {
            let message = format!("no session \"{id}\" here; GET /api/sessions lists the sessions");
            return Err(answers::error(StatusCode::NOT_FOUND, &message));
        };
        Arc::clone(&session.agent).ready(&session.id, seen).await;
        Ok(session)
    }
}

/// Returns when connections must end.
pub async fn has_ended(mut stopping: watch::Receiver<bool>) {
    // An error means that the gateway was dropped, which is an end as well.
    let _ = stopping.wait_for(|stopping| *stopping).await;
}

/// Returns when the watched value changes; never if there is none.
pub async fn any_change<T>(watched: &mut Option<watch::Receiver<T>>) {
    let changed = match watched {
        Some(watched) => watched.changed().await.is_ok(),
        None => false,
    };
    if !changed {
        std::future::pending::<()>().await; // nothing is watched, or its sender is gone
    }
}
