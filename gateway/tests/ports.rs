//! The two ports of a session: any agent carries out its calls, and any journal keeps its events. A further journal is held to
//! the same rules by a line in `every_journal`.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::health::Health;
use pilothouse_gateway::journal::memory::Memory;
use pilothouse_gateway::journal::store::Store;
use pilothouse_gateway::journal::{Entry, Facts, Journal, Storage};
use pilothouse_gateway::rpc::{Call, Incoming, read};
use pilothouse_gateway::sessions::Sessions;
use pilothouse_gateway::sessions::agent::{Agent, CallFuture, Presence};
use pilothouse_gateway::sessions::board::Board;
use pilothouse_gateway::sessions::session::Session;
use serde_json::{Value, json};

/// An agent that answers with what it was asked.
#[derive(Debug)]
struct Echo(Presence);

impl Agent for Echo {
    fn call<'a>(self: Arc<Self>, session_id: &'a str, call: &'a Call) -> CallFuture<'a> {
        let answer = json!({"called": call.method, "session": session_id});
        Box::pin(async move { Ok(answer.to_string()) })
    }

    fn manage(self: Arc<Self>, call: &Call) -> CallFuture<'_> {
        Box::pin(async move { Ok(json!({"managed": call.method}).to_string()) })
    }

    fn add_own_event(&self, _: &str, _: String) {}

    fn presence(&self, _: &str) -> Presence {
        self.0
    }
}

fn session(id: &str, presence: Presence) -> Arc<Session> {
    Arc::new(Session::new(id, Facts::default(), Arc::new(Echo(presence)), Arc::new(Memory::default())))
}

async fn ask(sessions: &Sessions, method: &str, params: Value) -> Value {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let Incoming::One(Ok(call)) = read(message.as_bytes()) else { panic!("{message}") };
    match sessions.call(&call, None).await {
        Ok(result) => json!({"result": serde_json::from_str::<Value>(&result).unwrap()}),
        Err(fault) => serde_json::from_str(&fault.response(None)).unwrap(),
    }
}

#[tokio::test]
async fn a_sessions_calls_are_carried_out_by_its_agent() {
    let sessions = Sessions::new(vec![session("a", Presence::Open), session("b", Presence::Stored)]);
    for method in ["session.send", "session.getMessages", "session.queue.clear", "pilothouse.backlog"] {
        let answer = ask(&sessions, method, json!({"sessionId": "b"})).await;
        assert_eq!(answer["result"], json!({"called": method, "session": "b"}));
    }
    for (method, params, reason) in [
        ("session.send", json!({"sessionId": "c"}), ErrorReason::UnknownSession),
        ("session.send", json!({}), ErrorReason::InvalidParams),
        ("account.getCurrentAuth", json!({"sessionId": "a"}), ErrorReason::MethodNotFound),
    ] {
        assert_eq!(ask(&sessions, method, params).await["error"]["code"], reason.code(), "{method}");
    }
    let list = ask(&sessions, "pilothouse.sessions", json!({})).await;
    let rows = list["result"].as_array().unwrap();
    assert_eq!((&rows[0]["stored"], &rows[1]["stored"]), (&json!(false), &json!(true)));
}

#[tokio::test]
async fn sessions_are_made_by_the_agent_that_drives_the_list() {
    let sessions = Sessions::new(vec![session("a", Presence::Recording)]);
    let made = ask(&sessions, "pilothouse.create", json!({})).await;
    assert_eq!(made["error"]["code"], ErrorReason::MethodNotFound.code(), "nobody makes sessions");
    assert!(!sessions.needs_board());
    sessions.add_agent("echo", Arc::new(Echo(Presence::Stored)));
    for method in ["pilothouse.create", "session.resume", "pilothouse.close", "models.list"] {
        assert_eq!(ask(&sessions, method, json!({})).await["result"], json!({"managed": method}));
    }
    assert!(sessions.needs_board() && sessions.capabilities().contains(&"create"));
}

/// A folder that is deleted when this is dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn folder(name: &str) -> Folder {
    Folder(std::env::temp_dir().join(format!("pilothouse-ports-{name}-{}", std::process::id())))
}

/// A journal of each kind, each with at most this many bytes.
fn every_journal(largest: usize, folder: &Folder) -> [Arc<dyn Journal>; 2] {
    [None, Some(folder.0.as_path())].map(|place| {
        let store = Store::open(place, largest, u64::MAX, Health::default()).unwrap();
        let journal = store.journal("s");
        journal.storage().map(Storage::load);
        journal
    })
}

fn event(number: usize) -> Entry {
    Entry::read(&json!({"type": "x", "id": format!("{number:03}"), "data": {}}).to_string())
}

fn seqs(journal: &dyn Journal, after: u64) -> Vec<u64> {
    journal.all_after(after).iter().map(|(seq, _)| *seq).collect()
}

#[test]
fn every_journal_gives_numbers_and_is_read_by_cursor() {
    let folder = folder("cursor");
    for journal in every_journal(usize::MAX, &folder) {
        let follow = journal.follow();
        journal.append(vec![event(1), event(2)]);
        journal.append(Vec::new());
        journal.append(vec![event(3)]);
        assert!(follow.has_changed().unwrap());
        assert_eq!((journal.position().length, journal.dropped()), (3, None));
        let mut cursor = journal.cursor_after(1);
        let batch = journal.read(&mut cursor, 1);
        assert_eq!((batch.entries.len(), batch.restarted, cursor.seq), (1, false, 2));
        assert_eq!(seqs(&*journal, 2), [3]);
        let all = journal.all_after(0);
        assert_eq!(
            all.iter().map(|(_, entry)| entry.id().unwrap()).collect::<Vec<_>>(),
            ["001", "002", "003"]
        );
        let mut beyond = journal.cursor_after(9);
        assert!(journal.read(&mut beyond, usize::MAX).restarted && beyond.seq == 3);
    }
}

#[test]
fn every_journal_tells_what_is_left_once_superseded_events_are_out() {
    let folder = folder("left");
    let sign = |number: usize| {
        let sign = json!({"type": "pending_messages.modified", "id": format!("{number:03}"), "ephemeral": true, "data": {}});
        Entry::read(&sign.to_string())
    };
    for journal in every_journal(usize::MAX, &folder) {
        journal.append(vec![event(1), sign(2), sign(3), event(4), sign(5)]);
        journal.append(vec![sign(6), Entry::read("no event")]);
        let mut cursor = journal.cursor_after(1);
        let left = journal.read_left(&mut cursor).entries;
        let left: Vec<u64> = left.iter().map(|(seq, _)| *seq).collect();
        // The first ephemeral event stays.
        assert_eq!((left, cursor.seq), (vec![2, 4, 6, 7], 7));
        assert!(journal.read_left(&mut cursor).entries.is_empty());
        assert_eq!(seqs(&*journal, 0), [1, 2, 3, 4, 5, 6, 7]);
        let mut beyond = journal.cursor_after(9);
        assert!(journal.read_left(&mut beyond).restarted);
    }
}

#[test]
fn every_journal_drops_its_oldest_lines_over_its_limit_and_knows_which() {
    let (folder, size) = (folder("limit"), event(0).raw.len());
    for journal in every_journal(8 * size, &folder) {
        (1..=9).for_each(|number| journal.append(vec![event(number)]));
        let left = seqs(&*journal, 0);
        assert_eq!(left, [4, 5, 6, 7, 8, 9]);
        assert_eq!(journal.dropped().map(|dropped| (dropped.seq, dropped.id)), Some((3, "003".to_owned())));
        journal.append(vec![event(10)]);
        assert_eq!(seqs(&*journal, 9), [10]);
    }
}

#[test]
fn every_journal_takes_over_what_another_process_has_numbered() {
    let folder = folder("adopted");
    for journal in every_journal(usize::MAX, &folder) {
        journal.append(vec![event(1)]);
        journal.adopt(vec![(2, event(2)), (5, event(5))], 9);
        assert_eq!((seqs(&*journal, 0), journal.position().length), (vec![1, 2, 5], 5));
        assert!(!journal.has_more_after(5, 1), "the numbers between are nothing to wait for");
        journal.append(vec![event(9), event(10)]);
        assert_eq!(seqs(&*journal, 2), [5, 9, 10]);
        if let Some(storage) = journal.storage() {
            storage.unload();
            storage.load();
            assert_eq!(seqs(&*journal, 0), [1, 2, 5, 9, 10]);
        }
        journal.adopt(Vec::new(), 4);
        journal.append(vec![event(11)]);
        assert_eq!(seqs(&*journal, 10), [11], "it never goes back");
    }
}

#[test]
fn a_stored_journal_is_read_again_with_what_is_kept_beside_it() {
    let (folder, size) = (folder("again"), event(0).raw.len());
    let write = |largest: usize| {
        let store = Store::open(Some(&folder.0), largest, u64::MAX, Health::default()).unwrap();
        (store.journal("s"), store)
    };
    let (journal, store) = write(8 * size);
    let storage = journal.storage().unwrap();
    assert!(storage.load().is_empty() && storage.is_open());
    (1..=9).for_each(|number| journal.append(vec![event(number)]));
    storage.keep_settings(serde_json::Map::from_iter([("agent".to_owned(), json!("a"))]));
    storage.keep_notes(b"note\n").unwrap();
    assert!(Store::open(Some(&folder.0), size, u64::MAX, Health::default()).is_err(), "the folder is in use");

    // In the same process: the memory lets go of it, and gets it back.
    let before = seqs(&*journal, 0);
    storage.unload();
    assert!(journal.is_unloaded() && !storage.is_open() && seqs(&*journal, 0).is_empty());
    storage.load();
    assert_eq!((seqs(&*journal, 0), journal.is_unloaded()), (before.clone(), false));

    storage.attend(true);
    storage.close();
    store.close();
    let (again, store) = write(usize::MAX);
    let storage = again.storage().unwrap();
    assert_eq!(store.stored().unwrap()[0].0, "s");
    assert_eq!(storage.load()["agent"], "a");
    assert_eq!(
        (seqs(&*again, 0), again.dropped(), storage.notes().unwrap()),
        (before, journal.dropped(), b"note\n".into())
    );
    again.append(vec![event(10)]);
    assert_eq!(seqs(&*again, 9), [10], "no number is given twice");
}

/// An agent in whose session a sub-agent goes on asking after a stop.
#[derive(Debug)]
struct StillAsks;

impl Agent for StillAsks {
    fn call<'a>(self: Arc<Self>, _: &'a str, call: &'a Call) -> CallFuture<'a> {
        assert_eq!(call.method, "session.permissions.pendingRequests");
        let request = json!({"kind": "read", "path": "b"});
        let items =
            json!([{"requestId": "b", "request": request}, {"requestId": "unseen", "request": request}]);
        Box::pin(async move { Ok(json!({ "items": items }).to_string()) })
    }

    fn add_own_event(&self, _: &str, _: String) {}

    fn presence(&self, _: &str) -> Presence {
        Presence::Open
    }
}

#[test]
fn a_stored_session_shows_what_waited_without_its_log_being_read() {
    let folder = std::env::temp_dir().join(format!("pilothouse-waited-{}", std::process::id()));
    let store = || Store::open(Some(&folder), usize::MAX, u64::MAX, Health::default()).unwrap();
    let line = |kind: &str, id: &str, data: Value| {
        Entry::read(&json!({"type": kind, "id": format!("{kind} {id}"), "data": data}).to_string())
    };
    let ask = |id: &str| {
        let request = json!({"kind": "read", "path": id});
        line("permission.requested", id, json!({"requestId": id, "permissionRequest": request}))
    };
    let long = |id: &str| line("user.message", id, json!({"content": "x".repeat(100_000)}));
    let question = line("user_input.requested", "q", json!({"requestId": "q", "question": "Which?"}));
    let done = line("permission.completed", "a", json!({"requestId": "a", "result": {"kind": "approved"}}));
    let logs = [
        ("waits", vec![long("1"), ask("a"), question.clone()]),
        ("answered", vec![long("1"), ask("a"), done]),
        // The process that asked is gone, and the next one does not ask again.
        ("asked", vec![long("1"), question]),
        ("rests", vec![long("1")]),
    ];
    let earlier = store();
    for (id, events) in logs {
        let journal = earlier.journal(id);
        journal.storage().unwrap().load();
        journal.append(events);
        journal.storage().unwrap().close();
    }
    earlier.close();
    let store = store();
    let rows: HashMap<String, Value> = (store.stored().unwrap().into_iter())
        .map(|(id, facts, ending)| {
            let agent = Arc::new(Echo(Presence::Stored));
            let session = Session::new(&id, facts, agent, store.journal(&id));
            session.show_what_waited(&ending);
            assert_eq!(session.journal.position().length, 0, "its log is not read");
            (id, session.summary())
        })
        .collect();
    let requests = |id: &str| {
        let list = rows[id]["requests"].as_array().unwrap().iter();
        list.map(|request| request["requestId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((requests("waits"), &rows["waits"]["status"]), (vec!["a".to_owned()], &json!("waiting")));
    assert_eq!((&rows["waits"]["openRequests"], &rows["waits"]["stored"]), (&json!(1), &json!(true)));
    for id in ["answered", "asked", "rests"] {
        assert_eq!((requests(id).len(), &rows[id]["status"]), (0, &json!("idle")), "{id}");
    }
    // Once it is loaded, its row is that of all its events.
    let session =
        Session::new("waits", Facts::default(), Arc::new(Echo(Presence::Open)), store.journal("waits"));
    session.show_what_waited(&store.stored().unwrap().into_iter().find(|(id, ..)| id == "waits").unwrap().2);
    session.journal.storage().unwrap().load();
    assert_eq!(session.summary()["requests"].as_array().unwrap().len(), 2);
    store.close();
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn after_a_stop_the_board_shows_what_the_agent_still_asks() {
    let journal = Arc::new(Memory::default());
    let session = Session::new("s", Facts::default(), Arc::new(StillAsks), Arc::<Memory>::clone(&journal));
    let line = |kind: &str, id: &str, data: Value| {
        Entry::read(&json!({"type": kind, "id": format!("{kind} {id}"), "data": data}).to_string())
    };
    let ask = |id: &str| {
        let request = json!({"kind": "read", "path": id});
        line("permission.requested", id, json!({"requestId": id, "permissionRequest": request}))
    };
    let ids = |row: &Value| {
        let requests = row["requests"].as_array().unwrap().iter();
        requests.map(|request| request["requestId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    journal.append(vec![line("assistant.turn_start", "0", json!({"turnId": "0"})), ask("a"), ask("b")]);
    let mut board = Board::new(Sessions::new(vec![Arc::new(session)]));
    let all = board.all().await;
    assert_eq!(ids(&all["sessions"][0]), ["a", "b"]);
    let mut news = async || {
        let note = tokio::time::timeout(Duration::from_mins(1), board.next()).await.unwrap();
        let note: Value = serde_json::from_str(&note[0]).unwrap();
        note["params"].clone()
    };
    journal.append(vec![line("abort", "", json!({"reason": "user"}))]);
    let stopped = news().await;
    assert_eq!(ids(&stopped), [""; 0]);
    assert_eq!(stopped["settled"].as_array().unwrap().len(), 2);
    let asks = news().await;
    assert_eq!((ids(&asks), &asks["status"]), (vec!["b".to_owned(), "unseen".to_owned()], &json!("waiting")));
    assert_eq!(asks["requests"][0]["event"]["data"]["requestId"], "b", "with the very event");
    assert!(asks["requests"][1]["event"].is_null(), "no event of it has come");
    let end = json!({"requestId": "b", "result": {"kind": "approved"}});
    journal.append(vec![line("permission.completed", "b", end)]);
    let ended = news().await;
    assert_eq!((&ended["settled"][0]["requestId"], ids(&ended)), (&json!("b"), vec!["unseen".to_owned()]));
}
