//! The WebSocket: JSON-RPC in both directions, and the sessions that one connection watches.
//!
//! Each connection has two tasks: one reads and serves calls, the other writes. So a client that reads slowly
//! delays nobody else, not even its own calls. When it is behind, several notifications share a frame, one
//! JSON value a line; for who asks so, only the first of a session has the envelope. A line that is not an event can't be put into a notification. It is sent as a frame of its
//! own, unchanged, so that the reader shows it as malformed.
//!
//! When the gateway ends, the reader takes no call any more, and the writer says goodbye when those that run are answered.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Extension, State};
use axum::response::Response;
use futures_util::future::select_all;
use futures_util::stream::{FuturesUnordered, SplitSink, SplitStream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use pilothouse_core::connection::PROTOCOL;
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, interval, sleep};

use super::caller::Caller;
use super::send_pause::SendPause;
use super::state::{AppState, any_change, has_ended};
use super::watching::{OtherWatchers, any_others};
use crate::access::Role;
use crate::access::gate::{Answer, Gate, Pass};
use crate::access::limits::{LARGEST_MESSAGE, largest};
use crate::access::person::Person;
use crate::health::Report;
use crate::journal::{Batch, Cursor, Position};
use crate::push::decide::Sight;
use crate::push::visible::VisiblePage;
use crate::rpc::{self, Call, Fault, Incoming};
use crate::sessions::Sessions;
use crate::sessions::board::Board;
use crate::sessions::session::{Session, Viewer};
use crate::sessions::watchers::Watcher;
use pilothouse_core::protocol::ErrorReason;

/// How many bytes several lines in one frame may have together.
const LARGEST_FRAME: usize = 64 << 10;

/// A longer message than this is not read to its end, and ends the connection. Up to this length it gets an error.
const LONGEST_READ: usize = LARGEST_MESSAGE + (8 << 20);
/// How much is read of a connection at a time. Every connection has a buffer of this size, which is filled with zeros whenever the
/// connection is asked for more. The library's own choice is 128 KiB.
const READ_AT_ONCE: usize = 4 << 10;
const BINARY: &str = "pilothouse.binary";
/// How many calls of one connection are served at a time: one that waits (a read of the log) must not hold up
/// an answer that comes after it.
const MOST_CALLS: usize = 64;
const LIST_CHANGED: &str = r#"{"jsonrpc":"2.0","method":"pilothouse.sessions.changed","params":{}}"#;
const PING: Duration = Duration::from_secs(30);
/// A page that does not answer two pings is not visible to anybody: its machine sleeps, or the line is cut.
const SLEEP: Duration = Duration::from_secs(75);
/// How long calls may go on when the gateway ends, and how long the client has to say goodbye after that.
const LAST_CALLS: Duration = Duration::from_secs(4);
const LONGEST_FAREWELL: Duration = Duration::from_millis(900);
/// Why it ends, for the client.
const COME_AGAIN: &str = "the gateway ends; come again";
/// A client that sends nothing for this long is gone: a live one answers a ping, also on a slow line.
const SILENCE: Duration = Duration::from_mins(5);

/// Serves `GET /api/rpc`.
pub async fn open(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .max_message_size(LONGEST_READ)
        .max_frame_size(LONGEST_READ)
        .read_buffer_size(READ_AT_ONCE)
        .protocols([BINARY])
        .on_upgrade(move |socket| serve(state, pass.gate(), socket))
}

/// Notifies of changes of the gateway's health.
type HealthReceiver = watch::Receiver<Report>;

/// What the reading task passes to the writing task.
enum WriterTask {
    Send(String),
    Answer(Answer),
    /// The list, and a receiver that has seen the changes that are in it.
    List {
        response: Option<String>,
        seen: watch::Receiver<u64>,
    },
    Watch {
        response: Option<String>,
        session: Arc<Session>,
        cursor: Cursor,
        /// From this answer on all frames are binary.
        binary: bool,
        compact: bool,
        health: Option<HealthReceiver>,
        /// As whom the client watches; none where nobody signs in.
        watcher: Option<Watcher>,
    },
    /// The board, and a receiver that has seen the health that is in it.
    Board {
        response: Option<String>,
        health: Option<HealthReceiver>,
    },
    Leave {
        response: Option<String>,
        session_id: String,
    },
    /// The client says nothing, or does again.
    Silent(bool),
    /// The gateway ends, and all that was called is answered.
    End,
}

/// A session that this connection watches.
struct Subscription {
    session: Arc<Session>,
    quoted_id: String,
    cursor: Cursor,
    /// The client takes an event without a session for one of the session that was named last.
    compact: bool,
    grown: watch::Receiver<Position>,
    backlog: Option<watch::Receiver<u64>>,
    others: Option<OtherWatchers>,
    /// Its drop says that the client does not watch any more.
    viewer: Viewer,
}

/// The client is gone.
struct ClientGone;

struct Writer {
    sink: SplitSink<WebSocket, Message>,
    binary: bool,
    subscriptions: Vec<Subscription>,
    pause: SendPause,
    /// The session that was named last, quoted.
    named: Option<String>,
    /// Set once the client has asked for the list: it is notified of changes.
    list: Option<watch::Receiver<u64>>,
    /// Set once the client watches anything: it is notified of the gateway's health, or that of the session's machine.
    health: Option<HealthReceiver>,
    /// The client shows the board, so the gateway's own health counts.
    shows_board: bool,
}

async fn serve(state: AppState, gate: Gate, socket: WebSocket) {
    let binary = socket.protocol().is_some_and(|protocol| protocol == BINARY);
    let (sink, incoming) = socket.split();
    let (to_writer, tasks) = mpsc::channel(64);
    let writer = Writer {
        sink,
        binary,
        subscriptions: Vec::new(),
        pause: SendPause::rested(),
        named: None,
        list: None,
        health: None,
        shows_board: false,
    };
    let _open = state.sockets.open();
    // A task of its own: an event that is sent wakes nothing that reads.
    let mut writing = JoinSet::new();
    writing.spawn(writer.run(tasks));
    // Whichever task ends first ends the other one, and with it the watching.
    tokio::select! {
        () = read(state.clone(), state.push.page(), gate, incoming, to_writer) => {}
        _ = writing.join_next() => {}
    }
}

async fn read(
    state: AppState,
    page: VisiblePage,
    mut gate: Gate,
    mut incoming: SplitStream<WebSocket>,
    tasks: mpsc::Sender<WriterTask>,
) {
    let mut running = FuturesUnordered::new();
    let mut boards = JoinSet::new(); // ends with this connection
    let (silence, mut asleep) = (sleep(SILENCE), Box::pin(sleep(SLEEP)));
    tokio::pin!(silence);
    let (mut ends, mut last_calls) = (false, Box::pin(sleep(Duration::MAX)));
    while !ends || !running.is_empty() {
        let message = tokio::select! {
            () = has_ended(state.stopping.clone()), if !ends => {
                ends = true;
                last_calls.as_mut().reset(Instant::now() + LAST_CALLS);
                continue;
            }
            () = &mut last_calls, if ends => break,
            Some(done) = running.next(), if !running.is_empty() => {
                if let Some(task) = done && tasks.send(task).await.is_err() {
                    return;
                }
                continue;
            }
            () = gate.deadline() => return,
            () = &mut silence => return,
            () = &mut asleep, if !asleep.is_elapsed() => {
                page.set_silent(true);
                if tasks.send(WriterTask::Silent(true)).await.is_err() {
                    return;
                }
                continue;
            }
            message = incoming.next(), if running.len() < MOST_CALLS => message,
        };
        silence.as_mut().reset(Instant::now() + SILENCE);
        if asleep.is_elapsed() && tasks.send(WriterTask::Silent(false)).await.is_err() {
            return;
        }
        asleep.as_mut().reset(Instant::now() + SLEEP);
        page.set_silent(false);
        let bytes = match message {
            Some(Ok(Message::Text(text))) => Bytes::from(text),
            Some(Ok(Message::Binary(bytes))) => bytes,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
            Some(Ok(Message::Close(_)) | Err(_)) | None => return,
        };
        // Not for a ping, which may come in the middle of a message.
        gate.message_ended();
        let largest = gate.largest();
        if bytes.len() > largest {
            if tasks.send(WriterTask::Send(rpc::too_long(&bytes, largest))).await.is_err() {
                return;
            }
            continue;
        }
        match rpc::read(&bytes) {
            Incoming::Nothing => {}
            Incoming::One(call) => match gate.admit(call).and_then(|call| take_call(call, ends)) {
                Some(Ok(call)) if call.method == "pilothouse.board" => {
                    boards.abort_all(); // a second one replaces the first
                    boards.spawn(send_session_list(
                        state.sessions.clone(),
                        call,
                        gate.pass().announced_role(),
                        tasks.clone(),
                    ));
                }
                Some(Ok(call)) if call.method == "pilothouse.visible" => {
                    let response = show(&state.sessions, &page, gate.pass().person(), &call);
                    if let Some(response) = response
                        && tasks.send(WriterTask::Send(response)).await.is_err()
                    {
                        return;
                    }
                }
                admitted => {
                    let caller = Caller::new(gate.pass());
                    running.extend(admitted.map(|call| writer_task(&state, call, caller)));
                }
            },
            // The answers of a batch come one by one, as each is ready.
            Incoming::Many(calls) => {
                for call in calls {
                    let admitted = gate.admit(call).and_then(|call| take_call(call, ends));
                    let caller = Caller::new(gate.pass());
                    running.extend(admitted.map(|call| writer_task(&state, call, caller)));
                }
            }
        }
    }
    if tasks.send(WriterTask::End).await.is_ok() {
        // What still comes is read, not taken: with bytes that nobody has read the connection would be reset, and the client might not
        // get the last answers.
        while let Some(Ok(_)) = incoming.next().await {}
    }
}

/// A call that comes while the gateway ends is refused, so that the client knows that it was not carried out. None where nobody waits
/// for a response.
fn take_call(call: Result<Call, String>, ends: bool) -> Option<Result<Call, String>> {
    match call {
        Ok(call) if ends => {
            let fault = Fault::new(ErrorReason::RuntimeDown, COME_AGAIN);
            Some(Err(fault.response(Some(call.id.as_ref()?))))
        }
        call => Some(call),
    }
}

async fn send_session_list(
    sessions: Sessions,
    call: Call,
    role: Option<Role>,
    tasks: mpsc::Sender<WriterTask>,
) {
    let mut health = sessions.health();
    let mut board = Board::new(sessions);
    let mut all = board.all().await;
    add_gateway_facts(&mut all, role, health.as_mut());
    let all = all.to_string();
    let response = call.id.as_ref().map(|id| rpc::success(id, &all));
    if tasks.send(WriterTask::Board { response, health }).await.is_err() {
        return;
    }
    loop {
        for note in board.next().await {
            if tasks.send(WriterTask::Send(note)).await.is_err() {
                return;
            }
        }
    }
}

/// Adds the longest message that is taken, the client's role and the gateway's health to an answer.
fn add_gateway_facts(answer: &mut Value, role: Option<Role>, health: Option<&mut HealthReceiver>) {
    answer["maxMessageBytes"] = role.map_or(LARGEST_MESSAGE, largest).into();
    answer["protocol"] = PROTOCOL.into();
    if let Some(role) = role {
        answer["role"] = role.word().into();
    }
    if let Some(health) = health {
        answer["health"] = health.borrow_and_update().json();
    }
}

async fn writer_task(state: &AppState, call: Result<Call, String>, caller: Caller) -> Option<WriterTask> {
    let call = match call {
        Ok(call) => call,
        Err(response) => return Some(WriterTask::Answer(caller.answers.count(response))),
    };
    let sessions = &state.sessions;
    let subscription = match call.method.as_str() {
        "pilothouse.subscribe" => subscribe(state, &call, &caller).await,
        "pilothouse.unsubscribe" => unsubscribe(sessions, &call),
        "pilothouse.sessions" => {
            // Taken before the list is made: the answer may lack a change that comes meanwhile, so that is
            // notified after it.
            let seen = sessions.changes();
            let response = caller.respond(sessions, &call, None).await;
            return Some(WriterTask::List { response, seen });
        }
        _ => {
            let answer = caller.respond(sessions, &call, None).await;
            return answer.map(|text| WriterTask::Answer(caller.answers.count(text)));
        }
    };
    match subscription {
        Ok(task) => Some(task),
        Err(fault) => call.id.as_ref().map(|id| WriterTask::Send(fault.response(Some(id)))),
    }
}

async fn subscribe(state: &AppState, call: &Call, caller: &Caller) -> Result<WriterTask, Fault> {
    let session = session_of(&state.sessions, &call.params)?;
    let after = match &call.params["after"] {
        Value::Null => 0,
        after => after.as_u64().ok_or_else(|| {
            Fault::new(
                ErrorReason::InvalidParams,
                "pilothouse.subscribe: after must be a whole number, 0 or more",
            )
        })?,
    };
    Arc::clone(&session.agent).ready(&session.id, after).await;
    let newest = session.journal.position().length;
    let mut result = json!({"sessionId": session.id, "seq": newest});
    if let Some(id) = &call.id
        && call.params["history"] == true
        && session.journal.has_more_after(after, state.far_behind)
    {
        result["history"] = true.into();
        let response = Some(rpc::success(id, &result.to_string()));
        // An earlier subscription ends as well: no events follow.
        return Ok(WriterTask::Leave { response, session_id: session.id.clone() });
    }
    let mut health = if caller.actor.is_by_link() { None } else { session.agent.health_of(&session.id) };
    add_gateway_facts(&mut result, caller.announced_role, health.as_mut());
    let result = result.to_string();
    let response = call.id.as_ref().map(|id| rpc::success(id, &result));
    let cursor = session.journal.cursor_after(after);
    let [binary, compact] = ["binary", "compact"].map(|key| call.params[key] == true);
    let watcher = caller.announced_role.and(caller.actor.person.as_ref()).map(Watcher::new);
    Ok(WriterTask::Watch { response, session, cursor, binary, compact, health, watcher })
}

fn unsubscribe(sessions: &Sessions, call: &Call) -> Result<WriterTask, Fault> {
    let session = session_of(sessions, &call.params)?;
    let result = json!({"sessionId": session.id}).to_string();
    let response = call.id.as_ref().map(|id| rpc::success(id, &result));
    Ok(WriterTask::Leave { response, session_id: session.id.clone() })
}

/// The page shows a session or the board from now on, or does not any more. Returns the response.
fn show(sessions: &Sessions, page: &VisiblePage, person: Option<&Person>, call: &Call) -> Option<String> {
    let sight = if call.params["board"] == true {
        Ok((Sight::Board, json!({"board": true})))
    } else {
        session_of(sessions, &call.params)
            .map(|session| (Sight::Session(session.id.clone()), json!({"sessionId": session.id})))
    };
    let shown = sight.and_then(|(sight, mut result)| {
        let visible = call.params["visible"].as_bool().ok_or_else(|| {
            Fault::new(ErrorReason::InvalidParams, "pilothouse.visible: visible must be true or false")
        })?;
        if let Some(person) = person {
            page.set(&person.account(), sight, visible);
        }
        result["visible"] = visible.into();
        Ok(result.to_string())
    });
    let id = call.id.as_ref()?;
    Some(shown.map_or_else(|fault| fault.response(Some(id)), |result| rpc::success(id, &result)))
}

fn session_of(sessions: &Sessions, params: &Value) -> Result<Arc<Session>, Fault> {
    let id = match &params["sessionId"] {
        Value::Null => None,
        Value::String(id) => Some(id.as_str()),
        _ => return Err(Fault::new(ErrorReason::InvalidParams, "sessionId must be text")),
    };
    sessions.find(id).ok_or_else(|| Fault::unknown_session(id.unwrap_or("the first")))
}

impl Writer {
    async fn run(mut self, mut tasks: mpsc::Receiver<WriterTask>) {
        let mut ping = interval(PING);
        ping.reset();
        loop {
            // A ping that is due is sent even while a long log is being written.
            if is_due(&mut ping) && self.ping().await.is_err() {
                return;
            }
            while let Ok(task) = tasks.try_recv() {
                if self.carry_out(task).await.is_err() {
                    return;
                }
            }
            match self.send_news().await {
                Err(ClientGone) => return,
                Ok(true) => continue,
                Ok(false) => {}
            }
            let done = tokio::select! {
                task = tasks.recv() => match task {
                    Some(task) => self.carry_out(task).await,
                    None => Err(ClientGone),
                },
                () = any_growth(&mut self.subscriptions, self.pause) => Ok(()),
                () = any_change(&mut self.list) => self.send(LIST_CHANGED.to_owned()).await,
                () = any_change(&mut self.health) => self.send_health().await,
                _ = ping.tick() => self.ping().await,
            };
            if done.is_err() {
                return;
            }
        }
    }

    async fn carry_out(&mut self, task: WriterTask) -> Result<(), ClientGone> {
        let response = match task {
            WriterTask::Send(response) => Some(response),
            WriterTask::Answer(mut answer) => {
                let text = std::mem::take(&mut answer.text);
                return self.send(text).await; // it counts until it is sent
            }
            WriterTask::List { response, seen } => {
                self.list = Some(seen);
                response
            }
            WriterTask::Board { response, health } => {
                self.health = health.or(self.health.take());
                self.shows_board = true;
                response
            }
            WriterTask::Watch { response, session, cursor, binary, compact, health, watcher } => {
                self.binary |= binary;
                self.named = None; // by the first event the client knows the session
                self.health = health.filter(|_| !self.shows_board).or(self.health.take());
                self.subscriptions.retain(|subscription| subscription.session.id != session.id);
                let quoted_id = Value::from(session.id.as_str()).to_string();
                let others = OtherWatchers::of(&session, watcher.as_ref());
                let (grown, viewer) = (session.journal.follow(), session.watch(watcher));
                let backlog = session.agent.backlog(&session.id);
                self.subscriptions.push(Subscription {
                    session,
                    quoted_id,
                    cursor,
                    compact,
                    grown,
                    backlog,
                    others,
                    viewer,
                });
                response
            }
            WriterTask::Silent(silent) => {
                self.subscriptions.iter().for_each(|subscription| subscription.viewer.set_silent(silent));
                None
            }
            WriterTask::End => {
                let reason = CloseFrame { code: close_code::AWAY, reason: COME_AGAIN.into() };
                if self.sink.send(Message::Close(Some(reason))).await.is_ok() {
                    sleep(LONGEST_FAREWELL).await; // the reader ends this when the client has closed as well
                }
                return Err(ClientGone);
            }
            WriterTask::Leave { response, session_id } => {
                self.subscriptions.retain(|subscription| subscription.session.id != session_id);
                response
            }
        };
        match response {
            Some(response) => self.send(response).await,
            None => Ok(()),
        }
    }

    /// Sends what is new of each session, one batch each, so that a long log does not starve the others.
    /// Returns whether there was anything.
    async fn send_news(&mut self) -> Result<bool, ClientGone> {
        let mut frames = Vec::new();
        for subscription in &mut self.subscriptions {
            subscription.grown.mark_unchanged();
            let batch = subscription.session.journal.read(&mut subscription.cursor, LARGEST_FRAME);
            batch.entries.iter().for_each(|(_, entry)| subscription.session.delivered.count(entry.raw.len()));
            let Subscription { quoted_id, compact, .. } = subscription;
            let named = self.named.as_ref() == Some(quoted_id);
            frames.extend(pack(quoted_id, &batch, *compact, named));
            if !named && batch.entries.iter().any(|(_, entry)| entry.event) {
                self.named = Some(quoted_id.clone());
            }
            // After the events that caused the change.
            if let Some(backlog) =
                subscription.backlog.as_mut().filter(|one| one.has_changed().unwrap_or(false))
            {
                backlog.mark_unchanged();
                frames.push(backlog_changed(&subscription.quoted_id));
            }
            frames.extend(subscription.others.as_mut().and_then(OtherWatchers::due_note));
        }
        let any = !frames.is_empty();
        for frame in frames {
            self.send(frame).await?;
        }
        if any {
            self.pause.sent();
        }
        Ok(any)
    }

    async fn send_health(&mut self) -> Result<(), ClientGone> {
        let note = self.health.as_mut().map(|health| health.borrow_and_update().note());
        match note {
            Some(note) => self.send(note).await,
            None => Ok(()),
        }
    }

    async fn ping(&mut self) -> Result<(), ClientGone> {
        self.sink.send(Message::Ping(Bytes::new())).await.map_err(|_| ClientGone)
    }

    async fn send(&mut self, text: String) -> Result<(), ClientGone> {
        let message =
            if self.binary { Message::Binary(text.into_bytes().into()) } else { Message::Text(text.into()) };
        self.sink.send(message).await.map_err(|_| ClientGone)
    }
}

fn is_due(interval: &mut Interval) -> bool {
    interval.tick().now_or_never().is_some()
}

async fn any_growth(subscriptions: &mut [Subscription], pause: SendPause) {
    if subscriptions.is_empty() {
        return std::future::pending().await;
    }
    // The sender lives as long as the session that the subscription holds, so there is not an error.
    let any = subscriptions.iter_mut().map(|subscription| {
        Box::pin(async {
            // A clone, so that the change is still seen when the frames are made.
            let mut backlog = subscription.backlog.clone();
            tokio::select! {
                _ = subscription.grown.changed() => {}
                () = any_change(&mut backlog) => {}
                () = any_others(subscription.others.as_ref()) => {}
            }
        })
    });
    let _ = select_all(any).await;
    pause.due().await;
}

/// The notification that a session's backlog has changed.
fn backlog_changed(quoted_id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"pilothouse.backlog.changed","params":{{"sessionId":{quoted_id}}}}}"#
    )
}

/// Packs lines of a session into frames, several into one where they fit. `compact`: only the first event names the session, the
/// others are lines as those of a history; with `named` all are.
fn pack(quoted_id: &str, batch: &Batch, compact: bool, mut named: bool) -> Vec<String> {
    let mut frames = Vec::new();
    let bytes: usize = batch.entries.iter().map(|(_, entry)| entry.raw.len() + 40).sum();
    let mut frame = String::with_capacity((bytes + quoted_id.len() + 100).min(LARGEST_FRAME));
    for (seq, entry) in &batch.entries {
        // A reader may take a frame line by line, so an event with line breaks gets a frame of its own.
        let lines = entry.raw.contains('\n');
        let size = frame.len() + entry.raw.len() + quoted_id.len() + 100;
        let fits = entry.event && !lines && size < LARGEST_FRAME;
        if !fits && !frame.is_empty() {
            frames.push(std::mem::take(&mut frame));
        }
        if !entry.event {
            frames.push(entry.raw.to_string());
            continue;
        }
        if !frame.is_empty() {
            frame.push('\n');
        }
        // The line is spliced in byte for byte; writing into a String can't fail.
        let _ = if compact && std::mem::replace(&mut named, true) {
            write!(frame, r#"{{"seq":{seq},"event":{}}}"#, entry.raw)
        } else {
            write!(
                frame,
                r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":{quoted_id},"event":{},"seq":{seq}}}}}"#,
                entry.raw
            )
        };
        if lines {
            frames.push(std::mem::take(&mut frame));
        }
    }
    if !frame.is_empty() {
        frames.push(frame);
    }
    frames
}

#[cfg(test)]
mod tests;
