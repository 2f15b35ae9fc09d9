//! All agents that speak ACP, as one: starts and ends with the gateway.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::join_all;

use super::agent::AcpAgent;
use super::settings::AgentSettings;
use crate::health::Health;
use crate::journal::store::{Store, StoredSession};
use crate::sessions::Sessions;

/// How the agents are driven.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The agents.
    pub agents: Vec<AgentSettings>,
    /// The folder of the logs where no runtime is driven beside them; with `None` they are in memory only.
    pub folder: Option<PathBuf>,
    /// The most bytes of all logs there.
    pub largest_logs: u64,
}

impl Default for Settings {
    /// None.
    fn default() -> Self {
        Self { agents: Vec::new(), folder: None, largest_logs: 4 << 30 }
    }
}

/// The agents. Each process ends when the last of its sessions and this are dropped.
#[derive(Debug)]
pub struct Host(Vec<Arc<AcpAgent>>);

impl Drop for Host {
    fn drop(&mut self) {
        self.0.iter().for_each(|agent| agent.abandon());
    }
}

impl Host {
    /// Starts no process yet. Of the stored sessions each goes to its agent; of those whose agent is not named now the log is shown.
    pub fn start(
        settings: Settings,
        sessions: &Sessions,
        store: &Arc<Store>,
        stored: Vec<StoredSession>,
        health: &Health,
        has_runtime: bool,
    ) -> io::Result<Self> {
        let mut by_agent = BTreeMap::<String, Vec<StoredSession>>::new();
        for session in stored {
            by_agent.entry(session.1.agent.clone().unwrap_or_default()).or_default().push(session);
        }
        if !has_runtime && !settings.agents.is_empty() {
            health.running(); // there is no runtime that could be down
        }
        let health = || {
            // A session of an agent is not told that the runtime is away.
            let of_sessions = if has_runtime { Health::default() } else { health.clone() };
            of_sessions.running();
            (health.clone(), of_sessions)
        };
        let mut agents = Vec::new();
        for settings in settings.agents {
            let name = settings.name.clone();
            let stored = by_agent.remove(&name).unwrap_or_default();
            let agent = AcpAgent::new(settings, sessions, store, stored, health())?;
            sessions.add_agent(&name, Arc::clone(&agent) as _);
            agents.push(agent);
        }
        for (name, stored) in by_agent {
            let settings = AgentSettings { name, ..AgentSettings::default() };
            agents.push(AcpAgent::new(settings, sessions, store, stored, health())?);
        }
        Ok(Self(agents))
    }

    /// Ends all of them, in order.
    pub async fn stop(&self) {
        join_all(self.0.iter().map(|agent| agent.stop())).await;
    }
}
