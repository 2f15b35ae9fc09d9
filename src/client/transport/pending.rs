//! The callers that wait for what becomes of their requests, by ticket.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::core::client::connection::Outcome;

#[derive(Default)]
struct Slot {
    outcome: Option<Outcome>,
    waker: Option<Waker>,
}

/// The future of one answer.
pub(super) struct Answer(Rc<RefCell<Slot>>);

impl Future for Answer {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let mut slot = self.0.borrow_mut();
        if let Some(outcome) = slot.outcome.take() {
            return Poll::Ready(outcome);
        }
        slot.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

/// Everybody who waits at one link.
#[derive(Default)]
pub(super) struct Pending {
    last: Cell<u64>,
    waiting: RefCell<Vec<(u64, Rc<RefCell<Slot>>)>>,
}

impl Pending {
    /// A new ticket, and the future of what becomes of the request.
    pub(super) fn wait(&self) -> (u64, Answer) {
        let ticket = self.last.get().wrapping_add(1);
        self.last.set(ticket);
        let slot = Rc::<RefCell<Slot>>::default();
        self.waiting.borrow_mut().push((ticket, Rc::clone(&slot)));
        (ticket, Answer(slot))
    }

    /// Passes on what became of a request.
    pub(super) fn resolve(&self, ticket: u64, outcome: Outcome) {
        let mut waiting = self.waiting.borrow_mut();
        let Some(place) = waiting.iter().position(|(waits, _)| *waits == ticket) else { return };
        let (_, slot) = waiting.remove(place);
        drop(waiting);
        let mut slot = slot.borrow_mut();
        slot.outcome = Some(outcome);
        let waker = slot.waker.take();
        drop(slot);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
