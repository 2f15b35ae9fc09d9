//! The requests that wait for an answer, by id, each with its time limit.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

use super::{Outcome, RequestError};

/// How long a request waits for its answer, in milliseconds.
pub(super) const ANSWER_LIMIT_MS: u32 = 60_000;

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

/// Runs `work` at once, whether the answer is polled or not. The end of the connection does not cancel it.
pub(super) fn spawn(work: impl Future<Output = Outcome> + 'static) -> Answer {
    let slot = Rc::<RefCell<Slot>>::default();
    let result = slot.clone();
    spawn_local(async move { settle(&result, work.await) });
    Answer(slot)
}

struct Waiting {
    slot: Rc<RefCell<Slot>>,
    _limit: Timeout,
}

/// Every request in flight of one link. Ids never repeat, so an answer from an earlier
/// connection can't meet a later request.
#[derive(Default)]
pub(super) struct Pending {
    last_id: Cell<u64>,
    waiting: RefCell<HashMap<u64, Waiting>>,
}

impl Pending {
    /// A new id.
    pub(super) fn next_id(&self) -> u64 {
        let id = self.last_id.get().wrapping_add(1);
        self.last_id.set(id);
        id
    }

    /// Waits for the answer to `id`.
    pub(super) fn wait(self: &Rc<Self>, id: u64) -> Answer {
        let slot = Rc::<RefCell<Slot>>::default();
        let table = Rc::downgrade(self);
        let limit = Timeout::new(ANSWER_LIMIT_MS, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if let Some(table) = table.upgrade() {
                    table.resolve(id, Err(RequestError::NoAnswer));
                }
            });
        });
        self.waiting.borrow_mut().insert(id, Waiting { slot: slot.clone(), _limit: limit });
        Answer(slot)
    }

    /// True if no answer is awaited.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.borrow().is_empty()
    }

    /// Resolves the request `id`; an unknown id is ignored.
    pub(super) fn resolve(&self, id: u64, outcome: Outcome) {
        let waiting = self.waiting.borrow_mut().remove(&id);
        if let Some(waiting) = waiting {
            settle(&waiting.slot, outcome);
        }
    }

    /// Resolves all requests as lost, because the connection is gone.
    pub(super) fn lose_all(&self) {
        let all = std::mem::take(&mut *self.waiting.borrow_mut());
        for waiting in all.into_values() {
            settle(&waiting.slot, Err(RequestError::Lost));
        }
    }
}

fn settle(slot: &RefCell<Slot>, outcome: Outcome) {
    let waker = {
        let mut slot = slot.borrow_mut();
        slot.outcome = Some(outcome);
        slot.waker.take()
    };
    if let Some(waker) = waker {
        waker.wake();
    }
}
