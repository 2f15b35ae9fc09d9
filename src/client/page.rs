//! The clients of this page, and what they share. What one tells another is passed on here.

use std::cell::{Cell, RefCell};
use std::rc::Weak;

use super::controller::Controller;
use crate::core::client::{Input, News, Page};

thread_local! {
    static PAGE: Cell<Page> = Cell::default();
    static LAST: Cell<u32> = const { Cell::new(0) };
    static MEMBERS: RefCell<Vec<(u32, Weak<Controller>)>> = const { RefCell::new(Vec::new()) };
}

/// Works with what the clients share. A fault of the program in between costs what they share, and no client but its own.
pub(super) fn with<R>(work: impl FnOnce(&mut Page) -> R) -> R {
    let mut page = PAGE.take();
    let worked = work(&mut page);
    PAGE.set(page);
    worked
}

/// A number for a new client of a controller, by which others can tell it something.
pub(super) fn enter(controller: &Weak<Controller>) -> u32 {
    let number = LAST.get().wrapping_add(1);
    LAST.set(number);
    MEMBERS.with_borrow_mut(|members| members.push((number, Weak::clone(controller))));
    number
}

/// The client with this number is gone.
pub(super) fn leave(number: u32) {
    MEMBERS.with_borrow_mut(|members| members.retain(|(other, _)| *other != number));
}

/// Tells something to the client with this number.
pub(super) fn tell(number: u32, news: News) {
    let told = MEMBERS.with_borrow(|members| {
        members.iter().find(|(other, _)| *other == number).and_then(|(_, member)| member.upgrade())
    });
    if let Some(controller) = told {
        controller.update(Input::News(news));
    }
}
