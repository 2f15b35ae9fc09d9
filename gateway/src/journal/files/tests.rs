//! Tests of a journal on disk, and of its log.
#![allow(clippy::unwrap_used)]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Map, json};

use super::{BETWEEN_SYNCS, Entry, Files, Health, Journal, Log, Logs, Memory, Storage, is_name};

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

impl Log {
    /// Makes every write fail from now on. Returns the file that it was written through.
    fn break_off(&mut self) -> File {
        std::mem::replace(&mut self.file, File::open(&self.path).unwrap())
    }

    /// Makes it writable again.
    fn restore(&mut self, file: File) {
        self.file = file;
    }
}

fn raws(entries: &[(u64, Entry)]) -> Vec<(u64, &str)> {
    entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect()
}

const EVENTS: [&str; 3] =
    [r#"{ "type":"x", "n":1.0e3,"id":"\u00e9" }"#, "{\n\"type\":\"y\"}", r#"{"no type":true}"#];

fn numbered(first: u64, events: &[&str]) -> Vec<(u64, Entry)> {
    (first..).zip(events.iter().map(|event| Entry::read(event))).collect()
}

#[test]
fn what_is_written_is_read_byte_for_byte() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let (mut log, empty) = logs.log("s").unwrap().unwrap();
    assert!(empty.is_empty());
    log.append(&numbered(1, &EVENTS)).unwrap();
    log.settings = Map::from_iter([("tools".to_owned(), json!([1]))]);
    log.write_settings().unwrap();
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
    logs.log("s").unwrap().unwrap().0.append(&numbered(1, &EVENTS)).unwrap();
    let path = logs.path("s");
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let (mut log, entries) = logs.log("s").unwrap().unwrap();
        let kept = whole[..length].split(|byte| *byte == b'\n').count() - 1;
        assert_eq!(entries.len(), kept, "of {length} bytes");
        log.append(&numbered(kept as u64 + 1, &EVENTS[..1])).unwrap();
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
    log.append(&numbered(1, &EVENTS)).unwrap();
    log.rewrite(&[(3, Entry::read(EVENTS[2]))]).unwrap();
    log.append(&numbered(4, &EVENTS[..1])).unwrap();
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
    let asked = r#"{"type":"user.message","data":{"content":"Look around.\nThen tell."}}"#;
    let title = r#"{"type":"session.title_changed","data":{"title":"One"}}"#;
    let mut log = logs.log("s").unwrap().unwrap().0;
    log.append(&numbered(1, &[start, asked])).unwrap();
    assert_eq!(logs.facts("s").title.as_deref(), Some("Look around."));
    log.append(&numbered(3, &[title])).unwrap();
    drop(log);
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

#[test]
fn what_an_append_left_that_failed_is_taken_away_and_what_is_missing_is_added() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let (mut log, _) = logs.log("s").unwrap().unwrap();
    log.append(&numbered(1, &EVENTS[..1])).unwrap();
    let good = log.break_off();
    assert!(log.append(&numbered(2, &EVENTS[1..2])).is_err());
    assert!(log.mend(&numbered(2, &EVENTS[1..2])).is_err());
    log.restore(good);
    // Half a line, as a disk leaves it that becomes full in the middle of one.
    log.file.write_all(b"{\"seq\":2,\"ev").unwrap();
    log.mend(&numbered(2, &EVENTS[1..])).unwrap();
    log.append(&numbered(4, &EVENTS[..1])).unwrap();
    drop(log);
    let (_, entries) = logs.log("s").unwrap().unwrap();
    assert_eq!(raws(&entries), [(1, EVENTS[0]), (2, EVENTS[1]), (3, EVENTS[2]), (4, EVENTS[0])]);
}

#[test]
fn a_copy_that_can_t_be_written_leaves_the_log_as_it_is() {
    let folder = Folder::new();
    let logs = Logs::open(&folder.0).unwrap();
    let (mut log, _) = logs.log("s").unwrap().unwrap();
    log.append(&numbered(1, &EVENTS)).unwrap();
    fs::create_dir(logs.path("s").with_extension("new")).unwrap();
    assert!(log.rewrite(&numbered(3, &EVENTS[2..])).is_err());
    log.append(&numbered(4, &EVENTS[..1])).unwrap();
    drop(log);
    assert_eq!(logs.log("s").unwrap().unwrap().1.len(), 4);
}

#[test]
fn a_folder_has_one_gateway_at_a_time() {
    let folder = Folder::new();
    let first = Logs::open(&folder.0).unwrap();
    let why = Logs::open(&folder.0).unwrap_err().to_string();
    assert!(why.contains("another gateway"), "{why}");
    if cfg!(unix) {
        assert!(why.contains(&format!("process {}", std::process::id())), "{why}");
    }
    drop(first);
    Logs::open(&folder.0).unwrap();
}

#[test]
fn what_could_not_be_written_is_written_later_and_reported_until_then() {
    let folder = std::env::temp_dir().join(format!("pilothouse-writer-{}", std::process::id()));
    let logs = Arc::new(Logs::open(&folder).unwrap());
    let health = Health::default();
    let wrong = || health.follow().borrow().json()["logs"].clone();
    let journal = Files::new("s", Memory::default(), Arc::clone(&logs), health.clone());
    let add = |text: &str| journal.append(vec![Entry::read(&json!({"type": text}).to_string())]);
    journal.load();
    add("before");
    let good = journal.writer().log.as_mut().unwrap().break_off();
    add("meanwhile");
    assert_eq!(wrong()["sessions"], 1);
    let since = wrong()["since"].clone();
    add("and then");
    journal.keep_settings(Map::from_iter([("agent".to_owned(), json!("a"))]));

    assert!(journal.due().unwrap() > Instant::now(), "not at once again");
    journal.attend(false);
    journal.attend(true);
    assert_eq!(wrong()["since"], since, "it can't be written yet");
    journal.writer().log.as_mut().unwrap().restore(good);
    journal.attend(true);
    assert!(wrong().is_null());
    add("after");
    journal.unload();
    assert!(journal.is_unloaded() && !journal.is_open());

    let other = Files::new("s", Memory::default(), logs, health.clone());
    assert_eq!(other.load()["agent"], "a");
    let entries = other.all_after(0);
    let lines: Vec<_> = entries.iter().map(|(seq, entry)| (*seq, &*entry.raw)).collect();
    let line = |text: &str| json!({"type": text}).to_string();
    let all = ["before", "meanwhile", "and then", "after"].map(line);
    assert_eq!(lines, (1..).zip(all.iter().map(String::as_str)).collect::<Vec<_>>());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn another_thread_waits_for_the_disk_and_its_error_is_known() {
    let folder = Folder::new();
    let logs = Arc::new(Logs::open(&folder.0).unwrap());
    let journal = Files::new("s", Memory::default(), logs, Health::default());
    journal.load();
    let write = |text: &str| {
        journal.append(vec![Entry::read(&json!({"type": text}).to_string())]);
        journal.writer().unsynced = Instant::now().checked_sub(BETWEEN_SYNCS);
        journal.attend(false);
        assert!(journal.writer().syncing.is_some());
        assert!(journal.due().unwrap() > Instant::now(), "it is not known yet whether it is on the disk");
    };
    write("a");
    journal.writer().end_sync(true);
    assert!(journal.due().is_none(), "it is on the disk, and nothing is to be done");

    // What comes while the disk is waited for has its turn afterwards.
    write("b");
    journal.append(vec![Entry::read(r#"{"type":"c"}"#)]);
    journal.writer().end_sync(true);
    assert!(journal.due().is_some());
    journal.attend(true);
    assert!(journal.due().is_none());

    // A device that can't sync.
    journal.append(vec![Entry::read(r#"{"type":"d"}"#)]);
    let good =
        std::mem::replace(&mut journal.writer().log.as_mut().unwrap().file, File::open("/dev/null").unwrap());
    journal.writer().unsynced = Instant::now().checked_sub(BETWEEN_SYNCS);
    journal.attend(false);
    journal.writer().end_sync(true);
    assert!(journal.writer().failed.is_some());
    journal.writer().log.as_mut().unwrap().restore(good);
    journal.attend(true);
    assert!(journal.due().is_none() && journal.writer().failed.is_none());

    // Whoever opens the log next finds it free.
    write("e");
    journal.unload();
    journal.load();
    assert!(journal.is_open());
    assert_eq!(journal.all_after(0).len(), 5);
}

/// Long messages in pieces, each followed by its whole.
fn messages(count: usize) -> Vec<Entry> {
    let word = "word ".repeat(40);
    let messages = (0..count).flat_map(|message| {
        let piece = json!({"messageId": message.to_string(), "deltaContent": word});
        let pieces = (0..1000).map(move |at| {
            json!({"type": "assistant.message_delta", "id": format!("{message}-{at}"), "ephemeral": true, "data": piece})
        });
        let whole = json!({"messageId": message.to_string(), "content": "the words"});
        let whole = json!({"type": "assistant.message", "id": message.to_string(), "data": whole});
        pieces.chain([whole])
    });
    messages.map(|event| Entry::read(&event.to_string())).collect()
}

#[test]
fn superseded_events_leave_the_memory_and_are_read_from_the_log() {
    let folder = Folder::new();
    let logs = Arc::new(Logs::open(&folder.0).unwrap());
    let journal = Files::new("s", Memory::default(), Arc::clone(&logs), Health::default());
    journal.load();
    let events = messages(40);
    let bytes: usize = events.iter().map(|entry| entry.raw.len()).sum();
    for some in events.chunks(17) {
        journal.append(some.to_vec());
    }
    let check = |journal: &Files| {
        let in_memory = journal.memory.bytes_in_memory();
        assert!(in_memory < bytes / 3, "{in_memory} of {bytes} bytes");
        assert_eq!(journal.left_after(0).len(), 2 * 40, "the first piece and the whole");
        assert_eq!(journal.left_after(20 * 1001).len(), 2 * 20);
        let all = journal.all_after(0);
        assert_eq!(all.len(), events.len());
        for ((seq, entry), (number, event)) in all.iter().zip((1..).zip(&events)) {
            assert_eq!((*seq, &entry.raw, entry.persisted), (number, &event.raw, event.persisted));
        }
        for budget in [1, 5_000, 300_000] {
            let mut cursor = journal.cursor_after(19_990);
            let mut next = cursor.seq + 1;
            for _ in 0..300 {
                for (seq, entry) in journal.read(&mut cursor, budget).entries {
                    assert_eq!((seq, &entry.raw), (next, &events[seq as usize - 1].raw));
                    next += 1;
                }
                assert_eq!(cursor.seq + 1, next);
            }
        }
        let mut beyond = journal.cursor_after(1_000_000);
        let batch = journal.read(&mut beyond, 1);
        assert_eq!((batch.restarted, batch.entries[0].0), (true, 1));
    };
    check(&journal);
    journal.unload();
    journal.load();
    check(&journal);
    drop(journal);
    let again = Files::new("s", Memory::default(), logs, Health::default());
    again.load();
    check(&again);
}

#[test]
fn what_is_not_in_the_log_stays_in_memory() {
    let folder = Folder::new();
    let logs = Arc::new(Logs::open(&folder.0).unwrap());
    let journal = Files::new("s", Memory::default(), Arc::clone(&logs), Health::default());
    journal.load();
    journal.append(vec![Entry::read(EVENTS[0])]);
    let good = journal.writer().log.as_mut().unwrap().break_off();
    let events = messages(20);
    journal.append(events.clone());
    let bytes: usize = events.iter().map(|entry| entry.raw.len()).sum();
    assert!(journal.memory.bytes_in_memory() > bytes);
    journal.writer().log.as_mut().unwrap().restore(good);
    journal.attend(true);
    journal.append(messages(1));
    assert!(journal.memory.bytes_in_memory() < bytes / 2);
    assert_eq!(journal.all_after(0).len(), 1 + 21 * 1001);
}

#[test]
fn a_log_over_its_limit_lets_go_of_superseded_events_first() {
    let folder = Folder::new();
    let logs = Arc::new(Logs::open(&folder.0).unwrap());
    let journal = Files::new("s", Memory::new(6 << 20), Arc::clone(&logs), Health::default());
    journal.load();
    let events = messages(30);
    for some in events.chunks(100) {
        journal.append(some.to_vec());
    }
    let left: Vec<u64> = journal.left_after(0).iter().map(|(seq, _)| *seq).collect();
    let wanted = (0..30).flat_map(|message| [message * 1001 + 1, message * 1001 + 1001]);
    assert_eq!(left, wanted.collect::<Vec<u64>>(), "nothing that counts is dropped");
    let dropped = journal.dropped().unwrap();
    let all = journal.all_after(0);
    assert_eq!(all.last().unwrap().0, 30 * 1001);
    let is_there = |seq| all.iter().any(|(there, _)| *there == seq);
    assert!(!is_there(dropped.seq) && all.len() < events.len());
    journal.unload();
    journal.load();
    assert_eq!(raws(&journal.all_after(0)), raws(&all));
    assert_eq!(journal.dropped().unwrap(), dropped);
}
