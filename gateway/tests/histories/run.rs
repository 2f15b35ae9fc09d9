//! Carries out a history. Nothing sleeps: each step is taken when the one before has been, and what has to be waited
//! for is waited for with a deadline.

use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::agents::copilot::launch::RuntimePlace;
use pilothouse_gateway::gateway::{Gateway, Settings};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::timeout;

use super::checker::{Facts, Read, Seen};
use super::folder::{Folder, SESSION};
use super::history::{Asked, Carrier, History, Meanwhile, Step, Who};
use super::network::{PATIENCE, call_once};
use super::pages::{Card, OPERATOR, Pages, VIEWER};
use super::runtime::{Bell, Runtime, State};

/// Also what goes on has an end.
const LONGEST: Duration = Duration::from_mins(10);
/// How many times a page asks again what became of things, with a minute between.
const ROUNDS: usize = 4;
const MINUTE_MS: u64 = 61_000;
/// Why a session that is there can't be asked just now.
const AGAIN: [ErrorReason; 3] = [ErrorReason::UnknownOutcome, ErrorReason::RuntimeDown, ErrorReason::TooFast];

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
    pages: Pages,
    marks: usize,
    bell: Bell,
    power_cut: bool,
}

/// Carries it out and returns what is to be checked.
pub async fn run(history: &History) -> Result<Facts, String> {
    let bell: Bell = Arc::new(watch::Sender::new(0));
    let mut run = Run {
        history,
        runtime: Runtime::start(Arc::clone(&bell), SESSION).await,
        folder: Folder::new(),
        serving: Serving::Ended,
        pages: Pages::new(&bell, SESSION, 1),
        marks: 0,
        bell,
        power_cut: false,
    };
    run.start().await?;
    run.make_session().await?;
    for (at, who) in history.cards.iter().enumerate() {
        // What comes after the first three is on the page of the first, if it may do as much.
        let page = (at > 2 && !who.viewer).then_some(0);
        run.pages.add(format!("card {at}"), *who, page);
    }
    for step in &history.steps {
        run.step(step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    run.end().await
}

impl Run<'_> {
    /// Waits for this as long as anything happens. A loaded machine is slow, but does not stand still for a minute.
    async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<(), String> {
        let mut rung = self.bell.subscribe();
        let began = Instant::now();
        loop {
            rung.mark_unchanged();
            // After that it may never come.
            if let Some(wrong) = self.pages.state().first_wrong() {
                return Err(wrong);
            }
            if is_so(self) {
                return Ok(());
            }
            let happens = timeout(PATIENCE, rung.changed()).await.is_ok();
            if !happens || began.elapsed() > LONGEST {
                return Err(format!("waited too long for {what}: {}", self.described()));
            }
        }
    }

    fn all(&self, is_so: impl Fn(&Card) -> bool) -> bool {
        self.pages.state().cards.iter().all(is_so)
    }

    fn card<T>(&self, who: usize, look: impl FnOnce(&Card) -> T) -> T {
        look(&self.pages.state().cards[who])
    }

    /// Where everybody is, for somebody who looks for what did not come.
    fn described(&self) -> String {
        let pages = self.pages.state();
        let cards = pages.cards.iter().enumerate().map(|(at, card)| {
            let open = pages.attempts.iter().filter(|one| one.card == at && one.outcome.is_none()).count();
            format!("{} is {} at {} with {open} open calls", card.name, card.word(), card.position())
        });
        let cards: Vec<_> = cards.collect();
        format!("the runtime {}; {}", self.runtime.described(), cards.join(", "))
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
            let usual = Settings { far_behind: 1 << 10, access, ..Settings::default() };
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
        self.pages.set_gateway(0, Some(address));
        Ok(())
    }

    async fn stop(&mut self) -> Result<(), String> {
        self.pages.set_gateway(0, None);
        match std::mem::replace(&mut self.serving, Serving::Ended) {
            Serving::Here(gateway) => {
                // A runtime that does not answer is waited for, so it goes on.
                self.runtime.pause(false);
                gateway.stop().await;
            }
            Serving::Process(mut child) => child.kill().await.map_err(|error| error.to_string())?,
            Serving::Ended => {}
        }
        // What is on its way to a card that reads is read; the others get nothing more.
        let away: Vec<bool> = self.pages.state().cards.iter().map(|card| !card.is_reading()).collect();
        for (card, _) in away.iter().enumerate().filter(|(_, away)| **away) {
            self.pages.cut(card);
        }
        self.until("the ends of all connections", |run| run.all(|card| !card.is_connected())).await
    }

    async fn make_session(&mut self) -> Result<(), String> {
        // The session has no address before it is made.
        let made = self.call_once("pilothouse.create").await;
        if !matches!(made, Some(Ok(_))) {
            return Err(format!("no session was made: {made:?}"));
        }
        // From its first event on the session has a log, by which another gateway knows it.
        let maker = self.undisturbed("the maker", Carrier::WebSocket);
        let made = self.until("the session's first event", |run| run.card(maker, |card| card.position() > 0));
        made.await?;
        self.pages.remove_last();
        Ok(())
    }

    /// A card that has just been opened, and that nothing disturbs. It reads everything.
    fn undisturbed(&self, name: &str, carrier: Carrier) -> usize {
        let card = self.pages.add(name.to_owned(), Who { carrier, viewer: true }, None);
        self.pages.state().cards[card].wants_whole = true;
        self.pages.connect(card);
        card
    }

    /// Calls a method of the session for the test itself.
    async fn call_once(&self, method: &str) -> Option<Result<Value, i64>> {
        call_once(self.pages.gateway(0)?, method, &json!({"sessionId": SESSION})).await
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
            Step::Connect { who } => self.pages.connect(*who),
            Step::Cut { who } => self.pages.cut(*who),
            Step::Wait { who } => self.pages.wait(*who, MINUTE_MS),
            Step::Reload { who } => self.pages.reload(*who),
            Step::Slow { who } => self.pages.set_reading(*who, false),
            Step::Read { who } => self.pages.set_reading(*who, true),
            Step::Answer { who, back } => {
                if let Some((request, what)) = self.runtime.request(*back) {
                    for who in who {
                        self.open(*who).await?;
                        self.read_up_to(*who, &request).await?;
                    }
                    for who in who {
                        self.answer(*who, &request, what, false);
                    }
                }
            }
            Step::AnswerAndCut { who, back, arrived } => {
                if let Some((request, what)) = self.runtime.request(*back) {
                    self.open(*who).await?;
                    self.read_up_to(*who, &request).await?;
                    let mark = self.answer(*who, &request, what, !arrived);
                    self.cut_when_arrived(*who, *arrived, mark.as_deref()).await?;
                }
            }
            Step::Send { who } => _ = self.send(*who, false).await?,
            Step::SendAndCut { who, arrived } => {
                let mark = self.send(*who, !arrived).await?;
                self.cut_when_arrived(*who, *arrived, Some(&mark)).await?;
            }
            Step::Enqueue { who } => {
                self.open(*who).await?;
                let mark = self.fresh(*who, "/command");
                let params = json!({"command": mark});
                self.pages.call(*who, "session.commands.enqueue", params, &mark, false);
            }
            Step::SendAgain { who } => {
                if let Some((id, text)) = self.dropped().await {
                    for who in who {
                        self.open(*who).await?;
                    }
                    for who in who {
                        let params = json!({"id": id});
                        self.pages.call(*who, "pilothouse.backlog.send", params, &text, false);
                    }
                }
            }
            Step::Resume { who, cut } => {
                self.open(*who).await?;
                let mark = self.fresh(*who, "resume");
                let params = json!({"reasoningEffort": "low"});
                self.pages.call(*who, "pilothouse.resume", params, &mark, *cut);
            }
            Step::Close { who, cut } => {
                self.open(*who).await?;
                let mark = self.fresh(*who, "close");
                self.pages.call(*who, "pilothouse.close", json!({}), &mark, *cut);
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
        format!("{what} {} of card {who}", self.marks)
    }

    /// Has a card connect, if it can: nobody sends from one that is not connected.
    async fn open(&self, who: usize) -> Result<(), String> {
        self.pages.connect(who);
        self.until("a card to be open", |run| {
            run.runtime.is_paused() || run.card(who, |card| card.is_open() || !card.is_reading())
        })
        .await
    }

    /// Waits until a card has read as far as the runtime has asked this, if that comes.
    async fn read_up_to(&self, who: usize, request: &str) -> Result<(), String> {
        let Some(number) = self.runtime.event_of(request) else { return Ok(()) };
        self.until("a request to be read", |run| {
            let can = run.runtime.is_reachable() && run.card(who, |card| card.is_open() && card.is_reading());
            !can || run.card(who, |card| card.has_reached(number))
        })
        .await
    }

    fn answer(&mut self, who: usize, request: &str, what: Asked, cut: bool) -> Option<String> {
        let mark = self.fresh(who, "answer");
        self.pages.answer(who, request, what, &mark, cut)
    }

    async fn send(&mut self, who: usize, cut: bool) -> Result<String, String> {
        self.open(who).await?;
        let mark = self.fresh(who, "message");
        self.pages.call(who, "session.send", json!({"prompt": mark, "mode": "enqueue"}), &mark, cut);
        Ok(mark)
    }

    async fn cut_when_arrived(&self, who: usize, arrived: bool, mark: Option<&str>) -> Result<(), String> {
        let viewer = self.card(who, |card| card.who.viewer);
        if let Some(mark) = mark.filter(|_| arrived && !viewer && self.runtime.is_reachable()) {
            // It arrives, or its outcome says that it does not.
            self.until("the arrival of a call", |run| {
                let there = run.runtime.state().arrivals.iter().any(|arrival| arrival.mark == mark);
                let attempts = &run.pages.state().attempts;
                there || attempts.iter().any(|attempt| attempt.mark == mark && attempt.outcome.is_some())
            })
            .await?;
        }
        if arrived || mark.is_none() {
            self.pages.cut(who);
        }
        Ok(())
    }

    /// The oldest message that the backlog has as dropped: its id and its text.
    async fn dropped(&self) -> Option<(String, String)> {
        if !self.can_answer() {
            return None;
        }
        let backlog = self.call_once("pilothouse.backlog").await?.ok()?;
        let messages = backlog["messages"].as_array()?;
        let dropped = messages.iter().find(|message| message["state"] == "dropped")?;
        Some((dropped["id"].as_str()?.to_owned(), dropped["text"].as_str()?.to_owned()))
    }

    fn is_answered(&self, but_who_does_not_read: bool) -> bool {
        let pages = self.pages.state();
        let mut open = pages.attempts.iter().filter(|attempt| attempt.outcome.is_none());
        open.all(|attempt| but_who_does_not_read && !pages.cards[attempt.card].is_reading())
    }

    /// Waits until everybody has read what there is and all calls have an outcome, if the runtime can answer.
    async fn settle(&mut self) -> Result<(), String> {
        if self.runtime.is_paused() || self.runtime.is_holding() {
            return Ok(());
        }
        self.until("the outcome of all calls", |run| run.is_answered(true)).await?;
        // A session that nobody watches any more is opened by the first call.
        let clock = Instant::now();
        loop {
            self.until("a connection to the runtime", |run| run.runtime.is_connected()).await?;
            match self.call_once("session.permissions.pendingRequests").await {
                Some(Ok(_)) => break,
                // The connection had just ended, or is not ready; or this is asked too often.
                Some(Err(code))
                    if AGAIN.map(ErrorReason::code).contains(&code) && clock.elapsed() < PATIENCE => {}
                other => return Err(format!("the session can't be opened: {other:?}")),
            }
        }
        let Some(mark) = self.runtime.mark() else { return Ok(()) };
        let id = self.runtime.state().emitted[mark].id.clone();
        self.until("everybody to read what there is", |run| {
            run.all(|card| !card.is_open() || !card.is_reading() || card.has(&id))
        })
        .await
    }

    /// What was not on the disk is gone. A page that has more of the log than there is now is loaded again.
    fn cut_power(&mut self, bytes: usize) {
        let left = self.folder.cut(bytes);
        self.power_cut = true;
        for who in 0..self.history.cards.len() {
            if self.card(who, |card| card.position() > left) {
                self.pages.reload(who);
            }
        }
    }

    /// Time passes until the pages have found out what became of their answers.
    async fn find_out(&self) -> Result<(), String> {
        for _ in 0..ROUNDS {
            self.until("the answers to the pages' questions", |run| run.all(|card| !card.waits())).await?;
            self.pages.ask_again(MINUTE_MS);
        }
        self.until("the answers to the pages' questions", |run| run.all(|card| !card.waits())).await
    }

    async fn end(mut self) -> Result<Facts, String> {
        self.runtime.pause(false);
        self.runtime.release();
        for who in 0..self.history.cards.len() {
            self.pages.set_reading(who, true);
        }
        self.until("the outcome of all calls at the end", |run| run.is_answered(false)).await?;
        // The first connection opens the session.
        for who in 0..self.history.cards.len() {
            self.pages.connect(who);
        }
        self.undisturbed("a late reader over a WebSocket", Carrier::WebSocket);
        self.undisturbed("a late reader over server-sent events", Carrier::Sse);
        self.until("the session to be open", |run| run.runtime.is_reachable()).await?;
        self.runtime.idle();
        let mark = self.runtime.mark().ok_or("the session is gone")?;
        let id = self.runtime.state().emitted[mark].id.clone();
        self.until("everybody to read the last event", |run| run.all(|card| card.has(&id))).await?;
        self.find_out().await?;
        let clock = Instant::now();
        let backlog = loop {
            match self.call_once("pilothouse.backlog").await {
                // What was cut off can still be on its way.
                Some(Ok(backlog)) if backlog.to_string().contains(r#""state":"sending""#) => {
                    if clock.elapsed() > PATIENCE {
                        break backlog;
                    }
                }
                Some(Ok(backlog)) => break backlog,
                Some(Err(code)) if code == ErrorReason::TooFast.code() => {}
                other => return Err(format!("no backlog: {other:?}")),
            }
        };
        let (emitted, log, arrivals, ends, queue, mut wrong) = {
            let state = self.runtime.state();
            let State { emitted, log, arrivals, ends, queue, wrong, .. } = &*state;
            (emitted.clone(), log.clone(), arrivals.clone(), *ends, queue.clone(), wrong.clone())
        };
        let mut shown: Vec<_> = self.pages.state().cards.iter().map(Card::shown).collect();
        // Once more after a restart: what was read is on the disk.
        self.stop().await?;
        self.start().await?;
        let after = self.undisturbed("a reader after a restart", Carrier::Sse);
        self.until("everything to be read after a restart", |run| run.card(after, |card| card.has(&id)))
            .await?;
        self.stop().await?;
        shown.extend(shown.last().cloned());
        let mut pages = self.pages.state();
        wrong.append(&mut pages.wrong);
        let cards = pages.cards.iter_mut().zip(shown).map(|(card, shown)| {
            // A part of the last history is cut off, which the other readers do not have.
            let last = card.read.iter().position(|(_, raw)| raw.contains(&format!(r#""id":"{id}""#)));
            let read: Read = card.read.iter().take(last.map_or(0, |last| last + 1)).cloned().collect();
            Seen { name: card.name.clone(), read, earlier: std::mem::take(&mut card.earlier), shown }
        });
        Ok(Facts {
            emitted,
            log,
            arrivals,
            ends,
            queue,
            wrong,
            cards: cards.collect(),
            attempts: pages.attempts.clone(),
            backlog,
            rolls: self.history.largest_log.is_some(),
            power_cut: self.power_cut,
            may_skip: false,
        })
    }
}
