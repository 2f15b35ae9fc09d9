//! Finds out what became of the messages that people sent: asks the runtime for its queue.

use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::connection::{Failure, RuntimeConnection};
use super::queue::Queue;
use super::recorder::Recorder;

/// Asks for the queue.
pub const PENDING: &str = "session.queue.pendingItems";
const PROCESSING: &str = "session.metadata.isProcessing";

/// Events after which the agent may be at work on nothing that was sent.
const RESTS: [EventKind; 4] =
    [EventKind::SessionIdle, EventKind::AssistantIdle, EventKind::Abort, EventKind::SessionShutdown];

/// The occasion on which the runtime is asked for its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The runtime was restarted: the queue of the one before is lost.
    Restart,
    /// The runtime is the same, and the agent may be at rest. While the agent works, a message that it has
    /// taken from the queue and not begun is in no list.
    Rest,
}

impl Occasion {
    /// The occasion of a session that was opened over a new connection.
    pub fn resume(restarted: bool) -> Self {
        if restarted { Self::Restart } else { Self::Rest }
    }
}

/// Whether the runtime has to be asked after an event of this type.
pub fn rests(kind: EventKind) -> bool {
    RESTS.contains(&kind)
}

/// Asks the runtime for its queue. A message that is not in it and has not begun was dropped.
pub async fn look(connection: &RuntimeConnection, recorder: &Recorder, session_id: &str, occasion: Occasion) {
    let asked = recorder.waiting(session_id).await;
    if asked.is_empty() {
        return;
    }
    let params = json!({"sessionId": session_id}).to_string();
    let queue = match connection.call(PENDING, &params).await {
        Ok(answer) => Queue::read(&answer),
        // The runtime does not know the session, or has no queue.
        Err(Failure::Refused(_)) => Queue::default(),
        Err(Failure::Ended) => return,
    };
    // This is asked after the list: a message that was taken out of it before is being worked on.
    if occasion == Occasion::Rest {
        let works = connection.call(PROCESSING, &params).await;
        if works.is_ok_and(|answer| is_processing(&answer)) || connection.is_over() {
            return;
        }
    }
    recorder.listed(session_id, asked, queue).await;
}

fn is_processing(answer: &str) -> bool {
    serde_json::from_str::<Value>(answer).is_ok_and(|answer| answer["processing"] == true)
}
