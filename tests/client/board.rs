//! A board whose gateway, browser and cards are the test.

use pilothouse::core::Session;
use pilothouse::core::client::board::{BoardClient, CardInput, Effect, Input};
use pilothouse::core::client::connection::{self, CarrierNews, Credentials, HttpNews, ResponseHead};
use pilothouse::core::client::{self, Client, Page};
use pilothouse::core::connection::{Attributes, ClosedReason, ConnectionState};
use pilothouse::core::model::answer::{Answer, prepare};
use pilothouse::core::model::board::Board;
use pilothouse::core::model::request::{RequestStage, StaleReason};
use serde_json::{Value, json};

pub const PERMISSION: &str = "session.permissions.handlePendingPermissionRequest";

/// The cards of one session.
pub struct Cards {
    pub client: Client,
    pub session: Session,
}

#[derive(Default)]
pub struct Scene {
    client: Option<BoardClient>,
    board: Board,
    page: Page,
    pub cards: Vec<Cards>,
    /// The socket that is open, or being opened.
    socket: u32,
    /// Requests over the socket: id, method, params.
    pub sent: Vec<(u64, String, Value)>,
    /// Addresses that were fetched, with the numbers of the exchanges.
    fetched: Vec<(u32, String)>,
    timer: Option<u32>,
    /// What was to be shown or told, but for cards and the browser.
    shown: Vec<Effect>,
}

impl Scene {
    /// A board whose socket is being opened.
    pub fn new() -> Self {
        let mut scene = Self { client: Some(BoardClient::new(7)), ..Self::default() };
        scene.connect("http://gateway/");
        scene
    }

    /// A board that has this list.
    fn with(sessions: &Value) -> Self {
        let mut scene = Self::new();
        scene.socket_opened();
        scene.answer("pilothouse.board", Ok(json!({ "sessions": sessions })));
        scene
    }

    fn connect(&mut self, src: &str) {
        let attributes = Attributes { src: Some(src), page: "http://page/", ..Attributes::default() };
        self.input(Input::Connect(&attributes));
        self.connection(connection::Input::Start { hidden: false });
    }

    pub fn input(&mut self, input: Input<'_>) {
        let Some(client) = &mut self.client else { return };
        for effect in client.update(1_000, input, &mut self.board) {
            self.carry_out(effect);
        }
    }

    pub fn connection(&mut self, input: connection::Input<'_>) {
        self.input(Input::Connection(input));
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Browser(connection::Effect::OpenSocket(number, _)) => self.socket = number,
            Effect::Browser(connection::Effect::Send(id, text)) => {
                let mut sent: Value = serde_json::from_str(&text).unwrap();
                let method = sent["method"].as_str().unwrap().to_owned();
                self.sent.push((id, method, sent["params"].take()));
            }
            Effect::Browser(connection::Effect::Fetch(number, request)) => {
                self.fetched.push((number, request.url));
            }
            Effect::Browser(connection::Effect::AskCredentials { number, .. }) => {
                self.connection(connection::Input::Credentials(number, Credentials::Absent));
            }
            Effect::Browser(_) => {}
            Effect::SetTimer(delay_ms) => self.timer = Some(delay_ms),
            Effect::DropTimer => self.timer = None,
            Effect::Cards(number, CardInput::Answered(ticket, outcome)) => {
                self.card_input(number, client::Input::Answered(ticket, outcome));
            }
            Effect::Cards(number, CardInput::News(news)) => {
                let place = self.place(number);
                news.show(&mut self.cards[place].session);
                self.commit(number);
            }
            Effect::Cards(number, CardInput::ConnectedAgain) => {
                self.card_input(number, client::Input::ConnectedAgain);
            }
            Effect::Cards(number, CardInput::LookIntoAnswers) => {
                self.card_input(number, client::Input::LookIntoAnswers);
            }
            shown => self.shown.push(shown),
        }
    }

    fn place(&self, number: u32) -> usize {
        self.cards.iter().position(|cards| cards.client.number() == number).unwrap()
    }

    pub fn card_input(&mut self, number: u32, input: client::Input<'_>) {
        self.card_update(number, input);
        self.commit(number);
    }

    /// Shows what has changed on the cards of a session.
    fn commit(&mut self, number: u32) {
        let place = self.place(number);
        let changes = self.cards[place].session.take_changes();
        if !changes.is_empty() {
            self.card_input(number, client::Input::Committed { changes: &changes, reading: false });
        }
    }

    fn card_update(&mut self, number: u32, input: client::Input<'_>) {
        let place = self.place(number);
        let Cards { client, session } = &mut self.cards[place];
        for effect in client.update(1_000, input, session, &mut self.page) {
            match effect {
                client::Effect::Relay { ticket, method, params } => {
                    self.input(Input::Relay { cards: number, ticket, method: &method, params });
                }
                client::Effect::OfferAnswer { request, .. } => {
                    self.card_update(number, client::Input::HostTook(&request, false));
                }
                _ => {}
            }
        }
    }

    /// The cards of a session are shown. Returns the number of their client.
    pub fn open_cards(&mut self, session: &str) -> u32 {
        let number = self.cards.len() as u32 + 1;
        self.cards.push(Cards { client: Client::new(number), session: Session::new() });
        let address = Some("http://gateway/".to_owned());
        self.card_input(number, client::Input::Attach { address, session });
        self.input(Input::CardsOpened { cards: number, session });
        number
    }

    /// A person allows a request on a card.
    pub fn allow(&mut self, number: u32, request: &str) {
        let state = self.cards[self.place(number)].session.state();
        let entry = state.entry(state.request_place(request).unwrap()).unwrap();
        let answer = Some(prepare(entry.request().unwrap(), &Answer::ApproveOnce));
        self.card_input(number, client::Input::Answer { request, answer, of_host: false });
    }

    fn life(&self, number: u32, request: &str) -> Option<RequestStage> {
        let state = self.cards[self.place(number)].session.state();
        Some(state.entry(state.request_place(request)?)?.request()?.stage.clone())
    }

    pub fn waits(&self, number: u32, request: &str) -> bool {
        self.life(number, request) == Some(RequestStage::Waiting)
    }

    pub fn socket_opened(&mut self) {
        self.connection(connection::Input::Carrier(self.socket, CarrierNews::SocketOpened));
    }

    pub fn cut(&mut self) {
        let closed = CarrierNews::SocketClosed { code: 1006, reason: String::new() };
        self.connection(connection::Input::Carrier(self.socket, closed));
    }

    fn message(&mut self, message: &Value) {
        let bytes = message.to_string().into_bytes();
        self.connection(connection::Input::Carrier(self.socket, CarrierNews::Message(&bytes, None)));
    }

    /// Answers the newest request with this method.
    pub fn answer(&mut self, method: &str, outcome: Result<Value, (i64, &str)>) {
        let place = self.sent.iter().rposition(|(_, sent, _)| sent == method).unwrap();
        let (id, ..) = self.sent.remove(place);
        let mut answer = match outcome {
            Ok(result) => json!({ "result": result }),
            Err((code, message)) => json!({ "error": { "code": code, "message": message } }),
        };
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = id.into();
        self.message(&answer);
    }

    pub fn news(&mut self, params: &Value) {
        self.message(&json!({ "jsonrpc": "2.0", "method": "pilothouse.summary", "params": params }));
    }

    /// What was fetched comes.
    fn fetch_answered(&mut self, status: u16, body: &Value) {
        let (number, _) = self.fetched.remove(0);
        let head = ResponseHead {
            status,
            content_type: Some("application/json".to_owned()),
            ..ResponseHead::default()
        };
        self.connection(connection::Input::Http(number, HttpNews::Head(head)));
        let body = body.to_string().into_bytes();
        self.connection(connection::Input::Http(number, HttpNews::Body(&body)));
        self.connection(connection::Input::Http(number, HttpNews::End));
    }

    fn addresses(&self) -> Vec<&str> {
        self.fetched.iter().map(|(_, url)| url.as_str()).collect()
    }

    fn sessions(&self) -> Vec<&str> {
        self.board.sessions().iter().map(|session| session.id.as_str()).collect()
    }

    fn state(&self) -> &ConnectionState {
        let states = self.shown.iter().rev();
        let mut states = states.filter_map(|effect| match effect {
            Effect::Connection(state, _) => Some(state),
            _ => None,
        });
        states.next().unwrap()
    }

    fn is_polled(&self) -> bool {
        let mut polled = self.shown.iter().rev();
        polled.find_map(|effect| if let Effect::Polled(on) = effect { Some(*on) } else { None }).unwrap()
    }

    fn calls(&self) -> Vec<&str> {
        self.sent.iter().map(|(_, method, _)| method.as_str()).collect()
    }
}

pub fn event(kind: &str, id: &str, data: &Value) -> Value {
    json!({ "type": kind, "id": format!("{kind} {id}"), "data": data })
}

/// A request as a summary lists it, with the event that opened it.
pub fn request(id: &str) -> Value {
    let data = json!({ "requestId": id, "permissionRequest": { "kind": "read", "path": id } });
    json!({ "requestId": id, "kind": "permission", "text": id, "event": event("permission.requested", id, &data) })
}

/// The same without its event, as it is listed from the second time on.
pub fn known(id: &str) -> Value {
    json!({ "requestId": id, "kind": "permission", "text": id })
}

fn session(id: &str, requests: &[Value]) -> Value {
    json!({ "sessionId": id, "status": "waiting", "cwd": "/boats", "requests": requests })
}

#[test]
fn a_board_subscribes_to_all_summaries_and_takes_what_changes() {
    let mut scene = Scene::new();
    assert!(scene.shown.contains(&Effect::Server(Some("http://gateway/".to_owned()))));
    scene.socket_opened();
    assert_eq!(scene.calls(), ["pilothouse.board"]);
    let all = json!({ "sessions": [session("a", &[]), session("b", &[])], "capabilities": ["create", 7],
        "role": "viewer", "health": { "version": "1" } });
    scene.answer("pilothouse.board", Ok(all));
    assert_eq!(scene.sessions(), ["a", "b"]);
    for effect in [
        Effect::Capabilities(vec!["create".to_owned()]),
        Effect::Role { viewer: true },
        Effect::Health(Some(json!({ "version": "1" }))),
    ] {
        assert!(scene.shown.contains(&effect), "{effect:?} in {:?}", scene.shown);
    }
    scene.news(&json!({ "sessionId": "a", "removed": true }));
    scene.news(&session("c", &[]));
    assert_eq!(scene.sessions(), ["b", "c"]);
    scene.news(&json!("what no gateway sends"));
    scene.news(&json!({ "settled": 7 }));
    assert_eq!(scene.sessions(), ["b", "c"]);
    scene.cut();
    assert_eq!(scene.sessions(), ["b", "c"], "what was there stays");
    assert_eq!(scene.addresses(), [""; 0], "a WebSocket that was open is not refused");
    scene.connection(connection::Input::Retry);
    scene.socket_opened();
    scene.answer("pilothouse.board", Ok(json!({ "sessions": [] })));
    assert!(scene.shown.contains(&Effect::Role { viewer: false }), "somebody has signed in as an operator");
    assert_eq!(scene.sessions(), [""; 0]);
}

#[test]
fn where_the_websocket_is_refused_the_list_is_polled_until_it_opens() {
    let mut scene = Scene::new();
    scene.cut();
    assert_eq!(scene.addresses(), ["http://gateway/api/sessions"]);
    scene.fetch_answered(200, &json!([session("a", &[])]));
    assert_eq!((scene.sessions(), scene.is_polled(), scene.timer), (vec!["a"], true, Some(5_000)));
    assert_eq!(scene.addresses(), ["http://gateway/api/health"]);
    scene.fetch_answered(200, &json!({ "version": "1" }));
    assert!(scene.shown.contains(&Effect::Health(Some(json!({ "version": "1" })))));
    scene.input(Input::Poll);
    assert_eq!(scene.addresses(), ["http://gateway/api/sessions"]);
    scene.fetch_answered(500, &json!(null));
    assert!(scene.is_polled(), "it goes on with the next attempt of the connection");
    scene.connection(connection::Input::Retry);
    scene.socket_opened();
    assert_eq!((scene.is_polled(), scene.timer), (false, None));
    scene.input(Input::Poll);
    assert_eq!(scene.addresses(), [""; 0]);
}

#[test]
fn an_older_gateway_has_only_its_list() {
    let mut scene = Scene::new();
    scene.socket_opened();
    scene.answer("pilothouse.board", Err((-32601, "no method")));
    assert_eq!(scene.addresses(), ["http://gateway/api/sessions"]);
    scene.fetch_answered(200, &json!([session("a", &[])]));
    assert_eq!(scene.sessions(), ["a"]);
}

#[test]
fn nothing_is_tried_before_somebody_has_signed_in() {
    let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
    let mut scene = Scene::new();
    scene.socket_opened();
    scene.answer("pilothouse.board", Err((-32010, "sign in")));
    assert_eq!((scene.state(), scene.is_polled()), (&closed, false));

    let mut polled = Scene::new();
    polled.cut();
    polled.fetch_answered(401, &json!(null));
    assert_eq!((polled.state(), polled.is_polled()), (&closed, false));
}

#[test]
fn an_address_without_a_gateway_is_named_and_ends_what_was_there() {
    let mut scene = Scene::new();
    scene.cut();
    scene.fetch_answered(200, &json!([]));
    for address in ["http://", "http://gateway/events.jsonl"] {
        scene.connect(address);
        assert!(matches!(scene.state(), ConnectionState::Closed { reason: ClosedReason::BadAddress(_) }));
        let [.., Effect::Connection(_, Some(message)), Effect::Error(error)] = &*scene.shown else {
            panic!("{:?}", scene.shown)
        };
        assert_eq!(message, error);
    }
    assert_eq!((scene.is_polled(), scene.timer), (false, None));
    scene.fetched.clear();
    scene.input(Input::Poll);
    assert_eq!((scene.addresses(), scene.calls()), (vec![], vec![]));
}

#[test]
fn the_host_hears_of_calls_that_change_something() {
    let mut scene = Scene::with(&json!([]));
    scene.input(Input::Call { caller: 1, method: "models.list", params: json!({}) });
    scene.input(Input::Call { caller: 2, method: "pilothouse.create", params: json!({ "cwd": "/" }) });
    scene.answer("models.list", Ok(json!(["m"])));
    assert_eq!(scene.shown.last(), Some(&Effect::Resolve(1, Ok(json!(["m"])))));
    scene.answer("pilothouse.create", Err((-32000, "no room")));
    let [.., Effect::Called { method, outcome: Err(words), .. }, Effect::Resolve(2, Err(failure))] =
        &*scene.shown
    else {
        panic!("{:?}", scene.shown)
    };
    assert_eq!((method.as_str(), words), ("pilothouse.create", &failure.words));
    assert_eq!(scene.shown.iter().filter(|effect| matches!(effect, Effect::Called { .. })).count(), 1);
}

#[test]
fn a_card_answers_over_the_connection_of_the_board() {
    let mut scene = Scene::with(&json!([session("a", &[request("p")]), session("b", &[])]));
    let cards = scene.open_cards("a");
    assert!(scene.waits(cards, "p"));
    assert_eq!(scene.cards[0].session.state().info.cwd.as_deref(), Some("/boats"));
    scene.allow(cards, "p");
    assert_eq!(scene.calls(), [PERMISSION]);
    let params = json!({ "sessionId": "a", "requestId": "p", "result": { "kind": "approve-once" } });
    assert_eq!(scene.sent[0].2, params);
    scene.answer(PERMISSION, Ok(json!({ "success": true })));
    assert!(matches!(scene.life(cards, "p"), Some(RequestStage::Taken(_))));
    let end =
        event("permission.completed", "p", &json!({ "requestId": "p", "result": { "kind": "approved" } }));
    let settled = json!([{ "requestId": "p", "event": end }]);
    scene.news(&json!({ "sessionId": "a", "requests": [], "settled": settled }));
    assert!(matches!(scene.life(cards, "p"), Some(RequestStage::Settled { .. })));
}

#[test]
fn an_answer_outlives_its_cards_and_is_lost_with_the_board_or_the_connection() {
    for ends in ["answered", "cut", "gone"] {
        let mut scene = Scene::with(&json!([session("a", &[request("p")])]));
        let cards = scene.open_cards("a");
        scene.allow(cards, "p");
        scene.input(Input::CardsClosed(cards));
        match ends {
            "answered" => scene.answer(PERMISSION, Ok(json!({ "success": false }))),
            "cut" => scene.cut(),
            _ => scene.input(Input::Gone),
        }
        let life = scene.life(cards, "p").unwrap();
        match ends {
            "answered" => {
                assert!(matches!(life, RequestStage::Stale { why: StaleReason::Refused, .. }), "{life:?}");
            }
            _ => assert!(
                matches!(life, RequestStage::Sending(_) | RequestStage::Unsure(_)),
                "{ends}: {life:?}"
            ),
        }
    }
}

#[test]
fn a_new_connection_looks_into_answers_of_unknown_outcome() {
    let mut scene = Scene::with(&json!([session("a", &[request("p")])]));
    let cards = scene.open_cards("a");
    scene.allow(cards, "p");
    scene.cut();
    scene.sent.clear();
    scene.connection(connection::Input::Retry);
    scene.socket_opened();
    assert_eq!(scene.calls(), ["pilothouse.board"]);
    scene.answer("pilothouse.board", Ok(json!({ "sessions": [session("a", &[known("p")])] })));
    assert_eq!(scene.calls(), ["session.permissions.pendingRequests"]);
    scene.answer("session.permissions.pendingRequests", Ok(json!({ "items": [{ "requestId": "p" }] })));
    assert!(scene.waits(cards, "p"), "it did not arrive, so it can be given again");
}

#[test]
fn a_card_is_open_as_long_as_the_summary_lists_its_request() {
    let mut scene = Scene::with(&json!([session("a", &[request("p"), known("large")])]));
    let cards = scene.open_cards("a");
    assert_eq!(scene.life(cards, "large"), None, "what was not seen can't be answered");
    scene.news(&json!({ "sessionId": "b", "status": "idle" }));
    scene.news(&json!({ "sessionId": "a", "intent": "to sail" }));
    assert!(scene.waits(cards, "p"));
    scene.news(&json!({ "sessionId": "a", "requests": [request("q")] }));
    assert!(
        matches!(scene.life(cards, "p"), Some(RequestStage::Stale { why: StaleReason::Refused, .. })),
        "nobody said how"
    );
    assert!(scene.waits(cards, "q"));
    scene.news(&json!({ "sessionId": "a", "removed": true }));
    assert!(matches!(scene.life(cards, "q"), Some(RequestStage::Stale { .. })));
}

#[test]
fn a_summary_that_lags_behind_opens_no_request_that_was_refused() {
    let mut scene = Scene::with(&json!([session("a", &[request("p")])]));
    let cards = scene.open_cards("a");
    scene.allow(cards, "p");
    scene.answer(PERMISSION, Ok(json!({ "success": false })));
    scene.news(&json!({ "sessionId": "a", "requests": [known("p"), request("q")] }));
    assert!(matches!(scene.life(cards, "p"), Some(RequestStage::Stale { why: StaleReason::Refused, .. })));
}

#[test]
fn after_a_stop_a_card_follows_the_gateway_which_asks_what_is_still_open() {
    let stop = event("abort", "", &json!({ "reason": "user" }));
    let settled = json!([{ "requestId": "p", "event": stop }, { "requestId": "unseen", "event": stop }]);
    let begin = || {
        let mut scene = Scene::with(&json!([session("a", &[request("p")])]));
        let cards = scene.open_cards("a");
        (scene, cards)
    };
    let (mut scene, cards) = begin();
    scene.news(&json!({ "sessionId": "a", "requests": [], "settled": settled }));
    assert!(matches!(scene.life(cards, "p"), Some(RequestStage::Stale { why: StaleReason::Stopped, .. })));
    scene.news(&json!({ "sessionId": "a", "requests": [request("p")] }));
    assert!(scene.waits(cards, "p"), "a sub-agent still asks");
    assert_eq!(scene.calls(), [""; 0], "the card itself asks for nothing");

    // Both in one piece of news, with what is asked since the stop.
    let (mut scene, cards) = begin();
    scene.news(&json!({ "sessionId": "a", "requests": [known("p"), request("q")], "settled": settled }));
    assert!(scene.waits(cards, "p") && scene.waits(cards, "q"));
}

#[test]
fn what_comes_after_the_end_of_the_board_is_nobody_s() {
    let mut scene = Scene::with(&json!([session("a", &[request("p")])]));
    let cards = scene.open_cards("a");
    scene.input(Input::Close);
    scene.news(&json!({ "sessionId": "a", "requests": [] }));
    assert!(scene.waits(cards, "p"));
    scene.allow(cards, "p");
    assert!(scene.waits(cards, "p"), "nothing was sent");
    scene.input(Input::Relay { cards, ticket: 99, method: "session.mark", params: json!({}) });
    assert_eq!(scene.calls(), [""; 0]);
}

#[test]
fn the_list_of_machines_comes_with_the_board_and_whenever_it_changes() {
    let mut scene = Scene::new();
    scene.socket_opened();
    let (laptop, ws) = (
        json!({ "name": "laptop", "here": true, "agent": null }),
        json!({ "name": "ws", "agent": "copilot" }),
    );
    scene.answer("pilothouse.board", Ok(json!({ "sessions": [], "machines": [ws, laptop] })));
    let can_create = |scene: &Scene| {
        let able = scene.board.machines().iter().filter(|machine| machine.can_create());
        able.map(|machine| machine.name.clone()).collect::<Vec<_>>()
    };
    let heard = |scene: &mut Scene| {
        let count = scene.shown.iter().filter(|effect| **effect == Effect::Machines).count();
        scene.shown.clear();
        count
    };
    assert_eq!(
        scene.board.machines().iter().map(|one| one.name.as_str()).collect::<Vec<_>>(),
        ["laptop", "ws"]
    );
    assert_eq!((heard(&mut scene), can_create(&scene)), (1, vec!["ws".to_owned()]));
    let note = |away: &Value| {
        let ws = json!({ "name": "ws", "agent": "copilot", "away": away });
        json!({ "jsonrpc": "2.0", "method": "pilothouse.machines", "params": { "machines": [laptop, ws] } })
    };
    scene.message(&note(&json!("2026-11-28T14:03:00.000Z")));
    assert_eq!((heard(&mut scene), can_create(&scene)), (1, vec![]));
    scene.message(&note(&json!("2026-11-28T14:03:00.000Z")));
    assert_eq!(heard(&mut scene), 0, "nothing has changed");
    scene.message(&note(&json!(null)));
    assert_eq!((heard(&mut scene), can_create(&scene)), (1, vec!["ws".to_owned()]));
    scene.connect("http://other/");
    assert_eq!(scene.board.machines(), [], "those of another gateway");
}
