//! Looks at the sessions while anybody wants to be told, gives the decision its inputs, and carries out what it says.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_core::State;
use pilothouse_core::view_model::interrupted_turn::interrupted_turn;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::decide::{Decision, Input, Message, News, Situation, Timing, Turn};
use super::delivery::{DeviceQueue, Sender};
use super::keys::Keys;
use super::payload::Payload;
use super::store::Store;
use super::subscription::{Device, PushContext};
use super::{Command, Refused};
use crate::agents::secrets::Secrets;
use crate::journal::Position;
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use crate::time;

/// How many devices a person has. Another one takes the place of the one that was not seen for the longest time.
pub const MOST_OF_ONE: usize = 20;
/// How many devices there are in all.
pub const MOST: usize = 500;
/// The time between two looks at the sessions.
const LOOKS: Duration = Duration::from_millis(250);

/// Follows the sessions for the devices.
#[derive(Debug)]
pub struct Follower {
    decision: Decision,
    /// Those of people who may not be told now are not known to the decision.
    devices: HashMap<String, Device>,
    queues: HashMap<String, DeviceQueue>,
    store: Store,
    context: PushContext,
    sender: Sender,
    ended: UnboundedReceiver<String>,
    incoming: UnboundedReceiver<Command>,
    sessions: Sessions,
    secrets: Secrets,
    /// How far each session was looked at, and what its main agent did then.
    seen: HashMap<String, (Position, Turn)>,
    began: Instant,
}

impl Follower {
    /// Reads what is kept in the folder.
    pub fn open(
        timing: Timing,
        folder: Option<&Path>,
        keys: Keys,
        context: PushContext,
        (sessions, secrets): (Sessions, Secrets),
        incoming: UnboundedReceiver<Command>,
    ) -> io::Result<Self> {
        let (to_ended, ended) = mpsc::unbounded_channel();
        let sender =
            Sender::new(Arc::new(keys), to_ended, sessions.metrics().clone()).map_err(io::Error::other)?;
        let (store, records, ledger) = Store::open(folder)?;
        let devices = records.into_iter().filter_map(|record| record.device(&context.services).ok());
        let kept = devices.filter(|device| device.record.is_kept(&device.person, &context, now()));
        let devices: HashMap<_, _> = kept.map(|device| (device.id.clone(), device)).collect();
        let mut follower = Self {
            decision: Decision::new(timing, ledger),
            devices,
            queues: HashMap::new(),
            store,
            context,
            sender,
            ended,
            incoming,
            sessions,
            secrets,
            seen: HashMap::new(),
            began: Instant::now(),
        };
        let context = &follower.context;
        let may_be_told = |device: &&Device| device.record.may_be_used(&device.person, context, now());
        for device in follower.devices.values().filter(may_be_told) {
            follower.decision.update(device_input(device, false), 0);
        }
        Ok(follower)
    }

    /// Follows the sessions until the gateway ends. Without devices it does nothing.
    pub async fn run(mut self) {
        let mut looks = interval(LOOKS);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                command = self.incoming.recv() => match command {
                    Some(command) => self.carry_out(command).await,
                    None => return,
                },
                Some(device) = self.ended.recv() => self.remove(&device),
                _ = looks.tick(), if !self.devices.is_empty() => {
                    self.look().await;
                    self.decide(Input::Time).await;
                }
            }
        }
    }

    async fn carry_out(&mut self, command: Command) {
        match command {
            Command::Input(input) => self.decide(input).await,
            Command::Subscribe(device, answer) => {
                let subscribed = self.subscribe(*device).await;
                let _ = answer.send(subscribed); // the client may be gone
            }
            Command::Test(endpoint, answer) => {
                let device = self.context.services.endpoint(&endpoint).map(|endpoint| endpoint.device());
                let _ = answer.send(device.is_ok_and(|device| self.send_test(&device))); // the client may be gone
            }
            Command::Unsubscribe(endpoint, answer) => {
                if let Ok(endpoint) = self.context.services.endpoint(&endpoint) {
                    self.remove(&endpoint.device());
                }
                let _ = answer.send(());
            }
        }
    }

    async fn subscribe(&mut self, device: Device) -> Result<(), Refused> {
        let (is_new, id) = (!self.devices.contains_key(&device.id), device.id.clone());
        if is_new {
            let own = self.devices.values().filter(|other| other.person == device.person);
            let own: Vec<_> = own.map(|other| (other.record.seen(), other.id.clone())).collect();
            if own.len() >= MOST_OF_ONE
                && let Some((_, oldest)) = own.into_iter().min()
            {
                self.remove(&oldest);
            }
            if self.devices.len() >= MOST {
                return Err(Refused::Full);
            }
            if self.devices.is_empty() {
                // Nobody has followed the sessions so far.
                self.decision.forget_sessions();
                self.seen.clear();
            }
            self.look().await;
        }
        let input = device_input(&device, is_new);
        let keys = (device.public, device.auth);
        let before = self.devices.insert(id.clone(), device);
        if before.is_some_and(|before| (before.public, before.auth) != keys) {
            self.queues.remove(&id); // nobody could read what is on its way
        }
        self.decide(input).await;
        self.write().map_err(|_| Refused::NotKept)
    }

    /// Sends a test message. False where there is no such device, or its person may not be told.
    fn send_test(&mut self, device: &str) -> bool {
        let Some(device) = self.devices.get(device) else { return false };
        if !device.record.may_be_used(&device.person, &self.context, now()) {
            return false;
        }
        let queue = self.queues.entry(device.id.clone());
        let queue = queue.or_insert_with(|| self.sender.queue(device, HashSet::new()));
        queue.add(Payload::test(&device.record.wishes));
        true
    }

    fn remove(&mut self, device: &str) {
        if self.devices.remove(device).is_none() {
            return;
        }
        self.queues.remove(device);
        self.decision.update(Input::DeviceGone(device.to_owned()), self.millis());
        let _ = self.write(); // reported there
    }

    /// Tells the decision what has changed in the sessions.
    async fn look(&mut self) {
        let all = self.sessions.all();
        // What becomes of those is known by their events only, which come from the cluster as long as somebody asks for them.
        for session in all.iter().filter(|session| session.is_busy_elsewhere()).cloned() {
            tokio::spawn(async move { Arc::clone(&session.agent).ready(&session.id, 0).await });
        }
        let listed: HashSet<&str> = all.iter().map(|session| session.id.as_str()).collect();
        let gone = self.decision.sessions().filter(|id| !listed.contains(id.as_str()));
        let gone: HashSet<String> = gone.cloned().collect();
        let is_news = |session: &Arc<Session>| {
            let seen = self.seen.get(&session.id);
            // A turn may end in that nothing comes any more, and what a stop has left open is listed without an event.
            seen.is_none_or(|(position, turn)| {
                matches!(turn, Turn::Running | Turn::Stopped) || *position != session.journal.position()
            })
        };
        let changed: Vec<_> = all.iter().filter(|session| is_news(session)).cloned().collect();
        if changed.is_empty() && gone.is_empty() {
            return;
        }
        // Reducing a long log takes its time.
        let situations = tokio::task::spawn_blocking(move || {
            let one = |session: Arc<Session>| {
                let position = session.journal.position();
                let situation = session.with_state(situation);
                (session, position, situation)
            };
            changed.into_iter().map(one).collect::<Vec<_>>()
        });
        for (session, position, situation) in situations.await.unwrap_or_default() {
            let turn = situation.as_ref().map_or(Turn::Ended, |situation| situation.turn);
            self.seen.insert(session.id.clone(), (position, turn));
            let Some(situation) = situation else { continue };
            self.decide(Input::Session(session.id.clone(), situation)).await;
            if session.take_stop() {
                tokio::spawn(session.list_permissions_after_stop());
            }
        }
        self.seen.retain(|id, _| listed.contains(id.as_str()));
        for id in gone {
            self.decide(Input::SessionGone(id)).await;
        }
    }

    async fn decide(&mut self, input: Input) {
        let messages = self.decision.update(input, self.millis());
        // Before anything is sent: after a crash nothing is sent twice.
        if self.decision.take_ledger_changed() {
            let _ = self.write(); // reported there
        }
        for message in messages {
            self.send(message).await;
        }
    }

    async fn send(&mut self, message: Message) {
        let Some(device) = self.devices.get(&message.device) else { return };
        let may_be_told = device.record.may_be_used(&device.person, &self.context, now());
        if !may_be_told || (message.news == News::Close && !device.endpoint.may_be_silent()) {
            return;
        }
        let queue = self.queues.entry(device.id.clone());
        let queue =
            queue.or_insert_with(|| self.sender.queue(device, self.decision.announced_sessions(&message)));
        let session = self.sessions.find(Some(&message.session));
        let (role, wishes, secrets) =
            (device.person.role, device.record.wishes.clone(), self.secrets.clone());
        let payload = tokio::task::spawn_blocking(move || {
            let make = |state: Option<&State>| {
                Payload::new(&message.news, &message.session, state, role, &wishes, &secrets)
            };
            session
                .and_then(|session| session.with_state(|state| make(Some(state))))
                .unwrap_or_else(|| make(None))
        });
        if let Ok(payload) = payload.await {
            queue.add(payload);
        }
    }

    fn write(&mut self) -> io::Result<()> {
        self.store.write(self.devices.values().map(|device| &device.record), self.decision.ledger())
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn device_input(device: &Device, new: bool) -> Input {
    Input::Device {
        id: device.id.clone(),
        person: device.person.clone(),
        done: device.record.wishes.done,
        new,
    }
}

/// What a session's state means for who may be told.
fn situation(state: &State) -> Situation {
    let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
    let turn = match state.shown_status() {
        "idle" if interrupted_turn(state).is_some() => Turn::Stopped,
        "idle" => Turn::Idle,
        "error" => Turn::Failed,
        "ended" => Turn::Ended,
        _ => Turn::Running,
    };
    Situation { open: open.map(|entry| entry.id.clone()).collect(), turn }
}

/// In milliseconds since 1970.
pub fn now() -> u64 {
    time::milliseconds().unsigned_abs()
}
