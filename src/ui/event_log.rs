//! The chunk `event_log`: event log, inspector, time travel, and files from disk. Nothing here is needed for the
//! first paint.

mod archive;
mod compaction;
mod detail;
mod filter;
mod inspect;
mod left_out;
mod list;
mod open_file;
mod record_summary;
mod time_travel;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;

use super::elements::builder::El;
use super::elements::copy_button::copy_button;
use super::elements::live::Live;
use super::elements::live_text::LiveText;
use super::elements::reactive::memo;
use super::message::clock;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::log as words;
use crate::core::session::log::Log;
use crate::core::view_model::timeline_row::label;
use crate::store::Store;
use detail::detail;
use filter::{FilterBar, RecordFilter};
use left_out::LeftOut;
use list::{RecordList, list};
pub use open_file::file_button;
pub use time_travel::{strip, travel_bar};

/// Sets up the background work, until the owner is dropped: keeping the log small, leading from entries to
/// their raw events, and taking dropped files.
pub fn attach_page_features(page: &El, store: Store) {
    compaction::keep_compressed(store);
    // The first call of `clock` is slow. It is made in idle time, so that the log opens at once.
    let ahead = Closure::once_into_js(|| _ = clock(0));
    // If the browser does not report idle time, this is skipped.
    let _ = window().request_idle_callback(ahead.unchecked_ref());
    inspect::add_inspect_button(page, store);
    open_file::take_dropped(page, store);
}

/// The event log, which follows new events.
pub fn event_log(store: Store) -> El {
    archive::follow_log(store);
    let filter = RecordFilter::new();
    let list =
        RecordList::new(store, true, Box::new(move |records, from| filter.apply(store, records, from)));
    Effect::new(move |_| {
        filter.changed();
        untrack(|| list.restart());
    });
    let count = move || {
        let (listed, all) = list.count();
        let missed = store.history().log(Log::dropped_records).unwrap_or(0);
        let (n, figure, part) = (all.into(), grouped(all), grouped(listed));
        let counted = if listed == all {
            words::ALL_EVENTS.with(&[("n", n), ("figure", (&figure).into())])
        } else {
            words::SOME_EVENTS.with(&[("n", n), ("figure", (&figure).into()), ("shown", (&part).into())])
        };
        match missed {
            0 => counted,
            more => words::FULL
                .with(&[("counted", (&counted).into()), ("missed", (&grouped(more as usize)).into())]),
        }
    };
    list.take_focus();
    El::of(view! {
        <div class="log">
            <LogHeader count=Signal::derive(count)>{file_button(store)}</LogHeader>
            <LeftOut store/>
            <FilterBar store filter/>
            {self::list(list)}
            <ChosenRecord store list/>
        </div>
    })
}

/// The raw events of one entry.
pub fn inspector(store: Store, entry: usize) -> El {
    archive::follow_log(store);
    let list = RecordList::new(
        store,
        false,
        Box::new(move |records, from| {
            let known = archive::of(store).map(|archive| archive.travel.borrow().records_of(entry).to_vec());
            let known = known.unwrap_or_default();
            records.extend(known.into_iter().filter(|record| *record as usize >= from));
        }),
    );
    Effect::new(move |_| {
        store.history().prepared().track();
        untrack(|| list.append_new_records());
        if list.chosen().is_none() {
            untrack(|| list.choose_first());
        }
    });
    let title = store.entry(entry, label).unwrap_or_default();
    let count = move || {
        let count = list.count().0;
        words::OF_ENTRY.with(&[
            ("n", count.into()),
            ("figure", (&grouped(count)).into()),
            ("entry", (&title).into()),
        ])
    };
    let all = move || {
        let lines = |log: &Log| {
            let records = list.records().into_iter();
            records.filter_map(|record| log.line(record as usize)).collect::<String>()
        };
        store.history().log(lines).unwrap_or_default().trim_end().to_owned()
    };
    list.take_focus();
    El::of(view! {
        <div class="log inspector">
            <LogHeader count=Signal::derive(count)>{copy_button(words::ALL_OF_THESE, all)}</LogHeader>
            {self::list(list)}
            <ChosenRecord store list/>
        </div>
    })
}

/// How many records are listed, and a button.
#[component(transparent)]
fn LogHeader(count: Signal<String>, children: Children) -> El {
    El::of(view! {
        <div class="log-head">
            <p class="quiet">{LiveText::new(move || count.get())}</p>
            {children()}
        </div>
    })
}

/// The record that was chosen, below the list.
#[component(transparent)]
fn ChosenRecord(store: Store, list: RecordList) -> El {
    let chosen = memo(move || list.chosen());
    let record = move || chosen.get().map(|record| untrack(|| detail(store, list, record)));
    El::of(view! { <div class="record-place">{Live::new(record)}</div> })
}
