//! Keeps the last few lines that a runtime printed, so that people can find out why it does not work.

use std::collections::VecDeque;
use std::io::{PipeReader, Read as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use super::secrets::Secrets;

const MOST_LINES: usize = 12;
/// How many characters of a line are stored.
const LONGEST_LINE: usize = 300;
/// How many bytes of a line are read: far more than are stored, so that no half of a token is shown.
const LONGEST_READ: usize = 8 << 10;
const CHUNK: usize = 8 << 10;
/// How long to wait for a pipe's end: a program that has ended may have left its standard error to another
/// one.
const LAST_OUTPUT_TIMEOUT: Duration = Duration::from_millis(500);
/// How soon the next line of what is printed together comes.
const BETWEEN_LINES: Duration = Duration::from_millis(30);

/// The last lines of one run of a runtime. Clones share them.
#[derive(Clone, Debug)]
pub struct Output {
    lines: Arc<Mutex<VecDeque<String>>>,
    /// How many lines there were.
    printed: Arc<watch::Sender<u64>>,
    secrets: Secrets,
    reading: Arc<watch::Sender<bool>>,
}

impl Output {
    /// No lines yet.
    pub fn new(secrets: Secrets) -> Self {
        Self {
            lines: Arc::default(),
            printed: Arc::default(),
            secrets,
            reading: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Reads a program's standard error to its end, and passes it on to the gateway's own.
    pub fn follow(&self, mut errors: PipeReader) {
        let own = self.clone();
        own.reading.send_replace(true);
        let read = move || {
            let mut line = Vec::new();
            let mut chunk = vec![0; CHUNK];
            // An error is an end as well.
            while let Ok(length @ 1..) = errors.read(&mut chunk) {
                let bytes = chunk.get(..length).unwrap_or_default();
                // Best effort: the gateway may have no standard error.
                let _ = std::io::stderr().write_all(bytes);
                for part in bytes.split_inclusive(|byte| *byte == b'\n') {
                    let room = LONGEST_READ.saturating_sub(line.len());
                    line.extend(part.iter().take(room));
                    if part.ends_with(b"\n") {
                        own.print(&std::mem::take(&mut line));
                    }
                }
            }
            own.print(&line);
            own.reading.send_replace(false);
        };
        if thread::Builder::new().name("runtime's errors".to_owned()).spawn(read).is_err() {
            self.reading.send_replace(false);
        }
    }

    /// Adds a line, with secrets hidden.
    pub fn print(&self, line: &[u8]) {
        let line = line.get(..LONGEST_READ).unwrap_or(line);
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if line.is_empty() {
            return;
        }
        let shown = self.secrets.hide(line);
        let start: String = shown.chars().take(LONGEST_LINE).collect();
        let line = if start.len() < shown.len() { start + "…" } else { start };
        let mut lines = self.all();
        lines.push_back(line);
        if lines.len() > MOST_LINES {
            lines.pop_front();
        }
        drop(lines);
        self.printed.send_modify(|count| *count += 1);
    }

    /// Notifies of each line from now on.
    pub fn printed(&self) -> watch::Receiver<u64> {
        self.printed.subscribe()
    }

    /// The last lines, once one has come since `printed` was made and no other follows at once. What a program prints before it answers may
    /// be read after the answer.
    pub async fn lines_after(&self, mut printed: watch::Receiver<u64>) -> Vec<String> {
        let settled = async {
            let _ = printed.changed().await; // it may print nothing
            while let Ok(Ok(())) = timeout(BETWEEN_LINES, printed.changed()).await {}
        };
        let _ = timeout(LAST_OUTPUT_TIMEOUT, settled).await; // it may go on
        self.lines()
    }

    /// The last lines so far, the newest last.
    pub fn lines(&self) -> Vec<String> {
        self.all().iter().cloned().collect()
    }

    /// The last lines of a program that has ended, including those it printed at its end.
    pub async fn last_lines(&self) -> Vec<String> {
        let mut reading = self.reading.subscribe();
        let _ = timeout(LAST_OUTPUT_TIMEOUT, reading.wait_for(|reading| !reading)).await; // on timeout some are missing
        self.lines()
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write as _;

    use super::{LONGEST_LINE, MOST_LINES, Output, Secrets};

    #[test]
    fn only_the_last_lines_are_kept_and_none_is_long() {
        let output = Output::new(Secrets::default());
        for number in 0..100 {
            output.print(format!("line {number}\r\n").as_bytes());
            output.print(b" \n");
        }
        output.print("é".repeat(9000).as_bytes());
        let lines = output.lines();
        assert_eq!((lines.len(), lines.first().map(String::as_str)), (MOST_LINES, Some("line 89")));
        assert_eq!(lines.last().unwrap().chars().count(), LONGEST_LINE + 1);
    }

    #[tokio::test]
    async fn what_was_printed_before_the_end_is_there_without_its_tokens() {
        let output = Output::new(Secrets::default());
        let (errors, mut program) = std::io::pipe().unwrap();
        output.follow(errors);
        program.write_all(b"no access for gho_0123").unwrap();
        program.write_all(b"456789abcdef\nlast words").unwrap();
        drop(program);
        assert_eq!(output.last_lines().await, ["no access for [hidden]", "last words"]);
    }
}
