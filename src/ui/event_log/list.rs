//! A long list of records of which only those on screen are in the document.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, PointerEvent};

use super::detail::{RecordSummary, key, record_summary};
use crate::client::store::Store;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::log;
use crate::ui::elements::builder::{El, div, el};

/// The height of a row in pixels, and the rows kept ready on both sides.
const ROW: f64 = 44.0;
const MARGIN: usize = 6;

/// Appends the records that belong in the list, from a record on.
pub type Select = Box<dyn Fn(&mut Vec<u32>, usize)>;

/// Whether a list goes to its end when records come in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    No,
    Yes,
    /// A record was chosen at the end. The list follows again when it is deselected, however many records came
    /// in between.
    Paused,
}

struct Inner {
    store: Store,
    select: Select,
    records: Vec<u32>,
    looked: usize,
    follow: Follow,
    /// It follows new records whenever the reader is at its end.
    live: bool,
    host: Option<HtmlElement>,
    /// Its scroll position and height in pixels, from when they last changed. Reading or setting them while a
    /// frame is written would force a layout.
    top: f64,
    height: f64,
    wants_focus: bool,
}

/// One list; views copy it.
#[derive(Clone, Copy)]
pub struct List {
    inner: StoredValue<Inner, LocalStorage>,
    length: RwSignal<usize>,
    chosen: RwSignal<Option<u32>>,
    range: RwSignal<(usize, usize)>,
    /// Changes when the list has other records.
    renewed: RwSignal<u32>,
}

impl List {
    /// A list of the records that `select` appends; it grows as records come in.
    pub fn new(store: Store, select: Select) -> Self {
        let inner = Inner {
            store,
            select,
            records: Vec::new(),
            looked: 0,
            follow: Follow::No,
            live: false,
            host: None,
            top: 0.0,
            height: 0.0,
            wants_focus: false,
        };
        let list = Self {
            inner: StoredValue::new_local(inner),
            length: RwSignal::new(0),
            chosen: RwSignal::new(None),
            range: RwSignal::new((0, 0)),
            renewed: RwSignal::new(0),
        };
        Effect::new(move |_| {
            store.heard().track();
            untrack(|| list.more());
        });
        Effect::new(move |before: Option<u32>| {
            let now = store.base().get();
            if before.is_some_and(|before| before != now) {
                untrack(|| {
                    list.let_go();
                    list.restart();
                });
            }
            now
        });
        list
    }

    /// Stays at its end while records come in, until the reader scrolls up.
    pub fn follows(self) -> Self {
        self.inner.update_value(|inner| (inner.follow, inner.live) = (Follow::Yes, true));
        self
    }

    /// Gets the focus as soon as it is on the page.
    pub fn take_focus(self) {
        self.inner.update_value(|inner| inner.wants_focus = true);
    }

    /// Adds the records that came in since.
    pub fn more(self) {
        let end = super::archive::length(self.store());
        self.inner.update_value(|inner| {
            let from =
                inner.records.last().map_or(inner.looked, |last| (*last as usize + 1).max(inner.looked));
            (inner.select)(&mut inner.records, from);
            // Going through the log may find a record some time after it came in, so the
            // rest is looked at again.
            inner.looked = if inner.live { end } else { 0 };
        });
        self.shown();
    }

    /// Starts again, because other records belong in the list.
    pub fn restart(self) {
        self.inner.update_value(|inner| {
            inner.records.clear();
            inner.looked = 0;
        });
        self.renewed.update(|times| *times = times.wrapping_add(1));
        self.more();
    }

    fn shown(self) {
        let length = self.inner.with_value(|inner| inner.records.len());
        if self.length.get_untracked() != length {
            self.length.set(length);
        }
        self.place();
    }

    /// The number of records in the list, and in the log; subscribes.
    pub fn count(self) -> (usize, usize) {
        self.store().heard().track();
        (self.length.get(), super::archive::length(self.store()))
    }

    /// All of its records.
    pub fn records(self) -> Vec<u32> {
        self.inner.with_value(|inner| inner.records.clone())
    }

    /// The chosen record; subscribes.
    pub fn chosen(self) -> Option<usize> {
        self.chosen.get().map(|record| record as usize)
    }

    /// Chooses its first record, if it has one.
    pub fn choose_first(self) {
        if let Some(first) = self.record(0) {
            self.chosen.set(Some(first));
        }
    }

    /// Deselects the chosen record. A reader who is at the end, or was there when they chose it and has not
    /// scrolled up since, follows again.
    pub fn let_go(self) {
        self.chosen.set(None);
        let at_end = self.at_end();
        self.inner.update_value(|inner| {
            if at_end || inner.follow == Follow::Paused {
                inner.follow = Follow::Yes;
            }
        });
    }

    /// Stops following while a record is chosen.
    fn pause(self) {
        let at_end = self.at_end();
        self.inner.update_value(|inner| {
            if at_end || inner.follow == Follow::Yes {
                inner.follow = Follow::Paused;
            }
        });
    }

    /// Whether the list follows records that come in and less than a row is below what is on screen.
    fn at_end(self) -> bool {
        let length = self.length.get_untracked();
        self.inner.with_value(|inner| inner.live && length as f64 * ROW - inner.top - inner.height < ROW)
    }

    fn record(self, place: usize) -> Option<u32> {
        self.inner.with_value(|inner| inner.records.get(place).copied())
    }

    fn store(self) -> Store {
        self.inner.with_value(|inner| inner.store)
    }

    fn host(self) -> Option<HtmlElement> {
        self.inner.try_with_value(|inner| inner.host.clone()).flatten()
    }

    /// Reads the scroll position and the height, at a time when the browser has them.
    fn measured(self) {
        let Some(host) = self.host() else { return };
        let (top, height) = (f64::from(host.scroll_top()), f64::from(host.client_height()));
        self.inner.update_value(|inner| (inner.top, inner.height) = (top, height));
        self.place();
    }

    /// Updates which rows are on screen.
    fn place(self) {
        let length = self.length.get_untracked();
        let Some((top, height, following)) =
            self.inner.try_with_value(|inner| (inner.top, inner.height, inner.follow == Follow::Yes))
        else {
            return;
        };
        let end = (length as f64 * ROW - height).max(0.0);
        let top = if following { end } else { top.min(end) };
        let first = ((top / ROW) as usize).saturating_sub(MARGIN);
        let last = (((top + height) / ROW) as usize + 1 + MARGIN).min(length);
        if self.range.get_untracked() != (first, last) {
            self.range.set((first, last));
        }
    }

    /// Called when the list has another height or has grown. One that follows goes to its end in the same
    /// frame; a chosen record that was on screen stays there.
    fn resized(self) {
        let Some(host) = self.host() else { return };
        let Some((top, height, following)) =
            self.inner.try_with_value(|inner| (inner.top, inner.height, inner.follow == Follow::Yes))
        else {
            return;
        };
        if following {
            host.set_scroll_top(i32::MAX / 2);
        } else if let Some(place) = self.chosen_within(top, height) {
            show(&host, place);
        }
        self.settle(&host);
    }

    /// Follows from now on if the reader is at the end, unless the chosen record would scroll away.
    fn settle(self, host: &HtmlElement) {
        self.measured();
        let left = f64::from(host.scroll_height() - host.client_height() - host.scroll_top());
        let (live, top, height) = self.inner.with_value(|inner| (inner.live, inner.top, inner.height));
        if live && left < ROW && self.chosen_within(top, height).is_none() {
            self.inner.update_value(|inner| inner.follow = Follow::Yes);
        }
    }

    /// The place of the chosen record in the list, if it is on screen.
    fn chosen_within(self, top: f64, height: f64) -> Option<usize> {
        self.chosen_at().filter(|place| {
            let row = *place as f64 * ROW;
            row + ROW > top && row < top + height
        })
    }

    fn scrolled(self) {
        // The event comes a frame later. By then the list may have lost its layout.
        let Some(host) = self.host().filter(|host| host.client_height() > 0) else { return };
        let (before, height) = self.inner.with_value(|inner| (inner.top, inner.height));
        let (top, end) = (f64::from(host.scroll_top()), f64::from(host.scroll_top() + host.client_height()));
        // Only a reader who scrolls up leaves the end: new records do not count, nor does a higher list.
        let stays = top >= before - 1.0 || end >= before + height - 1.0;
        if !stays {
            self.inner.update_value(|inner| inner.follow = Follow::No);
        }
        self.settle(&host);
    }

    fn bring(self, place: usize) {
        let Some(host) = self.host() else { return };
        self.inner.update_value(|inner| inner.follow = Follow::No);
        show(&host, place);
        self.measured();
        self.pause();
    }

    /// The place of the chosen record in the list.
    fn chosen_at(self) -> Option<usize> {
        let chosen = self.chosen.get_untracked()?;
        self.inner.with_value(|inner| inner.records.binary_search(&chosen).ok())
    }

    fn pressed(self, event: &web_sys::Event) {
        let Some(key) = key(event) else { return };
        let length = self.length.get_untracked();
        let Some(end) = length.checked_sub(1) else { return };
        let at = self.chosen_at();
        let page = self.host().map_or(10, |host| (f64::from(host.client_height()) / ROW) as usize).max(1);
        let next = match (key.as_str(), at) {
            ("ArrowDown", Some(at)) => at + 1,
            ("ArrowUp", Some(at)) => at.saturating_sub(1),
            ("PageDown", Some(at)) => at + page,
            ("PageUp", Some(at)) => at.saturating_sub(page),
            ("Home", _) => 0,
            ("End" | "ArrowUp" | "ArrowDown" | "PageUp" | "PageDown", _) => end,
            ("Escape", Some(_)) if self.inner.with_value(|inner| inner.live) => {
                event.stop_propagation();
                self.let_go();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        let next = next.min(end);
        self.chosen.set(self.record(next));
        self.bring(next);
    }
}

/// Scrolls a row into view.
fn show(host: &HtmlElement, place: usize) {
    let (top, height) = (f64::from(host.scroll_top()), f64::from(host.client_height()));
    let row = place as f64 * ROW;
    if row < top {
        host.set_scroll_top(row as i32);
    } else if row + ROW > top + height {
        host.set_scroll_top((row + ROW - height).ceil() as i32);
    }
}

/// The list's element.
pub fn list(list: List) -> El {
    let store = list.store();
    let place = |record: u32| format!("ph-record-{record}");
    let rows = div("records-rows")
        .attr("role", "presentation")
        .attr("style", move || Some(format!("height:{}px", list.length.get() * ROW as usize)))
        .child(move || {
            let (first, end) = list.range.get();
            list.renewed.track();
            (first..end).filter_map(|row| record_row(list, row)).collect::<Vec<_>>()
        });
    let host = div("records")
        .attr("role", "listbox")
        .attr("tabindex", "0")
        .attr("aria-label", log::EVENTS.text())
        .attr("aria-activedescendant", move || list.chosen.get().map(place))
        .on("scroll", move |_| list.scrolled())
        .on("keydown", move |event| list.pressed(event))
        .on("pointerdown", move |event| {
            // A record must not scroll away from under the pointer that is about to choose it.
            let primary = event.dyn_ref::<PointerEvent>().is_some_and(|pointer| pointer.button() == 0);
            if primary && record_of(event).is_some() {
                list.pause();
            }
        })
        .on("click", move |event| {
            if let Some(record) = record_of(event) {
                // A record that somebody looks at stays where it is.
                list.pause();
                if list.chosen.get_untracked() == Some(record) {
                    list.let_go();
                } else {
                    list.chosen.set(Some(record));
                }
            }
        })
        .child(rows.clone())
        .child(move || {
            let words = if store.heard().get() == 0 { log::NOTHING_YET } else { log::NOTHING_LIKE_THAT };
            (list.length.get() == 0).then(|| el("p").class("hint").text(words.text()))
        });
    let element: Option<HtmlElement> = host.element().clone().dyn_into().ok();
    list.inner.update_value(|inner| inner.host.clone_from(&element));
    // Runs when the list gets a height, and when that or its content's height changes:
    // other rows are then on screen.
    let callback = wasm_bindgen::closure::Closure::<dyn FnMut()>::new(move || {
        list.resized();
        let focus = list.inner.try_update_value(|inner| std::mem::take(&mut inner.wants_focus));
        if let (Some(true), Some(host)) = (focus, list.host()) {
            // A focus that fails leaves the focus where it is, which is no harm.
            let _ = host.focus();
        }
    });
    if let (Ok(observer), Some(element)) =
        (web_sys::ResizeObserver::new(callback.as_ref().unchecked_ref()), &element)
    {
        observer.observe(element);
        observer.observe(rows.element());
        let held = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            held.try_with_value(|(observer, _)| observer.disconnect());
        });
    }
    host
}

/// The record that an event happened at.
fn record_of(event: &web_sys::Event) -> Option<u32> {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok())?;
    target.closest("[data-record]").ok().flatten()?.get_attribute("data-record")?.parse().ok()
}

fn record_row(list: List, row: usize) -> Option<El> {
    let record = list.record(row)?;
    let RecordSummary { name, time, summary, ephemeral, duplicate, .. } =
        record_summary(list.store(), record as usize, true)?;
    let mark = if duplicate { Some(log::SEEN_BEFORE) } else { ephemeral.then_some(log::EPHEMERAL) };
    // At the moment that is shown, this record had not come yet.
    let later = move || list.store().at().is_some_and(|at| record as usize >= at);
    let chosen = move || if list.chosen.get() == Some(record) { "true" } else { "false" };
    let top = div("record-top").child(el("code").text(&name)).child(el("time").text(&time));
    let below = div("record-below")
        .child(el("span").class("record-number").text(grouped(record as usize + 1)))
        .child(el("span").class("record-words").attr("dir", "auto").text(&summary))
        .child(mark.map(|mark| el("small").text(mark.text())));
    Some(
        div("record")
            .attr("data-later", later)
            .attr("role", "option")
            .attr("id", format!("ph-record-{record}"))
            .attr("data-record", record.to_string())
            .attr("aria-selected", chosen)
            .attr("aria-setsize", move || Some(list.length.get().to_string()))
            .attr("aria-posinset", (row + 1).to_string())
            .attr("style", format!("top:{}px", row * ROW as usize))
            .child(top)
            .child(below),
    )
}
