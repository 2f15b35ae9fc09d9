//! The clients of this page, and what they share. What one tells another is passed on here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::core::client::{News, Page};

/// Takes what another client tells.
type NewsInbox = Rc<dyn Fn(News)>;

thread_local! {
    static PAGE: Cell<Page> = Cell::default();
    static LAST: Cell<u32> = const { Cell::new(0) };
    static MEMBERS: RefCell<Vec<(u32, NewsInbox)>> = const { RefCell::new(Vec::new()) };
}

/// Works with what the clients share. A fault of the program in between costs what they share, and no client but its own.
pub(super) fn with<R>(work: impl FnOnce(&mut Page) -> R) -> R {
    let mut page = PAGE.take();
    let worked = work(&mut page);
    PAGE.set(page);
    worked
}

/// A number for a new client, by which others can tell it something.
pub(super) fn register(inbox: impl Fn(News) + 'static) -> u32 {
    let number = LAST.get().wrapping_add(1);
    LAST.set(number);
    MEMBERS.with_borrow_mut(|members| members.push((number, Rc::new(inbox))));
    number
}

/// The client with this number is gone.
pub(super) fn unregister(number: u32) {
    MEMBERS.with_borrow_mut(|members| members.retain(|(other, _)| *other != number));
}

/// Tells something to the client with this number.
pub(super) fn send_news(number: u32, news: News) {
    let inbox = MEMBERS.with_borrow(|members| {
        members.iter().find(|(other, _)| *other == number).map(|(_, inbox)| Rc::clone(inbox))
    });
    if let Some(inbox) = inbox {
        inbox(news);
    }
}
