//! The lease: a machine's entry in a bucket, written again and again, which says whom to ask about its sessions. It protects
//! nothing; the log itself does.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_nats::jetstream::kv::{self, Store};
use async_nats::jetstream::stream::StorageType;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{sleep, timeout};
use tracing::warn;

use super::{Cluster, MACHINES, Standing};
use crate::time;

/// An entry that is older than this counts no more.
pub const LEASE: Duration = Duration::from_secs(10);
/// The time between two writes.
const RENEWALS: Duration = Duration::from_secs(3);
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(500);
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
    /// The agent that it drives, if it drives one; the first of them if it drives several.
    pub agent: Option<String>,
    /// All agents that it drives. A version before this does not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Its health.
    #[serde(default)]
    pub health: Value,
}

impl Machine {
    /// The agents that it drives, whatever its version says of them.
    pub fn agents(&self) -> Vec<String> {
        if self.agents.is_empty() { self.agent.iter().cloned().collect() } else { self.agents.clone() }
    }
}

/// Keeps the lease until the gateway ends. `about` says which agents are driven and how the gateway is.
pub async fn keep(cluster: Arc<Cluster>, about: impl Fn() -> (Vec<String>, Value) + Send) {
    let since = time::text(SystemTime::now());
    let mut standing = cluster.standing();
    let mut held = Held::default();
    loop {
        // Only a new connection is a reason to write before it is time.
        let joining = standing.wait_for(|standing| *standing == Standing::Joining);
        let wait = if held.failures == 0 { RENEWALS } else { BETWEEN_ATTEMPTS * held.failures.min(6) };
        let is_joining = timeout(wait, joining).await.is_ok();
        if is_joining && held.failures > 0 {
            sleep(BETWEEN_ATTEMPTS * held.failures.min(6)).await;
        }
        if matches!(*standing.borrow(), Standing::Away(_)) {
            continue;
        }
        let (agents, health) = about();
        let own = Machine {
            machine: cluster.machine.clone(),
            process: cluster.process.clone(),
            key: cluster.keys.public_key(),
            log: cluster.log.clone(),
            since: since.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            agent: agents.first().cloned(),
            agents,
            health,
        };
        let renewed = timeout(LONGEST_WRITE, held.renew(&cluster, &own)).await;
        let now = match renewed.unwrap_or_else(|_| Err("no answer".to_owned())) {
            Ok(now) => now,
            Err(error) => {
                // Nobody knows that it has lost its name, so it has it.
                warn!(error, "can't write this machine's entry in the cluster");
                (held.revision, held.failures) = (None, held.failures + 1);
                cluster.standing.send_if_modified(|standing| {
                    let is_joining = matches!(standing, Standing::Joining | Standing::NotJoined(_));
                    if is_joining {
                        *standing = Standing::NotJoined(error);
                    }
                    is_joining
                });
                continue;
            }
        };
        held.failures = 0;
        cluster.standing.send_if_modified(|standing| {
            let changes = *standing != now && !matches!(standing, Standing::Away(_));
            if changes {
                *standing = now;
            }
            changes
        });
    }
}

/// The lease as far as it is known here.
#[derive(Default)]
struct Held {
    bucket: Option<Store>,
    /// Of the entry that was written last.
    revision: Option<u64>,
    /// How many attempts have failed, one after the other.
    failures: u32,
}

impl Held {
    async fn renew(&mut self, cluster: &Cluster, own: &Machine) -> Result<Standing, String> {
        let store = if let Some(store) = &self.bucket {
            store
        } else {
            cluster.make_stream().await?;
            self.bucket.insert(machines(cluster).await?)
        };
        let value = serde_json::to_vec(own).map(Bytes::from).map_err(|error| error.to_string())?;
        if let Some(revision) = self.revision
            && let Ok(revision) = store.update(&own.machine, value.clone(), revision).await
        {
            self.revision = Some(revision);
            return Ok(Standing::Member);
        }
        // Whoever answers this may be behind. Then it can't be written, and is tried again.
        let entry = store.entry(&own.machine).await.map_err(|error| error.to_string())?;
        let written = match entry.filter(|entry| entry.operation == kv::Operation::Put) {
            None => store.create(&own.machine, value).await.map_err(|error| error.to_string()),
            Some(entry) => {
                let holder: Machine = serde_json::from_slice(&entry.value).unwrap_or_default();
                // Who has the folder's lock knows that the process before it has ended.
                if holder.process != own.process && holder.log != own.log {
                    return Ok(Standing::NameTaken(holder.since));
                }
                let updated = store.update(&own.machine, value, entry.revision).await;
                updated.map_err(|error| error.to_string())
            }
        };
        self.revision = Some(written?);
        Ok(Standing::Member)
    }
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
