//! Decides when a silent connection is checked with a ping, and when it counts as dead. Nothing is checked
//! while nobody waits for anything. Also tells what shows that somebody is back at the page.

/// Milliseconds of silence after which the server is pinged while a turn runs or somebody is asked. Without
/// that, a half-open connection can't be distinguished from a silent one.
pub const QUIET_MS: u64 = 20_000;
/// Same as [`QUIET_MS`], while a request is not answered yet.
pub const UNANSWERED_MS: u64 = 5_000;
/// Same as [`QUIET_MS`], when the page becomes visible again: it may have slept, or changed its network.
pub const BACK_MS: u64 = 2_000;
/// An event stream can't be pinged, only listened to. A gateway's is never silent for this long, in
/// milliseconds: with [`ANSWER_MS`] these are three of its keep-alives.
const STREAM_QUIET_MS: u64 = 37_000;
/// The longest silence, in milliseconds, that is taken for the stream's usual interval.
const LONGEST_INTERVAL_MS: u64 = 120_000;
/// How long the answer to a ping may take, in milliseconds.
pub const ANSWER_MS: u64 = 8_000;
/// How long the first sign of life may take when somebody is back at the page, in milliseconds.
const WAKE_TIMEOUT_MS: u64 = 3_500;
/// When the page shows that the connection is being checked, in milliseconds: most checks are over before.
const SHOW_CHECK_MS: u64 = 800;
/// A timer that fires this much too late, in milliseconds, means that the page or the machine has slept.
const LATE_TIMER_MS: u64 = 2_000;
/// Whoever hides a page for this long, in milliseconds, may find its connections dead: browsers and phones freeze pages.
const HIDDEN_MS: u64 = 30_000;
/// A timer of a visible page that fires this much too late, in milliseconds, means that the machine has slept.
const MIN_SLEEP_MS: u64 = 10_000;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PulseAction {
    /// Nothing yet; check again later.
    Wait {
        /// In so many milliseconds.
        delay_ms: u64,
    },
    /// Send a ping.
    Ping,
    /// The connection is dead: end it and connect again.
    Dead,
}

/// When one connection was last heard of. Times are milliseconds of any
/// clock that goes on while the machine sleeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pulse {
    heard: u64,
    longest: u64,
    ping: Option<Ping>,
    /// Somebody is back at the page, and nothing has come since.
    woken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ping {
    at: u64,
    repeated: bool,
}

impl Pulse {
    /// The connection is open.
    pub fn connection_opened(&mut self, now: u64) {
        *self = Self { heard: now, ..Self::default() };
    }

    /// Anything was received.
    pub fn data_received(&mut self, now: u64) {
        self.longest = self.longest.max(now.saturating_sub(self.heard)).min(LONGEST_INTERVAL_MS);
        (self.heard, self.ping, self.woken) = (now, None, false);
    }

    /// Somebody is back at the page: unless something was received just now, the connection has to give a sign of life soon.
    /// `slept`: earlier data proves nothing.
    pub fn wake(&mut self, now: u64, slept: bool) {
        if slept || now.saturating_sub(self.heard) >= BACK_MS {
            (self.ping, self.woken) = (None, true);
        }
    }

    /// Whether a sign of life is awaited since somebody returned to the page.
    pub fn is_wake_check(&self) -> bool {
        self.woken
    }

    /// Whether it is awaited for so long that the page shows it.
    pub fn is_checking(&self, now: u64) -> bool {
        self.woken && self.ping.is_some_and(|ping| now.saturating_sub(ping.at) >= SHOW_CHECK_MS)
    }

    /// How long a stream may be silent, in milliseconds: twice its longest
    /// silence so far, and at least the minimum.
    pub fn stream_quiet_ms(&self) -> u64 {
        STREAM_QUIET_MS.max(2 * self.longest)
    }

    /// True while a sign of life is awaited.
    pub fn is_checked(&self) -> bool {
        self.ping.is_some() || self.woken
    }

    /// What to do at `now`, if `quiet_ms` is the longest acceptable silence.
    pub fn check(&mut self, now: u64, quiet_ms: u64) -> PulseAction {
        // A clock that was set back says nothing about silence.
        self.heard = self.heard.min(now);
        let Some(Ping { at, repeated }) = self.ping else {
            let silent = now - self.heard;
            if silent < quiet_ms && !self.woken {
                return PulseAction::Wait { delay_ms: quiet_ms - silent };
            }
            return self.send_ping(now, false);
        };
        let limit = if self.woken { WAKE_TIMEOUT_MS } else { ANSWER_MS };
        match now.checked_sub(at) {
            None => self.send_ping(now, repeated),
            Some(waited) if self.woken && waited < SHOW_CHECK_MS => {
                PulseAction::Wait { delay_ms: SHOW_CHECK_MS - waited }
            }
            Some(waited) if waited < limit => PulseAction::Wait { delay_ms: limit - waited },
            // The answer may be waiting in the browser, behind this timer: a timeout after a sleep proves
            // nothing.
            Some(waited) if waited > limit + LATE_TIMER_MS && !repeated => self.send_ping(now, true),
            Some(_) => PulseAction::Dead,
        }
    }

    fn send_ping(&mut self, now: u64, repeated: bool) -> PulseAction {
        self.ping = Some(Ping { at: now, repeated });
        PulseAction::Ping
    }
}

/// A sign that somebody is back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeSign {
    /// The window has the focus.
    Focused,
    /// The page is visible again.
    Shown {
        /// How long it was hidden, in milliseconds.
        hidden_ms: u64,
    },
    /// The page is back from the browser's cache of pages.
    Restored,
    /// The page was frozen.
    Thawed,
    /// The device is online again, perhaps in another network.
    Online,
    /// A timer of a visible page has fired.
    Timer {
        /// So many milliseconds too late.
        late_ms: u64,
    },
}

impl WakeSign {
    /// Whether connections may have died without a word. Each is then asked for a sign of life, or opened anew.
    pub fn may_have_slept(self) -> bool {
        match self {
            Self::Focused => false,
            Self::Shown { hidden_ms } => hidden_ms >= HIDDEN_MS,
            Self::Restored | Self::Thawed | Self::Online => true,
            Self::Timer { late_ms } => late_ms >= MIN_SLEEP_MS,
        }
    }

    /// Whether somebody looks at the page who did not before, so that the answer must not be long in coming.
    pub fn is_return(self) -> bool {
        self.may_have_slept() || matches!(self, Self::Shown { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard_at(now: u64) -> Pulse {
        let mut pulse = Pulse::default();
        pulse.connection_opened(now);
        pulse
    }

    #[test]
    fn a_stream_with_rare_signs_of_life_gets_the_time_it_needs() {
        let mut pulse = heard_at(0);
        pulse.data_received(15_000);
        assert_eq!(pulse.stream_quiet_ms(), STREAM_QUIET_MS);
        pulse.data_received(70_000);
        assert_eq!(pulse.stream_quiet_ms(), 110_000);
        pulse.data_received(90_000_000);
        assert_eq!(pulse.stream_quiet_ms(), 2 * LONGEST_INTERVAL_MS, "a night's sleep is not a habit");
        pulse.connection_opened(90_000_100);
        assert_eq!(pulse.stream_quiet_ms(), STREAM_QUIET_MS);
    }

    #[test]
    fn silence_is_asked_about_once_and_then_is_death() {
        let mut pulse = heard_at(1_000);
        assert_eq!(pulse.check(6_000, QUIET_MS), PulseAction::Wait { delay_ms: 15_000 });
        assert_eq!(pulse.check(21_000, QUIET_MS), PulseAction::Ping);
        assert_eq!(
            pulse.check(22_000, BACK_MS),
            PulseAction::Wait { delay_ms: 7_000 },
            "who asked waits, whatever else"
        );
        assert_eq!(pulse.check(29_000, QUIET_MS), PulseAction::Dead);
    }

    #[test]
    fn anything_that_comes_is_a_sign_of_life() {
        let mut pulse = heard_at(0);
        assert_eq!(pulse.check(20_000, QUIET_MS), PulseAction::Ping);
        pulse.data_received(20_050);
        assert!(!pulse.is_checked());
        assert_eq!(pulse.check(28_000, QUIET_MS), PulseAction::Wait { delay_ms: 12_050 });
    }

    #[test]
    fn after_sleep_it_is_asked_anew_before_it_counts_as_dead_but_once() {
        let mut pulse = heard_at(0);
        assert_eq!(pulse.check(20_000, QUIET_MS), PulseAction::Ping);
        assert_eq!(pulse.check(9_000_000, QUIET_MS), PulseAction::Ping, "the lid was closed meanwhile");
        assert_eq!(
            pulse.check(9_000_000 + 60_000, QUIET_MS),
            PulseAction::Dead,
            "a hidden page's timers are always late"
        );
    }

    #[test]
    fn who_comes_back_learns_within_seconds_whether_the_connection_is_alive() {
        let mut pulse = heard_at(0);
        pulse.wake(600_000, true);
        assert_eq!(pulse.check(600_000, QUIET_MS), PulseAction::Ping);
        assert!(!pulse.is_checking(600_700), "most answers come before anybody has to be told");
        assert_eq!(pulse.check(600_000, QUIET_MS), PulseAction::Wait { delay_ms: SHOW_CHECK_MS });
        assert!(pulse.is_checking(600_800));
        assert_eq!(
            pulse.check(600_800, QUIET_MS),
            PulseAction::Wait { delay_ms: WAKE_TIMEOUT_MS - SHOW_CHECK_MS }
        );
        let mut answered = pulse;
        answered.data_received(601_000);
        assert!(!answered.is_checking(610_000) && !answered.is_wake_check());
        assert_eq!(answered.check(601_000, QUIET_MS), PulseAction::Wait { delay_ms: QUIET_MS });
        assert_eq!(pulse.check(600_000 + WAKE_TIMEOUT_MS, QUIET_MS), PulseAction::Dead);
    }

    #[test]
    fn a_stream_that_has_just_given_a_sign_of_life_is_not_doubted_unless_the_page_has_slept() {
        let mut pulse = heard_at(10_000);
        pulse.wake(11_000, false);
        assert_eq!(
            pulse.check(11_000, STREAM_QUIET_MS),
            PulseAction::Wait { delay_ms: STREAM_QUIET_MS - 1_000 }
        );
        pulse.wake(11_000, true);
        assert_eq!(pulse.check(11_000, STREAM_QUIET_MS), PulseAction::Ping);
        pulse.connection_opened(12_000);
        assert!(!pulse.is_wake_check());
    }

    #[test]
    fn a_ping_from_before_the_sleep_does_not_count_after_it() {
        let mut pulse = heard_at(0);
        assert_eq!(pulse.check(20_000, QUIET_MS), PulseAction::Ping);
        pulse.wake(9_000_000, true);
        assert_eq!(pulse.check(9_000_000, QUIET_MS), PulseAction::Ping);
        assert_eq!(
            pulse.check(9_000_000 + WAKE_TIMEOUT_MS + LATE_TIMER_MS + 1, QUIET_MS),
            PulseAction::Ping,
            "it slept once more"
        );
        assert_eq!(pulse.check(9_100_000, QUIET_MS), PulseAction::Dead);
    }

    #[test]
    fn a_clock_that_is_set_back_kills_nothing() {
        let mut pulse = heard_at(50_000);
        assert_eq!(pulse.check(10_000, QUIET_MS), PulseAction::Wait { delay_ms: QUIET_MS });
        assert_eq!(pulse.check(30_000, QUIET_MS), PulseAction::Ping);
        assert_eq!(pulse.check(1_000, QUIET_MS), PulseAction::Ping);
        assert_eq!(pulse.check(1_000 + ANSWER_MS, QUIET_MS), PulseAction::Dead);
    }

    #[test]
    fn a_page_has_slept_when_something_shows_it() {
        let long = WakeSign::Shown { hidden_ms: HIDDEN_MS };
        for wake in [
            long,
            WakeSign::Restored,
            WakeSign::Thawed,
            WakeSign::Online,
            WakeSign::Timer { late_ms: MIN_SLEEP_MS },
        ] {
            assert!(wake.may_have_slept() && wake.is_return(), "{wake:?}");
        }
        for wake in [WakeSign::Focused, WakeSign::Timer { late_ms: 900 }] {
            assert!(!wake.may_have_slept() && !wake.is_return(), "{wake:?}");
        }
        let glance = WakeSign::Shown { hidden_ms: 2_000 };
        assert!(!glance.may_have_slept() && glance.is_return());
    }
}
