//! Watches a card: that it is read to its end, that it does not move under a pointer, and where the
//! focus goes when it is gone.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, ResizeObserver};

use super::answer_controls::AnswerControls;
use crate::client::store::Store;
use crate::core::model::request::Request;
use crate::ui::elements::builder::{El, el, focus, focused_in, focused_near, types_since};
use crate::ui::elements::reactive::render_effect;

/// Pixels that a card may move without anybody missing a button.
const STILL: f64 = 1.0;

/// The attribute of the places that must have been in view.
const MARK: &str = "data-mark";

/// A card that is watched.
pub struct ReadGuard {
    section: Element,
    /// Its last upper edge in pixels: on the screen, and within what is scrolled.
    last: Cell<Option<(f64, f64)>>,
    /// When the reader scrolled last, in milliseconds.
    scrolled: Cell<f64>,
}

/// For this many milliseconds after the reader has scrolled, movements count as the reader's.
const SCROLLING: f64 = 300.0;

impl ReadGuard {
    /// The card's element.
    pub fn section(&self) -> Element {
        self.section.clone()
    }

    fn scroller(&self) -> Option<Element> {
        self.section.closest("[data-scroller]").ok().flatten()
    }

    fn now(&self) -> Option<(f64, f64)> {
        let scrolled = f64::from(self.scroller()?.scroll_top());
        let top = self.section.get_bounding_client_rect().top();
        Some((top, top + scrolled))
    }

    fn is(&self, state: &str) -> bool {
        self.section.matches(state).unwrap_or(false)
    }

    /// By how many pixels it has moved on the screen since the last call. Scrolling calls this
    /// too and so does not count.
    fn shift(&self) -> f64 {
        let now = self.now();
        match (self.last.replace(now), now) {
            (Some((before, _)), Some((now, _))) => now - before,
            _ => 0.0,
        }
    }

    /// True if it has moved both on the screen and within what is scrolled, and that was not handled yet. It is
    /// handled with this call.
    pub fn has_moved(&self) -> bool {
        let (Some(before), Some(now)) = (self.last.get(), self.now()) else { return false };
        let moved = (before.0 - now.0).abs() > STILL && (before.1 - now.1).abs() > STILL;
        if moved {
            self.last.set(Some(now));
        }
        moved
    }

    /// Called when the list has scrolled: by the reader, or because something above has
    /// another height than estimated.
    fn scrolled(&self, controls: AnswerControls) {
        match (self.last.get(), self.now()) {
            (Some((_, before)), Some((_, now))) if (before - now).abs() > STILL => self.changed(controls),
            _ => _ = self.shift(),
        }
    }

    /// Called after a change of the page. A card that has the pointer or the focus is kept
    /// in its place by scrolling.
    fn changed(&self, controls: AnswerControls) {
        let shift = self.shift();
        // A clock that was set back since then says nothing about the reader.
        let by_reader = (js_sys::Date::now() - self.scrolled.get()).abs() < SCROLLING;
        if shift.abs() <= STILL || by_reader {
            return;
        }
        let held = self.is(":hover") || self.is(":focus-within");
        if let Some(scroller) = self.scroller().filter(|_| held) {
            scroller.set_scroll_top(scroller.scroll_top() + shift.round() as i32);
            if (self.shift() + shift).abs() <= STILL {
                return;
            }
        }
        controls.moved();
    }
}

/// What notices that a card may have moved.
type Listening = (ResizeObserver, Closure<dyn FnMut()>, [EventListener; 4]);

/// Watches a card, as long as its owner lives.
pub fn guard(controls: AnswerControls, section: El) -> El {
    let end = el("i").class("request-end").attr(MARK, "end").attr("aria-hidden", "true");
    let section = section.child(end);
    let element = section.element().clone();
    let watched =
        Rc::new(ReadGuard { section: element.clone(), last: Cell::new(None), scrolled: Cell::new(0.0) });
    controls.set_guard(Rc::clone(&watched));
    read_to_the_end(controls, &element);
    let listening: Rc<RefCell<Option<Listening>>> = Rc::default();
    let (held, first) = (Rc::clone(&listening), Rc::clone(&watched));
    // Only now is it in the document.
    request_animation_frame(move || {
        let Some(scroller) = first.scroller() else { return };
        first.shift();
        let listen = |event: &'static str| {
            let watched = Rc::clone(&first);
            EventListener::new(&scroller, event, move |event| match event.type_().as_str() {
                "scroll" => watched.scrolled(controls),
                // Only the scroll bar is pressed to scroll: what is pressed in a card stays where it is.
                "pointerdown" if event.target() != event.current_target() => {}
                _ => watched.scrolled.set(js_sys::Date::now()),
            })
        };
        let scrolling = ["scroll", "wheel", "touchmove", "pointerdown"].map(listen);
        let grown = Closure::<dyn FnMut()>::new(move || first.changed(controls));
        let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else { return };
        if let Some(column) = scroller.last_element_child() {
            observer.observe(&column);
        }
        held.replace(Some((observer, grown, scrolling)));
    });
    let store = controls.store();
    render_effect(move || {
        store.track_input();
        let watched = Rc::clone(&watched);
        // Input that has arrived is on the page with the next frame.
        request_animation_frame(move || watched.changed(controls));
    });
    let index = controls.index();
    let gone = StoredValue::new_local((listening, element));
    on_cleanup(move || {
        gone.try_with_value(|(listening, element)| {
            if let Some((observer, ..)) = listening.take() {
                observer.disconnect();
            }
            lead_on(store, index, element);
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
            let (seen, id) = (controls.store().view_state.seen, controls.id());
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
    let held = StoredValue::new_local((observer, callback));
    on_cleanup(move || {
        held.try_with_value(|(observer, _)| {
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

/// Gives the focus to the card itself, because the control that has it is about to be disabled.
pub fn keep_focus(section: &Element) {
    if focused_in(section).is_some() {
        focus(section, false);
    }
}

/// If the card of an answered request had the focus, moves it to the next open one. If there is none, the tile that
/// the card was in has the focus; in a timeline the answered request's row keeps it, or the list gives it to the
/// timeline. A timeline that follows its end goes on doing so.
fn lead_on(store: Store, index: usize, section: &Element) {
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
