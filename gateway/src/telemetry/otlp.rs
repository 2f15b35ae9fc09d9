//! Spans in the JSON form of OTLP 1.x, `ExportTraceServiceRequest`: ids are hexadecimal, enumerations and 64-bit numbers as the
//! specification has them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::span::{AttributeValue, Span};

/// The conventions that names of spans and attributes are from.
const SCHEMA: &str = "https://opentelemetry.io/schemas/1.41.0";
const INTERNAL: u32 = 1;
const CLIENT: u32 = 3;
const ERROR: u32 = 2;

/// The body of a request with these spans.
pub fn request(spans: &[Span]) -> String {
    let service = [
        ("service.name", AttributeValue::from("pilothouse")),
        ("service.version", env!("CARGO_PKG_VERSION").into()),
    ];
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes(&service)},
        "scopeSpans": [{
            "scope": {"name": "pilothouse", "version": env!("CARGO_PKG_VERSION")},
            "spans": spans,
            "schemaUrl": SCHEMA,
        }],
    }]})
    .to_string()
}

fn span(span: &Span) -> Value {
    let events: Vec<Value> = span
        .events
        .iter()
        .map(|event| {
            json!({"timeUnixNano": nanoseconds(event.at), "name": event.name, "attributes": attributes(&event.attributes)})
        })
        .collect();
    let mut made = json!({
        "traceId": hex(&span.trace),
        "spanId": hex(&span.id),
        "name": span.name,
        "kind": if span.is_remote { CLIENT } else { INTERNAL },
        "startTimeUnixNano": nanoseconds(span.start),
        "endTimeUnixNano": nanoseconds(span.end),
        "attributes": attributes(&span.attributes),
        "events": events,
        "droppedEventsCount": span.dropped_events,
        "status": span.error.as_ref().map_or_else(|| json!({}), |error| json!({"code": ERROR, "message": error})),
    });
    if let Some(parent) = span.parent {
        made["parentSpanId"] = hex(&parent).into();
    }
    made
}

fn attributes(all: &(impl AsRef<[(&'static str, AttributeValue)]> + ?Sized)) -> Vec<Value> {
    all.as_ref().iter().map(|(name, given)| json!({"key": name, "value": value(given)})).collect()
}

fn value(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::Text(text) => json!({"stringValue": text}),
        AttributeValue::Texts(texts) => {
            let texts: Vec<Value> = texts.iter().map(|text| json!({"stringValue": text})).collect();
            json!({"arrayValue": {"values": texts}})
        }
        AttributeValue::Whole(number) => json!({"intValue": number.to_string()}),
        AttributeValue::Number(number) => json!({"doubleValue": number}),
    }
}

/// Times before 1970 become 1970.
fn nanoseconds(milliseconds: i64) -> String {
    (u128::try_from(milliseconds).unwrap_or_default() * 1_000_000).min(u128::from(u64::MAX)).to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}"); // writing into a String can't fail
        text
    })
}
