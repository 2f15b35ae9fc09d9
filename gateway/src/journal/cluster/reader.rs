//! Reads a session from the cluster's log, for gateways that do not drive it.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::consumer::{DeliverPolicy, ReplayPolicy};
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::Cluster;
use super::message::{Joiner, PART, STREAM, entries};
use crate::journal::memory::Memory;
use crate::journal::{Entries, Journal as _};

const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(1);
/// A consumer is at one server. Where that ends, it is noticed after so long that nothing comes; the client's own limit is 30 s.
const LONGEST_REQUEST: Duration = Duration::from_secs(6);
/// How long the next message of what is already there may take.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// One message, and how many follow it in the log now.
struct Received {
    part: Option<String>,
    payload: Bytes,
    pending: u64,
    /// Its number in the stream.
    sequence: u64,
}

/// All entries of a subject behind this position that are in the log now.
pub async fn all_after(cluster: &Cluster, subject: &str, after: u64) -> Result<Entries, String> {
    let (mut messages, pending) = open(cluster, subject, 1).await?;
    let (mut joiner, mut all) = (Joiner::default(), Entries::new());
    if pending == 0 {
        return Ok(all);
    }
    loop {
        let next =
            timeout(LONGEST_PAUSE, messages.next()).await.map_err(|_| "nothing came for 10 s".to_owned())?;
        let Received { part, payload, pending, .. } = next.ok_or("it ended")??;
        if let Some(payload) = joiner.take(part.as_deref(), payload) {
            let newest = all.last().map_or(after, |(seq, _)| *seq);
            all.extend(entries(&payload).into_iter().filter(|(seq, _)| *seq > newest));
        }
        if pending == 0 {
            return Ok(all);
        }
    }
}

/// Fills a journal from a subject, and goes on until it is dropped. `caught_up` turns true once all is here that was in the log at
/// the beginning.
pub async fn follow(
    cluster: Arc<Cluster>,
    subject: String,
    memory: Arc<Memory>,
    caught_up: watch::Sender<bool>,
) {
    let mut next = 1;
    loop {
        let reason = match open(&cluster, &subject, next).await {
            Ok((messages, pending)) => {
                if pending == 0 {
                    caught_up.send_replace(true);
                }
                take_all(messages, &mut next, &memory, &caught_up).await
            }
            Err(reason) => reason,
        };
        warn!(subject, reason, "can't read the cluster's log; it is tried again");
        sleep(BETWEEN_ATTEMPTS).await;
    }
}

/// Takes messages until there is an error, which is returned. `next`: where to go on in the stream.
async fn take_all(
    mut messages: Messages,
    next: &mut u64,
    memory: &Memory,
    caught_up: &watch::Sender<bool>,
) -> String {
    let mut joiner = Joiner::default();
    while let Some(message) = messages.next().await {
        let Received { part, payload, pending, sequence } = match message {
            Ok(message) => message,
            Err(error) => return error,
        };
        if let Some(payload) = joiner.take(part.as_deref(), payload) {
            *next = sequence + 1;
            let newest = memory.position().length;
            let mut fresh = entries(&payload);
            fresh.retain(|(seq, _)| *seq > newest);
            if !fresh.is_empty() {
                memory.add(fresh);
            }
        }
        if pending == 0 {
            caught_up.send_if_modified(|caught_up| !std::mem::replace(caught_up, true));
        }
    }
    "it ended".to_owned()
}

type Messages = std::pin::Pin<Box<dyn futures_util::Stream<Item = Result<Received, String>> + Send>>;

/// The messages of a subject from this number of the stream on, and how many there are now.
async fn open(cluster: &Cluster, subject: &str, start_sequence: u64) -> Result<(Messages, u64), String> {
    let stream = cluster.context.get_stream_no_info(STREAM).await.map_err(|error| error.to_string())?;
    let config = OrderedConfig {
        filter_subject: subject.to_owned(),
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence },
        replay_policy: ReplayPolicy::Instant,
        max_expires: LONGEST_REQUEST,
        ..OrderedConfig::default()
    };
    let consumer = stream.create_consumer(config).await.map_err(|error| error.to_string())?;
    let pending = consumer.cached_info().num_pending;
    let messages = consumer.messages().await.map_err(|error| error.to_string())?;
    let messages = messages.map(|message| {
        let message = message.map_err(|error| error.to_string())?;
        let info = message.info().map_err(|error| error.to_string())?;
        let (pending, sequence) = (info.pending, info.stream_sequence);
        let part = message
            .headers
            .as_ref()
            .and_then(|headers| headers.get(PART))
            .map(|part| part.as_str().to_owned());
        Ok(Received { part, payload: message.message.payload, pending, sequence })
    });
    Ok((messages.boxed(), pending))
}
