//! Scrolls the timeline: its rows are the store's, its end is followed, and other views lead to places in it.

use std::cell::Cell;

use leptos::prelude::*;
use web_sys::Element;

use crate::core::State;
use crate::core::model::state::Section;
use crate::core::view_model::heights::Heights;
use crate::core::view_model::row_height::estimate;
use crate::core::view_model::windowed_list::WindowedList;
use crate::store::Store;
use crate::store::printing::is_printing;
use crate::ui::elements::print;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::elements::windowed_list::{ListChange, ListView};

/// Pixels from the end that still count as being at the end.
const NEAR_END: f64 = 24.0;

/// Pixels of rows below the edge from which the button that leads to the end is shown. On a narrow page it would
/// lie over the answers of the last request if less is below.
const FAR_FROM_END: f64 = 96.0;

/// The scrolling of one timeline: a handle that its parts copy.
#[derive(Clone, Copy)]
pub(super) struct Scroller {
    store: Store,
    pub(super) list: ListView,
    /// The reader has left the end so far that a button leads back.
    pub(super) far_from_end: RwSignal<bool>,
}

impl Scroller {
    /// Scrolls this element until the owner is dropped.
    pub(super) fn new(store: Store, element: Element) -> Self {
        let list = WindowedList::new(Heights::default(), Some(NEAR_END));
        let list = ListView::new(element, "data-row", list, store.view_state.scrolls_fast);
        let scroller = Self { store, list, far_from_end: RwSignal::new(false) };
        list.on_move(move |moved| scroller.report_position(moved));
        scroller.follow_entries();
        scroller.stop_at_unread_requests();
        scroller.follow_hidden_rows();
        scroller.follow_requests();
        scroller.follow_printing();
        scroller
    }

    /// Tells the lens and the button that leads to the end where the reader is.
    fn report_position(self, moved: ListChange) {
        let scroll_sync = self.store.view_state.scroll_sync;
        match moved {
            ListChange::Chosen => {
                let Some((at, left)) = self.list.read(|list| (list.reading_position(), list.pixels_below()))
                else {
                    return;
                };
                scroll_sync.at.set(at);
                let far = left > FAR_FROM_END;
                if self.far_from_end.get_untracked() != far {
                    self.far_from_end.set(far);
                }
            }
            // If the lens leads, the position that it asked for is elsewhere now.
            ListChange::Resized if scroll_sync.is_lens_leader() => scroll_sync.target.notify(),
            _ => {}
        }
    }

    /// New entries get an estimated height. Heights of another session, or of a later moment, are dropped.
    fn follow_entries(self) {
        let store = self.store;
        let known = Cell::new(None);
        render_effect(move || {
            let (length, base) = (store.length.get(), store.history().shown_session_number());
            let same = known.replace(Some(base)) == Some(base);
            self.list.update(|list| {
                if same {
                    list.truncate(length);
                } else {
                    list.clear();
                }
                for row in list.len()..length {
                    list.push(store.entry(row, estimate).unwrap_or(40.0), store.rows().is_hidden(row));
                }
            });
        });
    }

    /// A request that is higher than the view arrives with its beginning in view.
    fn stop_at_unread_requests(self) {
        let store = self.store;
        let unread = memo(move || {
            let seen = store.view_state.seen_requests.get();
            let unread = |state: &State| {
                let unread = |row: &usize| state.entry(*row).is_some_and(|entry| !seen.contains(&entry.id));
                state.open_requests.iter().copied().filter(unread).collect::<Vec<_>>()
            };
            if store.cannot_answer() {
                return Vec::new();
            }
            store.section(Section::Pending, unread).unwrap_or_default()
        });
        render_effect(move || {
            let unread = unread.get();
            self.list.update(|list| list.stop_at(unread));
        });
    }

    /// The reader's row stays in place when rows are hidden or shown.
    fn follow_hidden_rows(self) {
        let store = self.store;
        let begun = Cell::new(false);
        render_effect(move || {
            store.rows().track();
            // On paper rows are there that the screen hides; the reader's place stays that on the screen.
            if !begun.replace(true) || untrack(is_printing) {
                return;
            }
            // At the end the scroll position is not needed, and reading it would force a layout.
            let reads = !self.list.read(WindowedList::is_following).unwrap_or(true);
            let element = self.list.element().filter(|_| reads);
            let top = element.map_or(0.0, |list| f64::from(list.scroll_top()));
            self.keep_visible_lane_open(top);
            self.list.hide(top, move |row| store.rows().is_hidden(row));
        });
    }

    /// Keeps a lane open that would be folded because its agent ended, if the reader is looking at one of its
    /// rows.
    fn keep_visible_lane_open(self, top: f64) {
        let store = self.store;
        let read = self.list.read(|list| {
            let leaving = |row: &usize| !list.heights().is_hidden(*row) && store.rows().is_hidden(*row);
            let (from, to) = list.in_sight(top);
            (!list.is_following())
                .then(|| (from..to).filter(leaving).find(|row| store.rows().folded_automatically(*row)))
                .flatten()
        });
        if let Some(row) = read.flatten() {
            store.rows().reveal(row);
        }
    }

    /// Scrolls where other views ask it to: to the end, to a row, to the place that the lens shows.
    fn follow_requests(self) {
        let (list, view_state) = (self.list, self.store.view_state);
        let wished = Cell::new(view_state.end_requests.get_untracked());
        render_effect(move || {
            let now = view_state.end_requests.get();
            if wished.replace(now) != now {
                untrack(|| list.follow_end());
            }
        });
        for (request, focus) in [(view_state.row_to_focus, true), (view_state.row_to_show, false)] {
            render_effect(move || {
                if let Some((place, _)) = request.get() {
                    untrack(|| list.reveal(place, focus));
                }
            });
        }
        render_effect(move || {
            let at = view_state.scroll_sync.target.get();
            let top = list.read(|list| list.scroll_top_for(at)).filter(|_| !at.is_nan());
            if let Some(top) = top {
                list.scroll_to(top);
            }
        });
    }

    /// On paper all rows are there.
    fn follow_printing(self) {
        print::listen(self.store, move |rows| match rows {
            Some(rows) => self.list.show_all(rows),
            None => self.list.choose(),
        });
    }
}
