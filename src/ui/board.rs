//! The board: all sessions of a gateway as tiles or a list, those that wait for a person first.
//!
//! A session can be opened in a pane beside the tiles. A tile shows only its session's summary.

mod create;
mod head;
mod keys;
mod order;
mod recent_activity;
mod relative_time;
mod requests;
mod session_pane;
mod tab_title;
pub mod tile;

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::ResizeObserver;

use super::elements::builder::{El, div, el, glyph};
use super::elements::frame::frame;
use super::elements::icons::Icon;
use super::elements::live::Live;
use super::elements::press_guard;
use super::elements::reactive::{memo, render_effect};
use super::elements::styles;
use super::elements::styles::{Rules, sheet};
use super::shell::states::{countdown, lost, screen, sign_in, troubles};
use crate::client::announcer::announce;
use crate::client::storage::BROWSER;
use crate::client::store::board::BoardStore;
use crate::core::client::Topic;
use crate::core::connection::{ClosedReason, ConnectionState};
use crate::core::i18n;
use crate::core::i18n::Word;
use crate::core::i18n::words::{board as said, connection};
use crate::core::model::board::{Filter, Grouping};
use crate::core::model::health;
use relative_time::Ages;

/// The board's style sheet, with its place in the cascade.
pub const RULES: Rules = (20, sheet!("board"));

/// The width in pixels from which a session opens beside the board instead of over it.
const WIDE: i32 = 1100;
/// The storage keys of the board's view settings.
const AS_LIST: &str = "board.list";
const GROUPED: &str = "board.group";

/// The state of the board's view.
#[derive(Clone, Copy)]
pub struct View {
    pub(super) store: BoardStore,
    attributes: SessionAttributes,
    /// The open session is in the page's address.
    history: bool,
    filter: RwSignal<Filter>,
    grouping: RwSignal<Grouping>,
    as_list: RwSignal<bool>,
    /// Ids of the sessions whose tile shows its requests for answering.
    answering: RwSignal<BTreeSet<String>>,
    /// The order on screen differs from the order that sorting would give now.
    outdated: RwSignal<bool>,
    /// Changes when the tiles are to be sorted at once, even while somebody uses the board.
    sort: RwSignal<u32>,
    /// The pointer is over the tiles.
    pointed: RwSignal<bool>,
    /// The pointer, a key or a touch has been used on the board recently; see `near`.
    near: RwSignal<bool>,
    wide: RwSignal<bool>,
    creating: RwSignal<bool>,
    ages: Ages,
}

impl View {
    fn resort(self) {
        self.sort.update(|n| *n = n.wrapping_add(1));
    }
}

/// What the board finds by context.
#[derive(Clone, Copy)]
pub struct BoardContext {
    store: BoardStore,
    /// It is in the shadow root of an element of ours, which has the styles.
    in_element: bool,
    attributes: SessionAttributes,
}

/// The attributes of the `<pilot-house>` that shows the open session, by name: `src`, `token`, `theme`, `lang`.
type SessionAttributes = StoredValue<Rc<dyn Fn(&str) -> Option<String>>, LocalStorage>;

/// Provides a board to a host's own page, or with `in_element` to the element. `attributes` are those of the element that
/// shows the open session.
pub(crate) fn provide(
    store: BoardStore,
    in_element: bool,
    attributes: impl Fn(&str) -> Option<String> + 'static,
) {
    let attributes = StoredValue::new_local(Rc::new(attributes) as Rc<dyn Fn(&str) -> Option<String>>);
    provide_context(BoardContext { store, in_element, attributes });
}

/// Every session of a gateway as a tile or a row, the most urgent first, and the open one beside them. It stands in a
/// [`BoardProvider`](crate::ui::BoardProvider), and is as high as its parent. The open session is shown by `<pilot-house>`:
/// call [`define_elements`](crate::embed::define_elements) once.
#[component(transparent)]
pub fn Board(
    /// The open session is in the page's address, so that it can be linked and the browser's Back closes it.
    #[prop(optional)]
    history: bool,
) -> Live {
    let context: BoardContext = use_context().unwrap_or_else(|| {
        leptos::logging::warn!("Pilothouse: a board has no <BoardProvider> around it");
        let attributes = StoredValue::new_local(Rc::new(|_: &str| None) as Rc<_>);
        BoardContext { store: BoardStore::new(Rc::default()), in_element: false, attributes }
    });
    if context.in_element {
        let page = untrack(|| page(context, history));
        return Live::new(move || page.clone());
    }
    frame("block-size: 100%", &[styles::CONTENTS, RULES], || untrack(|| page(context, history)))
}

fn page(context: BoardContext, history: bool) -> El {
    let store = context.store;
    let view = View {
        store,
        attributes: context.attributes,
        history,
        filter: RwSignal::new(Filter::default()),
        grouping: RwSignal::new(Grouping::of(&BROWSER.recall(GROUPED).unwrap_or_default())),
        as_list: RwSignal::new(BROWSER.recall(AS_LIST).is_some()),
        answering: RwSignal::default(),
        outdated: RwSignal::new(false),
        sort: RwSignal::new(0),
        pointed: RwSignal::new(false),
        near: RwSignal::new(false),
        wide: RwSignal::new(false),
        creating: RwSignal::new(false),
        ages: Ages::new(store),
    };
    let spoken = i18n::current();
    let page = div("ph board").attr("lang", spoken.map_or("en", |language| language.tag));
    let page = match spoken {
        Some(language) => page.attr("dir", if language.right_to_left { "rtl" } else { "ltr" }),
        None => page,
    };
    let page = page
        .attr("data-view", move || if view.as_list.get() { "list" } else { "grid" })
        .attr("data-open", move || store.open.with(Option::is_some));
    watch_width(&page, view);
    let page = keys::listen(page, view);
    press_guard::watch(page.element());

    let nothing = memo(move || store.all(|board| board.sessions().is_empty()).unwrap_or(true));
    let unfit = memo(move || {
        let filter = view.filter.get();
        let fits =
            |board: &crate::core::model::board::Board| board.sessions().iter().any(|one| filter.takes(one));
        !nothing.get() && !store.all(fits).unwrap_or(true)
    });
    let left = countdown(store.connection);
    let wrong = memo(move || {
        let told = store.health.with(|report| report.as_ref().is_some_and(health::is_wrong));
        told && (store.polled.get() || store.connection.with(|(state, _)| *state == ConnectionState::Open))
    });
    let main = El::of(view! {
        <main
            class="board-main"
            aria-label=said::TITLE.text()
            // While a session covers the tiles, they can't be focused or clicked.
            inert=move || store.open.with(Option::is_some) && !view.wide.get()
        >
            {head::head(view)}
            <div class="board-over">{Live::new(move || strip(store, left))}</div>
            {Live::new(move || {
                (view.creating.get() && store.can("create")).then(|| untrack(|| create::form(view)))
            })}
            {order::tiles(div("board-scroll").attr("data-scroller", "").attr("part", "scroller"), view)
                .child(move || nothing.get().then(|| empty(view)))
                .child(move || unfit.get().then(|| none_found(view)))}
            <div class="board-over">{Live::new(head::order_changed(view))}</div>
            {Live::new(move || wrong.get().then(|| trouble_strip(store)))}
        </main>
    });
    let main = recent_activity::watch(main, view);
    session_pane::pane(page.child(main), view).child(announcer(store))
}

/// Announces to screen readers the session that began to wait last, politely.
fn announcer(store: BoardStore) -> El {
    let waiting = memo(move || {
        let readonly = store.readonly.get();
        let newest = |board: &crate::core::model::board::Board| {
            let newest = board.newest_waiting()?;
            let title = newest.title.clone().unwrap_or_else(|| said::UNTITLED.text().to_owned());
            let words = if readonly { said::NOW_WAITS_READ_ONLY } else { said::NOW_WAITS };
            Some(words.with(&[("title", (&title).into())]))
        };
        store.all(newest).flatten().unwrap_or_default()
    });
    tab_title::follow_waiting(store);
    let heard = RwSignal::new(String::new());
    render_effect(move || announce(heard, Topic::Request, &waiting.get()));
    div("sr-only").attr("role", "status").attr("aria-live", "polite").text(move || heard.get())
}

/// The warning strip about the gateway's own health. It is below the tiles, so that they stay where they are when it comes.
fn trouble_strip(store: BoardStore) -> El {
    let strip = div("board-strip").attr("role", "status").attr("part", "strip").attr("data-level", "warning");
    strip.child(glyph(Icon::Warning)).child(troubles(store.health))
}

/// The strip about connection trouble, shown above the sessions that are already there.
fn strip(store: BoardStore, left: RwSignal<u64>) -> Option<El> {
    let (state, message) = store.connection.get();
    let begun = store.begun.get();
    let line = |icon: Icon, level: &str, words: El, retry: Option<Word>| {
        let button = retry.map(|retry| {
            let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
            button.on("click", move |_| store.retry()).text(retry.text())
        });
        let strip = div("board-strip").attr("role", "status").attr("part", "strip").attr("data-level", level);
        strip.child(glyph(icon)).child(words).child(button)
    };
    if store.polled.get() {
        let retry = Some(connection::TRY_NOW);
        return Some(line(Icon::Refresh, "warning", el("p").text(said::POLLED.text()), retry));
    }
    match state {
        ConnectionState::Waiting { .. } if begun => {
            Some(line(Icon::Refresh, "warning", lost(left), Some(connection::TRY_NOW)))
        }
        // That the connection is being checked.
        ConnectionState::Connecting { .. } | ConnectionState::Open if begun => {
            message.map(|message| line(Icon::Refresh, "warning", el("p").text(&message), None))
        }
        ConnectionState::Closed { reason: ClosedReason::SignIn } if begun => {
            let words = el("p").text(connection::SIGN_IN_AGAIN.text());
            let strip = line(Icon::Lock, "warning", words, None);
            Some(strip.child(sign_in(Rc::new(store))))
        }
        ConnectionState::Closed { reason } if begun => {
            let words = message.unwrap_or_else(|| reason.to_string());
            Some(line(Icon::Error, "error", el("p").text(&words), Some(connection::CONNECT_AGAIN)))
        }
        _ => None,
    }
}

/// The screen shown while there are no sessions.
fn empty(view: View) -> El {
    let store = view.store;
    let (state, message) = store.connection.get();
    let retry = |words: Word| {
        let button = el("button").class("btn primary").attr("type", "button").attr("part", "button");
        button.on("click", move |_| store.retry()).text(words.text())
    };
    match state {
        _ if store.begun.get() => {
            let new = store.can("create").then(|| head::new_button(view, "btn primary"));
            screen(Icon::List, said::EMPTY, said::EMPTY_WHY.text(), None, new)
        }
        ConnectionState::Closed { reason: ClosedReason::SignIn } => {
            let (title, why) = (connection::SIGN_IN_TITLE, connection::SIGN_IN_WHY.text());
            screen(Icon::Lock, title, why, None, Some(sign_in(Rc::new(store))))
        }
        ConnectionState::Waiting { .. } => {
            let text = message.unwrap_or_else(|| connection::NOT_CONNECTED_WHY.text().to_owned());
            let retry = Some(retry(connection::TRY_NOW));
            screen(Icon::Refresh, connection::NOT_CONNECTED, &text, Some("warning"), retry)
        }
        ConnectionState::Closed { reason } => {
            let text = message.unwrap_or_else(|| reason.to_string());
            let retry = Some(retry(connection::TRY_AGAIN));
            screen(Icon::Error, connection::NOT_CONNECTED, &text, Some("error"), retry)
        }
        _ => screen(Icon::Plug, connection::CONNECTING, said::LOADING.text(), None, None),
    }
}

fn none_found(view: View) -> El {
    let clear = el("button").class("btn").attr("type", "button").attr("part", "button");
    let clear = clear.on("click", move |_| view.filter.set(Filter::default())).text(said::CLEAR.text());
    screen(Icon::Search, said::NONE_FOUND, said::NONE_FOUND_WHY.text(), None, Some(clear))
}

/// Follows the element's own width, not the window's, and saves the view settings when they change.
fn watch_width(page: &El, view: View) {
    let element = page.element().clone();
    let watched = element.clone();
    let callback = Closure::<dyn FnMut()>::new(move || {
        let wide = watched.client_width() >= WIDE;
        if view.wide.get_untracked() != wide {
            view.wide.set(wide);
        }
    });
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(&element);
        let held = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            held.try_with_value(|(observer, _)| observer.disconnect());
        });
    }
    render_effect(move || {
        let remember = |name, on: bool| if on { BROWSER.remember(name, "on") } else { BROWSER.forget(name) };
        remember(AS_LIST, view.as_list.get());
        BROWSER.remember(GROUPED, view.grouping.get().word());
    });
}
