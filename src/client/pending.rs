//! The views that wait for what becomes of their calls.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;

use crate::store::{CallOutcome, CallResult};

/// Everybody who waits at one controller.
#[derive(Default)]
pub(super) struct Pending {
    last: Cell<u64>,
    waiting: RefCell<Vec<(u64, oneshot::Sender<CallResult>)>>,
}

impl Pending {
    /// The number of a new call, and the future of what becomes of it. That never comes if the controller goes first.
    pub(super) fn wait(&self) -> (u64, CallOutcome) {
        let number = self.last.get().wrapping_add(1);
        self.last.set(number);
        let (sender, receiver) = oneshot::channel();
        self.waiting.borrow_mut().push((number, sender));
        let outcome = async {
            match receiver.await {
                Ok(outcome) => outcome,
                Err(oneshot::Canceled) => std::future::pending().await,
            }
        };
        (number, Box::pin(outcome))
    }

    /// Passes on what became of a call.
    pub(super) fn resolve(&self, number: u64, outcome: CallResult) {
        let mut waiting = self.waiting.borrow_mut();
        let Some(place) = waiting.iter().position(|(waits, _)| *waits == number) else { return };
        let (_, sender) = waiting.remove(place);
        drop(waiting);
        // The view may have gone.
        let _ = sender.send(outcome);
    }
}
