//! The order in which effects are carried out.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Effects that wait to be carried out, in the order of the updates that want them.
pub(super) struct EffectQueue<E> {
    waiting: RefCell<VecDeque<E>>,
    /// The effects are being carried out.
    busy: Cell<bool>,
}

impl<E> EffectQueue<E> {
    /// None waits.
    pub(super) fn new() -> Self {
        Self { waiting: RefCell::default(), busy: Cell::new(false) }
    }

    /// Carries out effects after those that wait already. One may lead to an update: what comes of that waits for its turn.
    pub(super) fn carry_out(&self, effects: Vec<E>, carry_out: impl Fn(E)) {
        self.waiting.borrow_mut().extend(effects);
        if self.busy.replace(true) {
            return;
        }
        loop {
            let Some(effect) = self.waiting.borrow_mut().pop_front() else { break };
            carry_out(effect);
        }
        self.busy.set(false);
    }
}
