//! Carries out a history of a cluster. Nothing sleeps: what has to be waited for is waited for with a deadline. While there is a
//! fault nothing is waited for, since it may never come; what can't be done then is not done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use super::checker::{self, Facts, Read, Seen};
use super::folder;
use super::gateways::Machine;
use super::history::{Asked, Carrier, Kind, Who};
use super::link::Link;
use super::nats::Servers;
use super::network::{PATIENCE, call_once};
use super::pages::{Card, Pages};
use super::runtime::{Bell, Runtime, State};
use super::schedule::{CARDS, GATEWAYS, NODES, SESSIONS, Step};
use super::seeds::say;
use super::stream::{self, Message};
use super::waiting::try_poll;

/// Also what goes on has an end.
const LONGEST: Duration = Duration::from_mins(2);
/// So much that is wrong in a log is told.
const MOST: usize = 8;
/// How often it is looked at what does not ring.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);
/// How many times a page asks again what became of things, with a minute between.
const ROUNDS: usize = 4;
const MINUTE_MS: u64 = 61_000;
/// Whoever is asked for something small answers within this time, or is away.
const LONGEST_LOOK: Duration = Duration::from_secs(5);

struct Run {
    servers: Servers,
    gateways: Vec<Machine>,
    sides: Vec<Side>,
    bell: Bell,
    /// Whether there may be a fault.
    faulty: bool,
    began: Instant,
}

/// A session: its runtime, and those who watch it.
struct Side {
    number: usize,
    runtime: Runtime,
    pages: Pages,
    marks: usize,
    /// Whether the disk of its gateway may be full.
    full: bool,
    /// Whether its gateway was killed while that was so.
    lossy: bool,
}

/// Carries out these steps. Returns everything that is wrong.
pub async fn run(steps: &[Step]) -> Result<Vec<String>, String> {
    let bell: Bell = Arc::new(watch::Sender::new(0));
    let servers = Servers::start(NODES).await;
    let (mut gateways, mut sides) = (Vec::new(), Vec::new());
    for (number, session) in SESSIONS.iter().enumerate() {
        let runtime = Runtime::start(Arc::clone(&bell), session).await;
        gateways.push(Machine::new(GATEWAYS[number], Some(runtime.address), &servers).await);
        sides.push(Side {
            number,
            runtime,
            pages: Pages::new(&bell, session, GATEWAYS.len()),
            marks: 0,
            full: false,
            lossy: false,
        });
    }
    gateways.push(Machine::new(GATEWAYS[SESSIONS.len()], None, &servers).await);
    let mut run = Run { servers, gateways, sides, bell, faulty: false, began: Instant::now() };
    run.begin().await?;
    for step in steps {
        if std::env::var_os("STEPS").is_some() {
            say(&format!("{:7.1} {step:?}", run.began.elapsed().as_secs_f64()));
        }
        run.look_for_sessions().await;
        run.step(step).await.map_err(|why| format!("{step:?}: {why}"))?;
    }
    run.end().await
}

impl Run {
    async fn begin(&mut self) -> Result<(), String> {
        for gateway in &mut self.gateways {
            gateway.start().await?;
        }
        for side in &self.sides {
            let address = self.gateways[side.number].address().ok_or("no gateway")?;
            let made = call_once(address, "pilothouse.create", &json!({"sessionId": side.session()})).await;
            if !matches!(made, Some(Ok(_))) {
                return Err(format!("no session was made: {made:?}"));
            }
            for number in 0..CARDS {
                let carrier = if number == 1 { Carrier::Sse } else { Carrier::WebSocket };
                side.pages.add(format!("card {number}"), Who { carrier, viewer: number == 2 }, None);
                side.pages.move_to(number, (side.number + number) % GATEWAYS.len());
            }
        }
        self.everywhere().await
    }

    /// Waits until each gateway knows all sessions, and that nobody is away.
    async fn everywhere(&mut self) -> Result<(), String> {
        let began = Instant::now();
        loop {
            self.look_for_sessions().await;
            let mut missing = Vec::new();
            for (number, gateway) in self.gateways.iter().enumerate() {
                for side in &self.sides {
                    let row = side.row_at(gateway).await;
                    if row.is_none_or(|row| !row["away"].is_null()) || side.pages.gateway(number).is_none() {
                        missing.push(format!("{} of {}", gateway.name, side.session()));
                    }
                }
            }
            if missing.is_empty() {
                return Ok(());
            }
            if began.elapsed() > PATIENCE {
                let errors: Vec<_> = self.gateways.iter().map(Machine::errors).collect();
                return Err(format!(
                    "waited too long for what is known at {missing:?}: {}",
                    errors.join("\n---\n")
                ));
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Who starts again does not know at once which sessions there are. Pages are sent to it when it does.
    async fn look_for_sessions(&self) {
        for (number, gateway) in self.gateways.iter().enumerate() {
            for side in self.sides.iter().filter(|side| side.pages.gateway(number).is_none()) {
                if !gateway.is_stopped() && side.row_at(gateway).await.is_some() {
                    side.pages.set_gateway(number, gateway.address());
                }
            }
        }
    }

    /// Waits for this, as long as anything happens.
    async fn until(&self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<(), String> {
        let mut rung = self.bell.subscribe();
        let began = Instant::now();
        loop {
            rung.mark_unchanged();
            // After that it may never come.
            if let Some(wrong) = self.sides.iter().find_map(|side| side.pages.state().first_wrong()) {
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

    fn described(&self) -> String {
        let sides = self.sides.iter().map(Side::described);
        let errors = self.gateways.iter().map(|gateway| format!("{}:\n{}", gateway.name, gateway.errors()));
        sides.chain(errors).collect::<Vec<_>>().join("\n")
    }

    async fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Emit { of, what, count } => self.sides[*of].runtime.emit(*what, *count),
            Step::Ask { of, what } => self.sides[*of].runtime.ask(*what),
            Step::Turn { of } => self.sides[*of].runtime.turn(),
            Step::Idle { of } => self.sides[*of].runtime.idle(),
            Step::Move { of, who, to } => self.sides[*of].pages.move_to(*who, *to),
            Step::Cut { of, who } => self.sides[*of].pages.cut(*who),
            Step::Connect { of, who } => self.sides[*of].pages.connect(*who),
            Step::Reload { of, who } => self.sides[*of].pages.reload(*who),
            Step::Answer { of, who, back } => {
                if let Some((request, what)) = self.sides[*of].runtime.request(*back) {
                    let mut ready = Vec::new();
                    for who in who {
                        if self.has_read(*of, *who, &request).await? {
                            ready.push(*who);
                        }
                    }
                    for who in ready {
                        self.sides[*of].answer(who, &request, what);
                    }
                }
            }
            Step::AnswerAndMove { of, who, to } => {
                if let Some((request, what)) = self.sides[*of].runtime.request(0)
                    && self.has_read(*of, *who, &request).await?
                {
                    self.sides[*of].answer(*who, &request, what);
                    self.sides[*of].pages.move_to(*who, *to);
                }
            }
            Step::Send { of, who } => {
                if self.open(*of, *who).await? {
                    self.sides[*of].send(*who, false);
                }
            }
            Step::SendAndCut { of, who } => {
                if self.open(*of, *who).await? {
                    self.sides[*of].send(*who, true);
                }
            }
            Step::KillGateway { gateway } => {
                self.faulty = true;
                self.kill(*gateway).await?;
            }
            Step::KillLate { gateway, count } => {
                if self.gateways[*gateway].is_running() && !self.gateways[*gateway].is_stopped() {
                    self.faulty = true;
                    self.gateways[*gateway].links.iter().for_each(Link::hold);
                    self.sides[*gateway].runtime.emit(Kind::Tool, *count);
                    tokio::time::sleep(BETWEEN_LOOKS).await;
                    self.kill(*gateway).await?;
                    self.gateways[*gateway].start().await?;
                }
            }
            Step::StartGateway { gateway } => {
                if !self.gateways[*gateway].is_running() {
                    self.gateways[*gateway].start().await?;
                }
            }
            Step::StopGateway { gateway, stopped } => {
                self.faulty |= stopped;
                self.gateways[*gateway].stop(*stopped);
            }
            Step::FullDisk { gateway, left } => {
                self.faulty = true;
                let length =
                    std::fs::metadata(self.sides[*gateway].log(&self.gateways)).map_or(0, |log| log.len());
                self.sides[*gateway].full = self.gateways[*gateway].is_running();
                self.gateways[*gateway].limit(Some(length + left));
            }
            Step::KillNode { node } => {
                self.faulty = true;
                self.servers.kill(*node);
            }
            Step::StopNode { node } => {
                self.faulty = true;
                self.servers.stop(*node, true);
            }
            Step::Link { gateway, node, still } => self.disturb(&[(*gateway, *node)], *still),
            Step::Away { gateway, still } => {
                let links: Vec<_> = (0..NODES).map(|node| (*gateway, node)).collect();
                self.disturb(&links, *still);
            }
            Step::Between { nodes: (one, other), still } => {
                self.faulty = true;
                for link in [self.servers.between(*one, *other), self.servers.between(*other, *one)] {
                    set(link, *still);
                }
            }
            Step::MoveLeader => self.servers.move_leader().await,
            Step::Pass(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
            Step::Mend => self.mend().await?,
            Step::Settle => {
                if !self.faulty {
                    self.settle().await?;
                }
            }
        }
        Ok(())
    }

    fn disturb(&mut self, links: &[(usize, usize)], still: bool) {
        self.faulty = true;
        for (gateway, node) in links {
            set(&self.gateways[*gateway].links[*node], still);
        }
    }

    async fn kill(&mut self, gateway: usize) -> Result<(), String> {
        for side in &self.sides {
            side.pages.set_gateway(gateway, None);
        }
        self.gateways[gateway].kill().await;
        self.until("the ends of a gateway's connections", |run| {
            let at = |card: &Card| card.gateway() == gateway && card.is_connected();
            run.sides.iter().all(|side| !side.pages.state().cards.iter().any(at))
        })
        .await?;
        if let Some(side) = self.sides.get_mut(gateway).filter(|side| side.full) {
            // What was in memory only is gone, if the cluster had not got it either, as after a power cut.
            (side.full, side.lossy) = (false, true);
            let left = folder::newest(&std::fs::read(side.log(&self.gateways)).unwrap_or_default());
            for who in 0..CARDS {
                if side.card(who, |card| card.position() > left) {
                    side.pages.reload(who);
                }
            }
        }
        Ok(())
    }

    async fn mend(&mut self) -> Result<(), String> {
        self.servers.mend().await;
        for gateway in &mut self.gateways {
            for (node, link) in gateway.links.iter().enumerate() {
                link.lead_to(self.servers.address(node).expect("it runs"));
                link.mend();
            }
            gateway.stop(false);
            gateway.limit(None);
            if !gateway.is_running() {
                gateway.start().await?;
            }
        }
        self.everywhere().await?;
        for number in 0..self.sides.len() {
            if std::mem::take(&mut self.sides[number].full) {
                let address = self.gateways[number].address().ok_or("no gateway")?;
                try_poll("that a log is written again", async || {
                    let board = call_once(address, "pilothouse.board", &json!({})).await?.ok()?;
                    board["health"]["logs"].is_null().then_some(())
                })
                .await?;
            }
        }
        self.faulty = false;
        Ok(())
    }

    /// Has a card connect. Whether it is open: without a fault that is waited for.
    async fn open(&self, of: usize, who: usize) -> Result<bool, String> {
        let pages = &self.sides[of].pages;
        pages.connect(who);
        if !self.faulty {
            self.until("a card to be open", |run| run.sides[of].card(who, Card::is_open)).await?;
        }
        Ok(self.sides[of].card(who, Card::is_open))
    }

    /// Whether a card shows this request.
    async fn has_read(&self, of: usize, who: usize, request: &str) -> Result<bool, String> {
        let Some(number) = self.sides[of].runtime.event_of(request) else { return Ok(false) };
        if !self.open(of, who).await? {
            return Ok(false);
        }
        let has = |run: &Self| run.sides[of].card(who, |card| card.has_reached(number));
        if !self.faulty {
            self.until("a request to be read", has).await?;
        }
        Ok(has(self))
    }

    async fn settle(&mut self) -> Result<(), String> {
        self.until("the outcome of all calls", |run| run.sides.iter().all(Side::is_answered)).await?;
        for side in &self.sides {
            self.open_session(side).await?;
            let Some(mark) = side.runtime.mark() else { continue };
            let id = side.runtime.state().emitted[mark].id.clone();
            self.until("everybody to read what there is", |_| {
                side.all(|card| !card.is_open() || card.has(&id))
            })
            .await?;
        }
        Ok(())
    }

    /// A session that nobody watches is opened by the first call.
    async fn open_session(&self, side: &Side) -> Result<(), String> {
        let address = self.gateways[side.number].address().ok_or("no gateway")?;
        let session = json!({"sessionId": side.session()});
        try_poll("the session to be open", async || {
            call_once(address, "session.permissions.pendingRequests", &session).await?.ok()
        })
        .await?;
        self.until("a connection to the runtime", |_| side.runtime.is_reachable()).await
    }

    async fn end(mut self) -> Result<Vec<String>, String> {
        self.mend().await?;
        self.until("the outcome of all calls at the end", |run| run.sides.iter().all(Side::is_answered))
            .await?;
        let mut marks = Vec::new();
        for side in &self.sides {
            for who in 0..CARDS {
                side.pages.connect(who);
            }
            let others = (side.number + 1) % GATEWAYS.len();
            side.undisturbed("a late reader at the owner", Carrier::WebSocket, side.number);
            side.undisturbed("a late reader at another gateway", Carrier::Sse, others);
            self.open_session(side).await?;
            side.runtime.idle();
            let mark = side.runtime.mark().ok_or("the session is gone")?;
            let id = side.runtime.state().emitted[mark].id.clone();
            self.until("everybody to read the last event", |_| side.all(|card| card.has(&id))).await?;
            marks.push(id);
        }
        for _ in 0..ROUNDS {
            self.find_out().await?;
            self.sides.iter().for_each(|side| side.pages.ask_again(MINUTE_MS));
        }
        self.find_out().await?;
        let mut facts = Vec::new();
        for side in &self.sides {
            let backlog = self.backlog(side).await?;
            let shown: Vec<_> = side.pages.state().cards.iter().map(Card::shown).collect();
            facts.push((backlog, shown));
        }
        // Once more after a restart of everybody: what was read is in the log, and nowhere else.
        for gateway in 0..self.gateways.len() {
            self.kill(gateway).await?;
        }
        self.mend().await?;
        for (side, id) in self.sides.iter().zip(&marks) {
            let last = side.undisturbed("a reader after a restart", Carrier::Sse, GATEWAYS.len() - 1);
            self.until("everything to be read after a restart", |_| side.card(last, |card| card.has(id)))
                .await?;
        }
        let mut wrong = Vec::new();
        for ((side, id), (backlog, shown)) in self.sides.iter().zip(&marks).zip(facts) {
            let facts = side.facts(id, backlog, shown);
            let found = checker::check(&facts).into_iter().chain(self.log(side, &facts).await);
            wrong.extend(found.map(|one| format!("{}: {one}", side.session())));
        }
        Ok(wrong)
    }

    /// What is wrong in the cluster's log of a session.
    async fn log(&self, side: &Side, facts: &Facts) -> Vec<String> {
        let subject = format!("pilothouse.log.{}.{}", GATEWAYS[side.number], side.session());
        let messages: Vec<_> = self.servers.messages(&subject).await.into_iter().map(Message::from).collect();
        let mut wrong = Vec::new();
        let log = stream::read(&subject, &messages, &mut wrong);
        for card in &facts.cards {
            for (seq, raw) in &card.read {
                if log.get(seq).is_none_or(|event| event != raw) {
                    wrong.push(format!(
                        "{}: position {seq} is {raw}, in the log {:?}",
                        card.name,
                        log.get(seq)
                    ));
                }
            }
        }
        let count = wrong.len();
        wrong.truncate(MOST);
        wrong.extend((count > MOST).then(|| format!("and {} more", count - MOST)));
        wrong
    }

    /// Waits until the pages have found out what became of their answers.
    async fn find_out(&self) -> Result<(), String> {
        self.until("the answers to the pages' questions", |run| {
            run.sides.iter().all(|side| side.all(|card| !card.waits()))
        })
        .await
    }

    async fn backlog(&self, side: &Side) -> Result<Value, String> {
        let address = self.gateways[side.number].address().ok_or("no gateway")?;
        let clock = Instant::now();
        loop {
            match call_once(address, "pilothouse.backlog", &json!({"sessionId": side.session()})).await {
                // What was cut off can still be on its way.
                Some(Ok(backlog)) => {
                    if !backlog.to_string().contains(r#""state":"sending""#) || clock.elapsed() > PATIENCE {
                        return Ok(backlog);
                    }
                }
                Some(Err(code)) if code == ErrorReason::TooFast.code() => {}
                other => return Err(format!("no backlog: {other:?}")),
            }
        }
    }
}

impl Side {
    fn session(&self) -> &'static str {
        SESSIONS[self.number]
    }

    fn log(&self, gateways: &[Machine]) -> std::path::PathBuf {
        gateways[self.number].folder.0.join("sessions").join(format!("{}.jsonl", self.session()))
    }

    /// Its row in a gateway's list.
    async fn row_at(&self, gateway: &Machine) -> Option<Value> {
        let address = gateway.address()?;
        let rows =
            timeout(LONGEST_LOOK, call_once(address, "pilothouse.sessions", &json!({}))).await.ok()??.ok()?;
        rows.as_array()?.iter().find(|row| row["sessionId"] == self.session()).cloned()
    }

    fn all(&self, is_so: impl Fn(&Card) -> bool) -> bool {
        self.pages.state().cards.iter().all(is_so)
    }

    fn card<T>(&self, who: usize, look: impl FnOnce(&Card) -> T) -> T {
        look(&self.pages.state().cards[who])
    }

    fn is_answered(&self) -> bool {
        self.pages.state().attempts.iter().all(|attempt| attempt.outcome.is_some())
    }

    fn described(&self) -> String {
        let pages = self.pages.state();
        let cards = pages.cards.iter().enumerate().map(|(at, card)| {
            let open = pages.attempts.iter().filter(|one| one.card == at && one.outcome.is_none()).count();
            let (name, word, position, gateway) =
                (&card.name, card.word(), card.position(), GATEWAYS[card.gateway()]);
            format!("{name} is {word} at {position} of {gateway} with {open} open calls")
        });
        let cards: Vec<_> = cards.collect();
        format!("{}: the runtime {}; {}", self.session(), self.runtime.described(), cards.join(", "))
    }

    /// A card that has just been opened, and that nothing disturbs. It reads everything.
    fn undisturbed(&self, name: &str, carrier: Carrier, gateway: usize) -> usize {
        let card = self.pages.add(name.to_owned(), Who { carrier, viewer: true }, None);
        self.pages.state().cards[card].wants_whole = true;
        self.pages.move_to(card, gateway);
        self.pages.connect(card);
        card
    }

    fn fresh(&mut self, who: usize, what: &str) -> String {
        self.marks += 1;
        format!("{what} {} of card {who}", self.marks)
    }

    fn answer(&mut self, who: usize, request: &str, what: Asked) {
        let mark = self.fresh(who, "answer");
        self.pages.answer(who, request, what, &mark, false);
    }

    fn send(&mut self, who: usize, cut: bool) {
        let mark = self.fresh(who, "message");
        self.pages.call(who, "session.send", json!({"prompt": mark, "mode": "enqueue"}), &mark, cut);
    }

    /// What is to be checked: everything up to the event with this id.
    fn facts(&self, id: &str, backlog: Value, mut shown: Vec<Vec<String>>) -> Facts {
        let (emitted, log, arrivals, ends, queue, mut wrong) = {
            let state = self.runtime.state();
            let State { emitted, log, arrivals, ends, queue, wrong, .. } = &*state;
            (emitted.clone(), log.clone(), arrivals.clone(), *ends, queue.clone(), wrong.clone())
        };
        let mut pages = self.pages.state();
        wrong.append(&mut pages.wrong);
        // Of the last card nothing was shown before the restart.
        shown.extend(shown.last().cloned());
        let needle = format!(r#""id":"{id}""#);
        let cards = pages.cards.iter_mut().zip(shown).map(|(card, shown)| {
            let last = card.read.iter().position(|(_, raw)| raw.contains(&needle));
            let read: Read = card.read.iter().take(last.map_or(0, |last| last + 1)).cloned().collect();
            Seen { name: card.name.clone(), read, earlier: std::mem::take(&mut card.earlier), shown }
        });
        let cards = cards.collect();
        let attempts = pages.attempts.clone();
        Facts {
            emitted,
            log,
            arrivals,
            ends,
            queue,
            wrong,
            cards,
            attempts,
            backlog,
            rolls: false,
            power_cut: self.lossy,
            // Who starts while the servers are away can't know which positions were published.
            may_skip: true,
        }
    }
}

fn set(link: &Link, still: bool) {
    if still { link.still() } else { link.cut() }
}
