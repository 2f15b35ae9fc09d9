//! What follows from what the runtime sends: its events go to the recorder, and some of them make the gateway ask or tell the
//! runtime something.

use std::sync::Arc;

use pilothouse_core::protocol::RequestKind;

use super::connection::{Heard, RuntimeConnection};
use super::message;
use super::output::Output;
use super::reconcile::{self, Occasion};
use super::recorder::{Item, Recorder};
use crate::journal::Entry;

/// Takes what a connection has heard.
pub fn take(connection: &Arc<RuntimeConnection>, heard: &Heard<'_>, recorder: &Recorder, output: &Output) {
    match heard {
        Heard::Event { session_id, event } => {
            let kind = message::kind(event);
            if RequestKind::opened_by(kind).is_some() {
                connection.save(session_id);
            }
            let session_id = (*session_id).to_owned();
            recorder.send(Item::Event { session_id: session_id.clone(), entry: Entry::read(event) });
            if reconcile::rests(kind) {
                let (connection, recorder) = (Arc::clone(connection), recorder.clone());
                tokio::spawn(async move {
                    reconcile::look(&connection, &recorder, &session_id, Occasion::Rest).await;
                });
            }
        }
        Heard::Unreadable(text) => {
            output.print(text.as_bytes());
            recorder.send(Item::Unreadable(text.len()));
        }
        Heard::Printed(line) => output.print(line),
    }
}
