//! Chooses which rows are in the document: those in sight, and some more for scrolling on.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::scroller::Scroll;

/// Pixels kept ready above and below the viewport.
const MARGIN: f64 = 360.0;
/// The same right after a jump: rows in sight come first.
const JUMP: f64 = 60.0;
/// Milliseconds without another jump after which the reader counts as staying.
const STAYS: u32 = 80;

/// Most rows that are rendered for one that has the focus and is out of sight.
const REACH: usize = 200;

/// The rows, and all up to the one with the focus: who types goes on typing, wherever they have scrolled to.
pub(super) fn with_row((first, last): (usize, usize), focused: Option<usize>, len: usize) -> (usize, usize) {
    match focused.filter(|row| *row < len) {
        Some(row) if row < first && first - row <= REACH => (row, last),
        Some(row) if row >= last && row - last < REACH => (first, row + 1),
        _ => (first, last),
    }
}

/// Chooses rows, as (first, end), from a scroll position and the rows that are there now.
pub(super) type Choose = fn(&mut Scroll, f64, (usize, usize), RwSignal<bool>) -> (usize, usize);

impl Scroll {
    /// The rows for a scroll position, as (first, end). After a jump `stays` is set to false, and to true
    /// again when it is time for more rows.
    pub(super) fn near(
        &mut self,
        top: f64,
        (from, to): (usize, usize),
        stays: RwSignal<bool>,
    ) -> (usize, usize) {
        let (first, last) = self.heights.window(top, self.viewport, MARGIN);
        let elsewhere = first >= to || last <= from;
        if elsewhere {
            if stays.get_untracked() {
                stays.set(false);
            }
            let jump = Rc::new(());
            let last = Rc::downgrade(&jump);
            // Set in a frame, since only a frame also measures new rows: until then the estimates above would
            // move the reader elsewhere. Another jump in the meantime cancels it.
            let in_frame = move || {
                request_animation_frame(move || {
                    if last.strong_count() > 0 {
                        stays.try_set(true);
                    }
                });
            };
            self.stays = Some((Timeout::new(STAYS, in_frame), jump));
        } else if stays.get_untracked() {
            self.stays = None;
            return (first, last);
        }
        self.heights.window(top, self.viewport, JUMP)
    }

    /// The rows after some were measured. Rows rendered by a jump are kept until the reader stays or goes on,
    /// even if they turn out higher than estimated: removing them would be work in the very frame that has
    /// rendered them.
    pub(super) fn still_near(
        &mut self,
        top: f64,
        (from, to): (usize, usize),
        stays: RwSignal<bool>,
    ) -> (usize, usize) {
        let (first, last) = self.near(top, (from, to), stays);
        if stays.get_untracked() || first >= to || last <= from || to > self.heights.len() {
            return (first, last);
        }
        (first.min(from), last.max(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_the_focus_stays_in_the_document_unless_it_is_far_away() {
        for (range, focused, len, expected) in [
            ((10, 20), None, 50, (10, 20)),
            ((10, 20), Some(15), 50, (10, 20)),
            ((10, 20), Some(3), 50, (3, 20)),
            ((10, 20), Some(20), 50, (10, 21)),
            ((10, 20), Some(49), 50, (10, 50)),
            ((10, 20), Some(50), 50, (10, 20)),
            ((1000, 1020), Some(800), 5000, (800, 1020)),
            ((1000, 1020), Some(799), 5000, (1000, 1020)),
            ((1000, 1020), Some(1220), 5000, (1000, 1020)),
        ] {
            assert_eq!(with_row(range, focused, len), expected, "{range:?} {focused:?}");
        }
    }
}
