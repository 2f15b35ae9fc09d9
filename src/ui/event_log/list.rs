//! A long list of records of which only those on screen are in the document.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

use super::record_summary::{RecordSummary, record_summary};
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::log;
use crate::core::view_model::heights::Heights;
use crate::core::view_model::windowed_list::{Movement, WindowedList};
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::focus::focus;
use crate::ui::elements::windowed_list::{ListChange, ListView};

/// The height of a row in pixels.
const ROW: f64 = 44.0;

/// Appends the records that belong in the list, from a record on.
pub type Select = Box<dyn Fn(&mut Vec<u32>, usize)>;

struct ListState {
    store: Store,
    select: Select,
    records: Vec<u32>,
    looked: usize,
    /// It follows new records whenever the reader is at its end.
    live: bool,
    /// A record was chosen at the end. The list follows again when it is deselected, however many records were added
    /// in between.
    follows_again: bool,
    wants_focus: bool,
}

/// One list; views copy it.
#[derive(Clone, Copy)]
pub struct RecordList {
    state: StoredValue<ListState, LocalStorage>,
    host: StoredValue<El, LocalStorage>,
    view: ListView,
    length: RwSignal<usize>,
    chosen: RwSignal<Option<u32>>,
    /// Changes when the list has other records.
    renewed: RwSignal<u32>,
}

impl RecordList {
    /// A list of the records that `select` appends; it grows as records come in. If it is `live`, it stays at its end
    /// meanwhile, until the reader scrolls up.
    pub fn new(store: Store, live: bool, select: Select) -> Self {
        let state = ListState {
            store,
            select,
            records: Vec::new(),
            looked: 0,
            live,
            follows_again: false,
            wants_focus: false,
        };
        let host = div("records");
        let rows = WindowedList::new(Heights::of_equal_rows(ROW), live.then_some(ROW));
        let list = Self {
            state: StoredValue::new_local(state),
            view: ListView::new(host.element().clone(), "data-at", rows, RwSignal::new(false)),
            host: StoredValue::new_local(host),
            length: RwSignal::new(0),
            chosen: RwSignal::new(None),
            renewed: RwSignal::new(0),
        };
        list.view.on_move(move |moved| list.moved(moved));
        Effect::new(move |_| {
            store.track_input();
            untrack(|| list.append_new_records());
        });
        Effect::new(move |before: Option<(u32, u32)>| {
            let now = store.history().log_number();
            if before.is_some_and(|before| before != now) {
                untrack(|| {
                    list.deselect();
                    list.restart();
                });
            }
            now
        });
        list
    }

    /// Gets the focus as soon as it is on the page.
    pub fn take_focus(self) {
        self.state.update_value(|state| state.wants_focus = true);
    }

    /// Adds the records that were received since.
    pub fn append_new_records(self) {
        let end = super::archive::length(self.store());
        self.state.update_value(|state| {
            let from =
                state.records.last().map_or(state.looked, |last| (*last as usize + 1).max(state.looked));
            (state.select)(&mut state.records, from);
            // Going through the log may find a record some time after it was received, so the
            // rest is looked at again.
            state.looked = if state.live { end } else { 0 };
        });
        let length = self.state.with_value(|state| state.records.len());
        if self.length.get_untracked() != length {
            self.length.set(length);
        }
        let chosen = self.chosen_index();
        self.view.update(|list| {
            list.truncate(length);
            for _ in list.len()..length {
                list.push(ROW, false);
            }
            list.pin(chosen);
        });
    }

    /// Starts again, because other records belong in the list.
    pub fn restart(self) {
        self.state.update_value(|state| {
            state.records.clear();
            state.looked = 0;
        });
        self.renewed.update(|times| *times = times.wrapping_add(1));
        self.append_new_records();
    }

    /// The number of records in the list, and in the log; subscribes.
    pub fn count(self) -> (usize, usize) {
        self.store().track_input();
        (self.length.get(), super::archive::length(self.store()))
    }

    /// All of its records.
    pub fn records(self) -> Vec<u32> {
        self.state.with_value(|state| state.records.clone())
    }

    /// The chosen record; subscribes.
    pub fn chosen(self) -> Option<usize> {
        self.chosen.get().map(|record| record as usize)
    }

    /// Chooses its first record, if it has one.
    pub fn choose_first(self) {
        if let Some(first) = self.record(0) {
            self.choose(Some(first));
        }
    }

    fn choose(self, record: Option<u32>) {
        self.chosen.set(record);
        let at = self.chosen_index();
        self.view.update(|list| list.pin(at));
    }

    /// Deselects the chosen record. A reader who is at the end, or was there when they chose it and has not
    /// scrolled up since, follows again.
    pub fn deselect(self) {
        self.choose(None);
        let again = self.state.try_update_value(|state| std::mem::take(&mut state.follows_again));
        self.view.update(|list| {
            let follows = list.is_following() || list.is_at_end() || again == Some(true);
            list.follow(follows);
        });
    }

    /// Stops following while a record is chosen.
    fn pause(self) {
        let at_end = self.view.update(|list| {
            let at_end = list.is_following() || list.is_at_end();
            list.follow(false);
            at_end
        });
        if at_end == Some(true) {
            self.state.update_value(|state| state.follows_again = true);
        }
    }

    fn record(self, place: usize) -> Option<u32> {
        self.state.with_value(|state| state.records.get(place).copied())
    }

    fn store(self) -> Store {
        self.state.with_value(|state| state.store)
    }

    fn moved(self, moved: ListChange) {
        match moved {
            ListChange::Scrolled(Movement::Up) => {
                self.state.update_value(|state| state.follows_again = false);
            }
            // The list has its place on the page.
            ListChange::Resized => {
                let wants_focus = self.state.try_update_value(|state| std::mem::take(&mut state.wants_focus));
                if let (Some(true), Some(host)) = (wants_focus, self.view.element()) {
                    focus(&host, true);
                }
            }
            _ => {}
        }
    }

    fn scroll_into_view(self, place: usize) {
        self.state.update_value(|state| state.follows_again = false);
        self.view.update(|list| list.follow(false));
        self.view.scroll_into_view(place);
        self.pause();
    }

    /// The place of the chosen record in the list.
    fn chosen_index(self) -> Option<usize> {
        let chosen = self.chosen.get_untracked()?;
        self.state.with_value(|state| state.records.binary_search(&chosen).ok())
    }

    fn pressed(self, event: &web_sys::Event) {
        let Some(key) = key(event) else { return };
        let length = self.length.get_untracked();
        let Some(end) = length.checked_sub(1) else { return };
        let at = self.chosen_index();
        let page = self.view.read(|list| (list.viewport() / ROW) as usize).unwrap_or(10).max(1);
        let next = match (key.as_str(), at) {
            ("ArrowDown", Some(at)) => at + 1,
            ("ArrowUp", Some(at)) => at.saturating_sub(1),
            ("PageDown", Some(at)) => at + page,
            ("PageUp", Some(at)) => at.saturating_sub(page),
            ("Home", _) => 0,
            ("End" | "ArrowUp" | "ArrowDown" | "PageUp" | "PageDown", _) => end,
            ("Escape", Some(_)) if self.state.with_value(|state| state.live) => {
                event.stop_propagation();
                self.deselect();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        let next = next.min(end);
        self.choose(self.record(next));
        self.scroll_into_view(next);
    }
}

/// The list's element.
pub fn list(list: RecordList) -> El {
    let store = list.store();
    let place = |record: u32| format!("ph-record-{record}");
    let keys = move || {
        let ((first, end), epoch) = (list.view.range.get(), list.renewed.get());
        (first..end.min(list.length.get())).map(|row| (epoch, row)).collect()
    };
    let rows = list.view.rows(el("div").attr("role", "presentation"), keys, move |row| record_row(list, row));
    list.host
        .get_value()
        .attr("role", "listbox")
        .attr("tabindex", "0")
        .attr("aria-label", log::EVENTS.text())
        .attr("aria-activedescendant", move || list.chosen.get().map(place))
        .on("scroll", move |_| list.view.scrolled())
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
                    list.deselect();
                } else {
                    list.choose(Some(record));
                }
            }
        })
        .child(rows)
        .child(move || {
            store.track_input();
            let words =
                if super::archive::length(store) == 0 { log::NOTHING_YET } else { log::NOTHING_LIKE_THAT };
            (list.length.get() == 0).then(|| el("p").class("hint").text(words.text()))
        })
}

/// The record that an event happened at.
fn record_of(event: &web_sys::Event) -> Option<u32> {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok())?;
    target.closest("[data-record]").ok().flatten()?.get_attribute("data-record")?.parse().ok()
}

fn record_row(list: RecordList, row: usize) -> El {
    let host = div("record").attr("data-at", row.to_string());
    let summary = |record: &u32| record_summary(list.store(), *record as usize, true);
    let Some((record, summary)) = list.record(row).and_then(|record| Some((record, summary(&record)?)))
    else {
        return host;
    };
    let RecordSummary { name, time, summary, ephemeral, duplicate, .. } = summary;
    let mark = if duplicate { Some(log::SEEN_BEFORE) } else { ephemeral.then_some(log::EPHEMERAL) };
    // At the moment that is shown, this record had not come yet.
    let later = move || list.store().history().at().get().is_some_and(|at| record as usize >= at);
    let chosen = move || if list.chosen.get() == Some(record) { "true" } else { "false" };
    let top = div("record-top").child(el("code").text(&name)).child(el("time").text(&time));
    let below = div("record-below")
        .child(el("span").class("record-number").text(grouped(record as usize + 1)))
        .child(exact(el("span").class("record-words").attr("dir", "auto"), &summary))
        .child(mark.map(|mark| el("small").text(mark.text())));
    host.attr("data-later", later)
        .attr("role", "option")
        .attr("id", format!("ph-record-{record}"))
        .attr("data-record", record.to_string())
        .attr("aria-selected", chosen)
        .attr("aria-setsize", move || Some(list.length.get().to_string()))
        .attr("aria-posinset", (row + 1).to_string())
        .child(top)
        .child(below)
}

/// The key of a keyboard event, if no modifier is pressed.
fn key(event: &web_sys::Event) -> Option<String> {
    let event = event.dyn_ref::<web_sys::KeyboardEvent>()?;
    let free = !(event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key());
    free.then(|| event.key())
}
