//! Scrolls the timeline: chooses the rows that are in the document, follows the end, and keeps the reader's row in
//! place.

use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry};

use super::measure::Observer;
use super::render_range;
use super::row::{height_of, row_of};
use super::scroll_to::reveal;
use crate::client::printing::is_printing;
use crate::client::store::Store;
use crate::core::view_model::heights::Heights;
use crate::core::view_model::row_height::estimate;
use crate::ui::elements::builder::focused_in;
use crate::ui::elements::print;
use crate::ui::elements::reactive::render_effect;

/// Pixels from the end that still count as being at the end.
const NEAR_END: f64 = 24.0;

/// Pixels of rows below the edge from which the button that leads to the end is shown. On a narrow page it would
/// lie over the answers of the last request if less is below.
const FAR_FROM_END: f64 = 96.0;

/// What stays in its place while it has the focus: a field, and a request's card.
const STAYING: &str = "input, textarea, select, [contenteditable], [data-request-id]";

/// The scroll state of a timeline.
pub(super) struct Scroll {
    pub(super) heights: Heights,
    pub(super) following: bool,
    pub(super) last_top: f64,
    pub(super) viewport: f64,
    /// Set after a jump: only the rows in sight are rendered until the reader pauses.
    pub(super) stays: Option<(Timeout, Rc<()>)>,
    /// Rows have just been hidden or shown: scroll events are not the reader's until the next frame.
    rows_changing: bool,
    pub(super) observer: Option<Observer>,
}

impl Scroll {
    fn new() -> Self {
        Self {
            heights: Heights::default(),
            following: true,
            last_top: 0.0,
            viewport: 800.0,
            stays: None,
            rows_changing: false,
            observer: None,
        }
    }

    /// Hides and shows rows as the store says. Returns the scroll position that keeps the reader's row in
    /// place; `None` at the end.
    fn hide_rows(&mut self, store: Store, top: f64) -> Option<f64> {
        self.rows_changing = true;
        // Scroll positions are whole pixels, so a pixel of the row above may be left.
        let anchor = self.heights.row_at(top + 1.0);
        let inside = top - self.heights.before(anchor);
        for row in 0..self.heights.len() {
            self.heights.hide(row, store.hidden(row));
        }
        if self.following {
            return None;
        }
        let inside = if self.heights.is_hidden(anchor) { 0.0 } else { inside };
        self.last_top = self.heights.before(anchor) + inside;
        Some(self.last_top)
    }
}

/// The scrolling of one timeline: a handle that its parts copy.
#[derive(Clone, Copy)]
pub(super) struct Scroller {
    store: Store,
    /// The element that scrolls.
    element: StoredValue<Element, LocalStorage>,
    pub(super) scroll: StoredValue<Scroll, LocalStorage>,
    /// The rows in the document, as (first, end).
    pub(super) range: RwSignal<(usize, usize)>,
    /// The height in pixels of what is not in the document, above and below.
    pub(super) spaces: RwSignal<(f64, f64)>,
    /// New entries are followed, because the reader is at the end.
    pub(super) following: RwSignal<bool>,
    /// The reader has left the end so far that a button leads back.
    pub(super) far_from_end: RwSignal<bool>,
}

impl Scroller {
    /// Scrolls this element until the owner is dropped.
    pub(super) fn new(store: Store, element: Element) -> Self {
        let scroller = Self {
            store,
            element: StoredValue::new_local(element),
            scroll: StoredValue::new_local(Scroll::new()),
            range: RwSignal::new((0, 0)),
            spaces: RwSignal::new((0.0, 0.0)),
            following: RwSignal::new(true),
            far_from_end: RwSignal::new(false),
        };
        scroller.fill_when_reader_stays();
        scroller.follow_entries();
        scroller.follow_hidden_rows();
        scroller.observe();
        scroller.follow_requests();
        scroller.follow_printing();
        scroller
    }

    fn element(self) -> Option<Element> {
        self.element.try_get_value()
    }

    /// The element in the list that has the focus.
    fn focused(self) -> Option<Element> {
        self.element().and_then(|element| focused_in(&element))
    }

    /// Whether following the end is paused: somebody types, or is about to answer, and what has the focus stays.
    fn is_paused(self) -> bool {
        self.focused().is_some_and(|focused| matches!(focused.closest(STAYING), Ok(Some(_))))
    }

    /// Chooses the rows by the known heights, without reading the layout.
    fn choose(self) {
        self.choose_by(Scroll::near);
    }

    fn choose_by(self, near: render_range::Choose) {
        if untrack(is_printing) {
            return;
        }
        let stays = self.store.view_state.stays;
        let focused = self.focused();
        let focused_row = focused.and_then(|focused| row_of(&focused.closest("[data-row]").ok().flatten()?));
        let paused = self.is_paused();
        let chosen = self.scroll.try_update_value(|scroll| {
            let total = scroll.heights.total();
            let follows = scroll.following && !paused;
            let top = if follows { (total - scroll.viewport).max(0.0) } else { scroll.last_top };
            let (first, last) = near(scroll, top, self.range.get_untracked(), stays);
            let (first, last) = render_range::with_row((first, last), focused_row, scroll.heights.len());
            let at = scroll.heights.reading(top, scroll.viewport);
            let far = !follows && total - scroll.viewport - top > FAR_FROM_END;
            (first, last, scroll.heights.before(first), total - scroll.heights.before(last), at, far)
        });
        if let Some((first, last, above, below, at, far)) = chosen {
            self.store.view_state.scroll_sync.at.set(at);
            if self.far_from_end.get_untracked() != far {
                self.far_from_end.set(far);
            }
            if self.range.get_untracked() != (first, last) {
                self.range.set((first, last));
            }
            if self.spaces.get_untracked() != (above, below) {
                self.spaces.set((above, below));
            }
        }
    }

    /// Scrolls to the end and follows new entries.
    pub(super) fn jump_to_end(self) {
        self.scroll.update_value(|scroll| scroll.following = true);
        self.following.set(true);
        self.choose();
        self.to_end();
    }

    fn to_end(self) {
        if let Some(element) = self.element() {
            element.set_scroll_top(i32::MAX / 2);
            self.scroll.try_update_value(|scroll| scroll.last_top = f64::from(element.scroll_top()));
        }
    }

    /// More rows come when the reader pauses after a jump.
    fn fill_when_reader_stays(self) {
        let stays = self.store.view_state.stays;
        render_effect(move || {
            if stays.get() {
                self.choose();
            }
        });
    }

    /// New entries get an estimated height. Heights of another session, or of a later moment, are dropped.
    fn follow_entries(self) {
        let store = self.store;
        let known = Cell::new(None);
        render_effect(move || {
            let (length, base) = (store.length.get(), store.base().get());
            self.scroll.try_update_value(|scroll| {
                if known.replace(Some(base)) == Some(base) {
                    scroll.heights.truncate(length);
                } else {
                    scroll.heights = Heights::default();
                    scroll.following = true;
                    self.following.set(true);
                }
                for row in scroll.heights.len()..length {
                    scroll.heights.push(store.entry(row, estimate).unwrap_or(40.0));
                    scroll.heights.hide(row, store.hidden(row));
                }
            });
            self.choose();
        });
    }

    /// The reader's row stays in place when rows are hidden or shown.
    fn follow_hidden_rows(self) {
        let store = self.store;
        let begun = Cell::new(false);
        render_effect(move || {
            store.hidden_rows.track();
            // On paper rows are there that the screen hides; the reader's place stays that on the screen.
            if !begun.replace(true) || untrack(is_printing) {
                return;
            }
            // At the end the scroll position is not needed, and reading it would force a layout.
            let reads = self.scroll.try_with_value(|scroll| !scroll.following).unwrap_or_default();
            let list = self.element().filter(|_| reads);
            let top = list.map_or(0.0, |list| f64::from(list.scroll_top()));
            self.keep_what_is_read(top);
            let target = self.scroll.try_update_value(|scroll| scroll.hide_rows(store, top)).flatten();
            self.choose();
            request_animation_frame(move || {
                self.scroll.try_update_value(|scroll| scroll.rows_changing = false);
                match (target, self.element()) {
                    (Some(target), Some(element)) => element.set_scroll_top(target.round() as i32),
                    (None, Some(_)) if !self.is_paused() => self.to_end(),
                    _ => {}
                }
            });
        });
    }

    /// Keeps a lane open that would be folded because its agent ended, if the reader is looking at one of its
    /// rows.
    fn keep_what_is_read(self, top: f64) {
        let store = self.store;
        let read = self.scroll.try_with_value(|scroll| {
            let from = scroll.heights.row_at(top);
            let to = scroll.heights.row_at(top + scroll.viewport);
            let leaving = |row: &usize| !scroll.heights.is_hidden(*row) && store.hidden(*row);
            let rows = from..(to + 1).min(scroll.heights.len());
            (!scroll.following)
                .then(|| rows.filter(leaving).find(|row| store.folded_by_itself(*row)))
                .flatten()
        });
        if let Some(row) = read.flatten() {
            store.reveal(row);
        }
    }

    /// Measures the list and its rows. The observer lives as long as the list; rows register when they are
    /// rendered.
    fn observe(self) {
        let callback =
            Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| self.resized(&entries));
        if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
            if let Some(element) = self.element() {
                observer.observe(&element);
            }
            self.scroll.update_value(|scroll| scroll.observer = Some(Observer::new(observer, callback)));
        }
    }

    fn resized(self, entries: &js_sys::Array) {
        // Without a layout, as in a tab panel that is not shown, every size is 0. All are reported again when there is one.
        let Some(element) = self.element().filter(|element| element.client_width() > 0) else {
            return;
        };
        let top = f64::from(element.scroll_top());
        // If everything is in sight, nobody can scroll: that counts as the end.
        let end = f64::from(element.scroll_height() - element.client_height());
        let paused = self.is_paused();
        let moved = self.scroll.try_update_value(|scroll| {
            scroll.following |= end <= NEAR_END && !scroll.rows_changing;
            let anchor = scroll.heights.row_at(top);
            let mut moved = 0.0;
            for entry in entries.iter() {
                let entry: ResizeObserverEntry = entry.unchecked_into();
                let target = entry.target();
                let height = height_of(&entry);
                if let Some(row) = row_of(&target) {
                    let growth = scroll.heights.set(row, height);
                    if row < anchor {
                        moved += growth;
                    }
                } else {
                    scroll.viewport = height;
                }
            }
            (scroll.following && !paused, moved)
        });
        self.choose_by(Scroll::still_near);
        match moved {
            Some((true, _)) => {
                if !self.following.get_untracked() {
                    self.following.set(true);
                }
                self.to_end();
                // The end moves once more in this frame, when the spacers get their new heights.
                queue_microtask(move || self.to_end());
            }
            Some((false, moved)) if moved.abs() >= 0.5 => {
                let target = top + moved;
                element.set_scroll_top(target.round() as i32);
                self.scroll.try_update_value(|scroll| scroll.last_top = target);
            }
            _ => {}
        }
        // If the lens leads, the position that it asked for is elsewhere now.
        let scroll_sync = self.store.view_state.scroll_sync;
        if scroll_sync.lens_leads() {
            scroll_sync.target.notify();
        }
    }

    /// The list was scrolled, by the reader or from here.
    pub(super) fn scrolled(self) {
        // The event comes a frame later. By then the list may have lost its layout, and every size is 0: that is not the end.
        let Some(element) = self.element().filter(|element| element.client_height() > 0) else {
            return;
        };
        let top = f64::from(element.scroll_top());
        let end = f64::from(element.scroll_height() - element.client_height());
        let now = self.scroll.try_update_value(|scroll| {
            if scroll.rows_changing {
                return scroll.following;
            }
            let up = top < scroll.last_top - 1.0;
            if end - top <= NEAR_END {
                scroll.following = true;
            } else if up || (top - scroll.last_top).abs() > 1.0 {
                scroll.following = false;
            }
            scroll.last_top = top;
            scroll.viewport = f64::from(element.client_height());
            scroll.following
        });
        if let Some(now) = now
            && self.following.get_untracked() != now
        {
            self.following.set(now);
        }
        self.choose();
    }

    /// Scrolls where other views ask it to: to the end, to a row, to the place that the lens shows.
    fn follow_requests(self) {
        let view_state = self.store.view_state;
        let wished = Cell::new(view_state.end.get_untracked());
        render_effect(move || {
            let now = view_state.end.get();
            if wished.replace(now) != now {
                untrack(|| self.jump_to_end());
            }
        });
        for (request, focus) in [(view_state.goto, true), (view_state.look, false)] {
            render_effect(move || {
                let place = request.get().map(|(place, _)| place);
                if let (Some(place), Some(list)) = (place, self.element()) {
                    self.following.set(false);
                    untrack(|| reveal(self.scroll, list, place, focus, move || self.choose()));
                }
            });
        }
        render_effect(move || {
            let at = view_state.scroll_sync.target.get();
            if let Some(element) = self.element().filter(|_| !at.is_nan()) {
                let top = self.scroll.try_update_value(|scroll| {
                    scroll.last_top = scroll.heights.top_for(at, scroll.viewport);
                    scroll.following = false;
                    scroll.last_top
                });
                self.choose();
                element.set_scroll_top(top.unwrap_or(0.0).round() as i32);
            }
        });
    }

    /// On paper all rows are there.
    fn follow_printing(self) {
        print::listen(self.store, move |rows| match rows {
            Some(rows) => {
                self.range.set(rows);
                self.spaces.set((0.0, 0.0));
            }
            None => self.choose(),
        });
    }
}
