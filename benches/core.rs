//! Benchmarks of the core: decoding and reducing of deltas and of a mixed log, finding what is superseded in them,
//! and making first screens. The input is generated here
//! and is the same on every run, so figures of different machines can be compared.

#![allow(missing_docs, reason = "criterion's macros make public functions")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use pilothouse::core::client::board::session_of;
use pilothouse::core::markup::board::{BoardReader, board};
use pilothouse::core::markup::screen::{Reader, screen};
use pilothouse::core::model::board::Board;
use pilothouse::core::session::log::Log as SessionLog;
use pilothouse::core::session::superseded::Superseded;
use pilothouse::core::session::time_travel::TravelIndex;
use pilothouse::core::view_model::{board_summary, snapshot};
use pilothouse::core::{Session, wire};
use serde_json::{Value, json};

const EVENTS: u32 = 20_000;
const CHUNK: usize = 64 * 1024;

/// A generated log, one event a line, the same on every run.
#[derive(Default)]
struct Log {
    text: String,
    events: u32,
}

impl Log {
    fn event(&mut self, kind: &str, data: &str, more: &str) {
        self.events += 1;
        let (number, millisecond) = (self.events, self.events % 1000);
        let second = self.events / 1000;
        let (minute, hour, second) = (second / 60 % 60, second / 3600 % 24, second % 60);
        let spread = number.wrapping_mul(0x9E37_79B9);
        writeln!(
            self.text,
            r#"{{"type":"{kind}","data":{{{data}}},"id":"{spread:08x}-{:04x}-4000-8000-{number:012x}","timestamp":"2026-01-05T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z","parentId":"00000000-0000-4000-8000-{number:012x}"{more}}}"#,
            number & 0xFFFF,
        )
        .unwrap_or_default();
    }

    fn ephemeral(&mut self, kind: &str, data: &str) {
        self.event(kind, data, r#","ephemeral":true"#);
    }
}

/// One message, streamed in many deltas.
fn deltas(events: u32) -> Log {
    let mut log = Log::default();
    while log.events < events {
        let piece = if log.events % 12 == 0 { "words,\\n" } else { "word " };
        log.ephemeral("assistant.message_delta", &format!(r#""messageId":"m-1","deltaContent":"{piece}""#));
    }
    log
}

/// Turns like those of the recordings: byte counters and deltas, reasoning, a tool with its permission and
/// output.
fn mixed(events: u32) -> Log {
    let mut log = Log::default();
    let mut turn = 0;
    while log.events < events {
        turn += 1;
        log.event("user.message", &format!(r#""messageId":"u-{turn}","content":"Request {turn}","transformedContent":"<now/>\nRequest {turn}""#), "");
        log.event("assistant.turn_start", r#""turnId":"0""#, "");
        let mut bytes = 0;
        let mut streamed = |log: &mut Log, kind: &str, id: &str, count: u32| {
            for at in 0..count {
                bytes += 40;
                log.ephemeral("assistant.streaming_delta", &format!(r#""totalResponseSizeBytes":{bytes}"#));
                log.ephemeral(kind, &format!(r#"{id},"deltaContent":"piece {at} of it ""#));
            }
        };
        streamed(&mut log, "assistant.reasoning_delta", &format!(r#""reasoningId":"r-{turn}""#), 40);
        log.ephemeral(
            "assistant.reasoning",
            &format!(r#""reasoningId":"r-{turn}","content":"Considered {turn}""#),
        );
        streamed(&mut log, "assistant.message_delta", &format!(r#""messageId":"a-{turn}""#), 120);
        let call = format!(r#""toolCallId":"t-{turn}""#);
        let command = r#""arguments":{"command":"cargo test --workspace","description":"Run the tests"}"#;
        log.event(
            "assistant.message",
            &format!(r#""messageId":"a-{turn}","content":"{}","reasoningText":"Considered {turn}","toolRequests":[{{{call},"name":"bash",{command}}}]"#, "said ".repeat(300)),
            "",
        );
        log.event("tool.execution_start", &format!(r#"{call},"toolName":"bash",{command}"#), "");
        log.event("permission.requested", &format!(r#""requestId":"p-{turn}","permissionRequest":{{"kind":"shell","fullCommandText":"cargo test --workspace",{call}}}"#), "");
        log.event(
            "permission.completed",
            &format!(r#""requestId":"p-{turn}","result":{{"kind":"approved"}}"#),
            "",
        );
        let mut output = String::new();
        for line in 0..12 {
            write!(output, "test case_{line} ... ok\\n").unwrap_or_default();
            log.ephemeral("tool.execution_partial_result", &format!(r#"{call},"partialOutput":"{output}""#));
        }
        log.event(
            "tool.execution_complete",
            &format!(r#"{call},"success":true,"result":{{"content":"{output}"}}"#),
            "",
        );
        log.ephemeral("assistant.usage", r#""model":"m","inputTokens":1200,"outputTokens":300,"cost":1"#);
        log.ephemeral(
            "session.usage_info",
            r#""tokenLimit":128000,"currentTokens":4000,"messagesLength":12"#,
        );
        log.event("assistant.turn_end", r#""turnId":"0""#, "");
        log.ephemeral("session.idle", "");
    }
    log
}

fn reduce(log: &Log) -> Session {
    let mut session = Session::new();
    for chunk in log.text.as_bytes().chunks(CHUNK) {
        session.push(chunk);
        black_box(session.take_changes());
    }
    session
}

fn decode(log: &Log) -> usize {
    let mut records = 0;
    for line in log.text.lines() {
        wire::records(line, |record| {
            records += usize::from(black_box(record).is_ok());
        });
    }
    records
}

fn find_superseded(log: &Log) -> usize {
    let mut superseded = Superseded::default();
    (0..).zip(log.text.lines()).map(|(position, line)| superseded.take(position, line).len()).sum()
}

fn core(criterion: &mut Criterion) {
    for (name, log) in [("deltas", deltas(EVENTS)), ("mixed", mixed(EVENTS))] {
        let bytes = log.text.len() as u64;
        for (unit, throughput) in
            [("events", Throughput::Elements(u64::from(log.events))), ("bytes", Throughput::Bytes(bytes))]
        {
            let mut group = criterion.benchmark_group(format!("{name}, {unit}"));
            group.throughput(throughput);
            group.bench_with_input(BenchmarkId::from_parameter("decode"), &log, |b, log| {
                b.iter(|| decode(log));
            });
            group.bench_with_input(BenchmarkId::from_parameter("reduce"), &log, |b, log| {
                b.iter(|| reduce(log));
            });
            group.bench_with_input(BenchmarkId::from_parameter("supersede"), &log, |b, log| {
                b.iter(|| find_superseded(log));
            });
            group.finish();
        }
    }
}

/// The cost of an event must not grow with the session.
fn growth(criterion: &mut Criterion) {
    for (name, make) in [("deltas", deltas as fn(u32) -> Log), ("mixed", mixed)] {
        let mut group = criterion.benchmark_group(format!("growth, {name}"));
        for events in [10_000, 100_000] {
            let log = make(events);
            group.throughput(Throughput::Elements(u64::from(log.events)));
            group.bench_with_input(BenchmarkId::from_parameter(events), &log, |b, log| {
                b.iter(|| reduce(log));
            });
        }
        group.finish();
    }
}

/// Keeping a log of 100,000 events, preparing it for time travel, and going to any of its events.
#[allow(clippy::print_stdout, reason = "how much memory the log takes is a figure as well")]
fn travel(criterion: &mut Criterion) {
    let log = mixed(100_000);
    let keep = || {
        let mut session = Session::new();
        session.keep_log();
        session.push(log.text.as_bytes());
        while session.log_mut().is_some_and(SessionLog::compact) {}
        session
    };
    let prepare = |session: &Session| {
        let mut travel = TravelIndex::new();
        if let Some(log) = session.log() {
            while travel.prepare(log, 1000) {}
        }
        travel
    };
    let session = keep();
    let Some(kept) = session.log() else { return };
    println!("log of {} bytes kept in {}", log.text.len(), kept.bytes());
    let travel = prepare(&session);
    let mut group = criterion.benchmark_group("travel, 100000");
    group.sample_size(10);
    group.bench_function("keep", |b| b.iter(keep));
    group.bench_function("prepare", |b| b.iter(|| prepare(&session)));
    let (mut past, mut at) = (Session::new(), 0_usize);
    group.bench_function("seek anywhere", |b| {
        b.iter(|| {
            let to = (at + 61_803) % kept.len();
            travel.travel_to(kept, &mut past, at, to);
            black_box(past.take_changes());
            at = to;
        });
    });
    group.finish();
}

/// What a server pays for a page that comes with a first screen: that of a session of 99,500 events, and that of a board of 200.
fn first_screens(criterion: &mut Criterion) {
    let session = reduce(&mixed(99_500));
    let reader = Reader { readonly: false, takes_messages: true };
    let mut group = criterion.benchmark_group("first screen");
    group.bench_function("session of 99500 events", |b| b.iter(|| screen(session.state(), reader)));
    let row = |number: u32| {
        let mut row = snapshot::session(session.state());
        if let Some(row) = row.as_object_mut() {
            row.extend(board_summary::of(session.state()));
            row.insert("sessionId".to_owned(), number.to_string().into());
            if number.is_multiple_of(20) {
                let event = json!({ "type": "permission.requested", "id": "p", "data": { "requestId": "p",
                    "permissionRequest": { "kind": "shell", "fullCommandText": "cargo test" } } });
                let asked =
                    json!([{ "requestId": "p", "kind": "permission", "text": "cargo test", "event": event }]);
                row.extend([("status".to_owned(), json!("waiting")), ("requests".to_owned(), asked)]);
            }
        }
        row
    };
    group.bench_function("row of a board", |b| b.iter(|| row(1)));
    let list = Value::Array((0..200).map(row).collect());
    group.bench_function("board of 200 sessions", |b| {
        b.iter(|| {
            let mut sessions = Board::default();
            sessions.merge_list(&list);
            board(
                &sessions,
                BoardReader {
                    readonly: false,
                    capabilities: &["create"],
                    now: 1_795_262_400_000,
                    requests: |known, show| show(session_of(known).state()),
                },
            )
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots();
    targets = core, growth, travel, first_screens
}
criterion_main!(benches);
