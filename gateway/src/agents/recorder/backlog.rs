//! The recorder's part in a session's backlog: removes the messages that have begun, and writes the rest to the
//! disk.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use pilothouse_core::protocol::ErrorReason;
use serde_json::json;
use tokio::sync::oneshot;
use tracing::error;

use super::{Recorder, RecorderCommand, SessionRecord};
use crate::agents::backlog::{Backlog, Message, Sign, Signs, begun_message, writer_of};
use crate::agents::notice::DueCommand;
use crate::agents::queue::Queue;
use crate::journal::{Entry, Storage, event_id};
use crate::rpc::{Call, Fault};
use crate::sessions::own_event;
use crate::sessions::session::Session;

/// The pause before a backlog that could not be written is tried again.
const SAVE_AGAIN: Duration = Duration::from_secs(2);

/// What a call about a session's backlog comes to.
pub enum BacklogCall<'a> {
    /// The list is asked for.
    List,
    /// This message is to be sent again.
    Send(&'a str),
    /// It is carried out, with this result.
    Done(String),
}

impl Recorder {
    /// Carries out a call about a session's backlog, as far as that is the same for every agent.
    pub async fn serve_backlog<'a>(
        &self,
        session_id: &str,
        backlog: &Backlog,
        call: &'a Call,
    ) -> Result<BacklogCall<'a>, Fault> {
        let method = call.method.as_str();
        if method == "pilothouse.backlog" {
            return Ok(BacklogCall::List);
        }
        let message = call.params["id"].as_str();
        let message = message
            .ok_or_else(|| Fault::new(ErrorReason::InvalidParams, format!("{method}: id is missing")))?;
        match method {
            "pilothouse.backlog.read" => {
                let message = backlog.read(message).ok_or_else(Fault::no_such_message)?;
                Ok(BacklogCall::Done(json!({"message": message}).to_string()))
            }
            "pilothouse.backlog.discard" => {
                let discarded = backlog.discard(message);
                self.save_backlog(session_id).await;
                Ok(BacklogCall::Done(json!({"discarded": discarded}).to_string()))
            }
            "pilothouse.backlog.send" => Ok(BacklogCall::Send(message)),
            _ => Err(Fault::new(ErrorReason::MethodNotFound, format!("no method \"{method}\" here"))),
        }
    }

    /// Returns when the current backlog of the session is on the disk.
    pub async fn save_backlog(&self, session_id: &str) {
        let (done, saved) = oneshot::channel();
        self.send(RecorderCommand::SaveBacklog(session_id.to_owned(), done));
        let _ = saved.await; // the recorder has ended, because the gateway does
    }

    /// The messages that the runtime may have, without those that have begun by now.
    pub async fn waiting_ids(&self, session_id: &str) -> Vec<String> {
        let (done, waiting) = oneshot::channel();
        self.send(RecorderCommand::WaitingIds(session_id.to_owned(), done));
        waiting.await.unwrap_or_default()
    }

    /// Passes on the runtime's queue, and the messages about which it was asked.
    pub async fn compare_backlog(&self, session_id: &str, asked: Vec<String>, queue: Queue) {
        let (done, noted) = oneshot::channel();
        self.send(RecorderCommand::CompareBacklog(session_id.to_owned(), asked, queue, done));
        let _ = noted.await; // as above
    }
}

impl SessionRecord {
    /// Takes over the backlog of an earlier process, without what has begun since.
    pub(super) fn restore(&mut self) {
        let messages = match self.storage().map(Storage::notes) {
            Some(Ok(lines)) => Message::read_lines(&lines),
            Some(Err(error)) => {
                error!(session = self.handle.session.id, %error, "can't read what was sent");
                return;
            }
            None => return,
        };
        let first = messages.iter().map(|message| message.after).min();
        self.handle.backlog.restore(messages, self.handle.session.journal.position().length);
        if let Some(first) = first {
            self.remove_begun(&begun_since(&self.handle.session, first));
        }
    }

    /// Adds an event to those that go into the log and the journal next. If it asks for a command that a person queued,
    /// the gateway runs the command, and says so before anybody sees the request.
    pub(super) fn add_pending(&mut self, entry: Entry) {
        if let Some(Sign::CommandRequested { request_id, command }) = Sign::of(&entry.raw) {
            let seq = self.handle.session.journal.position().length + self.pending.len() as u64 + 2;
            if self.handle.backlog.run(seq, &request_id, &command) {
                let due = DueCommand { session_id: self.handle.session.id.clone(), request_id, command };
                self.pending.push(Entry::read(&due.started().event()));
                self.commands.push(due);
            }
        }
        self.pending.push(entry);
    }

    /// Adds events of which the newest happened long before this. Requests among them that are over are not served.
    pub(super) fn add_all_pending(&mut self, entries: Vec<Entry>) {
        let over: HashSet<_> = entries.iter().filter_map(|entry| ended(&entry.raw)).collect();
        for entry in entries {
            let is_over = |sign: Option<Sign>| matches!(sign, Some(Sign::CommandRequested { request_id, .. }) if over.contains(&request_id));
            if !over.is_empty() && is_over(Sign::of(&entry.raw)) {
                self.pending.push(entry);
            } else {
                self.add_pending(entry);
            }
        }
    }

    /// Writes the backlog to the disk, and tells who wrote the messages whose ids became known. If that fails it is in memory only, and is tried again.
    pub(super) fn save_backlog(&mut self) {
        let writers = self.handle.backlog.take_writers();
        let events = writers.iter().map(|writer| own_event::sent(&writer.message_id, &writer.who));
        self.pending.extend(events.map(|event| Entry::read(&event)));
        let again = self.save_again.take().is_some();
        let Some(storage) = self.storage() else { return };
        let Err(error) = self.handle.backlog.lines().and_then(|lines| storage.keep_notes(&lines)) else {
            return;
        };
        if !again {
            let id = &self.handle.session.id;
            error!(session = id, %error, "can't write down what was sent; it is in memory only");
        }
        self.save_again = Some(Instant::now() + SAVE_AGAIN);
    }

    /// Tries again to write the backlog if that is due; at the end in any case.
    pub(super) fn save_if_due(&mut self, at_the_end: bool) {
        if self.save_again.is_some_and(|due| at_the_end || due <= Instant::now()) {
            self.save_backlog();
        }
    }

    pub(super) fn waiting_ids(&self) -> Vec<String> {
        self.handle.backlog.waiting_ids()
    }

    pub(super) fn compare_backlog(&mut self, asked: &[String], queue: &Queue) {
        let since = |seq| begun_since(&self.handle.session, seq);
        if self.handle.backlog.compare(asked, queue, since) {
            self.save_backlog();
        }
    }

    /// What will have begun once the pending events are in the journal. `first` is the number of
    /// the first of these events.
    pub(super) fn begun_after(&self, first: u64) -> Signs {
        if self.handle.backlog.is_empty() {
            return Signs::new();
        }
        signs((first..).zip(&self.pending))
    }

    /// A runtime writes events to its log a moment late. What began in its last moment it has forgotten, and
    /// so has the agent. Such messages are behind the newest event that both logs have; they are added to the
    /// backlog as dropped.
    pub(super) fn offer_unwritten(&mut self, entries: &[(u64, Entry)], history: &[String]) {
        let known: HashSet<_> = history.iter().filter_map(|raw| event_id(raw)).collect();
        let common =
            |(_, entry): &(u64, Entry)| entry.persisted && entry.id().is_some_and(|id| known.contains(&id));
        let Some(newest) = entries.iter().rposition(common) else { return };
        let behind = entries.get(newest + 1..).unwrap_or_default();
        let mut messages: Vec<_> = behind.iter().filter_map(|(_, entry)| begun_message(&entry.raw)).collect();
        if !messages.is_empty() {
            let writers = entries.iter().filter_map(|(_, entry)| writer_of(&entry.raw));
            let mut writers: HashMap<_, _> = writers.map(|writer| (writer.message_id, writer.who)).collect();
            for message in &mut messages {
                message.who = writers.remove(&message.message_id);
            }
        }
        let position = self.handle.session.journal.position().length;
        if self.handle.backlog.offer_forgotten(messages, position) {
            self.save_backlog();
        }
    }

    pub(super) fn remove_begun(&mut self, begun: &[(u64, Sign)]) {
        if !begun.is_empty() && self.handle.backlog.remove_begun(begun) {
            self.save_backlog();
        }
    }
}

/// The request to run a command that is over with this event.
fn ended(raw: &str) -> Option<String> {
    match Sign::of(raw)? {
        Sign::Ended { request_id } => Some(request_id),
        _ => None,
    }
}

/// What these events show of what people sent.
fn signs<'a>(entries: impl Iterator<Item = (u64, &'a Entry)>) -> Signs {
    entries.filter_map(|(seq, entry)| Some((seq, Sign::of(&entry.raw)?))).collect()
}

fn begun_since(session: &Session, seq: u64) -> Signs {
    let entries = session.journal.all_after(seq);
    signs(entries.iter().map(|(seq, entry)| (*seq, entry)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use serde_json::json;
    use tokio::sync::mpsc;

    use super::{Message, Recorder, SessionRecord};
    use crate::agents::copilot::runtime::Runtime;
    use crate::agents::recorder::RecordedSession;
    use crate::health::Health;
    use crate::journal::store::Store;
    use crate::sessions::Sessions;

    #[test]
    fn a_backlog_that_could_not_be_written_is_written_once_it_can_be() {
        let folder = std::env::temp_dir().join(format!("pilothouse-keep-{}", std::process::id()));
        let store = Store::open(Some(&folder), usize::MAX, u64::MAX, Health::default()).unwrap();
        let (store, recorder) = (Arc::new(store), Recorder::new().0);
        let runtime = Runtime::new(Sessions::default(), store, recorder, Health::default());
        let mut book =
            SessionRecord::open(Arc::new(runtime).adopt("s").recorded(), mpsc::unbounded_channel().0);
        let RecordedSession { session, backlog } = book.handle.clone();
        let send = |prompt: &str| backlog.add(&json!({"prompt": prompt}), None, 0);
        let written = || {
            let notes = session.journal.storage().unwrap().notes().unwrap();
            let messages = Message::read_lines(&notes);
            messages.iter().map(|message| message.text().to_owned()).collect::<Vec<_>>()
        };
        send("before");
        book.save_backlog();
        assert_eq!((written(), book.save_again), (vec!["before".to_owned()], None));

        // A folder stands where the new file has to be.
        let obstacle = folder.join("sessions").join("s.backlog-new");
        fs::create_dir(&obstacle).unwrap();
        let id = send("meanwhile");
        let before = Instant::now();
        book.save_backlog();
        assert!(book.due().unwrap() > before, "not at once again");
        let later = before + Duration::from_hours(1);
        book.save_again = Some(later);
        fs::remove_dir(&obstacle).unwrap();
        book.save_if_due(false);
        assert_eq!((written(), book.due()), (vec!["before".to_owned()], Some(later)), "it is not due");
        fs::create_dir(&obstacle).unwrap();
        book.save_if_due(true);
        assert_eq!(written(), ["before"], "what was there stays as it was");
        assert!(book.due().is_some_and(|due| due < later), "it is tried again");

        fs::remove_dir(&obstacle).unwrap();
        book.save_again = Some(Instant::now());
        book.save_if_due(false);
        assert_eq!((written().join(" "), book.save_again), ("before meanwhile".to_owned(), None));

        // What is to be removed is tried again as well: else it would be offered after a restart.
        fs::create_dir(&obstacle).unwrap();
        backlog.remove_refused(&id);
        book.save_backlog();
        assert_eq!(written().len(), 2);
        fs::remove_dir(&obstacle).unwrap();
        book.save_if_due(true);
        assert_eq!((written(), book.due()), (vec!["before".to_owned()], None));
        fs::remove_dir_all(&folder).unwrap();
    }
}
