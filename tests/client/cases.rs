//! Single cases: what histories don't come by, or what is said of them.

use pilothouse::core::Session;
use pilothouse::core::client::connection::{
    CarrierNews, Connection, Credentials, Effect, Frame, FrameResult, HttpNews, Input, Outputs, Receiver,
    ReplyEnd, Report, ResponseHead, Thrown,
};
use pilothouse::core::client::{self, RequestError};
use pilothouse::core::connection::{Attributes, ConnectionState, Target};
use serde_json::{Value, json};

use super::world::World;

/// Notes what it is told.
#[derive(Default)]
pub struct Notes(pub Vec<String>);

impl Receiver for Notes {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let text = match frame {
            Frame::Bytes(bytes) | Frame::History(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            Frame::ServerSent { data, .. } => data.to_owned(),
        };
        let mut found = FrameResult::default();
        if matches!(frame, Frame::History(_)) {
            let seq = |line: &str| serde_json::from_str::<Value>(line).ok()?["seq"].as_u64();
            found.last_seq = text.lines().filter_map(seq).next_back();
        }
        self.0.push(text);
        found
    }

    fn history_began(&mut self, after: Option<u64>) {
        self.0.push(format!("history after {after:?}"));
    }

    fn history_ended(&mut self, newest: u64) {
        self.0.push(format!("history to {newest}"));
    }

    fn reply_began(&mut self, ticket: u64) {
        self.0.push(format!("{ticket} begins"));
    }

    fn reply_ended(&mut self, end: ReplyEnd) {
        self.0.push(format!("{end:?}"));
    }
}

/// A connection whose browser is the test.
pub struct Scene {
    pub connection: Connection,
    pub notes: Notes,
    /// Milliseconds.
    pub now: u64,
}

impl Scene {
    pub fn new(attributes: &Attributes<'_>) -> Self {
        let attributes = Attributes { page: "http://page/", ..*attributes };
        let connection = Connection::new(Target::parse(&attributes).unwrap(), 7);
        Self { connection, notes: Notes::default(), now: 1_000 }
    }

    pub fn input(&mut self, input: Input<'_>) -> Outputs {
        self.connection.update(self.now, input, &mut self.notes)
    }

    /// Begins over the page's own transport, whose connection takes requests or none. Returns its number.
    fn open_host(&mut self, answers: bool) -> u32 {
        let opening = self.start(Credentials::Absent);
        let number = opening.effects.iter().find_map(|effect| match effect {
            Effect::OpenHost(number, _) => Some(*number),
            _ => None,
        });
        let number = number.unwrap();
        let opened = CarrierNews::HostOpened {
            session: Some("s".to_owned()),
            newest: None,
            role: Some("operator".to_owned()),
            answers,
        };
        let opened = self.input(Input::Carrier(number, opened));
        assert!(opened.reports.contains(&Report::Role { viewer: !answers }));
        number
    }

    /// Begins; the page has a callback for credentials or none.
    pub fn start(&mut self, given: Credentials) -> Outputs {
        let asked = self.input(Input::Start { hidden: false });
        let number = asked.effects.iter().find_map(|effect| match effect {
            Effect::AskCredentials { number, refused: false } => Some(*number),
            _ => None,
        });
        self.input(Input::Credentials(number.unwrap(), given))
    }

    pub fn call(&mut self, ticket: u64, method: &str, params: Value) -> Outputs {
        self.input(Input::Call { ticket, method, params })
    }

    pub fn head(&mut self, exchange: u32, status: u16, kind: &str) -> Outputs {
        let content_type = Some(kind.to_owned());
        self.input(Input::Http(
            exchange,
            HttpNews::Head(ResponseHead { status, content_type, ..ResponseHead::default() }),
        ))
    }
}

/// The numbers of the exchanges that begin.
pub fn fetched(outputs: &Outputs) -> Vec<u32> {
    let number = |effect: &Effect| if let Effect::Fetch(number, _) = effect { Some(*number) } else { None };
    outputs.effects.iter().filter_map(number).collect()
}

fn answers(outputs: &Outputs) -> Vec<&Report> {
    outputs.reports.iter().filter(|report| matches!(report, Report::Answered(..))).collect()
}

#[test]
fn without_a_network_requests_are_refused_in_plain_words() {
    let mut scene = Scene::new(&Attributes { transport: Some("none"), ..Attributes::default() });
    let refused = scene.call(1, "session.send", json!({}));
    assert_eq!(refused.reports, [Report::Answered(1, Err(RequestError::NotConnected))]);
    let begun = scene.input(Input::Start { hidden: false });
    assert_eq!(begun.reports, [Report::State(ConnectionState::Replaying, None)]);
    let refused = scene.call(2, "session.send", json!({}));
    assert_eq!(refused.reports, [Report::Answered(2, Err(RequestError::Replaying))]);
    let refused = scene.input(Input::Converse { ticket: 3, body: String::new() });
    assert_eq!(refused.reports, [Report::Answered(3, Err(RequestError::NoWayBack))]);
    assert_eq!(scene.input(Input::Start { hidden: false }).reports, [], "it begins once");
}

#[test]
fn however_many_posts_are_refused_the_page_is_asked_once_for_other_credentials() {
    let mut scene =
        Scene::new(&Attributes { transport: Some("sse"), session: Some("s"), ..Attributes::default() });
    let opened = scene.start(Credentials::Given(Some("old".to_owned())));
    scene.head(fetched(&opened)[0], 200, "text/event-stream");
    let posts: Vec<u32> =
        (1..3).flat_map(|ticket| fetched(&scene.call(ticket, "session.send", json!({})))).collect();
    let mut asked = scene.head(posts[0], 401, "text/plain").effects;
    asked.extend(scene.head(posts[1], 401, "text/plain").effects);
    let mut numbers = asked.iter().filter_map(|effect| match effect {
        Effect::AskCredentials { number, refused: true } => Some(*number),
        _ => None,
    });
    let number = numbers.next().unwrap();
    assert_eq!(numbers.next(), None);
    let again = scene.input(Input::Credentials(number, Credentials::Given(Some("new".to_owned()))));
    assert_eq!(fetched(&again), posts);
    assert!(again.effects.iter().all(
        |effect| !matches!(effect, Effect::Fetch(_, request) if request.token.as_deref() != Some("new"))
    ));
    let refused = scene.head(posts[0], 401, "text/plain");
    assert_eq!(fetched(&refused), [0_u32; 0], "these are refused as well");
    let ended = scene.input(Input::Http(posts[0], HttpNews::End));
    assert_eq!(ended.reports, [Report::Answered(1, Err(RequestError::Http(401)))]);
}

#[test]
fn a_post_outlives_its_connection_and_another_target() {
    let mut scene =
        Scene::new(&Attributes { transport: Some("sse"), session: Some("s"), ..Attributes::default() });
    let opened = scene.start(Credentials::Absent);
    scene.head(fetched(&opened)[0], 200, "text/event-stream");
    let post = fetched(&scene.call(1, "session.send", json!({})))[0];
    let elsewhere = Target::parse(&Attributes {
        src: Some("/other/"),
        transport: Some("sse"),
        session: Some("s"),
        page: "http://page/",
        ..Attributes::default()
    });
    let moved = scene.input(Input::Retarget(Box::new(elsewhere.unwrap())));
    assert_eq!(answers(&moved), [] as [&Report; 0]);
    let opened = scene.start(Credentials::Absent);
    assert_ne!(fetched(&opened), [post], "numbers go on");
    scene.head(post, 200, "application/json");
    scene.input(Input::Http(post, HttpNews::Body(br#"{"jsonrpc":"2.0","id":1,"result":{"ok":1}}"#)));
    let ended = scene.input(Input::Http(post, HttpNews::End));
    assert_eq!(ended.reports, [Report::Answered(1, Ok(json!({ "ok": 1 })))]);
}

#[test]
fn a_reply_may_stream_without_saying_so_and_can_be_stopped() {
    let attributes =
        Attributes { answer_url: Some("http://agent/"), protocol: Some("platform"), ..Attributes::default() };
    let mut scene = Scene::new(&attributes);
    scene.start(Credentials::Absent);
    let asked = scene.input(Input::Converse { ticket: 5, body: "{}".to_owned() });
    let reply = fetched(&asked)[0];
    scene.head(reply, 200, "text/plain");
    assert_eq!(scene.input(Input::Http(reply, HttpNews::Body(b"da"))).reports, []);
    let begun = scene.input(Input::Http(reply, HttpNews::Body(b"ta: one\n\n")));
    assert_eq!(begun.reports, [Report::Answered(5, Ok(Value::Null))]);
    scene.input(Input::Http(reply, HttpNews::Body(b"data: two\n\n")));
    let stopped = scene.input(Input::StopReplies);
    assert!(stopped.effects.contains(&Effect::Abort(reply)));
    scene.input(Input::Http(reply, HttpNews::Body(b"data: three\n\n")));
    assert_eq!(scene.notes.0, ["5 begins", "one", "two", "Stopped"]);

    let asked = scene.input(Input::Converse { ticket: 6, body: "{}".to_owned() });
    let stopped = scene.input(Input::StopReplies);
    assert_eq!(stopped.reports, [Report::Answered(6, Err(RequestError::Lost))], "before it began");
    assert!(stopped.effects.contains(&Effect::Abort(fetched(&asked)[0])));
}

#[test]
fn a_host_s_transport_that_takes_no_requests_makes_a_viewer() {
    let mut scene = Scene::new(&Attributes { host_transport: true, ..Attributes::default() });
    let number = scene.open_host(false);
    let refused = scene.call(1, "session.send", json!({}));
    assert_eq!(refused.reports, [Report::Answered(1, Err(RequestError::NoWayBack))]);
    scene.input(Input::Close);
    let late = scene.input(Input::Carrier(number, CarrierNews::Message(b"late", None)));
    assert_eq!((late.reports, scene.notes.0), (vec![], vec![]));
}

/// What a page's own transport throws is the server's refusal if it has a code of JSON-RPC or HTTP; else its code has failed, which
/// the page's developer hears of.
#[test]
fn what_a_host_s_transport_throws_is_a_refusal_or_a_fault_of_the_page() {
    let thrown = |code: Option<f64>| Some(Thrown { code, message: "no".to_owned() });
    let faults = [None, Some(0.0), Some(20.0), Some(f64::NAN), Some(399.0), Some(600.0)];
    let cases = [(Some(-32_000.0), false), (Some(403.0), false), (Some(599.0), false)];
    for (code, is_fault) in cases.into_iter().chain(faults.map(|code| (code, true))) {
        let mut scene = Scene::new(&Attributes { host_transport: true, ..Attributes::default() });
        let number = scene.open_host(true);
        let asked = scene.call(1, "session.send", json!({}));
        let id = asked.effects.iter().find_map(|effect| match effect {
            Effect::CallHost(id, ..) => Some(*id),
            _ => None,
        });
        let answered = scene.input(Input::HostAnswered(id.unwrap(), Err(thrown(code)))).reports;
        let is_lost = answered.contains(&Report::Answered(1, Err(RequestError::Lost)));
        let reported = |reports: &[Report]| reports.contains(&Report::Error("no".to_owned()));
        assert_eq!((is_lost, reported(&answered)), (is_fault, is_fault), "{code:?}: {answered:?}");
        let ended = scene.input(Input::Carrier(number, CarrierNews::HostEnded(thrown(code)))).reports;
        assert_eq!(reported(&ended), is_fault, "{code:?}: {ended:?}");
        let late = scene.input(Input::Carrier(number, CarrierNews::HostEnded(thrown(None)))).reports;
        assert_eq!(late, [], "it has ended already");
    }
}

#[test]
fn messages_before_a_host_s_connection_is_there_are_read_after_it_in_their_order() {
    let mut scene = Scene::new(&Attributes { host_transport: true, ..Attributes::default() });
    let opening = scene.start(Credentials::Absent);
    let number = opening.effects.iter().find_map(|effect| match effect {
        Effect::OpenHost(number, _) => Some(*number),
        _ => None,
    });
    let number = number.unwrap();
    let message = |scene: &mut Scene, text: &str, seq| {
        scene.input(Input::Carrier(number, CarrierNews::Message(text.as_bytes(), seq)));
    };
    message(&mut scene, "one", Some(1));
    message(&mut scene, "two", None);
    assert_eq!(scene.notes.0, Vec::<String>::new());
    let opened = CarrierNews::HostOpened { session: None, newest: None, role: None, answers: true };
    let opened = Input::Carrier(number, opened);
    assert!(opened.brings_data(), "older input has to be read before");
    scene.input(opened);
    message(&mut scene, "three", None);
    assert_eq!(scene.notes.0, ["one", "two", "three"]);
    scene.input(Input::Close);
    scene.input(Input::Retarget(Box::new(
        Target::parse(&Attributes { host_transport: true, page: "http://page/", ..Attributes::default() })
            .unwrap(),
    )));
    message(&mut scene, "late", None);
    assert_eq!(scene.notes.0.len(), 3, "of a carrier that has ended");
}

#[test]
fn a_host_s_connection_that_takes_no_requests_any_more_refuses_them() {
    let mut scene = Scene::new(&Attributes { host_transport: true, ..Attributes::default() });
    scene.open_host(true);
    let asked = scene.call(1, "session.send", json!({}));
    let Some(Effect::CallHost(id, ..)) =
        asked.effects.iter().find(|effect| matches!(effect, Effect::CallHost(..)))
    else {
        panic!("{asked:?}")
    };
    let refused = scene.input(Input::HostAnswered(*id, Err(None))).reports;
    assert_eq!(refused, [Report::Answered(1, Err(RequestError::NoWayBack))]);
}

#[test]
fn an_idle_page_runs_no_timer() {
    for transport in ["ws", "sse", "auto"] {
        let mut world = World::new(transport, 1, &[0, 0]);
        world.heal();
        assert_eq!(world.timers(), [], "over {transport}");
    }
}

#[test]
fn an_answer_whose_card_is_gone_is_looked_into_by_another_card() {
    for (arrives, life) in [(false, "waiting"), (true, "settled")] {
        let mut world = World::new("ws", 1, &[0, 0]);
        world.server.ask();
        world.deliver(50);
        world.press(0);
        let shown =
            |world: &World| world.cards[1].session.snapshot()["timeline"][0]["request"]["life"].clone();
        assert_eq!(shown(&world), "sending", "on both cards");
        world.input(0, client::Input::Gone);
        assert_eq!(shown(&world), "sending", "nobody knows yet whether it arrived");
        world.cut(arrives, 0);
        world.heal();
        assert_eq!(shown(&world), life);
    }
}

#[test]
fn after_a_reload_nobody_is_asked_again_for_an_answer_that_was_taken() {
    let mut world = World::new("ws", 1, &[0, 0]);
    let life = |world: &World, card: usize| {
        world.cards[card].session.snapshot()["timeline"][0]["request"]["life"].clone()
    };
    world.server.ask();
    world.deliver(50);
    world.server.is_quiet = true;
    world.press(0);
    world.deliver(50);
    assert_eq!([life(&world, 0), life(&world, 1)], ["taken", "taken"]);
    world.reload(0);
    world.deliver(50);
    assert_eq!([life(&world, 0), life(&world, 1)], ["taken", "taken"], "the tab has kept it");
    world
        .server
        .emit("permission.completed", &json!({ "requestId": "p1", "result": { "kind": "approved" } }));
    world.deliver(50);
    assert_eq!([life(&world, 0), life(&world, 1)], ["settled", "settled"]);
    assert!(world.is_nothing_kept(), "it is forgotten then");
    world.reload(0);
    world.deliver(50);
    assert_eq!(life(&world, 0), "settled");
}

/// What a page gives its client, as [`World`] does, without anything around it.
struct Page {
    client: client::Client,
    session: Session,
    shared: client::Page,
}

impl Page {
    fn new() -> Self {
        Self { client: client::Client::new(1), session: Session::new(), shared: client::Page::default() }
    }

    fn connect(&mut self, attributes: &Attributes<'_>, other_transport: bool) -> Vec<client::Effect> {
        let attributes = &Attributes { page: "http://page/", ..*attributes };
        let input = client::Input::Connect { attributes, other_transport, seed: 7 };
        self.client.update(1_000, input, &mut self.session, &mut self.shared)
    }

    fn events(&self) -> u64 {
        self.session.state().counters.total
    }
}

#[test]
fn another_source_begins_anew_and_the_same_one_goes_on() {
    let gateway = Attributes { src: Some("http://gateway/"), session: Some("a"), ..Attributes::default() };
    let event = r#"{"type":"session.idle","id":"i","data":{}}"#;
    let anew = [
        (gateway, false, false),
        (Attributes { token: Some("t"), transport: Some("sse"), ..gateway }, false, false),
        (gateway, true, true),
        (Attributes { session: Some("b"), ..gateway }, false, true),
        (Attributes { src: Some("http://other/"), ..gateway }, false, true),
        (Attributes { session: None, ..gateway }, false, true),
        (Attributes { src: Some("http://"), ..gateway }, false, true),
    ];
    for (attributes, other_transport, begins) in anew {
        let mut page = Page::new();
        page.session.push_frame(event);
        page.connect(&gateway, true);
        assert_eq!(page.events(), 1, "at the first connect nothing was there before");
        assert_eq!(page.client.begins_anew(&attributes, other_transport), begins, "{attributes:?}");
        page.connect(&attributes, other_transport);
        assert_eq!(page.events(), u64::from(!begins), "{attributes:?}");
        assert!(!page.client.begins_anew(&attributes, false), "it is the present one now: {attributes:?}");
    }
}

#[test]
fn an_address_that_cannot_be_read_closes_what_was_open_and_a_good_one_connects_again() {
    let mut page = Page::new();
    let gateway = Attributes { src: Some("http://gateway/"), transport: Some("ws"), ..Attributes::default() };
    let start = |page: &mut Page| {
        let start = client::Input::Connection(Input::Start { hidden: false });
        page.client.update(1_000, start, &mut page.session, &mut page.shared)
    };
    for wrong in [Attributes { src: Some("http://"), ..gateway }, Attributes { token: Some("é"), ..gateway }]
    {
        page.connect(&gateway, false);
        assert!(!start(&mut page).is_empty(), "it begins to connect");
        let effects = page.connect(&wrong, false);
        assert!(effects.iter().any(|effect| matches!(effect, client::Effect::Browser(_))), "{effects:?}");
        let [.., client::Effect::Connection(state, Some(message)), client::Effect::Error(error)] = &*effects
        else {
            panic!("{effects:?}")
        };
        assert!(matches!(state, ConnectionState::Closed { .. }) && message == error);
        assert_eq!(start(&mut page), [], "there is nothing to connect to");
    }
    page.connect(&gateway, false);
    assert!(!start(&mut page).is_empty());
}

/// What a server takes is known for a host, and a gateway has to be asked.
#[test]
fn a_host_says_with_its_protocol_what_it_takes() {
    let gateway = Attributes { src: Some("http://gateway/"), ..Attributes::default() };
    let host = Attributes { src: Some("http://host/events"), answer_url: Some("/answers"), ..gateway };
    for (attributes, steering) in [
        (gateway, None),
        (host, Some(false)),
        (Attributes { protocol: Some("runtime"), ..host }, Some(true)),
        (Attributes { protocol: Some("platform"), ..host }, Some(true)),
    ] {
        let effects = Page::new().connect(&attributes, false);
        let known = effects.iter().find_map(|effect| match effect {
            client::Effect::Server { steering, .. } => Some(*steering),
            _ => None,
        });
        assert_eq!(known, Some(steering), "{attributes:?}");
    }
}

/// While input waits to be read nobody hears of requests, because it may settle them.
#[test]
fn the_host_hears_of_requests_when_everything_is_read() {
    let ask = |id: &str| {
        format!(
            r#"{{"type":"permission.requested","id":"p{id}","data":{{"requestId":"{id}","permissionRequest":{{"kind":"shell","fullCommandText":"make"}}}}}}"#
        )
    };
    let allowed =
        r#"{"type":"permission.completed","id":"c","data":{"requestId":"a","result":{"kind":"approved"}}}"#;
    let offered = |page: &mut Page, reading| {
        let changes = page.session.take_changes();
        let input = client::Input::Committed { changes: &changes, reading };
        let effects = page.client.update(1_000, input, &mut page.session, &mut page.shared);
        let offered = |effect| match effect {
            client::Effect::OfferRequest(id, _) => Some(id),
            _ => None,
        };
        effects.into_iter().filter_map(offered).collect::<Vec<_>>()
    };
    let mut page = Page::new();
    page.session.push_frame(&ask("a"));
    assert!(offered(&mut page, true).is_empty() && page.client.has_unhandled_changes());
    page.session.push_frame(&ask("b"));
    assert!(offered(&mut page, true).is_empty());
    page.session.push_frame(allowed);
    assert_eq!(offered(&mut page, false), ["b"]);
    assert!(!page.client.has_unhandled_changes());
    page.session.push_frame(&ask("c"));
    assert!(offered(&mut page, true).is_empty());
    assert_eq!(offered(&mut page, false), ["c"], "nothing more has changed, and everything is read");
    assert_eq!(offered(&mut page, false), Vec::<String>::new(), "each is offered once");
}

#[test]
fn the_cards_of_a_board_have_an_open_connection() {
    let mut page = Page::new();
    let attach = client::Input::Attach { address: Some("http://gateway/".to_owned()), session: "s" };
    let effects = page.client.update(1_000, attach, &mut page.session, &mut page.shared);
    let open = client::Effect::Connection(ConnectionState::Open, None);
    assert!(effects.contains(&open), "{effects:?}");
}

/// Nobody says of a connection that has ended who leaves meanwhile, and where nobody else is there no list comes.
#[test]
fn who_watches_is_known_as_long_as_the_connection_is_there() {
    let attributes = Attributes { host_transport: true, ..Attributes::default() };
    let mut page = Page::new();
    page.connect(&attributes, false);
    let input = |page: &mut Page, input: Input<'_>| {
        page.client.update(1_000, client::Input::Connection(input), &mut page.session, &mut page.shared)
    };
    let lists = |effects: Vec<client::Effect>| -> Vec<usize> {
        let list = |effect: client::Effect| match effect {
            client::Effect::Watchers(watchers) => Some(watchers.len()),
            _ => None,
        };
        effects.into_iter().filter_map(list).collect()
    };
    let carrier = |effects: &[client::Effect]| {
        let number = |effect: &client::Effect| match effect {
            client::Effect::Browser(Effect::OpenHost(number, _)) => Some(*number),
            _ => None,
        };
        effects.iter().find_map(number)
    };
    let opened = || CarrierNews::HostOpened { session: None, newest: None, role: None, answers: true };
    let said = br#"{"jsonrpc":"2.0","method":"pilothouse.watching","params":{"sessionId":"s","watchers":[{"who":"Ana"},{"link":true}]}}"#;
    let begun = input(&mut page, Input::Start { hidden: false });
    let number = begun.iter().find_map(|effect| match effect {
        client::Effect::Browser(Effect::AskCredentials { number, .. }) => Some(*number),
        _ => None,
    });
    let opening = input(&mut page, Input::Credentials(number.unwrap(), Credentials::Absent));
    let number = carrier(&opening).unwrap();
    // What came before the connection was there is read after it, and counts.
    let none = Vec::<usize>::new();
    assert_eq!(lists(input(&mut page, Input::Carrier(number, CarrierNews::Message(said, None)))), none);
    assert_eq!(lists(input(&mut page, Input::Carrier(number, opened()))), [2]);
    assert_eq!(
        lists(input(&mut page, Input::Carrier(number, CarrierNews::Message(said, None)))),
        none,
        "nothing new"
    );
    assert_eq!(page.session.state().entries.len(), 0, "it is what a page knows, not what the session is");
    assert_eq!(
        lists(input(&mut page, Input::Carrier(number, CarrierNews::HostEnded(None)))),
        [0],
        "it was lost"
    );
}
