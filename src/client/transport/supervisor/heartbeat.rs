//! When the silence of an open connection is checked, and what is done when somebody is back at the page. `core::connection::Pulse` judges it. While
//! nobody waits for anything no timer runs.

use std::rc::Rc;

use super::{Supervisor, is_hidden, now};
use crate::core::connection::{
    BACK_MS, Beat, Carrier, ConnectionState, Failure, QUIET_MS, UNANSWERED_MS, Wake,
};

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
            () if self.attended.get() || self.pulse.borrow().is_checked() => QUIET_MS,
            () => return drop(self.beat.take()),
        };
        self.check(quiet);
    }

    /// Checks an open connection. Silence means that it is dead only if the
    /// server has given signs of life before.
    pub(super) fn check(self: &Rc<Self>, quiet_ms: u64) {
        let judged = self.vital.get() || self.pulse.borrow().is_woken();
        if !judged || *self.policy.borrow().state() != ConnectionState::Open {
            return;
        }
        self.tell_checking();
        let quiet_ms = if self.speaks() { quiet_ms } else { self.pulse.borrow().stream_quiet_ms() };
        let beat = self.pulse.borrow_mut().check(now(), quiet_ms);
        match beat {
            Beat::Wait { delay_ms } => self.set_beat(delay_ms),
            Beat::Ping => {
                if let Some(carrier) = &*self.carrier.borrow() {
                    carrier.ping();
                }
                self.check(quiet_ms);
            }
            Beat::Dead => self.failed(&Failure::Silent),
        }
    }

    /// Somebody is back at the page, or the network is: a connection that waits is tried again, one that is being opened
    /// is not waited for as long as usual, and an open one has to give a sign of life.
    pub(super) fn wake(self: &Rc<Self>, wake: Wake) {
        let state = self.policy.borrow().state().clone();
        match state {
            ConnectionState::Waiting { .. } => {
                if wake.slept() {
                    self.policy.borrow_mut().hurry();
                }
                self.retry_now();
            }
            ConnectionState::Connecting { .. } if wake.slept() && self.carrier.borrow().is_some() => {
                self.policy.borrow_mut().hurry();
                self.limit_opening();
            }
            ConnectionState::Open => {
                let carrier = self.policy.borrow().carrier();
                let streams = matches!(carrier, Some(Carrier::WebSocket | Carrier::ServerSentEvents));
                if wake.is_return() && (self.vital.get() || wake.slept() && streams) {
                    self.pulse.borrow_mut().wake(now(), wake.slept());
                }
                self.check(BACK_MS);
            }
            _ => {}
        }
    }

    /// Tells people that the connection is being checked, or no longer is.
    fn tell_checking(&self) {
        let checking = self.pulse.borrow().is_checking(now());
        if self.told_checking.replace(checking) != checking {
            self.announce();
        }
    }

    fn speaks(&self) -> bool {
        self.carrier.borrow().as_ref().is_some_and(|carrier| carrier.speaks())
    }

    fn set_beat(self: &Rc<Self>, delay_ms: u64) {
        self.beat_due.set(now().saturating_add(delay_ms));
        *self.beat.borrow_mut() = Some(self.later(delay_ms, |this| {
            let late_ms = now().saturating_sub(this.beat_due.get());
            let wake = Wake::Timer { late_ms };
            // The timers of a hidden page are always late.
            if wake.slept() && !is_hidden() {
                this.wake(wake);
            }
            this.feel();
        }));
    }
}
