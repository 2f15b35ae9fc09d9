//! The timeline: a virtualised list of entries that keeps the reader's scroll position.
//!
//! Only rows near the viewport are in the document (`ui/elements/windowed_list.rs`). When a row above the viewport
//! changes its height, the scroll position is corrected, so that nothing moves under the reader's eyes. At the end
//! the list follows new entries, until the reader scrolls up.

#![allow(
    clippy::large_types_passed_by_value,
    reason = "a handle of signals that the parts copy, as the store in it; a reference would not outlive the call"
)]

pub mod actions;
pub mod custom;
pub mod entry;
pub mod lane;
pub mod notice;
pub mod parallel_calls;
mod row;
mod scroller;
mod waiting_button;

use std::sync::Arc;

use leptos::prelude::*;

use super::elements::builder::{El, div, el, glyph};
use super::elements::live::Live;
use super::elements::print;
use super::elements::reactive::memo;
use super::session::use_session;
use super::slots::{EmptyState, MessageActions, NoticeBody, RequestSubject, Slots, ToolBody};
use crate::core::i18n::words::page;
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use entry::article;

use row::{move_in_feed, show_actions};
use scroller::Scroller;

/// The conversation: a feed of entries that scrolls, follows what is new, and keeps the reader's place. It fills the
/// element that it stands in, which must have a height.
///
/// What a host wants to show in its own way comes as slots:
///
/// ```
/// # use leptos::prelude::*;
/// # use pilothouse::ui::{EntryHandle, SessionProvider, Timeline, ToolBody};
/// #[component]
/// fn TideTable(call: EntryHandle) -> impl IntoView {
///     view! { <pre>{move || call.result()}</pre> }
/// }
///
/// # #[component]
/// # fn Page() -> impl IntoView {
/// view! {
///     <SessionProvider src="http://127.0.0.1:7878/">
///         <Timeline>
///             <ToolBody slot name="tide_table" let:call>
///                 <TideTable call/>
///             </ToolBody>
///         </Timeline>
///     </SessionProvider>
/// }
/// # }
/// ```
#[component(transparent)]
pub fn Timeline(
    /// The bodies of tool cards, each for the tools of one name. Other tools keep the usual body.
    #[prop(optional)]
    tool_body: Vec<ToolBody>,
    /// More buttons for messages, beside 'copy' and the others.
    #[prop(optional)]
    message_actions: Option<MessageActions>,
    /// What a request's card shows above what it asks.
    #[prop(optional)]
    request_subject: Option<RequestSubject>,
    /// The inside of notices.
    #[prop(optional)]
    notice_body: Option<NoticeBody>,
    /// What is shown while there are no entries.
    #[prop(optional)]
    empty_state: Option<EmptyState>,
    /// Shows each open request as one line, for pages that lay out a `<RequestCard/>` elsewhere.
    #[prop(optional)]
    requests_elsewhere: bool,
) -> Live {
    let session = use_session();
    let slots =
        Slots::new(tool_body, message_actions, request_subject, notice_body, empty_state, requests_elsewhere);
    session.framed("block-size: 100%", move |store| timeline(store, slots.clone()))
}

/// The list, and the buttons that lie over its lower end.
fn timeline(store: Store, slots: Option<Arc<Slots>>) -> Vec<El> {
    let frame = el("div").attr("data-scroller", "").attr("tabindex", "0").attr("part", "scroller");
    let scroller = Scroller::new(store, frame.element().clone());
    let column = column(store, scroller, slots);
    let frame = frame.on("scroll", move |_| scroller.list.scrolled()).on("keydown", move_in_feed);
    let frame = frame.on("focusin", show_actions).child(column);
    vec![frame, dock(store, scroller)]
}

/// The feed, between what is not in the document above and below.
fn column(store: Store, scroller: Scroller, slots: Option<Arc<Slots>>) -> El {
    let empty = slots.clone();
    let rows = move || {
        let ((first, last), epoch) = (scroller.list.range.get(), store.rows().epoch());
        store.rows().track();
        let shown = (first..last).filter(|row| !store.rows().is_hidden(*row));
        shown.map(|row| (epoch, row)).collect::<Vec<_>>()
    };
    let column = div("column")
        // Screen readers expect articles in a feed, so an empty list is not a feed.
        .attr("role", move || if rows().is_empty() { "group" } else { "feed" })
        .attr("aria-label", page::TIMELINE.text())
        .attr("part", "timeline")
        .attr("aria-busy", move || {
            let reading = store.reading.get();
            (reading || store.progress.with(|(known, reached)| reached < known)).to_string()
        })
        .child(print::note(store))
        .child(move || empty.as_ref().filter(|_| store.length.get() == 0)?.empty());
    scroller.list.rows(column, rows, move |row| {
        if let Some(slots) = &slots {
            slots.provide(store);
        }
        article(store, row)
    })
}

/// The buttons that lead to requests out of sight, to the list of all, and to the end.
fn dock(store: Store, scroller: Scroller) -> El {
    // The label for open requests that are not on screen; empty if there are none.
    let waiting_elsewhere = memo(move || {
        let (first, last) = scroller.list.range.get();
        let open = store.section(Section::Pending, |state| state.open_requests.clone()).unwrap_or_default();
        match open.iter().filter(|place| **place < first || **place >= last).count() {
            0 => String::new(),
            // The button beside it shows how many wait in all.
            some if open.len() > 1 => page::OUT_OF_SIGHT.with(&[("n", some.into())]),
            some => waiting_button::requests_wait(store, some),
        }
    });
    let waits = memo(move || !waiting_elsewhere.with(String::is_empty));
    let jump_to_request = move |_: &web_sys::Event| {
        if let Some(place) = store.read(|state| state.open_requests.first().copied()).flatten() {
            store.view_state.go_to(place);
        }
    };
    let dock = div("dock").child(move || {
        let button =
            || el("button").class("btn jump waits").attr("part", "jump").on("click", jump_to_request);
        waits.get().then(|| button().child(glyph(Icon::Shield)).text(move || waiting_elsewhere.get()))
    });
    waiting_button::list_of_requests(dock, store).child(move || {
        let jump = move |_: &web_sys::Event| scroller.list.follow_end();
        let button = || el("button").class("btn jump").attr("part", "jump").on("click", jump);
        scroller
            .far_from_end
            .get()
            .then(|| button().child(glyph(Icon::ArrowDown)).child(el("span").text(page::JUMP.text())))
    })
}
