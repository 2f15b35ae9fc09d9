//! Cards for events without a view of their own: custom notifications and events of unknown types.
//!
//! A host can register a renderer for its custom notifications.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsValue;

use crate::client::js::to_js;
use crate::core::Entry;
use crate::core::i18n::Value;
use crate::core::i18n::words::timeline;
use crate::core::json_writer::pretty;
use crate::core::model::custom::Custom;
use crate::core::model::entry::Body;
use crate::core::view_model::entry_words::text;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::summary_line;
use crate::core::view_model::timeline_row::is_unknown;
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::json_tree::tree;
use crate::ui::elements::reactive::memo;
use crate::ui::message::{Fold, clock, live_pieces};
use crate::ui::renderers;

/// A custom notification: its text and count; its payload, subject and earlier texts when opened.
pub fn custom_card(article: El, store: Store, index: usize, row: RowSignals) -> El {
    let what = Box::new(move || {
        row.text.track();
        row.head.track();
        store.entry(index, summary_line::custom).unwrap_or_default()
    });
    let end = Box::new(move || {
        row.head.track();
        store.entry(index, summary_line::custom_end).unwrap_or_default()
    });
    let open = memo(move || {
        row.head.track();
        renderers::of_notification(|| data_of(store, index)).is_some()
    });
    let body = Box::new(move || custom_body(store, index, row));
    let what = live_pieces(el("span").class("what").attr("dir", "auto"), what);
    let end = live_pieces(el("span").class("end"), end);
    article.child(
        Fold { store, index, open, on_paper: true, class: "card", icon: Icon::Braces, what, end, body }
            .show(),
    )
}

/// The body of an open custom notification.
fn custom_body(store: Store, index: usize, row: RowSignals) -> El {
    let read = move |read: fn(&Custom) -> String| {
        memo(move || {
            row.head.track();
            store.entry(index, |entry| custom_of(entry).map(read)).flatten().unwrap_or_default()
        })
    };
    let about = read(|custom| {
        let version = custom
            .version()
            .map(|version| timeline::VERSION.with(&[("version", (&version.to_string()).into())]));
        let name = Some(custom.name.clone()).filter(|name| !name.is_empty());
        let subject = Some(custom.about()).filter(|about| !about.is_empty());
        [name, version, subject].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    });
    let payload =
        read(|custom| if custom.payload().is_null() { String::new() } else { pretty(custom.payload()) });
    let earlier = read(|custom| {
        let line = |one: &crate::core::model::custom::Earlier| match one.at {
            Some(at) => format!("{} {}", clock(at), one.text.words()),
            None => one.text.words().into_owned(),
        };
        custom.earlier.iter().rev().map(line).collect::<Vec<_>>().join("\n")
    });
    let hosted = RwSignal::new(false);
    let made = move || {
        row.head.track();
        renderers::of_notification(|| data_of(store, index))
    };
    let host = renderers::view("notification", made, hosted);
    let body = div("body").child(move || {
        let about = about.get();
        (!about.is_empty()).then(|| el("p").class("quiet").text(&about))
    });
    let body = body.child(host).child(move || {
        let payload = payload.get();
        let show = !hosted.get() && !payload.is_empty();
        show.then(|| payload_tree(&payload))
    });
    body.child(move || {
        let earlier = earlier.get();
        (!earlier.is_empty()).then(|| {
            let words = el("pre").class("box wrap").attr("tabindex", "0").text(&earlier);
            el("details").class("more").child(el("summary").text(timeline::EARLIER.text())).child(words)
        })
    })
}

/// The payload, as a tree.
fn payload_tree(written: &str) -> El {
    tree(&serde_json::from_str(written).unwrap_or_default())
}

/// An event of an unknown type: its name, its payload when opened, and a button that hides the type. Or one whose data
/// could not be read.
pub fn generic_card(article: El, store: Store, index: usize, row: RowSignals) -> El {
    let event_type = store.entry(index, |entry| match &entry.body {
        Body::Facts { event_type, .. } => event_type.clone(),
        _ => text(entry).into_owned(),
    });
    let event_type = event_type.unwrap_or_default();
    let (of_type, named) = (event_type.clone(), event_type.clone());
    let hides = memo(move || store.rows().hides_type(&of_type));
    article.child(move || hides.get().then(|| hidden_line(store, &event_type))).child(move || {
        (!hides.get()).then(|| {
            let name = store.entry(index, |entry| text(entry).into_owned()).unwrap_or_default();
            let (label, of) = if is_unknown(&name, &named) {
                (timeline::UNKNOWN_EVENT.text(), &name)
            } else {
                (name.as_str(), &named)
            };
            let what = el("span").class("what").text(label).text(" ").child(el("code").text(of));
            let body = Box::new(move || generic_body(store, index, row));
            let (open, end) = (memo(|| false), el("span").class("end"));
            // A payload in no known form would fill pages that nobody reads.
            let on_paper = false;
            Fold { store, index, open, on_paper, class: "card", icon: Icon::Braces, what, end, body }.show()
        })
    })
}

/// The line that stands in for all events of a hidden type.
fn hidden_line(store: Store, event_type: &str) -> El {
    let of_type = event_type.to_owned();
    let text = memo(move || {
        let count = store.section(crate::core::model::state::Section::Diagnostics, |state| {
            state.counters.unknown.get(&of_type).copied().unwrap_or(0)
        });
        let count = Value::Count(i64::try_from(count.unwrap_or(0)).unwrap_or(i64::MAX));
        [&timeline::HIDDEN_EVENTS.with(&[("n", count)]), " "].concat()
    });
    let show = el("button").class("link").attr("type", "button").text(timeline::SHOW_AGAIN.text());
    let show = {
        let event_type = event_type.to_owned();
        show.on("click", move |_| store.rows().hide_type(&event_type, None))
    };
    div("kept-out").text(move || text.get()).child(el("code").text(event_type)).text(" ").child(show)
}

/// The body of an open card for an unknown type.
fn generic_body(store: Store, index: usize, row: RowSignals) -> El {
    let facts = memo(move || {
        row.head.track();
        let facts = store.entry(index, |entry| match &entry.body {
            Body::Facts { facts, .. } => pretty(facts),
            _ => String::new(),
        });
        facts.unwrap_or_default()
    });
    let unknown = store.entry(index, |entry| match &entry.body {
        Body::Facts { event_type, .. } => is_unknown(&text(entry), event_type).then(|| event_type.clone()),
        _ => None,
    });
    let hide = |event_type: String| {
        let hide = el("button").class("btn small").attr("type", "button").attr("part", "button");
        let hide = hide.text(timeline::HIDE_TYPE.text());
        div("acts").child(hide.on("click", move |_| store.rows().hide_type(&event_type, Some(index))))
    };
    div("body").child(move || vec![payload_tree(&facts.get())]).child(unknown.flatten().map(hide))
}

fn custom_of(entry: &Entry) -> Option<&Custom> {
    match &entry.body {
        Body::Custom(custom) => Some(custom),
        _ => None,
    }
}

/// What a renderer gets: the payload, and what else is known.
fn data_of(store: Store, index: usize) -> Option<(JsValue, JsValue)> {
    let made = store.entry(index, |entry| {
        let custom = custom_of(entry)?;
        Some((to_js(custom.payload()), context_of(entry, custom)))
    });
    made.flatten()
}

fn context_of(entry: &Entry, custom: &Custom) -> JsValue {
    let earlier = custom.earlier.iter().map(|one| json!({ "text": one.text.words(), "at": one.at }));
    to_js(&json!({
        "id": entry.id, "source": custom.source, "name": custom.name, "version": custom.version(),
        "subject": custom.subject(), "text": text(entry), "count": custom.count, "at": entry.ended_at,
        "earlier": earlier.collect::<Vec<_>>(),
    }))
}
