//! Tests that both carriers send the recorded bytes, from any position, to any number of readers.

use super::client::{Socket, Sse, data, first_id, play, play_text, start};
use pilothouse_gateway::access::limits::LARGEST_MESSAGE;
use pilothouse_gateway::playback::recording::Recording;
use serde_json::{Value, json};

const LAST: &str = r#""type":"last""#;

/// A recording without requests, so that it plays to its end.
fn plain(lines: usize) -> String {
    let line =
        |at| format!(r#"{{"type":"x","data":{{"text":"é {at}"}},"id":"i{at}","ephemeral":true}}"#) + "\n";
    (1..lines).map(line).collect::<String>() + r#"{ "type":"last", "data":{}, "id":"z" }"#
}

#[tokio::test]
async fn server_sent_events_are_the_recorded_lines() {
    let text = plain(50);
    let gateway = play_text(&text).await;
    let mut sse = Sse::open(&gateway, "text", "", &[]).await;
    let got = sse.until(LAST).await;
    let expected: Vec<_> = text.lines().zip(1..).map(|(line, seq)| (seq, line.to_owned())).collect();
    assert_eq!(got, expected);
}

#[tokio::test]
async fn after_and_last_event_id_give_exactly_the_tail() {
    let text = plain(50);
    let gateway = play_text(&text).await;
    let all = Sse::open(&gateway, "text", "", &[]).await.until(LAST).await;
    let after = Sse::open(&gateway, "text", "?after=20", &[]).await.until(LAST).await;
    assert_eq!(after, all[20..]);
    let resumed =
        Sse::open(&gateway, "text", "?after=20", &[("Last-Event-ID", "48")]).await.until(LAST).await;
    assert_eq!(resumed, all[48..], "Last-Event-ID beats after");
    let too_far = Sse::open(&gateway, "text", "?after=1000", &[]).await.until(LAST).await;
    assert_eq!(too_far, all, "a cursor beyond the log is of another life of the server");
}

#[tokio::test]
async fn the_web_socket_gives_the_same_bytes() {
    let text = plain(2000);
    let gateway = play_text(&text).await;
    let mut socket = Socket::open(&gateway, None).await;
    let id = socket.send_request("pilothouse.subscribe", json!({})).await;
    let first: Value = serde_json::from_str(&socket.next().await).unwrap();
    assert_eq!(
        (&first["id"], &first["result"]["sessionId"]),
        (&json!(id), &json!("text")),
        "the response comes first"
    );
    let over_socket = socket.until(LAST).await;
    let over_sse = Sse::open(&gateway, "text", "", &[]).await.until(LAST).await;
    assert_eq!(over_socket, over_sse);
    assert_eq!((over_socket.len(), socket.binary_frames, socket.protocol), (2000, 0, None));
}

#[tokio::test]
async fn a_subscription_after_a_seq_gives_the_tail() {
    let gateway = play_text(&plain(30)).await;
    Sse::open(&gateway, "text", "", &[]).await.until(LAST).await;
    let mut socket = Socket::open(&gateway, None).await;
    let id = socket.send_request("pilothouse.subscribe", json!({"sessionId": "text", "after": 28})).await;
    let expected = json!({"sessionId": "text", "seq": 30, "maxMessageBytes": LARGEST_MESSAGE, "protocol": 1});
    assert_eq!(socket.response(id).await["result"], expected);
    let seqs: Vec<_> = socket.until(LAST).await.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, [29, 30]);
}

#[tokio::test]
async fn frames_are_binary_where_the_client_asks_for_it() {
    let gateway = play_text(&plain(30)).await;
    let mut socket = Socket::open(&gateway, Some("pilothouse.binary")).await;
    assert_eq!(socket.protocol.as_deref(), Some("pilothouse.binary"));
    socket.send_request("pilothouse.subscribe", json!({})).await;
    assert_eq!(socket.until(LAST).await.len(), 30);
    assert!(socket.binary_frames >= 2);
}

#[tokio::test]
async fn frames_are_binary_where_the_subscription_asks_for_it() {
    let gateway = play_text(&plain(30)).await;
    let mut socket = Socket::open(&gateway, None).await;
    let listed = socket.send_request("pilothouse.sessions", json!({})).await;
    socket.response(listed).await;
    assert_eq!((socket.protocol.take(), socket.binary_frames), (None, 0));
    let subscribed = socket.send_request("pilothouse.subscribe", json!({"binary": true})).await;
    socket.response(subscribed).await;
    assert_eq!(socket.binary_frames, 1, "from this answer on");
    assert_eq!(socket.until(LAST).await.len(), 30);
    assert!(socket.binary_frames >= 2);
}

#[tokio::test]
async fn a_line_that_is_no_event_goes_out_as_it_is() {
    let text =
        "{\"type\":\"a\"}\n{broken\n{\"kind\":\"add-timeline-entry\",\"entry\":{}}\n{\"type\":\"last\"}";
    let gateway = play_text(text).await;
    let sse = Sse::open(&gateway, "text", "", &[]).await.take(4).await;
    assert_eq!(sse.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n"), text);
    let mut socket = Socket::open(&gateway, None).await;
    let id = socket.send_request("pilothouse.subscribe", json!({})).await;
    socket.response(id).await;
    assert!(socket.next().await.contains(r#""seq":1"#));
    assert_eq!(socket.next().await, "{broken");
    assert_eq!(socket.next().await, r#"{"kind":"add-timeline-entry","entry":{}}"#);
    assert!(socket.next().await.contains(r#""seq":4"#));
}

#[tokio::test]
async fn a_reader_that_never_reads_delays_nobody() {
    let bulk = "x".repeat(2000);
    let lines: String = (0..20_000)
        .map(|at| format!(r#"{{"type":"x","data":{{"t":"{bulk}"}},"id":"i{at}"}}"#) + "\n")
        .collect();
    let gateway = play_text(&(lines + r#"{"type":"last"}"#)).await; // 40 MB, more than sockets buffer
    let _stuck_sse = Sse::open(&gateway, "text", "", &[]).await;
    let mut stuck = Socket::open(&gateway, None).await;
    stuck.send_request("pilothouse.subscribe", json!({})).await;
    let mut fast = Sse::open(&gateway, "text", "", &[]).await;
    assert_eq!(fast.until(LAST).await.len(), 20_001);
    let mut second = Socket::open(&gateway, None).await;
    second.send_request("pilothouse.subscribe", json!({"after": 19_000})).await;
    assert_eq!(second.until(LAST).await.len(), 1001);
}

#[tokio::test]
async fn several_sessions_share_one_socket() {
    let gateway = play(&["permission", "question"]).await;
    let mut socket = Socket::open(&gateway, None).await;
    let id = socket.send_request("pilothouse.sessions", json!({})).await;
    let sessions = socket.response(id).await["result"].clone();
    for session in sessions.as_array().unwrap() {
        assert_eq!(session["recording"], true);
        socket.send_request("pilothouse.subscribe", json!({"sessionId": session["sessionId"]})).await;
    }
    let (mut permission, mut question) = (false, false);
    while !(permission && question) {
        let line = socket.next().await;
        permission |= line.contains("permission.requested");
        question |= line.contains("user_input.requested");
    }
    let first = sessions[0]["sessionId"].clone();
    let id = socket.send_request("pilothouse.unsubscribe", json!({"sessionId": first})).await;
    assert_eq!(socket.response(id).await["result"]["sessionId"], first);
}

#[tokio::test]
async fn one_file_twice_is_two_sessions() {
    let gateway = play(&["permission", "permission"]).await;
    let id = first_id(&gateway).await;
    let list = super::client::get(&gateway, "/api/sessions", &[]).await.json();
    assert_eq!(list[1]["sessionId"], format!("{id}-2"));
    let mut sse = Sse::open(&gateway, &format!("{id}-2"), "", &[]).await;
    assert_eq!(sse.next().await.1, data("permission")[0]);
}

#[tokio::test]
async fn a_loop_starts_again_at_one() {
    let gateway = start(vec![Recording::from_bytes("text", plain(3).as_bytes())], true).await;
    let mut sse = Sse::open(&gateway, "text", "", &[]).await;
    let seqs: Vec<_> = sse.take(6).await.iter().map(|(seq, _)| *seq).collect();
    assert_eq!(seqs, [1, 2, 3, 1, 2, 3]);
}
