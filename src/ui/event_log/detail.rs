//! One record in full: its type, its time, its JSON, and buttons for what can be done with it.

use crate::core::json_writer;
use leptos::prelude::*;
use serde_json::Value;

use super::archive;
use super::list::RecordList;
use super::record_summary::{RecordSummary, record_summary};
use crate::core::i18n::Word;
use crate::core::i18n::format;
use crate::core::i18n::words::log;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::copy_button::copy_button;
use crate::ui::elements::exact::exact;
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;

/// JSON of more bytes than this is shown without colours, because it would need too many elements.
const COLOURED: usize = 60_000;

/// The detail of one record.
pub fn detail(store: Store, list: RecordList, record: usize) -> El {
    let Some(RecordSummary { name, time, ephemeral, duplicate, seq, .. }) =
        record_summary(store, record, false)
    else {
        return div("record-detail");
    };
    let raw = move || store.history().log(|log| log.text(record)).flatten().unwrap_or_default();
    let text = raw();
    let value = serde_json::from_str::<Value>(&text).ok();
    let pretty = value.as_ref().map_or_else(|| text.clone(), json_writer::pretty);
    let mut facts = vec![log::EVENT.with(&[("at", (&format::grouped(record + 1)).into())])];
    facts.extend(seq.map(|seq| format!("seq {seq}")));
    facts.extend(Some(time).filter(|time| !time.is_empty()));
    facts.push(format::bytes(i64::try_from(text.len()).unwrap_or(i64::MAX)));
    facts.extend(ephemeral.then(|| log::EPHEMERAL.text().to_owned()));
    facts.extend(duplicate.then(|| log::SEEN_BEFORE.text().to_owned()));
    let row = move || {
        store.history().prepared().track();
        archive::of(store)?.travel.borrow().entry_of(record)
    };
    let visible = memo(move || row().filter(|row| store.entry(*row, |entry| entry.ui_visible) == Some(true)));
    let button = |words: Word| el("button").attr("type", "button").class("btn small").text(words.text());
    let to_entry = move || {
        let row = visible.get()?;
        Some(button(log::GO_TO_ENTRY).on("click", move |_| store.view_state.go_to(row)))
    };
    let to_moment = move || {
        (store.history().prepared().get() > record).then(|| {
            button(log::SHOW_MOMENT).on("click", move |_| {
                store.history().travelling().set(true);
                archive::travel_to(store, record + 1);
            })
        })
    };
    let json = el("pre")
        .class("record-json")
        .attr("translate", "no")
        .attr("dir", "ltr")
        .attr("tabindex", "0")
        .attr("aria-label", log::JSON.text());
    let json = if value.is_some() && pretty.len() <= COLOURED {
        append_coloured_json(json, &pretty)
    } else {
        exact(json, &pretty)
    };
    El::of(view! {
        <div class="record-detail">
            <header>
                <h3>
                    <code translate="no">{name}</code>
                </h3>
                <button
                    type="button"
                    class="btn bare"
                    aria-label=log::CLOSE_EVENT.text()
                    on:click=move |_| list.deselect()
                >
                    {glyph(Icon::Cross)}
                </button>
            </header>
            <p class="quiet">{facts.join(" · ")}</p>
            <div class="record-actions">
                {Live::new(to_entry)}
                {Live::new(to_moment)}
                {copy_button(log::THE_EVENT, raw)}
            </div>
            {json}
        </div>
    })
}

/// Adds JSON with colours for names, strings, and other values.
fn append_coloured_json(place: El, json: &str) -> El {
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
