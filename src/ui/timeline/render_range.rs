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
