//! Tests of the board: how updates are merged and how sessions are sorted.

use serde_json::{Value, json};

use super::*;
use crate::Session;
use crate::view_model::board_summary;

fn board(rows: &Value) -> Board {
    let mut board = Board::default();
    board.merge_list(rows);
    board
}

fn ids(board: &Board, filter: &SessionFilter, grouping: Grouping) -> Vec<(String, Vec<String>)> {
    groups(board.sessions(), filter, grouping).into_iter().map(|group| (group.key, group.ids)).collect()
}

fn order(board: &Board) -> Vec<String> {
    ids(board, &SessionFilter::default(), Grouping::None).into_iter().flat_map(|(_, ids)| ids).collect()
}

#[test]
fn a_board_is_for_more_than_one_recording_and_for_a_runtime() {
    let one = json!({"sessionId": "a", "recording": true});
    let live = json!({"sessionId": "b", "live": true, "stored": false});
    for (list, needed) in [
        (json!([one]), false),
        (json!([{"sessionId": "of a server that says no more"}]), false),
        (json!([one, one]), true),
        (json!([live]), true),
        (json!([]), true),
        (json!({"error": "x"}), false),
    ] {
        assert_eq!(is_needed(&list), needed, "{list}");
    }
}

#[test]
fn who_needs_a_person_comes_first_and_among_them_who_waits_longest() {
    let asked = |since: i64| json!([{"requestId": "r", "kind": "permission", "since": since}]);
    let board = board(&json!([
        {"sessionId": "ended", "status": "ended"},
        {"sessionId": "idle-old", "status": "idle", "lastEventAt": 10},
        {"sessionId": "running-b", "status": "running", "lastEventAt": 1},
        {"sessionId": "waits-short", "status": "waiting", "requests": asked(200)},
        {"sessionId": "idle-new", "status": "idle", "lastEventAt": 20},
        {"sessionId": "failed", "status": "error"},
        {"sessionId": "running-a", "status": "running", "lastEventAt": 99},
        {"sessionId": "waits-long", "status": "waiting", "requests": asked(100)},
    ]));
    assert_eq!(
        order(&board),
        ["waits-long", "waits-short", "failed", "running-b", "running-a", "idle-new", "idle-old", "ended"]
    );
    assert_eq!(board.waiting(), 2);
}

#[test]
fn a_stored_session_was_active_when_the_list_says() {
    let board = board(&json!([
        {"sessionId": "no-time", "stored": true},
        {"sessionId": "began", "stored": true, "startTime": "2026-11-01T00:00:00Z", "modifiedTime": null},
        {"sessionId": "old", "stored": true, "startTime": "2026-10-01T00:00:00Z", "modifiedTime": "2026-11-20T14:20:00.000Z"},
        {"sessionId": "loaded", "stored": true, "modifiedTime": "2026-11-22T00:00:00Z", "lastEventAt": 1_795_297_403_139_i64},
        {"sessionId": "torn", "stored": true, "modifiedTime": "yesterday"},
        {"sessionId": "new", "stored": true, "modifiedTime": "2026-11-25T15:20:00+01:00"},
    ]));
    assert_eq!(order(&board), ["new", "loaded", "old", "began", "no-time", "torn"]);
    let at = |id: &str| board.get(id).and_then(Summary::last_active_at);
    assert_eq!(at("new"), Some(1_795_616_400_000));
    assert_eq!((at("loaded"), at("torn")), (Some(1_795_297_403_139), None));
}

#[test]
fn recent_folders_are_those_of_the_newest_sessions() {
    let of = |rows: &[(&str, Option<i64>)]| {
        let row = |(at, (cwd, last)): (usize, &(&str, Option<i64>))| json!({"sessionId": format!("s{at}"), "cwd": cwd, "lastEventAt": last});
        board(&rows.iter().enumerate().map(row).collect()).recent_folders(None)
    };
    assert_eq!(
        of(&[("/old", Some(1)), ("/new", Some(9)), ("", Some(10)), ("/unknown", None)]),
        ["/new", "/old", "/unknown"]
    );
    assert_eq!(of(&[("/a/", Some(3)), ("/b", Some(2)), ("/a", Some(1))]), ["/a", "/b"], "once");
    assert_eq!(of(&[("/", Some(3)), ("C:\\", Some(2)), ("C:\\a\\", Some(1))]), ["/", "C:\\", "C:\\a"]);
    let many: Vec<String> = (0..9).map(|n| format!("/f{n}")).collect();
    let many: Vec<_> = many.iter().zip(0..).map(|(cwd, at)| (cwd.as_str(), Some(at))).collect();
    assert_eq!(of(&many), ["/f8", "/f7", "/f6", "/f5", "/f4", "/f3"]);
    assert!(of(&[]).is_empty());
}

#[test]
fn a_running_session_keeps_its_place_while_it_works() {
    let mut board = board(&json!([
        {"sessionId": "a", "status": "running", "lastEventAt": 1},
        {"sessionId": "b", "status": "running", "lastEventAt": 2},
    ]));
    let before = order(&board);
    board.merge(&json!({"sessionId": "a", "lastEventAt": 500}));
    assert_eq!(order(&board), before);
}

#[test]
fn news_change_only_what_they_name_and_null_takes_away() {
    let mut board = board(&json!([{
        "sessionId": "a", "title": "Fix it", "status": "running", "intent": "Reading", "cost": 1.5, "live": true,
        "requests": [],
    }]));
    assert_eq!(board.merge(&json!({"sessionId": "a", "title": "Fix it"})), None, "nothing changed");
    let took = board.merge(&json!({"sessionId": "a", "status": "idle", "intent": null}));
    assert_eq!(took, Some(SessionChange::Changed("a".to_owned())));
    let a = board.get("a").unwrap();
    assert_eq!((a.status, a.intent.as_deref(), a.title.as_deref()), (Status::Idle, None, Some("Fix it")));
    assert_eq!((a.cost, a.source), (1.5, SessionSource::Live));
    assert_eq!(
        board.merge(&json!({"sessionId": "a", "removed": true})),
        Some(SessionChange::Removed("a".to_owned()))
    );
    assert_eq!(board.merge(&json!({"sessionId": "a", "removed": true})), None);
    assert_eq!(board.merge(&json!({"title": "nobody's"})), None);
}

#[test]
fn a_session_that_is_only_stored_stands_behind_until_it_is_opened() {
    let mut board = board(&json!([
        {"sessionId": "stored", "status": "idle", "live": true, "stored": true, "lastEventAt": 9},
        {"sessionId": "ended", "status": "ended", "live": true, "stored": false, "lastEventAt": 10},
        {"sessionId": "idle", "status": "idle", "live": true, "stored": false, "lastEventAt": 1},
    ]));
    assert_eq!(order(&board), ["idle", "ended", "stored"]);
    board.merge(&json!({"sessionId": "stored", "stored": false}));
    assert_eq!(board.get("stored").unwrap().source, SessionSource::Live);
    assert_eq!(order(&board), ["stored", "idle", "ended"]);
}

#[test]
fn a_request_keeps_the_event_that_was_told_once() {
    let mut board = board(&json!([{"sessionId": "a", "requests": [
        {"requestId": "r", "kind": "permission", "event": {"type": "permission.requested"}},
    ]}]));
    board.merge(&json!({"sessionId": "a", "requests": [
        {"requestId": "r", "kind": "permission"}, {"requestId": "q", "kind": "question"},
    ]}));
    let events: Vec<_> = board.get("a").unwrap().requests.iter().map(|asked| asked.event.is_some()).collect();
    assert_eq!(events, [true, false], "one that was never told can't be answered from here");
}

#[test]
fn a_list_ends_what_it_does_not_name() {
    let mut board = board(&json!([{"sessionId": "a", "error": "No"}, {"sessionId": "b"}]));
    let took = board.merge_list(&json!([{"sessionId": "c"}, {"sessionId": "a"}]));
    assert_eq!(
        took,
        [
            SessionChange::Removed("b".to_owned()),
            SessionChange::Added("c".to_owned()),
            SessionChange::Changed("a".to_owned())
        ]
    );
    assert_eq!(board.get("a").unwrap().error, None);
}

#[test]
fn filters_and_groups() {
    let board = board(&json!([
        {"sessionId": "a", "title": "Tide tables", "repository": "harbour/tides", "status": "idle"},
        {"sessionId": "b", "title": "Buoys", "repository": "harbour/buoys", "status": "running", "branch": "Lights"},
        {"sessionId": "c", "title": "Moon", "status": "idle"},
        {"sessionId": "d", "title": "More tides", "repository": "harbour/tides", "status": "error"},
    ]));
    let words = |typed: &str| {
        let mut filter = SessionFilter::default();
        filter.set_words(typed);
        ids(&board, &filter, Grouping::None).into_iter().flat_map(|(_, ids)| ids).collect::<Vec<_>>()
    };
    assert_eq!(words(" TIDE  table "), ["a"], "every word must be there");
    assert_eq!(words("lights"), ["b"]);
    assert!(words("nothing").is_empty());
    let idle = SessionFilter { status: Some(Status::Idle), ..SessionFilter::default() };
    let tides = SessionFilter { repository: Some("harbour/tides".to_owned()), ..SessionFilter::default() };
    let named =
        |key: &str, ids: &[&str]| (key.to_owned(), ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(ids(&board, &idle, Grouping::None), [named("", &["a", "c"])]);
    assert_eq!(
        ids(&board, &SessionFilter::default(), Grouping::Repository),
        [named("harbour/tides", &["d", "a"]), named("harbour/buoys", &["b"]), named("", &["c"])]
    );
    assert_eq!(ids(&board, &tides, Grouping::Status), [named("error", &["d"]), named("idle", &["a"])]);
}

#[test]
fn sessions_say_on_which_machine_they_are_where_there_are_several_or_one_is_away() {
    let names = |rows: &Value, machines: &Value| {
        let mut board = board(rows);
        board.take_machines(machines);
        board.names_machines()
    };
    let on = |id: &str, machine: &str| json!({"sessionId": id, "machine": machine});
    let none = json!(null);
    assert!(!names(&json!([{"sessionId": "a"}, {"sessionId": "b"}]), &none), "no cluster");
    assert!(!names(&json!([on("a", "ws"), on("b", "ws")]), &json!([{"name": "ws"}])));
    assert!(names(&json!([on("a", "ws"), on("b", "laptop")]), &none));
    assert!(names(&json!([on("a", "ws")]), &json!([{"name": "ws"}, {"name": "laptop"}])));
    let away = json!({"sessionId": "a", "machine": "ws", "away": "2026-11-28T14:03:00.000Z"});
    assert!(names(&json!([away]), &none));
    assert!(
        !names(&json!([{"sessionId": "a", "away": "2026-11-28T14:03:00.000Z"}]), &none),
        "away without a name"
    );
}

#[test]
fn sessions_say_which_agent_they_have_where_there_are_several_and_are_found_by_it() {
    let names = |rows: &Value, agents: &Value, machines: &Value| {
        let mut board = board(rows);
        board.take_agents(agents);
        board.take_machines(machines);
        board.names_agents()
    };
    let with = |id: &str, agent: &str| json!({"sessionId": id, "agent": agent, "status": "idle"});
    let none = json!(null);
    assert!(!names(&json!([{"sessionId": "a"}, {"sessionId": "b"}]), &none, &none), "recordings alone");
    assert!(!names(&json!([with("a", "codex"), {"sessionId": "b"}]), &json!(["codex"]), &none), "one agent");
    assert!(names(&json!([with("a", "codex"), with("b", "gone")]), &json!(["codex"]), &none));
    assert!(names(&json!([with("a", "codex")]), &json!(["codex", "gemini"]), &none));
    let other = json!([{"name": "ws", "agent": "gemini", "agents": ["gemini", "opencode"]}, {"name": "old", "agent": "copilot"}]);
    assert!(names(&json!([]), &json!(["codex"]), &other));

    let mut board =
        board(&json!([with("a", "codex"), with("b", "gemini"), with("c", "codex"), {"sessionId": "d"}]));
    assert!(
        board.take_agents(&json!(["codex", "gemini"])) && !board.take_agents(&json!(["codex", "gemini"]))
    );
    board.take_machines(&other);
    assert_eq!(board.agents_of(None), ["codex", "gemini"]);
    assert_eq!(
        (board.agents_of(Some("ws")).len(), board.agents_of(Some("old")).join("")),
        (2, "copilot".to_owned())
    );
    assert_eq!(board.agents_of(Some("gone")), ["codex", "gemini"]);
    let codex = SessionFilter { agent: Some("codex".to_owned()), ..SessionFilter::default() };
    let found = ids(&board, &codex, Grouping::Agent);
    assert_eq!(found, [("codex".to_owned(), vec!["a".to_owned(), "c".to_owned()])]);
    let mut words = SessionFilter::default();
    words.set_words("gemini cli");
    assert_eq!(ids(&board, &words, Grouping::None)[0].1, ["b"], "by its name for people");
}

#[test]
fn a_machine_that_goes_away_and_comes_back_is_news_of_its_sessions() {
    let asked = |since: i64| json!([{"requestId": "r", "kind": "permission", "since": since}]);
    let mut board = board(&json!([
        {"sessionId": "a", "machine": "ws", "status": "waiting", "requests": asked(1)},
        {"sessionId": "b", "machine": "laptop", "status": "waiting", "requests": asked(2)},
        {"sessionId": "c", "machine": "ws", "status": "running", "cwd": "/w/c"},
    ]));
    let since = "2026-11-28T14:03:00.000Z";
    assert_eq!(order(&board), ["a", "b", "c"]);
    for id in ["a", "c"] {
        board.merge(&json!({"sessionId": id, "away": since}));
    }
    assert_eq!(order(&board), ["b", "a", "c"], "what can be answered comes first");
    assert_eq!(board.waiting(), 2, "it waits all the same");
    let away = board.get("c").unwrap().away().unwrap();
    assert_eq!((away.name.as_str(), away.since), ("ws", crate::wire::time::parse_iso(since)));
    for id in ["a", "c"] {
        board.merge(&json!({"sessionId": id, "away": null}));
    }
    assert_eq!(order(&board), ["a", "b", "c"]);
    let ws = SessionFilter { machine: Some("ws".to_owned()), ..SessionFilter::default() };
    let group = |key: &str, ids: &[&str]| (key.to_owned(), ids.iter().map(|id| (*id).to_owned()).collect());
    assert_eq!(ids(&board, &ws, Grouping::None), [group("", &["a", "c"])]);
    assert_eq!(
        ids(&board, &SessionFilter::default(), Grouping::Machine),
        [group("ws", &["a", "c"]), group("laptop", &["b"])]
    );
    let mut typed = SessionFilter::default();
    typed.set_words("LAP");
    assert_eq!(ids(&board, &typed, Grouping::None), [group("", &["b"])]);
    assert_eq!(board.recent_folders(Some("ws")), ["/w/c"]);
    assert!(board.recent_folders(Some("laptop")).is_empty());
}

#[test]
fn what_a_gateway_tells_is_what_a_page_reads() {
    let mut session = Session::new();
    session.push(
        br#"{"type":"user.message","id":"1","timestamp":"2026-11-21T09:00:00.000Z","data":{"content":"Go","messageId":"m"}}
{"type":"assistant.turn_start","id":"2","timestamp":"2026-11-21T09:00:01.000Z","data":{"turnId":"0"}}
{"type":"session.usage_info","id":"3","timestamp":"2026-11-21T09:00:01.000Z","ephemeral":true,"data":{"currentTokens":50,"tokenLimit":200}}
{"type":"permission.requested","id":"4","timestamp":"2026-11-21T09:00:02.000Z","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"ls boats\npwd"}}}
"#,
    );
    let mut row = board_summary::of(session.state());
    row.insert("sessionId".to_owned(), "a".into());
    let board = board(&json!([row]));
    let a = board.get("a").unwrap();
    assert_eq!(
        (a.status, a.context_percent(), a.waits_since()),
        (Status::Waiting, Some(25), a.last_event_at)
    );
    let asked = a.requests.first().unwrap();
    assert_eq!((asked.kind.as_str(), asked.text.as_str()), ("permission", "ls boats"));
}

/// Runs these events and reads back what the gateway would send: the session's status and its error.
fn status_after(events: &[(&str, Value)]) -> (Status, Option<String>) {
    let mut session = Session::new();
    for (number, (kind, data)) in events.iter().enumerate() {
        let ephemeral = *kind == "session.idle";
        let event = json!({"type": kind, "id": number.to_string(), "data": data, "ephemeral": ephemeral});
        session.push_frame(&event.to_string());
    }
    let mut row = board_summary::of(session.state());
    row.insert("sessionId".to_owned(), "a".into());
    let board = board(&json!([row]));
    let a = board.get("a").unwrap();
    (a.status, a.error.clone())
}

#[test]
fn a_turn_that_failed_is_an_error_until_the_next_one_begins() {
    let nothing = || json!({});
    let asks = |id: &str| ("user.message", json!({"content": "Go", "messageId": id}));
    let begins = || ("assistant.turn_start", json!({"turnId": "0"}));
    let fails = || ("session.error", json!({"errorType": "query", "message": "No model answers"}));
    let failed = (Status::Error, Some("No model answers".to_owned()));

    let mut events = vec![asks("1"), begins(), fails()];
    assert_eq!(status_after(&events), failed, "as history has it");
    events.push(("session.idle", nothing()));
    assert_eq!(status_after(&events), failed, "idle says that it is over, not that it went well");
    events.push(("session.info", json!({"infoType": "mcp", "message": "A server is there"})));
    assert_eq!(status_after(&events), failed);
    events.push(asks("2"));
    assert_eq!(status_after(&events), (Status::Running, None));
    events.extend([begins(), ("session.idle", nothing())]);
    assert_eq!(status_after(&events), (Status::Idle, None));

    let again = [asks("1"), begins(), fails(), begins(), ("session.idle", nothing())];
    assert_eq!(status_after(&again), (Status::Idle, None), "another try went well");
    let stopped = [asks("1"), begins(), fails(), ("abort", nothing()), ("session.idle", nothing())];
    assert_eq!(status_after(&stopped), (Status::Idle, None), "a person stopped it");
    let ended = [asks("1"), begins(), fails(), ("session.idle", nothing()), ("session.shutdown", nothing())];
    assert_eq!(status_after(&ended).0, Status::Ended);
    let outside = [asks("1"), begins(), ("session.idle", nothing()), fails(), ("session.idle", nothing())];
    assert_eq!(status_after(&outside), (Status::Idle, None), "no turn failed");
}

#[test]
fn the_newest_request_says_which_session_began_to_wait_last() {
    let mut board = Board::default();
    let asked = |id: &str, since: &[i64]| {
        let requests = since.iter().map(|since| json!({ "requestId": since.to_string(), "since": since }));
        let requests = requests.collect::<Vec<_>>();
        let status = if since.is_empty() { "idle" } else { "waiting" };
        json!({ "sessionId": id, "status": status, "requests": requests })
    };
    let newest = |board: &Board| board.newest_waiting().map(|session| session.id.clone());
    assert_eq!(newest(&board), None);
    board.merge_list(&json!([asked("a", &[1, 5]), asked("b", &[4]), asked("c", &[])]));
    assert_eq!(newest(&board).as_deref(), Some("a"));
    board.merge(&asked("b", &[4, 6]));
    assert_eq!(newest(&board).as_deref(), Some("b"));
    board.merge(&asked("b", &[]));
    board.merge(&asked("a", &[]));
    assert_eq!(newest(&board), None);
}
