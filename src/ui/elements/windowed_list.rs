//! A windowed list on the page: the rows near the viewport between two spacers, measured by one `ResizeObserver`.
//!
//! What is where, and where to scroll, says `core/view_model/windowed_list.rs`. The layout is read only in scroll
//! events and when the observer reports, at which times the browser has it.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, ResizeObserver, ResizeObserverEntry, ResizeObserverSize};

use super::builder::{El, div};
use super::focus::{focus, focused_in, focused_near, types_since};
use super::reactive::render_effect;
use crate::core::view_model::windowed_list::{Correction, Layout, Movement, Window, WindowedList};
use crate::store::printing::is_printing;

/// Milliseconds without another jump after which the reader counts as staying.
const JUMP_PAUSE_MS: u32 = 80;
/// Pixels above a row that the list leads to.
const REVEAL_MARGIN: f64 = 24.0;
/// What stays in its place while it has the focus: a field, and a request's card.
const UNMOVABLE_FOCUS: &str = "input, textarea, select, [contenteditable], [data-request-id]";

/// What has just happened to a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListChange {
    /// Its rows were chosen, for a new position or new heights.
    Chosen,
    /// It was scrolled.
    Scrolled(Movement),
    /// Heights were measured.
    Resized,
}

/// Called after each movement of a list.
type ChangeCallback = Rc<dyn Fn(ListChange)>;

/// The observer and its callback; disconnected when the list is dropped.
struct RowObserver {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut(js_sys::Array)>,
}

impl Drop for RowObserver {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// What a list needs besides its signals.
struct ListViewParts {
    /// The element that scrolls.
    element: Element,
    list: WindowedList,
    observer: Option<RowObserver>,
    /// After a jump: the end of the wait until the reader counts as staying. Another jump cancels it.
    waits: Option<(Timeout, Rc<()>)>,
    on_move: Option<ChangeCallback>,
}

/// The list: a handle that views copy.
#[derive(Clone, Copy)]
pub struct ListView {
    parts: StoredValue<ListViewParts, LocalStorage>,
    /// The attribute of a row that says its index.
    attribute: &'static str,
    /// The rows in the document, as (first, end).
    pub range: RwSignal<(usize, usize)>,
    /// The height in pixels of what is not in the document, above and below.
    spaces: RwSignal<(f64, f64)>,
    /// The reader has jumped just now.
    scrolls_fast: RwSignal<bool>,
}

impl ListView {
    /// A list in the element that scrolls, until the owner is dropped. Its rows have their index in `attribute`.
    pub fn new(
        element: Element,
        attribute: &'static str,
        list: WindowedList,
        scrolls_fast: RwSignal<bool>,
    ) -> Self {
        let parts = ListViewParts { element, list, observer: None, waits: None, on_move: None };
        let list = Self {
            parts: StoredValue::new_local(parts),
            attribute,
            range: RwSignal::new((0, 0)),
            spaces: RwSignal::new((0.0, 0.0)),
            scrolls_fast,
        };
        list.observe_all();
        list
    }

    /// Calls this after each movement.
    pub fn on_move(self, on_move: impl Fn(ListChange) + 'static) {
        self.parts.update_value(|parts| parts.on_move = Some(Rc::new(on_move)));
    }

    /// Reads what is known of the list; `None` once it is gone.
    pub fn read<R>(self, read: impl FnOnce(&WindowedList) -> R) -> Option<R> {
        self.parts.try_with_value(|parts| read(&parts.list))
    }

    /// Changes what is known of the list, and chooses its rows anew.
    pub fn update<R>(self, update: impl FnOnce(&mut WindowedList) -> R) -> Option<R> {
        let updated = self.set(update);
        self.choose();
        updated
    }

    fn set<R>(self, update: impl FnOnce(&mut WindowedList) -> R) -> Option<R> {
        self.parts.try_update_value(|parts| update(&mut parts.list))
    }

    /// The element that scrolls.
    pub fn element(self) -> Option<Element> {
        self.parts.try_with_value(|parts| parts.element.clone())
    }

    /// Adds the rows to a place in the element that scrolls, between the spacers. `keys` gives a key for each row that
    /// is to be shown.
    pub fn rows(
        self,
        place: El,
        keys: impl Fn() -> Vec<(u32, usize)> + 'static,
        build: impl Fn(usize) -> El + 'static,
    ) -> El {
        let build = move |(_, row)| {
            let row = build(row);
            self.measure(row.element());
            row
        };
        place
            .child(self.space(|(above, _)| above))
            .for_each(keys, build)
            .child(self.space(|(_, below)| below))
    }

    /// The place of the rows on one side that are not in the document.
    fn space(self, height: fn((f64, f64)) -> f64) -> El {
        let space = div("spacer");
        let style = space.element().unchecked_ref::<HtmlElement>().style();
        render_effect(move || {
            let height = height(self.spaces.get()).round() as i64;
            // Fails only for a property that can't be written.
            let _ = style.set_property("height", &format!("{height}px"));
        });
        space
    }

    /// Measures a row until the current owner is dropped.
    fn measure(self, row: &Element) {
        let observing = move |act: &dyn Fn(&ResizeObserver)| {
            self.parts.try_with_value(|parts| parts.observer.as_ref().map(|own| act(&own.observer)));
        };
        observing(&|observer| observer.observe(row));
        let row = StoredValue::new_local(row.clone());
        on_cleanup(move || {
            row.try_with_value(|row| observing(&|observer| observer.unobserve(row)));
        });
    }

    fn observe_all(self) {
        let callback =
            Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| self.resized(&entries));
        if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
            if let Some(element) = self.element() {
                observer.observe(&element);
            }
            let observer = RowObserver { observer, _callback: callback };
            self.parts.update_value(|parts| parts.observer = Some(observer));
        }
    }

    fn row_of(self, element: &Element) -> Option<usize> {
        element.get_attribute(self.attribute)?.parse().ok()
    }

    /// The row that has the focus, and whether what has it must not move: somebody types, or is about to answer.
    fn focused(self) -> (Option<usize>, bool) {
        let Some(focused) = self.element().and_then(|element| focused_in(&element)) else {
            return (None, false);
        };
        let closest = |what: &str| focused.closest(what).ok().flatten();
        let row = closest(&format!("[{}]", self.attribute));
        (row.and_then(|row| self.row_of(&row)), closest(UNMOVABLE_FOCUS).is_some())
    }

    /// Chooses the rows by the known heights, without reading the layout.
    pub fn choose(self) {
        self.choose_by(WindowedList::choose);
    }

    fn choose_by(self, choose: fn(&mut WindowedList, Option<usize>) -> Window) {
        if untrack(is_printing) {
            return;
        }
        let (focused, paused) = self.focused();
        let chosen = self.set(|list| {
            list.pause(paused);
            choose(list, focused)
        });
        let Some(Window { rows, spaces, jumped }) = chosen else { return };
        if jumped {
            self.wait_until_reader_stays();
        }
        if self.range.get_untracked() != rows {
            self.range.set(rows);
        }
        if self.spaces.get_untracked() != spaces {
            self.spaces.set(spaces);
        }
        self.notify_moved(ListChange::Chosen);
    }

    /// More rows come when the reader pauses after a jump.
    fn wait_until_reader_stays(self) {
        if !self.scrolls_fast.get_untracked() {
            self.scrolls_fast.set(true);
        }
        let jump = Rc::new(());
        let last = Rc::downgrade(&jump);
        // In a frame, since only a frame also measures new rows: until then the estimates above would move the reader
        // elsewhere. Another jump in the meantime cancels it.
        let in_frame = move || {
            request_animation_frame(move || {
                if last.strong_count() > 0 {
                    self.scrolls_fast.try_set(false);
                    self.update(WindowedList::widen_window);
                }
            });
        };
        let waits = (Timeout::new(JUMP_PAUSE_MS, in_frame), jump);
        self.parts.update_value(|parts| parts.waits = Some(waits));
    }

    /// Puts these rows into the document, as for printing.
    pub fn show_all(self, rows: (usize, usize)) {
        self.range.set(rows);
        self.spaces.set((0.0, 0.0));
    }

    /// Scrolls to the end, and follows it if the list ever does.
    pub fn follow_end(self) {
        self.update(|list| list.follow(true));
        self.scroll_to_end();
    }

    fn scroll_to_end(self) {
        if let Some(element) = self.element() {
            element.set_scroll_top(i32::MAX / 2);
            self.set(|list| list.reached_end(f64::from(element.scroll_top())));
        }
    }

    /// Scrolls to a position.
    pub fn scroll_to(self, top: f64) {
        let before = (self.range.get_untracked(), self.spaces.get_untracked());
        self.update(|list| list.go_to(top));
        self.scroll(top);
        if before != (self.range.get_untracked(), self.spaces.get_untracked()) {
            // The position may be one that is only there with the new rows.
            queue_microtask(move || {
                if self.read(WindowedList::top) == Some(top.max(0.0)) {
                    self.scroll(top);
                }
            });
        }
    }

    fn scroll(self, top: f64) {
        if let Some(element) = self.element() {
            element.set_scroll_top(top.round() as i32);
        }
    }

    /// Scrolls no further than it takes to see a row.
    pub fn scroll_into_view(self, row: usize) {
        if let Some(top) = self.update(|list| list.scroll_into_view(row)).flatten() {
            self.scroll(top);
        }
    }

    /// Scrolls to where a row should be by the known heights, and in the next frame to where it is. Focuses it if
    /// asked to.
    pub fn reveal(self, row: usize, takes_focus: bool) {
        let top = self.update(|list| {
            list.go_to(list.heights().height_before(row) - REVEAL_MARGIN);
        });
        let top = top.and_then(|()| self.read(WindowedList::top));
        let Some((top, element)) = top.zip(self.element()) else { return };
        element.set_scroll_top(top as i32);
        let before = focused_near(&element);
        // The heights above were estimates until now. Once the row is rendered, its element knows its position.
        request_animation_frame(move || {
            let Some(row) = self.row(row) else { return };
            row.scroll_into_view();
            self.store_heights(&element);
            if !takes_focus || types_since(&row, before.as_ref()) {
                return;
            }
            focus(&row, true);
            // The list may still move the row's element, and a moved element loses the focus.
            request_animation_frame(move || {
                if focused_near(&row).is_none() {
                    focus(&row, true);
                }
            });
        });
    }

    /// The element of a row that is in the document.
    pub fn row(self, row: usize) -> Option<Element> {
        self.element()?.query_selector(&format!("[{}=\"{row}\"]", self.attribute)).ok().flatten()
    }

    /// Stores the heights of the rendered rows. They have been laid out for the new position, so nothing may move any
    /// more when the observer reports them.
    fn store_heights(self, element: &Element) {
        let Ok(rows) = element.query_selector_all(&format!("[{}]", self.attribute)) else { return };
        let rows = (0..rows.length()).filter_map(|at| rows.item(at)?.dyn_into::<Element>().ok());
        let heights =
            rows.filter_map(|row| Some((self.row_of(&row)?, row.get_bounding_client_rect().height())));
        let top = f64::from(element.scroll_top());
        self.set(|list| list.arrived(top, heights));
    }

    fn resized(self, entries: &js_sys::Array) {
        // Without a layout, as in a tab panel that is not shown, every size is 0. All are reported again when there is one.
        let Some(element) = self.element().filter(|element| element.client_width() > 0) else {
            return;
        };
        let layout = layout_of(&element);
        let paused = self.focused().1;
        let correction = self.set(|list| {
            list.pause(paused);
            let row = |entry: JsValue| {
                let entry: ResizeObserverEntry = entry.unchecked_into();
                Some((self.row_of(&entry.target())?, height_of(&entry)))
            };
            list.resized(layout, entries.iter().filter_map(row))
        });
        self.choose_by(WindowedList::choose_measured);
        match correction {
            Some(Correction::End) => {
                self.scroll_to_end();
                // The end moves once more in this frame, when the spacers get their new heights.
                queue_microtask(move || self.scroll_to_end());
            }
            Some(Correction::To(top)) => self.scroll(top),
            _ => {}
        }
        self.notify_moved(ListChange::Resized);
    }

    /// The list was scrolled, by the reader or from here.
    pub fn scrolled(self) {
        // The event comes a frame later. By then the list may have lost its layout, and every size is 0: that is not the end.
        let Some(element) = self.element().filter(|element| element.client_height() > 0) else {
            return;
        };
        let layout = layout_of(&element);
        let movement = self.update(|list| list.scrolled(layout));
        if let Some(movement) = movement {
            self.notify_moved(ListChange::Scrolled(movement));
        }
    }

    fn notify_moved(self, moved: ListChange) {
        let on_move = self.parts.try_with_value(|parts| parts.on_move.clone()).flatten();
        if let Some(on_move) = on_move {
            on_move(moved);
        }
    }

    /// Hides and shows rows; the reader's row stays in its place.
    pub fn hide(self, top: f64, hidden: impl Fn(usize) -> bool) {
        let target = self.update(|list| list.hide(top, hidden)).flatten();
        request_animation_frame(move || {
            self.set(WindowedList::acknowledge_hidden_rows);
            match target {
                Some(top) => self.scroll(top),
                None if !self.focused().1 => self.scroll_to_end(),
                None => {}
            }
        });
    }
}

fn layout_of(element: &Element) -> Layout {
    Layout {
        top: f64::from(element.scroll_top()),
        viewport: f64::from(element.client_height()),
        content: f64::from(element.scroll_height()),
    }
}

fn height_of(entry: &ResizeObserverEntry) -> f64 {
    let size = entry.border_box_size().get(0);
    size.dyn_into::<ResizeObserverSize>()
        .map_or_else(|_| entry.content_rect().height(), |size| size.block_size())
}
