//! Marks the matches on the page with the browser's highlights, which change no element and no text.
//!
//! Only rows in the document are marked; without highlights in the browser, only the current row is. In the
//! current row, matches that are not in the document can be reached, too (`away`).

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{
    Element, MutationObserver, MutationObserverInit, Node, Range, ScrollIntoViewOptions,
    ScrollLogicalPosition,
};

use super::offscreen_matches::{MatchCounts, render_part};
use super::ranges::{find_ranges, highlight};
use super::survey::Seek;
use crate::ui::elements::reactive::render_effect;

/// Most marks in all rows together; a page full of one letter needs no more.
const MAX_MARKS: usize = 2_000;
/// Milliseconds within which a row that was stepped to may appear.
const ROW_TIMEOUT_MS: f64 = 2_000.0;
/// Milliseconds per frame for searching parts that are not in the document.
const SEARCH_MS_PER_FRAME: f64 = 5.0;
/// Most parts that are put into the document for one step: a counted match may not be visible there, if it is
/// in an address.
const MAX_PARTS_PER_STEP: usize = 40;
const MATCH_HIGHLIGHT: &str = "ph-found";
const CURRENT_HIGHLIGHT: &str = "ph-here";
/// Attribute of the row that was stepped to.
const ROW: &str = "data-here";

/// Keeps the marks up to date; views copy it.
#[derive(Clone, Copy)]
pub struct Highlighter {
    marks: StoredValue<Highlights, LocalStorage>,
    seek: Seek,
    here: RwSignal<Option<usize>>,
    /// The current match and the number of matches in its row; counted from 1.
    pub within: RwSignal<(usize, usize)>,
}

struct Highlights {
    bar: Element,
    found: Vec<Range>,
    /// The matches in the row that was stepped to, in their order.
    here: Vec<Match>,
    at: usize,
    counts: MatchCounts,
    /// Set after a step to another row: whether its first match (true) or its last is to be shown, and until
    /// when to wait for it.
    goal: Option<(bool, f64)>,
    row: Option<Element>,
    /// A frame has been requested.
    asked: bool,
    observer: Option<TimelineObserver>,
}

/// A match in the row that was stepped to.
struct Match {
    /// The part of a long text that it is in, and its number among the matches of that part.
    part: Option<Element>,
    nth: usize,
    /// `None` while that part is not in the document.
    range: Option<Range>,
}

struct TimelineObserver {
    observer: MutationObserver,
    _callback: Closure<dyn FnMut()>,
}

impl Drop for TimelineObserver {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Highlighter {
    /// Marks for a bar, until the current owner is dropped.
    pub fn new(seek: Seek, here: RwSignal<Option<usize>>, bar: Element) -> Self {
        let marks = Highlights {
            bar,
            found: Vec::new(),
            here: Vec::new(),
            at: 0,
            counts: MatchCounts::default(),
            goal: None,
            row: None,
            asked: false,
            observer: None,
        };
        let marker = Self { marks: StoredValue::new_local(marks), seek, here, within: RwSignal::new((0, 0)) };
        render_effect(move || {
            seek.version.track();
            here.track();
            marker.schedule_update();
        });
        // The bar is put into the document after this.
        spawn_local(async move { marker.watch() });
        on_cleanup(move || _ = marker.marks.try_update_value(Highlights::clear));
        marker
    }

    /// Asks for a match of the row that is stepped to: the first one if `forward`, else the last one.
    pub fn step_when_found(self, forward: bool) {
        self.marks.try_update_value(|marks| marks.goal = Some((forward, now() + ROW_TIMEOUT_MS)));
    }

    /// Steps to another match in the row. Returns whether there is one.
    pub fn step(self, forward: bool) -> bool {
        let stepped = self.marks.try_update_value(|marks| {
            let next = if forward { marks.at.checked_add(1) } else { marks.at.checked_sub(1) };
            let Some(next) = next.filter(|next| *next < marks.here.len()) else { return false };
            marks.at = next;
            true
        });
        let arrived = stepped == Some(true) && self.arrive(forward);
        self.update_position();
        arrived
    }

    /// Shows the current match, after putting its part into the document if necessary. Returns false if there
    /// is no match in that direction.
    fn arrive(self, forward: bool) -> bool {
        for _ in 0..MAX_PARTS_PER_STEP {
            let place = self.marks.try_with_value(|marks| {
                let place = marks.here.get(marks.at)?;
                Some((place.part.clone().filter(|_| place.range.is_none()), marks.at - place.nth))
            });
            let Some((away, first)) = place.flatten() else { return false };
            let Some(part) = away else {
                self.marks.try_update_value(|marks| marks.show());
                return true;
            };
            render_part(&part);
            self.highlight_matches();
            let next = if forward { Some(first) } else { first.checked_sub(1) };
            let found = self.marks.try_update_value(|marks| {
                let same = marks.here.get(marks.at).is_some_and(|place| place.part.as_ref() == Some(&part));
                if !same {
                    marks.at = next.filter(|next| *next < marks.here.len())?;
                }
                Some(())
            });
            if found.flatten().is_none() {
                return false;
            }
        }
        false
    }

    /// Marks again whenever the content of the timeline changes.
    fn watch(self) {
        let callback = Closure::<dyn FnMut()>::new(move || self.schedule_update());
        let Ok(observer) = MutationObserver::new(callback.as_ref().unchecked_ref()) else { return };
        let options = MutationObserverInit::new();
        options.set_child_list(true);
        options.set_character_data(true);
        options.set_subtree(true);
        self.marks.try_update_value(|marks| {
            if let Some(scroller) = marks.scroller()
                && observer.observe_with_options(&scroller, &options).is_ok()
            {
                marks.observer = Some(TimelineObserver { observer, _callback: callback });
            }
        });
    }

    fn schedule_update(self) {
        let asked = self.marks.try_update_value(|marks| std::mem::replace(&mut marks.asked, true));
        if asked == Some(false) {
            request_animation_frame(move || self.highlight_matches());
        }
    }

    fn highlight_matches(self) {
        let needle = self.seek.needle();
        let here = self.here.try_get_untracked().flatten();
        let until = now() + SEARCH_MS_PER_FRAME;
        let wished = self.marks.try_update_value(|marks| {
            marks.asked = false;
            let scroller = marks.scroller()?;
            marks.remove_highlights();
            let rows = scroller.query_selector_all("[data-row]").ok();
            let rows = rows
                .iter()
                .flat_map(|rows| (0..rows.length()).filter_map(|at| rows.item(at)?.dyn_into().ok()));
            let mut found = Vec::new();
            let (mut own, mut complete) = (Vec::new(), true);
            let was = marks.here.get(marks.at).map(|place| (place.part.clone(), place.nth));
            for row in rows.collect::<Vec<Element>>() {
                let is_here =
                    here.is_some_and(|here| row.get_attribute("data-row") == Some(here.to_string()));
                if let Some(needle) = &needle
                    && found.len() < MAX_MARKS
                {
                    let found_here = find_ranges(&row, needle, MAX_MARKS - found.len());
                    if let Some(here) = here.filter(|_| is_here) {
                        marks.counts.begin(needle, here);
                        let mut often = |part: &Element| {
                            let often = self.seek.count_in_part(&mut marks.counts, part, now() < until);
                            complete &= often.is_some();
                            often.unwrap_or(0)
                        };
                        own = matches_in_row(&row, &found_here, &mut often);
                    }
                    found.extend(found_here);
                }
                if is_here {
                    // Fails for invalid names only.
                    let _ = row.set_attribute(ROW, "");
                    marks.row = Some(row);
                }
            }
            highlight(MATCH_HIGHLIGHT, 0, &[], &found);
            marks.found = found;
            marks.here = own;
            let same = was.and_then(|(part, nth)| {
                let of_part = |known: &Match| part.is_some() && known.part == part && known.nth <= nth;
                marks.here.iter().rposition(of_part)
            });
            marks.at = same.unwrap_or(marks.at).min(marks.here.len().saturating_sub(1));
            let mut wished = None;
            match marks.goal {
                Some(_) if !complete => {}
                Some((forward, _)) if !marks.here.is_empty() => {
                    marks.goal = None;
                    marks.at = if forward { 0 } else { marks.here.len() - 1 };
                    wished = Some(forward);
                }
                Some((_, until)) if now() > until => marks.goal = None,
                _ => marks.highlight_current(),
            }
            Some((wished, complete))
        });
        if let Some((wished, complete)) = wished.flatten() {
            if let Some(forward) = wished {
                // In this frame the timeline still scrolls to the beginning of the row.
                request_animation_frame(move || {
                    self.arrive(forward);
                    self.update_position();
                });
            }
            if !complete {
                self.schedule_update();
            }
        }
        self.update_position();
    }

    fn update_position(self) {
        let within = self.marks.try_with_value(|marks| (marks.at + 1, marks.here.len())).unwrap_or_default();
        if self.within.try_get_untracked().is_some_and(|before| before != within) {
            self.within.set(within);
        }
    }
}

impl Highlights {
    fn scroller(&self) -> Option<Element> {
        self.bar.closest(".ph").ok().flatten()?.query_selector("[data-scroller]").ok().flatten()
    }

    /// Marks the current match.
    fn highlight_current(&self) {
        let own: Vec<Range> = self.here.iter().filter_map(|place| place.range.clone()).collect();
        let at = self.here.get(self.at).and_then(|place| place.range.clone());
        highlight(CURRENT_HIGHLIGHT, 1, &own, at.as_slice());
    }

    /// Marks the current match, and scrolls to it if it is not in view.
    fn show(&self) {
        self.highlight_current();
        let range = self.here.get(self.at).and_then(|place| place.range.as_ref());
        let (Some(range), Some(scroller)) = (range, self.scroller()) else { return };
        let around = range.start_container().ok().and_then(|node| node.parent_element());
        let Some(around) = around else { return };
        // A fold without state of its own can simply be opened.
        if let Ok(Some(folded)) = around.closest("details:not([open])") {
            let _ = folded.set_attribute("open", "");
        }
        let (place, viewport) = (range.get_bounding_client_rect(), scroller.get_bounding_client_rect());
        let inside = place.top() >= viewport.top() && place.bottom() <= viewport.bottom();
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

    fn remove_highlights(&mut self) {
        highlight(MATCH_HIGHLIGHT, 0, &self.found, &[]);
        let own: Vec<Range> = self.here.iter().filter_map(|place| place.range.clone()).collect();
        highlight(CURRENT_HIGHLIGHT, 1, &own, &[]);
        if let Some(row) = self.row.take() {
            let _ = row.remove_attribute(ROW);
        }
    }

    fn clear(&mut self) {
        self.remove_highlights();
        self.observer = None;
    }
}

/// The matches of a row, including those in parts that are not in the document, which `often` counts.
fn matches_in_row(row: &Element, found: &[Range], often: &mut dyn FnMut(&Element) -> usize) -> Vec<Match> {
    let away = row.query_selector_all("[data-away]").ok();
    let away =
        away.iter().flat_map(|away| (0..away.length()).filter_map(|at| away.item(at)?.dyn_into().ok()));
    let mut away = away.collect::<Vec<Element>>().into_iter().peekable();
    let mut matches: Vec<Match> = Vec::new();
    let mut all = found.iter();
    loop {
        let range = all.next();
        let start = range.and_then(|range| range.start_container().ok());
        let before = |part: &Element| {
            let order = start.as_ref().map(|start| part.compare_document_position(start));
            order.is_none_or(|order| order & Node::DOCUMENT_POSITION_FOLLOWING != 0)
        };
        while let Some(part) = away.next_if(|part| matches.len() < MAX_MARKS && before(part)) {
            for nth in 0..often(&part) {
                matches.push(Match { part: Some(part.clone()), nth, range: None });
            }
        }
        let Some(range) = range else { return matches };
        let part = start.and_then(|start| start.parent_element()?.closest(".part").ok().flatten());
        let before = matches.last().filter(|before| before.part == part);
        let nth = before.map_or(0, |place| place.nth + 1);
        matches.push(Match { part, nth, range: Some(range.clone()) });
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}
