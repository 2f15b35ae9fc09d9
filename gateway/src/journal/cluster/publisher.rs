//! Brings what is in a session's journal into the cluster's log, one message at a time, each behind the one before. The journal
//! never waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;
use tokio::time::{sleep, timeout};
use tracing::{error, warn};

use super::claim::{Claim, OwnJournal, claim};
use super::message::{self, LOG, LastMessage, PART, SEQ, WRITER, cut, payload};
use super::{Cluster, Standing};
use crate::journal::Journal;

const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const LONGEST_PUBLISH: Duration = Duration::from_secs(10);

/// What was published.
#[derive(Debug, Default)]
pub struct Counts {
    /// Messages.
    pub messages: AtomicU64,
    /// Bytes of their payloads.
    pub bytes: AtomicU64,
    /// How often it had to begin again, because an answer was lost or another process had written.
    pub restarts: AtomicU64,
}

struct Publisher {
    cluster: Arc<Cluster>,
    subject: String,
    /// The newest message of the subject.
    sequence: u64,
    /// The newest position that is in the cluster's log.
    published: u64,
}

/// Publishes a session as long as the gateway runs. `first`: the smallest position that this process has given.
pub async fn publish(
    cluster: Arc<Cluster>,
    session_id: String,
    subject: String,
    journal: Arc<dyn Journal>,
    first: u64,
) {
    let mut publisher =
        Publisher { published: cluster.published(&session_id), cluster, subject, sequence: 0 };
    let mut wait = FIRST_WAIT;
    loop {
        publisher.cluster.member().await;
        match publisher.claim(&*journal, first).await {
            Ok(true) => {}
            Ok(false) => {
                let problem = "another gateway has written its events; they are not in the cluster's log any more until this gateway starts again";
                error!(session = session_id, problem);
                publisher.cluster.set_problem(&session_id, problem);
                return;
            }
            Err(reason) => {
                warn!(session = session_id, reason, "can't write the cluster's log");
                sleep(wait).await;
                wait = (wait * 2).min(LONGEST_WAIT);
                continue;
            }
        }
        publisher.cluster.set_published(&session_id, publisher.published);
        let ended = publisher.follow(&session_id, &*journal, &mut wait).await;
        publisher.cluster.counts.restarts.fetch_add(1, Ordering::Relaxed);
        if let Some(reason) = ended {
            warn!(session = session_id, reason, "the cluster's log was not written");
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }
}

impl Publisher {
    /// Finds where to go on, and says in the log that this process writes from here on. Whether it may.
    async fn claim(&mut self, journal: &dyn Journal, first: u64) -> Result<bool, String> {
        let last = self.cluster.last(&self.subject).await?;
        let own = OwnJournal {
            log: &self.cluster.log,
            writer: &self.cluster.process,
            length: journal.position().length,
            first_given: Some(first),
        };
        let Claim::Publish { after } = claim(&own, last.as_ref(), self.published) else { return Ok(false) };
        let is_ours = last.as_ref().is_some_and(|LastMessage { writer, .. }| *writer == self.cluster.process);
        (self.sequence, self.published) = (last.map_or(0, |last| last.sequence), after);
        if !is_ours {
            self.send(Bytes::new(), after, None).await.map_err(|(_, reason)| reason)?;
        }
        Ok(true)
    }

    /// Publishes what comes. Returns when it may not write any more, or why it could not.
    async fn follow(
        &mut self,
        session_id: &str,
        journal: &dyn Journal,
        wait: &mut Duration,
    ) -> Option<String> {
        let (mut grown, mut standing) = (journal.follow(), self.cluster.standing());
        loop {
            grown.mark_unchanged();
            let mut cursor = journal.cursor_after(self.published);
            let batch = journal.read(&mut cursor, message::MOST_BYTES / 2);
            let Some((position, _)) = batch.entries.last() else {
                tokio::select! {
                    changed = grown.changed() => if changed.is_err() { return None },
                    _ = standing.wait_for(|standing| *standing != Standing::Member) => return None,
                }
                continue;
            };
            if batch.restarted {
                return Some("the journal has begun again".to_owned());
            }
            let position = *position;
            for (part, bytes) in cut(&payload(&batch.entries), message::MOST_BYTES) {
                let is_last = part
                    .as_deref()
                    .is_none_or(|part| part.split_once('/').is_some_and(|(at, count)| at == count));
                let reached = if is_last { position } else { self.published };
                if let Err((kind, reason)) = self.send(bytes, reached, part).await {
                    return (kind != PublishErrorKind::WrongLastSequence).then_some(reason);
                }
            }
            self.published = position;
            *wait = FIRST_WAIT;
            self.cluster.set_published(session_id, position);
        }
    }

    /// Writes one message behind the newest one.
    async fn send(
        &mut self,
        payload: Bytes,
        position: u64,
        part: Option<String>,
    ) -> Result<(), (PublishErrorKind, String)> {
        self.sequence = write(&self.cluster, &self.subject, self.sequence, position, part, payload).await?;
        Ok(())
    }
}

/// Writes a message behind the newest one of its subject, which must be that with the number `behind`. Gives its own number.
pub async fn write(
    cluster: &Cluster,
    subject: &str,
    behind: u64,
    position: u64,
    part: Option<String>,
    payload: Bytes,
) -> Result<u64, (PublishErrorKind, String)> {
    let mut headers = HeaderMap::new();
    headers.insert(SEQ, position.to_string());
    headers.insert(LOG, cluster.log.as_str());
    headers.insert(WRITER, cluster.process.as_str());
    if let Some(part) = part {
        headers.insert(PART, part);
    }
    let bytes = payload.len() as u64;
    let message =
        PublishMessage::build().payload(payload).headers(headers).expected_last_subject_sequence(behind);
    let sent = async {
        let ack = cluster.context.send_publish(subject.to_owned(), message).await?;
        ack.await
    };
    let ack = match timeout(LONGEST_PUBLISH, sent).await {
        Ok(Ok(ack)) => ack,
        Ok(Err(error)) => return Err((error.kind(), error.to_string())),
        Err(_) => return Err((PublishErrorKind::TimedOut, "no answer".to_owned())),
    };
    cluster.counts.messages.fetch_add(1, Ordering::Relaxed);
    cluster.counts.bytes.fetch_add(bytes, Ordering::Relaxed);
    Ok(ack.sequence)
}
