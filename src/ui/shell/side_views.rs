//! The view at the side of the timeline: which one is open, and when the panel opens automatically.
//!
//! The views themselves are in the chunks `panel` and `event_log`.

use leptos::prelude::*;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent};

use super::states::is_session_awaited;
use crate::client::storage::{BROWSER, PANEL};
use crate::core::i18n::Word;
use crate::core::i18n::words::page;
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::store::view_state::SideViewKind;
use crate::ui::composer;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::page_area::fills_page;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::elements::width::watch_width;
use crate::ui::lazy::{self, Priority};
use crate::ui::requests::QUESTIONS;
use crate::ui::session::use_session;

/// The width in pixels from which there is room beside the timeline.
const WIDE: i32 = 1100;
/// Bytes of a log from which on it is made smaller.
const LARGE_LOG: usize = 1 << 20;

/// The view that is open at the side: the panel, the event log, or the raw events of an entry.
#[component(transparent)]
pub fn SideView() -> Live {
    let session = use_session();
    let open = session.store().view_state.side_view;
    session.framed_live("block-size: 100%", move |store| match open.get()? {
        SideViewKind::Panel => Some(untrack(|| frame(store, page::PANEL, Panel()))),
        SideViewKind::Log => Some(untrack(|| frame(store, page::LOG, EventLog()))),
        SideViewKind::Inspector(row) => {
            Some(untrack(|| frame(store, page::RAW_EVENTS, Inspector(InspectorProps { row }))))
        }
    })
}

/// What stands beside the conversation: plan, checklist, changed files, servers, usage and more, in sections that fold.
#[component(transparent)]
pub fn Panel() -> Live {
    let session = use_session();
    let awaited = is_session_awaited(session.store());
    session.framed_live("", move |store| match lazy::PANEL.ready() {
        // Until the whole session is loaded, the panel's content would change and move.
        _ if awaited.get() => lazy::Unavailable::Fetching.view(),
        Ok(panel) => untrack(|| (panel.view)(store)),
        Err(coming) => coming.view(),
    })
}

/// Every event as it was received: a list that filters, with the record that is chosen below it.
#[component(transparent)]
pub fn EventLog() -> Live {
    use_session().framed_live("block-size: 100%", |store| log(|log| (log.events)(store)))
}

/// The raw events of one entry.
#[component(transparent)]
pub fn Inspector(
    /// The entry's index.
    row: usize,
) -> Live {
    use_session().framed_live("block-size: 100%", move |store| log(|log| (log.inspector)(store, row)))
}

/// A scrubber that shows the session as it was, while `store.history().travelling()` is set.
#[component(transparent)]
pub fn TimeTravelBar() -> Live {
    use_session()
        .framed_live("", |store| store.history().travelling().get().then(|| log(|log| (log.travel)(store))))
}

/// Says that the past, or a file, is shown instead of the session as it is now.
#[component(transparent)]
pub fn ElsewhereStrip() -> Live {
    let session = use_session();
    let store = session.store();
    let elsewhere = memo(move || store.history().is_not_live());
    session.framed_live("", move |store| elsewhere.get().then(|| log(|log| (log.strip)(store))))
}

/// A view of the chunk `event_log`, or a note that the chunk is being loaded.
fn log(view: impl FnOnce(&'static lazy::EventLogTable) -> El) -> El {
    lazy::EVENT_LOG.ready().map_or_else(lazy::Unavailable::view, |log| untrack(|| view(log)))
}

/// The frame of a side view: its title, a close button, and its content.
fn frame(store: Store, name: Word, content: Live) -> El {
    let close = move || store.view_state.side_view.set(None);
    let button = el("button")
        .class("btn bare")
        .attr("type", "button")
        .attr("part", "button")
        .attr("aria-label", page::CLOSE.text())
        .attr("title", page::CLOSE.text())
        .on("click", move |_| close())
        .child(glyph(Icon::Cross));
    let head = div("aside-head").child(el("h2").text(name.text())).child(button);
    el("aside")
        .class("aside")
        .attr("part", "aside")
        .attr("aria-label", name.text())
        .attr("tabindex", "-1")
        .on("keydown", move |event| {
            let escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape");
            if escape && !event.default_prevented() {
                event.stop_propagation();
                close();
            }
        })
        .child(head)
        .child(div("aside-body").view(content))
}

/// Follows the page's width, and attaches what listens to all of it, once the code of that has come.
pub fn watch_page(page: &El, store: Store) {
    open_panel_by_width(page, store);
    attach_page_features(page, store);
}

fn attach_page_features(page: &El, store: Store) {
    let (all, watched) = (page.clone(), page.clone());
    render_effect(move || {
        if let Ok(attention) = lazy::ATTENTION.ready() {
            untrack(|| (attention.attend)(&watched, store));
        }
    });
    // The chunk `event_log` shows raw events and opens dropped files, so it is loaded with the first input, and after it what
    // somebody opens in the rows. It also compresses a large log.
    let used = RwSignal::new(false);
    let touch = move |_: &web_sys::Event| {
        if !used.get_untracked() {
            used.set(true);
            fetch_what_is_opened();
        }
    };
    let _ = page
        .clone()
        .on("pointerover", touch)
        .on("focusin", touch)
        .on("keydown", touch)
        .on("dragover", touch)
        .on("drop", touch);
    let needed = memo(move || {
        used.get() || {
            store.track_input();
            let live = store.live_session();
            live.is_some_and(|live| live.borrow().log().is_some_and(|log| log.bytes() > LARGE_LOG))
        }
    });
    render_effect(move || {
        if let Some(log) = needed.get().then(|| lazy::EVENT_LOG.ready()).and_then(Result::ok) {
            untrack(|| (log.attend)(&all, store));
        }
    });
}

/// Fetches ahead what a person opens in the rows, and the cards of questions: with the first input in the element, but for
/// slow lines. Until then each of them comes when it is needed.
fn fetch_what_is_opened() {
    if lazy::saves_data() {
        return;
    }
    spawn_local(async {
        lazy::wait_for_higher_priorities(Priority::Later).await;
        composer::ACTIONS.fetch_ahead().await;
        QUESTIONS.fetch_ahead().await;
        lazy::TOOLS.fetch_ahead().await;
        lazy::DIFFS.fetch_ahead().await;
    });
}

/// Measures the width before the first frame, so that a panel that opens automatically is there from the
/// start and moves nothing.
pub fn measure(host: &Element, store: Store) {
    store.view_state.wide.set(host.client_width() >= WIDE);
}

/// Follows the element's width. The panel opens automatically if there is room and the reader has not closed
/// it; one that opened automatically closes when there is no room any more. This is decided at once: later it
/// would move the timeline.
fn open_panel_by_width(page: &El, store: Store) {
    let view_state = store.view_state;
    watch_width(page.element(), WIDE, view_state.wide);
    let page = page.element().clone();
    render_effect(move || {
        let room = view_state.fits_panel();
        let open = view_state.side_view.get_untracked();
        if room && open.is_none() && fills_page(&page) && BROWSER.get(PANEL).is_none() {
            view_state.opened_automatically.set(true);
            view_state.side_view.set(Some(SideViewKind::Panel));
        } else if !room && view_state.opened_automatically.get_untracked() {
            view_state.side_view.set(None);
        }
    });
}
