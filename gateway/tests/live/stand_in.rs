//! A stand-in for the runtime: it listens on loopback, speaks the runtime's frames, keeps a log of each
//! session and records every frame that it gets.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use crate::client::in_time;

/// The stand-in. Clones share one state.
#[derive(Clone)]
pub struct StandIn {
    pub address: SocketAddr,
    facts: Arc<Mutex<Facts>>,
    heard: Arc<watch::Sender<usize>>,
}

#[derive(Default)]
struct Facts {
    /// Each session's events: all that the runtime ever sent or would have sent.
    logs: HashMap<String, Vec<String>>,
    /// Every frame, as it came.
    frames: Vec<String>,
    results: HashMap<String, String>,
    errors: HashMap<String, String>,
    silent: HashSet<String>,
    line: Option<mpsc::UnboundedSender<Vec<u8>>>,
}

impl StandIn {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let runtime = Self {
            address: listener.local_addr().unwrap(),
            facts: Arc::default(),
            heard: Arc::new(watch::Sender::new(0)),
        };
        let serving = runtime.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        runtime
    }

    /// Gives a method this result from now on.
    pub fn result(&self, method: &str, raw: &str) {
        self.facts().results.insert(method.to_owned(), raw.to_owned());
    }

    /// Makes a method fail with this error from now on.
    pub fn error(&self, method: &str, raw: &str) {
        self.facts().errors.insert(method.to_owned(), raw.to_owned());
    }

    /// Makes a failing method work again.
    pub fn mend(&self, method: &str) {
        self.facts().errors.remove(method);
    }

    /// Leaves a method without an answer from now on.
    pub fn silent(&self, method: &str) {
        self.facts().silent.insert(method.to_owned());
    }

    /// Answers a call that was left without an answer.
    pub fn reply(&self, frame: &str, result: &str) {
        let call: Value = serde_json::from_str(frame).unwrap();
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, call["id"]));
    }

    /// Adds an event to the log, and sends it.
    pub fn emit(&self, session: &str, event: &str) {
        self.note(session, event);
        self.say(&event_frame(session, event));
    }

    /// Adds an event to the log without sending it.
    pub fn note(&self, session: &str, event: &str) {
        self.facts().logs.entry(session.to_owned()).or_default().push(event.to_owned());
    }

    /// Answers a silent method again.
    pub fn speak(&self, method: &str) {
        self.facts().silent.remove(method);
    }

    /// Sends a message.
    pub fn say(&self, message: &str) {
        if let Some(line) = &self.facts().line {
            let _ = line.send(format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes());
        }
    }

    /// Ends the connection.
    pub fn cut(&self) {
        self.facts().line = None;
    }

    /// How often this method was called.
    pub fn count(&self, method: &str) -> usize {
        let facts = self.facts();
        facts.frames.iter().filter(|frame| is_call(frame, method)).count()
    }

    /// The frames that called this method, once there are `count` of them.
    pub async fn calls(&self, method: &str, count: usize) -> Vec<String> {
        self.until(&format!("{count} of {method}"), |frames| {
            let calls: Vec<_> = frames.iter().filter(|frame| is_call(frame, method)).cloned().collect();
            (calls.len() >= count).then_some(calls)
        })
        .await
    }

    /// The answer to a request that the runtime made.
    pub async fn answer(&self, id: &str) -> Value {
        self.until("an answer", |frames| {
            let frames = frames.iter().map(|frame| serde_json::from_str::<Value>(frame).unwrap());
            frames.into_iter().find(|frame| frame["id"] == id && frame["method"].is_null())
        })
        .await
    }

    async fn until<T>(&self, what: &str, found: impl Fn(&[String]) -> Option<T>) -> T {
        let mut heard = self.heard.subscribe();
        in_time(what, async {
            loop {
                heard.mark_unchanged();
                if let Some(found) = found(&self.facts().frames) {
                    return found;
                }
                heard.changed().await.unwrap();
            }
        })
        .await
    }

    fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap()
    }

    async fn serve(self, stream: TcpStream) {
        let (from, mut to) = stream.into_split();
        let (line, mut frames) = mpsc::unbounded_channel::<Vec<u8>>();
        self.facts().line = Some(line);
        let writing = tokio::spawn(async move {
            while let Some(frame) = frames.recv().await {
                if to.write_all(&frame).await.is_err() {
                    return;
                }
            }
        });
        let reading = async {
            let mut from = BufReader::new(from);
            while let Some(frame) = read(&mut from).await {
                self.take(frame);
            }
        };
        tokio::select! {
            _ = writing => {}
            () = reading => {}
        }
    }

    fn take(&self, frame: String) {
        let message: Value = serde_json::from_str(&frame).unwrap();
        self.facts().frames.push(frame);
        if let Some(method) = message["method"].as_str() {
            self.serve_call(method, &message);
        }
        self.heard.send_modify(|count| *count += 1);
    }

    fn serve_call(&self, method: &str, message: &Value) {
        let id = &message["id"];
        let params = &message["params"];
        let session = params["sessionId"].as_str().unwrap_or_default();
        if self.facts().silent.contains(method) {
            return;
        }
        let error = self.facts().errors.get(method).cloned();
        if let Some(error) = error {
            return self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#));
        }
        let set = self.facts().results.get(method).cloned();
        let result = set.unwrap_or_else(|| match method {
            "session.create" => {
                self.emit(session, &event("session.start", &format!("{session}-start")));
                json!({"sessionId": session, "mode": "interactive"}).to_string()
            }
            "session.resume" => {
                let resumes = self.count("session.resume");
                self.emit(session, &event("session.resume", &format!("{session}-resume-{resumes}")));
                json!({"sessionId": session}).to_string()
            }
            "session.destroy" => {
                self.emit(session, &event("session.shutdown", &format!("{session}-end")));
                json!({"success": true}).to_string()
            }
            "session.eventLog.read" => self.page(session, params),
            "session.list" => {
                let facts = self.facts();
                let ids =
                    facts.logs.keys().map(|id| json!({"sessionId": id, "name": format!("Session {id}")}));
                json!({"sessions": ids.collect::<Vec<_>>()}).to_string()
            }
            _ => json!({"success": true}).to_string(),
        });
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
    }

    /// A page of a session's log: at most three events, so that pages matter.
    fn page(&self, session: &str, params: &Value) -> String {
        let from: usize = params["cursor"].as_str().map_or(0, |cursor| cursor.parse().unwrap());
        let facts = self.facts();
        let log = facts.logs.get(session).map(Vec::as_slice).unwrap_or_default();
        let to = (from + 3).min(log.len());
        let events = log[from..to].join(",");
        format!(r#"{{"events":[{events}],"cursor":"{to}","hasMore":{},"cursorStatus":"ok"}}"#, to < log.len())
    }
}

/// A plain event.
pub fn event(kind: &str, id: &str) -> String {
    format!(
        r#"{{"type":"{kind}","data":{{}},"id":"{id}","timestamp":"2026-11-22T08:00:00.000Z","parentId":null}}"#
    )
}

pub fn event_frame(session: &str, event: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"{session}","event":{event}}}}}"#
    )
}

fn is_call(frame: &str, method: &str) -> bool {
    let message: Value = serde_json::from_str(frame).unwrap();
    message["method"] == method
}

async fn read(from: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> Option<String> {
    let mut header = String::new();
    from.read_line(&mut header).await.ok().filter(|length| *length > 0)?;
    let length: usize = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    from.read_line(&mut header).await.ok()?;
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await.ok()?;
    Some(String::from_utf8(bytes).unwrap())
}
