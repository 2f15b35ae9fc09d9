//! Carries out a history. Nothing sleeps: each step is taken when the one before has been, and what has to be waited
//! for is waited for with a deadline.

use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::agents::copilot::launch::RuntimePlace;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::player::Pace;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::checker::{Attempt, Facts, NO_RUNTIME, TOO_OFTEN, UNKNOWN_OUTCOME};
use super::client::{Client, OPERATOR, Outcome, PATIENCE, Read, VIEWER};
use super::folder::Folder;
use super::history::{Asked, Carrier, History, Meanwhile, Step, Who};
use super::runtime::{Bell, Runtime, SESSION, State};

/// Also what goes on has an end.
const LONGEST: Duration = Duration::from_mins(10);

enum Serving {
    Here(Box<Gateway>),
    Process(Box<Child>),
    Ended,
}

struct Run<'a> {
    history: &'a History,
    runtime: Runtime,
    folder: Folder,
    serving: Serving,
    address: watch::Sender<SocketAddr>,
    clients: Vec<Client>,
    attempts: Arc<Mutex<Vec<Attempt>>>,
    calls: JoinSet<()>,
    marks: usize,
    bell: Bell,
    power_cut: bool,
}

/// Carries it out and returns what is to be checked.
pub async fn run(history: &History) -> Result<Facts, String> {
    let bell: Bell = Arc::new(watch::Sender::new(0));
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
    let mut run = Run {
        history,
        runtime: Runtime::start(Arc::clone(&bell)).await,
        folder: Folder::new(),
        serving: Serving::Ended,
        address: watch::Sender::new(nowhere),
        clients: Vec::new(),
        attempts: Arc::default(),
        calls: JoinSet::new(),
        marks: 0,
        bell,
        power_cut: false,
    };
    run.start().await?;
    run.clients = history
        .clients
        .iter()
        .enumerate()
        .map(|(at, who)| run.client(format!("client {at}"), *who))
        .collect();
    run.make_session().await?;
    for step in &history.steps {
        run.step(step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    run.end().await
}

impl Run<'_> {
    fn client(&self, name: String, who: Who) -> Client {
        Client::new(name, who, self.address.subscribe(), Arc::clone(&self.bell))
    }

    /// Waits for this as long as anything happens. A loaded machine is slow, but does not stand still for a minute.
    async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<(), String> {
        let mut rung = self.bell.subscribe();
        let began = Instant::now();
        loop {
            rung.mark_unchanged();
            if is_so(self) {
                return Ok(());
            }
            let happens = timeout(PATIENCE, rung.changed()).await.is_ok();
            if !happens || began.elapsed() > LONGEST {
                return Err(format!("waited too long for {what}: {}", self.described()));
            }
        }
    }

    /// Where everybody is, for somebody who looks for what did not come.
    fn described(&self) -> String {
        let clients = self.clients.iter().map(|client| {
            let inside = client.inside();
            let last = inside.read.last().map_or(0, |(seq, _)| *seq);
            let link = if inside.is_subscribed() {
                "watches"
            } else if inside.is_connected() {
                "connects"
            } else {
                "is away"
            };
            format!("{} {link} at {last} with {} open calls", client.name, inside.unanswered)
        });
        let clients: Vec<_> = clients.collect();
        format!("the runtime {}; {}", self.runtime.described(), clients.join(", "))
    }

    async fn start(&mut self) -> Result<(), String> {
        let address = if self.history.process {
            let mut child = tokio::process::Command::new(env!("CARGO_BIN_EXE_pilothouse"))
                .args([
                    "serve",
                    &format!("--copilot={}", self.runtime.address),
                    "--listen",
                    "127.0.0.1:0",
                    "--data",
                ])
                .arg(&self.folder.0)
                .env("PILOTHOUSE_TOKEN", OPERATOR)
                .env("PILOTHOUSE_VIEWER_TOKEN", VIEWER)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn()
                .map_err(|error| error.to_string())?;
            let mut line = String::new();
            let mut out = BufReader::new(child.stdout.take().ok_or("no output")?);
            let read = timeout(PATIENCE, out.read_line(&mut line)).await;
            read.map_err(|_| "the gateway does not start")?.map_err(|error| error.to_string())?;
            self.serving = Serving::Process(Box::new(child));
            let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
            address.ok_or_else(|| format!("the gateway said {line:?}"))?
        } else {
            let access = AccessSettings {
                operator: Some(OPERATOR.to_owned()),
                viewer: Some(VIEWER.to_owned()),
                ..AccessSettings::default()
            };
            let access = Access::open(&access)?.0;
            let listen = ([127, 0, 0, 1], 0).into();
            let usual = Settings { listen, pace: Pace::Max, looped: false, access };
            let mut live = copilot::Settings::new(RuntimePlace::Address(self.runtime.address.to_string()));
            live.folder = Some(self.folder.0.clone());
            live.largest_log = self.history.largest_log.unwrap_or(live.largest_log);
            let clock = Instant::now();
            let gateway = loop {
                match Gateway::start_with(usual.clone(), Vec::new(), Some(live.clone())).await {
                    Ok(gateway) => break gateway,
                    // A process that another history is just starting still has the lock of the gateway before.
                    Err(error)
                        if clock.elapsed() < PATIENCE && error.to_string().contains("another gateway") =>
                    {
                        tokio::task::yield_now().await;
                    }
                    Err(error) => return Err(error.to_string()),
                }
            };
            let address = gateway.address();
            self.serving = Serving::Here(Box::new(gateway));
            address
        };
        self.address.send_replace(address);
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), String> {
        match std::mem::replace(&mut self.serving, Serving::Ended) {
            Serving::Here(gateway) => {
                // A runtime that does not answer is waited for, so it goes on.
                self.runtime.pause(false);
                gateway.stop().await;
            }
            Serving::Process(mut child) => child.kill().await.map_err(|error| error.to_string())?,
            Serving::Ended => {}
        }
        // What is on its way to a client that reads is read; the others get nothing more.
        for client in self.clients.iter().filter(|client| !client.is_reading()) {
            client.cut();
        }
        self.until("the ends of all connections", |run| !run.clients.iter().any(Client::is_connected)).await
    }

    async fn make_session(&mut self) -> Result<(), String> {
        // The session has no address before it is made.
        let maker = self.client("maker".to_owned(), Who { carrier: Carrier::WebSocket, viewer: false });
        let made = maker.once("pilothouse.create", json!({"sessionId": SESSION})).await;
        match made {
            Some(Outcome::Result(_)) => {}
            other => return Err(format!("no session was made: {other:?}")),
        }
        // From its first event on the session has a log, by which another gateway knows it.
        maker.connect(0);
        let made = self.until("the session's first event", |_| !maker.inside().read.is_empty()).await;
        maker.cut();
        made
    }

    fn can_answer(&self) -> bool {
        self.runtime.is_reachable() && !self.runtime.is_holding()
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Emit { what, count } => self.runtime.emit(*what, *count),
            Step::Ask { what } => self.runtime.ask(*what),
            Step::Turn => self.runtime.turn(),
            Step::Idle => self.runtime.idle(),
            Step::Connect { who, from } => {
                let known =
                    self.clients.iter().filter_map(|client| client.inside().read.last().map(|(seq, _)| *seq));
                let newest = usize::try_from(known.max().unwrap_or_default()).unwrap();
                self.clients[*who].connect(newest * from / 100);
            }
            Step::Cut { who } => self.clients[*who].cut(),
            Step::Slow { who } => self.clients[*who].reads(false),
            Step::Read { who } => self.clients[*who].reads(true),
            Step::Answer { who, back } => {
                if let Some((request, what)) = self.runtime.request(*back) {
                    for who in who {
                        self.answer(*who, &request, what, false);
                    }
                }
            }
            Step::AnswerAndCut { who, back, arrived } => {
                if let Some((request, what)) = self.runtime.request(*back) {
                    let mark = self.answer(*who, &request, what, !arrived);
                    self.cut_when_arrived(*who, *arrived, &mark).await?;
                }
            }
            Step::Send { who } => _ = self.send(*who, false),
            Step::SendAndCut { who, arrived } => {
                let mark = self.send(*who, !arrived);
                self.cut_when_arrived(*who, *arrived, &mark).await?;
            }
            Step::Enqueue { who } => {
                let mark = self.fresh(*who, "/command");
                self.call(
                    *who,
                    "session.commands.enqueue",
                    json!({"sessionId": SESSION, "command": mark}),
                    &mark,
                    false,
                );
            }
            Step::SendAgain { who } => {
                if let Some((id, text)) = self.dropped().await {
                    for who in who {
                        self.call(
                            *who,
                            "pilothouse.backlog.send",
                            json!({"sessionId": SESSION, "id": id}),
                            &text,
                            false,
                        );
                    }
                }
            }
            Step::Resume { who, cut } => {
                let mark = self.fresh(*who, "resume");
                let params = json!({"sessionId": SESSION, "reasoningEffort": "low"});
                self.call(*who, "pilothouse.resume", params, &mark, *cut);
            }
            Step::Close { who, cut } => {
                let mark = self.fresh(*who, "close");
                self.call(*who, "pilothouse.close", json!({"sessionId": SESSION}), &mark, *cut);
            }
            Step::Settle => self.settle().await?,
            Step::Pause => self.runtime.pause(true),
            Step::Continue => self.runtime.pause(false),
            Step::Hold => self.runtime.hold(),
            Step::Release => self.runtime.release(),
            Step::CutRuntime { lose } => self.runtime.cut(*lose),
            Step::KillRuntime { wrote } => self.runtime.kill(self.written(*wrote)),
            Step::Restart { meanwhile } => {
                self.stop().await?;
                match *meanwhile {
                    Meanwhile::Nothing => {}
                    Meanwhile::Emit(count) => self.runtime.emit(super::history::Kind::Tool, count),
                    Meanwhile::TornLine(bytes) => self.folder.tear(bytes),
                    Meanwhile::PowerCut(bytes) => self.cut_power(bytes),
                    Meanwhile::KillRuntime(wrote) => self.runtime.kill(self.written(wrote)),
                }
                self.start().await?;
            }
        }
        Ok(())
    }

    /// A log has at least 48 MiB of the newest events, and a runtime that is killed loses those of a moment. So one that
    /// has lost all that is left of a log is no history.
    fn written(&self, wrote: usize) -> usize {
        if self.history.largest_log.is_some() { 100 } else { wrote }
    }

    fn fresh(&mut self, who: usize, what: &str) -> String {
        self.marks += 1;
        format!("{what} {} of client {who}", self.marks)
    }

    fn answer(&mut self, who: usize, request: &str, what: Asked, cut: bool) -> String {
        let mark = self.fresh(who, "answer");
        let mut params = json!({"sessionId": SESSION, "requestId": request, "mark": mark});
        match what {
            Asked::Permission if self.marks.is_multiple_of(3) => params["result"] = json!({"kind": "reject"}),
            Asked::Permission => params["result"] = json!({"kind": "approve-once"}),
            Asked::Question => params["response"] = json!({"answer": mark, "wasFreeform": true}),
            Asked::Form => params["result"] = json!({"action": "accept", "content": {}}),
        }
        self.call(who, what.method(), params, &mark, cut);
        mark
    }

    fn send(&mut self, who: usize, cut: bool) -> String {
        let mark = self.fresh(who, "message");
        let params = json!({"sessionId": SESSION, "prompt": mark, "mode": "enqueue"});
        self.call(who, "session.send", params, &mark, cut);
        mark
    }

    fn call(&mut self, who: usize, method: &'static str, params: Value, mark: &str, cut: bool) {
        let client = &self.clients[who];
        let mut attempt = Attempt {
            viewer: client.who.viewer,
            method,
            mark: mark.to_owned(),
            params: params.clone(),
            outcome: Outcome::NotSent,
        };
        let calling = client.call(method, params, cut);
        let attempts = Arc::clone(&self.attempts);
        self.calls.spawn(async move {
            attempt.outcome = calling.await;
            attempts.lock().unwrap().push(attempt);
        });
    }

    async fn cut_when_arrived(&mut self, who: usize, arrived: bool, mark: &str) -> Result<(), String> {
        if arrived {
            if !self.clients[who].who.viewer && self.runtime.is_reachable() {
                // It arrives, or its outcome says that it does not.
                self.until("the arrival of a call", |run| {
                    let there = run.runtime.state().arrivals.iter().any(|arrival| arrival.mark == mark);
                    let over = run.attempts.lock().unwrap().iter().any(|attempt| attempt.mark == mark);
                    there || over
                })
                .await?;
            }
            self.clients[who].cut();
        }
        Ok(())
    }

    /// The oldest message that the backlog has as dropped: its id and its text.
    async fn dropped(&self) -> Option<(String, String)> {
        if !self.can_answer() {
            return None;
        }
        let asking = self.client("asking".to_owned(), Who { carrier: Carrier::Sse, viewer: false });
        let Outcome::Result(backlog) =
            asking.once("pilothouse.backlog", json!({"sessionId": SESSION})).await?
        else {
            return None;
        };
        let messages = backlog["messages"].as_array()?;
        let dropped = messages.iter().find(|message| message["state"] == "dropped")?;
        Some((dropped["id"].as_str()?.to_owned(), dropped["text"].as_str()?.to_owned()))
    }

    /// Waits until everybody has read what there is and all calls have an outcome, if the runtime can answer.
    async fn settle(&mut self) -> Result<(), String> {
        if self.runtime.is_paused() || self.runtime.is_holding() {
            return Ok(());
        }
        self.until("the outcome of all calls", |run| {
            run.clients.iter().all(|client| !client.is_reading() || client.is_answered())
        })
        .await?;
        // A session that nobody watches any more is opened by the first call.
        let asking = self.client("asking".to_owned(), Who { carrier: Carrier::Sse, viewer: false });
        let clock = Instant::now();
        loop {
            self.until("a connection to the runtime", |run| run.runtime.is_connected()).await?;
            match asking.once("session.permissions.pendingRequests", json!({"sessionId": SESSION})).await {
                Some(Outcome::Result(_)) => break,
                // The connection had just ended, or is not ready; or this is asked too often.
                Some(Outcome::Error(UNKNOWN_OUTCOME | NO_RUNTIME | TOO_OFTEN, _))
                    if clock.elapsed() < PATIENCE => {}
                other => return Err(format!("the session can't be opened: {other:?}")),
            }
        }
        let Some(mark) = self.runtime.mark() else { return Ok(()) };
        let id = self.runtime.state().emitted[mark].id.clone();
        let reads = |client: &Client| client.is_subscribed() && client.is_reading();
        self.until("everybody to read what there is", |run| {
            run.clients.iter().all(|client| !reads(client) || client.has(&id))
        })
        .await
    }

    /// What was not on the disk is gone. A client that has more of the log than there is now is to read it anew.
    fn cut_power(&mut self, bytes: usize) {
        let left = self.folder.cut(bytes);
        self.power_cut = true;
        for client in &self.clients {
            let mut inside = client.inside();
            inside.may_start_over = true;
            if inside.read.last().is_some_and(|(seq, _)| *seq > left) {
                inside.start_over();
            }
        }
    }

    async fn end(mut self) -> Result<Facts, String> {
        self.runtime.pause(false);
        self.runtime.release();
        for client in &self.clients {
            client.reads(true);
        }
        self.until("the outcome of all calls at the end", |run| run.clients.iter().all(Client::is_answered))
            .await?;
        while self.calls.join_next().await.is_some() {}
        let late = [Carrier::WebSocket, Carrier::Sse].map(|carrier| Who { carrier, viewer: true });
        let late = late.map(|who| self.client(format!("a late reader over {:?}", who.carrier), who));
        self.clients.extend(late);
        // The first connection opens the session.
        self.clients.iter().for_each(|client| client.connect(0));
        self.until("the session to be open", |run| run.runtime.is_reachable()).await?;
        self.runtime.idle();
        let mark = self.runtime.mark().ok_or("the session is gone")?;
        let id = self.runtime.state().emitted[mark].id.clone();
        self.until("everybody to read the last event", |run| {
            run.clients.iter().for_each(|client| client.connect(0));
            run.clients.iter().all(|client| client.has(&id))
        })
        .await?;
        let asking = self.client("asking".to_owned(), Who { carrier: Carrier::Sse, viewer: false });
        let clock = Instant::now();
        let backlog = loop {
            match asking.once("pilothouse.backlog", json!({"sessionId": SESSION})).await {
                // What a client sent that was cut off can still be on its way.
                Some(Outcome::Result(backlog)) if backlog.to_string().contains(r#""state":"sending""#) => {
                    if clock.elapsed() > PATIENCE {
                        break backlog;
                    }
                }
                Some(Outcome::Result(backlog)) => break backlog,
                Some(Outcome::Error(TOO_OFTEN, _)) => {}
                other => return Err(format!("no backlog: {other:?}")),
            }
        };
        let (emitted, log, arrivals, ends, queue, mut wrong) = {
            let state = self.runtime.state();
            let State { emitted, log, arrivals, ends, queue, wrong, .. } = &*state;
            (emitted.clone(), log.clone(), arrivals.clone(), *ends, queue.clone(), wrong.clone())
        };
        // Once more after a restart: what was read is on the disk.
        self.stop().await?;
        self.start().await?;
        let after =
            self.client("a reader after a restart".to_owned(), Who { carrier: Carrier::Sse, viewer: true });
        after.connect(0);
        self.clients.push(after);
        self.until("everything to be read after a restart", |run| {
            run.clients.last().is_none_or(|after| {
                after.connect(0);
                after.has(&id)
            })
        })
        .await?;
        self.stop().await?;
        let mut read = Vec::new();
        for client in &self.clients {
            let mut inside = client.inside();
            wrong.append(&mut inside.wrong);
            let first = inside.begin.unwrap_or_default();
            // A part of the last history is cut off, which the other readers do not have.
            let last = inside.read.iter().position(|(_, raw)| raw.contains(&format!(r#""id":"{id}""#)));
            let whole: Read = inside.read.iter().take(last.map_or(0, |last| last + 1)).cloned().collect();
            read.push((client.name.clone(), first, whole, std::mem::take(&mut inside.earlier)));
        }
        let attempts = self.attempts.lock().unwrap().clone();
        Ok(Facts {
            emitted,
            log,
            arrivals,
            ends,
            queue,
            wrong,
            read,
            attempts,
            backlog,
            rolls: self.history.largest_log.is_some(),
            power_cut: self.power_cut,
        })
    }
}
