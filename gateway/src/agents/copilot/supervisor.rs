//! Keeps the connection to the runtime: makes it, makes it again after its end, and reopens the sessions that
//! were open.
//!
//! After the end of a connection every open session says so (a notice of the gateway's own), and calls
//! without an answer are reported as unknown. The next attempt comes after half a second, then after twice as
//! long each time, up to half a minute. As long as there is no connection, `health` says why.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use std::{fmt, io};

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tracing::{error, warn};

use super::NAME;
use super::connection::{Failure, RuntimeConnection};
use super::launch::{RuntimePlace, RuntimeStreams};
use super::queued_commands;
use super::receive;
use super::runtime::{Runtime, State, create, open};
use crate::agents::notice::Notice;
use crate::agents::output::Output;
use crate::agents::publishing::publish_stored;
use crate::agents::recorder::{Recorder, RecorderCommand};
use crate::agents::secrets::Secrets;
use crate::health::Health;
use crate::journal::Facts;
use crate::journal::lock::{self, Lock};
use crate::journal::store::{self, Store};
use crate::sessions::Sessions;
use pilothouse_core::protocol::EventKind;

const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// After a connection that lasted this long, the next wait is the first one again.
const STABLE_RUN: Duration = Duration::from_mins(1);
const LONGEST_HANDSHAKE: Duration = Duration::from_secs(30);
/// A runtime that works has usually answered by then.
const USUAL_HANDSHAKE: Duration = Duration::from_secs(3);
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);
/// How long to wait for the end of a process whose connection has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
const BETWEEN_LISTS: Duration = Duration::from_millis(300);
/// Locked, in the runtime's home, by the gateway that drives the runtime.
const LOCK: &str = "pilothouse.lock";

/// How the runtime is driven.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub place: RuntimePlace,
    /// The folder where the runtime keeps its sessions, if no other gateway may drive a runtime over it.
    pub home: Option<PathBuf>,
    /// The folder of the logs; with `None` they are in memory only.
    pub folder: Option<PathBuf>,
    /// Whether a session is made at the start.
    pub new: bool,
    /// The most bytes of one session's log.
    pub largest_log: usize,
    /// The most bytes of all logs.
    pub largest_logs: u64,
}

impl Settings {
    /// The default settings.
    pub fn new(place: RuntimePlace) -> Self {
        Self { place, home: None, folder: None, new: false, largest_log: 64 << 20, largest_logs: 4 << 30 }
    }
}

/// Ends everything when dropped; a runtime that the gateway started ends with it.
#[derive(Debug)]
pub struct Supervisor {
    runtime: Arc<Runtime>,
    task: JoinHandle<()>,
    _home: Option<Lock>,
}

/// Why no runtime can be driven.
#[derive(Debug)]
pub enum StartError {
    /// Logs can't be stored in this folder.
    Logs(PathBuf, io::Error),
    /// The runtime's home can't be locked.
    Home(PathBuf, io::Error),
}

#[derive(Deserialize)]
struct StoredSessions {
    sessions: Vec<StoredSession>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredSession {
    session_id: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    start_time: Option<String>,
    #[serde(default)]
    modified_time: Option<String>,
    #[serde(default)]
    is_remote: bool,
    #[serde(default)]
    context: Value,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Logs(folder, reason) => {
                let folder = folder.display();
                write!(f, "can't keep logs in {folder}: {reason}. Choose another place with --data DIR.")
            }
            Self::Home(folder, reason) => write!(
                f,
                "can't drive a runtime over the sessions in {}: {reason}. Give it a home of its own with the \
                 variable COPILOT_HOME=DIR, and other logs with --data DIR.",
                folder.display()
            ),
        }
    }
}

/// Starts. The sessions that have a log are listed when this returns.
pub fn start(
    sessions: &Sessions,
    settings: Settings,
    health: &Health,
    store: Arc<Store>,
    stored: Vec<store::StoredSession>,
) -> Result<Supervisor, StartError> {
    let home = settings.home.as_deref().map(lock_home).transpose()?;
    let opened = || -> io::Result<_> {
        let (recorder, items) = Recorder::new();
        let runtime = Runtime::new(sessions.clone(), Arc::clone(&store), recorder, health.clone());
        let runtime = Arc::new(runtime);
        for (id, facts, ending) in stored {
            let session = runtime.adopt(&id).session;
            session.merge_facts(facts);
            session.show_what_waited(&ending);
        }
        let (due, commands) = mpsc::unbounded_channel();
        let adopting = Arc::clone(&runtime);
        Recorder::start(items, store, move |id| adopting.adopt(id).recorded(), due)?;
        Ok((runtime, commands))
    };
    let (runtime, commands) = opened().map_err(|reason| {
        StartError::Logs(settings.folder.clone().unwrap_or_else(|| "memory".into()), reason)
    })?;
    sessions.add_agent(NAME, Arc::clone(&runtime) as _);
    tokio::spawn(queued_commands::serve(Arc::clone(&runtime), commands));
    if let Some(cluster) = runtime.store.cluster() {
        let ids = runtime.all().into_iter().map(|handle| handle.session.id.clone()).collect();
        let (finding, recorder) = (Arc::clone(&runtime), runtime.recorder.clone());
        let find = move |id: &str| finding.find(id).map(|handle| handle.session);
        tokio::spawn(publish_stored(ids, find, recorder, Arc::clone(&runtime.store), Arc::clone(cluster)));
    }
    let task = tokio::spawn(keep_running(Arc::clone(&runtime), settings));
    Ok(Supervisor { runtime, task, _home: home })
}

async fn keep_running(runtime: Arc<Runtime>, settings: Settings) {
    let mut wait = FIRST_WAIT;
    let mut new = settings.new;
    loop {
        let began = Instant::now();
        let output = Output::new(runtime.secrets.clone());
        let connected = connect(&runtime, &settings.place, &output).await;
        let tried = connected.is_err();
        let reason = match connected {
            Ok((connection, child)) => serve(&runtime, connection, child, std::mem::take(&mut new)).await,
            Err(reason) => reason,
        };
        if began.elapsed() > STABLE_RUN {
            wait = FIRST_WAIT;
        }
        if !runtime.move_to(State::Down { reason: reason.clone(), tried }) {
            return;
        }
        runtime.health.waiting(&reason, output.last_lines().await, tried, SystemTime::now() + wait);
        warn!(runtime = settings.place.name(), reason, "the runtime is not there");
        if !tried {
            notify_open_sessions(&runtime, &reason);
        }
        sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
        runtime.health.starting();
    }
}

async fn connect(
    runtime: &Runtime,
    place: &RuntimePlace,
    output: &Output,
) -> Result<(Arc<RuntimeConnection>, Option<Child>), String> {
    let opened = place.open().await.map_err(|error| match place {
        RuntimePlace::Program { .. } => format!("it can't be started: {error}"),
        RuntimePlace::Address(_) => format!("it can't be reached: {error}"),
    })?;
    let RuntimeStreams { from, to, child, errors } = opened;
    if let Some(errors) = errors {
        output.follow(errors);
    }
    let (recorder, printed) = (runtime.recorder.clone(), output.clone());
    let connection = RuntimeConnection::open(from, to, move |connection, received| {
        receive::receive(connection, received, &recorder, &printed);
    });
    let mut greeting = json!({"supportedTaskKinds": ["agent", "client", "shell"]});
    if let Ok(token) = std::env::var("COPILOT_CONNECTION_TOKEN") {
        greeting["token"] = token.into();
    }
    let greeting = greeting.to_string();
    let greeted = async {
        let mut greeted = pin!(connection.call("connect", &greeting));
        let soon = timeout(USUAL_HANDSHAKE, &mut greeted).await;
        if soon.is_ok() {
            return soon;
        }
        runtime.health.slow("it has not answered yet", output.lines());
        timeout(LONGEST_HANDSHAKE.saturating_sub(USUAL_HANDSHAKE), greeted).await
    };
    let refused = match greeted.await {
        Ok(Ok(_)) => return Ok((connection, child)),
        Ok(Err(Failure::Refused(error))) => format!("it refused the connection: {error}"),
        Ok(Err(Failure::Ended)) => return Err(ending(runtime, connection.ended().await, child).await),
        Err(_) => "it said nothing for 30 seconds".to_owned(),
    };
    connection.end(&refused);
    Err(refused)
}

/// Serves a connection until it ends. Returns the reason.
async fn serve(
    runtime: &Arc<Runtime>,
    connection: Arc<RuntimeConnection>,
    child: Option<Child>,
    new: bool,
) -> String {
    if !runtime.move_to(State::Up(Arc::clone(&connection))) {
        connection.end("the gateway ends");
    }
    runtime.health.running();
    let work = async {
        refresh(runtime, &connection).await;
        reopen(runtime, &connection).await;
        if new && let Err(fault) = create(runtime, &Value::Null).await {
            error!(error = fault.message, "can't make a session");
        }
        let mut lists = connection.lists();
        while lists.changed().await.is_ok() {
            sleep(BETWEEN_LISTS).await;
            lists.mark_unchanged();
            refresh(runtime, &connection).await;
        }
    };
    tokio::select! {
        () = work => ending(runtime, connection.ended().await, child).await,
        reason = connection.ended() => ending(runtime, reason, child).await,
    }
}

/// Takes over the runtime's list of stored sessions.
async fn refresh(runtime: &Arc<Runtime>, connection: &RuntimeConnection) {
    let Ok(result) = connection.call("session.list", "{}").await else {
        return;
    };
    let Ok(list) = serde_json::from_str::<StoredSessions>(&result) else {
        return;
    };
    let mut changed = false;
    for stored in list.sessions.into_iter().filter(|stored| !stored.is_remote) {
        let text = |field: &str| stored.context[field].as_str().map(str::to_owned);
        changed |= runtime.adopt(&stored.session_id).session.merge_facts(Facts {
            title: stored.name.or(stored.summary).filter(|title| !title.is_empty()),
            cwd: text("cwd"),
            repository: text("repository"),
            branch: text("branch"),
            start_time: stored.start_time,
            modified: stored.modified_time,
            model: None,
            agent: None,
            agent_session: None,
        });
    }
    if changed {
        runtime.sessions.notify_changed();
    }
}

/// Reopens the sessions that were open over an earlier connection, and those that somebody waits for.
async fn reopen(runtime: &Arc<Runtime>, connection: &Arc<RuntimeConnection>) {
    let missing: Vec<_> =
        runtime.all().into_iter().filter(|handle| handle.link.is_missing_over(connection)).collect();
    join_all(missing.iter().map(|handle| open(runtime, handle))).await;
}

/// The reason why the connection ended, or how the process ended if it did. A process that goes on
/// without a connection is killed; it gets the time to end by itself only if the gateway is ending.
async fn ending(runtime: &Runtime, reason: String, child: Option<Child>) -> String {
    let Some(mut child) = child else {
        return reason;
    };
    match timeout(if runtime.is_ending() { LONGEST_GOODBYE } else { LAST_WORDS }, child.wait()).await {
        Ok(Ok(status)) => format!("it ended, {status}"),
        _ => reason,
    }
}

fn notify_open_sessions(runtime: &Runtime, reason: &str) {
    for handle in runtime.all().into_iter().filter(|handle| handle.link.is_open()) {
        let message = format!(
            "The connection to the runtime ended: {reason}. What ran is interrupted. It is being made again."
        );
        let notice =
            Notice { event_type: EventKind::SessionError, kind: "runtime_ended", message, facts: Vec::new() };
        runtime.recorder.send(RecorderCommand::OwnEvent(handle.session.id.clone(), notice.event()));
    }
}

impl Supervisor {
    /// The values that are known to be secret.
    pub fn secrets(&self) -> Secrets {
        self.runtime.secrets.clone()
    }

    /// Ends in order: the runtime saves its sessions, and the logs are on the disk.
    pub async fn stop(mut self) {
        if let State::Up(connection) = self.runtime.end() {
            let open = self.runtime.all().into_iter().filter(|handle| handle.link.is_open());
            let saves = open.map(|handle| {
                let (connection, params) =
                    (Arc::clone(&connection), json!({"sessionId": handle.session.id}).to_string());
                async move { connection.call("sessions.save", &params).await }
            });
            // It may be stuck, so this waits no longer.
            let _ = timeout(LONGEST_GOODBYE, join_all(saves)).await;
            connection.end("the gateway ends");
            // A runtime that we started ends by itself when its connection is closed.
            let _ = timeout(LONGEST_GOODBYE, &mut self.task).await;
        }
        self.task.abort();
        let _ = timeout(LONGEST_GOODBYE, self.runtime.recorder.end()).await;
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.task.abort();
        if let State::Up(connection) = self.runtime.end() {
            connection.end("the gateway ends");
        }
        self.runtime.recorder.send(RecorderCommand::End(oneshot::channel().0));
    }
}

/// Locks the runtime's home. Two runtimes over one home have the same sessions and ask the same, and what was allowed
/// in both would run twice.
fn lock_home(home: &Path) -> Result<Lock, StartError> {
    let locked = lock::create_folder(home).and_then(|()| Lock::take(&home.join(LOCK)));
    locked.map_err(|reason| StartError::Home(home.to_owned(), reason))
}
