//! The tab's title: [`Attention`] decides what it says of the sessions and boards on the page.

use std::cell::RefCell;

use leptos::prelude::document;

use crate::core::client::attention::{Attention, Need};

thread_local! {
    static ATTENTION: RefCell<Attention> = RefCell::default();
}

/// The number of a new session or board.
pub fn register() -> u32 {
    ATTENTION.with_borrow_mut(Attention::enter)
}

/// Changes what is needed, and shows it in the title. Returns what the sessions of the page need.
pub fn change(change: impl FnOnce(&mut Attention)) -> Need {
    let document = document();
    let (need, title) = ATTENTION.with_borrow_mut(|attention| {
        change(attention);
        (attention.need(), attention.title(&document.title()))
    });
    if let Some(title) = title {
        document.set_title(&title);
    }
    need
}
