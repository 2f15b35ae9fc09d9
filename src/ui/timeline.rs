//! The timeline: a virtualised list of entries that keeps the reader's scroll position.
//!
//! Only rows near the viewport are in the document, between two spacers. Heights are measured by one
//! `ResizeObserver`. When a row above the viewport changes its height, the scroll position is corrected, so
//! that nothing moves under the reader's eyes. At the end the list follows new entries, until the reader
//! scrolls up.

pub mod actions;
pub mod custom;
pub mod entry;
pub mod lane;
mod measure;
pub mod notice;
pub mod parallel_calls;
mod render_range;
mod row;
mod scroll_to;
mod tail_first;
mod waiting_button;
pub mod window;

use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ResizeObserver, ResizeObserverEntry};

use super::elements::builder::{div, el, glyph};
use super::elements::icons::Icon;
use super::elements::print;
use super::elements::reactive::{memo, render_effect};
use super::lazy::Coming;
use crate::client::store::Store;
use crate::core::i18n::words::page;
use crate::core::model::change::Section;
use entry::entry;
use window::Heights;

pub use measure::Measure;
use measure::Observer;
use row::{estimate, height_of, move_in_feed, row_of};
use scroll_to::reveal;

/// Pixels from the end that still count as being at the end.
const NEAR_END: f64 = 24.0;

/// The scroll state of a timeline.
struct Scroll {
    heights: Heights,
    ahead: Heights,
    following: bool,
    last_top: f64,
    viewport: f64,
    /// Set after a jump: only the rows in sight are rendered until the reader pauses.
    stays: Option<(Timeout, Rc<()>)>,
    /// Rows have just been hidden or shown: scroll events are not the reader's until the next frame.
    held: bool,
    observer: Option<Observer>,
}

impl Scroll {
    /// Hides and shows rows as the store says. Returns the scroll position that keeps the reader's row in
    /// place; `None` at the end.
    fn hide_rows(&mut self, store: Store, top: f64) -> Option<f64> {
        self.held = true;
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

/// Keeps a lane open that would be folded because its agent ended, if the reader is looking at one of its
/// rows.
fn keep_what_is_read(store: Store, scroll: StoredValue<Scroll, LocalStorage>, top: f64) {
    let read = scroll.try_with_value(|scroll| {
        let from = scroll.heights.row_at(top);
        let to = scroll.heights.row_at(top + scroll.viewport);
        let leaving = |row: &usize| !scroll.heights.is_hidden(*row) && store.hidden(*row);
        let rows = from..(to + 1).min(scroll.heights.len());
        (!scroll.following).then(|| rows.filter(leaving).find(|row| store.folded_by_itself(*row))).flatten()
    });
    if let Some(row) = read.flatten() {
        store.reveal(row);
    }
}

/// The scrolling list of entries.
#[component]
pub fn Timeline(
    /// The session's store.
    store: Store,
) -> impl IntoView {
    let frame = el("div").attr("data-scroller", "").attr("tabindex", "0").attr("part", "scroller");
    let scroller = StoredValue::new_local(frame.element().clone());
    let range = RwSignal::new((0_usize, 0_usize));
    let spaces = RwSignal::new((0.0_f64, 0.0_f64));
    let following = RwSignal::new(true);
    let scroll = StoredValue::new_local(Scroll {
        heights: Heights::default(),
        ahead: Heights::default(),
        following: true,
        last_top: 0.0,
        viewport: 800.0,
        stays: None,
        held: false,
        observer: None,
    });
    let measure = Measure::new(scroll);
    tail_first::make_ready(store, scroll);
    let beside = store.desk.beside;
    let stays = store.desk.stays;

    // Chooses the rows by the known heights, without reading the layout.
    let choose_by = move |near: render_range::Choose| {
        if untrack(|| store.printing()) {
            return;
        }
        let chosen = scroll.try_update_value(|scroll| {
            let total = scroll.heights.total();
            let top = if scroll.following { (total - scroll.viewport).max(0.0) } else { scroll.last_top };
            let (first, last) = near(scroll, top, range.get_untracked(), stays);
            let at = scroll.heights.reading(top, scroll.viewport);
            (first, last, scroll.heights.before(first), total - scroll.heights.before(last), at)
        });
        if let Some((first, last, above, below, at)) = chosen {
            beside.at.set(at);
            if range.get_untracked() != (first, last) {
                range.set((first, last));
            }
            if spaces.get_untracked() != (above, below) {
                spaces.set((above, below));
            }
        }
    };
    let choose = move || choose_by(Scroll::near);
    render_effect(move || {
        if stays.get() {
            choose();
        }
    });
    let to_end = move || {
        if let Some(element) = scroller.try_get_value() {
            element.set_scroll_top(i32::MAX / 2);
            scroll.try_update_value(|scroll| scroll.last_top = f64::from(element.scroll_top()));
        }
    };

    // New entries get an estimated height. Heights of another session, or of a later moment, are dropped.
    let known = Cell::new(None);
    let joined = Cell::new(0);
    render_effect(move || {
        let (length, base, now) = (store.length.get(), store.base().get(), store.joined().get());
        let join = joined.replace(now) != now;
        let held = if join { scroller.try_get_value().map(tail_first::hold) } else { None };
        scroll.try_update_value(|scroll| {
            if join {
                return scroll.join(store);
            }
            if known.replace(Some(base)) == Some(base) {
                scroll.heights.truncate(length);
            } else {
                scroll.heights = Heights::default();
                scroll.following = true;
                following.set(true);
            }
            for row in scroll.heights.len()..length {
                scroll.heights.push(store.entry(row, estimate).unwrap_or(40.0));
                scroll.heights.hide(row, store.hidden(row));
            }
        });
        choose();
        if let Some(held) = held {
            tail_first::let_go(held, scroll, to_end);
        }
    });

    // The reader's row stays in place when rows are hidden or shown.
    let begun = Cell::new(false);
    render_effect(move || {
        store.hidden_rows.track();
        if begun.replace(true) {
            // At the end the scroll position is not needed, and reading it would force a layout.
            let reads = scroll.try_with_value(|scroll| !scroll.following).unwrap_or_default();
            let list = scroller.try_get_value().filter(|_| reads);
            let top = list.map_or(0.0, |list| f64::from(list.scroll_top()));
            keep_what_is_read(store, scroll, top);
            let target = scroll.try_update_value(|scroll| scroll.hide_rows(store, top)).flatten();
            choose();
            request_animation_frame(move || {
                scroll.try_update_value(|scroll| scroll.held = false);
                match (target, scroller.try_get_value()) {
                    (Some(target), Some(element)) => element.set_scroll_top(target.round() as i32),
                    (None, Some(_)) => to_end(),
                    _ => {}
                }
            });
        }
    });

    let resized = move |entries: js_sys::Array| {
        let Some(element) = scroller.try_get_value() else {
            return;
        };
        let top = f64::from(element.scroll_top());
        // If everything is in sight, nobody can scroll: that counts as the end.
        let end = f64::from(element.scroll_height() - element.client_height());
        let moved = scroll.try_update_value(|scroll| {
            scroll.following |= end <= NEAR_END && !scroll.held;
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
            (scroll.following, moved)
        });
        choose_by(Scroll::still_near);
        match moved {
            Some((true, _)) => {
                if !following.get_untracked() {
                    following.set(true);
                }
                to_end();
                // The end moves once more in this frame, when the spacers get their new heights.
                queue_microtask(to_end);
            }
            Some((false, moved)) if moved.abs() >= 0.5 => {
                let target = top + moved;
                element.set_scroll_top(target.round() as i32);
                scroll.try_update_value(|scroll| scroll.last_top = target);
            }
            _ => {}
        }
        // If the lens leads, the position that it asked for is elsewhere now.
        if beside.lens_leads() {
            beside.wish.notify();
        }
    };

    // The observer lives as long as the list; rows register when they are rendered.
    let callback = Closure::<dyn FnMut(js_sys::Array)>::new(resized);
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        scroll.update_value(|scroll| {
            scroll.observer = Some(Observer::new(observer, callback));
        });
    }
    measure.observe(frame.element());

    let on_scroll = move |_: &web_sys::Event| {
        let Some(element) = scroller.try_get_value() else {
            return;
        };
        let top = f64::from(element.scroll_top());
        let end = f64::from(element.scroll_height() - element.client_height());
        let now = scroll.try_update_value(|scroll| {
            if scroll.held {
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
            && following.get_untracked() != now
        {
            following.set(now);
        }
        choose();
    };

    let jump = move || {
        scroll.update_value(|scroll| scroll.following = true);
        following.set(true);
        choose();
        to_end();
    };
    let end = store.desk.end;
    let wished = Cell::new(end.get_untracked());
    render_effect(move || {
        let now = end.get();
        if wished.replace(now) != now {
            untrack(jump);
        }
    });
    for (wish, focus) in [(store.desk.goto, true), (store.desk.look, false)] {
        render_effect(move || {
            let place = wish.get().map(|(place, _)| store.for_good(place));
            if let (Some(place), Some(list)) = (place, scroller.try_get_value()) {
                following.set(false);
                untrack(|| reveal(scroll, list, place, focus, choose));
            }
        });
    }
    print::listen(store, move |rows| match rows {
        Some(rows) => {
            range.set(rows);
            spaces.set((0.0, 0.0));
        }
        None => choose(),
    });
    let printed = print::note(store);
    render_effect(move || {
        let at = beside.wish.get();
        if let Some(element) = scroller.try_get_value().filter(|_| !at.is_nan()) {
            let top = scroll.try_update_value(|scroll| {
                scroll.last_top = scroll.heights.top_for(at, scroll.viewport);
                scroll.following = false;
                scroll.last_top
            });
            choose();
            element.set_scroll_top(top.unwrap_or(0.0).round() as i32);
        }
    });
    let jump_to_request = move |_: &web_sys::Event| {
        if let Some(place) = store.read(|state| state.open_requests.first().copied()).flatten() {
            store.desk.go_to(place);
        }
    };
    // The label for open requests that are not on screen; empty if there are none.
    let waiting_elsewhere = memo(move || {
        let (first, last) = range.get();
        let open = store.section(Section::Pending, |state| state.open_requests.clone()).unwrap_or_default();
        match open.iter().filter(|place| **place < first || **place >= last).count() {
            0 => String::new(),
            // The button beside it shows how many wait in all.
            some if open.len() > 1 => page::OUT_OF_SIGHT.with(&[("n", some.into())]),
            some => waiting_button::requests_wait(store, some),
        }
    });
    let waits = memo(move || !waiting_elsewhere.with(String::is_empty));
    let dock = div("dock").child(move || {
        let button =
            || el("button").class("btn jump waits").attr("part", "jump").on("click", jump_to_request);
        let button = || button().child(glyph(Icon::Shield)).text(move || waiting_elsewhere.get());
        waits.get().then(button)
    });
    let dock = waiting_button::list_of_requests(dock, store).child(move || {
        let button = || el("button").class("btn jump").attr("part", "jump").on("click", move |_| jump());
        (!following.get()).then(|| button().child(glyph(Icon::ArrowDown)).text(page::JUMP.text()))
    });
    let rows = move || {
        let ((first, last), epoch) = (range.get(), store.epoch().get());
        store.hidden_rows.track();
        store.joined().track();
        let early = store.early();
        let shown = (first..last).filter(|row| !store.hidden(*row));
        shown.map(|row| (epoch, early.handed(row))).collect::<Vec<_>>()
    };
    // Screen readers expect articles in a feed, so an empty list is no feed.
    let role = move || if rows().is_empty() { "group" } else { "feed" };
    let gap = |height: fn((f64, f64)) -> f64| {
        let gap = div("spacer");
        let style = gap.element().unchecked_ref::<HtmlElement>().style();
        render_effect(move || {
            let height = height(spaces.get()).round() as i64;
            // Fails only for a property that can't be written.
            let _ = style.set_property("height", &format!("{height}px"));
        });
        gap
    };
    let column = div("column")
        .attr("role", role)
        .attr("aria-label", page::TIMELINE.text())
        .attr("part", "timeline")
        .attr("aria-busy", move || {
            let reading = store.reading().get();
            Some((reading || store.progress.with(|(known, reached)| reached < known)).to_string())
        })
        .child(printed)
        .child(move || store.partial().get().then(|| Coming::Fetched.view()))
        .child(gap(|(above, _)| above));
    let column =
        column.for_each(rows, move |(_, row)| entry(store, measure, row)).child(gap(|(_, below)| below));
    let frame = frame.on("scroll", on_scroll).on("keydown", move_in_feed).child(column);
    (frame, dock)
}
