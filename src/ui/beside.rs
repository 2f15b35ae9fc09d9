//! What the timeline and the model lens tell each other. Refuses to know what either of them looks like.

use leptos::prelude::*;

use super::lens::LensView;

/// One for each element; views copy it.
#[derive(Clone, Copy)]
pub struct Beside {
    /// Where the reader is in the timeline: the row on the reading line, and how much of it is above. The line moves
    /// from the top of the viewport at the list's start to its bottom at the list's end, so that both ends of two
    /// lists of different heights meet.
    pub at: RwSignal<f64>,
    /// Where the lens wants the timeline to be; not a number while the timeline leads.
    pub wish: RwSignal<f64>,
    /// The lens, while it is open.
    pub view: RwSignal<Option<LensView>>,
}

impl Beside {
    /// Must be made inside a reactive owner.
    pub fn new() -> Self {
        Self { at: RwSignal::new(0.0), wish: RwSignal::new(f64::NAN), view: RwSignal::new(None) }
    }

    /// Whether the timeline goes where the lens goes, and not the other way round.
    pub fn lens_leads(self) -> bool {
        !self.wish.get_untracked().is_nan()
    }
}

impl Default for Beside {
    fn default() -> Self {
        Self::new()
    }
}
