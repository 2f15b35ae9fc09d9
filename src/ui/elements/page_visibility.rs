//! Whether the page is visible, for timers that need not run otherwise.

use gloo_events::EventListener;
use leptos::prelude::*;

use super::reactive::keep_with_owner;

/// False while the tab is hidden; updated until the current owner is dropped.
pub fn is_visible() -> RwSignal<bool> {
    let seen = RwSignal::new(!document().hidden());
    keep_with_owner(EventListener::new(&document(), "visibilitychange", move |_| {
        seen.try_set(!document().hidden());
    }));
    seen
}
