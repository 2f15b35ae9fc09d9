//! What the board shows of each session, in the cluster: this gateway publishes those of its own sessions, and follows those of
//! other machines.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::kv::{self, Operation, Store, Watch};
use bytes::Bytes;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tracing::warn;

use super::OtherMachines;
use crate::journal::cluster::lease::{self, Machine};
use crate::journal::cluster::{Cluster, SESSIONS, Standing};
use crate::sessions::agent::{Presence, RemoteSession};
use crate::sessions::session::Session;
use crate::sessions::summary::EndedRequest;

/// The shortest time between two rows of one session.
const INTERVAL: Duration = Duration::from_millis(250);
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const LONGEST_WRITE: Duration = Duration::from_secs(5);
/// How many ended requests are told of. Who was away for longer gets them from the session's events.
const MOST_ENDED: usize = 16;
/// A row that is larger goes without the events of its requests.
const LARGEST_ROW: usize = 512 << 10;

/// A session in the bucket.
#[derive(Debug, Default, Serialize, Deserialize)]
struct SessionEntry {
    /// Its row. Each request has the `event` that opened it.
    row: Value,
    /// The newest requests that have ended.
    ended: Vec<EndedEntry>,
    /// Changes when the messages change that wait at the gateway.
    backlog: u64,
    /// The position up to which its events are in the cluster's log.
    published: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EndedEntry {
    number: u64,
    request_id: String,
    event: Option<String>,
}

/// Follows the machines, as long as the gateway runs.
pub async fn follow_machines(machines: &Arc<OtherMachines>) {
    let mut wait = BETWEEN_ATTEMPTS;
    loop {
        let watched = async { watch(&lease::machines(&machines.cluster).await?).await };
        let Some(mut watch) = begin(machines, &mut wait, Box::pin(watched)).await else { continue };
        while let Some(Ok(entry)) = watch.next().await {
            wait = BETWEEN_ATTEMPTS;
            let about = match entry.operation {
                Operation::Put => serde_json::from_slice::<Machine>(&entry.value).ok(),
                Operation::Delete | Operation::Purge => None,
            };
            machines.heard_of(&entry.key, about);
        }
    }
}

/// Follows the sessions of other machines, as long as the gateway runs.
pub async fn follow_sessions(machines: &Arc<OtherMachines>) {
    let mut wait = BETWEEN_ATTEMPTS;
    loop {
        let watched = async { watch(&sessions(&machines.cluster).await?).await };
        let Some(mut watch) = begin(machines, &mut wait, Box::pin(watched)).await else { continue };
        while let Some(Ok(entry)) = watch.next().await {
            wait = BETWEEN_ATTEMPTS;
            let Some((machine, session_id)) = entry.key.split_once('.') else { continue };
            if machine == machines.cluster.machine {
                continue;
            }
            match entry.operation {
                Operation::Put => match serde_json::from_slice::<SessionEntry>(&entry.value) {
                    Ok(told) => {
                        let backlog = told.backlog;
                        machines.told(machine, session_id, told.remote(), backlog);
                    }
                    Err(error) => {
                        warn!(key = entry.key, %error, "can't read what a machine says of a session");
                    }
                },
                Operation::Delete | Operation::Purge => machines.forget(machine, session_id),
            }
        }
    }
}

/// Begins to follow a bucket, after a wait that grows with each attempt and is never quite the same: after a failure of the
/// cluster all gateways come at once.
async fn begin(
    machines: &OtherMachines,
    wait: &mut Duration,
    watched: impl Future<Output = Result<Watch, String>>,
) -> Option<Watch> {
    let mut standing = machines.cluster.standing();
    // The sender lives as long as the cluster.
    let _ = standing.wait_for(|standing| matches!(standing, Standing::Member | Standing::NameTaken(_))).await;
    if *wait > BETWEEN_ATTEMPTS {
        let part = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        sleep(wait.mul_f64(0.5 + part / 2.0)).await;
    }
    *wait = (*wait * 2).min(LONGEST_WAIT);
    watched.await.inspect_err(|error| warn!(error, "can't follow the cluster")).ok()
}

/// All entries of a bucket, then what changes.
async fn watch(store: &Store) -> Result<Watch, String> {
    store.watch_with_history(">").await.map_err(|error| error.to_string())
}

/// Publishes the rows of this gateway's sessions, as long as it runs.
pub async fn publish(machines: &Arc<OtherMachines>) {
    let mut looks = interval(INTERVAL);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut sent, mut store): (HashMap<String, Bytes>, Option<Store>) = (HashMap::new(), None);
    loop {
        looks.tick().await;
        if *machines.cluster.standing().borrow() != Standing::Member {
            sent.clear(); // another gateway may have had the name meanwhile
            machines.cluster.member().await;
        }
        let written = async {
            let store = match &mut store {
                Some(store) => store,
                None => store.insert(sessions(&machines.cluster).await?),
            };
            write(machines, store, &mut sent).await
        };
        if let Ok(Err(error)) = timeout(LONGEST_WRITE, written).await {
            warn!(error, "can't write the rows of the sessions");
            store = None;
            sleep(BETWEEN_ATTEMPTS).await;
        }
    }
}

async fn write(
    machines: &OtherMachines,
    store: &Store,
    sent: &mut HashMap<String, Bytes>,
) -> Result<(), String> {
    let all = machines.sessions.all().into_iter();
    let own: Vec<_> = all
        .filter(|session| !session.is_remote() && session.agent.presence(&session.id) != Presence::Recording)
        .collect();
    let ids: HashSet<String> = own.iter().map(|session| session.id.clone()).collect();
    let cluster = Arc::clone(&machines.cluster);
    let entries = tokio::task::spawn_blocking(move || {
        let entry = |session: &Arc<Session>| Some((session.id.clone(), SessionEntry::of(session, &cluster)?));
        own.iter().filter_map(entry).collect::<Vec<_>>()
    });
    for (id, entry) in entries.await.map_err(|error| error.to_string())? {
        if sent.get(&id) == Some(&entry) {
            continue;
        }
        let put = store.put(key(&machines.cluster, &id), entry.clone()).await;
        put.map_err(|error| error.to_string())?;
        sent.insert(id, entry);
    }
    let gone: Vec<_> = sent.keys().filter(|id| !ids.contains(*id)).cloned().collect();
    for id in gone {
        store.delete(key(&machines.cluster, &id)).await.map_err(|error| error.to_string())?;
        sent.remove(&id);
    }
    Ok(())
}

fn key(cluster: &Cluster, session_id: &str) -> String {
    format!("{}.{session_id}", cluster.machine)
}

async fn sessions(cluster: &Cluster) -> Result<Store, String> {
    cluster
        .bucket(kv::Config {
            bucket: SESSIONS.to_owned(),
            description: "What the board shows of Pilothouse's sessions".to_owned(),
            ..kv::Config::default()
        })
        .await
}

impl SessionEntry {
    /// The entry of this session; none if it can't be in the cluster.
    fn of(session: &Session, cluster: &Cluster) -> Option<Bytes> {
        crate::journal::cluster::message::subject(&cluster.machine, &session.id)?;
        let row = session.summary();
        let mut ended = session.ended_after(0);
        ended.drain(..ended.len().saturating_sub(MOST_ENDED));
        let ended = ended.into_iter().map(|ended| EndedEntry {
            number: ended.number,
            request_id: ended.request_id,
            event: ended.event.map(|event| event.to_string()),
        });
        let backlog = session.agent.backlog(&session.id).map_or(0, |changes| *changes.borrow());
        let published = cluster.published(&session.id);
        let mut entry = Self { row, ended: ended.collect(), backlog, published };
        for request in entry.row["requests"].as_array_mut().into_iter().flatten() {
            let opening = request["requestId"].as_str().and_then(|id| session.opening(id));
            if let Some(event) = opening.and_then(|event| serde_json::from_str::<Value>(&event).ok()) {
                request["event"] = event;
            }
        }
        let whole = serde_json::to_vec(&entry).ok()?;
        if whole.len() <= LARGEST_ROW {
            return Some(whole.into());
        }
        entry.take_openings();
        serde_json::to_vec(&entry).ok().map(Bytes::from)
    }

    /// Takes the events out of the row that opened its requests.
    fn take_openings(&mut self) -> HashMap<String, Arc<str>> {
        let mut openings = HashMap::new();
        for request in self.row["requests"].as_array_mut().into_iter().flatten() {
            let event = request.as_object_mut().and_then(|request| request.remove("event"));
            if let (Some(event), Some(id)) = (event, request["requestId"].as_str()) {
                openings.insert(id.to_owned(), event.to_string().into());
            }
        }
        openings
    }

    fn remote(mut self) -> RemoteSession {
        let openings = self.take_openings();
        let ended = self.ended.into_iter().map(|ended| EndedRequest {
            number: ended.number,
            request_id: ended.request_id,
            event: ended.event.map(Into::into),
        });
        RemoteSession { row: self.row, openings, ended: ended.collect() }
    }
}
