//! Tests of access to the gateway: who is let in, in which role, with which limits, and that no secret leaks.

use pilothouse_core::protocol::ErrorReason;
use pilothouse_gateway::access::settings::Settings as AccessSettings;
use pilothouse_gateway::access::{Access, Role};
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::playback::recording::Recording;
use serde_json::{Value, json};

use super::client::{Reply, Socket, data, exchange, get, in_time, post};

pub const OPERATOR: &str = "token-of-the-operator";
pub const VIEWER: &str = "token-of-the-viewer";
const ANSWER: &str = "session.permissions.handlePendingPermissionRequest";

pub async fn closed(change: impl FnOnce(&mut AccessSettings)) -> (Gateway, Access) {
    let mut settings = AccessSettings {
        operator: Some(OPERATOR.to_owned()),
        viewer: Some(VIEWER.to_owned()),
        ..AccessSettings::default()
    };
    change(&mut settings);
    let access = Access::open(&settings).unwrap().0;
    let settings = Settings { pace: Pace::Max, access: access.clone(), ..Settings::default() };
    let recording = Recording::from_bytes("permission", data("permission").join("\n").as_bytes());
    (Gateway::start(settings, vec![recording]).await.unwrap(), access)
}

/// The path of a link that signs in the first one of this role.
pub fn link(access: &Access, role: Role) -> String {
    let person = access.members().find(|person| person.role == role).unwrap();
    let [here, _] = access.links_of(person).unwrap();
    here
}

pub async fn first(gateway: &Gateway, token: &str) -> String {
    let bearer = format!("Bearer {token}");
    let list = get(gateway, "/api/sessions", &[("Authorization", &bearer)]).await.json();
    list[0]["sessionId"].as_str().unwrap().to_owned()
}

fn call(method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).to_string()
}

/// The cookie that `Set-Cookie` asks a browser to send back.
fn cookie(reply: &Reply) -> String {
    reply.header("set-cookie").unwrap().split_once(';').unwrap().0.to_owned()
}

#[tokio::test]
async fn without_a_token_nothing_of_a_session_is_told() {
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, VIEWER).await;
    for path in [
        "/api/sessions".to_owned(),
        format!("/api/sessions/{id}/events"),
        format!("/api/sessions/{id}/history"),
        "/api/unknown".to_owned(),
    ] {
        let reply = get(&gateway, &path, &[]).await;
        assert_eq!((reply.status, reply.header("www-authenticate").is_some()), (401, true), "{path}");
        assert!(!reply.body.contains(&id), "{}", reply.body);
        assert_eq!(reply.json()["error"]["code"], ErrorReason::SignIn.code());
    }
    assert_eq!(
        post(&gateway, &format!("/api/sessions/{id}/rpc"), &call("session.getMessages")).await.status,
        401
    );
    for path in ["/healthz", "/"] {
        assert_eq!(get(&gateway, path, &[]).await.status, 200, "{path}");
    }
    // A token in an address does not count.
    let reply = get(&gateway, &format!("/api/sessions?token={OPERATOR}"), &[]).await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn a_viewer_sees_and_changes_nothing_by_post() {
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, VIEWER).await;
    let path = format!("/api/sessions/{id}/rpc");
    let ask = async |token: &str, body: &str| {
        exchange(&gateway, "POST", &path, &[("Authorization", &format!("Bearer {token}"))], body).await
    };
    let seen = ask(VIEWER, &call("session.getMessages")).await;
    assert_eq!((seen.status, seen.header("pilothouse-role")), (200, Some("viewer")));
    assert!(seen.json()["result"]["events"].is_array());
    let refused = ask(VIEWER, &call(ANSWER)).await;
    assert_eq!(
        (refused.status, refused.json()["error"]["code"].as_i64()),
        (403, Some(ErrorReason::NotAllowed.code()))
    );
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("viewer"));
    // Nothing of a batch is carried out either.
    let batch = format!("[{},{}]", call("session.getMessages"), call("session.send"));
    assert_eq!(ask(VIEWER, &batch).await.status, 403);
    let reply = ask(OPERATOR, &call(ANSWER)).await;
    assert_eq!((reply.status, reply.header("pilothouse-role")), (200, Some("operator")));
    assert_ne!(reply.json()["error"]["code"], ErrorReason::NotAllowed.code());
}

#[tokio::test]
async fn a_socket_signs_in_with_its_first_message_and_keeps_its_role() {
    let (gateway, _) = closed(|_| ()).await;
    let mut socket = Socket::open(&gateway, None).await;
    for params in [json!({}), json!({"token": "not-a-token-of-it"}), json!({"token": 7})] {
        let id = socket.send_request("pilothouse.subscribe", params).await;
        let error = socket.response(id).await["error"].clone();
        assert_eq!(error["code"], ErrorReason::SignIn.code());
        assert!(!error.to_string().contains("not-a-token"), "{error}");
    }
    let id = socket.send_request("pilothouse.subscribe", json!({"token": VIEWER})).await;
    let subscribed = socket.response(id).await;
    assert_eq!(subscribed["result"]["role"], "viewer", "{subscribed}");
    let session = subscribed["result"]["sessionId"].clone();
    let asked: Value =
        serde_json::from_str(&socket.until("permission.requested").await.last().unwrap().1).unwrap();
    let params = json!({
        "sessionId": session, "requestId": asked["data"]["requestId"], "result": {"kind": "approve-once"},
        // The role is settled; another token does not change it within a connection.
        "token": OPERATOR,
    });
    let id = socket.send_request(ANSWER, params.clone()).await;
    assert_eq!(socket.response(id).await["error"]["code"], ErrorReason::NotAllowed.code());
    let mut operator =
        Socket::try_open(&gateway, None, &[("Authorization", &format!("Bearer {OPERATOR}"))]).await.unwrap();
    let id = operator.send_request(ANSWER, params).await;
    assert_eq!(operator.response(id).await["result"]["success"], true);
    assert_eq!(
        Socket::try_open(&gateway, None, &[("Authorization", "Bearer not-a-token-of-it")]).await.err(),
        Some(401)
    );
}

#[tokio::test]
async fn a_link_signs_in_once_and_the_cookie_opens_everything() {
    let (gateway, access) = closed(|_| ()).await;
    let link = link(&access, Role::Operator);
    let ahead = get(&gateway, &link, &[("Sec-Purpose", "prefetch;prerender")]).await;
    assert_eq!((ahead.status, ahead.header("set-cookie")), (503, None));
    // What Chromium sends while it starts the page's worker, before it asks itself.
    let ahead = get(&gateway, &link, &[("Service-Worker-Navigation-Preload", "true")]).await;
    assert_eq!((ahead.status, ahead.header("set-cookie")), (503, None));
    let reply = get(&gateway, &link, &[]).await;
    assert_eq!((reply.status, reply.header("location")), (303, Some("/")));
    let header = reply.header("set-cookie").unwrap();
    assert!(header.contains("; Path=/;") && header.contains("; HttpOnly; SameSite=Strict"), "{header}");
    assert!(!header.contains("Secure") && !reply.head.contains(OPERATOR));
    let cookie = cookie(&reply);

    let again = get(&gateway, &link, &[]).await;
    assert_eq!((again.status, again.header("set-cookie")), (401, None));
    // Somebody who is signed in opened it again, for example from the browser's history.
    let again = get(&gateway, &link, &[("Cookie", &cookie)]).await;
    assert_eq!((again.status, again.header("location"), again.header("set-cookie")), (303, Some("/"), None));

    let list = get(&gateway, "/api/sessions", &[("Cookie", &cookie)]).await;
    assert_eq!((list.status, list.header("pilothouse-role")), (200, Some("operator")));
    let origin = format!("http://{}", gateway.address());
    let own = [("Cookie", cookie.as_str()), ("Origin", origin.as_str())];
    let mut socket = Socket::try_open(&gateway, None, &own).await.unwrap();
    let id = socket.send_request("pilothouse.subscribe", json!({})).await;
    assert_eq!(socket.response(id).await["result"]["role"], "operator");

    // The same cookie from a page at another port, which browsers count as the same site.
    let port = [("Cookie", cookie.as_str()), ("Origin", "http://127.0.0.1:3000")];
    assert_eq!(Socket::try_open(&gateway, None, &port).await.err(), Some(403));
    let forged = cookie.replace("operator", "viewer");
    assert_eq!(get(&gateway, "/api/sessions", &[("Cookie", &forged)]).await.status, 401);
}

#[tokio::test]
async fn a_token_becomes_a_cookie_and_behind_https_a_secure_one() {
    let (gateway, _) = closed(|_| ()).await;
    let bearer = format!("Bearer {VIEWER}");
    let headers = [("Authorization", bearer.as_str()), ("X-Forwarded-Proto", "https")];
    let reply = exchange(&gateway, "POST", "/signin", &headers, "").await;
    assert_eq!((reply.status, reply.header("pilothouse-role")), (204, Some("viewer")));
    assert!(reply.header("set-cookie").unwrap().contains("; Secure"));
    let list = get(&gateway, "/api/sessions", &[("Cookie", &cookie(&reply))]).await;
    assert_eq!(list.header("pilothouse-role"), Some("viewer"));
    assert_eq!(exchange(&gateway, "POST", "/signin", &[], "").await.status, 401);
}

#[tokio::test]
async fn a_proxys_word_signs_in_and_counts_from_its_address_alone() {
    let proxy = |addresses: &'static str| {
        move |access: &mut AccessSettings| {
            access.trust_header = Some("X-User".to_owned());
            access.trusted_proxies = vec![addresses.to_owned()];
            access.operators_header = Some("X-Groups=dev".to_owned());
        }
    };
    let (gateway, _) = closed(proxy("127.0.0.0/8")).await;
    let ana = [("X-User", "Ana"), ("X-Groups", "ops,dev")];
    let list = get(&gateway, "/api/sessions", &ana).await;
    assert_eq!((list.status, list.header("pilothouse-role")), (200, Some("operator")));
    let id = list.json()[0]["sessionId"].as_str().unwrap().to_owned();
    let eve = [("X-User", "Eve")];
    assert_eq!(get(&gateway, "/api/sessions", &eve).await.header("pilothouse-role"), Some("viewer"));
    let path = format!("/api/sessions/{id}/rpc");
    assert_eq!(exchange(&gateway, "POST", &path, &eve, &call(ANSWER)).await.status, 403);
    let mut socket = Socket::try_open(&gateway, None, &ana).await.unwrap();
    let asked = socket.send_request("pilothouse.subscribe", json!({})).await;
    assert_eq!(socket.response(asked).await["result"]["role"], "operator");
    // Nobody is named, a page of another origin asks in a browser that the proxy knows, the name can be read in two ways.
    assert_eq!(get(&gateway, "/api/sessions", &[]).await.status, 401);
    let elsewhere = [ana[0], ana[1], ("Origin", "http://127.0.0.1:3000")];
    assert_eq!(get(&gateway, "/api/sessions", &elsewhere).await.status, 403);
    assert_eq!(get(&gateway, "/", &[ana[0], ("X-User", "Bob")]).await.status, 403);
    // The proxy passes on a token that is its own affair.
    let passed_on = [ana[0], ana[1], ("Authorization", "Bearer of-the-provider")];
    assert_eq!(get(&gateway, "/api/sessions", &passed_on).await.status, 200);

    let (gateway, _) = closed(proxy("192.0.2.7")).await;
    let refused = get(&gateway, "/api/sessions", &ana).await;
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains("no trusted proxy"), "{}", refused.body);
    first(&gateway, OPERATOR).await; // a token still counts
}

#[tokio::test]
async fn after_ten_wrong_tokens_an_address_waits_but_not_who_is_signed_in() {
    let (gateway, access) = closed(|_| ()).await;
    let cookie = cookie(&get(&gateway, &link(&access, Role::Viewer), &[]).await);
    let ask = async |token: &str| {
        get(&gateway, "/api/sessions", &[("Authorization", &format!("Bearer {token}"))]).await
    };
    for number in 0..10 {
        assert_eq!(ask(&format!("wrong-token-number-{number}")).await.status, 401);
    }
    let reply = ask(OPERATOR).await;
    assert_eq!(reply.status, 429);
    assert!(reply.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(get(&gateway, "/api/sessions", &[("Cookie", &cookie)]).await.status, 200);
}

#[tokio::test]
async fn wrong_links_keep_nobody_from_signing_in() {
    let (gateway, access) = closed(|_| ()).await;
    for number in 0..20 {
        // As an image in a page of another site asks for it: without a header that a browser would not send.
        assert_eq!(get(&gateway, &format!("/signin?code=wrong-{number}"), &[]).await.status, 401);
    }
    let bearer = format!("Bearer {OPERATOR}");
    assert_eq!(exchange(&gateway, "POST", "/signin", &[("Authorization", &bearer)], "").await.status, 204);
    assert_eq!(get(&gateway, &link(&access, Role::Operator), &[]).await.status, 303);
}

#[tokio::test]
async fn pages_of_an_allowed_origin_may_read_and_no_others() {
    let (gateway, _) = closed(|access| access.origins.push("https://team.example".to_owned())).await;
    let team = ("Origin", "https://team.example");
    let ask = [
        team,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization"),
    ];
    let preflight = exchange(&gateway, "OPTIONS", "/api/sessions", &ask, "").await;
    assert_eq!((preflight.status, preflight.header("access-control-allow-origin")), (204, Some(team.1)));
    assert!(preflight.header("access-control-allow-headers").unwrap().contains("Authorization"));
    assert_eq!(preflight.header("access-control-allow-credentials"), None);
    let bearer = format!("Bearer {OPERATOR}");
    let list = get(&gateway, "/api/sessions", &[team, ("Authorization", &bearer)]).await;
    assert_eq!((list.status, list.header("access-control-allow-origin")), (200, Some(team.1)));
    assert!(list.head.to_lowercase().contains("vary: origin"));
    // Such a page can read why it is refused, and can embed the package.
    let refused = get(&gateway, "/api/sessions", &[team]).await;
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, Some(team.1)));
    assert!(Socket::try_open(&gateway, None, &[team]).await.is_ok());
    for origin in ["https://evil.example", "http://team.example", "http://127.0.0.1:3000"] {
        let reply = exchange(&gateway, "OPTIONS", "/api/sessions", &[("Origin", origin)], "").await;
        assert_eq!((reply.status, reply.header("access-control-allow-origin")), (403, None), "{origin}");
    }
}

#[tokio::test]
async fn a_proxys_name_is_own_only_where_it_is_named() {
    let (gateway, _) = closed(|access| access.hosts.push("dash.example".to_owned())).await;
    assert_eq!(get(&gateway, "/healthz", &[("Host", "dash.example")]).await.status, 200);
    assert_eq!(get(&gateway, "/healthz", &[("Host", "evil.example")]).await.status, 403);
}

#[tokio::test]
async fn every_answer_has_the_headers_that_guard_a_page() {
    let (gateway, _) = closed(|access| access.origins.push("https://team.example".to_owned())).await;
    for path in ["/", "/healthz", "/api/sessions", "/no/such"] {
        let reply = get(&gateway, path, &[]).await;
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(reply.header("referrer-policy"), Some("no-referrer"), "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.ends_with("frame-ancestors 'self' https://team.example"), "{path}: {policy}");
    }
}

#[tokio::test]
async fn too_fast_is_refused_and_said() {
    let (gateway, _) = closed(|_| ()).await;
    let mut socket =
        Socket::try_open(&gateway, None, &[("Authorization", &format!("Bearer {OPERATOR}"))]).await.unwrap();
    // One frame, so that the network's pace does not matter; a fast machine could refill a few.
    let calls: Vec<_> = (0..5000).map(|id| json!({"id": id, "method": "pilothouse.sessions"})).collect();
    socket.send(&Value::from(calls).to_string()).await;
    let (mut served, mut refused) = (0, 0);
    while served + refused < 5000 {
        let answer: Value = serde_json::from_str(&socket.next().await).unwrap();
        match answer["error"]["code"].as_i64() {
            None => served += 1,
            Some(code) => {
                assert_eq!(code, ErrorReason::TooFast.code());
                refused += 1;
            }
        }
    }
    assert!(served >= 200 && refused > 1000, "{served} served, {refused} refused");
}

#[tokio::test]
async fn each_call_of_a_posted_batch_counts() {
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, OPERATOR).await;
    let calls: Vec<_> = (0..5000).map(|id| json!({"id": id, "method": "pilothouse.sessions"})).collect();
    let headers = [("Authorization", format!("Bearer {OPERATOR}"))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let path = format!("/api/sessions/{id}/rpc");
    let reply = exchange(&gateway, "POST", &path, &headers, &Value::from(calls).to_string()).await;
    let answers = reply.json();
    let answers = answers.as_array().unwrap();
    let refused =
        answers.iter().filter(|answer| answer["error"]["code"] == ErrorReason::TooFast.code()).count();
    assert_eq!(answers.len(), 5000);
    assert!((1000..=4800).contains(&refused), "{refused} refused");
}

#[tokio::test]
async fn a_frame_beyond_the_limit_ends_its_connection_and_no_other() {
    let (gateway, _) = closed(|_| ()).await;
    let header = format!("Bearer {OPERATOR}");
    let open = async || Socket::try_open(&gateway, None, &[("Authorization", &header)]).await.unwrap();
    let (mut large, mut other) = (open().await, open().await);
    large.send(&format!(r#"{{"id":1,"method":"x","params":{{"t":"{}"}}}}"#, "x".repeat(15 << 20))).await;
    let refused: Value = serde_json::from_str(&large.next().await).unwrap();
    assert!(refused["error"]["code"].is_i64(), "15 MiB are read");
    // The connection may be cut while this is still being written.
    large.try_send(&format!(r#"{{"id":2,"method":"x","params":{{"t":"{}"}}}}"#, "x".repeat(33 << 20))).await;
    in_time("the end of the connection", large.ended()).await;
    let id = other.send_request("pilothouse.sessions", json!({})).await;
    assert!(other.response(id).await["result"].is_array());
}

#[tokio::test]
async fn no_error_repeats_a_token_however_it_comes() {
    const SECRET: &str = "a-secret-that-is-shown-nowhere";
    let (gateway, _) = closed(|_| ()).await;
    let id = first(&gateway, VIEWER).await;
    let bearer = format!("Bearer {SECRET}");
    let broken = format!(r#"{{"id":1,"method":"x","params":{{"token":"{SECRET}""#);
    let whole = format!("{broken}}}}}");
    let rpc = format!("/api/sessions/{id}/rpc");
    let operator = format!("Bearer {OPERATOR}");
    let mut said = Vec::new();
    for (method, path, headers, body) in [
        ("GET", "/api/sessions", vec![("Authorization", bearer.as_str())], ""),
        ("GET", "/api/sessions", vec![("Authorization", SECRET)], ""),
        ("GET", "/api/sessions", vec![("Cookie", SECRET)], ""),
        ("POST", "/signin", vec![("Authorization", bearer.as_str())], SECRET),
        ("POST", &rpc, vec![], &whole),
        ("POST", &rpc, vec![("Authorization", operator.as_str())], &broken),
        ("POST", &rpc, vec![("Authorization", operator.as_str())], &whole),
        ("PUT", "/api/sessions", vec![("Authorization", bearer.as_str())], SECRET),
    ] {
        let reply = exchange(&gateway, method, path, &headers, body).await;
        said.push(format!("{method} {path}: {}{}", reply.head, reply.body));
    }
    let mut socket = Socket::open(&gateway, None).await;
    for message in [broken, whole, format!(r#""{SECRET}""#), format!("[{SECRET}]")] {
        socket.send(&message).await;
        said.push(socket.next().await);
    }
    for said in said {
        assert!(!said.contains(SECRET) && !said.contains(OPERATOR), "{said}");
    }
}

#[tokio::test]
async fn a_long_message_is_not_looked_at_unless_an_operator_sent_it() {
    let (gateway, _) = closed(|_| ()).await;
    let mut socket = Socket::open(&gateway, None).await;
    let id = socket
        .send_request("pilothouse.subscribe", json!({"token": OPERATOR, "more": "x".repeat(1 << 16)}))
        .await;
    assert_eq!(socket.response(id).await["error"]["code"], ErrorReason::TooLong.code());
    let id = socket.send_request("pilothouse.subscribe", json!({"token": OPERATOR})).await;
    assert_eq!(socket.response(id).await["result"]["role"], "operator");
    let long = json!({"more": "x".repeat(1 << 16)});
    let id = socket.send_request("pilothouse.sessions", long.clone()).await;
    assert!(socket.response(id).await["result"].is_array(), "an operator may send long ones");

    let mut socket = Socket::open(&gateway, None).await;
    let id = socket.send_request("pilothouse.subscribe", json!({"token": VIEWER})).await;
    assert_eq!(socket.response(id).await["result"]["role"], "viewer");
    let id = socket.send_request("pilothouse.sessions", long).await;
    assert_eq!(socket.response(id).await["error"]["code"], ErrorReason::TooLong.code());
}

#[tokio::test]
async fn it_does_not_start_where_others_reach_it_without_a_token() {
    let settings = Settings { listen: ([0, 0, 0, 0], 0).into(), ..Settings::default() };
    let error = Gateway::start(settings, Vec::new()).await.unwrap_err().to_string();
    assert!(error.contains("--new-token"), "{error}");
}
