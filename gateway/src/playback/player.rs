//! Plays one recording: when each line is sent, and the pause at a request that needs a person.
//!
//! The player waits for the first viewer, then keeps the recording's own gaps, up to two seconds each. A
//! request that a person settled in the recording is asked again: other events go on until just before the
//! first one that follows from the answer (`consequence`), and there the player waits. The answer's closing
//! event is sent at once, and the recorded one is left out when its turn comes. A recording can't take
//! another branch, so an answer that differs in kind is followed by a `session.info` that says so.
//!
//! A request that the recording never closes stops nothing; it can be answered at any time, also after the
//! end. With `--loop` the journal is emptied three seconds after the end (a new epoch, see `journal`), and
//! the recording waits for a viewer and starts again.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep, sleep_until};

use crate::journal::Entry;
use crate::playback::answer;
use crate::playback::answer::Decision;
use crate::playback::recording::{LineRole, RecordedEnding, RecordedLine, Recording};
use crate::sessions::session::Session;
use pilothouse_core::protocol::RequestKind;

const LONGEST_GAP: Duration = Duration::from_secs(2);
const REST_BEFORE_LOOP: Duration = Duration::from_secs(3);
/// At `max` there is no waiting, so other tasks get their turn after this many lines.
const LINES_BETWEEN_YIELDS: usize = 64;

/// How fast a recording is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// This many times the recorded speed; more than 0.
    Times(f64),
    /// No waiting at all.
    Max,
}

/// What a player is asked.
#[derive(Debug)]
pub enum PlayerRequest {
    /// Settle a request; `true` when it was open and this answer settled it.
    Answer {
        /// The kind of request that the method answers.
        family: RequestKind,
        /// The request's id.
        request_id: String,
        /// The checked answer.
        decision: Decision,
        /// Where the result goes.
        reply: oneshot::Sender<bool>,
    },
    /// The opening events of the requests that are open.
    Open(oneshot::Sender<Vec<Value>>),
}

/// Asks a player. Clones ask the same one.
#[derive(Clone, Debug)]
pub struct PlayerHandle(mpsc::Sender<PlayerRequest>);

impl PlayerHandle {
    /// A handle, and the receiver from which the player reads.
    pub fn new() -> (Self, mpsc::Receiver<PlayerRequest>) {
        let (player, requests) = mpsc::channel(64);
        (Self(player), requests)
    }

    /// Settles a request; `false` when it is not open (any more).
    pub async fn answer(&self, family: RequestKind, request_id: String, decision: Decision) -> bool {
        let (reply, replied) = oneshot::channel();
        let sent = self.0.send(PlayerRequest::Answer { family, request_id, decision, reply }).await;
        sent.is_ok() && replied.await.unwrap_or(false)
    }

    /// The opening events of the requests that are open.
    pub async fn open(&self) -> Vec<Value> {
        let (reply, replied) = oneshot::channel();
        let sent = self.0.send(PlayerRequest::Open(reply)).await;
        if sent.is_ok() { replied.await.unwrap_or_default() } else { Vec::new() }
    }
}

/// Plays one recording.
#[derive(Debug)]
pub struct Player {
    recording: Recording,
    session: Arc<Session>,
    requests: mpsc::Receiver<PlayerRequest>,
    pace: Pace,
    looped: bool,
    open: Vec<PlayedRequest>,
    answered: HashSet<Arc<str>>,
    last_persisted_id: Value,
}

#[derive(Debug)]
struct PlayedRequest {
    family: RequestKind,
    request_id: Arc<str>,
    settled: RecordedEnding,
    line: usize,
}

impl Player {
    /// A player that has not begun.
    pub fn new(
        recording: Recording,
        session: Arc<Session>,
        requests: mpsc::Receiver<PlayerRequest>,
        pace: Pace,
        looped: bool,
    ) -> Self {
        let (open, answered) = (Vec::new(), HashSet::new());
        Self { recording, session, requests, pace, looped, open, answered, last_persisted_id: Value::Null }
    }

    /// Plays, and serves the calls that come meanwhile, until the task is aborted.
    pub async fn run(mut self) {
        loop {
            let session = Arc::clone(&self.session);
            self.serve_until(async move { session.watched().await }).await;
            self.play().await;
            if !self.looped {
                break;
            }
            self.serve_until(sleep(REST_BEFORE_LOOP)).await;
            self.open.clear();
            self.answered.clear();
            self.last_persisted_id = Value::Null;
            self.session.journal.restart();
        }
        self.serve_until(std::future::pending()).await;
    }

    async fn play(&mut self) {
        let mut due = Instant::now();
        for index in 0..self.recording.lines.len() {
            let Some(line) = self.recording.lines.get(index) else {
                return;
            };
            let (gap, role) = (line.gap.min(LONGEST_GAP), line.role.clone());
            match self.pace {
                Pace::Max if index % LINES_BETWEEN_YIELDS == 0 => {
                    self.serve_until(tokio::task::yield_now()).await;
                }
                Pace::Max => {}
                Pace::Times(times) => {
                    due += gap.div_f64(times);
                    if due > Instant::now() {
                        self.serve_until(sleep_until(due)).await;
                    } else if index % LINES_BETWEEN_YIELDS == 0 {
                        self.serve_until(tokio::task::yield_now()).await;
                    }
                }
            }
            if self.must_be_answered_before(index) {
                self.wait_for_answers_before(index).await;
                due = Instant::now();
            }
            if let LineRole::Closes { request_id } = &role {
                if self.answered.contains(request_id) {
                    continue; // its closing event went out with the answer
                }
                self.open.retain(|open| open.request_id != *request_id);
            }
            if let LineRole::Opens { family, request_id, settled } = role {
                self.open.push(PlayedRequest { family, request_id, settled, line: index });
            }
            self.emit_recorded(index);
        }
    }

    fn must_be_answered_before(&self, index: usize) -> bool {
        self.open
            .iter()
            .any(|open| matches!(open.settled, RecordedEnding::ByPerson { due, .. } if due <= index))
    }

    async fn wait_for_answers_before(&mut self, index: usize) {
        while self.must_be_answered_before(index) {
            let Some(request) = self.requests.recv().await else {
                return std::future::pending().await;
            };
            self.handle(request);
        }
    }

    async fn serve_until(&mut self, end: impl Future<Output = ()>) {
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => return,
                Some(request) = self.requests.recv() => self.handle(request),
            }
        }
    }

    fn handle(&mut self, request: PlayerRequest) {
        // The caller may be gone by now; then nobody needs the result.
        match request {
            PlayerRequest::Answer { family, request_id, decision, reply } => {
                let _ = reply.send(self.settle(family, &request_id, &decision));
            }
            PlayerRequest::Open(reply) => {
                let events = self.open.iter().map(|open| event(self.recording.lines.get(open.line)));
                let _ = reply.send(events.collect());
            }
        }
    }

    fn settle(&mut self, family: RequestKind, request_id: &str, decision: &Decision) -> bool {
        let matching = |open: &PlayedRequest| {
            open.family == family
                && &*open.request_id == request_id
                && open.settled != RecordedEnding::ByItself
        };
        let Some(place) = self.open.iter().position(matching) else {
            return false;
        };
        let open = self.open.remove(place);
        let requested = event(self.recording.lines.get(open.line));
        let decision = &decision.clone().with_option(&requested);
        let (closing, message) = match open.settled {
            RecordedEnding::ByPerson { line, outcome, .. } => {
                let recorded =
                    self.recording.lines.get(line).map(|line| Arc::clone(&line.raw)).unwrap_or_default();
                let outcome = outcome.map(|line| event(self.recording.lines.get(line)));
                let data = serde_json::from_str::<Value>(&recorded).unwrap_or_default();
                let outcome = outcome.as_ref().map(|event| &event["data"]);
                let message = decision.recorded_difference(family, &data["data"], outcome);
                (decision.write_into(family, &recorded), message)
            }
            RecordedEnding::ByItself | RecordedEnding::Never => {
                let closing = answer::new_closing(family, decision, &requested, &self.last_persisted_id);
                let message = "This is a recording: nobody answered this request in it, so nothing follows from the answer.";
                (closing, Some(message.to_owned()))
            }
        };
        self.answered.insert(open.request_id);
        let notice = message.map(|message| answer::notice(&closing, &message));
        self.emit(Entry { raw: closing.into(), event: true, persisted: family.closing_is_persisted() });
        if let Some(notice) = notice {
            self.emit(Entry { raw: notice.into(), event: true, persisted: false });
        }
        true
    }

    fn emit_recorded(&mut self, index: usize) {
        if let Some(line) = self.recording.lines.get(index) {
            let entry = Entry { raw: Arc::clone(&line.raw), event: line.event, persisted: line.persisted };
            self.emit(entry);
        }
    }

    fn emit(&mut self, entry: Entry) {
        // Only a closing event that is made here needs a parent, and only for a request that the recording
        // never closes. So nothing is parsed while no such request is open.
        if entry.persisted && self.open.iter().any(|open| open.settled == RecordedEnding::Never) {
            let event: Value = serde_json::from_str(&entry.raw).unwrap_or_default();
            self.last_persisted_id = event["id"].clone();
        }
        self.session.received.count(entry.raw.len());
        self.session.journal.append(vec![entry]);
    }
}

fn event(line: Option<&RecordedLine>) -> Value {
    line.and_then(|line| serde_json::from_str(&line.raw).ok()).unwrap_or_default()
}
