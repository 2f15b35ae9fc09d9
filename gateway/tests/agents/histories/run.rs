//! Carries out a history: each step is taken when the one before has been.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::check::{self, Answered, Facts, Sent};
use super::cluster::{Cluster, NAMES};
use super::person::{Outcome, Person, Read, outcome};
use super::steps::{Step, What};
use crate::scene::{Folder, stand_in};
use crate::seeds::say;
use crate::stand_in::stored;
use crate::waiting::{PATIENCE, try_poll};

/// Between two looks at what can't be waited for.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

/// The gateway that drives the agent, and the one that has none.
const DRIVER: usize = 0;
const OTHER: usize = 1;

/// A running gateway.
type Running = (Child, SocketAddr);

struct Run {
    folder: Folder,
    gateways: [Option<Running>; 2],
    /// If there is one, there are two gateways.
    cluster: Option<Cluster>,
    /// The gateway at which the person is.
    at: usize,
    person: Option<Person>,
    session: String,
    facts: Facts,
    marks: usize,
}

/// Carries it out at one gateway, or in a cluster, and returns what is to be checked.
pub async fn run(steps: &[Step], in_cluster: bool) -> Result<Facts, String> {
    let cluster = if in_cluster { Some(Cluster::start().await) } else { None };
    let mut run = Run {
        folder: Folder::new(),
        gateways: [None, None],
        cluster,
        at: DRIVER,
        person: None,
        session: String::new(),
        facts: Facts::default(),
        marks: 0,
    };
    run.start(DRIVER).await?;
    if in_cluster {
        run.start(OTHER).await?;
    }
    match run.call("pilothouse.create", json!({"workingDirectory": run.folder.0})).await {
        Outcome::Result(made) => made["sessionId"].as_str().unwrap_or_default().clone_into(&mut run.session),
        other => return Err(format!("no session was made: {other:?}")),
    }
    run.be_known().await?;
    run.watch().await?;
    let began = Instant::now();
    for step in steps {
        if std::env::var_os("STEPS").is_some() {
            say(&format!("{:7.1} {step:?}", began.elapsed().as_secs_f64()));
        }
        run.step(step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    run.end().await
}

impl Run {
    async fn start(&mut self, gateway: usize) -> Result<(), String> {
        let agent = stand_in("mine", &self.folder);
        let words: Vec<_> = agent.command.iter().map(|word| format!("'{word}'")).collect();
        let clock = Instant::now();
        // The process before may still have the lock of the folder.
        while clock.elapsed() < PATIENCE {
            let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"));
            command.args(["serve", "--listen", "127.0.0.1:0"]);
            if let Some(cluster) = &self.cluster {
                command.args(cluster.arguments(gateway));
            }
            if gateway == DRIVER {
                command.args(["--acp", &format!("mine={}", words.join(" "))]).envs(&agent.environment);
                command.arg("--data").arg(self.folder.0.join("data"));
            }
            let mut child = command
                .stdout(Stdio::piped())
                .stderr(if std::env::var_os("STEPS").is_some() { Stdio::inherit() } else { Stdio::null() })
                .kill_on_drop(true)
                .spawn()
                .map_err(|error| error.to_string())?;
            let mut line = String::new();
            let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
            let read = timeout(PATIENCE, out.read_line(&mut line)).await;
            read.map_err(|_| "the gateway does not start")?.map_err(|error| error.to_string())?;
            let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
            if let Some(address) = address {
                self.gateways[gateway] = Some((child, address));
                self.be_known().await?;
                return if gateway == self.at { self.watch().await } else { Ok(()) };
            }
        }
        Err("the gateway does not start".to_owned())
    }

    fn is_faulty(&self) -> bool {
        self.cluster.as_ref().is_some_and(|cluster| cluster.faulty)
    }

    /// Waits until each gateway of a cluster knows the session, and reaches its machine. With a fault that may never come.
    async fn be_known(&self) -> Result<(), String> {
        if self.cluster.is_none() || self.is_faulty() || self.session.is_empty() {
            return Ok(());
        }
        for (number, gateway) in self.gateways.iter().enumerate() {
            let Some((_, address)) = gateway else { continue };
            try_poll(&format!("the session at {}", NAMES[number]), async || {
                let mut person = Person::open(*address).await.ok()?;
                let session = json!({"sessionId": self.session});
                let busy = person.call("session.metadata.isProcessing", &session).await;
                matches!(busy, Outcome::Result(_)).then_some(())
            })
            .await?;
        }
        Ok(())
    }

    /// Another page comes, and watches the session. With a fault it may see nothing.
    async fn watch(&mut self) -> Result<(), String> {
        self.person = None;
        let Some((_, address)) = &self.gateways[self.at] else { return Ok(()) };
        let mut person = Person::open(*address).await?;
        if !self.session.is_empty() {
            let params = json!({"sessionId": self.session, "after": 0});
            let watched = person.call("pilothouse.subscribe", &params).await;
            if !matches!(watched, Outcome::Result(_)) && !self.is_faulty() {
                return Err(format!("the session can't be watched: {watched:?}"));
            }
        }
        self.facts.reads.push(std::sync::Arc::clone(&person.read));
        self.person = Some(person);
        Ok(())
    }

    async fn stop(&mut self, gateway: usize, kill: bool) -> Result<(), String> {
        let Some((mut child, _)) = self.gateways[gateway].take() else { return Ok(()) };
        if kill {
            if gateway == DRIVER {
                self.agent_ends_by_force();
            }
            child.kill().await.map_err(|error| error.to_string())?;
        } else {
            let id =
                child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
            let id = id.ok_or("the gateway has ended by itself")?;
            rustix::process::kill_process(id, rustix::process::Signal::TERM)
                .map_err(|error| error.to_string())?;
            timeout(PATIENCE, child.wait())
                .await
                .map_err(|_| "the gateway does not end")?
                .map_err(|error| error.to_string())?;
        }
        if gateway == self.at {
            self.person = None;
        }
        Ok(())
    }

    async fn restart(&mut self, gateway: usize, kill: bool) -> Result<(), String> {
        self.stop(gateway, kill).await?;
        self.start(gateway).await
    }

    /// The process of the agent, if it was started.
    fn agent(&self) -> Option<u32> {
        let started = stored(&self.folder.0.join("started.json"));
        started["process"].as_u64().and_then(|id| u32::try_from(id).ok())
    }

    /// What it was told at last may not have reached it.
    fn agent_ends_by_force(&mut self) {
        self.facts.killed.extend(self.agent());
    }

    async fn call(&mut self, method: &str, mut params: Value) -> Outcome {
        if !self.session.is_empty() {
            params["sessionId"] = self.session.as_str().into();
        }
        match &mut self.person {
            Some(person) => person.call(method, &params).await,
            None => Outcome::Unknown,
        }
    }

    /// What a call gives that only reads; null if there is a fault and it gives nothing.
    async fn read(&mut self, method: &str) -> Result<Value, String> {
        let clock = Instant::now();
        loop {
            match self.call(method, json!({})).await {
                Outcome::Result(result) => return Ok(result),
                _ if self.is_faulty() => return Ok(Value::Null),
                // It is asked too often.
                Outcome::Refused(_) if clock.elapsed() < PATIENCE => sleep(BETWEEN_LOOKS * 10).await,
                other => return Err(format!("{method}: {other:?}")),
            }
        }
    }

    fn message(&mut self, what: What) -> String {
        self.marks += 1;
        format!("{} {}", what.word(), self.marks)
    }

    async fn send(&mut self, what: What, immediate: bool) {
        let text = self.message(what);
        let mode = if immediate { "immediate" } else { "enqueue" };
        let outcome = self.call("session.send", json!({"prompt": text, "mode": mode})).await;
        self.facts.sent.push(Sent { text, outcome, again: 0 });
    }

    /// The open request, as the gateway lists it.
    async fn open_request(&mut self) -> Result<Option<String>, String> {
        let open = self.read("session.permissions.pendingRequests").await?;
        Ok(open["items"][0]["requestId"].as_str().map(str::to_owned))
    }

    fn answer(&self, request: &str, reject: bool) -> Value {
        let kind = if reject { "reject" } else { "approve-once" };
        json!({"sessionId": self.session, "requestId": request, "result": {"kind": kind}})
    }

    fn answered(&mut self, request: &str, reject: bool, outcome: &Outcome) {
        let counts = match outcome {
            Outcome::Result(result) => result["success"].as_bool(),
            Outcome::Refused(_) => Some(false),
            Outcome::Unknown => None,
        };
        let option = if reject { "no" } else { "once" };
        self.facts.answers.push(Answered { request: request.to_owned(), option, counts });
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Send { what, immediate } => self.send(*what, *immediate).await,
            Step::Answer { reject } => {
                if let Some(request) = self.open_request().await? {
                    let params = self.answer(&request, *reject);
                    let outcome = self.call(PERMISSION, params).await;
                    self.answered(&request, *reject, &outcome);
                }
            }
            Step::AnswerTwice => {
                if let Some(request) = self.open_request().await? {
                    let [allow, reject] = [false, true].map(|reject| self.answer(&request, reject));
                    let Some(person) = &mut self.person else { return Ok(()) };
                    let (first, second) =
                        (person.begin(PERMISSION, &allow), person.begin(PERMISSION, &reject));
                    let (first, second) = (outcome(first).await, outcome(second).await);
                    self.answered(&request, false, &first);
                    self.answered(&request, true, &second);
                }
            }
            Step::AnswerAndKill => {
                if let Some(request) = self.open_request().await? {
                    let params = self.answer(&request, false);
                    let Some(person) = &mut self.person else { return Ok(()) };
                    let answer = person.begin(PERMISSION, &params);
                    self.stop(DRIVER, true).await?;
                    self.answered(&request, false, &outcome(answer).await);
                    self.start(DRIVER).await?;
                }
            }
            Step::SendAndKill => {
                let text = self.message(What::Say);
                let params = json!({"sessionId": self.session, "prompt": text});
                let Some(person) = &mut self.person else { return Ok(()) };
                let answer = person.begin("session.send", &params);
                self.stop(DRIVER, true).await?;
                let outcome = outcome(answer).await;
                self.facts.sent.push(Sent { text, outcome, again: 0 });
                self.start(DRIVER).await?;
            }
            Step::Stop => _ = self.call("session.abort", json!({})).await,
            Step::SendAgain => {
                let backlog = self.read("pilothouse.backlog").await?;
                let messages = backlog["messages"].as_array().cloned().unwrap_or_default();
                if let Some(message) = messages.iter().find(|message| message["state"] == "dropped") {
                    let text = message["text"].as_str().unwrap_or_default().to_owned();
                    let again = self.call("pilothouse.backlog.send", json!({"id": message["id"]})).await;
                    let may_arrive = !matches!(again, Outcome::Refused(_));
                    let sent = self.facts.sent.iter_mut().find(|sent| sent.text == text);
                    sent.ok_or_else(|| format!("{text:?} is offered and was never sent"))?.again +=
                        usize::from(may_arrive);
                }
            }
            Step::Close => _ = self.close().await?,
            Step::Elsewhere { messages } => {
                let is_closed = self.close().await?;
                for _ in 0..if is_closed { *messages } else { 0 } {
                    let text = self.message(What::Say);
                    let session = self.session.clone();
                    self.folder.change_sessions(|all| {
                        if let Some(said) = all[&session]["said"].as_array_mut() {
                            said.push(text.as_str().into());
                        }
                    });
                    self.facts.elsewhere.push(text);
                }
            }
            Step::Reconnect => self.watch().await?,
            Step::Settle => {
                if !self.is_faulty() {
                    self.settle().await?;
                }
            }
            Step::KillAgent => {
                let id = self.agent().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
                if let Some(id) = id.filter(|id| is_child(self.gateways[DRIVER].as_ref(), *id)) {
                    self.agent_ends_by_force();
                    let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL); // it may have ended
                }
            }
            Step::Restart { kill } => self.restart(DRIVER, *kill).await?,
            Step::RestartOther { kill } => {
                if self.cluster.is_some() {
                    self.restart(OTHER, *kill).await?;
                }
            }
            Step::Move => {
                self.at = if self.cluster.is_some() { 1 - self.at } else { self.at };
                self.watch().await?;
            }
            Step::Disturb(fault) => {
                if let Some(cluster) = &mut self.cluster {
                    cluster.disturb(*fault).await;
                }
            }
            Step::Mend => self.mend().await?,
        }
        Ok(())
    }

    async fn mend(&mut self) -> Result<(), String> {
        if let Some(cluster) = &mut self.cluster {
            cluster.mend().await;
            self.be_known().await?;
            self.watch().await?;
        }
        Ok(())
    }

    /// Whether the session is closed. With a fault nobody may know.
    async fn close(&mut self) -> Result<bool, String> {
        match self.call("pilothouse.close", json!({})).await {
            Outcome::Result(_) => Ok(true),
            _ if self.is_faulty() => Ok(false),
            other => Err(format!("it can't be closed: {other:?}")),
        }
    }

    /// Waits until nothing runs and nobody is asked.
    async fn settle(&mut self) -> Result<(), String> {
        let clock = Instant::now();
        while clock.elapsed() < PATIENCE {
            if let Some(request) = self.open_request().await? {
                let params = self.answer(&request, false);
                let outcome = self.call(PERMISSION, params).await;
                self.answered(&request, false, &outcome);
                continue;
            }
            let is_busy = self.read("session.metadata.isProcessing").await?["processing"] == true;
            let queue = self.read("session.queue.pendingItems").await?["items"].clone();
            if !is_busy && queue == json!([]) {
                return Ok(());
            }
            let said = stored(&self.folder.0.join("sessions.json"))[&self.session]["said"].clone();
            let waits = said
                .as_array()
                .and_then(|said| said.last())
                .is_some_and(|text| text.as_str().unwrap_or_default().starts_with("wait"));
            if is_busy && waits {
                self.call("session.abort", json!({})).await;
            }
            sleep(BETWEEN_LOOKS).await;
        }
        Err("it does not come to its end".to_owned())
    }

    async fn end(mut self) -> Result<Facts, String> {
        self.mend().await?;
        // The last message opens the session, and is carried out.
        let clock = Instant::now();
        loop {
            self.settle().await?;
            self.send(What::Say, false).await;
            self.settle().await?;
            let last = self.facts.sent.last().map(|sent| (sent.text.clone(), sent.outcome.clone()));
            let said = stored(&self.folder.0.join("sessions.json"))[&self.session]["said"].clone();
            if matches!(&last, Some((text, Outcome::Result(_))) if said.as_array().is_some_and(|said| said.iter().any(|one| one == text)))
            {
                break;
            }
            if clock.elapsed() > PATIENCE {
                return Err(format!("the last message is not carried out: {last:?}"));
            }
            sleep(BETWEEN_LOOKS).await;
        }
        self.facts.log = self.log(DRIVER).await?;
        if self.cluster.is_some() {
            self.facts.log_elsewhere = Some(self.log(OTHER).await?);
        }
        self.facts.backlog = self.read("pilothouse.backlog").await?;
        self.facts.row = self.row_at_rest().await?;
        self.restart(DRIVER, false).await?;
        self.facts.log_after = self.log(DRIVER).await?;
        self.stop(DRIVER, false).await?;
        let session = stored(&self.folder.0.join("sessions.json"))[&self.session].clone();
        self.facts.remembered = texts(&session["said"]);
        for call in self.folder.calls() {
            if call["method"] == "session/prompt" {
                self.facts
                    .prompts
                    .push(call["params"]["prompt"][0]["text"].as_str().unwrap_or_default().to_owned());
            } else if call["method"].is_null()
                && let (Some(id), Some(option)) =
                    (call["id"].as_u64(), call["result"]["outcome"]["optionId"].as_str())
            {
                self.facts.arrived.push((id, option.to_owned()));
            }
        }
        Ok(self.facts)
    }

    /// The session's row, once it is at rest: other gateways have rows a moment later. Else the last one.
    async fn row_at_rest(&mut self) -> Result<Value, String> {
        let clock = Instant::now();
        loop {
            let rows = self.read("pilothouse.sessions").await?;
            let of_session = |row: &&Value| row["sessionId"] == *self.session;
            let row = rows.as_array().into_iter().flatten().find(of_session).cloned().unwrap_or_default();
            if check::is_at_rest(&row) || self.cluster.is_none() || clock.elapsed() > PATIENCE {
                return Ok(row);
            }
            sleep(BETWEEN_LOOKS * 10).await;
        }
    }

    /// The whole log, as somebody reads it who comes late to this gateway.
    async fn log(&self, gateway: usize) -> Result<Read, String> {
        let (_, address) = self.gateways[gateway].as_ref().ok_or("no gateway")?;
        let session = json!({"sessionId": self.session, "max": 1_000_000});
        let driver = self.gateways[DRIVER].as_ref().map(|(_, address)| *address).ok_or("no gateway")?;
        let newest = match Person::open(driver).await?.call("session.eventLog.read", &session).await {
            Outcome::Result(read) => read["cursor"].as_str().and_then(|cursor| cursor.parse::<u64>().ok()),
            other => return Err(format!("the log can't be read: {other:?}")),
        };
        let mut late = Person::open(*address).await?;
        let watched =
            late.call("pilothouse.subscribe", &json!({"sessionId": self.session, "after": 0})).await;
        if !matches!(watched, Outcome::Result(_)) {
            return Err(format!("the session can't be watched by who comes late: {watched:?}"));
        }
        try_poll(&format!("the whole log at {}", NAMES[gateway]), async || {
            let read = late.read.lock().unwrap();
            (read.last().map(|(seq, _)| *seq) >= newest).then(|| read.clone())
        })
        .await
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Whether this process was started by the gateway, and runs: its number may be another's by now.
fn is_child(gateway: Option<&Running>, id: rustix::process::Pid) -> bool {
    let Some((child, _)) = gateway else { return false };
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
    let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
    parent.is_some() && parent == child.id()
}

/// Ids of requests hold that of the process.
pub fn process_of(rpc_id: u64) -> u32 {
    u32::try_from(rpc_id / crate::stand_in::REQUESTS).unwrap_or_default()
}
