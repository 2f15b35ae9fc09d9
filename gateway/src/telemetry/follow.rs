//! Reads the journals of the sessions that the gateway's agent has open, and gives the spans in them to the queue.
//!
//! A session is read from the beginning of its log, so that a turn goes on that began before the gateway did. Of what is in the log at
//! the first look only spans are sent that ended not long before.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::queue::Queue;
use super::span::Span;
use super::spans::SessionSpans;
use crate::journal::Cursor;
use crate::sessions::Sessions;
use crate::sessions::agent::Presence;
use crate::sessions::session::Session;
use crate::time;

/// The time between two looks at the sessions.
const LOOKS: Duration = Duration::from_millis(500);
/// What ended this long before the gateway began may not have been sent by the one before. In milliseconds.
const RECENT: i64 = 5 * 60 * 1000;
/// In bytes.
const READ_AT_ONCE: usize = 1 << 20;

/// A session that is followed.
#[derive(Debug)]
struct Followed {
    cursor: Cursor,
    spans: SessionSpans,
}

/// Follows the sessions until `stopping` turns true. Then it looks once more and closes the queue.
pub async fn follow(sessions: Sessions, queue: Arc<Queue>, mut stopping: watch::Receiver<bool>) {
    let mut looks = interval(LOOKS);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let recent = time::milliseconds() - RECENT;
    let mut followed = HashMap::new();
    loop {
        let ends = tokio::select! {
            _ = looks.tick() => false,
            // An error means that the gateway was dropped.
            _ = stopping.wait_for(|stopping| *stopping) => true,
        };
        let (all, to) = (sessions.all(), Arc::clone(&queue));
        // A long log takes its time.
        let looked = tokio::task::spawn_blocking(move || {
            look(&all, &mut followed, &to, recent);
            followed
        });
        followed = looked.await.unwrap_or_default();
        if ends {
            return queue.close();
        }
    }
}

fn look(sessions: &[Arc<Session>], followed: &mut HashMap<String, Followed>, queue: &Queue, recent: i64) {
    // Of a session of another machine that machine tells.
    for session in sessions.iter().filter(|session| !session.is_remote()) {
        let is_new = !followed.contains_key(&session.id);
        // What is closed meanwhile is read to its end.
        if session.journal.is_unloaded() || is_new && session.agent.presence(&session.id) != Presence::Open {
            continue;
        }
        let one = followed.entry(session.id.clone()).or_insert_with(|| Followed {
            cursor: session.journal.cursor_after(0),
            spans: SessionSpans::new(&session.id),
        });
        loop {
            let batch = session.journal.read(&mut one.cursor, READ_AT_ONCE);
            if batch.restarted {
                one.spans = SessionSpans::new(&session.id);
            }
            if batch.entries.is_empty() {
                break;
            }
            let ended = batch.entries.iter().flat_map(|(_, entry)| one.spans.take(&entry.raw));
            queue.add(ended.filter(|span: &Span| !is_new || span.end >= recent).collect());
        }
    }
    let listed = |id: &String| sessions.iter().any(|session| session.id == *id);
    if followed.len() > sessions.len() {
        followed.retain(|id, _| listed(id));
    }
}
