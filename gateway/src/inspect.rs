//! Reads a whole log for `pilothouse inspect` and `pilothouse export`. The core counts bad lines.

use std::fs::File;
use std::io;
use std::path::Path;

use pilothouse_core::Session;
use pilothouse_core::export::{self, Format};
use pilothouse_core::transcripts::{LogReader, Report};
use pilothouse_core::wire::utf16::FileText;
use serde_json::Value;

use crate::playback::files::siblings;

const CHUNK: usize = 64 << 10;

/// The result of reading a log.
#[derive(Debug)]
pub struct LogReading<T> {
    /// The session, or what was made of it.
    pub made: T,
    /// What the input is, in words for people, if nothing in it is a record of a session.
    pub nothing: Option<String>,
    /// What was read, if it is a transcript of another agent.
    pub transcript: Option<Report>,
}

/// Reduces the file `path` (`-` is standard input) to a snapshot, up to line `at` where that is given.
pub fn file(path: &str, at: Option<u64>) -> io::Result<LogReading<Value>> {
    let LogReading { made, nothing, transcript } = session(path, at)?;
    Ok(LogReading { made: made.snapshot(), nothing, transcript })
}

/// Makes a document of the file `path` (`-` is standard input), up to line `at` where that is given.
pub fn export(path: &str, at: Option<u64>, format: Format) -> io::Result<LogReading<String>> {
    let LogReading { made, nothing, transcript } = session(path, at)?;
    Ok(LogReading { made: export::document(made.state(), format), nothing, transcript })
}

fn session(path: &str, at: Option<u64>) -> io::Result<LogReading<Session>> {
    if path == "-" {
        return reduced(io::stdin().lock(), at, LogReader::default());
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    reduced(file, at, LogReader::new(siblings(Path::new(path))))
}

/// Reduces what a reader gives to a snapshot, without holding all of the input.
pub fn reduce(from: impl io::Read, at: Option<u64>) -> io::Result<Value> {
    Ok(reduced(from, at, LogReader::default())?.made.snapshot())
}

fn reduced(
    mut from: impl io::Read,
    at: Option<u64>,
    mut reader: LogReader,
) -> io::Result<LogReading<Session>> {
    let mut session = Session::new();
    let mut first = FirstLine::default();
    let mut text = FileText::default();
    let mut left = at;
    let mut chunk = vec![0; CHUNK];
    while left != Some(0) {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = text.push(chunk.get(..length).unwrap_or_default());
        let log = reader.push(first_lines(&bytes, &mut left));
        first.take(&log);
        session.push(&log);
    }
    if left != Some(0) {
        let log = reader.push(&text.end()).into_owned();
        first.take(&log);
        session.push(&log);
    }
    let log = reader.end();
    first.take(&log);
    session.push(&log);
    session.end();
    let counters = &session.state().counters;
    // All lines that could not be read share one entry.
    let entries = session.state().entries.len().saturating_sub(usize::from(counters.malformed > 0));
    let understood = counters.total > 0 || counters.notifications > 0 || entries > 0;
    let nothing = first.describe().filter(|_| !understood);
    Ok(LogReading { made: session, nothing, transcript: reader.report() })
}

/// The beginning of the input, from its first line that is not blank.
#[derive(Default)]
struct FirstLine(Vec<u8>);

impl FirstLine {
    fn take(&mut self, bytes: &[u8]) {
        let bytes = if self.0.is_empty() { bytes.trim_ascii_start() } else { bytes };
        let room = CHUNK.saturating_sub(self.0.len());
        self.0.extend(bytes.iter().take(room));
    }

    /// Describes its first line for people; none if the input is blank.
    fn describe(&self) -> Option<String> {
        const SHOWN: usize = 60;
        let text = String::from_utf8_lossy(&self.0);
        let line = text.lines().next()?.trim_end();
        Some(match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(members)) => {
                let names: Vec<_> =
                    members.keys().take(8).map(|name| name.escape_debug().to_string()).collect();
                format!("a JSON object with the members {}", names.join(", "))
            }
            Ok(Value::Array(_)) => "a JSON array".to_owned(),
            Ok(_) => "JSON, but not an object".to_owned(),
            Err(_) => {
                let shown: String = line.chars().take(SHOWN).flat_map(char::escape_debug).collect();
                let more = if line.chars().nth(SHOWN).is_some() { "…" } else { "" };
                format!("not JSON: {shown}{more}")
            }
        })
    }
}

/// The part of `bytes` that belongs to the lines still wanted.
fn first_lines<'a>(bytes: &'a [u8], left: &mut Option<u64>) -> &'a [u8] {
    let Some(left) = left else { return bytes };
    for (at, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        *left -= 1;
        if *left == 0 {
            return bytes.get(..=at).unwrap_or(bytes);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{LogReader, first_lines, reduced};

    fn nothing(text: &str) -> Option<String> {
        reduced(text.as_bytes(), None, LogReader::default()).unwrap().nothing
    }

    #[test]
    fn what_is_not_a_log_is_named_by_what_it_is() {
        let found = |text: &str| nothing(text).unwrap();
        assert_eq!(found("\n\n{\"t\":1,\"msg\":{}}\n"), "a JSON object with the members t, msg");
        assert_eq!(found("[]\nx"), "a JSON array");
        assert_eq!(found("12"), "JSON, but not an object");
        assert_eq!(found("PK\u{3}\u{4}x"), "not JSON: PK\\u{3}\\u{4}x");
        assert!(found(&"é".repeat(100)).ends_with("é…"));
        for log in ["", " \n", "{broken\n{\"type\":\"x\",\"data\":{},\"id\":\"1\"}\n", "{\"settings\":{}}\n"]
        {
            assert_eq!(nothing(log), None, "{log}");
        }
    }

    #[test]
    fn lines_are_counted_across_chunks() {
        let mut left = Some(2);
        assert_eq!(first_lines(b"a\nb", &mut left), b"a\nb");
        assert_eq!(first_lines(b"b\nc\n", &mut left), b"b\n");
        assert_eq!(left, Some(0));
        assert_eq!(first_lines(b"a\nb\n", &mut None), b"a\nb\n");
    }
}
