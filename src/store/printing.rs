//! Whether the page is being printed. All sessions on it are printed together.

use leptos::prelude::*;

thread_local! {
    static PRINTING: ArcRwSignal<bool> = ArcRwSignal::new(false);
}

/// Whether the page is being printed, or is about to be. Subscribes.
pub fn is_printing() -> bool {
    PRINTING.with(|printing| printing.get())
}

/// Sets whether the page is being printed.
pub(super) fn set(on: bool) {
    PRINTING.with(|printing| {
        if printing.get_untracked() != on {
            printing.set(on);
        }
    });
}
