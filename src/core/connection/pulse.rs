//! Owns when a connection that says nothing is asked for a sign of life, and when it counts as dead. Refuses clocks
//! and timers: `link` brings those, and leaves both alone while nobody waits for anything.

/// A half-open connection looks like a quiet one for ever. After this much silence the server is asked, in
/// milliseconds, while a turn runs or somebody is asked.
pub const QUIET_MS: u64 = 20_000;
/// As [`QUIET_MS`], after a request went out that is not answered yet.
pub const UNANSWERED_MS: u64 = 5_000;
/// As [`QUIET_MS`], when the page is looked at again: it may have slept, or changed its network.
pub const BACK_MS: u64 = 2_000;
/// An event stream can't be asked, only listened to; a gateway's is never silent for as long as this, in milliseconds.
/// With [`ANSWER_MS`] that is three of its signs of life.
const STREAM_QUIET_MS: u64 = 37_000;
/// Signs of life further apart than this are none, in milliseconds.
const RAREST_MS: u64 = 120_000;
/// How long a sign of life may take, in milliseconds.
pub const ANSWER_MS: u64 = 8_000;
/// A timer that comes this much too late has been slept through, with the page or the machine.
const LATE_MS: u64 = 2_000;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Nothing for so many milliseconds.
    Wait {
        /// Milliseconds.
        delay_ms: u64,
    },
    /// Ask for a sign of life.
    Ask,
    /// It is dead: end it and connect again.
    Dead,
}

/// What is known of one connection's life. Times are milliseconds of any one clock that goes on while the machine
/// sleeps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pulse {
    heard: u64,
    longest: u64,
    asked: Option<Asked>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    at: u64,
    again: bool,
}

impl Pulse {
    /// The connection stands.
    pub fn began(&mut self, now: u64) {
        *self = Self { heard: now, ..Self::default() };
    }

    /// Something came in, whatever it is.
    pub fn heard(&mut self, now: u64) {
        self.longest = self.longest.max(now.saturating_sub(self.heard)).min(RAREST_MS);
        (self.heard, self.asked) = (now, None);
    }

    /// All the silence that a stream which can't be asked is allowed, in milliseconds: twice what it needed so far.
    pub fn stream_quiet_ms(&self) -> u64 {
        STREAM_QUIET_MS.max(2 * self.longest)
    }

    /// True while a sign of life is awaited.
    pub fn asked(&self) -> bool {
        self.asked.is_some()
    }

    /// What follows from `quiet_ms` being all the silence that is put up with.
    pub fn check(&mut self, now: u64, quiet_ms: u64) -> Beat {
        // A clock that was set back says nothing about silence.
        self.heard = self.heard.min(now);
        let Some(Asked { at, again }) = self.asked else {
            let silent = now - self.heard;
            if silent < quiet_ms {
                return Beat::Wait { delay_ms: quiet_ms - silent };
            }
            return self.ask(now, false);
        };
        match now.checked_sub(at) {
            None => self.ask(now, again),
            Some(waited) if waited < ANSWER_MS => Beat::Wait { delay_ms: ANSWER_MS - waited },
            // The answer may lie in the browser, behind this timer: a time-out that was slept through is no proof.
            Some(waited) if waited > ANSWER_MS + LATE_MS && !again => self.ask(now, true),
            Some(_) => Beat::Dead,
        }
    }

    fn ask(&mut self, now: u64, again: bool) -> Beat {
        self.asked = Some(Asked { at: now, again });
        Beat::Ask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard_at(now: u64) -> Pulse {
        let mut pulse = Pulse::default();
        pulse.began(now);
        pulse
    }

    #[test]
    fn a_stream_with_rare_signs_of_life_gets_the_time_it_needs() {
        let mut pulse = heard_at(0);
        pulse.heard(15_000);
        assert_eq!(pulse.stream_quiet_ms(), STREAM_QUIET_MS);
        pulse.heard(70_000);
        assert_eq!(pulse.stream_quiet_ms(), 110_000);
        pulse.heard(90_000_000);
        assert_eq!(pulse.stream_quiet_ms(), 2 * RAREST_MS, "a night's sleep is no habit");
        pulse.began(90_000_100);
        assert_eq!(pulse.stream_quiet_ms(), STREAM_QUIET_MS);
    }

    #[test]
    fn silence_is_asked_about_once_and_then_is_death() {
        let mut pulse = heard_at(1_000);
        assert_eq!(pulse.check(6_000, QUIET_MS), Beat::Wait { delay_ms: 15_000 });
        assert_eq!(pulse.check(21_000, QUIET_MS), Beat::Ask);
        assert_eq!(
            pulse.check(22_000, BACK_MS),
            Beat::Wait { delay_ms: 7_000 },
            "who asked waits, whatever else"
        );
        assert_eq!(pulse.check(29_000, QUIET_MS), Beat::Dead);
    }

    #[test]
    fn anything_that_comes_is_a_sign_of_life() {
        let mut pulse = heard_at(0);
        assert_eq!(pulse.check(20_000, QUIET_MS), Beat::Ask);
        pulse.heard(20_050);
        assert!(!pulse.asked());
        assert_eq!(pulse.check(28_000, QUIET_MS), Beat::Wait { delay_ms: 12_050 });
    }

    #[test]
    fn after_sleep_it_is_asked_anew_before_it_counts_as_dead_but_once() {
        let mut pulse = heard_at(0);
        assert_eq!(pulse.check(20_000, QUIET_MS), Beat::Ask);
        assert_eq!(pulse.check(9_000_000, QUIET_MS), Beat::Ask, "the lid was closed meanwhile");
        assert_eq!(
            pulse.check(9_000_000 + 60_000, QUIET_MS),
            Beat::Dead,
            "a hidden page's timers are always late"
        );
    }

    #[test]
    fn a_clock_that_is_set_back_kills_nothing() {
        let mut pulse = heard_at(50_000);
        assert_eq!(pulse.check(10_000, QUIET_MS), Beat::Wait { delay_ms: QUIET_MS });
        assert_eq!(pulse.check(30_000, QUIET_MS), Beat::Ask);
        assert_eq!(pulse.check(1_000, QUIET_MS), Beat::Ask);
        assert_eq!(pulse.check(1_000 + ANSWER_MS, QUIET_MS), Beat::Dead);
    }
}
