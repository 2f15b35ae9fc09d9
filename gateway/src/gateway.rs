//! The gateway: its start and its end, and what it is made of.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::{fmt, io};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout};

use crate::access::Access;
use crate::access::limits::Capacity;
use crate::agents::acp;
use crate::agents::acp::host::Host;
use crate::agents::copilot::{self, Supervisor};
use crate::agents::machines::OtherMachines;
use crate::agents::recording;
use crate::agents::secrets::Secrets;
use crate::health::Health;
use crate::http::door::Door;
use crate::http::server;
use crate::http::state::{AppState, Sockets};
use crate::http::tls::Tls;
use crate::journal::cluster::{self, Cluster, lease};
use crate::journal::store::Store;
use crate::playback::player::Pace;
use crate::playback::recording::{Recording, make_ids_unique};
use crate::push::{self, Push};
use crate::sessions::Sessions;
use crate::sign_in_links;
use crate::telemetry::{self, Telemetry};

/// A request more costs a round trip: on mobile networks the time of 30 kB (Fast 3G) to 100 kB (20 Mbit/s). From so many bytes on
/// what a history saves is more.
pub const FAR_BEHIND: usize = 128 << 10;

/// A quarter of the connections that are taken where metrics are served alone.
const FOR_METRICS: usize = 4;

/// The most bytes in memory of a session of another machine, where this gateway drives no runtime.
const LARGEST_LOG: usize = 64 << 20;

/// How long clients may take to get what is on its way to them. With all that ends after them it is far from the 90 s that systemd waits.
const LONGEST_GOODBYE: Duration = Duration::from_secs(5);

/// How long what is late may take to be published.
const LONGEST_PUBLISHING: Duration = Duration::from_secs(2);

/// How the gateway runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// How fast recordings are played.
    pub pace: Pace,
    /// Whether they start again at their end.
    pub looped: bool,
    /// Who lacks more bytes of events than this is referred to the history, if he can read it; usually [`FAR_BEHIND`].
    pub far_behind: usize,
    /// Its certificate; none where it speaks plain http.
    pub tls: Option<Tls>,
    /// Where metrics are served without a sign-in; none where only operators get them.
    pub metrics: Option<SocketAddr>,
    /// Who is let in.
    pub access: Access,
    /// How devices are told.
    pub push: push::Settings,
    /// The cluster that it is a part of; none if it is alone.
    pub cluster: Option<cluster::Settings>,
    /// Where spans are sent; none where they are not.
    pub telemetry: Option<telemetry::Settings>,
    /// The agents that speak ACP.
    pub acp: acp::host::Settings,
}

impl Default for Settings {
    /// On a free port of this machine, with recordings as fast as they were recorded, and open to everybody here.
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            pace: Pace::Times(1.0),
            looped: false,
            far_behind: FAR_BEHIND,
            tls: None,
            metrics: None,
            access: Access::default(),
            push: push::Settings::default(),
            cluster: None,
            telemetry: None,
            acp: acp::host::Settings::default(),
        }
    }
}

/// A running gateway. Dropping it ends the playback.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    metrics_address: Option<SocketAddr>,
    stopping: watch::Sender<bool>,
    /// What serves HTTP, until the very end.
    servers: JoinSet<()>,
    /// Turns true when what was being served has ended.
    served: watch::Receiver<bool>,
    sockets: Sockets,
    /// The playback, and what follows the audit log.
    tasks: JoinSet<()>,
    supervisor: Option<Supervisor>,
    acp: Host,
    cluster: Option<Arc<Cluster>>,
    telemetry: Option<Telemetry>,
}

/// Why the gateway can't start.
#[derive(Debug)]
pub enum StartError {
    /// It can't listen on this address.
    Listen(SocketAddr, io::Error),
    /// It can't drive the runtime.
    Live(copilot::StartError),
    /// It can't be a part of the cluster.
    Cluster(cluster::StartError),
    /// It can't send spans.
    Telemetry(String),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(address, reason) => write!(
                f,
                "can't listen on {address}: {reason}. Choose another address with --listen, such as 127.0.0.1:0."
            ),
            Self::Live(reason) => reason.fmt(f),
            Self::Cluster(reason) => reason.fmt(f),
            Self::Telemetry(reason) => write!(f, "can't send spans: {reason}"),
        }
    }
}

impl std::error::Error for StartError {}

impl Gateway {
    /// Listens and begins to play. The gateway is ready when this returns.
    pub async fn start(settings: Settings, recordings: Vec<Recording>) -> Result<Self, StartError> {
        Self::start_with(settings, recordings, None).await
    }

    /// Same as [`Self::start`], with a runtime if there are settings for one.
    pub async fn start_with(
        settings: Settings,
        mut recordings: Vec<Recording>,
        live: Option<copilot::Settings>,
    ) -> Result<Self, StartError> {
        let failed = |reason| StartError::Listen(settings.listen, reason);
        settings.access.fits(settings.listen).map_err(|why| failed(io::Error::other(why)))?;
        let listener = TcpListener::bind(settings.listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;

        let metrics = match settings.metrics {
            Some(address) => {
                let failed = |reason| StartError::Listen(address, reason);
                Some(TcpListener::bind(address).await.map_err(failed)?)
            }
            None => None,
        };

        make_ids_unique(&mut recordings);
        let mut tasks = JoinSet::new();
        let mut sessions = Vec::new();
        for recording in recordings {
            let (session, player, _) = recording::open(recording, settings.pace, settings.looped);
            sessions.push(session);
            tasks.spawn(player.run());
        }

        let sessions = Sessions::new(sessions);
        let drives = live.is_some() || !settings.acp.agents.is_empty();
        let folder = match &live {
            Some(live) => live.folder.clone(),
            None => settings.acp.folder.clone().filter(|_| drives),
        };
        let health = Health::default();
        let cluster = match &settings.cluster {
            Some(cluster) => Some(
                Box::pin(Cluster::start(cluster, folder.as_deref())).await.map_err(StartError::Cluster)?,
            ),
            None => None,
        };
        let largest_log = live.as_ref().map_or(LARGEST_LOG, |live| live.largest_log);
        // All agents of this gateway write into one store.
        let store = || -> io::Result<_> {
            let largest_logs = live.as_ref().map_or(settings.acp.largest_logs, |live| live.largest_logs);
            let store = Store::open(folder.as_deref(), largest_log, largest_logs, health.clone())?;
            let store = Arc::new(store.in_cluster(cluster.clone()));
            // Without an agent nothing is driven, and another gateway may have the folder.
            let stored = store.stored()?;
            Ok((store, stored))
        };
        let logs_failed = |reason| {
            let folder = folder.clone().unwrap_or_else(|| "memory".into());
            StartError::Live(copilot::StartError::Logs(folder, reason))
        };
        let (store, stored) = store().map_err(logs_failed)?;
        let (of_runtime, of_others): (Vec<_>, Vec<_>) =
            stored.into_iter().partition(|(_, facts, _)| facts.agent.is_none());
        let has_runtime = live.is_some();
        let supervisor =
            live.map(|live| copilot::start(&sessions, live, &health, Arc::clone(&store), of_runtime));
        let supervisor = supervisor.transpose().map_err(StartError::Live)?;
        let acp = Host::start(settings.acp, &sessions, &store, of_others, &health, has_runtime)
            .map_err(logs_failed)?;
        if let Some(cluster) = &cluster {
            let agents = sessions.agent_names();
            if agents.is_empty() {
                health.running(); // there is no runtime that could be down
            }
            let about = health.follow();
            let about = move || (agents.clone(), about.borrow().json());
            tasks.spawn(lease::keep(Arc::clone(cluster), about));
            let machines =
                OtherMachines::new(Arc::clone(cluster), sessions.clone(), health.clone(), largest_log);
            sessions.set_machines(Arc::clone(&machines) as _);
            tasks.spawn(machines.run());
        }
        let telemetry = settings.telemetry.map(|telemetry| Telemetry::start(telemetry, &sessions));
        let telemetry = telemetry.transpose().map_err(StartError::Telemetry)?;
        if let Some(problem) = settings.access.audit().follow() {
            tasks.spawn(report_audit(problem, health));
        }

        let (stopping, stopped) = watch::channel(false);
        let secrets = supervisor.as_ref().map_or_else(Secrets::of_environment, Supervisor::secrets);
        let (push, follower) =
            Push::open(&settings.push, folder.as_deref(), sessions.clone(), settings.access.clone(), secrets);
        if let Some(follower) = follower {
            tasks.spawn(follower.run());
        }
        let far_behind = settings.far_behind;
        let capacity = settings.access.limits().capacity();
        let logs = folder.as_deref().map(Arc::from);
        let access = settings.access.clone();
        let phone_origin =
            sign_in_links::origin_for_phones(address, access.hosts(), settings.tls.is_some()).map(Arc::from);
        let sockets = Sockets::default();
        let state = AppState {
            sessions,
            access,
            logs,
            far_behind,
            push,
            phone_origin,
            stopping: stopped.clone(),
            sockets: sockets.clone(),
        };
        let mut servers = JoinSet::new();
        let metrics_address = metrics.as_ref().and_then(|listener| listener.local_addr().ok());
        if let Some(listener) = metrics {
            let routes = crate::http::metrics::own_routes(state.clone());
            let capacity = Capacity { streams: FOR_METRICS, ..Capacity::default() };
            let (served, _) = watch::channel(false);
            servers.spawn(server::serve(listener, routes, capacity, None, stopped.clone(), served));
        }
        let routes = crate::http::routes(state, Door::new(settings.access, address));
        let (ended, served) = watch::channel(false);
        servers.spawn(server::serve(listener, routes, capacity, settings.tls, stopped, ended));
        Ok(Self {
            address,
            metrics_address,
            stopping,
            servers,
            served,
            sockets,
            tasks,
            supervisor,
            acp,
            cluster,
            telemetry,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it serves metrics without a sign-in; none where it does not.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Ends in order: calls finish and streams are told to come again, then the runtime ends, then the spans are sent. Until the last
    /// moment whoever comes is told to come again.
    pub async fn stop(mut self) {
        self.stopping.send_replace(true);
        // A client that keeps its connection open must not keep the command from ending.
        let _ = timeout(LONGEST_GOODBYE, async {
            let _ = self.served.wait_for(|served| *served).await;
            self.sockets.closed().await;
        })
        .await;
        self.tasks.abort_all();
        self.acp.stop().await;
        if let Some(supervisor) = self.supervisor {
            supervisor.stop().await;
        }
        // After the runtime, whose end ends spans.
        if let Some(telemetry) = self.telemetry {
            telemetry.stop().await;
        }
        if let Some(cluster) = &self.cluster {
            // What is late is published by the next process.
            let _ = timeout(LONGEST_PUBLISHING, cluster.published_all()).await;
            Box::pin(lease::give_away(cluster)).await;
        }
        self.servers.shutdown().await;
    }
}

/// Reports whether the audit log can be written.
async fn report_audit(mut problem: watch::Receiver<Option<String>>, health: Health) {
    loop {
        health.audit(problem.borrow_and_update().as_deref());
        if problem.changed().await.is_err() {
            return;
        }
    }
}
