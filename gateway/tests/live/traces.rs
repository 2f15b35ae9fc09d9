//! Tests that spans of live sessions reach a collector (`--otlp`), and that a collector that is away holds up nothing.

use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::common::v1::any_value::Value as Attribute;
use opentelemetry_proto::tonic::trace::v1::Span;
use pilothouse_gateway::agents::copilot;
use pilothouse_gateway::gateway::{Gateway, Settings};
use pilothouse_gateway::playback::player::Pace;
use pilothouse_gateway::playback::recording::Recording;
use pilothouse_gateway::{telemetry, time};
use serde_json::{Value, json};

use super::client::{Socket, data, get, in_time};
use super::collector::{Answer, Collector, text, value};
use super::gateway::{Folder, call, settings, subscribe};
use super::stand_in::StandIn;

async fn start(telemetry: telemetry::Settings, live: copilot::Settings, recording: Option<&str>) -> Gateway {
    let recordings = || {
        recording
            .map(|name| Recording::from_bytes(name, data(name).join("\n").as_bytes()))
            .into_iter()
            .collect()
    };
    let usual = Settings { telemetry: Some(telemetry), pace: Pace::Max, ..Settings::default() };
    in_time("the lock of the folder", async {
        loop {
            match Gateway::start_with(usual.clone(), recordings(), Some(live.clone())).await {
                // A process that another test is just starting still has the lock of the gateway before.
                Err(error) if error.to_string().contains("another gateway") => tokio::task::yield_now().await,
                opened => return opened.unwrap(),
            }
        }
    })
    .await
}

/// Sends at once, and tries again at once.
fn to(collector: &Collector) -> telemetry::Settings {
    let soon = Duration::from_millis(1);
    let usual = telemetry::Settings::new(&format!("http://{}", collector.address)).unwrap();
    telemetry::Settings { pause: soon, first_wait: soon, ..usual }
}

fn emit(runtime: &StandIn, kind: &str, id: &str, data: &Value) {
    let event = json!({"type": kind, "id": id, "data": data, "timestamp": time::now()});
    runtime.emit("s", &event.to_string());
}

/// A turn as far as a permission that it waits for.
fn begin_turn(runtime: &StandIn, name: &str) {
    let id = |part: &str| format!("{name}-{part}");
    let message = json!({"content": "the secret of the sea", "messageId": id("m"), "interactionId": name});
    emit(runtime, "user.message", &id("1"), &message);
    emit(runtime, "assistant.turn_start", &id("2"), &json!({"turnId": "0", "interactionId": name}));
    let usage = json!({"model": "m-1", "inputTokens": 70, "outputTokens": 7, "apiCallId": id("c"), "finishReason": "tool_calls"});
    emit(runtime, "assistant.usage", &id("3"), &usage);
    let tool =
        json!({"toolCallId": id("t"), "toolName": "bash", "arguments": {"command": "the secret of the sea"}});
    emit(runtime, "tool.execution_start", &id("4"), &tool);
    let asked = json!({"kind": "shell", "toolCallId": id("t"), "fullCommandText": "the secret of the sea", "commands": []});
    emit(
        runtime,
        "permission.requested",
        &id("5"),
        &json!({"requestId": id("r"), "permissionRequest": asked}),
    );
}

fn end_turn(runtime: &StandIn, name: &str) {
    let id = |part: &str| format!("{name}-{part}");
    let approved = json!({"requestId": id("r"), "result": {"kind": "approved"}});
    emit(runtime, "permission.completed", &id("6"), &approved);
    let result = json!({"content": "the secret of the sea"});
    let completed = json!({"toolCallId": id("t"), "success": true, "result": result});
    emit(runtime, "tool.execution_complete", &id("7"), &completed);
    emit(runtime, "assistant.turn_end", &id("8"), &json!({"turnId": "0"}));
    emit(runtime, "session.idle", &id("9"), &json!({}));
}

fn has_turns(count: usize) -> impl Fn(&[Span]) -> bool {
    move |spans| spans.iter().filter(|span| span.parent_span_id.is_empty()).count() >= count
}

fn named<'a>(spans: &'a [Span], name: &str) -> &'a Span {
    let mut named = spans.iter().filter(|span| span.name == name);
    let found = named.next().unwrap_or_else(|| panic!("no {name}: {spans:?}"));
    assert!(named.next().is_none(), "two of {name}: {spans:?}");
    found
}

/// The value of a line of the metrics.
async fn metric(gateway: &Gateway, name: &str) -> u64 {
    let text = get(gateway, "/metrics", &[]).await.body;
    text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok()).unwrap()
}

#[tokio::test]
async fn a_turn_arrives_as_a_tree_and_without_a_text() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    let mut telemetry = to(&collector);
    telemetry.headers.insert("x-team", "harbour".parse().unwrap());
    let gateway = start(telemetry, settings(&runtime, None), Some("permission")).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, &super::client::first_id(&gateway).await, 0).await;
    socket.until("permission.requested").await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    begin_turn(&runtime, "one");
    end_turn(&runtime, "one");
    let spans = collector.until("a turn", has_turns(1)).await;
    assert_eq!(spans.len(), 4, "nothing of the recording is sent: {spans:?}");
    let (turn, chat) = (named(&spans, "invoke_agent"), named(&spans, "chat m-1"));
    let (tool, request) = (named(&spans, "execute_tool bash"), named(&spans, "request permission"));
    assert!(spans.iter().all(|span| span.trace_id == turn.trace_id && span.trace_id.len() == 16));
    assert_eq!([&chat.parent_span_id, &tool.parent_span_id], [&turn.span_id; 2]);
    assert_eq!(request.parent_span_id, tool.span_id);
    for span in &spans {
        assert!(turn.start_time_unix_nano <= span.start_time_unix_nano);
        assert!(
            span.start_time_unix_nano <= span.end_time_unix_nano
                && span.end_time_unix_nano <= turn.end_time_unix_nano
        );
        assert_eq!(text(&span.attributes, "gen_ai.conversation.id"), Some("s"));
        assert_eq!(span.status.as_ref().map_or(0, |status| status.code), 0);
    }
    assert_eq!(text(&chat.attributes, "gen_ai.request.model"), Some("m-1"));
    assert_eq!(value(&chat.attributes, "gen_ai.usage.input_tokens"), Some(&Attribute::IntValue(70)));
    assert!(matches!(
        value(&chat.attributes, "gen_ai.response.finish_reasons"),
        Some(Attribute::ArrayValue(_))
    ));
    assert_eq!((chat.kind, tool.kind), (3, 1));
    assert_eq!(text(&tool.attributes, "gen_ai.tool.call.id"), Some("one-t"));
    assert_eq!(text(&request.attributes, "pilothouse.request.decision"), Some("approved"));
    let requests = collector.requests(1).await;
    for request in &requests {
        assert!(!request.body.contains("secret of the sea"), "{}", request.body);
        assert_eq!(request.headers["content-type"], "application/json");
        assert_eq!(request.headers["x-team"], "harbour");
    }
    assert_eq!(metric(&gateway, "pilothouse_spans_total{outcome=\"delivered\"}").await, 4);
}

#[tokio::test]
async fn what_can_be_taken_later_is_sent_again_and_what_is_refused_is_not() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    let gateway = start(to(&collector), settings(&runtime, None), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    let plain = ("content-type", "application/json");
    collector.answer(&[429, 502, 503, 504].map(|status| Answer::Status(status, plain)));
    begin_turn(&runtime, "one");
    let attempts = collector.requests(5).await;
    assert!(attempts[1..].iter().all(|attempt| attempt.body == attempts[0].body), "the same again");
    collector.answer(&[Answer::Status(400, plain)]);
    emit(&runtime, "tool.execution_complete", "x", &json!({"toolCallId": "one-t", "success": true}));
    collector.requests(6).await;
    end_turn(&runtime, "one");
    let spans = collector.until("the turn", has_turns(1)).await;
    named(&spans, "chat m-1");
    assert!(!spans.iter().any(|span| span.name == "execute_tool bash"), "it was refused: {spans:?}");
    assert_eq!(metric(&gateway, "pilothouse_spans_total{outcome=\"refused\"}").await, 1);
}

#[tokio::test]
async fn a_collector_that_says_when_is_left_alone_until_then() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    let gateway = start(to(&collector), settings(&runtime, None), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    collector.answer(&[Answer::Status(503, ("retry-after", "1"))]);
    let began = Instant::now();
    begin_turn(&runtime, "one");
    collector.requests(2).await;
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_collector_that_is_silent_or_away_holds_up_neither_calls_nor_the_end() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    collector.answer(&[Answer::Silence; 100]);
    let away = telemetry::Settings::new("http://127.0.0.1:9").unwrap();
    let away = telemetry::Settings { pause: Duration::ZERO, ..away };
    for telemetry in [to(&collector), away] {
        let gateway = start(telemetry, settings(&runtime, None), None).await;
        let mut socket = Socket::open(&gateway, None).await;
        call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
        subscribe(&mut socket, "s", 0).await;
        begin_turn(&runtime, &time::now());
        socket.until("permission.requested").await;
        assert_eq!(call(&mut socket, "pilothouse.ping", json!({})).await["result"], json!({}));
        drop(socket);
        let ending = Instant::now();
        gateway.stop().await;
        assert!(ending.elapsed() < Duration::from_secs(8), "{:?}", ending.elapsed());
    }
}

#[tokio::test]
async fn what_waits_is_sent_when_the_gateway_ends() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    let patient = telemetry::Settings { pause: Duration::from_hours(1), ..to(&collector) };
    let gateway = start(patient, settings(&runtime, None), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    subscribe(&mut socket, "s", 0).await;
    begin_turn(&runtime, "one");
    end_turn(&runtime, "one");
    socket.until("session.idle").await;
    assert!(collector.spans().is_empty());
    drop(socket);
    gateway.stop().await;
    assert_eq!(collector.spans().len(), 4);
}

#[tokio::test]
async fn a_whole_batch_does_not_wait_for_its_time() {
    let (runtime, collector) = (StandIn::start().await, Collector::start().await);
    let patient = telemetry::Settings { pause: Duration::from_hours(1), ..to(&collector) };
    let gateway = start(patient, settings(&runtime, None), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    for number in 0..513 {
        let call = format!("t{number}");
        let tool = json!({"toolCallId": call, "toolName": "bash"});
        emit(&runtime, "tool.execution_start", &format!("{call}-1"), &tool);
        let completed = json!({"toolCallId": call, "success": true});
        emit(&runtime, "tool.execution_complete", &format!("{call}-2"), &completed);
    }
    let spans = collector.until("a batch", |spans| !spans.is_empty()).await;
    assert_eq!(spans.len(), 512);
}

#[tokio::test]
async fn a_turn_goes_on_in_the_same_trace_after_a_restart_of_the_gateway() {
    let (runtime, collector, folder) = (StandIn::start().await, Collector::start().await, Folder::new());
    let gateway = start(to(&collector), settings(&runtime, Some(&folder)), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    call(&mut socket, "pilothouse.create", json!({"sessionId": "s"})).await;
    begin_turn(&runtime, "one");
    let before = collector.until("a call of the model", |spans| !spans.is_empty()).await;
    drop(socket);
    gateway.stop().await;
    let resumed = json!({"type": "session.resume", "id": "back", "data": {"sessionWasActive": true}, "timestamp": time::now()});
    runtime.result("session.resume", "{\"sessionId\":\"s\"}");
    runtime.note("s", &resumed.to_string());
    let gateway = start(to(&collector), settings(&runtime, Some(&folder)), None).await;
    let mut socket = Socket::open(&gateway, None).await;
    subscribe(&mut socket, "s", 0).await;
    end_turn(&runtime, "one");
    let spans = collector.until("the turn", has_turns(1)).await;
    let turn = named(&spans, "invoke_agent");
    assert_eq!(before[0].name, "chat m-1");
    assert_eq!((&before[0].trace_id, &before[0].parent_span_id), (&turn.trace_id, &turn.span_id));
    assert_eq!(named(&spans, "execute_tool bash").parent_span_id, turn.span_id);
    // One that was sent already may come again, as the same.
    let again = spans.iter().filter(|span| span.span_id == before[0].span_id).collect::<Vec<_>>();
    assert!(again.iter().all(|span| **span == before[0]), "{again:?}");
}
