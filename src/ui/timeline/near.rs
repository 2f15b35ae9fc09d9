//! Which rows are near enough to be in the document: those in sight, and some more for when the reader goes on.
//! Refuses to make them.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::Scroll;

/// Pixels kept ready above and below the viewport.
const MARGIN: f64 = 360.0;
/// The same right after a jump: what is in sight comes first.
const JUMP: f64 = 60.0;
/// Milliseconds after which a reader who jumped stays where they are.
const STAYS: u32 = 80;

/// How the rows for a scroll position are chosen.
pub(super) type Choose = fn(&mut Scroll, f64, (usize, usize), RwSignal<bool>) -> (usize, usize);

impl Scroll {
    /// The rows for a scroll position, the first and the one behind the last, where these are there now. `stays` is
    /// told when it is time for more of them.
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
            // In a frame, which also measures what is made: until then rows above lead elsewhere than the reader is. And
            // a reader who jumps once more in the meantime does not stay.
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

    /// The rows after some were measured: what a jump has made is there until the reader stays or goes on, also if it turned
    /// out higher than was thought. To take it away would be work in the very frame that has made it.
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
