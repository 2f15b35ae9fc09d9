//! Has the stored sessions of an agent published in the cluster.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use super::recorder::Recorder;
use crate::journal::cluster::{Cluster, Standing};
use crate::journal::store::Store;
use crate::sessions::session::Session;

/// How often is looked whether a session is published.
const BETWEEN_LOOKS: Duration = Duration::from_millis(300);

/// Has the sessions published that nobody opens, one after the other; and after each time without the cluster those that lack
/// something there. `find` gives a session of this agent by its id.
pub async fn publish_stored(
    mut ids: Vec<String>,
    find: impl Fn(&str) -> Option<Arc<Session>>,
    recorder: Recorder,
    store: Arc<Store>,
    cluster: Arc<Cluster>,
) {
    cluster.member().await;
    let mut standing = cluster.standing();
    loop {
        for id in ids {
            if find(&id).is_none() {
                continue;
            }
            recorder.load(&id).await;
            let Some(session) = find(&id) else { continue };
            recorder.join_cluster(&store, &session, false).await;
            while !cluster.is_done_with(&id) {
                sleep(BETWEEN_LOOKS).await;
            }
        }
        // The sender lives as long as the cluster.
        let _ = standing.wait_for(|standing| *standing != Standing::Member).await;
        cluster.member().await;
        ids = cluster.behind();
    }
}
