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
use tokio::sync::mpsc;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tracing::{error, warn};

use super::launch::{Opened, Place};
use super::output::Output;
use super::queued_commands;
use super::secrets::Secrets;
use crate::agents::copilot::connection::{Failure, RuntimeConnection};
use crate::agents::copilot::recorder::{Item, Notice, Recorder};
use crate::facts::Facts;
use crate::health::Health;
use crate::journal::lock::{self, Lock};
use crate::journal::store::Store;
use crate::rpc::{Fault, RUNTIME_DOWN};
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use pilothouse_core::protocol::EventKind;

/// How many calls to the runtime may be without an answer at a time.
const MOST_CALLS: usize = 256;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// After a connection that lasted this long, the next wait is the first one again.
const GOOD: Duration = Duration::from_mins(1);
const LONGEST_HANDSHAKE: Duration = Duration::from_secs(30);
/// A runtime that works has usually answered by then.
const USUAL_HANDSHAKE: Duration = Duration::from_secs(3);
/// How long a call waits for a runtime that is being started.
const PATIENCE: Duration = Duration::from_secs(10);
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
    pub place: Place,
    /// The folder where the runtime keeps its sessions, if no other gateway may drive a runtime over it.
    pub home: Option<PathBuf>,
    /// Where logs are kept; `None` keeps them in memory only.
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
    pub fn new(place: Place) -> Self {
        Self { place, home: None, folder: None, new: false, largest_log: 64 << 20, largest_logs: 4 << 30 }
    }
}

/// The driven runtime: its connection, its sessions and their logs. Clones share one state.
#[derive(Clone, Debug)]
pub struct Live(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sessions: Sessions,
    store: Arc<Store>,
    recorder: Recorder,
    state: watch::Sender<State>,
    calls: Arc<Semaphore>,
    health: Health,
    secrets: Secrets,
}

/// Ends everything when dropped; a runtime that the gateway started ends with it.
#[derive(Debug)]
pub struct Supervisor {
    live: Live,
    task: JoinHandle<()>,
    _home: Option<Lock>,
}

/// Why no runtime can be driven.
#[derive(Debug)]
pub enum StartError {
    /// Logs can't be kept in this folder.
    Logs(PathBuf, io::Error),
    /// The runtime's home can't be locked.
    Home(PathBuf, io::Error),
}

#[derive(Clone, Debug)]
enum State {
    Starting,
    Up(Arc<RuntimeConnection>),
    /// `tried` says that an attempt has failed since the last connection, if there ever was one.
    Down {
        reason: String,
        tried: bool,
    },
    Ending,
}

#[derive(Deserialize)]
struct List {
    sessions: Vec<Stored>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
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

impl Live {
    /// Starts. The sessions that have a log are listed when this returns.
    pub fn start(sessions: &Sessions, settings: Settings) -> Result<Supervisor, StartError> {
        let home = settings.home.as_deref().map(lock_home).transpose()?;
        let folder = settings.folder.clone();
        let failed = |reason| StartError::Logs(folder.clone().unwrap_or_else(|| "memory".into()), reason);
        let health = Health::default();
        let (due, commands) = mpsc::unbounded_channel();
        let store = Store::open(
            settings.folder.as_deref(),
            settings.largest_log,
            settings.largest_logs,
            health.clone(),
        );
        let store = Arc::new(store.map_err(&failed)?);
        for (id, facts) in store.stored().map_err(&failed)? {
            sessions.adopt(&id, || store.journal(&id)).learn(facts);
        }
        let recorder = Recorder::start(sessions.clone(), Arc::clone(&store), due).map_err(&failed)?;
        let live = Self(Arc::new(Inner {
            sessions: sessions.clone(),
            store,
            recorder,
            state: watch::Sender::new(State::Starting),
            calls: Arc::new(Semaphore::new(MOST_CALLS)),
            health,
            secrets: Secrets::of_environment(),
        }));
        sessions.drive(live.clone());
        tokio::spawn(queued_commands::serve(live.clone(), commands));
        let task = tokio::spawn(live.clone().keep(settings));
        Ok(Supervisor { live, task, _home: home })
    }

    /// The sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// The session with this id, which is added to the list if it is not there.
    pub fn adopt(&self, id: &str) -> Arc<Session> {
        self.0.sessions.adopt(id, || self.0.store.journal(id))
    }

    /// The writer of the journals.
    pub fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// The semaphore that limits the calls without an answer.
    pub fn places(&self) -> &Arc<Semaphore> {
        &self.0.calls
    }

    /// The gateway's health.
    pub fn health(&self) -> &Health {
        &self.0.health
    }

    /// The values to hide in what the runtime prints.
    pub fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// The connection; waits for one that is being made, but not once an attempt has failed.
    pub async fn connection(&self) -> Result<Arc<RuntimeConnection>, Fault> {
        let mut state = self.0.state.subscribe();
        let known = state.wait_for(|state| {
            matches!(state, State::Up(_) | State::Down { tried: true, .. } | State::Ending)
        });
        // After a timeout the caller gets the reason that is known by then.
        let _ = timeout(PATIENCE, known).await;
        let why = match &*self.0.state.borrow() {
            State::Up(connection) => return Ok(Arc::clone(connection)),
            State::Down { reason, .. } => reason.clone(),
            State::Starting => "it is being started".to_owned(),
            State::Ending => "the gateway ends".to_owned(),
        };
        Err(Fault::new(RUNTIME_DOWN, format!("the runtime is not there ({why}); nothing was sent to it")))
    }

    async fn keep(self, settings: Settings) {
        let mut wait = FIRST_WAIT;
        let mut new = settings.new;
        loop {
            let began = Instant::now();
            let output = Output::new(self.0.secrets.clone());
            let connected = self.connect(&settings.place, &output).await;
            let tried = connected.is_err();
            let reason = match connected {
                Ok((connection, child)) => self.serve(connection, child, std::mem::take(&mut new)).await,
                Err(reason) => reason,
            };
            if began.elapsed() > GOOD {
                wait = FIRST_WAIT;
            }
            if !self.move_to(State::Down { reason: reason.clone(), tried }) {
                return;
            }
            self.0.health.waiting(&reason, output.last_lines().await, tried, SystemTime::now() + wait);
            warn!(runtime = settings.place.name(), reason, "the runtime is not there");
            if !tried {
                self.tell_open(&reason);
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
            self.0.health.starting();
        }
    }

    async fn connect(
        &self,
        place: &Place,
        output: &Output,
    ) -> Result<(Arc<RuntimeConnection>, Option<Child>), String> {
        let opened = place.open().await.map_err(|error| match place {
            Place::Program { .. } => format!("it can't be started: {error}"),
            Place::Address(_) => format!("it can't be reached: {error}"),
        })?;
        let Opened { from, to, child, errors } = opened;
        if let Some(errors) = errors {
            output.follow(errors);
        }
        let connection = RuntimeConnection::open(from, to, self.0.recorder.clone(), output.clone());
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
            self.0.health.slow("it has not answered yet", output.lines());
            timeout(LONGEST_HANDSHAKE.saturating_sub(USUAL_HANDSHAKE), greeted).await
        };
        let refused = match greeted.await {
            Ok(Ok(_)) => return Ok((connection, child)),
            Ok(Err(Failure::Refused(error))) => format!("it refused the connection: {error}"),
            Ok(Err(Failure::Ended)) => return Err(self.ending(connection.ended().await, child).await),
            Err(_) => "it said nothing for 30 seconds".to_owned(),
        };
        connection.end(&refused);
        Err(refused)
    }

    /// Sets the state, unless the gateway is ending. Returns whether it goes on.
    fn move_to(&self, state: State) -> bool {
        self.0.state.send_if_modified(|now| {
            let goes_on = !matches!(now, State::Ending);
            if goes_on {
                *now = state;
            }
            goes_on
        })
    }

    /// Serves a connection until it ends. Returns the reason.
    async fn serve(&self, connection: Arc<RuntimeConnection>, child: Option<Child>, new: bool) -> String {
        if !self.move_to(State::Up(Arc::clone(&connection))) {
            connection.end("the gateway ends");
        }
        self.0.health.running();
        let work = async {
            self.refresh(&connection).await;
            self.reopen(&connection).await;
            if new && let Err(fault) = self.create(&Value::Null).await {
                error!(error = fault.message, "can't make a session");
            }
            let mut lists = connection.lists();
            while lists.changed().await.is_ok() {
                sleep(BETWEEN_LISTS).await;
                lists.mark_unchanged();
                self.refresh(&connection).await;
            }
        };
        tokio::select! {
            () = work => self.ending(connection.ended().await, child).await,
            reason = connection.ended() => self.ending(reason, child).await,
        }
    }

    /// Takes over the runtime's list of stored sessions.
    async fn refresh(&self, connection: &RuntimeConnection) {
        let Ok(result) = connection.call("session.list", "{}").await else {
            return;
        };
        let Ok(list) = serde_json::from_str::<List>(&result) else {
            return;
        };
        let sessions = &self.0.sessions;
        let mut changed = false;
        for stored in list.sessions.into_iter().filter(|stored| !stored.is_remote) {
            let text = |field: &str| stored.context[field].as_str().map(str::to_owned);
            changed |= self.adopt(&stored.session_id).learn(Facts {
                title: stored.name.or(stored.summary).filter(|title| !title.is_empty()),
                cwd: text("cwd"),
                repository: text("repository"),
                branch: text("branch"),
                start_time: stored.start_time,
                modified: stored.modified_time,
                model: None,
            });
        }
        if changed {
            sessions.touch();
        }
    }

    /// Reopens the sessions that were open over an earlier connection, and those that somebody waits for.
    async fn reopen(&self, connection: &Arc<RuntimeConnection>) {
        let open: Vec<_> =
            self.0.sessions.all().into_iter().filter(|session| session.is_missing_over(connection)).collect();
        join_all(open.iter().map(|session| self.open(session))).await;
    }

    /// The reason why the connection ended, or how the process ended if it did. A process that goes on
    /// without a connection is killed; it gets the time to end by itself only if the gateway is ending.
    async fn ending(&self, reason: String, child: Option<Child>) -> String {
        let Some(mut child) = child else {
            return reason;
        };
        let ends = matches!(*self.0.state.borrow(), State::Ending);
        match timeout(if ends { LONGEST_GOODBYE } else { LAST_WORDS }, child.wait()).await {
            Ok(Ok(status)) => format!("it ended, {status}"),
            _ => reason,
        }
    }

    fn tell_open(&self, reason: &str) {
        let open = self.0.sessions.all().into_iter().filter(|session| session.is_live_and_open());
        for session in open {
            let message = format!(
                "The connection to the runtime ended: {reason}. What ran is interrupted. It is being made again."
            );
            let notice = Notice {
                event_type: EventKind::SessionError,
                kind: "runtime_ended",
                message,
                facts: Vec::new(),
            };
            self.0.recorder.send(Item::Notice(session.id.clone(), notice));
        }
    }
}

impl Supervisor {
    /// Ends in order: the runtime saves its sessions, and the logs are on the disk.
    pub async fn stop(mut self) {
        let Live(inner) = &self.live;
        let state = inner.state.send_replace(State::Ending);
        if let State::Up(connection) = state {
            let open = inner.sessions.all().into_iter().filter(|session| session.is_live_and_open());
            let saves = open.map(|session| {
                let (connection, params) =
                    (Arc::clone(&connection), json!({"sessionId": session.id}).to_string());
                async move { connection.call("sessions.save", &params).await }
            });
            // It may be stuck, so this waits no longer.
            let _ = timeout(LONGEST_GOODBYE, join_all(saves)).await;
            connection.end("the gateway ends");
            // A runtime that we started ends by itself when its connection is closed.
            let _ = timeout(LONGEST_GOODBYE, &mut self.task).await;
        }
        self.task.abort();
        let _ = timeout(LONGEST_GOODBYE, inner.recorder.end()).await;
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.task.abort();
        if let State::Up(connection) = self.live.0.state.send_replace(State::Ending) {
            connection.end("the gateway ends");
        }
        self.live.0.recorder.send(Item::End(tokio::sync::oneshot::channel().0));
    }
}

/// Locks the runtime's home. Two runtimes over one home have the same sessions and ask the same, and what was allowed
/// in both would run twice.
fn lock_home(home: &Path) -> Result<Lock, StartError> {
    let locked = lock::create_folder(home).and_then(|()| Lock::take(&home.join(LOCK)));
    locked.map_err(|reason| StartError::Home(home.to_owned(), reason))
}
