//! One record in full: its type, its time, its JSON, and buttons for what can be done with it.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;

use super::archive;
use super::list::List;
use crate::client::store::Store;
use crate::core::i18n::Word;
use crate::core::i18n::format;
use crate::core::i18n::words::log;
use crate::core::session::log::{Log, Logged};
use crate::core::wire;
use crate::core::wire::time;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::copy_button::copy_button;
use crate::ui::elements::exact::exact;
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::memo;

/// JSON of more bytes than this is shown without colours, because it would need too many elements.
const COLOURED: usize = 60_000;

/// What the list and the detail show of a record.
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
    store.history().log(|log| told_of(log, record, short)).flatten()
}

fn told_of(log: &Log, record: usize, short: bool) -> Option<RecordSummary> {
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
    const TELLING: [&str; 14] = [
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
        if let Some(rank) = TELLING.iter().position(|telling| *telling == name)
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

/// The detail of one record.
pub fn detail(store: Store, list: List, record: usize) -> El {
    let Some(RecordSummary { name, time, ephemeral, duplicate, seq, .. }) =
        record_summary(store, record, false)
    else {
        return div("record-detail");
    };
    let raw = move || store.history().log(|log| log.text(record)).flatten().unwrap_or_default();
    let text = raw();
    let value = serde_json::from_str::<Value>(&text).ok();
    let shown = value.as_ref().map_or_else(|| text.clone(), format::pretty);
    let mut facts = vec![log::EVENT.with(&[("at", (&format::grouped(record + 1)).into())])];
    facts.extend(seq.map(|seq| format!("seq {seq}")));
    facts.extend(Some(time).filter(|time| !time.is_empty()));
    facts.push(format::bytes(i64::try_from(text.len()).unwrap_or(i64::MAX)));
    facts.extend(ephemeral.then(|| log::EPHEMERAL.text().to_owned()));
    facts.extend(duplicate.then(|| log::SEEN_BEFORE.text().to_owned()));
    let close = el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("aria-label", log::CLOSE_EVENT.text())
        .on("click", move |_| list.let_go())
        .child(glyph(Icon::Cross));
    let row = move || {
        store.history().prepared().track();
        archive::of(store)?.travel.borrow().entry_of(record)
    };
    let visible = memo(move || row().filter(|row| store.entry(*row, |entry| entry.ui_visible) == Some(true)));
    let button = |words: Word| el("button").attr("type", "button").class("btn small").text(words.text());
    let actions = div("record-actions")
        .child(move || {
            let row = visible.get()?;
            Some(button(log::GO_TO_ENTRY).on("click", move |_| store.view_state.go_to(row)))
        })
        .child(move || {
            (store.history().prepared().get() > record).then(|| {
                button(log::SHOW_MOMENT).on("click", move |_| {
                    store.history().travelling().set(true);
                    archive::go(store, record + 1);
                })
            })
        })
        .child(copy_button(log::THE_EVENT, raw));
    let json = el("pre")
        .class("record-json")
        .attr("translate", "no")
        .attr("dir", "ltr")
        .attr("tabindex", "0")
        .attr("aria-label", log::JSON.text());
    let json =
        if value.is_some() && shown.len() <= COLOURED { coloured(json, &shown) } else { exact(json, &shown) };
    div("record-detail")
        .child(el("header").child(el("h3").child(el("code").text(&name))).child(close))
        .child(el("p").class("quiet").text(facts.join(" · ")))
        .child(actions)
        .child(json)
}

/// Adds JSON with colours for names, strings, and other values.
fn coloured(place: El, json: &str) -> El {
    let mut place = place;
    for line in json.split_inclusive('\n') {
        let body = line.trim_start();
        let (space, _) = line.split_at(line.len() - body.len());
        place = place.text(space);
        let name = body.starts_with('"').then(|| body.find("\": ")).flatten();
        let (name, rest) = match name {
            Some(end) => body.split_at(end + 1),
            None => ("", body),
        };
        if !name.is_empty() {
            place = place.child(exact(el("b"), name));
        }
        let bare = rest.trim_start_matches(": ");
        let class = match bare.as_bytes().first() {
            Some(b'"') => "s",
            Some(b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => "n",
            _ => "",
        };
        let (before, value) = rest.split_at(rest.len() - bare.len());
        place = place.text(before);
        place = if class.is_empty() {
            exact(place, value)
        } else {
            place.child(exact(el("span").class(class), value))
        };
    }
    place
}

/// The time of an event in the reader's own time zone; with `exact`, also its milliseconds.
fn clock(at: i64, exact: bool) -> String {
    let date = js_sys::Date::new(&(at as f64).into());
    let (hours, minutes, seconds) = (date.get_hours(), date.get_minutes(), date.get_seconds());
    let time = format!("{hours:02}:{minutes:02}:{seconds:02}");
    if exact { format!("{time}.{:03}", at.rem_euclid(1000)) } else { time }
}

/// The key of a keyboard event, if no modifier is held.
pub fn key(event: &web_sys::Event) -> Option<String> {
    let event = event.dyn_ref::<web_sys::KeyboardEvent>()?;
    let free = !(event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key());
    free.then(|| event.key())
}
