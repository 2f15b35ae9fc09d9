//! The history over HTTP, and how the live stream goes on behind it: answers of servers that have one, that have none, and that
//! break off.

use pilothouse::core::client::connection::{
    CarrierNews, Credentials, Effect, Frame, FrameResult, HttpNews, Input, Opened, Outputs, Receiver, Report,
    ResponseHead, Timer,
};
use pilothouse::core::connection::{Attributes, ClosedReason, ConnectionState, WakeSign};
use serde_json::{Value, json};

use super::cases::{Scene, fetched};
use super::world::World;

const JSONL: &str = "application/jsonl; charset=utf-8";

fn scene(transport: &str, session: Option<&str>) -> Scene {
    Scene::new(&Attributes { transport: Some(transport), session, ..Attributes::default() })
}

fn line(seq: u64) -> String {
    format!("{{\"seq\":{seq},\"event\":{{\"type\":\"a.b\",\"id\":\"{seq}\",\"data\":{{}}}}}}\n")
}

/// The addresses that are fetched.
fn urls(outputs: &Outputs) -> Vec<String> {
    let url = |effect: &Effect| match effect {
        Effect::Fetch(_, request) => Some(request.url.clone()),
        _ => None,
    };
    outputs.effects.iter().filter_map(url).collect()
}

fn socket(outputs: &Outputs) -> Option<u32> {
    outputs.effects.iter().find_map(|effect| match effect {
        Effect::OpenSocket(number, _) => Some(*number),
        _ => None,
    })
}

fn sent(outputs: &Outputs) -> Vec<Value> {
    let text = |effect: &Effect| match effect {
        Effect::Send(_, text) => Some(serde_json::from_str(text).unwrap()),
        _ => None,
    };
    outputs.effects.iter().filter_map(text).collect()
}

fn news(scene: &mut Scene, exchange: u32, news: HttpNews<'_>) -> Outputs {
    scene.input(Input::Http(exchange, news))
}

/// The head of a history up to this position.
fn begins(scene: &mut Scene, exchange: u32, newest: u64) -> Outputs {
    let head = ResponseHead {
        status: 200,
        content_type: Some(JSONL.to_owned()),
        newest: Some(newest),
        ..ResponseHead::default()
    };
    news(scene, exchange, HttpNews::Head(head))
}

fn answers(scene: &mut Scene, number: u32, request: &Value, result: &Value) -> Outputs {
    // The notes of a scene take no answers, so the connection is given a receiver that does.
    struct Answer(Option<Value>);
    impl Receiver for Answer {
        fn frame(&mut self, _: Frame<'_>) -> FrameResult {
            let Some(answer) = self.0.take() else { return FrameResult::default() };
            let id = answer["id"].as_u64().unwrap();
            let response = pilothouse::core::wire::Response { id, outcome: Ok(answer["result"].clone()) };
            FrameResult { responses: vec![response], ..Default::default() }
        }
    }
    let mut receiver = Answer(Some(json!({ "id": request["id"], "result": result })));
    let now = scene.now;
    scene.connection.update(now, Input::Carrier(number, CarrierNews::Message(b"{}", None)), &mut receiver)
}

/// The server refers whoever asks to its history up to `newest`. Returns the exchange, and the socket if there is one.
fn refers(scene: &mut Scene, outputs: &Outputs, newest: u64) -> (u32, Option<u32>) {
    let Some(number) = socket(outputs) else {
        let exchange = fetched(outputs)[0];
        begins(scene, exchange, newest);
        return (exchange, None);
    };
    let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    assert_eq!(greeted[0]["params"]["history"], true);
    let referred =
        answers(scene, number, &greeted[0], &json!({ "sessionId": "s", "seq": newest, "history": true }));
    let exchange = fetched(&referred)[0];
    begins(scene, exchange, newest);
    (exchange, Some(number))
}

/// What is asked for when the history has ended: the position, and whether a history may come once more.
fn goes_on(outputs: &Outputs, number: Option<u32>) -> (Value, bool) {
    if number.is_some() {
        let params = sent(outputs)[0]["params"].clone();
        return (params["after"].clone(), params["history"] == true);
    }
    let url = urls(outputs)[0].clone();
    let after = url.split_once("after=").map(|(_, after)| after.split('&').next().unwrap());
    (after.map_or(Value::Null, |after| after.parse::<u64>().unwrap().into()), url.contains("history=1"))
}

#[test]
fn whoever_is_far_behind_reads_the_history_and_the_live_stream_goes_on_where_it_ends() {
    for transport in ["ws", "sse"] {
        let mut scene = scene(transport, Some("a b"));
        let begun = scene.start(Credentials::Absent);
        let streamed = ["http://page/api/sessions/a%20b/events?history=1"];
        assert_eq!(urls(&begun), streamed[..usize::from(transport == "sse")], "over {transport}");
        let (exchange, number) = refers(&mut scene, &begun, 9);
        assert!(scene.connection.reads_history());
        assert_eq!(scene.connection.state(), &ConnectionState::Connecting { attempt: 1 });
        let text = [line(1), line(4)].concat();
        let (first, second) = text.split_at(20);
        news(&mut scene, exchange, HttpNews::Body(first.as_bytes()));
        news(&mut scene, exchange, HttpNews::Body(second.as_bytes()));
        assert!(scene.connection.reads_history());
        let ended = news(&mut scene, exchange, HttpNews::End);
        assert!(!scene.connection.reads_history());
        assert_eq!(scene.notes.0, ["history after None", &text, "history to 9"]);
        assert_eq!(goes_on(&ended, number), (json!(9), false), "over {transport}");
    }
}

#[test]
fn over_a_socket_the_history_is_fetched_behind_what_is_here() {
    let mut scene = scene("ws", Some("a b"));
    let begun = scene.start(Credentials::Absent);
    let (exchange, number) = refers(&mut scene, &begun, 9);
    let ended = news(&mut scene, exchange, HttpNews::End);
    let again = sent(&ended)[0].clone();
    let opened = answers(&mut scene, number.unwrap(), &again, &json!({ "sessionId": "a b", "seq": 9 }));
    let from = Opened { after: Some(9), newest: Some(9), over: false };
    assert!(opened.reports.contains(&Report::Opened { session: "a b".to_owned(), from }));
    let closed = CarrierNews::SocketClosed { code: 1006, reason: String::new() };
    scene.input(Input::Carrier(number.unwrap(), closed));
    scene.input(Input::Retry);
    let again = scene.input(Input::Credentials(2, Credentials::Absent));
    let number = socket(&again).unwrap();
    let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    let referred = answers(&mut scene, number, &greeted[0], &json!({ "seq": 99, "history": true }));
    assert_eq!(urls(&referred), ["http://page/api/sessions/a%20b/history?after=9"]);
    let kept = |effect: &Effect| matches!(effect, Effect::Fetch(_, request) if request.kept);
    assert!(referred.effects.iter().any(kept) && !again.effects.iter().any(kept));
}

#[test]
fn a_socket_that_closes_ends_the_history_as_well() {
    let mut scene = scene("ws", Some("s"));
    let begun = scene.start(Credentials::Absent);
    let (exchange, number) = refers(&mut scene, &begun, 9);
    news(&mut scene, exchange, HttpNews::Body(line(4).as_bytes()));
    let closed = CarrierNews::SocketClosed { code: 1001, reason: String::new() };
    let ended = scene.input(Input::Carrier(number.unwrap(), closed));
    assert!(ended.effects.contains(&Effect::Abort(exchange)));
    assert!(!scene.connection.reads_history());
}

#[test]
fn where_no_session_is_named_the_history_comes_behind_the_list() {
    let mut over_socket = scene("ws", None);
    let number = socket(&over_socket.start(Credentials::Absent)).unwrap();
    let asked = sent(&over_socket.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    answers(&mut over_socket, number, &asked[0], &json!([{ "sessionId": "s" }]));
    let shown = sent(&over_socket.input(Input::ShowFirst));
    assert_eq!(sent(&over_socket.input(Input::ShowFirst)), Vec::<Value>::new(), "once");
    let referred = answers(&mut over_socket, number, &shown[0], &json!({ "seq": 3, "history": true }));
    assert_eq!(urls(&referred), ["http://page/api/sessions/s/history"]);
    let exchange = fetched(&referred)[0];
    begins(&mut over_socket, exchange, 3);
    let ended = news(&mut over_socket, exchange, HttpNews::End);
    assert_eq!(goes_on(&ended, Some(number)), (json!(3), false));

    let mut over_stream = scene("sse", None);
    let list = fetched(&over_stream.start(Credentials::Absent))[0];
    over_stream.head(list, 200, "application/json");
    news(&mut over_stream, list, HttpNews::Body(br#"[{"sessionId":"s"}]"#));
    news(&mut over_stream, list, HttpNews::End);
    let exchange = fetched(&over_stream.input(Input::ShowFirst))[0];
    begins(&mut over_stream, exchange, 3);
    let ended = news(&mut over_stream, exchange, HttpNews::End);
    assert_eq!(urls(&ended), ["http://page/api/sessions/s/events?after=3"]);
}

#[test]
fn a_server_that_knows_no_history_is_followed_as_ever_and_asked_for_nothing() {
    let mut over_socket = scene("ws", Some("s"));
    let number = socket(&over_socket.start(Credentials::Absent)).unwrap();
    let greeted = sent(&over_socket.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    let opened = answers(&mut over_socket, number, &greeted[0], &json!({ "sessionId": "s", "seq": 90_000 }));
    assert_eq!(over_socket.connection.state(), &ConnectionState::Open);
    assert_eq!(urls(&opened), [""; 0]);

    let mut over_stream = scene("sse", Some("s"));
    let stream = fetched(&over_stream.start(Credentials::Absent))[0];
    let opened = over_stream.head(stream, 200, "text/event-stream");
    assert_eq!(over_stream.connection.state(), &ConnectionState::Open);
    assert_eq!(urls(&opened), [""; 0]);
}

#[test]
fn only_who_asked_is_referred_to_a_history() {
    let mut over_stream = scene("sse", Some("s"));
    let begun = over_stream.start(Credentials::Absent);
    let (exchange, _) = refers(&mut over_stream, &begun, 9);
    let again = fetched(&news(&mut over_stream, exchange, HttpNews::End))[0];
    let wrong = begins(&mut over_stream, again, 9);
    assert!(!over_stream.connection.reads_history());
    assert!(matches!(
        wrong.reports[0],
        Report::State(ConnectionState::Closed { .. } | ConnectionState::Waiting { .. }, _)
    ));

    let mut over_socket = scene("ws", Some("s"));
    let begun = over_socket.start(Credentials::Absent);
    let (exchange, number) = refers(&mut over_socket, &begun, 9);
    let again = sent(&news(&mut over_socket, exchange, HttpNews::End));
    answers(&mut over_socket, number.unwrap(), &again[0], &json!({ "seq": 9, "history": true }));
    assert_eq!(over_socket.connection.state(), &ConnectionState::Open);
}

#[test]
fn a_history_that_cannot_be_had_is_not_asked_for_again() {
    let head = |status, kind: &str, newest| ResponseHead {
        status,
        content_type: Some(kind.to_owned()),
        newest,
        ..ResponseHead::default()
    };
    for (head, asks_again) in [
        (head(404, "text/html", None), false),
        (head(405, "application/json", None), false),
        (head(403, "application/json", None), false),
        (head(204, "", Some(3)), false),
        (head(200, "text/html", Some(3)), false),
        (head(200, JSONL, None), false),
        (head(429, "text/plain", None), true),
        (head(503, "text/plain", None), true),
    ] {
        let mut scene = scene("ws", Some("s"));
        let number = socket(&scene.start(Credentials::Absent)).unwrap();
        let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
        let referred = answers(&mut scene, number, &greeted[0], &json!({ "seq": 9, "history": true }));
        let exchange = fetched(&referred)[0];
        let refused = news(&mut scene, exchange, HttpNews::Head(head.clone()));
        assert!(refused.effects.contains(&Effect::Abort(exchange)));
        assert_eq!(goes_on(&refused, Some(number)), (Value::Null, false), "{head:?}");
        let late = news(&mut scene, exchange, HttpNews::Body(line(1).as_bytes()));
        assert_eq!((late.effects, &scene.notes.0), (vec![], &vec![]));
        let closed = CarrierNews::SocketClosed { code: 1001, reason: String::new() };
        scene.input(Input::Carrier(number, closed));
        scene.input(Input::Retry);
        let number = socket(&scene.input(Input::Credentials(2, Credentials::Absent))).unwrap();
        let greeted = scene.input(Input::Carrier(number, CarrierNews::SocketOpened));
        assert_eq!(goes_on(&greeted, Some(number)).1, asks_again, "{head:?}");
    }
}

#[test]
fn refused_credentials_end_the_attempt_as_those_of_a_stream_do() {
    let mut scene = scene("ws", Some("s"));
    let number = socket(&scene.start(Credentials::Absent)).unwrap();
    let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    let referred = answers(&mut scene, number, &greeted[0], &json!({ "seq": 9, "history": true }));
    let refused = scene.head(fetched(&referred)[0], 401, "application/json");
    let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
    let is_closed = |report: &Report| matches!(report, Report::State(state, _) if *state == closed);
    assert!(refused.reports.iter().any(is_closed));
    assert_eq!((urls(&refused), sent(&refused)), (vec![], vec![]));
}

#[test]
fn a_link_that_does_not_count_is_said_to_have_ended_and_no_sign_in_is_asked_for() {
    for (token, reason) in [("share.a.b", ClosedReason::LinkEnded), ("a-token", ClosedReason::SignIn)] {
        let mut scene = Scene::new(&Attributes {
            transport: Some("ws"),
            session: Some("s"),
            token: Some(token),
            ..Attributes::default()
        });
        let number = socket(&scene.start(Credentials::Absent)).unwrap();
        let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
        let referred = answers(&mut scene, number, &greeted[0], &json!({ "seq": 9, "history": true }));
        let refused = scene.head(fetched(&referred)[0], 401, "application/json");
        let closed = ConnectionState::Closed { reason };
        let is_closed = |report: &Report| matches!(report, Report::State(state, _) if *state == closed);
        assert!(refused.reports.iter().any(is_closed), "{token}");
    }
}

#[test]
fn where_it_breaks_off_the_live_stream_goes_on() {
    for transport in ["ws", "sse"] {
        let mut scene = scene(transport, Some("s"));
        let begun = scene.start(Credentials::Absent);
        let (exchange, number) = refers(&mut scene, &begun, 90);
        let text = [line(1), line(4), line(9)].concat();
        news(&mut scene, exchange, HttpNews::Body(&text.as_bytes()[..text.len() - 5]));
        let broken = news(&mut scene, exchange, HttpNews::Broken);
        assert_eq!(goes_on(&broken, number), (json!(4), false), "over {transport}");
        assert_eq!(scene.notes.0.last(), Some(&[line(1), line(4)].concat()), "a line that is torn is none");
        // What is left of the rest may be asked for if that breaks as well.
        scene.input(Input::Offline);
        scene.input(Input::Retry);
        let mut again = scene.input(Input::Credentials(2, Credentials::Absent));
        let number = socket(&again);
        if let Some(number) = number {
            again = scene.input(Input::Carrier(number, CarrierNews::SocketOpened));
        }
        assert_eq!(goes_on(&again, number), (json!(4), true), "over {transport}");
    }
}

#[test]
fn a_history_that_says_nothing_for_long_is_given_up_and_one_that_says_nothing_at_all_is_not_asked_for_again()
{
    for (says, again) in [(true, "events?after=4&history=1"), (false, "events")] {
        let mut scene = scene("sse", Some("s"));
        let begun = scene.start(Credentials::Absent);
        let patience = |outputs: &Outputs| {
            outputs.effects.iter().rev().find_map(|effect| match effect {
                Effect::SetTimer(Timer::Attempt, delay_ms) => Some(*delay_ms),
                _ => None,
            })
        };
        assert_eq!(patience(&begun), Some(20_000));
        let exchange = fetched(&begun)[0];
        assert_eq!(patience(&begins(&mut scene, exchange, 90)), Some(20_000));
        if says {
            let part = news(&mut scene, exchange, HttpNews::Body(line(4).as_bytes()));
            assert_eq!(patience(&part), Some(20_000), "it has as much time again");
        }
        let late = scene.input(Input::Timer(Timer::Attempt));
        assert!(late.effects.contains(&Effect::Abort(exchange)));
        scene.input(Input::Timer(Timer::Attempt));
        let next = scene.input(Input::Credentials(2, Credentials::Absent));
        assert_eq!(urls(&next), [format!("http://page/api/sessions/s/{again}")]);
    }
}

#[test]
fn of_a_server_that_has_started_over_the_live_stream_brings_everything() {
    let mut scene = scene("sse", Some("s"));
    let begun = scene.start(Credentials::Absent);
    let (exchange, _) = refers(&mut scene, &begun, 50);
    let stream = fetched(&news(&mut scene, exchange, HttpNews::End))[0];
    news(&mut scene, stream, HttpNews::Broken);
    scene.input(Input::Timer(Timer::Attempt));
    let again = scene.input(Input::Credentials(2, Credentials::Absent));
    assert_eq!(urls(&again), ["http://page/api/sessions/s/events?after=50&history=1"]);
    // It has started over in this moment, and has a history again.
    let over = begins(&mut scene, fetched(&again)[0], 3);
    assert!(over.effects.contains(&Effect::Abort(fetched(&again)[0])));
    assert_eq!(urls(&over), ["http://page/api/sessions/s/events?after=50"]);
    let head = ResponseHead {
        status: 200,
        content_type: Some("text/event-stream".to_owned()),
        newest: Some(3),
        ..ResponseHead::default()
    };
    let opened = news(&mut scene, fetched(&over)[0], HttpNews::Head(head));
    let from = Opened { after: None, newest: Some(3), over: true };
    assert!(opened.reports.contains(&Report::Opened { session: "s".to_owned(), from }));
    assert_eq!(scene.notes.0, ["history after None", "history to 50"]);
}

#[test]
fn other_addresses_than_a_gateway_s_have_no_history() {
    for (src, transport) in
        [("wss://host/api/rpc", "auto"), ("wss://host/stream", "auto"), ("http://host/events", "auto")]
    {
        let attributes = Attributes {
            src: Some(src),
            transport: Some(transport),
            session: Some("s"),
            ..Attributes::default()
        };
        let mut scene = Scene::new(&attributes);
        let begun = scene.start(Credentials::Absent);
        assert!(urls(&begun).iter().all(|url| url == src), "{src}");
        if let Some(number) = socket(&begun) {
            let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
            assert_eq!(greeted[0]["params"].get("history"), None, "{src}");
        }
    }
}

#[test]
fn somebody_who_is_back_while_it_is_read_does_not_wait_long_for_a_dead_line() {
    for transport in ["ws", "sse"] {
        let mut scene = scene(transport, Some("s"));
        let begun = scene.start(Credentials::Absent);
        refers(&mut scene, &begun, 50);
        let woken = scene.input(Input::Wake(WakeSign::Thawed));
        assert!(woken.effects.contains(&Effect::SetTimer(Timer::Attempt, 1_000)), "{:?}", woken.effects);
    }
}

/// Events that the history leaves out are not missing, and requests are offered when it has come to its end.
#[test]
fn what_is_left_out_is_no_gap_and_is_counted() {
    let mut world = World::new("ws", 1, &[0]);
    for ends in [false, false, false, true] {
        world.server.write(ends);
    }
    world.server.ask();
    world.deliver(50);
    let session = &world.cards[0].session;
    assert_eq!(session.left_out(), 2, "pieces of a message that has ended, but for the first");
    assert_eq!(session.position(), world.server.newest());
    let snapshot = session.snapshot();
    let kinds: Vec<&Value> =
        snapshot["timeline"].as_array().unwrap().iter().map(|entry| &entry["kind"]).collect();
    assert_eq!(kinds, ["assistant", "permission"]);
    assert_eq!(world.cards[0].state, ConnectionState::Open);
}
