//! The stand-in for the runtime. Unlike the one of the other tests it has what can be lost: a log in memory with
//! a part on disk, a queue, open requests. It notes all that it emitted and all that reached it.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;

use super::history::{Asked, Kind};

/// So few events are in a page of the log that pages matter.
const PAGE: usize = 7;

/// Rung whenever anything has changed, for those who wait.
pub type Bell = Arc<watch::Sender<u64>>;

pub fn ring(bell: &Bell) {
    bell.send_modify(|count| *count += 1);
}

/// The stand-in. Clones share one state.
#[derive(Clone)]
pub struct Runtime {
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    paused: Arc<watch::Sender<bool>>,
    bell: Bell,
}

/// An event that the runtime has emitted.
#[derive(Clone, Debug)]
pub struct Emitted {
    pub id: String,
    pub raw: String,
    pub persisted: bool,
}

/// Something of a client that reached the runtime.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub method: String,
    /// What identifies it: the client gave it.
    pub mark: String,
    pub params: Value,
    /// What the runtime did with it. None: it refused.
    pub taken: Option<bool>,
}

#[derive(Default)]
pub struct State {
    session: &'static str,
    pub emitted: Vec<Emitted>,
    pub arrivals: Vec<Arrival>,
    /// What the gateway did that it must not do.
    pub wrong: Vec<String>,
    /// How many connections have ended.
    pub ends: usize,
    /// What the runtime knows of the session, as numbers in `emitted`: the log that it would give.
    pub log: Vec<usize>,
    /// How much of it is certainly on disk.
    saved: usize,
    in_memory: bool,
    processing: bool,
    connection: Option<Connection>,
    connections: u64,
    pub queue: Vec<Queued>,
    requests: Vec<Request>,
    /// The requests to which an answer has come over this connection and is not replied to.
    on_their_way: HashSet<String>,
    held: Option<Vec<Reply>>,
    ids: usize,
}

struct Connection {
    out: mpsc::UnboundedSender<Vec<u8>>,
    attached: bool,
    ending: watch::Sender<bool>,
    writer: AbortHandle,
}

struct Reply {
    text: String,
    request: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Queued {
    pub id: String,
    pub message_id: Option<String>,
    pub text: String,
}

#[derive(Clone)]
struct Request {
    id: String,
    what: Asked,
    opened: usize,
    closed: Option<usize>,
    gone: bool,
}

impl Runtime {
    /// It has this session, once that is made.
    pub async fn start(bell: Bell, session: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let runtime = Self {
            address: listener.local_addr().unwrap(),
            state: Arc::new(Mutex::new(State { session, ..State::default() })),
            paused: Arc::new(watch::Sender::new(false)),
            bell,
        };
        let serving = runtime.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        runtime
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Whether a client of the gateway would be heard now.
    pub fn is_reachable(&self) -> bool {
        let state = self.state();
        !*self.paused.borrow() && state.connection.as_ref().is_some_and(|connection| connection.attached)
    }

    pub fn described(&self) -> String {
        let state = self.state();
        let connection = match &state.connection {
            None => "has no connection",
            Some(connection) if connection.attached => "is attached",
            Some(_) => "is not attached",
        };
        format!("{connection}, in memory: {}, {} emitted", state.in_memory, state.emitted.len())
    }

    pub fn is_connected(&self) -> bool {
        self.state().connection.is_some()
    }

    pub fn is_paused(&self) -> bool {
        *self.paused.borrow()
    }

    pub fn is_holding(&self) -> bool {
        self.state().held.is_some()
    }

    pub fn pause(&self, paused: bool) {
        self.paused.send_replace(paused);
    }

    pub fn emit(&self, what: Kind, count: usize) {
        let mut state = self.state();
        for _ in 0..count {
            if !self.is_paused() && state.in_memory {
                state.emit_some(what);
            }
        }
        drop(state);
        ring(&self.bell);
    }

    /// Emits an event that can be waited for. Returns its number.
    pub fn mark(&self) -> Option<usize> {
        let mut state = self.state();
        state.in_memory.then(|| state.emit("session.info", &json!({"infoType": "mark", "message": ""}), true))
    }

    pub fn ask(&self, what: Asked) {
        let mut state = self.state();
        if self.is_paused() || !state.in_memory {
            return;
        }
        let id = state.fresh("request");
        let call = format!("call-of-{id}");
        let data = match what {
            Asked::Permission => json!({
                "requestId": id, "toolCallId": call,
                "permissionRequest": {"kind": "shell", "toolCallId": call, "fullCommandText": "touch it"},
            }),
            Asked::Question => json!({"requestId": id, "question": "Where to?", "choices": ["here"]}),
            Asked::Form => {
                json!({"requestId": id, "message": "Fill it in", "requestedSchema": {"type": "object"}})
            }
        };
        let opened = state.emit(what.names().0, &data, what == Asked::Permission);
        state.requests.push(Request { id, what, opened, closed: None, gone: false });
    }

    /// The request that is so far from the newest.
    pub fn request(&self, back: usize) -> Option<(String, Asked)> {
        let state = self.state();
        let at = state.requests.len().checked_sub(1 + back.min(state.requests.len().checked_sub(1)?))?;
        state.requests.get(at).map(|request| (request.id.clone(), request.what))
    }

    /// The number in the id of the event that opened a request, if the log has it.
    pub fn event_of(&self, request: &str) -> Option<usize> {
        let state = self.state();
        let opened = state.requests.iter().find(|one| one.id == request)?.opened;
        let opened = state.emitted.get(opened).filter(|_| state.log.contains(&opened))?;
        opened.id.strip_prefix("event-")?.parse().ok()
    }

    pub fn turn(&self) {
        let mut state = self.state();
        if self.is_paused() || !state.in_memory || state.queue.is_empty() {
            return;
        }
        let Queued { id, message_id, text } = state.queue.remove(0);
        state.emit("pending_messages.modified", &json!({}), false);
        match message_id {
            Some(message_id) => {
                state.processing = true;
                let data = json!({"content": text, "messageId": message_id, "delivery": "queued"});
                state.emit("user.message", &data, true);
                state.emit("assistant.turn_start", &json!({"turnId": "0"}), true);
            }
            None => {
                state.emit(
                    "command.queued",
                    &json!({"requestId": format!("run-{id}"), "command": text}),
                    false,
                );
            }
        }
    }

    pub fn idle(&self) {
        let mut state = self.state();
        if !self.is_paused() && state.in_memory {
            state.processing = false;
            state.emit("session.idle", &json!({}), false);
        }
    }

    pub fn hold(&self) {
        self.state().held.get_or_insert_default();
    }

    pub fn release(&self) {
        let mut state = self.state();
        for reply in state.held.take().unwrap_or_default() {
            state.reply(reply);
        }
    }

    /// Ends the connection.
    pub fn cut(&self, lose: bool) {
        self.state().end(lose);
    }

    /// Ends the process: what is in its memory is gone.
    pub fn kill(&self, wrote: usize) {
        self.pause(false);
        let mut state = self.state();
        state.end(true);
        let unsaved = state.log.len().saturating_sub(state.saved);
        let left = state.log.len() - unsaved + unsaved * wrote / 100;
        state.log.truncate(left);
        let State { log, emitted, requests, .. } = &mut *state;
        log.retain(|at| emitted[*at].persisted);
        for request in requests.iter_mut() {
            request.closed = request.closed.filter(|closed| log.contains(closed));
            request.gone |= request.what != Asked::Permission || !log.contains(&request.opened);
        }
        state.saved = state.log.len();
        state.forget();
    }

    async fn serve(self, stream: TcpStream) {
        let (from, mut to) = stream.into_split();
        let (out, mut frames) = mpsc::unbounded_channel::<Vec<u8>>();
        let ending = watch::Sender::new(false);
        let mut ended = ending.subscribe();
        let mut paused = self.paused.subscribe();
        let mut still = self.paused.subscribe();
        let writing = tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                let _ = paused.wait_for(|paused| !paused).await;
                if to.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        let number = {
            let mut state = self.state();
            state.end(true); // there is one gateway
            state.connections += 1;
            let writer = writing.abort_handle();
            state.connection = Some(Connection { out, attached: false, ending, writer });
            state.connections
        };
        let reading = async {
            let mut from = BufReader::new(from);
            while let Some(frame) = read(&mut from).await {
                let _ = still.wait_for(|paused| !paused).await;
                let message: Value = serde_json::from_str(&frame).unwrap();
                let mut state = self.state();
                if state.connections != number || state.connection.is_none() {
                    return;
                }
                if let Some(method) = message["method"].as_str() {
                    state.serve(method, &message);
                }
                drop(state);
                ring(&self.bell);
            }
        };
        tokio::select! {
            () = reading => {}
            _ = ended.wait_for(|ended| *ended) => {}
        }
        let mut state = self.state();
        if state.connections == number {
            state.end(true);
        }
        drop(state);
        ring(&self.bell);
    }
}

impl State {
    fn fresh(&mut self, what: &str) -> String {
        self.ids += 1;
        format!("{what}-{}", self.ids)
    }

    fn emit_some(&mut self, what: Kind) {
        let at = self.ids;
        match what {
            Kind::Delta => {
                let data =
                    json!({"messageId": format!("m{}", at / 20), "deltaContent": format!("word {at} ")});
                self.emit("assistant.message_delta", &data, false);
            }
            Kind::Reasoning => {
                let data =
                    json!({"reasoningId": format!("r{}", at / 20), "deltaContent": format!("thought {at} ")});
                self.emit("assistant.reasoning_delta", &data, false);
            }
            Kind::Tool => {
                let id = format!("tool-{at}");
                let data =
                    json!({"toolCallId": id, "toolName": "view", "arguments": {"path": "é \u{2028} \\"}});
                self.emit("tool.execution_start", &data, true);
                let data =
                    json!({"toolCallId": id, "success": true, "result": {"content": "x".repeat(at % 700)}});
                self.emit("tool.execution_complete", &data, true);
            }
            Kind::Message => {
                let data = json!({"messageId": format!("m{at}"), "content": format!("It is number {at}.")});
                self.emit("assistant.message", &data, true);
            }
            Kind::Usage => {
                self.emit("assistant.usage", &json!({"inputTokens": at}), false);
            }
            Kind::Odd => {
                let id = self.fresh("event");
                let persisted = at.is_multiple_of(2);
                let raw = format!(
                    "{{ \"data\" : {{\"n\":1.50e3,\n\"t\":\"\\u00e9\\/\"}},\"id\":\"{id}\",\n \"ephemeral\":{}, \"type\":\"x.unknown\" }}",
                    !persisted
                );
                self.add(id, raw, persisted);
            }
        }
    }

    fn emit(&mut self, kind: &str, data: &Value, persisted: bool) -> usize {
        let id = self.fresh("event");
        let mut raw = format!(
            r#"{{"type":"{kind}","data":{data},"id":"{id}","timestamp":"2026-11-22T08:00:00.000Z","parentId":null"#
        );
        write!(raw, "{}", if persisted { "}" } else { r#","ephemeral":true}"# }).unwrap();
        self.add(id, raw, persisted)
    }

    fn add(&mut self, id: String, raw: String, persisted: bool) -> usize {
        let at = self.emitted.len();
        self.log.push(at);
        if self.connection.as_ref().is_some_and(|connection| connection.attached) {
            let session = self.session;
            self.say(&format!(
                r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"{session}","event":{raw}}}}}"#
            ));
        }
        self.emitted.push(Emitted { id, raw, persisted });
        at
    }

    fn say(&self, message: &str) {
        if let Some(connection) = &self.connection {
            let _ = connection
                .out
                .send(format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes());
        }
    }

    fn end(&mut self, lose: bool) {
        if let Some(connection) = self.connection.take() {
            if lose {
                connection.writer.abort();
            }
            connection.ending.send_replace(true);
            self.ends += 1;
        }
        self.on_their_way.clear();
        if let Some(held) = &mut self.held {
            held.clear();
        }
    }

    /// The session is no longer in memory.
    fn forget(&mut self) {
        self.in_memory = false;
        self.processing = false;
        self.queue.clear();
        if let Some(connection) = &mut self.connection {
            connection.attached = false;
        }
    }

    fn attach(&mut self) {
        self.in_memory = true;
        if let Some(connection) = &mut self.connection {
            connection.attached = true;
        }
    }

    fn reply(&mut self, reply: Reply) {
        if let Some(request) = reply.request {
            self.on_their_way.remove(&request);
        }
        self.say(&reply.text);
    }

    fn serve(&mut self, method: &str, message: &Value) {
        let params = &message["params"];
        let answered =
            [Asked::Permission, Asked::Question, Asked::Form].iter().any(|what| what.method() == method);
        let request = params["requestId"].as_str().filter(|_| answered).map(str::to_owned);
        let outcome = self.outcome(method, params, request.as_deref());
        let text = match &outcome {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, message["id"]),
            Err(error) => {
                let error = json!({"code": -32603, "message": error});
                format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, message["id"])
            }
        };
        let marked = request.is_some() || ["session.send", "session.commands.enqueue"].contains(&method);
        let invoked = method == "session.commands.invoke";
        if marked || invoked {
            let own = ["mark", "prompt", "command", "input"].iter().find_map(|name| params[*name].as_str());
            let taken = outcome.as_ref().ok().map(|result| result != r#"{"success":false}"#);
            let (method, mark) = (method.to_owned(), own.unwrap_or_default().to_owned());
            self.arrivals.push(Arrival { method, mark, params: params.clone(), taken });
        }
        if let Some(request) = &request
            && !self.on_their_way.insert(request.clone())
        {
            self.wrong.push(format!("two answers to {request} were on their way to the runtime at once"));
        }
        let reply = Reply { text, request };
        match &mut self.held {
            Some(held) if marked || invoked => held.push(reply),
            _ => self.reply(reply),
        }
    }

    fn outcome(&mut self, method: &str, params: &Value, request: Option<&str>) -> Result<String, String> {
        let known = !self.log.is_empty();
        match method {
            "session.list" => {
                let all: Vec<_> = known.then(|| json!({"sessionId": self.session})).into_iter().collect();
                return Ok(json!({"sessions": all}).to_string());
            }
            "session.create" => {
                self.attach();
                self.emit("session.start", &json!({"startTime": "2026-11-22T08:00:00.000Z"}), true);
                self.saved = self.log.len();
                return Ok(json!({"sessionId": self.session}).to_string());
            }
            "session.resume" if known => {
                let cold = !self.in_memory;
                self.attach();
                let data = json!({"continuePendingWork": params["continuePendingWork"]});
                self.emit("session.resume", &data, true);
                if cold && params["continuePendingWork"] == false {
                    self.requests.iter_mut().for_each(|request| request.gone = true);
                }
                return Ok(json!({"sessionId": self.session}).to_string());
            }
            "session.eventLog.read" => return Ok(self.page(params)),
            "sessions.readPersistedEvents" => {
                let events = self.log.iter().map(|at| &self.emitted[*at]).filter(|event| event.persisted);
                return Ok(format!(r#"{{"events":[{}],"hasMore":false}}"#, join(events)));
            }
            "connect" => return Ok("{}".to_owned()),
            _ => {}
        }
        if !self.in_memory {
            return Err("Session not found".to_owned());
        }
        if let Some(request) = request {
            return Ok(json!({"success": self.answer(request, params)}).to_string());
        }
        let result = match method {
            "session.destroy" => {
                self.emit("session.shutdown", &json!({"shutdownType": "destroy"}), true);
                let State { log, emitted, .. } = self;
                log.retain(|at| emitted[*at].persisted);
                for request in &mut self.requests {
                    request.gone |= request.what != Asked::Permission;
                }
                self.saved = self.log.len();
                self.forget();
                json!({"success": true})
            }
            "sessions.save" => {
                self.saved = self.log.len();
                json!({})
            }
            "session.metadata.isProcessing" => json!({"processing": self.processing}),
            "session.queue.pendingItems" => {
                let items = self.queue.iter().map(|item| {
                    let kind = if item.message_id.is_some() { "message" } else { "command" };
                    json!({"id": item.id, "messageId": item.message_id, "kind": kind, "displayText": item.text})
                });
                json!({"items": items.collect::<Vec<_>>(), "steeringMessages": []})
            }
            "session.send" | "session.commands.enqueue" => {
                let id = self.fresh("item");
                let message_id = (method == "session.send").then(|| format!("message-{id}"));
                let text = params["prompt"].as_str().or(params["command"].as_str()).unwrap_or_default();
                self.queue.push(Queued { id, message_id: message_id.clone(), text: text.to_owned() });
                self.emit("pending_messages.modified", &json!({}), false);
                message_id.map_or_else(|| json!({"queued": true}), |id| json!({"messageId": id}))
            }
            "session.commands.invoke" => json!({"kind": "text", "text": "It is done."}),
            "session.commands.respondToQueuedCommand" => {
                self.emit("command.completed", &json!({"requestId": params["requestId"]}), false);
                json!({"success": true})
            }
            _ => json!({"success": true}),
        };
        Ok(result.to_string())
    }

    fn answer(&mut self, id: &str, params: &Value) -> bool {
        let open = |request: &&Request| request.id == id && !request.gone && request.closed.is_none();
        let Some(request) = self.requests.iter().find(open).cloned() else {
            return false;
        };
        let mut data = match request.what {
            Asked::Permission => {
                let rejected = params["result"]["kind"] == "reject";
                let kind = if rejected { "denied-interactively-by-user" } else { "approved" };
                json!({"result": {"kind": kind}, "toolCallId": format!("call-of-{id}")})
            }
            Asked::Question => params["response"].clone(),
            Asked::Form => params["result"].clone(),
        };
        (data["requestId"], data["mark"]) = (id.into(), params["mark"].clone());
        let closed = self.emit(request.what.names().1, &data, request.what == Asked::Permission);
        if let Some(request) = self.requests.iter_mut().find(|request| request.id == id) {
            request.closed = Some(closed);
        }
        true
    }

    fn page(&self, params: &Value) -> String {
        let from: usize = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let to = (from + PAGE).min(self.log.len());
        let events = join(self.log[from.min(to)..to].iter().map(|at| &self.emitted[*at]));
        let more = to < self.log.len();
        format!(r#"{{"events":[{events}],"cursor":"{to}","hasMore":{more},"cursorStatus":"ok"}}"#)
    }
}

fn join<'a>(events: impl Iterator<Item = &'a Emitted>) -> String {
    events.map(|event| event.raw.as_str()).collect::<Vec<_>>().join(",")
}

async fn read(from: &mut BufReader<OwnedReadHalf>) -> Option<String> {
    let mut header = String::new();
    from.read_line(&mut header).await.ok().filter(|length| *length > 0)?;
    let length: usize = header.trim().strip_prefix("Content-Length: ")?.parse().ok()?;
    from.read_line(&mut header).await.ok()?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await.ok()?;
    String::from_utf8(bytes).ok()
}
