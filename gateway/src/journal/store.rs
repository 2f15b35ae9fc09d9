//! Where the journals of an agent's sessions are kept: the one place that decides it.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::cluster::Cluster;
use super::files::{Files, Logs};
use super::memory::Memory;
use super::{Facts, Journal};
use crate::health::Health;
use crate::private_file::PrivateFile;
use crate::time;

/// A stored session: its id, what is known of it, and the events at the end of its log, if a request may be open there.
pub type StoredSession = (String, Facts, Vec<Arc<str>>);

/// Makes the journals.
#[derive(Debug)]
pub struct Store {
    /// The folder of the logs; none if journals are in memory only.
    logs: Option<Arc<Logs>>,
    /// The most bytes of one journal.
    largest: usize,
    health: Health,
    cluster: Option<Arc<Cluster>>,
    /// How many write journals.
    writers: AtomicUsize,
}

impl Store {
    /// Opens the logs in this folder, where there is one. Deletes the oldest, if all have more bytes than `largest_logs`.
    pub fn open(
        folder: Option<&Path>,
        largest: usize,
        largest_logs: u64,
        health: Health,
    ) -> io::Result<Self> {
        let logs = folder.map(Logs::open).transpose()?;
        if let Some(logs) = &logs {
            logs.prune(largest_logs)?;
        }
        Ok(Self { logs: logs.map(Arc::new), largest, health, cluster: None, writers: AtomicUsize::new(0) })
    }

    /// The same, with what is stored published in this cluster.
    #[must_use]
    pub fn in_cluster(self, cluster: Option<Arc<Cluster>>) -> Self {
        Self { cluster, ..self }
    }

    /// The cluster in which the sessions are published.
    pub fn cluster(&self) -> Option<&Arc<Cluster>> {
        self.cluster.as_ref()
    }

    /// Whether nothing of this session has to go to the cluster now.
    pub fn is_published(&self, session_id: &str) -> bool {
        self.cluster.as_ref().is_none_or(|cluster| cluster.is_done_with(session_id))
    }

    /// The journal of this session. A log that can't be written is reported to the gateway's health.
    pub fn journal(&self, session_id: &str) -> Arc<dyn Journal> {
        let memory = Memory::new(self.largest);
        match &self.logs {
            Some(logs) => Arc::new(Files::new(session_id, memory, Arc::clone(logs), self.health.clone())),
            None => Arc::new(memory),
        }
    }

    /// The sessions that are stored. No log is read whole.
    pub fn stored(&self) -> io::Result<Vec<StoredSession>> {
        let Some(logs) = &self.logs else { return Ok(Vec::new()) };
        let stored = logs.ids()?.into_iter().map(|(id, written)| {
            let facts = Facts { modified: Some(time::text(written)), ..logs.facts(&id) };
            let ending = logs.ending(&id);
            (id, facts, ending)
        });
        Ok(stored.collect())
    }

    /// The file with what an agent said about itself, beside the logs; none if journals are in memory only.
    pub fn about_agent(&self, agent: &str) -> Option<PrivateFile> {
        let logs = self.logs.as_ref()?;
        Some(PrivateFile::new(logs.beside(&format!("agent-{agent}.json"))))
    }

    /// One more writes journals.
    pub fn begin_writing(&self) {
        self.writers.fetch_add(1, Ordering::AcqRel);
    }

    /// One of those who write journals has ended. After the last of them another gateway may use the folder.
    pub fn end_writing(&self) {
        if self.writers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close();
        }
    }

    /// Lets another gateway use the folder.
    pub fn close(&self) {
        if let Some(logs) = &self.logs {
            logs.close();
        }
    }
}
