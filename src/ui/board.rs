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
mod states;
mod tab_title;
pub mod tile;

use std::collections::BTreeSet;
use std::rc::Rc;

use leptos::prelude::*;

use super::elements::builder::{El, div};
use super::elements::focus_ring;
use super::elements::frame::frame;
use super::elements::live::Live;
use super::elements::press_guard;
use super::elements::reactive::{memo, render_effect};
use super::elements::styles;
use super::elements::styles::Rules;
use super::elements::width::watch_width;
use crate::client::announcer::announce;
use crate::client::storage::BROWSER;
use crate::core::client::Topic;
use crate::core::i18n;
use crate::core::i18n::words::board as words;
use crate::core::model::board::{Board as Sessions, Grouping, SessionFilter};
use crate::core::styles as sheets;
use crate::core::view_model::board_row::{self, Named};
use crate::store::board::BoardStore;
use create::NewSession;
use head::{BoardHead, OrderChanged};
use order::Tiles;
use relative_time::Ages;
use states::{ConnectionTrouble, GatewayTrouble};

/// The board's style sheet, with its place in the cascade.
pub const RULES: Rules = (20, sheets::BOARD);

/// The width in pixels from which a session opens beside the board instead of over it.
const WIDE: i32 = 1100;
/// The width in pixels below which the open session's header has the buttons of its pane.
const NARROW: i32 = 560;
/// The storage keys of the board's view settings.
const AS_LIST: &str = "board.list";
const GROUPED: &str = "board.group";
/// Those of the machine on which a session was made last, and of the agent.
const MACHINE: &str = "board.machine";
const AGENT: &str = "board.agent";

/// The state of the board's view.
#[derive(Clone, Copy)]
pub struct BoardView {
    pub(super) store: BoardStore,
    attributes: SessionAttributes,
    /// The open session is in the page's address.
    history: bool,
    filter: RwSignal<SessionFilter>,
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
    /// The focus is in a tile.
    focused: RwSignal<bool>,
    wide: RwSignal<bool>,
    narrow: Memo<bool>,
    /// A session is open beside the tiles, which are a narrow list then.
    beside: Memo<bool>,
    creating: RwSignal<bool>,
    /// The session that was just made here: whoever made it writes to it next.
    made: RwSignal<Option<String>>,
    /// Sessions say on which machine they are, and which agent they have.
    named: Memo<Named>,
    ages: Ages,
}

impl BoardView {
    fn sort_again(self) {
        self.sort.update(|n| *n = n.wrapping_add(1));
    }

    /// Whether somebody has the pointer or the focus in the tiles, is answering there, or is near: then nothing may move by
    /// itself. Subscribes.
    fn is_used(self) -> bool {
        let answering = self.answering.with(|answering| !answering.is_empty());
        self.pointed.get() || self.focused.get() || self.near.get() || answering
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
    let roomy = RwSignal::new(true);
    let wide = RwSignal::new(false);
    let view = BoardView {
        store,
        attributes: context.attributes,
        history,
        filter: RwSignal::new(SessionFilter::default()),
        grouping: RwSignal::new(Grouping::of(&BROWSER.get(GROUPED).unwrap_or_default())),
        as_list: RwSignal::new(BROWSER.get(AS_LIST).is_some()),
        answering: RwSignal::default(),
        outdated: RwSignal::new(false),
        sort: RwSignal::new(0),
        pointed: RwSignal::new(false),
        near: RwSignal::new(false),
        narrow: memo(move || !roomy.get()),
        focused: RwSignal::new(false),
        wide,
        beside: memo(move || wide.get() && store.open.with(Option::is_some)),
        creating: RwSignal::new(false),
        made: RwSignal::new(None),
        named: memo(move || store.all(Named::of).unwrap_or(Named { machine: false, agent: false })),
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
        .attr("data-machines", move || view.named.get().any())
        .attr("data-open", move || store.open.with(Option::is_some));
    watch_width(page.element(), NARROW, roomy);
    follow_view_settings(&page, view);
    let page = keys::listen(page, view);
    press_guard::watch(page.element());
    focus_ring::watch(page.element());

    let main = El::of(view! {
        <main
            class="board-main"
            aria-label=words::TITLE.text()
            // While a session covers the tiles, they can't be focused or clicked.
            inert=move || store.open.with(Option::is_some) && !view.wide.get()
        >
            <BoardHead view/>
            <div class="board-over">
                <ConnectionTrouble store/>
            </div>
            <NewSession view/>
            <Tiles view/>
            <div class="board-over">
                <OrderChanged view/>
            </div>
            <GatewayTrouble store/>
        </main>
    });
    let main = recent_activity::watch(main, view);
    session_pane::pane(page.child(main), view).child(announcer(store))
}

/// Announces to screen readers the session that began to wait last, politely.
fn announcer(store: BoardStore) -> El {
    let waiting = memo(move || {
        let readonly = store.readonly.get();
        let newest = |board: &Sessions| {
            let newest = board.newest_waiting()?;
            let title = board_row::title(newest);
            let words = if readonly { words::NOW_WAITS_READ_ONLY } else { words::NOW_WAITS };
            Some(words.with(&[("title", (&title).into())]))
        };
        store.all(newest).flatten().unwrap_or_default()
    });
    tab_title::follow_waiting(store);
    let heard = RwSignal::new(String::new());
    render_effect(move || announce(heard, Topic::Request, &waiting.get()));
    div("sr-only").attr("role", "status").attr("aria-live", "polite").text(move || heard.get())
}

/// Follows the element's own width, not the window's, and saves the view settings when they change.
fn follow_view_settings(page: &El, view: BoardView) {
    watch_width(page.element(), WIDE, view.wide);
    render_effect(move || {
        let remember = |name, on: bool| if on { BROWSER.set(name, "on") } else { BROWSER.remove(name) };
        remember(AS_LIST, view.as_list.get());
        BROWSER.set(GROUPED, view.grouping.get().word());
    });
}
