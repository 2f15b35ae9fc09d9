//! Which rows are near enough to be in the document: those in sight, and some more for when the reader goes on.
//! Refuses to make them.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::Scroll;

/// Pixels kept ready above and below the viewport.
const MARGIN: f64 = 360.0;
/// The same right after a jump: what is in sight comes first.
const JUMP: f64 = 60.0;
/// Milliseconds after which a reader who jumped stays where they are.
const STAYS: u32 = 80;

impl Scroll {
    /// The rows for a scroll position, the first and the one behind the last, where these are there now. `stays` is
    /// told when it is time for more of them.
    pub(super) fn near(
        &mut self,
        top: f64,
        (from, to): (usize, usize),
        stays: RwSignal<u32>,
    ) -> (usize, usize) {
        let (first, last) = self.heights.window(top, self.viewport, MARGIN);
        let elsewhere = first >= to || last <= from;
        if elsewhere {
            let told = move || stays.try_update(|times| *times = times.wrapping_add(1));
            self.stays = Some(Timeout::new(STAYS, move || _ = told()));
        } else if self.stays.is_none() || self.stays_since != stays.get_untracked() {
            self.stays = None;
            return (first, last);
        }
        self.stays_since = stays.get_untracked();
        self.heights.window(top, self.viewport, JUMP)
    }
}
