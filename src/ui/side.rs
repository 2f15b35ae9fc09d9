//! The place at the side: what stands there, when it comes by itself. Refuses to fill it.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, KeyboardEvent, ResizeObserver};

use super::built::flag;
use super::desk::Aside;
use super::dom::{El, div, el, follow, glyph};
use super::icons::Icon;
use super::{lazy, memory};
use crate::core::connection::ConnectionState;
use crate::core::language::Word;
use crate::core::language::words::{header, page};
use crate::store::Store;

/// From this width on there is room beside the timeline.
const WIDE: i32 = 1100;
/// The name under which the browser remembers that the panel was closed.
pub(super) const PANEL: &str = "panel";

/// Adds the place at the side to the page.
pub fn side(page: El, store: Store, awaited: Memo<bool>) -> El {
    let desk = store.desk;
    watch_width(&page, store);
    attend(&page, store);
    page.part_if(move || match desk.aside.get()? {
        Aside::Panel => Some(frame(store, header::PANEL, move || match lazy::panel() {
            // What it says of a session that is not here yet would move when it is.
            _ if awaited.get() || store.partial().get() => lazy::Coming::Fetched.view(),
            Ok(panel) => (panel.view)(store),
            Err(coming) => coming.view(),
        })),
        Aside::Log => Some(frame(store, header::LOG, move || log(|log| (log.events)(store)))),
        Aside::Inspector(row) => {
            Some(frame(store, page::RAW_EVENTS, move || log(move |log| (log.inspector)(store, row))))
        }
    })
}

/// Something of the chunk `log`.
pub fn log(view: impl FnOnce(&'static lazy::Log) -> El) -> El {
    lazy::log().map_or_else(lazy::Coming::view, |log| untrack(|| view(log)))
}

/// What stands at the side: its name, a way to close it, and whatever `fill` makes of it.
fn frame(store: Store, name: Word, fill: impl Fn() -> El + 'static) -> El {
    let close = move || store.desk.aside.set(None);
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
        .child(div("aside-body").part(move || vec![fill()]))
}

/// Manners come later: with the chunk.
fn attend(page: &El, store: Store) {
    let (page, all) = (page.clone(), page.clone());
    // The log's can wait for the session, or for a page without one: files can be opened there.
    let ready = flag(move || {
        store.begun.get() || !matches!(store.connection.get().0, ConnectionState::Connecting { .. })
    });
    follow(Box::new(move || {
        if let Some(log) = ready.get().then(lazy::log).and_then(Result::ok) {
            untrack(|| (log.attend)(&all, store));
        }
    }));
    follow(Box::new(move || {
        if let Ok(panel) = lazy::panel() {
            untrack(|| (panel.attend)(&page, store));
        }
    }));
}

/// Whether there is room, before the first frame: what comes by itself comes with it, and moves nothing.
pub fn measure(host: &Element, store: Store) {
    store.desk.wide.set(host.client_width() >= WIDE);
}

/// Follows the element's width: the panel comes by itself where there is room for it and nobody sent it away, and
/// what came by itself goes by itself. That is decided here, at once: later it would move the timeline.
fn watch_width(page: &El, store: Store) {
    let desk = store.desk;
    let element = page.element().clone();
    let watched = element.clone();
    let callback = Closure::<dyn FnMut()>::new(move || {
        let wide = watched.client_width() >= WIDE;
        if desk.wide.get_untracked() != wide {
            desk.wide.set(wide);
        }
    });
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(&element);
        let held = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            held.try_with_value(|(observer, _)| observer.disconnect());
        });
    }

    let page = element.clone();
    follow(Box::new(move || {
        let room = desk.has_room();
        let open = desk.aside.get_untracked();
        if room && open.is_none() && fills_page(&page) && memory::recall(PANEL).is_none() {
            desk.by_itself.set(true);
            desk.aside.set(Some(Aside::Panel));
        } else if !room && desk.by_itself.get_untracked() {
            desk.aside.set(None);
        }
    }));
}

/// Whether the element is the page: then the tab's title and icon are its own, and there is nobody else to ask for room.
pub fn fills_page(element: &Element) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let inner = |size: Result<JsValue, JsValue>| size.ok().and_then(|size| size.as_f64()).unwrap_or(f64::MAX);
    let place = element.get_bounding_client_rect();
    place.width() >= inner(window.inner_width()) * 0.95
        && place.height() >= inner(window.inner_height()) * 0.9
}
