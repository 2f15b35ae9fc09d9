//! The process of an agent: started when it is needed, shared by all of its sessions, and ended with the gateway. What it sends
//! goes to the session that it is about; what comes for a session that no answer has named yet is held.

use std::collections::HashMap;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::debug;

use super::connection::{Connection, Failure, Incoming};
use super::event::RpcError;
use super::settings::AgentSettings;
use crate::access::settings::{TOKEN_VARIABLE, VIEWER_VARIABLE};
use crate::agents::output::Output;
use crate::agents::secrets::Secrets;

const READ_AHEAD: usize = 256 << 10;
const LONGEST_START: Duration = Duration::from_mins(1);
/// How long an agent may take to end once its input is closed, and then once it is told to.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait for the end of a process whose output has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long to wait for what was printed before an answer.
const BEHIND_AN_ANSWER: Duration = Duration::from_millis(100);
/// How many messages of sessions without a name are held.
const MOST_HELD: usize = 4096;

/// A running agent.
#[derive(Debug)]
pub struct Process {
    /// The connection to it.
    pub connection: Arc<Connection>,
    /// Its number among the processes of all agents of this gateway's life, for the ids of requests.
    pub number: String,
    /// The result of `initialize`.
    pub about: Value,
    routes: Arc<Mutex<Routes>>,
    output: Output,
    /// How it ended.
    ended: watch::Receiver<Option<String>>,
    id: Option<u32>,
}

#[derive(Debug, Default)]
struct Routes {
    sessions: HashMap<String, Arc<dyn Listener>>,
    /// What came for sessions that are not known yet, in order.
    held: Vec<(String, Incoming)>,
    /// Whether it printed what is not a message.
    is_strange: bool,
}

/// What takes what an agent sends about one of its sessions. It must not wait.
pub trait Listener: std::fmt::Debug + Send + Sync {
    /// Whether what is about this id of the agent is for it: it is its own, or that of a sub-agent.
    fn owns(&self, agent_id: &str) -> bool;

    /// Takes what the process with this number sends by itself.
    fn receive(self: Arc<Self>, process: &str, incoming: Incoming);

    /// The agent takes a request back, perhaps one of this session.
    fn withdraw(self: Arc<Self>, rpc_id: &Value);
}

/// Why an agent could not be started.
#[derive(Debug)]
pub struct StartFailure {
    /// What happened, for people.
    pub message: String,
    /// The last lines of its standard error.
    pub lines: Vec<String>,
    /// Whether its program ran at all.
    pub has_run: bool,
}

impl Process {
    /// Starts the agent and greets it.
    pub async fn start(
        settings: &AgentSettings,
        number: String,
        secrets: Secrets,
    ) -> Result<Arc<Self>, StartFailure> {
        let output = Output::new(secrets);
        let mut child = spawn(settings, &output).map_err(|error| {
            let program = settings.command.first().map_or("", String::as_str);
            let message = match error.kind() {
                io::ErrorKind::NotFound => format!("there is no program {program}"),
                _ => format!("{program} can't be started: {error}"),
            };
            StartFailure { message, lines: Vec::new(), has_run: false }
        })?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            let message = "it has no standard input or output".to_owned();
            return Err(StartFailure { message, lines: Vec::new(), has_run: true });
        };
        let routes = Arc::<Mutex<Routes>>::default();
        let (listening, printed, own_number) = (Arc::clone(&routes), output.clone(), number.clone());
        let from = BufReader::with_capacity(READ_AHEAD, from);
        let connection = Connection::open(from, to, move |connection, incoming| {
            receive(&listening, connection, &own_number, &printed, incoming);
        });
        let id = child.id();
        let (ending, ended) = watch::channel(None);
        tokio::spawn(watch_over(Arc::clone(&connection), child, ending));
        let greeting = json!({
            "protocolVersion": 1,
            // Agents work on their own machine: they read and write files and run commands themselves.
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false,
                                   "elicitation": {"form": {}},
                                   // A sub-agent then has a session of its own, and what it does is seen.
                                   "subagents": {}},
            "clientInfo": {"name": "pilothouse", "title": "Pilothouse", "version": env!("CARGO_PKG_VERSION")},
        });
        let greeted = timeout(LONGEST_START, connection.call("initialize", &greeting)).await;
        let is_silent = !matches!(greeted, Ok(Ok(_) | Err(Failure::Refused(_))));
        let process =
            |about| Self { connection: Arc::clone(&connection), number, about, routes, output, ended, id };
        let (process, problem) = match greeted {
            Ok(Ok(about)) if about["protocolVersion"] == 1 => return Ok(Arc::new(process(about))),
            Ok(Ok(about)) => {
                let words = match &about["protocolVersion"] {
                    Value::Null => "it does not say which version of the protocol it speaks".to_owned(),
                    version => format!("it speaks version {version} of the protocol, not 1"),
                };
                (process(about), words)
            }
            Ok(Err(Failure::Refused(error))) => {
                (process(Value::Null), format!("it refused the start: {}", error.words()))
            }
            Ok(Err(Failure::Ended)) => {
                let process = process(Value::Null);
                let how = process.ended().await;
                (process, how)
            }
            Err(_) => (process(Value::Null), "it did not answer for a minute".to_owned()),
        };
        process.connection.end();
        let lines = process.output.last_lines().await;
        // It has said nothing else.
        let is_strange = is_silent && lock(&process.routes).is_strange;
        let message =
            if is_strange { format!("{problem}; what it printed is not the protocol") } else { problem };
        Err(StartFailure { message, lines, has_run: true })
    }

    /// What the agent can do: a value of its capabilities, by its path.
    pub fn capability(&self, path: &str) -> &Value {
        self.about["agentCapabilities"].pointer(path).unwrap_or(&Value::Null)
    }

    /// Whether it has this method of sessions: `list`, `resume`, `close` …
    pub fn has(&self, method: &str) -> bool {
        let value = &self.about["agentCapabilities"]["sessionCapabilities"][method];
        !value.is_null() && *value != false
    }

    /// Sends what is about the agent's session `id` there from now on. `first` is done before what was held.
    pub fn route(&self, id: &str, listener: &Arc<impl Listener + 'static>, first: impl FnOnce()) {
        let mut routes = lock(&self.routes);
        routes.sessions.insert(id.to_owned(), Arc::clone(listener) as _);
        first();
        let held = std::mem::take(&mut routes.held);
        let (own, held): (Vec<_>, Vec<_>) = held.into_iter().partition(|(about, _)| about == id);
        routes.held = held;
        for (_, incoming) in own {
            Arc::clone(listener).receive(&self.number, incoming);
        }
    }

    /// Sends nothing to this session any more.
    pub fn unroute(&self, id: &str) {
        lock(&self.routes).sessions.remove(id);
    }

    /// It has no sessions any more.
    pub fn unroute_all(&self) {
        let mut routes = lock(&self.routes);
        routes.held.clear();
        routes.sessions.clear();
    }

    /// Returns when it has ended, with how it did.
    pub async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(how) => how.clone().unwrap_or_default(),
            Err(_) => "it ended".to_owned(),
        }
    }

    /// The last lines of its standard error.
    pub async fn last_lines(&self) -> Vec<String> {
        self.output.last_lines().await
    }

    /// The last lines of its standard error so far. It is another pipe than that of the answers, so what was printed just before
    /// one may come after it.
    pub async fn lines(&self) -> Vec<String> {
        sleep(BEHIND_AN_ANSWER).await;
        self.output.lines()
    }

    /// Ends it: its input is closed; if that is not enough it is told to end, and then it is killed.
    pub async fn end(&self) {
        self.connection.close_input();
        if timeout(PATIENCE, self.ended()).await.is_ok() {
            return;
        }
        self.terminate();
        if timeout(PATIENCE, self.ended()).await.is_err() {
            self.connection.end(); // what watches over it kills it
            let _ = timeout(PATIENCE, self.ended()).await;
        }
    }

    fn terminate(&self) {
        if cfg!(unix) {
            signal(self.id, Signal::Term);
        } else {
            self.connection.end();
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Signal {
    Term,
    Kill,
}

/// Sends a signal to the agent and to what it started: it leads a group of its own. An error means that they have ended.
#[cfg(unix)]
fn signal(id: Option<u32>, signal: Signal) {
    let signal = match signal {
        Signal::Term => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
    };
    if let Some(id) = id.and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)) {
        let _ = rustix::process::kill_process_group(id, signal); // as above
    }
}

#[cfg(not(unix))]
fn signal(_id: Option<u32>, _signal: Signal) {}

fn lock(routes: &Mutex<Routes>) -> MutexGuard<'_, Routes> {
    routes.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(settings: &AgentSettings, output: &Output) -> io::Result<Child> {
    let (program, arguments) =
        settings.command.split_first().ok_or_else(|| io::Error::other("there is no command"))?;
    let (errors, to_errors) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(to_errors).kill_on_drop(true);
    command.envs(&settings.environment);
    if let Some(folder) = &settings.folder {
        command.current_dir(folder);
    }
    // The agent's commands could read these tokens, and answer its own requests with them.
    command.env_remove(TOKEN_VARIABLE).env_remove(VIEWER_VARIABLE);
    // Ctrl-C in the gateway's terminal must reach only the gateway, which ends the agent in order.
    #[cfg(unix)]
    command.process_group(0);
    let child = command.spawn()?;
    output.follow(errors);
    Ok(child)
}

/// Waits for the end of the process, and kills it if it goes on without its connection.
async fn watch_over(connection: Arc<Connection>, mut child: Child, ending: watch::Sender<Option<String>>) {
    let id = child.id();
    let how = tokio::select! {
        status = child.wait() => in_words(status),
        () = connection.ended() => {
            if let Ok(status) = timeout(LAST_WORDS, child.wait()).await {
                in_words(status)
            } else {
                signal(id, Signal::Kill);
                let _ = child.kill().await; // an error means that it has ended
                "it closed its output and was ended".to_owned()
            }
        }
    };
    // A wrapper such as npx may leave the agent behind, and an agent its MCP servers.
    signal(id, Signal::Term);
    // What it wrote before its end is read first, unless another program has its output.
    let _ = timeout(LAST_WORDS, connection.ended()).await;
    connection.end();
    ending.send_replace(Some(how));
}

fn in_words(status: io::Result<ExitStatus>) -> String {
    status.map_or_else(|error| format!("it ended: {error}"), |status| format!("it ended, {status}"))
}

/// Takes what the agent sends by itself.
fn receive(
    routes: &Mutex<Routes>,
    connection: &Connection,
    number: &str,
    output: &Output,
    incoming: Incoming,
) {
    let (method, params) = match &incoming {
        Incoming::Unreadable(line) => {
            lock(routes).is_strange = true;
            return output.print(line);
        }
        Incoming::Notification { method, params } | Incoming::Request { method, params, .. } => {
            (method, params)
        }
    };
    let mut routes = lock(routes);
    if method == "$/cancel_request" {
        // It does not name the session.
        let rpc_id = params["requestId"].clone();
        for session in routes.sessions.values() {
            Arc::clone(session).withdraw(&rpc_id);
        }
        return;
    }
    let Some(id) = params["sessionId"].as_str().map(str::to_owned) else {
        debug!(method, "an agent sent what is about no session");
        if let Incoming::Request { rpc_id, method, .. } = incoming {
            connection.respond(&rpc_id, Err(RpcError::not_offered(&method)));
        }
        return;
    };
    let known = routes.sessions.get(&id);
    if let Some(session) = known.or_else(|| routes.sessions.values().find(|session| session.owns(&id))) {
        return Arc::clone(session).receive(number, incoming);
    }
    if routes.held.len() < MOST_HELD {
        routes.held.push((id, incoming));
    } else if let Incoming::Request { rpc_id, method, .. } = incoming {
        connection.respond(&rpc_id, Err(RpcError::not_offered(&method)));
    }
}
