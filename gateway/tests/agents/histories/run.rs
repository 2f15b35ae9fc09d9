//! Carries out a history: each step is taken when the one before has been.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use super::check::{Answered, Facts, Sent};
use super::person::{Outcome, PATIENCE, Person, outcome};
use super::steps::{Step, What};
use crate::scene::{Folder, stand_in};
use crate::stand_in::stored;

/// Between two looks at what can't be waited for.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);
const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

struct Run {
    folder: Folder,
    gateway: Option<(Child, SocketAddr)>,
    person: Option<Person>,
    session: String,
    facts: Facts,
    marks: usize,
}

/// Carries it out and returns what is to be checked.
pub async fn run(steps: &[Step]) -> Result<Facts, String> {
    let mut run = Run {
        folder: Folder::new(),
        gateway: None,
        person: None,
        session: String::new(),
        facts: Facts::default(),
        marks: 0,
    };
    run.start().await?;
    match run.call("pilothouse.create", json!({"workingDirectory": run.folder.0})).await {
        Outcome::Result(made) => made["sessionId"].as_str().unwrap_or_default().clone_into(&mut run.session),
        other => return Err(format!("no session was made: {other:?}")),
    }
    run.watch().await?;
    for step in steps {
        run.step(step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    run.end().await
}

impl Run {
    async fn start(&mut self) -> Result<(), String> {
        let agent = stand_in("mine", &self.folder);
        let command: Vec<_> = agent.command.iter().map(|word| format!("'{word}'")).collect();
        let clock = Instant::now();
        // The process before may still have the lock of the folder.
        while clock.elapsed() < PATIENCE {
            let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
                .args(["serve", "--listen", "127.0.0.1:0", "--acp", &format!("mine={}", command.join(" "))])
                .arg("--data")
                .arg(self.folder.0.join("data"))
                .envs(&agent.environment)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
                .map_err(|error| error.to_string())?;
            let mut line = String::new();
            let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
            let read = timeout(PATIENCE, out.read_line(&mut line)).await;
            read.map_err(|_| "the gateway does not start")?.map_err(|error| error.to_string())?;
            let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
            if let Some(address) = address {
                self.gateway = Some((child, address));
                return self.watch().await;
            }
        }
        Err("the gateway does not start".to_owned())
    }

    /// Another page comes, and watches the session.
    async fn watch(&mut self) -> Result<(), String> {
        let Some((_, address)) = &self.gateway else { return Ok(()) };
        let mut person = Person::open(*address).await?;
        if !self.session.is_empty() {
            let params = json!({"sessionId": self.session, "after": 0});
            let watched = person.call("pilothouse.subscribe", &params).await;
            if !matches!(watched, Outcome::Result(_)) {
                return Err(format!("the session can't be watched: {watched:?}"));
            }
        }
        self.facts.reads.push(std::sync::Arc::clone(&person.read));
        self.person = Some(person);
        Ok(())
    }

    async fn stop(&mut self, kill: bool) -> Result<(), String> {
        let Some((mut child, _)) = self.gateway.take() else { return Ok(()) };
        if kill {
            self.agent_ends_by_force();
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
        self.person = None;
        Ok(())
    }

    async fn restart(&mut self, kill: bool) -> Result<(), String> {
        self.stop(kill).await?;
        self.start().await
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

    /// What a call gives that only reads.
    async fn read(&mut self, method: &str) -> Result<Value, String> {
        let clock = Instant::now();
        loop {
            match self.call(method, json!({})).await {
                Outcome::Result(result) => return Ok(result),
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
                    self.stop(true).await?;
                    self.answered(&request, false, &outcome(answer).await);
                    self.start().await?;
                }
            }
            Step::SendAndKill => {
                let text = self.message(What::Say);
                let params = json!({"sessionId": self.session, "prompt": text});
                let Some(person) = &mut self.person else { return Ok(()) };
                let answer = person.begin("session.send", &params);
                self.stop(true).await?;
                let outcome = outcome(answer).await;
                self.facts.sent.push(Sent { text, outcome, again: 0 });
                self.start().await?;
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
            Step::Close => self.close().await?,
            Step::Elsewhere { messages } => {
                self.close().await?;
                for _ in 0..*messages {
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
            Step::Settle => self.settle().await?,
            Step::KillAgent => {
                let id = self.agent().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?));
                if let Some(id) = id.filter(|id| is_child(self.gateway.as_ref(), *id)) {
                    self.agent_ends_by_force();
                    let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL); // it may have ended
                }
            }
            Step::Restart { kill } => self.restart(*kill).await?,
        }
        Ok(())
    }

    async fn close(&mut self) -> Result<(), String> {
        match self.call("pilothouse.close", json!({})).await {
            Outcome::Result(_) => Ok(()),
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
        self.facts.log = self.log().await?;
        self.facts.backlog = self.read("pilothouse.backlog").await?;
        let rows = self.read("pilothouse.sessions").await?;
        self.facts.row = rows
            .as_array()
            .and_then(|rows| rows.iter().find(|row| row["sessionId"] == *self.session))
            .cloned()
            .unwrap_or_default();
        self.restart(false).await?;
        self.facts.log_after = self.log().await?;
        self.stop(false).await?;
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

    /// The whole log, by position.
    async fn log(&mut self) -> Result<Vec<Value>, String> {
        let read = self.call("session.eventLog.read", json!({"max": 1_000_000})).await;
        let Outcome::Result(read) = read else { return Err(format!("the log can't be read: {read:?}")) };
        let events = read["events"].as_array().cloned().unwrap_or_default();
        let newest: Option<usize> = read["cursor"].as_str().and_then(|cursor| cursor.parse().ok());
        if newest != Some(events.len()) {
            return Err(format!("positions are unused: {} events up to {}", events.len(), read["cursor"]));
        }
        Ok(events)
    }
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// Whether this process was started by the gateway, and runs: its number may be another's by now.
fn is_child(gateway: Option<&(Child, SocketAddr)>, id: rustix::process::Pid) -> bool {
    let Some((child, _)) = gateway else { return false };
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
    let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
    parent.is_some() && parent == child.id()
}

/// Ids of requests hold that of the process.
pub fn process_of(rpc_id: u64) -> u32 {
    u32::try_from(rpc_id / crate::stand_in::REQUESTS).unwrap_or_default()
}
