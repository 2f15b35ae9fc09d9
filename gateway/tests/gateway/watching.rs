//! Tests of who is told that others watch a session: people by name, once each, and nobody by a link.

use pilothouse_gateway::gateway::Gateway;
use serde_json::{Value, json};

use super::access::{VIEWER, closed, first};
use super::client::{Socket, Sse, exchange, first_id, in_time, play};

const ANA: &str = "token-of-ana-0123";
const BEN: &str = "token-of-ben-0123";

async fn people() -> (Gateway, String) {
    let (gateway, _) = closed(|access| access.operator = Some(format!("Ana:{ANA}\nBen:{BEN}"))).await;
    let id = first(&gateway, ANA).await;
    (gateway, id)
}

/// A socket that watches the session.
async fn watching(gateway: &Gateway, token: &str, id: &str) -> Socket {
    let mut socket = Socket::open(gateway, None).await;
    let asked = socket.send_request("pilothouse.subscribe", json!({"sessionId": id, "token": token})).await;
    assert_eq!(socket.response(asked).await["result"]["sessionId"], id);
    socket
}

/// The next list of others.
async fn others(socket: &mut Socket) -> Value {
    loop {
        if let Some(list) = list(&socket.next().await) {
            return list;
        }
    }
}

fn list(line: &str) -> Option<Value> {
    let message: Value = serde_json::from_str(line).ok()?;
    (message["method"] == "pilothouse.watching").then(|| message["params"]["watchers"].clone())
}

fn who(name: &str) -> Value {
    json!({"who": name, "role": "operator"})
}

#[tokio::test]
async fn each_is_told_of_the_others_once_each_and_when_they_leave() {
    let (gateway, id) = people().await;
    let mut ana = watching(&gateway, ANA, &id).await;
    let mut ben = watching(&gateway, BEN, &id).await;
    assert_eq!(others(&mut ben).await, json!([who("Ana")]), "she is there already");
    assert_eq!(others(&mut ana).await, json!([who("Ben")]));
    // A second tab of Ben, and somebody without a name.
    let bens_second = watching(&gateway, BEN, &id).await;
    let viewer = watching(&gateway, VIEWER, &id).await;
    assert_eq!(others(&mut ana).await, json!([who("Ben"), {"role": "viewer"}]));
    drop((ben, viewer));
    assert_eq!(others(&mut ana).await, json!([who("Ben")]));
    drop(bens_second);
    assert_eq!(others(&mut ana).await, json!([]));
}

#[tokio::test]
async fn whose_machine_sleeps_is_not_there_until_it_says_something() {
    let (gateway, id) = people().await;
    let mut ana = watching(&gateway, ANA, &id).await;
    let mut ben = watching(&gateway, BEN, &id).await;
    assert_eq!(others(&mut ana).await, json!([who("Ben")]));
    // Nobody reads for Ben, so no ping is answered.
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(76)).await;
    tokio::time::resume();
    assert_eq!(others(&mut ana).await, json!([]));
    ben.send_request("pilothouse.ping", json!({})).await;
    assert_eq!(others(&mut ana).await, json!([who("Ben")]));
}

#[tokio::test]
async fn who_unsubscribes_has_left() {
    let (gateway, id) = people().await;
    let mut ana = watching(&gateway, ANA, &id).await;
    let mut ben = watching(&gateway, BEN, &id).await;
    assert_eq!(others(&mut ana).await, json!([who("Ben")]));
    let left = ben.send_request("pilothouse.unsubscribe", json!({"sessionId": id})).await;
    ben.response(left).await;
    assert_eq!(others(&mut ana).await, json!([]));
}

#[tokio::test]
async fn over_server_sent_events_it_is_a_message_without_an_id() {
    let (gateway, id) = people().await;
    let bearer = format!("Bearer {ANA}");
    let mut stream = Sse::open(&gateway, &id, "", &[("Authorization", &bearer)]).await;
    let ben = watching(&gateway, BEN, &id).await;
    let mut told = async || loop {
        let (seq, data) = stream.next().await;
        if let Some(list) = list(&data) {
            return (seq, list);
        }
    };
    assert_eq!(told().await, (0, json!([who("Ben")])));
    drop(ben);
    assert_eq!(told().await, (0, json!([])));
}

#[tokio::test]
async fn a_guest_is_one_of_the_others_and_is_told_of_nobody() {
    let (gateway, id) = people().await;
    let bearer = format!("Bearer {ANA}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "pilothouse.share", "params": {"sessionId": id, "hours": 1}});
    let path = format!("/api/sessions/{id}/rpc");
    let made =
        exchange(&gateway, "POST", &path, &[("Authorization", &bearer)], &call.to_string()).await.json();
    let token = made["result"]["url"].as_str().unwrap().split_once("#share=").unwrap().1.to_owned();
    let mut ana = watching(&gateway, ANA, &id).await;
    let mut guest = watching(&gateway, &token, &id).await;
    let link = json!({"role": "viewer", "link": true});
    assert_eq!(others(&mut ana).await, json!([link]));
    let _second = watching(&gateway, &token, &id).await;
    assert_eq!(others(&mut ana).await, json!([link, link]), "two of them may be two people");
    let asked = guest.send_request("pilothouse.ping", json!({})).await;
    in_time("the answer", async {
        loop {
            let heard = guest.next().await;
            assert!(list(&heard).is_none(), "{heard}");
            if serde_json::from_str::<Value>(&heard).is_ok_and(|message| message["id"] == asked) {
                return;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn where_nobody_signs_in_nothing_is_told() {
    let gateway = play(&["permission"]).await;
    let id = first_id(&gateway).await;
    let mut one = watching(&gateway, "", &id).await;
    let _other = watching(&gateway, "", &id).await;
    let asked = one.send_request("pilothouse.ping", json!({})).await;
    loop {
        let line = one.next().await;
        assert!(list(&line).is_none(), "{line}");
        if serde_json::from_str::<Value>(&line).is_ok_and(|message| message["id"] == asked) {
            return;
        }
    }
}
