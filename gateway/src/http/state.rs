//! What every handler gets: the sessions, and when connections must end.

use tokio::sync::watch;

use crate::sessions::Sessions;

/// The state that every handler gets.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The sessions.
    pub sessions: Sessions,
    /// Turns `true` when connections must end.
    pub stopping: watch::Receiver<bool>,
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
