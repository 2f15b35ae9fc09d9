//! When the silence of an open connection is checked. `core::connection::Pulse` judges it. While
//! nobody waits for anything no timer runs.

use std::rc::Rc;

use super::{Supervisor, now};
use crate::core::connection::{ANSWER_MS, Beat, ConnectionState, Failure, QUIET_MS, UNANSWERED_MS};

impl Supervisor {
    /// Sets whether somebody waits for the next event.
    pub(in crate::client::transport) fn attend(self: &Rc<Self>, on: bool) {
        if self.attended.replace(on) != on {
            self.feel();
        }
    }

    /// Checks the connection if somebody waits for something; otherwise stops the timer.
    pub(super) fn feel(self: &Rc<Self>) {
        let quiet = match () {
            () if !self.pending.is_empty() => UNANSWERED_MS,
            () if self.attended.get() || self.pulse.borrow().has_pinged() => QUIET_MS,
            () => return drop(self.beat.take()),
        };
        self.check(quiet);
    }

    /// Checks an open connection. Silence means that it is dead only if the
    /// server has given signs of life before.
    pub(super) fn check(self: &Rc<Self>, quiet_ms: u64) {
        if !self.vital.get() || *self.policy.borrow().state() != ConnectionState::Open {
            return;
        }
        let quiet_ms = if self.speaks() { quiet_ms } else { self.pulse.borrow().stream_quiet_ms() };
        let beat = self.pulse.borrow_mut().check(now(), quiet_ms);
        match beat {
            Beat::Wait { delay_ms } => self.set_beat(delay_ms),
            Beat::Ping => {
                if let Some(carrier) = &*self.carrier.borrow() {
                    carrier.ping();
                }
                self.set_beat(ANSWER_MS);
            }
            Beat::Dead => self.failed(&Failure::Silent),
        }
    }

    fn speaks(&self) -> bool {
        self.carrier.borrow().as_ref().is_some_and(|carrier| carrier.speaks())
    }

    fn set_beat(self: &Rc<Self>, delay_ms: u64) {
        *self.beat.borrow_mut() = Some(self.later(delay_ms, Self::feel));
    }
}
