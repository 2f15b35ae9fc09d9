//! A folder of a gateway or a server, and what can happen to the log in it while no gateway runs.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The session of those who have only one.
pub const SESSION: &str = "s";

/// Removed when this is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name =
            format!("pilothouse-history-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn log(&self) -> PathBuf {
        self.0.join("sessions").join(format!("{SESSION}.jsonl"))
    }

    /// What is in the log; nothing if the gateway was killed before it began one.
    fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.log()).unwrap_or_default()
    }

    /// A line was being written when the gateway was killed.
    pub fn tear(&self, bytes: usize) {
        let log = self.bytes();
        if log.is_empty() {
            return;
        }
        let seq = newest(&log) + 1;
        let line = format!(
            r#"{{"seq":{seq},"event":{{"type":"assistant.message","data":{{"content":"é was never whole"}},"id":"torn"}}}}"#
        );
        let mut log = std::fs::OpenOptions::new().append(true).open(self.log()).unwrap();
        log.write_all(&line.as_bytes()[..bytes.min(line.len() - 1)]).unwrap();
    }

    /// The end of the log was not on the disk when the power failed; the settings at its beginning were. Returns the
    /// last position that is left.
    pub fn cut(&self, bytes: usize) -> u64 {
        let log = self.bytes();
        if log.is_empty() {
            return 0;
        }
        let first = log.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let left = log.len().saturating_sub(bytes).max(first);
        let file = std::fs::OpenOptions::new().write(true).open(self.log()).unwrap();
        file.set_len(left as u64).unwrap();
        newest(&log[..left])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The last position in the whole lines of a log.
pub fn newest(log: &[u8]) -> u64 {
    let whole = log.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = log[..whole].split(|byte| *byte == b'\n');
    let seqs = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()?["seq"].as_u64());
    seqs.max().unwrap_or_default()
}
