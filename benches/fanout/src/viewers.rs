//! The viewers: many connections in one thread, which read into one buffer and note when each event came.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::runtime::MARK;

/// How viewers are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    WebSocket,
    EventStream,
}

/// What all viewers have seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// How many viewers are connected, and have been answered.
    pub open: AtomicUsize,
    /// Viewers whose connection ended.
    pub lost: AtomicUsize,
    /// How many events came.
    pub events: AtomicU64,
    /// Events that came twice, or after a later one.
    pub disordered: AtomicU64,
    /// From sending to reading, in microseconds.
    latencies: Mutex<Vec<u32>>,
}

/// Viewers that are connected. Dropping this ends their connections.
pub struct Viewers {
    pub seen: Arc<Seen>,
    stop: watch::Sender<bool>,
}

/// The longest piece of an event that has to be kept until the next read: the mark and the time after it.
const TAIL: usize = 40;

thread_local! {
    static BUFFER: std::cell::RefCell<Vec<u8>> = std::cell::RefCell::new(vec![0; 256 << 10]);
}

impl Seen {
    /// The latencies since this was asked last, in ascending order.
    pub fn take_latencies(&self) -> Vec<u32> {
        let mut taken = std::mem::take(&mut *self.latencies.lock().unwrap_or_else(PoisonError::into_inner));
        taken.sort_unstable();
        taken
    }
}

impl Viewers {
    /// Connects this many viewers, the sessions in turns. Returns when each has been answered.
    pub fn connect(
        address: SocketAddr,
        carrier: Carrier,
        viewers: usize,
        sessions: usize,
        begin: Instant,
    ) -> Result<Self> {
        let seen = Arc::new(Seen::default());
        let (stop, mut stopped) = watch::channel(false);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let all = Arc::clone(&seen);
        thread::spawn(move || {
            runtime.block_on(async move {
                for number in 0..viewers {
                    let seen = Arc::clone(&all);
                    tokio::spawn(async move {
                        let _ = watch_session(address, carrier, number % sessions, begin, &seen).await;
                        seen.lost.fetch_add(1, Ordering::Relaxed);
                    });
                    // Not all at once: the queue of connections that wait is short.
                    while number + 1
                        > all.open.load(Ordering::Relaxed) + all.lost.load(Ordering::Relaxed) + 50
                    {
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                }
                let _ = stopped.wait_for(|stop| *stop).await;
            });
        });
        let connected = Self { seen, stop };
        let deadline = Instant::now() + Duration::from_mins(1);
        while connected.seen.open.load(Ordering::Relaxed) < viewers {
            let lost = connected.seen.lost.load(Ordering::Relaxed);
            if lost > 0 || Instant::now() > deadline {
                bail!("{} of {viewers} viewers were connected", connected.seen.open.load(Ordering::Relaxed));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(connected)
    }
}

impl Drop for Viewers {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// Watches one session until the connection ends.
async fn watch_session(
    address: SocketAddr,
    carrier: Carrier,
    session: usize,
    begin: Instant,
    seen: &Seen,
) -> Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    match carrier {
        Carrier::WebSocket => {
            let upgrade = format!(
                "GET /api/rpc HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            stream.write_all(upgrade.as_bytes()).await?;
            until(&stream, b"\r\n\r\n").await?;
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"pilothouse.subscribe","params":{{"sessionId":"s{session}","compact":true}}}}"#
            );
            stream.write_all(&masked(&call)).await?;
            until(&stream, br#""result""#).await?;
        }
        Carrier::EventStream => {
            let get = format!("GET /api/sessions/s{session}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
            stream.write_all(get.as_bytes()).await?;
            until(&stream, b": open").await?;
        }
    }
    seen.open.fetch_add(1, Ordering::Relaxed);
    let (mut tail, mut last) = (Vec::with_capacity(TAIL), 0);
    loop {
        stream.readable().await?;
        let open = BUFFER.with_borrow_mut(|buffer| {
            let kept = tail.len();
            let Some((before, room)) = buffer.split_at_mut_checked(kept) else { return Ok(false) };
            before.copy_from_slice(&tail);
            match stream.try_read(room) {
                Ok(0) => return Ok(false),
                Ok(read) => {
                    let bytes = buffer.get(..kept + read).unwrap_or_default();
                    let rest = note_events(bytes, begin, &mut last, seen);
                    tail.clear();
                    tail.extend_from_slice(rest);
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
            Ok(true)
        })?;
        if !open {
            return Ok(());
        }
    }
}

/// Notes each event whose time is there whole. Returns what has to be read again with what follows.
fn note_events<'a>(bytes: &'a [u8], begin: Instant, last: &mut u64, seen: &Seen) -> &'a [u8] {
    let now = begin.elapsed().as_nanos() as u64;
    let mut rest = bytes;
    let mut latencies = seen.latencies.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(at) = find(rest, MARK) {
        let digits = rest.get(at + MARK.len()..).unwrap_or_default();
        let Some(end) = digits.iter().position(|byte| !byte.is_ascii_digit()) else {
            return rest.get(at..).unwrap_or_default();
        };
        let sent = digits.iter().take(end).fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        if sent <= *last {
            seen.disordered.fetch_add(1, Ordering::Relaxed);
        }
        *last = sent;
        seen.events.fetch_add(1, Ordering::Relaxed);
        latencies.push((now.saturating_sub(sent) / 1000) as u32);
        rest = digits.get(end..).unwrap_or_default();
    }
    rest.get(rest.len().saturating_sub(MARK.len() - 1)..).unwrap_or_default()
}

fn find(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        // Few bytes of an event are this one, so the search is cheap.
        let at = from + bytes.get(from..)?.iter().position(|byte| Some(byte) == mark.first())?;
        if bytes.get(at..at + mark.len()) == Some(mark) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Reads until these bytes came.
async fn until(stream: &TcpStream, mark: &[u8]) -> Result<()> {
    let mut read = Vec::new();
    let mut buffer = [0; 4096];
    while find(&read, mark).is_none() {
        stream.readable().await?;
        match stream.try_read(&mut buffer) {
            Ok(0) => bail!("the connection ended: {}", String::from_utf8_lossy(&read)),
            Ok(length) => read.extend_from_slice(buffer.get(..length).context("read too much")?),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A text as a client's WebSocket frame. The mask is 0, which leaves the text as it is.
fn masked(text: &str) -> Vec<u8> {
    let mut frame = vec![0x81, 0xfe]; // the length is in two bytes
    frame.extend((text.len() as u16).to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(text.as_bytes());
    frame
}
