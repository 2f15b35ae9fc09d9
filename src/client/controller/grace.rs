//! Waits for a session that is silent after its turn: without an event that says so, it is idle after a grace.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;

use super::Controller;
use crate::core::model::state::GRACE;

/// The timer, and the newest record when it was set.
#[derive(Default)]
pub(super) struct Grace(RefCell<Option<(u64, Timeout)>>);

impl Controller {
    /// Sets the timer if the session has become silent, and drops one that is not wanted any longer.
    pub(super) fn wait_for_idle(self: &Rc<Self>) {
        let record = self.session.borrow().state().idle_after_grace();
        let mut timer = self.grace.0.borrow_mut();
        if timer.as_ref().map(|(record, _)| *record) == record {
            return;
        }
        *timer = record.map(|record| {
            let weak = Rc::downgrade(self);
            let ended = move || {
                if let Some(controller) = weak.upgrade() {
                    controller.feed(|session| session.grace_ended(record));
                }
            };
            (record, Timeout::new(GRACE, ended))
        });
    }

    /// Drops the timer.
    pub(super) fn stop_waiting_for_idle(&self) {
        self.grace.0.replace(None);
    }
}
