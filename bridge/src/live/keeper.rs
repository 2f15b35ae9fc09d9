//! Owns the connection to the runtime over time: it is made, made again after its end, and what
//! was open is opened again. It refuses to know methods of sessions.
//!
//! After the end of a connection every open session says so (a notice of the gateway's own), what
//! was asked and not answered is reported as unknown, and it is tried again after half a second,
//! then after twice as long each time, up to half a minute.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Child;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::disk::Logs;
use super::launch::Place;
use super::line::{Failure, Line};
use super::scribe::{Item, Notice, Scribe};
use crate::report;
use crate::rpc::{Fault, RUNTIME_DOWN};
use crate::session::{Facts, Sessions};

/// Calls to the runtime that may be without an answer at a time.
const MOST_CALLS: usize = 256;
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A connection that lasted so long was a good one: the next wait is the first again.
const GOOD: Duration = Duration::from_mins(1);
const LONGEST_HANDSHAKE: Duration = Duration::from_secs(30);
/// So long a call waits for a runtime that is being started.
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);
const BETWEEN_LISTS: Duration = Duration::from_millis(300);

/// How the runtime is driven.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where it is.
    pub place: Place,
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
    /// The usual ones.
    pub fn new(place: Place) -> Self {
        Self { place, folder: None, new: false, largest_log: 64 << 20, largest_logs: 4 << 30 }
    }
}

/// The runtime's sessions.
#[derive(Clone, Debug)]
pub struct Live(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sessions: Sessions,
    scribe: Scribe,
    state: watch::Sender<State>,
    calls: Semaphore,
}

/// Ends all of it when dropped; a runtime of ours ends with it.
#[derive(Debug)]
pub struct Keeper {
    live: Live,
    task: JoinHandle<()>,
}

#[derive(Clone, Debug)]
enum State {
    Starting,
    Up(Arc<Line>),
    Down(String),
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

impl Live {
    /// Begins. The sessions that have a log are listed when this returns.
    pub fn start(sessions: &Sessions, settings: Settings) -> std::io::Result<Keeper> {
        let logs = settings.folder.as_deref().map(Logs::open).transpose()?;
        if let Some(logs) = &logs {
            logs.prune(settings.largest_logs)?;
            for (id, written) in logs.ids()? {
                let modified = Some(crate::time::text(written));
                sessions.adopt(&id).learn(Facts { modified, ..logs.facts(&id) });
            }
        }
        let scribe = Scribe::start(sessions.clone(), logs, settings.largest_log)?;
        let live = Self(Arc::new(Inner {
            sessions: sessions.clone(),
            scribe,
            state: watch::Sender::new(State::Starting),
            calls: Semaphore::new(MOST_CALLS),
        }));
        sessions.drive(live.clone());
        let task = tokio::spawn(live.clone().keep(settings));
        Ok(Keeper { live, task })
    }

    /// The sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// Who writes the logs.
    pub fn scribe(&self) -> &Scribe {
        &self.0.scribe
    }

    /// The places for calls.
    pub fn places(&self) -> &Semaphore {
        &self.0.calls
    }

    /// The connection, once it is there.
    pub async fn line(&self) -> Result<Arc<Line>, Fault> {
        let mut state = self.0.state.subscribe();
        let up = state.wait_for(|state| matches!(state, State::Up(_) | State::Ending));
        let why = match timeout(PATIENCE, up).await {
            Ok(Ok(state)) => match &*state {
                State::Up(line) => return Ok(Arc::clone(line)),
                _ => "the gateway ends".to_owned(),
            },
            _ => match &*self.0.state.borrow() {
                State::Down(reason) => reason.clone(),
                _ => "it is being started".to_owned(),
            },
        };
        Err(Fault::new(RUNTIME_DOWN, format!("the runtime is not there ({why}); nothing was sent to it")))
    }

    async fn keep(self, settings: Settings) {
        let mut wait = FIRST_WAIT;
        let mut new = settings.new;
        loop {
            let began = Instant::now();
            let connected = self.connect(&settings.place).await;
            let was_there = connected.is_ok();
            let reason = match connected {
                Ok((line, child)) => self.serve(line, child, std::mem::take(&mut new)).await,
                Err(reason) => reason,
            };
            if !self.move_to(State::Down(reason.clone())) {
                return;
            }
            report(&format!("the runtime {}: {reason}", settings.place.name()));
            if was_there {
                self.tell_open(&reason);
            }
            if began.elapsed() > GOOD {
                wait = FIRST_WAIT;
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn connect(&self, place: &Place) -> Result<(Arc<Line>, Option<Child>), String> {
        let opened = place.open().await.map_err(|error| format!("can't be reached: {error}"))?;
        let line = Line::open(opened.from, opened.to, self.0.scribe.clone());
        let mut greeting = json!({"supportedTaskKinds": ["agent", "client", "shell"]});
        if let Ok(token) = std::env::var("COPILOT_CONNECTION_TOKEN") {
            greeting["token"] = token.into();
        }
        let refused = match timeout(LONGEST_HANDSHAKE, line.call("connect", &greeting.to_string())).await {
            Ok(Ok(_)) => return Ok((line, opened.child)),
            Ok(Err(Failure::Refused(error))) => format!("refused the connection: {error}"),
            Ok(Err(Failure::Ended)) => return Err(ending(line.ended().await, opened.child).await),
            Err(_) => "said nothing for 30 seconds".to_owned(),
        };
        line.end(&refused);
        Err(refused)
    }

    /// Says how it stands; whether the gateway goes on.
    fn move_to(&self, state: State) -> bool {
        self.0.state.send_if_modified(|now| {
            let goes_on = !matches!(now, State::Ending);
            if goes_on {
                *now = state;
            }
            goes_on
        })
    }

    /// Until the connection ends. Gives the reason.
    async fn serve(&self, line: Arc<Line>, child: Option<Child>, new: bool) -> String {
        if !self.move_to(State::Up(Arc::clone(&line))) {
            line.end("the gateway ends");
        }
        let work = async {
            self.refresh(&line).await;
            self.reopen(&line).await;
            if new && let Err(fault) = self.create(&Value::Null).await {
                report(&format!("can't make a session: {}", fault.message));
            }
            let mut lists = line.lists();
            while lists.changed().await.is_ok() {
                sleep(BETWEEN_LISTS).await;
                lists.mark_unchanged();
                self.refresh(&line).await;
            }
        };
        tokio::select! {
            () = work => ending(line.ended().await, child).await,
            reason = line.ended() => ending(reason, child).await,
        }
    }

    /// Takes over the runtime's list of what it has stored.
    async fn refresh(&self, line: &Line) {
        let Ok(result) = line.call("session.list", "{}").await else {
            return;
        };
        let Ok(list) = serde_json::from_str::<List>(&result) else {
            return;
        };
        let sessions = &self.0.sessions;
        let mut changed = false;
        for stored in list.sessions.into_iter().filter(|stored| !stored.is_remote) {
            let text = |field: &str| stored.context[field].as_str().map(str::to_owned);
            changed |= sessions.adopt(&stored.session_id).learn(Facts {
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

    /// What was open over an earlier connection is opened over this one.
    async fn reopen(&self, line: &Arc<Line>) {
        let open: Vec<_> =
            self.0.sessions.all().into_iter().filter(|session| session.is_open_elsewhere(line)).collect();
        join_all(open.iter().map(|session| self.open(session))).await;
    }

    fn tell_open(&self, reason: &str) {
        let open = self.0.sessions.all().into_iter().filter(|session| session.is_live_and_open());
        for session in open {
            let message = format!(
                "The connection to the runtime ended: {reason}. What ran is interrupted. It is being made again."
            );
            let notice = Notice { event_type: "session.error", kind: "runtime_ended", message };
            self.0.scribe.send(Item::Notice(session.id.clone(), notice));
        }
    }
}

impl Keeper {
    /// Ends in order: the runtime keeps what it has, the logs are on the disk.
    pub async fn stop(mut self) {
        let Live(inner) = &self.live;
        let state = inner.state.send_replace(State::Ending);
        if let State::Up(line) = state {
            let open = inner.sessions.all().into_iter().filter(|session| session.is_live_and_open());
            let saves = open.map(|session| {
                let (line, params) = (Arc::clone(&line), json!({"sessionId": session.id}).to_string());
                async move { line.call("sessions.save", &params).await }
            });
            // It may be stuck; what it has not written by then it can't write.
            let _ = timeout(LONGEST_GOODBYE, join_all(saves)).await;
            line.end("the gateway ends");
            // A runtime of ours ends by itself when nobody is there to talk to.
            let _ = timeout(LONGEST_GOODBYE, &mut self.task).await;
        }
        self.task.abort();
        let _ = timeout(LONGEST_GOODBYE, inner.scribe.end()).await;
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.task.abort();
        if let State::Up(line) = self.live.0.state.send_replace(State::Ending) {
            line.end("the gateway ends");
        }
        self.live.0.scribe.send(Item::End(tokio::sync::oneshot::channel().0));
    }
}

/// The connection's reason, or how the process ended where it did.
async fn ending(reason: String, child: Option<Child>) -> String {
    let Some(mut child) = child else {
        return reason;
    };
    match timeout(LONGEST_GOODBYE, child.wait()).await {
        Ok(Ok(status)) => format!("it ended, {status}"),
        _ => reason,
    }
}
