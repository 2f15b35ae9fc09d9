//! A stand-in for the runtime: it answers the gateway's calls, and sends events of its sessions at an even pace.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// What stands before the time of sending in each event.
pub const MARK: &[u8] = br#""sent":"#;

/// The stand-in, for one client at a time.
pub struct Runtime {
    pub address: SocketAddr,
    /// What the times in the events count from.
    pub begin: Instant,
    client: Arc<Mutex<Option<TcpStream>>>,
}

impl Runtime {
    /// A runtime with this many sessions, which listens on loopback.
    pub fn start(sessions: usize) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let runtime = Self { address: listener.local_addr()?, begin: Instant::now(), client: Arc::default() };
        let client = Arc::clone(&runtime.client);
        thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                // A client that left is no error: the next one comes.
                let _ = serve(&stream, &client, sessions);
            }
        });
        Ok(runtime)
    }

    /// Sends this many events, evenly over the time. `active` of the sessions have events at a time, in turns, so that all have as
    /// many in the end.
    pub fn emit(&self, sessions: usize, active: usize, all: usize, over: Duration) -> Result<()> {
        let of_group = (all * active / sessions).max(1);
        let start = Instant::now();
        let mut waiting = Vec::new();
        for number in 0..all {
            let due = start + over.mul_f64(number as f64 / all as f64);
            let now = Instant::now();
            if now < due {
                self.send(&waiting)?;
                waiting.clear();
                thread::sleep(due - now);
            }
            let event = event(number, self.begin.elapsed());
            let session = (number / of_group * active + number % active) % sessions;
            let message = format!(
                r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"s{session}","event":{event}}}}}"#
            );
            write_frame(&mut waiting, &message)?;
        }
        self.send(&waiting)
    }

    fn send(&self, bytes: &[u8]) -> Result<()> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(client.as_mut().context("nobody is connected to the runtime")?.write_all(bytes)?)
    }
}

/// An event as the runtime sends most of: a few words of an answer, 280 bytes.
fn event(number: usize, sent: Duration) -> String {
    let mut words = String::new();
    while words.len() < 40 {
        let _ = write!(words, "word {} ", number + words.len()); // writing into a String can't fail
    }
    let nanoseconds = sent.as_nanos();
    format!(
        r#"{{"type":"assistant.message_delta","data":{{"messageId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff","deltaContent":"{words}","sent":{nanoseconds}}},"id":"00000000-0000-4000-8000-{number:012}","timestamp":"2026-11-22T08:00:00.000Z","parentId":null,"ephemeral":true}}"#
    )
}

fn write_frame(to: &mut impl std::io::Write, message: &str) -> std::io::Result<()> {
    write!(to, "Content-Length: {}\r\n\r\n{message}", message.len())
}

/// Answers one client's calls until it leaves.
fn serve(stream: &TcpStream, client: &Mutex<Option<TcpStream>>, sessions: usize) -> Result<()> {
    stream.set_nodelay(true)?;
    *client.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream.try_clone()?);
    let mut from = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut header = String::new();
            if from.read_line(&mut header)? == 0 {
                return Ok(());
            }
            match header.trim().strip_prefix("Content-Length:") {
                Some(value) => length = value.trim().parse()?,
                None if header.trim().is_empty() => break,
                None => {}
            }
        }
        let mut message = vec![0; length];
        from.read_exact(&mut message)?;
        let call: Value = serde_json::from_slice(&message)?;
        let (id, Some(method)) = (&call["id"], call["method"].as_str()) else { continue };
        if id.is_null() {
            continue;
        }
        let result = match method {
            "session.list" => {
                let ids = (0..sessions).map(|number| json!({"sessionId": format!("s{number}")}));
                json!({"sessions": ids.collect::<Vec<_>>()})
            }
            "session.eventLog.read" => {
                json!({"events": [], "cursor": "0", "hasMore": false, "cursorStatus": "ok"})
            }
            _ => json!({"success": true}),
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = client.as_mut() {
            write_frame(client, &answer)?;
        }
    }
}
