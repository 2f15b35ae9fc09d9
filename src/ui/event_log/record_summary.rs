//! What the list, the detail and the scrubber show of a record.

use crate::core::session::log::{Log, Logged};
use crate::core::wire;
use crate::core::wire::time;
use crate::store::Store;

/// A record in short.
pub struct RecordSummary {
    /// Its type.
    pub name: String,
    /// Its time, in the reader's own time zone; empty if it has none.
    pub time: String,
    /// A short summary.
    pub summary: String,
    /// It is not in any history.
    pub ephemeral: bool,
    /// It was received before.
    pub duplicate: bool,
    /// Its position in the gateway's log.
    pub seq: Option<u64>,
}

/// What is shown of a record; with `short`, the time has no milliseconds.
pub fn record_summary(store: Store, record: usize, short: bool) -> Option<RecordSummary> {
    store.history().log(|log| summary_of(log, record, short)).flatten()
}

fn summary_of(log: &Log, record: usize, short: bool) -> Option<RecordSummary> {
    let head = log.head(record)?;
    log.read(record, |logged| {
        let (raw, seq) = match logged {
            Logged::Event { raw, seq, .. } => (raw, seq),
            other => (other.text(), None),
        };
        let (mut data, mut at) = ("", None);
        let _ = wire::members(raw, |name, value| match name {
            "data" => data = value.raw(),
            "timestamp" => at = value.text().and_then(|iso| time::parse_iso(&iso)),
            _ => {}
        });
        let summary = match logged {
            Logged::Event { .. } => summary(data),
            Logged::Malformed { reason, .. } => reason.to_owned(),
            other => cut(other.text()),
        };
        RecordSummary {
            name: head.name.to_owned(),
            time: at.map_or_else(String::new, |at| clock(at, !short)),
            summary,
            ephemeral: head.ephemeral,
            duplicate: head.duplicate,
            seq,
        }
    })
}

/// The time of a record, in milliseconds since 1970.
pub fn at(store: Store, record: usize) -> Option<i64> {
    let text = |logged: Logged<'_>| {
        let mut at = None;
        let _ = wire::members(logged.text(), |name, value| {
            if name == "timestamp" {
                at = value.text().and_then(|iso| time::parse_iso(&iso));
            }
        });
        at
    };
    store.history().log(|log| log.read(record, text)).flatten().flatten()
}

/// A summary of a payload: the most telling text in it, or else its beginning.
fn summary(data: &str) -> String {
    const SUMMARY_MEMBERS: [&str; 14] = [
        "deltaContent",
        "inputDelta",
        "content",
        "partialOutput",
        "progressMessage",
        "message",
        "intent",
        "title",
        "toolName",
        "question",
        "summary",
        "reason",
        "agentName",
        "model",
    ];
    let mut found: Option<(usize, String)> = None;
    let _ = wire::members(data, |name, value| {
        if let Some(rank) = SUMMARY_MEMBERS.iter().position(|telling| *telling == name)
            && found.as_ref().is_none_or(|(best, _)| rank < *best)
            && let Some(text) = value.text().filter(|text| !text.is_empty())
        {
            found = Some((rank, cut(&text)));
        }
    });
    found.map_or_else(|| cut(data), |(_, text)| text)
}

fn cut(text: &str) -> String {
    let start: String = text.chars().take(160).collect();
    start.replace(['\n', '\r', '\t'], " ")
}

/// The time of an event in the reader's own time zone; with `exact`, also its milliseconds.
fn clock(at: i64, exact: bool) -> String {
    let date = js_sys::Date::new(&(at as f64).into());
    let (hours, minutes, seconds) = (date.get_hours(), date.get_minutes(), date.get_seconds());
    let time = format!("{hours:02}:{minutes:02}:{seconds:02}");
    if exact { format!("{time}.{:03}", at.rem_euclid(1000)) } else { time }
}
