//! Owns when the silence of an open connection is looked into. Refuses to judge it (`core::connection::Pulse` does),
//! and to run a timer while nobody waits for anything.

use std::rc::Rc;

use super::{Supervisor, now};
use crate::core::connection::{ANSWER_MS, Beat, ConnectionState, Failure, QUIET_MS, UNANSWERED_MS};

impl Supervisor {
    /// Says whether somebody waits for what comes next.
    pub(in crate::link) fn attend(self: &Rc<Self>, on: bool) {
        if self.attended.replace(on) != on {
            self.feel();
        }
    }

    /// Looks after the connection if somebody waits for what comes next; else there is no timer.
    pub(super) fn feel(self: &Rc<Self>) {
        let quiet = match () {
            () if !self.pending.is_empty() => UNANSWERED_MS,
            () if self.attended.get() || self.pulse.borrow().asked() => QUIET_MS,
            () => return drop(self.beat.take()),
        };
        self.check(quiet);
    }

    /// Only of a server that has shown that it gives signs of life is silence a sign of death.
    pub(super) fn check(self: &Rc<Self>, quiet_ms: u64) {
        if !self.vital.get() || *self.policy.borrow().state() != ConnectionState::Open {
            return;
        }
        let quiet_ms = if self.speaks() { quiet_ms } else { self.pulse.borrow().stream_quiet_ms() };
        let beat = self.pulse.borrow_mut().check(now(), quiet_ms);
        match beat {
            Beat::Wait { delay_ms } => self.set_beat(delay_ms),
            Beat::Ask => {
                if let Some(carrier) = &*self.carrier.borrow() {
                    carrier.ask();
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
