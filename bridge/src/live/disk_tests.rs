//! Owns the tests of a session's log on disk. It refuses threads and runtimes.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, json};

use super::{Logs, is_name};
use crate::journal::Entry;
use crate::live::message::entry;

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("pilothouse-disk-{}-{count}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn raws(entries: &[(u64, Entry)]) -> Vec<(u64, &str)> {
    entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect()
}

const EVENTS: [&str; 3] =
    [r#"{ "type":"x", "n":1.0e3,"id":"\u00e9" }"#, "{\n\"type\":\"y\"}", r#"{"no type":true}"#];

#[test]
fn what_is_written_is_read_byte_for_byte() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let (mut log, empty) = logs.log("s").unwrap().unwrap();
    assert!(empty.is_empty());
    log.append(1, &EVENTS.map(entry)).unwrap();
    log.set(Map::from_iter([("tools".to_owned(), json!([1]))])).unwrap();
    log.sync().unwrap();
    drop(log);
    let (log, entries) = logs.log("s").unwrap().unwrap();
    assert_eq!(raws(&entries), [(1, EVENTS[0]), (2, EVENTS[1]), (3, EVENTS[2])]);
    assert_eq!(log.settings["tools"], json!([1]));
    assert_eq!(entries.iter().map(|(_, entry)| entry.event).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn a_torn_line_is_cut_off_wherever_it_was_torn() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    logs.log("s").unwrap().unwrap().0.append(1, &EVENTS.map(entry)).unwrap();
    let path = logs.path("s");
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let (mut log, entries) = logs.log("s").unwrap().unwrap();
        let kept = whole[..length].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(entries.len(), kept, "of {length} bytes");
        log.append(kept as u64 + 1, &[entry(EVENTS[0])]).unwrap();
        drop(log);
        let (_, entries) = logs.log("s").unwrap().unwrap();
        assert_eq!(raws(&entries).last(), Some(&(kept as u64 + 1, EVENTS[0])));
    }
}

#[test]
fn a_log_that_is_rewritten_has_its_numbers_and_goes_on() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let (mut log, _) = logs.log("s").unwrap().unwrap();
    log.append(1, &EVENTS.map(entry)).unwrap();
    log.rewrite(&[(3, entry(EVENTS[2]))]).unwrap();
    log.append(4, &[entry(EVENTS[0])]).unwrap();
    assert!(logs.log("s").unwrap().is_none(), "it is still locked");
    drop(log);
    let (_, entries) = logs.log("s").unwrap().unwrap();
    assert_eq!(raws(&entries), [(3, EVENTS[2]), (4, EVENTS[0])]);
}

#[test]
fn a_list_knows_a_session_by_the_beginning_of_its_log() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let start =
        r#"{"type":"session.start","data":{"selectedModel":"m","startTime":"t","context":{"cwd":"/w"}}}"#;
    let title = r#"{"type":"session.title_changed","data":{"title":"One"}}"#;
    logs.log("s").unwrap().unwrap().0.append(1, &[entry(start), entry(title)]).unwrap();
    let facts = logs.facts("s");
    assert_eq!(
        (facts.title.as_deref(), facts.model.as_deref(), facts.cwd.as_deref()),
        (Some("One"), Some("m"), Some("/w"))
    );
    assert_eq!(logs.ids().unwrap().into_iter().map(|(id, _)| id).collect::<Vec<_>>(), ["s"]);
    logs.prune(1 << 20).unwrap();
    assert_eq!(logs.ids().unwrap().len(), 1);
    logs.prune(10).unwrap();
    assert!(logs.ids().unwrap().is_empty());
}

#[test]
fn only_plain_ids_become_names() {
    assert!(is_name("5f5c6bd6-6d4c-4d5e_9.x"));
    for id in ["", ".", "..", "a/b", "a\\b", ".hidden", "a b", "ä", &"x".repeat(129)] {
        assert!(!is_name(id), "{id}");
    }
}
