//! Takes what a connection has received. After some events, and after a restart, the runtime is asked for its queue: so it is
//! found out what became of the messages that people sent.

use std::sync::Arc;

use pilothouse_core::protocol::{EventKind, RequestKind};
use serde_json::{Value, json};

use super::connection::{Failure, Received, RuntimeConnection};
use crate::agents::output::Output;
use crate::agents::queue::Queue;
use crate::agents::recorder::{Recorder, RecorderCommand};
use crate::journal::{Entry, event_kind};

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

/// Takes what a connection has received.
pub fn receive(
    connection: &Arc<RuntimeConnection>,
    received: &Received<'_>,
    recorder: &Recorder,
    output: &Output,
) {
    match received {
        Received::Event { session_id, event } => {
            let kind = event_kind(event);
            if RequestKind::opened_by(kind).is_some() {
                connection.save(session_id);
            }
            let session_id = (*session_id).to_owned();
            recorder
                .send(RecorderCommand::Event { session_id: session_id.clone(), entry: Entry::read(event) });
            if RESTS.contains(&kind) {
                let (connection, recorder) = (Arc::clone(connection), recorder.clone());
                tokio::spawn(async move {
                    ask_for_queue(&connection, &recorder, &session_id, Occasion::Rest).await;
                });
            }
        }
        Received::Unreadable(text) => {
            output.print(text.as_bytes());
            recorder.send(RecorderCommand::Unreadable(text.len()));
        }
        Received::Printed(line) => output.print(line),
    }
}

/// Asks the runtime for its queue. A message that is not in it and has not begun was dropped.
pub async fn ask_for_queue(
    connection: &RuntimeConnection,
    recorder: &Recorder,
    session_id: &str,
    occasion: Occasion,
) {
    let asked = recorder.waiting_ids(session_id).await;
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
    recorder.compare_backlog(session_id, asked, queue).await;
}

fn is_processing(answer: &str) -> bool {
    serde_json::from_str::<Value>(answer).is_ok_and(|answer| answer["processing"] == true)
}
