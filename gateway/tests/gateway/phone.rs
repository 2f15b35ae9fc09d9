//! Tests of 'Open on a phone': where the address leads, who may have a link that signs in with it, and what such a link does.

use pilothouse_gateway::gateway::Gateway;
use serde_json::{Value, json};

use super::access::{OPERATOR, VIEWER, closed, first};
use super::client::{Reply, exchange, get, play};

const NAME: &str = "p.example";

async fn ask(gateway: &Gateway, token: &str, host: &str, body: &Value) -> Reply {
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str()), ("Host", host), ("X-Forwarded-Proto", "https")];
    exchange(gateway, "POST", "/api/phone", &headers, &body.to_string()).await
}

async fn named() -> Gateway {
    closed(|access| {
        access.operator = Some(format!("Ana:{OPERATOR}"));
        access.hosts = vec![NAME.to_owned()];
    })
    .await
    .0
}

#[tokio::test]
async fn the_address_leads_to_the_session_and_signs_in_whoever_asked_for_it_once() {
    let gateway = named().await;
    let plain = ask(&gateway, OPERATOR, NAME, &json!({"sessionId": "a/b"})).await.json();
    assert_eq!(plain["url"], "https://p.example/?session=a%2Fb");
    assert_eq!((&plain["canSignIn"], &plain["minutes"]), (&json!(true), &Value::Null));
    assert!(plain["code"]["size"].as_u64().unwrap() >= 21);
    let made = ask(&gateway, OPERATOR, NAME, &json!({"sessionId": "a/b", "signIn": true})).await.json();
    assert_eq!(made["minutes"], 5);
    let path = made["url"].as_str().unwrap().strip_prefix("https://p.example").unwrap().to_owned();
    let phone = [("Host", NAME), ("X-Forwarded-Proto", "https")];
    let opened = get(&gateway, &path, &phone).await;
    assert_eq!((opened.status, opened.header("location")), (303, Some("/?session=a%2Fb")));
    let cookie = opened.header("set-cookie").unwrap().split_once(';').unwrap().0.to_owned();
    let me = get(&gateway, "/api/me", &[("Host", NAME), ("Cookie", &cookie)]).await.json();
    assert_eq!(me, json!({"role": "operator", "name": "Ana", "signedIn": true}));
    assert_eq!(get(&gateway, &path, &phone).await.status, 401, "once");
}

#[tokio::test]
async fn a_viewer_stays_a_viewer_and_who_came_by_a_link_gets_nothing() {
    let gateway = named().await;
    let made = ask(&gateway, VIEWER, NAME, &json!({"signIn": true})).await.json();
    let path = made["url"].as_str().unwrap().strip_prefix("https://p.example").unwrap().to_owned();
    let opened = get(&gateway, &path, &[("Host", NAME)]).await;
    assert_eq!(opened.header("location"), Some("/"));
    assert_eq!(opened.header("pilothouse-role"), Some("viewer"));
    let id = first(&gateway, OPERATOR).await;
    let share = json!({"jsonrpc": "2.0", "id": 1, "method": "pilothouse.share", "params": {"sessionId": id}});
    let bearer = format!("Bearer {OPERATOR}");
    let path = format!("/api/sessions/{id}/rpc");
    let shared = exchange(&gateway, "POST", &path, &[("Authorization", &bearer)], &share.to_string()).await;
    let shared = shared.json();
    let token = shared["result"]["url"].as_str().unwrap().split_once("#share=").unwrap().1.to_owned();
    for body in [json!({}), json!({"signIn": true})] {
        assert_eq!(ask(&gateway, &token, NAME, &body).await.status, 401);
    }
    let bearer = format!("Bearer {token}");
    let me = get(&gateway, "/api/me", &[("Authorization", &bearer)]).await.json();
    assert_eq!((&me["role"], &me["signedIn"]), (&json!("viewer"), &json!(false)));
    assert_eq!(me["until"], shared["result"]["until"]);
}

#[tokio::test]
async fn this_machine_alone_and_nobody_to_sign_in() {
    let gateway = named().await;
    let host = format!("localhost:{}", gateway.address().port());
    // A page of this machine gets the address that phones reach.
    let here = ask(&gateway, OPERATOR, &host, &json!({})).await.json();
    assert_eq!((&here["reachable"], &here["url"]), (&json!(true), &json!(format!("https://{NAME}/"))));
    let (alone, _) = closed(|_| ()).await;
    let host = alone.address().to_string();
    let here = ask(&alone, OPERATOR, &host, &json!({})).await.json();
    assert_eq!(
        (&here["reachable"], &here["code"], &here["canSignIn"]),
        (&json!(false), &Value::Null, &json!(false))
    );
    assert_eq!(ask(&alone, OPERATOR, &host, &json!({"signIn": true})).await.status, 403);
    assert_eq!(ask(&gateway, OPERATOR, NAME, &json!([])).await.status, 400);
    let nobody = exchange(&gateway, "POST", "/api/phone", &[("Host", NAME)], "{}").await;
    assert_eq!(nobody.status, 401);
    let open = play(&["permission"]).await;
    let there = exchange(&open, "POST", "/api/phone", &[], r#"{"signIn": true}"#).await;
    assert_eq!(there.status, 403);
}
