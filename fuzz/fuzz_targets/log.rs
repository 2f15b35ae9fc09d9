//! A log on disk with any content, torn anywhere: it opens, keeps its whole lines, and goes on.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::Random;
use pilothouse_gateway::agents::copilot::backlog::{Backlog, Message};
use pilothouse_gateway::journal::files::{Log, Logs};
use pilothouse_gateway::journal::notes::Notes;
use pilothouse_gateway::journal::{Entries, Entry};
use serde_json::{Map, Value};

/// A folder in memory, where the system has one.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = parent.join(format!("pilothouse-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});
static LOGS: LazyLock<Logs> = LazyLock::new(|| Logs::open(&FOLDER).expect("the folder of the logs"));

fn open() -> (Log, Entries) {
    LOGS.log("s").expect("it opens").expect("nobody else has it")
}

fn raws(entries: &Entries) -> Vec<(u64, &str)> {
    entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect()
}

/// Whether two objects are the same. A fraction, or more digits than an integer has, may change in the last bit when it is
/// written and read.
fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    one.len() == other.len()
        && one.iter().all(|(name, value)| other.get(name).is_some_and(|other| same_value(value, other)))
}

fn same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => same(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_value(one, other))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap_or(0.0), other.as_f64().unwrap_or(0.0));
            (one - other).abs() <= one.abs() * 1e-15
        }
        _ => one == other,
    }
}

fuzz_target!(|bytes: &[u8]| {
    LazyLock::force(&LOGS);
    let path = FOLDER.join("sessions/s.jsonl");
    let torn = Random::of(bytes).below(bytes.len() + 1);
    let mut before: Option<Entries> = None;
    for length in [bytes.len(), torn] {
        fs::write(&path, &bytes[..length]).expect("a log");
        LOGS.facts("s");
        let (mut log, entries) = open();
        assert!(entries.is_sorted_by_key(|(seq, _)| *seq));
        // What was torn off is the end, and nothing else.
        if let Some(all) = &before {
            assert_eq!(raws(&entries), raws(all)[..entries.len()]);
        }
        let Some(next) = entries.last().map_or(0, |(seq, _)| *seq).checked_add(1) else { continue };
        log.append(&[(next, Entry::read("{\n\"type\":\"x\"}"))]).expect("it is appended to");
        log.write_settings().expect("it has settings");
        let settings = log.settings.clone();
        drop(log);
        let (mut log, again) = open();
        assert_eq!(raws(&again)[..entries.len()], raws(&entries));
        assert_eq!(raws(&again)[entries.len()..], [(next, "{\n\"type\":\"x\"}")]);
        assert!(same(&log.settings, &settings), "{:?} {settings:?}", log.settings);
        log.rewrite(&again).expect("it is rewritten");
        drop(log);
        let (log, rewritten) = open();
        assert_eq!(raws(&rewritten), raws(&again));
        assert!(same(&log.settings, &settings), "{:?} {settings:?}", log.settings);
        before = Some(entries);
    }
    let path = FOLDER.join("backlog");
    fs::write(&path, bytes).expect("a backlog");
    let notes = Notes::new(path);
    let backlog = Backlog::default();
    backlog.restore(Message::read_lines(&notes.read().expect("it is read")), 0);
    notes.write(&backlog.lines().expect("they are lines")).expect("it is written");
});
