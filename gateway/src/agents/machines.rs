//! The sessions of other machines, as an agent: their rows and events come from the cluster, and calls about them go to the machine
//! that drives them.
//!
//! Reading order: [`rows`] (what the board shows, published and followed) → [`signature`] (how a call says who made it) →
//! [`asking`] (a call to another machine) → [`answering`] (a call from another machine).

pub mod answering;
pub mod asking;
pub mod rows;
pub mod signature;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::health::{Health, Report};
use crate::journal::cluster::lease::{LEASE, Machine};
use crate::journal::cluster::{Cluster, Standing, message, reader};
use crate::journal::memory::Memory;
use crate::journal::{Facts, Journal as _};
use crate::metrics::ClusterSnapshot;
use crate::rpc::Call;
use crate::sessions::Sessions;
use crate::sessions::agent::{Agent, CallFuture, Presence, RemoteSession};
use crate::sessions::machines::Machines;
use crate::sessions::session::Session;
use crate::time;

/// How long a session stays in memory after its last reader.
const UNUSED_TIME: Duration = Duration::from_mins(1);
/// How long a reader waits for the beginning of a session.
const LONGEST_START: Duration = Duration::from_secs(10);
/// How long a reader waits for events that it has seen at another gateway and that are not here yet.
const LONGEST_LAG: Duration = Duration::from_secs(5);
const LOOKS: Duration = Duration::from_secs(1);

/// The other machines of the cluster, with their sessions.
pub struct OtherMachines {
    cluster: Arc<Cluster>,
    sessions: Sessions,
    /// This gateway's.
    health: Health,
    /// The most bytes of one session's events in memory.
    largest_log: usize,
    machines: RwLock<BTreeMap<String, KnownMachine>>,
    remote: RwLock<HashMap<String, KnownSession>>,
    /// Numbers the calls of this process.
    calls: AtomicU64,
}

/// A machine, and when it was heard of.
#[derive(Debug)]
struct KnownMachine {
    about: Machine,
    /// When its entry came; none once it has given its name away.
    heard: Option<Instant>,
    /// The same for people.
    heard_at: SystemTime,
    /// What viewers of its sessions are told.
    health: Health,
    /// Whether the cluster has sessions of it.
    has_sessions: bool,
}

impl KnownMachine {
    /// A machine that was not heard of so far.
    fn new(name: &str) -> Self {
        let health = Health::default();
        health.running();
        let about = Machine { machine: name.to_owned(), ..Machine::default() };
        Self { about, heard: None, heard_at: SystemTime::now(), health, has_sessions: false }
    }

    /// Whether people see it: it drives an agent, or has done so.
    fn is_shown(&self) -> bool {
        self.about.agent.is_some() || self.has_sessions
    }
}

/// A session of another machine.
#[derive(Debug)]
struct KnownSession {
    machine: String,
    told: RemoteSession,
    backlog: watch::Sender<u64>,
    memory: Arc<Memory>,
    reading: Option<Reading>,
}

/// The task that reads a session's events.
#[derive(Debug)]
struct Reading {
    task: JoinHandle<()>,
    caught_up: watch::Receiver<bool>,
    used: Instant,
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for OtherMachines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherMachines").field("cluster", &self.cluster).finish_non_exhaustive()
    }
}

impl OtherMachines {
    /// The machines of this cluster. Their sessions are added to the list as they become known, once [`Self::run`] runs.
    pub fn new(cluster: Arc<Cluster>, sessions: Sessions, health: Health, largest_log: usize) -> Arc<Self> {
        Arc::new(Self {
            cluster,
            sessions,
            health,
            largest_log,
            machines: RwLock::default(),
            remote: RwLock::default(),
            calls: AtomicU64::new(0),
        })
    }

    /// Follows the cluster until the gateway ends.
    pub async fn run(self: Arc<Self>) {
        tokio::join!(
            rows::follow_machines(&self),
            rows::follow_sessions(&self),
            rows::publish(&self),
            answering::serve(&self),
            self.look(),
        );
    }

    /// Looks who is away, and lets go of sessions that nobody reads.
    async fn look(&self) {
        let mut looks = interval(LOOKS);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            self.health.cluster(self.cluster.problem().as_deref());
            for known in self.machines.read().unwrap_or_else(PoisonError::into_inner).values() {
                known.health.away(&known.about.machine, self.away_of(known));
            }
            let mut remote = self.remote.write().unwrap_or_else(PoisonError::into_inner);
            for (id, known) in &mut *remote {
                let is_unused = |reading: &Reading| reading.used.elapsed() > UNUSED_TIME;
                let viewers = || self.sessions.find(Some(id)).map_or(0, |session| session.viewers());
                if known.reading.as_ref().is_some_and(is_unused) && viewers() == 0 {
                    known.reading = None;
                    known.memory.restart();
                }
            }
        }
    }

    /// Since when a machine is away; none if it is there.
    fn away_of(&self, known: &KnownMachine) -> Option<SystemTime> {
        if let Standing::Away(since) = *self.cluster.standing().borrow() {
            return Some(since.min(known.heard_at + LEASE));
        }
        let is_here = known.heard.is_some_and(|heard| heard.elapsed() < LEASE);
        (!is_here).then_some(known.heard_at)
    }

    /// Since when a machine is away; none if it is there.
    fn away(&self, machine: &str) -> Option<SystemTime> {
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        machines.get(machine).and_then(|known| self.away_of(known))
    }

    /// Why a machine is not there, in words.
    fn why_away(&self, machine: &str) -> String {
        match self.away(machine) {
            Some(since) => away(machine, since),
            None => format!("there is no machine \"{machine}\" in the cluster now"),
        }
    }

    /// Nobody takes the calls of a machine, so it is away until it is heard of again.
    fn heard_nothing(&self, machine: &str) {
        if let Some(known) = self.machines.write().unwrap_or_else(PoisonError::into_inner).get_mut(machine) {
            known.heard = None;
        }
    }

    /// A machine's entry; none if it is not there.
    fn machine(&self, name: &str) -> Option<Machine> {
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        machines.get(name).filter(|known| self.away_of(known).is_none()).map(|known| known.about.clone())
    }

    /// The machine of a session; none if it is not known here.
    fn machine_of(&self, session_id: &str) -> Option<String> {
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        remote.get(session_id).map(|known| known.machine.clone())
    }

    /// A machine has told of itself, or (none) has given its name away.
    fn heard_of(&self, name: &str, about: Option<Machine>) {
        let mut machines = self.machines.write().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        let Some(about) = about else {
            if let Some(known) = machines.get_mut(name) {
                (known.heard, known.heard_at) = (None, now);
            }
            return;
        };
        let known = machines.entry(name.to_owned()).or_insert_with(|| KnownMachine::new(name));
        (known.about, known.heard, known.heard_at) = (about, Some(Instant::now()), now);
    }

    /// A machine tells of a session.
    fn told(self: &Arc<Self>, machine: &str, session_id: &str, told: RemoteSession, backlog: u64) {
        let facts =
            Facts { modified: told.row["modifiedTime"].as_str().map(str::to_owned), ..Facts::default() };
        {
            let mut machines = self.machines.write().unwrap_or_else(PoisonError::into_inner);
            let known = machines.entry(machine.to_owned()).or_insert_with(|| KnownMachine::new(machine));
            known.has_sessions = true;
        }
        let memory = {
            let mut remote = self.remote.write().unwrap_or_else(PoisonError::into_inner);
            match remote.get_mut(session_id) {
                Some(known) if known.machine == machine => {
                    known.told = told;
                    known.backlog.send_if_modified(|seen| std::mem::replace(seen, backlog) != backlog);
                    None
                }
                // Two machines over copies of one home. The one that was heard of first counts.
                Some(known) if self.machine(&known.machine).is_some() => return,
                _ if self.sessions.find(Some(session_id)).is_some_and(|session| !session.is_remote()) => {
                    return;
                }
                _ => {
                    let memory = Arc::new(Memory::new(self.largest_log));
                    let known = KnownSession {
                        machine: machine.to_owned(),
                        told,
                        backlog: watch::Sender::new(backlog),
                        memory: Arc::clone(&memory),
                        reading: None,
                    };
                    let before = remote.insert(session_id.to_owned(), known);
                    Some((memory, before.is_some()))
                }
            }
        };
        if let Some((memory, was_known)) = memory {
            if was_known {
                self.sessions.remove(session_id);
            }
            let agent = Arc::clone(self) as Arc<dyn Agent>;
            self.sessions.adopt(session_id, || Session::new(session_id, Facts::default(), agent, memory));
        }
        if let Some(session) = self.sessions.find(Some(session_id)) {
            session.merge_facts(facts);
        }
    }

    /// A session is in the cluster no more.
    fn forget(&self, machine: &str, session_id: &str) {
        let mut remote = self.remote.write().unwrap_or_else(PoisonError::into_inner);
        if remote.get(session_id).is_some_and(|known| known.machine == machine) {
            remote.remove(session_id);
            drop(remote);
            self.sessions.remove(session_id);
        }
    }

    /// Has a session's events read. Returns its journal and when it has what is there now.
    fn read(&self, session_id: &str) -> Option<(Arc<Memory>, watch::Receiver<bool>)> {
        let mut remote = self.remote.write().unwrap_or_else(PoisonError::into_inner);
        let known = remote.get_mut(session_id)?;
        let subject = message::subject(&known.machine, session_id)?;
        let memory = Arc::clone(&known.memory);
        let reading = known.reading.get_or_insert_with(|| {
            let (caught_up_sender, caught_up) = watch::channel(false);
            let task =
                reader::follow(Arc::clone(&self.cluster), subject, Arc::clone(&memory), caught_up_sender);
            Reading { task: tokio::spawn(task), caught_up, used: Instant::now() }
        });
        reading.used = Instant::now();
        Some((memory, reading.caught_up.clone()))
    }
}

/// That a machine is away, in words.
fn away(machine: &str, since: SystemTime) -> String {
    format!("the machine \"{machine}\" has not been heard of since {}", time::words(since, SystemTime::now()))
}

impl Agent for OtherMachines {
    fn call<'a>(self: Arc<Self>, session_id: &'a str, call: &'a Call) -> CallFuture<'a> {
        async move {
            let machine = self.machine_of(session_id).unwrap_or_default();
            asking::ask(&self, &machine, Some(session_id), call).await
        }
        .boxed()
    }

    /// Its own machine says who answered.
    fn add_own_event(&self, _session_id: &str, _event: String) {}

    fn presence(&self, session_id: &str) -> Presence {
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        let is_stored = remote.get(session_id).is_some_and(|known| known.told.row["stored"] == true);
        if is_stored { Presence::Stored } else { Presence::Open }
    }

    fn ready(self: Arc<Self>, session_id: &str, seen: u64) -> BoxFuture<'_, ()> {
        let reading = self.read(session_id);
        async move {
            let Some((memory, mut caught_up)) = reading else { return };
            let is_connected = !matches!(*self.cluster.standing().borrow(), Standing::Away(_));
            let longest = if is_connected { LONGEST_START } else { LONGEST_START / 10 };
            let _ = timeout(longest, caught_up.wait_for(|caught_up| *caught_up)).await; // shows what it has
            let mut grown = memory.follow();
            let _ = timeout(LONGEST_LAG, grown.wait_for(|position| position.length >= seen)).await; // as above
        }
        .boxed()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn remote(&self, session_id: &str) -> Option<RemoteSession> {
        let (machine, mut told) = {
            let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
            let known = remote.get(session_id)?;
            (known.machine.clone(), known.told.clone())
        };
        if let Some(since) = self.away(&machine) {
            told.row["away"] = time::text(since).into();
        }
        told.row["machine"] = machine.into();
        Some(told)
    }

    fn backlog(&self, session_id: &str) -> Option<watch::Receiver<u64>> {
        let remote = self.remote.read().unwrap_or_else(PoisonError::into_inner);
        remote.get(session_id).map(|known| known.backlog.subscribe())
    }

    fn health(&self) -> Option<watch::Receiver<Report>> {
        Some(self.health.follow())
    }

    fn health_of(&self, session_id: &str) -> Option<watch::Receiver<Report>> {
        let machine = self.machine_of(session_id)?;
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        machines.get(&machine).map(|known| known.health.follow())
    }
}

impl Machines for OtherMachines {
    fn name(&self) -> &str {
        &self.cluster.machine
    }

    fn list(&self) -> Value {
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<_> = machines
            .values()
            .filter(|known| known.is_shown() && known.about.machine != self.cluster.machine)
            .map(|known| {
                let Machine { machine, agent, since, .. } = &known.about;
                let agents = known.about.agents();
                let mut row = json!({"name": machine, "agent": agent, "agents": agents, "since": since});
                if let Some(away) = self.away_of(known) {
                    row["away"] = time::text(away).into();
                }
                row
            })
            .collect();
        let agents = self.sessions.agent_names();
        if let Some(first) = agents.first() {
            all.insert(
                0,
                json!({"name": self.cluster.machine, "agent": first, "agents": agents, "here": true}),
            );
        }
        all.into()
    }

    fn creating(&self) -> Vec<String> {
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        let others = machines.values().filter(|known| {
            known.about.agent.is_some()
                && known.about.machine != self.cluster.machine
                && self.away_of(known).is_none()
        });
        others.map(|known| known.about.machine.clone()).collect()
    }

    fn call<'a>(self: Arc<Self>, machine: &'a str, call: &'a Call) -> CallFuture<'a> {
        async move { asking::ask(&self, machine, None, call).await }.boxed()
    }

    fn take_counts(&self) -> ClusterSnapshot {
        let machines = self.machines.read().unwrap_or_else(PoisonError::into_inner);
        let is_other =
            |known: &&KnownMachine| known.is_shown() && known.about.machine != self.cluster.machine;
        let (away, here): (Vec<_>, Vec<_>) =
            machines.values().filter(is_other).partition(|known| self.away_of(known).is_some());
        let counts = &self.cluster.counts;
        let take = |count: &AtomicU64| count.swap(0, Ordering::Relaxed);
        ClusterSnapshot {
            late: self.cluster.late(),
            messages: take(&counts.messages),
            bytes: take(&counts.bytes),
            again: take(&counts.restarts),
            here: here.len(),
            away: away.len(),
        }
    }

    fn health(&self) -> watch::Receiver<Report> {
        self.health.follow()
    }
}

impl OtherMachines {
    fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }
}
