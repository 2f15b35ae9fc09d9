//! Owns what reads a whole log: `pilothouse inspect` and `pilothouse export`. It refuses to judge
//! lines: bad ones are the core's to count.

use std::fs::File;
use std::io::{self, Read};

use pilothouse::core::Session;
use pilothouse::core::export::{self, Format};
use serde_json::Value;

const CHUNK: usize = 64 << 10;

/// Reduces the file `path` (`-` is standard input), up to line `at` where that is given.
pub fn file(path: &str, at: Option<u64>) -> io::Result<Value> {
    Ok(session(path, at)?.snapshot())
}

/// The file `path` (`-` is standard input), up to line `at` where that is given, as a document.
pub fn export(path: &str, at: Option<u64>, format: Format) -> io::Result<String> {
    Ok(export::document(session(path, at)?.state(), format))
}

fn session(path: &str, at: Option<u64>) -> io::Result<Session> {
    if path == "-" {
        return reduced(io::stdin().lock(), at);
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    reduced(file, at)
}

/// Reduces what a reader gives, without holding all of it.
pub fn reduce(from: impl Read, at: Option<u64>) -> io::Result<Value> {
    Ok(reduced(from, at)?.snapshot())
}

fn reduced(mut from: impl Read, at: Option<u64>) -> io::Result<Session> {
    let mut session = Session::new();
    let mut left = at;
    let mut chunk = vec![0; CHUNK];
    while left != Some(0) {
        let length = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = chunk.get(..length).unwrap_or_default();
        session.push(first_lines(bytes, &mut left));
    }
    session.end();
    Ok(session)
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
    use super::first_lines;

    #[test]
    fn lines_are_counted_across_chunks() {
        let mut left = Some(2);
        assert_eq!(first_lines(b"a\nb", &mut left), b"a\nb");
        assert_eq!(first_lines(b"b\nc\n", &mut left), b"b\n");
        assert_eq!(left, Some(0));
        assert_eq!(first_lines(b"a\nb\n", &mut None), b"a\nb\n");
    }
}
