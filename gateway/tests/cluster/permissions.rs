//! The permissions of docs/machines.md, at a real server: with them gateways work, and may nothing else.

use std::time::Duration;

use async_nats::jetstream;
use async_nats::jetstream::kv;
use async_nats::jetstream::stream::{Config, StorageType};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::gateways::Machine;
use super::nats::{self, STREAM, Servers};
use super::promises::{approval, call, history_with, permission, row};
use super::stand_in::StandIn;

/// What the page has in its block of this language.
fn accounts() -> String {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/machines.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, block) = page.split_once("```hocon\n").unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

/// Makes the stream and the buckets, as whoever operates NATS does.
async fn make(context: &jetstream::Context) {
    let config = Config {
        name: STREAM.to_owned(),
        subjects: vec!["pilothouse.log.>".to_owned()],
        allow_direct: true,
        ..Config::default()
    };
    context.create_stream(config).await.unwrap();
    let machines = kv::Config {
        bucket: "pilothouse-machines".to_owned(),
        max_age: Duration::from_secs(10),
        storage: StorageType::Memory,
        ..kv::Config::default()
    };
    context.create_key_value(machines).await.unwrap();
    let sessions = kv::Config { bucket: "pilothouse-sessions".to_owned(), ..kv::Config::default() };
    context.create_key_value(sessions).await.unwrap();
}

#[tokio::test]
async fn with_the_permissions_of_the_documentation_gateways_work_and_may_nothing_else() {
    if nats::program().is_none() {
        return;
    }
    let servers = Servers::start_with(1, &accounts(), Some(("admin", "secret-of-admin"))).await;
    make(&jetstream::new(servers.client(0).await)).await;
    let runtime = StandIn::start().await;
    let mut a = Machine::new("a", Some(runtime.address), &servers).await;
    let mut page = Machine::new("page", None, &servers).await;
    (a.login, page.login) = ("a:secret-of-a@", "page:secret-of-page@");
    let (at_a, at_page) = (a.start().await.unwrap(), page.start().await.unwrap());
    let made = call(at_a, "pilothouse.create", json!({"sessionId": "s"})).await;
    assert_eq!(made["result"]["sessionId"], "s", "{made}");
    row(at_page, "the session's row", |row| row["machine"] == "a" && row["away"].is_null()).await;
    runtime.emit("s", &permission("r"));
    history_with(at_page, "event-of-r").await;
    let method = "session.permissions.handlePendingPermissionRequest";
    let answer = call(at_page, method, approval("r")).await;
    assert_eq!(answer["result"]["success"], true, "{answer}");
    assert_eq!(runtime.count(method), 1);

    // Nothing was asked that is not permitted.
    let denied: Vec<_> =
        servers.complaints(0).into_iter().filter(|line| line.contains("Violation")).collect();
    assert_eq!(denied, Vec::<String>::new());

    // What nobody answers, or says no to, was not permitted.
    let client = servers.client_of("page", "secret-of-page").await;
    let refused = async |subject: &str, payload: &str| {
        let asked = client.request(subject.to_owned(), payload.to_owned().into());
        let answer = timeout(Duration::from_secs(1), asked).await;
        let done = answer.ok().and_then(Result::ok);
        assert!(done.is_none(), "{subject}: {:?}", done.map(|answer| answer.payload));
    };
    let before = servers.messages("pilothouse.log.a.s").await.len();
    refused("pilothouse.log.a.s", "{\"seq\":99,\"event\":{}}").await;
    refused("$KV.pilothouse-machines.a", "{}").await;
    refused("$KV.pilothouse-sessions.a.s", "{}").await;
    refused("$JS.API.STREAM.PURGE.PILOTHOUSE", "").await;
    refused("$JS.API.STREAM.DELETE.PILOTHOUSE", "").await;
    refused("$JS.API.STREAM.UPDATE.PILOTHOUSE", "{\"name\":\"PILOTHOUSE\"}").await;
    refused("$JS.API.STREAM.MSG.DELETE.PILOTHOUSE", "{\"seq\":1}").await;
    refused("$JS.API.STREAM.LEADER.STEPDOWN.PILOTHOUSE", "").await;
    assert_eq!(servers.messages("pilothouse.log.a.s").await.len(), before);
    // And what is permitted is answered.
    let allowed = client.request("$JS.API.STREAM.INFO.PILOTHOUSE", "".into()).await.unwrap();
    let info: Value = serde_json::from_slice(&allowed.payload).unwrap();
    assert_eq!(info["config"]["name"], STREAM);
}
