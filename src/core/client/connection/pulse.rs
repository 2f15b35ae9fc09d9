//! When the silence of an open connection is checked, and what is done when somebody is back at the page.
//! `core::connection::Pulse` judges it. While nobody waits for anything no timer runs.

use super::socket_requests::written;
use super::{Connection, Effect, Open, Timer};
use crate::connection::{
    BACK_MS, Carrier, ConnectionState, Failure, PulseAction, QUIET_MS, UNANSWERED_MS, WakeSign,
};

impl Connection {
    /// Something came in, whatever it was.
    pub(super) fn heard(&mut self) {
        self.pulse.data_received(self.now);
        if std::mem::take(&mut self.shows_checking) {
            self.announce();
        }
    }

    /// The server gives signs of life.
    pub(super) fn is_vital(&mut self) {
        if !std::mem::replace(&mut self.vital, true) {
            self.check_if_awaited();
        }
    }

    /// Sets whether somebody waits for the next event.
    pub(super) fn attend(&mut self, on: bool) {
        if std::mem::replace(&mut self.attended, on) != on {
            self.check_if_awaited();
        }
    }

    pub(super) fn hidden(&mut self, hidden: bool) {
        if hidden {
            self.hidden_since = Some(self.now);
        } else {
            let since = self.hidden_since.take().unwrap_or(self.now);
            self.wake(WakeSign::Shown { hidden_ms: self.now.saturating_sub(since) });
        }
    }

    /// Checks the connection if somebody waits for something; otherwise stops the timer.
    pub(super) fn check_if_awaited(&mut self) {
        let quiet_ms = match () {
            () if !self.calls.is_empty() => UNANSWERED_MS,
            () if self.attended || self.pulse.is_checked() => QUIET_MS,
            () => return self.effects.push(Effect::DropTimer(Timer::Beat)),
        };
        self.check(quiet_ms);
    }

    /// Checks an open connection. Silence means that it is dead only if the
    /// server has given signs of life before.
    fn check(&mut self, quiet_ms: u64) {
        let judged = self.vital || self.pulse.is_wake_check();
        if !judged || *self.policy.state() != ConnectionState::Open {
            return;
        }
        self.show_checking();
        let quiet_ms = if self.can_ping() { quiet_ms } else { self.pulse.stream_quiet_ms() };
        match self.pulse.check(self.now, quiet_ms) {
            PulseAction::Wait { delay_ms } => {
                self.beat_due = self.now.saturating_add(delay_ms);
                self.effects.push(Effect::SetTimer(Timer::Beat, delay_ms));
            }
            PulseAction::Ping => {
                if self.can_ping() {
                    // Whatever comes next counts as a sign of life, so nobody waits for the answer.
                    let id = self.calls.next_id();
                    self.effects.push(Effect::Send(id, written(id, "pilothouse.ping", None)));
                }
                self.check(quiet_ms);
            }
            PulseAction::Dead => self.failed(&Failure::Silent),
        }
    }

    /// The time for the next look has come.
    pub(super) fn beat(&mut self) {
        let wake = WakeSign::Timer { late_ms: self.now.saturating_sub(self.beat_due) };
        // The timers of a hidden page are always late.
        if wake.may_have_slept() && self.hidden_since.is_none() {
            self.wake(wake);
        }
        self.check_if_awaited();
    }

    /// Somebody is back at the page, or the network is: a connection that waits is tried again, one that is being opened
    /// is not waited for as long as usual, and an open one has to give a sign of life.
    pub(super) fn wake(&mut self, wake: WakeSign) {
        match self.policy.state().clone() {
            ConnectionState::Waiting { .. } => {
                if wake.may_have_slept() {
                    self.policy.skip_waits();
                }
                self.retry();
            }
            ConnectionState::Connecting { .. } if wake.may_have_slept() && self.carrier.is_some() => {
                self.policy.skip_waits();
                self.limit_opening();
            }
            ConnectionState::Open => {
                let carrier = self.policy.carrier();
                let streams = matches!(carrier, Some(Carrier::WebSocket | Carrier::ServerSentEvents));
                if wake.is_return() && (self.vital || wake.may_have_slept() && streams) {
                    self.pulse.wake(self.now, wake.may_have_slept());
                }
                self.check(BACK_MS);
            }
            _ => {}
        }
    }

    /// Shows that the connection is being checked, or no longer is.
    fn show_checking(&mut self) {
        let checking = self.pulse.is_checking(self.now);
        if std::mem::replace(&mut self.shows_checking, checking) != checking {
            self.announce();
        }
    }

    /// Whether the server can be asked for a sign of life, and not only listened to.
    fn can_ping(&self) -> bool {
        matches!(self.carrier, Some(Open::Socket(_)))
    }
}
