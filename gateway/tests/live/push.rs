//! Tests that devices are told of what waits, once each, with a push service of our own.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use pilothouse_gateway::access::Access;
use pilothouse_gateway::access::settings;
use pilothouse_gateway::gateway::Gateway;
use pilothouse_gateway::push;
use pilothouse_gateway::push::decide::Timing;
use serde_json::{Value, json};

use super::client::{Reply, Socket, exchange, get};
use super::gateway::{self, Folder, call, open_with};
use super::push_service::{Answer, Arrived, Browser, PushService, claims};
use super::stand_in::StandIn;

/// What a test works with: a runtime, a push service, and a gateway with the sessions `s` and `fence`.
struct World {
    runtime: StandIn,
    service: PushService,
    folder: Folder,
    gateway: Gateway,
    socket: Socket,
    token: String,
}

impl World {
    async fn new() -> Self {
        Self::with(Access::default(), "").await
    }

    /// A world where people sign in, one of them with this token.
    async fn with(access: Access, token: &str) -> Self {
        let (runtime, service, folder) = (StandIn::start().await, PushService::start().await, Folder::new());
        let gateway = start(&runtime, &service, &folder, access).await;
        let mut socket = Socket::open(&gateway, None).await;
        for id in ["s", "fence"] {
            call(&mut socket, "pilothouse.create", json!({"sessionId": id, "token": token})).await;
        }
        Self { runtime, service, folder, gateway, socket, token: token.to_owned() }
    }

    /// The world after another start of the gateway.
    async fn restarted(self, access: Access) -> Self {
        let Self { runtime, service, folder, gateway, socket, token } = self;
        drop(socket);
        gateway.stop().await;
        let gateway = start(&runtime, &service, &folder, access).await;
        let mut socket = Socket::open(&gateway, None).await;
        for id in ["s", "fence"] {
            call(&mut socket, "pilothouse.subscribe", json!({"sessionId": id, "token": token})).await;
        }
        Self { runtime, service, folder, gateway, socket, token }
    }

    async fn subscribe(&self, browser: &Browser, more: Value) {
        let reply = self.offer(&browser.subscription(&self.service, &more), &[]).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    async fn offer(&self, subscription: &Value, headers: &[(&str, &str)]) -> Reply {
        exchange(&self.gateway, "POST", "/api/push", headers, &subscription.to_string()).await
    }

    fn asks(&self, session: &str, request: &str, command: &str) {
        let asked = json!({"kind": "shell", "fullCommandText": command, "commands": []});
        let data = json!({"requestId": request, "permissionRequest": asked});
        self.emit(session, "permission.requested", &format!("{request}-asked"), &data);
    }

    fn answered(&self, session: &str, request: &str) {
        let data = json!({"requestId": request, "result": {"kind": "approved"}});
        self.emit(session, "permission.completed", &format!("{request}-answered"), &data);
    }

    fn emit(&self, session: &str, kind: &str, id: &str, data: &Value) {
        let event = json!({"type": kind, "id": id, "data": data, "timestamp": "2026-11-22T08:00:00.000Z"});
        self.runtime.emit(session, &event.to_string());
    }

    /// Returns when a request of another session has reached a device of its own. By then all looks at what was before have
    /// been taken, and what they led to has been sent.
    async fn fence(&self, request: &str) {
        let fence = Browser::new(&format!("/{request}"));
        self.subscribe(&fence, json!({})).await;
        self.asks("fence", request, "true");
        self.service.until(&fence, |arrived| !arrived.is_empty()).await;
        let gone = json!({"endpoint": format!("{}{}", self.service.origin(), fence.path)}).to_string();
        assert_eq!(exchange(&self.gateway, "DELETE", "/api/push", &[], &gone).await.status, 204);
        self.answered("fence", request);
    }
}

async fn start(runtime: &StandIn, service: &PushService, folder: &Folder, access: Access) -> Gateway {
    let timing = Timing { settle: Duration::from_millis(1), window: Duration::from_millis(400) };
    let push = push::Settings { origins: vec![service.origin()], timing };
    open_with(gateway::settings(runtime, Some(folder)), push, access).await
}

/// The messages of session `s`, decrypted.
fn of_session(browser: &Browser, arrived: &[Arrived]) -> Vec<Value> {
    let all = arrived.iter().map(|one| browser.decrypt(&one.body));
    all.filter(|message| message["sessionId"] == "s").collect()
}

/// Of each message of session `s` to a browser its kind and its request, once there are `count`.
async fn told(world: &World, browser: &Browser, count: usize) -> Vec<String> {
    let arrived = world.service.until(browser, |arrived| of_session(browser, arrived).len() >= count).await;
    let name = |message: &Value| match message["requestId"].as_str() {
        Some(request) => format!("{} {request}", message["kind"].as_str().unwrap()),
        None => message["kind"].as_str().unwrap().to_owned(),
    };
    of_session(browser, &arrived).iter().map(name).collect()
}

fn pushed(folder: &Folder) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.0.join("push.json")).unwrap()).unwrap()
}

#[tokio::test]
async fn a_wait_is_told_once_encrypted_and_signed_and_is_taken_back() {
    let world = World::new().await;
    let phone = Browser::new("/phone?x=1");
    world.subscribe(&phone, json!({"says": "asked"})).await;
    let key = get(&world.gateway, "/api/push/key", &[]).await.json()["key"].as_str().unwrap().to_owned();
    world.asks("s", "r1", "rm -r b\u{202e}oats --password hunter2");
    let first = world.service.until(&phone, |arrived| !arrived.is_empty()).await.remove(0);
    let claims = claims(&first, &key);
    assert_eq!(claims["aud"], world.service.origin());
    assert!(claims["sub"].as_str().unwrap().starts_with("https://"), "Apple refuses others");
    let header = |name: &str| first.headers[name].as_str();
    assert_eq!((header("content-encoding"), header("urgency")), ("aes128gcm", "high"));
    let (ttl, topic) = (header("ttl").parse::<u64>().unwrap(), header("topic").to_owned());
    assert!((3600..=24 * 3600).contains(&ttl), "{ttl}");
    assert!(
        topic.len() <= 32 && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    );
    let message = phone.decrypt(&first.body);
    let body = "rm -r b[right-to-left override]oats --password [hidden]";
    assert_eq!(
        message,
        json!({
            "v": 1, "kind": "waiting", "sessionId": "s", "requestId": "r1", "title": "The agent needs you",
            "body": body, "tag": "pilothouse:s", "url": "/?session=s#request=r1",
        })
    );
    let try_out = async |endpoint: String| {
        let body = json!({"endpoint": endpoint}).to_string();
        exchange(&world.gateway, "POST", "/api/push/test", &[], &body).await.status
    };
    assert_eq!(try_out(format!("{}/stranger", world.service.origin())).await, 404);
    assert_eq!(try_out(format!("{}{}", world.service.origin(), phone.path)).await, 202);
    let test = world.service.until(&phone, |arrived| arrived.len() > 1).await.remove(1);
    let test = phone.decrypt(&test.body);
    assert_eq!((&test["kind"], &test["url"]), (&json!("test"), &json!("/")));
    assert_eq!(test["title"], "Pilothouse reaches this device");
    world.answered("s", "r1");
    let taken_back = world.service.until(&phone, |arrived| arrived.len() > 2).await.remove(2);
    assert_eq!(taken_back.headers["topic"], topic, "the service forgets the first");
    assert_eq!(phone.decrypt(&taken_back.body)["kind"], "close");
    assert_eq!(phone.decrypt(&taken_back.body)["tag"], "pilothouse:s");
    world.fence("f1").await;
    assert_eq!(told(&world, &phone, 0).await, ["waiting r1", "close"]);
}

#[tokio::test]
async fn who_sees_the_session_is_not_told_until_the_page_is_gone() {
    let mut world = World::new().await;
    let phone = Browser::new("/phone");
    world.subscribe(&phone, json!({})).await;
    let mut page = Socket::open(&world.gateway, None).await;
    let shown = call(&mut page, "pilothouse.visible", json!({"sessionId": "s", "visible": true})).await;
    assert_eq!(shown["result"], json!({"sessionId": "s", "visible": true}));
    world.asks("s", "r1", "ls");
    world.fence("f1").await;
    assert!(told(&world, &phone, 0).await.is_empty());
    // One page of two is hidden.
    let shown = json!({"sessionId": "s", "visible": true});
    call(&mut world.socket, "pilothouse.visible", shown.clone()).await;
    call(&mut world.socket, "pilothouse.visible", shown).await;
    let hidden = json!({"sessionId": "s", "visible": false});
    call(&mut world.socket, "pilothouse.visible", hidden).await;
    world.asks("s", "r2", "ls");
    world.fence("f2").await;
    assert!(told(&world, &phone, 0).await.is_empty());
    page.close().await;
    assert_eq!(told(&world, &phone, 1).await, ["waiting r2"]);
    let wrong = call(&mut world.socket, "pilothouse.visible", json!({"sessionId": "s"})).await;
    assert!(wrong["error"]["message"].as_str().unwrap().contains("true or false"));
    let board = json!({"board": true, "visible": true});
    assert_eq!(call(&mut world.socket, "pilothouse.visible", board.clone()).await["result"], board);
    let wrong = json!({"sessionId": "nowhere", "visible": true});
    assert!(call(&mut world.socket, "pilothouse.visible", wrong).await["error"].is_object());
}

#[tokio::test]
async fn nothing_is_told_twice_after_a_restart_and_it_is_taken_back_then() {
    let world = World::new().await;
    let phone = Browser::new("/phone");
    world.subscribe(&phone, json!({"says": "waiting"})).await;
    world.asks("s", "r1", "ls");
    told(&world, &phone, 1).await;
    let first = of_session(&phone, &world.service.arrived(&phone)).remove(0);
    assert_eq!((&first["title"], &first["body"]), (&json!("The agent needs you"), &json!("")));
    let key = get(&world.gateway, "/api/push/key", &[]).await.body;

    let world = world.restarted(Access::default()).await;
    assert_eq!(get(&world.gateway, "/api/push/key", &[]).await.body, key);
    for file in ["push.key", "push.json"] {
        let mode = std::fs::metadata(world.folder.0.join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    world.fence("f1").await;
    world.asks("s", "r2", "ls");
    assert_eq!(told(&world, &phone, 2).await, ["waiting r1", "waiting r2"]);
    world.answered("s", "r1");
    world.answered("s", "r2");
    assert_eq!(told(&world, &phone, 3).await, ["waiting r1", "waiting r2", "close"]);
}

#[tokio::test]
async fn a_subscription_that_has_ended_is_forgotten_and_others_are_told() {
    let world = World::new().await;
    let (gone, expired, phone) = (Browser::new("/gone"), Browser::new("/expired"), Browser::new("/phone"));
    for browser in [&gone, &expired, &phone] {
        world.subscribe(browser, json!({})).await;
    }
    assert_eq!(pushed(&world.folder)["subscriptions"].as_array().unwrap().len(), 3);
    world.service.answer(&gone, &[Answer::Status(410, "a: b")]);
    world.service.answer(&expired, &[Answer::Status(404, "a: b")]);
    world.asks("s", "r1", "ls");
    for browser in [&gone, &expired, &phone] {
        assert_eq!(told(&world, browser, 1).await, ["waiting r1"]);
    }
    world.answered("s", "r1");
    assert_eq!(told(&world, &phone, 2).await, ["waiting r1", "close"]);
    world.fence("f1").await;
    for browser in [&gone, &expired] {
        assert_eq!(told(&world, browser, 0).await, ["waiting r1"]);
    }
    let kept = pushed(&world.folder);
    let kept: Vec<_> = kept["subscriptions"].as_array().unwrap().iter().map(|one| &one["endpoint"]).collect();
    assert_eq!(kept, [&phone.subscription(&world.service, &json!({}))["endpoint"]]);
}

#[tokio::test]
async fn a_service_that_is_busy_is_asked_again_and_one_that_takes_less_gets_less() {
    let world = World::new().await;
    let (busy, down, small) = (Browser::new("/busy"), Browser::new("/down"), Browser::new("/small"));
    for browser in [&busy, &down, &small] {
        world.subscribe(browser, json!({"says": "asked"})).await;
    }
    let later = [Answer::Status(429, "Retry-After: 2"), Answer::Status(503, "a: b")];
    world.service.answer(&busy, &later);
    world.service.answer(&down, &[Answer::Status(500, "Retry-After: soon")]);
    world.service.answer(&small, &[Answer::Status(413, "a: b")]);
    let began = std::time::Instant::now();
    world.asks("s", "r1", "make boats");
    told(&world, &busy, 1).await;
    // Its page starts in between, and posts the same subscription.
    world.subscribe(&busy, json!({"says": "title"})).await;
    assert_eq!(told(&world, &small, 2).await, ["waiting r1", "waiting"]);
    let short = of_session(&small, &world.service.arrived(&small)).remove(1);
    assert_eq!((&short["body"], &short["url"]), (&json!(""), &json!("/?session=s")));
    assert_eq!(told(&world, &down, 2).await, ["waiting r1", "waiting r1"]);
    assert_eq!(told(&world, &busy, 3).await, ["waiting r1", "waiting r1", "waiting r1"]);
    assert!(began.elapsed() >= Duration::from_secs(2), "not before it said");
    world.fence("f1").await;
    assert_eq!(told(&world, &small, 0).await.len(), 2);
}

#[tokio::test]
async fn a_service_that_says_nothing_holds_up_nobody_and_what_did_not_arrive_is_not_taken_back() {
    let world = World::new().await;
    let (silent, down, phone) = (Browser::new("/silent"), Browser::new("/down"), Browser::new("/phone"));
    for browser in [&silent, &down, &phone] {
        world.subscribe(browser, json!({})).await;
    }
    world.service.answer(&silent, &[Answer::Silence]);
    world.service.answer(&down, &[Answer::Status(503, "Retry-After: 1")]);
    world.asks("s", "r1", "ls");
    for browser in [&silent, &down, &phone] {
        assert_eq!(told(&world, browser, 1).await, ["waiting r1"]);
    }
    world.answered("s", "r1");
    assert_eq!(told(&world, &phone, 2).await, ["waiting r1", "close"]);
    world.fence("f1").await;
    // This comes after what would have been taken back.
    world.asks("fence", "f2", "true");
    world.service.until(&down, |arrived| arrived.len() > 1).await;
    assert_eq!(told(&world, &down, 0).await, ["waiting r1"], "and no message that closes");
    assert_eq!(told(&world, &silent, 0).await, ["waiting r1"], "it may answer yet");
}

#[tokio::test]
async fn a_refusal_is_not_repeated_and_no_redirect_is_followed() {
    let world = World::new().await;
    let (phone, elsewhere) = (Browser::new("/phone"), Browser::new("/elsewhere"));
    world.subscribe(&phone, json!({})).await;
    let location: &'static str = format!("Location: {}/elsewhere", world.service.origin()).leak();
    // The messages of the fences are refused as well.
    let refusals = [400, 401, 403, 307].map(|status| Answer::Status(status, location));
    world.service.answer(&phone, &refusals.repeat(3));
    for (number, count) in [("1", 1), ("2", 2), ("3", 3), ("4", 4)] {
        let request = format!("r{number}");
        world.asks("s", &request, "ls");
        let all = told(&world, &phone, count).await;
        assert_eq!(all.last().unwrap(), &format!("waiting {request}"));
        if count < 4 {
            world.answered("s", &request);
            // It did not arrive, so nothing is taken back.
            world.fence(&format!("f{number}")).await;
        }
    }
    assert!(world.service.arrived(&elsewhere).is_empty());
}

#[tokio::test]
async fn only_subscriptions_at_push_services_are_taken() {
    let world = World::new().await;
    let phone = Browser::new("/phone");
    let good = phone.subscription(&world.service, &json!({}));
    let with = |member: &str, value: Value| {
        let mut wrong = good.clone();
        *wrong.pointer_mut(member).unwrap() = value;
        wrong
    };
    let key = "BEl62iUYgUivxIkv69yViEuiBIa-Ib9-SkvMeAtA3LFgDzkrxZJjSgSnfckjBJuBkr3qBUYIHBQFLXYp5Nksh8U";
    for (wrong, says) in [
        (with("/endpoint", json!("https://169.254.169.254/latest")), "--push-origins"),
        (with("/endpoint", json!("http://127.0.0.1:1/x")), "--push-origins"),
        (with("/endpoint", json!("https://fcm.googleapis.com@evil.example/")), "not the address"),
        (with("/endpoint", json!(7)), "not a subscription"),
        (with("/keys/p256dh", json!("AAAA")), "p256dh"),
        (with("/keys/p256dh", json!(key.replace('U', "V"))), "p256dh"),
        (with("/keys/auth", json!("AAAA")), "auth"),
        (json!({"endpoint": good["endpoint"]}), "not a subscription"),
        (json!([]), "not a subscription"),
    ] {
        let refused = world.offer(&wrong, &[]).await;
        assert_eq!(refused.status, 400, "{wrong}");
        assert!(refused.body.contains(says), "{}", refused.body);
    }
    let padded = with("/keys/auth", json!(format!("{}==", good["keys"]["auth"].as_str().unwrap())));
    assert_eq!(world.offer(&padded, &[]).await.status, 200);
    let long = world.offer(&with("/endpoint", json!("x".repeat(9000))), &[]).await;
    assert_eq!(long.status, 400);
    let headers = [("Accept-Language", "de-DE,en;q=0.5")];
    let chosen = world.offer(&phone.subscription(&world.service, &json!({"done": true})), &headers).await;
    assert_eq!(chosen.json(), json!({"says": "waiting", "done": true, "language": "de"}));
    world.asks("s", "r1", "ls");
    let first = world.service.until(&phone, |arrived| !arrived.is_empty()).await.remove(0);
    assert_eq!(phone.decrypt(&first.body)["title"], "Der Agent braucht Sie");
    assert_eq!(pushed(&world.folder)["subscriptions"].as_array().unwrap().len(), 1, "the same one each time");
}

#[tokio::test]
async fn twenty_devices_of_a_person_are_told_the_newest() {
    let world = World::new().await;
    let browsers: Vec<_> = (0..21).map(|number| Browser::new(&format!("/{number}"))).collect();
    for browser in &browsers {
        world.subscribe(browser, json!({})).await;
    }
    let kept = pushed(&world.folder);
    let kept: Vec<_> =
        kept["subscriptions"].as_array().unwrap().iter().map(|one| one["endpoint"].to_string()).collect();
    assert_eq!(kept.len(), 20);
    let last = format!("{}/20\"", world.service.origin());
    assert!(kept.iter().any(|endpoint| endpoint.ends_with(&last)));
}

#[tokio::test]
async fn a_turn_that_failed_is_told_and_one_that_is_done_to_who_wants_it() {
    let world = World::new().await;
    let (phone, tablet) = (Browser::new("/phone"), Browser::new("/tablet"));
    world.subscribe(&phone, json!({"done": true})).await;
    world.subscribe(&tablet, json!({"says": "title"})).await;
    let turn = |number: &str| {
        let said = json!({"content": "Paint the boats", "messageId": number});
        world.emit("s", "user.message", &format!("u{number}"), &said);
        world.emit("s", "assistant.turn_start", &format!("b{number}"), &json!({"turnId": number}));
    };
    turn("1");
    world.fence("f1").await;
    world.emit("s", "assistant.turn_end", "e1", &json!({"turnId": "1"}));
    world.emit("s", "session.idle", "i1", &json!({}));
    assert_eq!(told(&world, &phone, 1).await, ["done"]);
    turn("2");
    world.fence("f2").await;
    world.emit("s", "session.error", "x2", &json!({"message": "No paint", "errorType": "query"}));
    world.emit("s", "session.idle", "i2", &json!({}));
    assert_eq!(told(&world, &phone, 2).await, ["done", "failed"]);
    assert_eq!(told(&world, &tablet, 1).await, ["failed"]);
    let failed = of_session(&tablet, &world.service.arrived(&tablet)).remove(0);
    assert_eq!(failed["body"], "Paint the boats", "the session's title");
}

#[tokio::test]
async fn who_has_no_token_any_more_is_not_told() {
    let access = |operators: &str, viewers: &str| {
        let settings = settings::Settings {
            operator: Some(operators.to_owned()),
            viewer: Some(viewers.to_owned()),
            ..settings::Settings::default()
        };
        Access::open(&settings).unwrap().0
    };
    let (ana, bob, cat) = ("token-of-ana-0123", "token-of-bob-0123", "token-of-cat-0123");
    let operators = format!("Ana:{ana}\nBob:{bob}");
    let world = World::with(access(&operators, cat), ana).await;
    let (anas, bobs, cats) = (Browser::new("/ana"), Browser::new("/bob"), Browser::new("/cat"));
    for (browser, token) in [(&anas, ana), (&bobs, bob), (&cats, cat)] {
        let bearer = format!("Bearer {token}");
        let offer = browser.subscription(&world.service, &json!({"says": "asked"}));
        assert_eq!(world.offer(&offer, &[("Authorization", &bearer)]).await.status, 200);
        assert_eq!(world.offer(&offer, &[]).await.status, 401);
    }
    world.asks("s", "r1", "ls");
    for browser in [&anas, &bobs, &cats] {
        assert_eq!(told(&world, browser, 1).await, ["waiting r1"]);
    }
    let viewers = of_session(&cats, &world.service.arrived(&cats)).remove(0);
    assert_eq!(viewers["title"], "Waiting for an answer", "they can't answer");

    // Bob has a new token, and the viewers another one.
    let operators = format!("Ana:{ana}\nBob:another-token-of-bob");
    let world = world.restarted(access(&operators, "another-token-of-cat")).await;
    world.asks("s", "r2", "ls");
    assert_eq!(told(&world, &anas, 2).await, ["waiting r1", "waiting r2"]);
    world.asks("s", "r3", "ls");
    assert_eq!(told(&world, &anas, 3).await.len(), 3);
    for browser in [&bobs, &cats] {
        assert_eq!(told(&world, browser, 0).await, ["waiting r1"]);
    }
}

#[tokio::test]
async fn a_page_whose_machine_sleeps_shows_nothing_to_anybody() {
    let world = World::new().await;
    let phone = Browser::new("/phone");
    world.subscribe(&phone, json!({})).await;
    let mut page = Socket::open(&world.gateway, None).await;
    call(&mut page, "pilothouse.visible", json!({"sessionId": "s", "visible": true})).await;
    world.asks("s", "r1", "ls");
    world.fence("f1").await;
    assert!(told(&world, &phone, 0).await.is_empty());
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(80)).await;
    tokio::time::resume();
    assert_eq!(told(&world, &phone, 1).await, ["waiting r1"]);
    call(&mut page, "pilothouse.ping", json!({})).await;
    world.asks("s", "r2", "ls");
    world.fence("f2").await;
    assert_eq!(told(&world, &phone, 1).await, ["waiting r1"], "it is awake");
}

#[tokio::test]
async fn what_a_sub_agent_asks_is_told_and_what_a_person_stopped_is_not_done() {
    let world = World::new().await;
    let phone = Browser::new("/phone");
    world.subscribe(&phone, json!({"done": true, "says": "asked"})).await;
    let said = json!({"content": "Paint the boats", "messageId": "u"});
    world.emit("s", "user.message", "u", &said);
    world.emit("s", "assistant.turn_start", "b", &json!({"turnId": "0"}));
    let started = json!({"toolCallId": "c", "agentName": "painter", "agentDisplayName": "Painter"});
    world.emit("s", "subagent.started", "c-started", &started);
    let asked = json!({"kind": "shell", "fullCommandText": "paint", "commands": [], "toolCallId": "d"});
    let event = json!({
        "type": "permission.requested", "id": "r1", "agentId": "c",
        "data": {"requestId": "r1", "permissionRequest": asked},
    });
    world.runtime.emit("s", &event.to_string());
    assert_eq!(told(&world, &phone, 1).await, ["waiting r1"]);
    world.answered("s", "r1");
    assert_eq!(told(&world, &phone, 2).await, ["waiting r1", "close"]);
    world.emit("s", "abort", "a", &json!({"reason": "user_initiated"}));
    world.emit("s", "session.idle", "i", &json!({}));
    world.fence("f1").await;
    world.fence("f2").await;
    assert_eq!(told(&world, &phone, 0).await, ["waiting r1", "close"]);
}
