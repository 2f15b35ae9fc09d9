//! Watches a card: that it is read to its end, that it does not move under a pointer, and where the
//! focus goes when it is gone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, ResizeObserver};

use super::answer_controls::{AnswerControls, CardPosition};
use crate::core::model::request::Request;
use crate::store::Store;
use crate::ui::elements::builder::{El, el};
use crate::ui::elements::focus::{focus, focused_in, focused_near, types_since};
use crate::ui::elements::reactive::render_effect;

/// The attribute of the places that must have been in view.
const MARK: &str = "data-mark";

/// What notices that a card may have moved.
type Listening = (ResizeObserver, Closure<dyn FnMut()>, [EventListener; 4]);

/// Watches a card, as long as its owner lives.
pub fn guard(controls: AnswerControls, section: El) -> El {
    let end = el("i").class("request-end").attr(MARK, "end").attr("aria-hidden", "true");
    let section = section.child(end);
    let element = section.element().clone();
    let position = Rc::new(CardPosition::new(element.clone()));
    controls.set_position(Rc::clone(&position));
    let changed = move |position: &CardPosition| {
        if position.has_slipped() {
            controls.moved();
        }
    };
    read_to_the_end(controls, &element);
    let listening: Rc<RefCell<Option<Listening>>> = Rc::default();
    let (later, first) = (Rc::clone(&listening), Rc::clone(&position));
    // Only now is it in the document.
    request_animation_frame(move || {
        let Some(scroller) = first.scroller() else { return };
        first.measure();
        let listen = |event: &'static str| {
            let position = Rc::clone(&first);
            EventListener::new(&scroller, event, move |event| match event.type_().as_str() {
                // By the reader, or because something above has another height than estimated.
                "scroll" if position.has_moved_within() => changed(&position),
                "scroll" => position.measure(),
                // Only the scroll bar is pressed to scroll: what is pressed in a card stays where it is.
                "pointerdown" if event.target() != event.current_target() => {}
                _ => position.reader_scrolls(),
            })
        };
        let scrolling = ["scroll", "wheel", "touchmove", "pointerdown"].map(listen);
        let grown = Closure::<dyn FnMut()>::new(move || changed(&first));
        let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else { return };
        if let Some(column) = scroller.last_element_child() {
            observer.observe(&column);
        }
        later.replace(Some((observer, grown, scrolling)));
    });
    let store = controls.store();
    render_effect(move || {
        store.track_input();
        let position = Rc::clone(&position);
        // Input that has arrived is on the page with the next frame.
        request_animation_frame(move || changed(&position));
    });
    let index = controls.index();
    let gone = StoredValue::new_local((listening, element));
    on_cleanup(move || {
        gone.try_with_value(|(listening, element)| {
            if let Some((observer, ..)) = listening.take() {
                observer.disconnect();
            }
            focus_next(store, index, element);
        });
    });
    section
}

/// Notes when the card's first and last line, and the ends of what scrolls inside of it, have been in view.
fn read_to_the_end(controls: AnswerControls, section: &Element) {
    let mut marks = vec![];
    if let Some(head) = section.query_selector("header > h3").ok().flatten() {
        // Fails for invalid names only, here and below.
        let _ = head.set_attribute(MARK, "start");
        marks.push(head);
    }
    if let Ok(long) = section.query_selector_all(".long") {
        for at in 0..long.length() {
            let Some(long) = long.item(at).and_then(|long| long.dyn_into::<Element>().ok()) else { continue };
            let end = el("i").attr(MARK, "long").attr("aria-hidden", "true");
            let _ = long.append_child(end.element());
            controls.unread(true);
            marks.push(end.element().clone());
        }
    }
    if let Some(end) = section.last_element_child() {
        marks.push(end);
    }
    let left = RefCell::new(marks.clone());
    let early = Cell::new(true);
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        let mut left = left.borrow_mut();
        for entry in entries.iter() {
            let entry: IntersectionObserverEntry = entry.unchecked_into();
            if entry.is_intersecting() {
                controls.on_screen(early.get());
                left.retain(|mark| *mark != entry.target());
            }
        }
        early.set(false);
        if !left.iter().any(|mark| mark.get_attribute(MARK).as_deref() == Some("long")) {
            controls.unread(false);
        }
        if left.is_empty() {
            let (seen, id) = (controls.store().view_state.seen_requests, controls.id());
            if !seen.with_untracked(|seen| seen.contains(&id)) {
                seen.update(|seen| seen.push(id));
            }
        }
    });
    let Ok(observer) = IntersectionObserver::new(callback.as_ref().unchecked_ref()) else {
        controls.unread(false);
        controls.on_screen(true);
        return;
    };
    for mark in &marks {
        observer.observe(mark);
    }
    let observing = StoredValue::new_local((observer, callback));
    on_cleanup(move || {
        observing.try_with_value(|(observer, _)| {
            observer.disconnect();
            // Entries that are queued outlive `disconnect`: Firefox would still call the callback with them.
            observer.take_records();
        });
    });
}

/// Brings the end of everything that scrolls inside of a card into view.
pub fn to_the_end(section: &Element) {
    if let Ok(long) = section.query_selector_all(".long") {
        for at in 0..long.length() {
            if let Some(long) = long.item(at).and_then(|long| long.dyn_into::<Element>().ok()) {
                long.set_scroll_top(long.scroll_height());
                long.scroll_into_view();
            }
        }
    }
}

/// If the card of an answered request had the focus, moves it to the next open one. If there is none, the tile that
/// the card was in has the focus; in a timeline the answered request's row keeps it, or the list gives it to the
/// timeline. A timeline that follows its end goes on doing so.
fn focus_next(store: Store, index: usize, section: &Element) {
    let had_focus = focused_in(section).is_some();
    let over = store.entry(index, |entry| entry.request().is_some_and(|request| !Request::open(request)));
    let page = section.closest(".ph").ok().flatten();
    let Some(page) = page.filter(|_| had_focus && over == Some(true)) else { return };
    let tile = section.closest("[data-session]").ok().flatten();
    let opener = tile.as_ref().and_then(|tile| tile.query_selector("[data-opener]").ok().flatten());
    if let Some(place) = opener.or_else(|| section.closest("[data-row]").ok().flatten()) {
        focus(&place, false);
    }
    // The rows of a tile are numbered by themselves.
    let rows = tile.unwrap_or_else(|| page.clone());
    let before = focused_near(&page);
    request_animation_frame(move || {
        if types_since(&page, before.as_ref()) {
            return;
        }
        let next = store.read(|state| {
            let open = &state.open_requests;
            open.iter().find(|row| **row > index).or(open.first()).copied()
        });
        let Some(next) = next.flatten() else { return };
        let row = rows.query_selector(&format!("[data-row=\"{next}\"]")).ok().flatten();
        let card = row.as_ref().and_then(|row| row.query_selector("[data-request-id]").ok().flatten());
        match card.or(row) {
            Some(place) => focus(&place, true),
            None => store.view_state.go_to(next),
        }
    });
}
