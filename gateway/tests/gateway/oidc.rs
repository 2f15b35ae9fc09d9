//! Tests of signing in with an OpenID Connect provider: who gets in, as whom, for how long, and what gets nobody in.

use std::path::PathBuf;

use openidconnect::url::Url;
use pilothouse_gateway::access::settings::Settings;
use pilothouse_gateway::gateway::Gateway;
use serde_json::{Value, json};

use super::access::{OPERATOR, closed, first};
use super::client::{Reply, Socket, exchange, get};
use super::provider::{CLIENT, Provider, SECRET, Signature};

/// A file in a folder of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pilothouse-oidc-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("file");
    std::fs::write(&file, text).unwrap();
    file
}

/// A gateway where people sign in with this provider, and those with tokens as ever.
async fn with(provider: &Provider, change: impl FnOnce(&mut Settings)) -> Gateway {
    let issuer = provider.issuer.clone();
    let secret = file("secret", &format!("{SECRET}\n"));
    closed(|access| {
        access.oidc.issuer = Some(issuer);
        access.oidc.client_id = Some(CLIENT.to_owned());
        access.oidc.client_secret_file = Some(secret);
        access.oidc.operators = Some("groups=agents".to_owned());
        change(access);
    })
    .await
    .0
}

/// What `Set-Cookie` headers ask a browser to send back, without those that take a cookie away.
fn cookies(reply: &Reply) -> Vec<String> {
    let lines = reply.head.lines().filter_map(|line| line.split_once(": "));
    let set =
        lines.filter(|(name, value)| name.eq_ignore_ascii_case("set-cookie") && !value.contains("Max-Age=0"));
    set.map(|(_, value)| value.split_once(';').unwrap().0.to_owned()).collect()
}

/// Begins a sign-in: the provider's address, and the cookie.
async fn begin(gateway: &Gateway, back: &str) -> (String, String) {
    let reply = get(gateway, &format!("/signin/oidc{back}"), &[]).await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    (reply.header("location").unwrap().to_owned(), cookies(&reply).pop().unwrap())
}

/// Somebody signs in. What they get in the end.
async fn sign_in(gateway: &Gateway, provider: &Provider) -> Reply {
    let (location, cookie) = begin(gateway, "").await;
    let path = provider.approve(&location);
    get(gateway, &path, &[("Cookie", &cookie)]).await
}

/// The state in the provider's address.
fn state_in(location: &str) -> String {
    let url = Url::parse(location).unwrap();
    url.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
}

/// The cookie of somebody who signs in.
async fn session(gateway: &Gateway, provider: &Provider) -> String {
    let reply = sign_in(gateway, provider).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    cookies(&reply).pop().unwrap()
}

async fn me(gateway: &Gateway, cookie: &str) -> Reply {
    get(gateway, "/api/me", &[("Cookie", cookie)]).await
}

fn has_no_session(reply: &Reply) -> bool {
    reply.status >= 400 && cookies(reply).is_empty()
}

#[tokio::test]
async fn somebody_signs_in_and_comes_back_to_where_they_came_from() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    let stranger = get(&gateway, "/api/me", &[]).await;
    assert_eq!((stranger.status, stranger.header("pilothouse-sign-in")), (401, Some("127.0.0.1")));

    let reply = get(&gateway, "/signin/oidc?back=%2F%3Fsession%3Da%2520b", &[]).await;
    let set = reply.header("set-cookie").unwrap();
    assert!(set.contains("HttpOnly; SameSite=Lax") && set.contains("Path=/signin/oidc"), "{set}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let location = reply.header("location").unwrap();
    let redirect = format!("http://{}/signin/oidc/callback", gateway.address());
    let asked = Url::parse(location).unwrap();
    assert!(
        asked.query_pairs().any(|(name, value)| name == "redirect_uri" && value == redirect),
        "{location}"
    );
    assert!(!location.contains(SECRET));

    let path = provider.approve(location);
    let done = get(&gateway, &path, &[("Cookie", &cookies(&reply)[0])]).await;
    assert_eq!((done.status, done.header("refresh")), (200, Some("0;url=/?session=a%20b")), "{}", done.body);
    let set = done.head.lines().rfind(|line| line.starts_with("set-cookie")).unwrap();
    assert!(set.contains("HttpOnly; SameSite=Strict; Path=/") && !set.contains("Secure"), "{set}");
    assert!(!done.body.contains("code-") && !done.head.contains("access"));

    let cookie = cookies(&done).pop().unwrap();
    assert_eq!(
        me(&gateway, &cookie).await.json(),
        json!({"role": "viewer", "name": "Ana", "signedIn": true})
    );
    let list = get(&gateway, "/api/sessions", &[("Cookie", &cookie)]).await;
    assert_eq!((list.status, list.header("pilothouse-role")), (200, Some("viewer")));
    // A token counts as ever, and it is not the cookie's.
    let bearer = format!("Bearer {OPERATOR}");
    let own = get(&gateway, "/api/me", &[("Authorization", &bearer), ("Cookie", &cookie)]).await;
    assert_eq!(own.json(), json!({"role": "operator", "name": null, "signedIn": false}));
}

#[tokio::test]
async fn behind_https_cookies_are_for_https_alone() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |access| access.hosts = vec!["dash.example".to_owned()]).await;
    let here = [("Host", "dash.example"), ("X-Forwarded-Proto", "https")];
    let begun = get(&gateway, "/signin/oidc", &here).await;
    assert!(begun.header("set-cookie").unwrap().contains("Secure"));
    let location = begun.header("location").unwrap();
    assert!(
        location.contains("redirect_uri=https%3A%2F%2Fdash.example%2Fsignin%2Foidc%2Fcallback"),
        "{location}"
    );
    let path = provider.approve(location);
    let cookie = cookies(&begun).pop().unwrap();
    let done = get(&gateway, &path, &[here[0], here[1], ("Cookie", &cookie)]).await;
    let set = done.head.lines().rfind(|line| line.starts_with("set-cookie")).unwrap();
    assert!(set.contains("SameSite=Strict") && set.contains("Secure"), "{set}");
    let elsewhere = get(&gateway, "/signin/oidc", &[("Host", "evil.example")]).await;
    assert_eq!(elsewhere.status, 403);
}

#[tokio::test]
async fn the_claim_says_who_may_operate() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    for (claims, role, name) in [
        (json!({"name": "Ana", "groups": ["staff", "agents"]}), "operator", "Ana"),
        (json!({"name": "Ana", "groups": "agents"}), "operator", "Ana"),
        (json!({"name": "Ana", "groups": ["agents-too"]}), "viewer", "Ana"),
        (json!({"preferred_username": "ana"}), "viewer", "ana"),
        (json!({"email": "ana@x.example", "email_verified": false}), "viewer", "4711"),
        (json!({"name": "A\u{202e}na"}), "viewer", "4711"),
    ] {
        provider.scene().claims = claims.clone();
        let cookie = session(&gateway, &provider).await;
        let known = me(&gateway, &cookie).await.json();
        assert_eq!((&known["role"], &known["name"]), (&json!(role), &json!(name)), "{claims}");
    }
    let everybody = with(&provider, |access| access.oidc.operators = None).await;
    provider.scene().claims = json!({"groups": ["agents"]});
    let cookie = session(&everybody, &provider).await;
    assert_eq!(me(&everybody, &cookie).await.json()["role"], "viewer");
}

#[tokio::test]
async fn a_token_that_does_not_count_signs_nobody_in() {
    let provider = Provider::start().await;
    let log = file("audited", "");
    let path = log.clone();
    let gateway = with(&provider, |access| access.audit = Some(path)).await;
    let issuer = provider.issuer.clone();
    let good = Signature::Key(1);
    for (signature, claims, why) in [
        (good, json!({"iss": "https://evil.example"}), "another issuer"),
        (good, json!({"iss": format!("{issuer}/")}), "another issuer"),
        (good, json!({"aud": "another"}), "another client"),
        (good, json!({"aud": [CLIENT, "another"]}), "another client"),
        (good, json!({"aud": []}), "another client"),
        (good, json!({"azp": "another"}), "another client"),
        (good, json!({"nonce": "another"}), "another sign-in"),
        (good, json!({"nonce": null}), "another sign-in"),
        (good, json!({"exp": {"in": -70}}), "its time"),
        (good, json!({"iat": {"in": 70}}), "its time"),
        (good, json!({"nbf": {"in": 70}}), "its time"),
        (good, json!({"sub": ""}), "somebody else"),
        (Signature::None, json!({"groups": ["agents"]}), "signature"),
        (Signature::Secret, json!({}), "signature"),
        (Signature::PublicKey, json!({}), "signature"),
        (Signature::KeyAs(2, 1), json!({}), "signature"),
        (Signature::Changed, json!({}), "signature"),
    ] {
        // Each gateway takes ten that are wrong.
        let gateway =
            if why == "its time" || why == "signature" { &gateway } else { &with(&provider, |_| ()).await };
        (provider.scene().signature, provider.scene().claims) = (signature, claims.clone());
        let reply = sign_in(gateway, &provider).await;
        assert_eq!(reply.status, 401, "{signature:?} {claims}");
        assert!(has_no_session(&reply) && reply.body.contains(why), "{claims}: {}", reply.body);
    }
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(
        text.contains("refused: its time is not now")
            && text.contains("refused: its signature does not count"),
        "{text}"
    );
    assert!(!text.contains("code-") && !text.contains("eyJ"), "{text}");
}

#[tokio::test]
async fn clocks_may_be_a_minute_apart() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    for claims in [json!({"exp": {"in": -50}}), json!({"iat": {"in": 50}}), json!({"nbf": {"in": 50}})] {
        provider.scene().claims = claims.clone();
        assert_eq!(sign_in(&gateway, &provider).await.status, 200, "{claims}");
    }
    provider.scene().signature = Signature::Rsa;
    assert_eq!(sign_in(&gateway, &provider).await.status, 200, "RS256 is what most sign with");
}

#[tokio::test]
async fn a_new_key_is_fetched_and_an_unknown_one_not_again_and_again() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    session(&gateway, &provider).await;
    session(&gateway, &provider).await;
    assert_eq!(provider.scene().fetched, 1);
    {
        let mut scene = provider.scene();
        (scene.keys, scene.signature) = (vec![2], Signature::Key(2));
    }
    session(&gateway, &provider).await;
    assert_eq!(provider.scene().fetched, 2);
    for number in [1, 3, 4] {
        provider.scene().signature = Signature::Key(number);
        let reply = sign_in(&gateway, &provider).await;
        assert!(has_no_session(&reply) && reply.body.contains("its key is not known"), "{}", reply.body);
    }
    assert_eq!(provider.scene().fetched, 2, "at most once a minute");
    provider.scene().signature = Signature::Key(2);
    session(&gateway, &provider).await;
}

#[tokio::test]
async fn a_sign_in_counts_once_and_for_the_browser_that_began_it() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    let (location, cookie) = begin(&gateway, "").await;
    let (elsewhere, other) = begin(&gateway, "").await;
    let path = provider.approve(&location);
    let (state, other_state) = (state_in(&location), state_in(&elsewhere));
    let name = |cookie: &str| cookie.split_once('=').unwrap().0.to_owned();
    let value = |cookie: &str| cookie.split_once('=').unwrap().1.to_owned();
    // The cookie of another sign-in under the name of this one.
    let mixed = format!("{}={}", name(&cookie), value(&other));
    let without = path.split_once('?').unwrap().0.to_owned();
    let cut = format!("{cookie}x");
    for (path, cookie) in [
        (path.clone(), ""),
        (path.clone(), other.as_str()),
        (path.clone(), mixed.as_str()),
        (path.clone(), cut.as_str()),
        (path.replace(&state, &other_state), cookie.as_str()),
        (path.replace(&state, "x"), cookie.as_str()),
        (path.replace(&format!("&state={state}"), ""), cookie.as_str()),
        (without.clone(), cookie.as_str()),
    ] {
        let reply = get(&gateway, &path, &[("Cookie", cookie)]).await;
        assert!(has_no_session(&reply) && reply.status == 400, "{path} {cookie}");
    }
    // A code of another sign-in: PKCE is in the way.
    let stolen = provider.approve(&elsewhere).replace(&other_state, &state);
    let (third, third_cookie) = begin(&gateway, "").await;
    let injected = stolen.replace(&state, &state_in(&third));
    assert_eq!(get(&gateway, &injected, &[("Cookie", &third_cookie)]).await.status, 401);

    let refused = format!("{without}?error=access_denied&state={other_state}");
    let reply = get(&gateway, &refused, &[("Cookie", &other)]).await;
    assert!(has_no_session(&reply) && reply.body.contains("the provider says no"), "{}", reply.body);

    assert_eq!(get(&gateway, &path, &[("Cookie", &cookie)]).await.status, 200);
    let again = get(&gateway, &path, &[("Cookie", &cookie)]).await;
    assert!(has_no_session(&again) && again.body.contains("used before"), "{}", again.body);
    // The same code in a sign-in of its own.
    let (fresh, fresh_cookie) = begin(&gateway, "").await;
    let replayed = path.replace(&state, &state_in(&fresh));
    assert_eq!(get(&gateway, &replayed, &[("Cookie", &fresh_cookie)]).await.status, 401);
    // RFC 9207: the answer names another provider.
    let (mixed, mixed_cookie) = begin(&gateway, "").await;
    let path = format!("{}&iss=https%3A%2F%2Fevil.example", provider.approve(&mixed));
    assert_eq!(get(&gateway, &path, &[("Cookie", &mixed_cookie)]).await.status, 401);
}

#[tokio::test]
async fn who_brings_one_wrong_code_after_the_other_has_to_wait() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    let cookie = session(&gateway, &provider).await;
    let attempt = async |answer: &str| {
        let (location, cookie) = begin(&gateway, "").await;
        let path = format!("/signin/oidc/callback?{answer}&state={}", state_in(&location));
        get(&gateway, &path, &[("Cookie", &cookie)]).await.status
    };
    for _ in 0..20 {
        assert_eq!(attempt("error=access_denied").await, 401, "who changes their mind need not");
    }
    // It may take more than ten, as one more is let through every six seconds.
    let mut tries = 0;
    while attempt("code=wrong").await != 429 {
        tries += 1;
        assert!(tries < 100);
    }
    assert!(tries >= 10);
    assert_eq!(me(&gateway, &cookie).await.status, 200, "who is signed in need not wait");
}

#[tokio::test]
async fn one_never_comes_back_to_another_site() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    for back in [
        "//evil.example",
        "https%3A%2F%2Fevil.example",
        "%2F%5Cevil.example",
        "%2F%09%2Fevil.example",
        "%2Fa%0D%0ASet-Cookie:%20x=1",
    ] {
        let (location, cookie) = begin(&gateway, &format!("?back={back}")).await;
        let reply = get(&gateway, &provider.approve(&location), &[("Cookie", &cookie)]).await;
        assert_eq!((reply.status, reply.header("refresh")), (200, Some("0;url=/")), "{back}");
    }
}

#[tokio::test]
async fn a_session_ends_when_the_provider_refuses_to_renew_it() {
    let provider = Provider::start().await;
    provider.scene().life = 2;
    let log = file("renewal", "");
    let path = log.clone();
    let gateway = with(&provider, |access| access.audit = Some(path)).await;
    provider.scene().claims = json!({"name": "Ana", "groups": ["agents"]});
    let cookie = session(&gateway, &provider).await;
    let mut socket = Socket::try_open(&gateway, None, &[("Cookie", &cookie)]).await.unwrap();
    let asked = socket.send_request("pilothouse.subscribe", json!({})).await;
    assert_eq!(socket.response(asked).await["result"]["role"], "operator");
    // Not in the group any more: they may go on watching, but what is open ends.
    provider.scene().claims = json!({"name": "Ana"});
    socket.ended().await;
    assert_eq!(me(&gateway, &cookie).await.json()["role"], "viewer");
    assert!(provider.scene().renewed >= 1);
    let mut socket = Socket::try_open(&gateway, None, &[("Cookie", &cookie)]).await.unwrap();
    provider.scene().refuses_renewal = true;
    socket.ended().await;
    assert_eq!(me(&gateway, &cookie).await.status, 401);
    let text = std::fs::read_to_string(&log).unwrap();
    assert!(text.contains(r#""method":"signout","outcome":"refused: the provider says no""#), "{text}");
}

#[tokio::test]
async fn without_a_refresh_token_one_is_signed_in_as_well() {
    let provider = Provider::start().await;
    provider.scene().gives_refresh_tokens = false;
    let gateway = with(&provider, |_| ()).await;
    let cookie = session(&gateway, &provider).await;
    assert_eq!(me(&gateway, &cookie).await.json()["name"], "Ana");
}

#[tokio::test]
async fn a_renewal_about_somebody_else_ends_the_session() {
    let provider = Provider::start().await;
    provider.scene().life = 2;
    let gateway = with(&provider, |_| ()).await;
    let cookie = session(&gateway, &provider).await;
    let mut socket = Socket::try_open(&gateway, None, &[("Cookie", &cookie)]).await.unwrap();
    provider.scene().claims = json!({"name": "Ana", "sub": "4712"});
    socket.ended().await;
    assert_eq!(me(&gateway, &cookie).await.status, 401);
}

#[tokio::test]
async fn who_signs_out_is_out_here_and_at_the_provider() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |_| ()).await;
    let cookie = session(&gateway, &provider).await;
    let mut socket = Socket::try_open(&gateway, None, &[("Cookie", &cookie)]).await.unwrap();
    let reply = exchange(&gateway, "POST", "/signout", &[("Cookie", &cookie)], "").await;
    let location = reply.json()["location"].as_str().unwrap().to_owned();
    assert!(location.starts_with(&format!("{}/logout?id_token_hint=ey", provider.issuer)), "{location}");
    let home = format!("http://{}/", gateway.address());
    let url = Url::parse(&location).unwrap();
    assert!(
        url.query_pairs().any(|(name, value)| name == "post_logout_redirect_uri" && value == home),
        "{location}"
    );
    assert!(reply.header("set-cookie").unwrap().contains("Max-Age=0"));
    socket.ended().await;
    assert_eq!(me(&gateway, &cookie).await.status, 401);
    // With nothing to end, it does nothing.
    let nobody = exchange(&gateway, "POST", "/signout", &[("Cookie", &cookie)], "").await;
    assert_eq!(nobody.json(), json!({"location": "/"}));
    assert_eq!(get(&gateway, "/signout", &[]).await.status, 405, "no link and no picture signs anybody out");
}

#[tokio::test]
async fn a_provider_that_is_not_there_keeps_no_token_from_counting() {
    let mut provider = Provider::start().await;
    provider.issuer = "http://127.0.0.1:1".to_owned();
    let gateway = with(&provider, |_| ()).await;
    let reply = get(&gateway, "/signin/oidc", &[]).await;
    assert!(
        has_no_session(&reply) && reply.status == 502 && reply.body.contains("does not answer"),
        "{}",
        reply.body
    );
    first(&gateway, OPERATOR).await;
    let none = closed(|_| ()).await.0;
    for path in ["/signin/oidc", "/signin/oidc/callback?state=x&code=y"] {
        assert_eq!(get(&none, path, &[]).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn nothing_but_the_ways_in_lets_anybody_in() {
    let provider = Provider::start().await;
    let gateway = with(&provider, |access| {
        access.trust_header = Some("X-User".to_owned());
        access.trusted_proxies = vec!["192.0.2.1".to_owned()];
    })
    .await;
    let other = with(&provider, |_| ()).await;
    let (location, begun) = begin(&gateway, "").await;
    let elsewhere = session(&other, &provider).await;
    let elsewhere = elsewhere.split_once('=').unwrap().1.to_owned();
    let ended = session(&gateway, &provider).await;
    exchange(&gateway, "POST", "/signout", &[("Cookie", &ended)], "").await;
    let good = session(&gateway, &provider).await;
    let id = first(&gateway, OPERATOR).await;
    let name = format!("pilothouse-{}", gateway.address().port());
    let value = good.split_once('=').unwrap().1.to_owned();
    let id_token = "eyJhbGciOiJub25lIn0.eyJzdWIiOiI0NzExIn0.";
    let state = state_in(&location);
    let cookie = |value: &str| ("Cookie", format!("{name}={value}"));
    let credentials = [
        ("X-Nothing", String::new()),
        cookie(&elsewhere),
        cookie(&state),
        cookie(&format!("{value}0")),
        cookie(value.strip_prefix("oidc.").unwrap()),
        cookie("oidc."),
        cookie("operator.99999999999"),
        ("Cookie", begun.clone()),
        ("Cookie", ended),
        ("Cookie", format!("{name}x={value}")),
        ("Cookie", format!("pilothouse-1={value}")),
        ("Authorization", format!("Bearer {value}")),
        ("Authorization", format!("Bearer {id_token}")),
        ("Authorization", format!("Basic {value}")),
        ("Authorization", format!("Bearer {SECRET}")),
        ("Authorization", "Bearer access".to_owned()),
        ("X-User", "Ana".to_owned()),
        ("X-Forwarded-User", "Ana".to_owned()),
        ("X-Forwarded-For", "192.0.2.1".to_owned()),
    ];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "session.getMessages", "params": {}}).to_string();
    let routes = [
        ("GET", "/api/me".to_owned()),
        ("GET", "/api/health".to_owned()),
        ("GET", "/api/sessions".to_owned()),
        ("GET", format!("/api/sessions/{id}/events")),
        ("GET", format!("/api/sessions/{id}/history")),
        ("GET", format!("/api/sessions/{id}/screen")),
        ("POST", format!("/api/sessions/{id}/rpc")),
        ("GET", format!("/api/me?access_token={value}&token={OPERATOR}&code=x&state={state}")),
        ("GET", "/api/nothing".to_owned()),
    ];
    for (header, credential) in &credentials {
        for (method, path) in &routes {
            let reply = exchange(&gateway, method, path, &[(header, credential)], &call).await;
            let refused = [401, 403, 429].contains(&reply.status);
            assert!(
                refused && !reply.body.contains(&id),
                "{header}: {credential} at {method} {path}: {}",
                reply.status
            );
        }
        let mut socket = match Socket::try_open(&gateway, None, &[(header, credential)]).await {
            Ok(socket) => socket,
            Err(status) => {
                assert!([401, 403, 429].contains(&status));
                continue;
            }
        };
        let asked = socket.send_request("pilothouse.sessions", json!({})).await;
        let answer: Value = socket.response(asked).await;
        assert!(!answer["error"].is_null() && !answer.to_string().contains(&id), "{credential}: {answer}");
    }
    // A page of another origin has no use of the cookie.
    let origin = format!("http://127.0.0.1:{}", other.address().port());
    assert_eq!(get(&gateway, "/api/me", &[("Cookie", &good), ("Origin", &origin)]).await.status, 403);
    // And the ways in are open all the time.
    assert_eq!(me(&gateway, &good).await.status, 200);
}
