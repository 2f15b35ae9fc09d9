//! The state that the timeline and the model lens share to keep their scroll positions together.

use leptos::prelude::*;

use super::lens_view::LensView;

/// One per element; views copy it.
#[derive(Clone, Copy)]
pub struct ScrollSync {
    /// Where the reader is in the timeline, in rows: the index of the row on the reading line, plus the
    /// fraction of that row above the line. The line moves from the top of the viewport at the list's start
    /// to its bottom at the list's end, so that two lists of different heights meet at both ends.
    pub at: RwSignal<f64>,
    /// The position that the lens wants the timeline to scroll to, in the same unit; NaN while the timeline
    /// leads.
    pub target: RwSignal<f64>,
    /// The lens's state, while it is open.
    pub view: RwSignal<Option<LensView>>,
}

impl ScrollSync {
    /// Must be made inside a reactive owner.
    pub fn new() -> Self {
        Self { at: RwSignal::new(0.0), target: RwSignal::new(f64::NAN), view: RwSignal::new(None) }
    }

    /// Whether the timeline follows the lens, instead of the lens following the timeline.
    pub fn is_lens_leader(self) -> bool {
        !self.target.get_untracked().is_nan()
    }
}

impl Default for ScrollSync {
    fn default() -> Self {
        Self::new()
    }
}
