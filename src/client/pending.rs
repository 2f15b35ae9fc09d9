//! The views that wait for what becomes of their calls.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use serde_json::Value;

use crate::core::protocol::call::CallFailure;

type Outcome = Result<Value, CallFailure>;

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

/// Everybody who waits at one controller.
#[derive(Default)]
pub(super) struct Pending {
    last: Cell<u64>,
    waiting: RefCell<Vec<(u64, Rc<RefCell<Slot>>)>>,
}

impl Pending {
    /// The number of a new call, and the future of what becomes of it.
    pub(super) fn wait(&self) -> (u64, Answer) {
        let number = self.last.get().wrapping_add(1);
        self.last.set(number);
        let slot = Rc::<RefCell<Slot>>::default();
        self.waiting.borrow_mut().push((number, Rc::clone(&slot)));
        (number, Answer(slot))
    }

    /// Passes on what became of a call.
    pub(super) fn resolve(&self, number: u64, outcome: Outcome) {
        let mut waiting = self.waiting.borrow_mut();
        let Some(place) = waiting.iter().position(|(waits, _)| *waits == number) else { return };
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
