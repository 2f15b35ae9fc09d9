//! The marks over what was found, by the browser's own highlights: no element and no text changes for them. Refuses
//! rows that are not in the document; where a browser has no highlights, only the row is marked.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{
    Element, MutationObserver, MutationObserverInit, Range, ScrollIntoViewOptions, ScrollLogicalPosition,
};

use super::places::{highlight, places};
use super::seek::Seek;
use crate::ui::dom::follow;

/// Marks in all rows together; a page full of one letter needs no more.
const MOST: usize = 2_000;
/// Milliseconds in which a row that was gone to may appear.
const PATIENCE: f64 = 2_000.0;
const FOUND: &str = "ph-found";
const HERE: &str = "ph-here";
/// The row that was gone to.
const ROW: &str = "data-here";

/// Keeps the marks up to date; views copy it.
#[derive(Clone, Copy)]
pub struct Marker {
    marks: StoredValue<Marks, LocalStorage>,
    seek: Seek,
    here: RwSignal<Option<usize>>,
    /// Which of how many places of the row it is; from 1.
    pub within: RwSignal<(usize, usize)>,
}

struct Marks {
    bar: Element,
    found: Vec<Range>,
    /// Those in the row that was gone to.
    here: Vec<Range>,
    at: usize,
    /// The one of them that is gone to is to be brought into view: the first or the last, and until when.
    wish: Option<(bool, f64)>,
    row: Option<Element>,
    /// A frame is on its way.
    asked: bool,
    observer: Option<Observer>,
}

struct Observer {
    observer: MutationObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Marker {
    /// For the bar, as long as the owner lives.
    pub fn new(seek: Seek, here: RwSignal<Option<usize>>, bar: Element) -> Self {
        let marks = Marks {
            bar,
            found: Vec::new(),
            here: Vec::new(),
            at: 0,
            wish: None,
            row: None,
            asked: false,
            observer: None,
        };
        let marker = Self { marks: StoredValue::new_local(marks), seek, here, within: RwSignal::new((0, 0)) };
        follow(Box::new(move || {
            seek.version.track();
            here.track();
            marker.soon();
        }));
        // The bar is put into the document after this.
        spawn_local(async move { marker.watch() });
        on_cleanup(move || _ = marker.marks.try_update_value(Marks::clear));
        marker
    }

    /// The row that is gone to has a place to be brought into view.
    pub fn wish(self, forward: bool) {
        self.marks.try_update_value(|marks| marks.wish = Some((forward, now() + PATIENCE)));
    }

    /// Goes to another place of the row. Returns whether there is one.
    pub fn step(self, forward: bool) -> bool {
        let stepped = self.marks.try_update_value(|marks| {
            let next = if forward { marks.at.checked_add(1) } else { marks.at.checked_sub(1) };
            let Some(next) = next.filter(|next| *next < marks.here.len()) else { return false };
            marks.at = next;
            marks.show();
            true
        });
        self.tell();
        stepped.unwrap_or(false)
    }

    /// Marks again whatever the timeline has in the document.
    fn watch(self) {
        let callback = Closure::<dyn FnMut()>::new(move || self.soon());
        let Ok(observer) = MutationObserver::new(callback.as_ref().unchecked_ref()) else { return };
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_character_data(true);
        options.set_subtree(true);
        self.marks.try_update_value(|marks| {
            if let Some(scroller) = marks.scroller()
                && observer.observe_with_options(&scroller, &options).is_ok()
            {
                marks.observer = Some(Observer { observer, _callback: callback });
            }
        });
    }

    fn soon(self) {
        let asked = self.marks.try_update_value(|marks| std::mem::replace(&mut marks.asked, true));
        if asked == Some(false) {
            request_animation_frame(move || self.mark());
        }
    }

    fn mark(self) {
        let needle = self.seek.needle();
        let here = self.here.try_get_untracked().flatten();
        self.marks.try_update_value(|marks| {
            marks.asked = false;
            let Some(scroller) = marks.scroller() else { return };
            marks.unmark();
            let rows = scroller.query_selector_all("[data-row]").ok();
            let rows = rows
                .iter()
                .flat_map(|rows| (0..rows.length()).filter_map(|at| rows.item(at)?.dyn_into().ok()));
            let mut found = Vec::new();
            let mut own = Vec::new();
            for row in rows.collect::<Vec<Element>>() {
                let is_here =
                    here.is_some_and(|here| row.get_attribute("data-row") == Some(here.to_string()));
                if let Some(needle) = &needle
                    && found.len() < MOST
                {
                    let places = places(&row, needle, MOST - found.len());
                    if is_here {
                        own.clone_from(&places);
                    }
                    found.extend(places);
                }
                if is_here {
                    // Fails for invalid names only.
                    let _ = row.set_attribute(ROW, "");
                    marks.row = Some(row);
                }
            }
            highlight(FOUND, 0, &[], &found);
            marks.found = found;
            marks.here = own;
            marks.at = marks.at.min(marks.here.len().saturating_sub(1));
            match marks.wish {
                Some((forward, _)) if !marks.here.is_empty() => {
                    marks.wish = None;
                    marks.at = if forward { 0 } else { marks.here.len() - 1 };
                    marks.show();
                }
                Some((_, until)) if now() > until => marks.wish = None,
                _ => marks.point(),
            }
        });
        self.tell();
    }

    fn tell(self) {
        let within = self.marks.try_with_value(|marks| (marks.at + 1, marks.here.len())).unwrap_or_default();
        if self.within.try_get_untracked().is_some_and(|before| before != within) {
            self.within.set(within);
        }
    }
}

impl Marks {
    fn scroller(&self) -> Option<Element> {
        self.bar.closest(".ph").ok().flatten()?.query_selector("[data-scroller]").ok().flatten()
    }

    /// Marks the place that was gone to.
    fn point(&self) {
        highlight(HERE, 1, &self.here, self.here.get(self.at..=self.at).unwrap_or_default());
    }

    /// Marks it and brings it into view, if it is not there.
    fn show(&self) {
        self.point();
        let (Some(range), Some(scroller)) = (self.here.get(self.at), self.scroller()) else { return };
        let around = range.start_container().ok().and_then(|node| node.parent_element());
        let Some(around) = around else { return };
        // What the browser folded by itself, it can unfold by itself.
        if let Ok(Some(folded)) = around.closest("details:not([open])") {
            let _ = folded.set_attribute("open", "");
        }
        let (place, sight) = (range.get_bounding_client_rect(), scroller.get_bounding_client_rect());
        let inside = place.top() >= sight.top() && place.bottom() <= sight.bottom();
        let whole = around.scroll_width() <= around.client_width();
        if !inside || !whole {
            let options = ScrollIntoViewOptions::new();
            options.set_block(if inside {
                ScrollLogicalPosition::Nearest
            } else {
                ScrollLogicalPosition::Center
            });
            options.set_inline(ScrollLogicalPosition::Nearest);
            around.scroll_into_view_with_scroll_into_view_options(&options);
        }
    }

    fn unmark(&mut self) {
        highlight(FOUND, 0, &self.found, &[]);
        highlight(HERE, 1, &self.here, &[]);
        if let Some(row) = self.row.take() {
            let _ = row.remove_attribute(ROW);
        }
    }

    fn clear(&mut self) {
        self.unmark();
        self.observer = None;
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
