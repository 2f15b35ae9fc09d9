//! Finds the element that a fault of the program has hit. A fault is a call into the wasm that never returns: nothing it holds
//! is given back, and nothing it began is finished. `www/element.js` notices it and shows it.

use std::cell::Cell;

use leptos::prelude::*;

thread_local! {
    static LAST_MARK: Cell<u32> = const { Cell::new(0) };
}

/// Tells the elements of a page apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FaultMark(u32);

impl FaultMark {
    /// A new mark, in the context of everything that this owner will own.
    pub(super) fn within(owner: &Owner) -> Self {
        let mark = Self(LAST_MARK.replace(LAST_MARK.get() + 1));
        owner.with(|| provide_context(mark));
        mark
    }

    /// Whether the program was at work for this element when it stopped. The owner of a call that did not return is still
    /// the current one.
    pub(super) fn is_current(self) -> bool {
        use_context() == Some(self)
    }
}
