//! A log on disk with any content, torn anywhere: it opens, keeps its whole lines, and goes on.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::Random;
use pilothouse_gateway::live::backlog::file::BacklogFile;
use pilothouse_gateway::live::disk::{Entries, Log, Logs};
use pilothouse_gateway::live::message::entry;

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
        log.append(&[(next, entry("{\n\"type\":\"x\"}"))]).expect("it is appended to");
        log.write_settings().expect("it has settings");
        let settings = log.settings.clone();
        drop(log);
        let (mut log, again) = open();
        assert_eq!(raws(&again)[..entries.len()], raws(&entries));
        assert_eq!(raws(&again)[entries.len()..], [(next, "{\n\"type\":\"x\"}")]);
        assert_eq!(log.settings, settings);
        log.rewrite(&again).expect("it is rewritten");
        drop(log);
        let (log, rewritten) = open();
        assert_eq!(raws(&rewritten), raws(&again));
        assert_eq!(log.settings, settings);
        before = Some(entries);
    }
    let path = FOLDER.join("backlog");
    fs::write(&path, bytes).expect("a backlog");
    if let Ok(messages) = BacklogFile::new(path.clone()).read() {
        BacklogFile::new(path).write(&messages).expect("it is written");
    }
});
