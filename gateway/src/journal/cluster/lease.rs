//! The lease: a machine's entry in a bucket, written again and again, which says whom to ask about its sessions. It protects
//! nothing; the log itself does.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_nats::jetstream::kv::{self, Store};
use async_nats::jetstream::stream::StorageType;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tracing::warn;

use super::{Cluster, MACHINES, Standing};
use crate::time;

/// An entry that is older than this counts no more.
pub const LEASE: Duration = Duration::from_secs(10);
/// The time between two writes.
const RENEWALS: Duration = Duration::from_secs(3);
const LONGEST_WRITE: Duration = Duration::from_secs(5);

/// What a machine says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name.
    pub machine: String,
    /// The process that has the name.
    pub process: String,
    /// The public key of that process.
    pub key: String,
    /// The id of the folder of its logs.
    pub log: String,
    /// Since when that process has the name.
    pub since: String,
    /// The version of its program.
    pub version: String,
    /// The agent that it drives, if it drives one.
    pub agent: Option<String>,
    /// Its health.
    #[serde(default)]
    pub health: Value,
}

/// Keeps the lease until the gateway ends. `about` says which agent is driven and how the gateway is.
pub async fn keep(cluster: Arc<Cluster>, about: impl Fn() -> (Option<String>, Value) + Send) {
    let since = time::text(SystemTime::now());
    let mut renewals = interval(RENEWALS);
    renewals.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut standing = cluster.standing();
    let mut bucket: Option<Store> = None;
    loop {
        tokio::select! {
            _ = renewals.tick() => {}
            changed = standing.changed() => {
                if changed.is_err() { return; }
                // Only a new connection is a reason to write before it is time.
                if *standing.borrow_and_update() != Standing::Joining { continue; }
            }
        }
        if matches!(*standing.borrow_and_update(), Standing::Away(_)) {
            continue;
        }
        let (agent, health) = about();
        let own = Machine {
            machine: cluster.machine.clone(),
            process: cluster.process.clone(),
            key: cluster.keys.public_key(),
            log: cluster.log.clone(),
            since: since.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent,
            health,
        };
        let renewed = timeout(LONGEST_WRITE, renew(&cluster, &mut bucket, &own)).await;
        let now = match renewed {
            Ok(Ok(standing)) => standing,
            Ok(Err(error)) => {
                warn!(error, "can't write this machine's entry in the cluster");
                bucket = None;
                continue;
            }
            Err(_) => continue, // the connection or the bucket's leader is away
        };
        cluster.standing.send_if_modified(|standing| {
            let changes = *standing != now && !matches!(standing, Standing::Away(_));
            if changes {
                *standing = now;
            }
            changes
        });
    }
}

async fn renew(cluster: &Cluster, bucket: &mut Option<Store>, own: &Machine) -> Result<Standing, String> {
    let store = match bucket {
        Some(store) => store,
        None => {
            cluster.make_stream().await.map_err(|error| error.to_string())?;
            bucket.insert(machines(cluster).await?)
        }
    };
    let value = serde_json::to_vec(own).map(Bytes::from).map_err(|error| error.to_string())?;
    let entry = store.entry(&own.machine).await.map_err(|error| error.to_string())?;
    let entry = entry.filter(|entry| entry.operation == kv::Operation::Put);
    let Some(entry) = entry else {
        // Somebody may be faster; then the next look shows who.
        return Ok(store.create(&own.machine, value).await.map_or(Standing::Joining, |_| Standing::Member));
    };
    let holder: Machine = serde_json::from_slice(&entry.value).unwrap_or_default();
    // Who has the folder's lock knows that the process before it has ended.
    let is_ours = holder.process == own.process || holder.log == own.log;
    if !is_ours {
        return Ok(Standing::NameTaken(holder.since));
    }
    let renewed = store.update(&own.machine, value, entry.revision).await;
    Ok(renewed.map_or(Standing::Joining, |_| Standing::Member))
}

/// Gives the name away when the gateway ends.
pub async fn give_away(cluster: &Cluster) {
    if *cluster.standing.borrow() != Standing::Member {
        return;
    }
    let given = async {
        let store = machines(cluster).await.ok()?;
        let entry = store.entry(&cluster.machine).await.ok()??;
        let holder: Machine = serde_json::from_slice(&entry.value).ok()?;
        if holder.process == cluster.process {
            store.delete_expect_revision(&cluster.machine, Some(entry.revision)).await.ok()?;
        }
        Some(())
    };
    let _ = timeout(Duration::from_secs(1), given).await; // else it ends by its age
}

/// The bucket of all machines.
pub async fn machines(cluster: &Cluster) -> Result<Store, String> {
    cluster
        .bucket(kv::Config {
            bucket: MACHINES.to_owned(),
            description: "Pilothouse's machines".to_owned(),
            max_age: LEASE,
            storage: StorageType::Memory,
            ..kv::Config::default()
        })
        .await
}
