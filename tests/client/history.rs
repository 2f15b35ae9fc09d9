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

/// A socket opens and its session is subscribed to up to `newest`. Returns the position after which.
fn subscribes(scene: &mut Scene, number: u32, newest: u64) -> Value {
    let greeted = sent(&scene.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    assert_eq!(greeted[0]["method"], "pilothouse.subscribe");
    answers(scene, number, &greeted[0], &json!({ "sessionId": "s", "seq": newest, "protocol": 1 }));
    greeted[0]["params"]["after"].clone()
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

#[test]
fn the_history_comes_first_and_the_live_stream_goes_on_where_it_ends() {
    for transport in ["ws", "sse"] {
        let mut scene = scene(transport, Some("a b"));
        let begun = scene.start(Credentials::Absent);
        assert_eq!(urls(&begun), ["http://page/api/sessions/a%20b/history"], "over {transport}");
        assert_eq!(socket(&begun), None, "a socket that says nothing for long would be closed");
        let exchange = fetched(&begun)[0];
        let head = begins(&mut scene, exchange, 9);
        assert!(head.reports.contains(&Report::History { after: None, newest: 9 }));
        let text = [line(1), line(4)].concat();
        let (first, second) = text.split_at(20);
        news(&mut scene, exchange, HttpNews::Body(first.as_bytes()));
        news(&mut scene, exchange, HttpNews::Body(second.as_bytes()));
        assert!(scene.connection.reads_history());
        let ended = news(&mut scene, exchange, HttpNews::End);
        assert!(!scene.connection.reads_history());
        assert_eq!(scene.notes.0, ["history after None", &text, "history to 9"]);
        if let Some(number) = socket(&ended) {
            assert_eq!(subscribes(&mut scene, number, 9), 9);
        } else {
            assert_eq!(urls(&ended), ["http://page/api/sessions/a%20b/events?after=9"]);
        }
    }
}

#[test]
fn where_no_session_is_named_the_history_comes_behind_the_list() {
    let mut over_socket = scene("ws", None);
    let number = socket(&over_socket.start(Credentials::Absent)).unwrap();
    let asked = sent(&over_socket.input(Input::Carrier(number, CarrierNews::SocketOpened)));
    answers(&mut over_socket, number, &asked[0], &json!([{ "sessionId": "s" }]));
    let shown = over_socket.input(Input::ShowFirst);
    assert_eq!(urls(&shown), ["http://page/api/sessions/s/history"]);
    assert_eq!(urls(&over_socket.input(Input::ShowFirst)), Vec::<String>::new(), "once");
    let exchange = fetched(&shown)[0];
    begins(&mut over_socket, exchange, 3);
    let ended = sent(&news(&mut over_socket, exchange, HttpNews::End));
    assert_eq!(
        (&ended[0]["method"], &ended[0]["params"]["after"]),
        (&json!("pilothouse.subscribe"), &json!(3))
    );

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
fn a_server_without_a_history_is_asked_once_and_followed_as_ever() {
    let head = |status, kind: &str, newest| ResponseHead {
        status,
        content_type: Some(kind.to_owned()),
        newest,
        ..ResponseHead::default()
    };
    for (head, asks_again) in [
        (head(404, "text/html", None), false),
        (head(405, "application/json", None), false),
        (head(501, "text/plain", None), false),
        (head(403, "application/json", None), false),
        (head(204, "", Some(3)), false),
        (head(200, "text/html", Some(3)), false),
        (head(200, "text/event-stream", Some(3)), false),
        (head(200, JSONL, None), false),
        (head(429, "text/plain", None), true),
        (head(500, "text/plain", None), true),
        (head(503, "text/plain", None), true),
    ] {
        let mut scene = scene("sse", Some("s"));
        let exchange = fetched(&scene.start(Credentials::Absent))[0];
        let refused = news(&mut scene, exchange, HttpNews::Head(head.clone()));
        assert_eq!(urls(&refused), ["http://page/api/sessions/s/events"], "{head:?}");
        assert!(refused.effects.contains(&Effect::Abort(exchange)));
        let late = news(&mut scene, exchange, HttpNews::Body(line(1).as_bytes()));
        assert_eq!((late.effects, &scene.notes.0), (vec![], &vec![]));
        let stream = fetched(&refused)[0];
        news(&mut scene, stream, HttpNews::Broken);
        scene.input(Input::Retry);
        let again = scene.input(Input::Credentials(2, Credentials::Absent));
        let asked = urls(&again)[0].ends_with("/history");
        assert_eq!(asked, asks_again, "{head:?}");
    }
}

#[test]
fn refused_credentials_end_the_attempt_as_those_of_a_stream_do() {
    for transport in ["ws", "sse"] {
        let mut scene = scene(transport, Some("s"));
        let exchange = fetched(&scene.start(Credentials::Absent))[0];
        let refused = scene.head(exchange, 401, "application/json");
        let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
        assert!(
            refused
                .reports
                .iter()
                .any(|report| matches!(report, Report::State(state, _) if *state == closed))
        );
        assert_eq!((urls(&refused), socket(&refused)), (vec![], None));
        let mut renewing = self::scene(transport, Some("s"));
        let exchange = fetched(&renewing.start(Credentials::Given(Some("old".to_owned()))))[0];
        let refused = renewing.head(exchange, 401, "application/json");
        let number = refused.effects.iter().find_map(|effect| match effect {
            Effect::AskCredentials { number, refused: true } => Some(*number),
            _ => None,
        });
        let again =
            renewing.input(Input::Credentials(number.unwrap(), Credentials::Given(Some("new".to_owned()))));
        assert_eq!(urls(&again), ["http://page/api/sessions/s/history"]);
    }
}

#[test]
fn where_it_breaks_off_the_live_stream_goes_on() {
    let mut scene = scene("sse", Some("s"));
    let exchange = fetched(&scene.start(Credentials::Absent))[0];
    begins(&mut scene, exchange, 90);
    let text = [line(1), line(4), line(9)].concat();
    news(&mut scene, exchange, HttpNews::Body(&text.as_bytes()[..text.len() - 5]));
    let broken = news(&mut scene, exchange, HttpNews::Broken);
    assert_eq!(urls(&broken), ["http://page/api/sessions/s/events?after=4"]);
    assert_eq!(scene.notes.0.last(), Some(&[line(1), line(4)].concat()), "a line that is torn is none");
    // The stream breaks before it is open: what is left of the rest is asked for again.
    news(&mut scene, fetched(&broken)[0], HttpNews::Broken);
    scene.input(Input::Retry);
    let again = scene.input(Input::Credentials(2, Credentials::Absent));
    assert_eq!(urls(&again), ["http://page/api/sessions/s/history?after=4"]);
}

#[test]
fn a_history_that_says_nothing_for_long_is_given_up_and_one_that_says_nothing_at_all_is_not_asked_for_again()
{
    for (says, again) in [(true, "history?after=4"), (false, "events")] {
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
fn whoever_is_back_soon_follows_the_stream_and_whoever_was_away_reads_the_history() {
    for (away_ms, address) in [(59_000, "events?after=5"), (61_000, "history?after=5")] {
        let mut scene = scene("sse", Some("s"));
        let exchange = fetched(&scene.start(Credentials::Absent))[0];
        begins(&mut scene, exchange, 5);
        let stream = fetched(&news(&mut scene, exchange, HttpNews::End))[0];
        scene.head(stream, 200, "text/event-stream");
        scene.now += away_ms;
        news(&mut scene, stream, HttpNews::Broken);
        scene.input(Input::Timer(Timer::Attempt));
        let again = scene.input(Input::Credentials(2, Credentials::Absent));
        assert_eq!(urls(&again), [format!("http://page/api/sessions/s/{address}")], "after {away_ms} ms");
    }
}

#[test]
fn of_a_server_that_has_started_over_the_live_stream_brings_everything() {
    let mut scene = scene("sse", Some("s"));
    let exchange = fetched(&scene.start(Credentials::Absent))[0];
    begins(&mut scene, exchange, 50);
    let stream = fetched(&news(&mut scene, exchange, HttpNews::End))[0];
    scene.now += 100_000;
    news(&mut scene, stream, HttpNews::Broken);
    scene.input(Input::Timer(Timer::Attempt));
    let again = scene.input(Input::Credentials(2, Credentials::Absent));
    assert_eq!(urls(&again), ["http://page/api/sessions/s/history?after=50"]);
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
        assert!(!scene.connection.reads_history());
    }
}

#[test]
fn somebody_who_is_back_while_it_is_read_does_not_wait_long_for_a_dead_line() {
    let mut scene = scene("ws", Some("s"));
    let exchange = fetched(&scene.start(Credentials::Absent))[0];
    begins(&mut scene, exchange, 50);
    let woken = scene.input(Input::Wake(WakeSign::Thawed));
    assert!(woken.effects.contains(&Effect::SetTimer(Timer::Attempt, 1_000)), "{:?}", woken.effects);
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
