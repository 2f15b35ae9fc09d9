//! How long to wait before the next attempt. The caller draws the random number and sleeps.

const FIRST_MS: u64 = 500;
const CAP_MS: u64 = 30_000;
/// The same while a server restarts, which said so.
const RESTART_CAP_MS: u64 = 2_000;
/// The longest delay that a server can ask for.
const SERVER_CAP_MS: u64 = 3_600_000;
/// A connection that was open for this long was a good one: the failures before it don't count any more.
const STABLE_MS: u64 = 5_000;

/// A delay that was doubled so many times, at most the longest.
pub fn doubled_delay(first_ms: u64, times: u32, longest_ms: u64) -> u64 {
    first_ms.saturating_mul(1 << times.min(16)).min(longest_ms)
}

/// Exponential back-off with full jitter: at first up to 0.5 s, doubling, at most 30 s.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backoff {
    failures: u32,
    server_retry_ms: Option<u64>,
}

impl Backoff {
    /// How many attempts have failed since the last stable connection.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Sets the server's reconnection time (`retry:`), in milliseconds: no attempt comes earlier.
    pub fn set_server_retry(&mut self, server_retry_ms: Option<u64>) {
        self.server_retry_ms = server_retry_ms.map(|ms| ms.min(SERVER_CAP_MS));
    }

    /// To be called with how long the connection that just ended was open, in milliseconds. Returns whether it was
    /// a stable one.
    pub fn record_open_time(&mut self, open_for_ms: u64) -> bool {
        let stable = open_for_ms >= STABLE_MS;
        if stable {
            self.failures = 0;
        }
        stable
    }

    /// Forgets the failures, for example when a person asks for a new attempt.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// Counts one failure and returns the wait before the next attempt, in milliseconds. `restarts`: the server has said that it ends, so
    /// it may be back soon.
    ///
    /// `random` lies in 0..1 and spreads the clients of a restarted server; `at_least_ms` is the
    /// server's `Retry-After`.
    pub fn next_delay_ms(&mut self, random: f64, at_least_ms: Option<u64>, restarts: bool) -> u64 {
        let random = if random.is_finite() { random.clamp(0.0, 1.0) } else { 0.5 };
        let first = self.server_retry_ms.unwrap_or(FIRST_MS).max(1);
        let cap = if restarts { RESTART_CAP_MS } else { CAP_MS };
        let ceiling = doubled_delay(first, self.failures, cap.max(first));
        self.failures = self.failures.saturating_add(1);
        let jittered = (ceiling as f64 * random) as u64;
        let floor = self.server_retry_ms.max(at_least_ms.map(|ms| ms.min(SERVER_CAP_MS)));
        match floor {
            // Jitter goes on top, or every client would come back at the same moment.
            Some(floor) => jittered.max(floor + (FIRST_MS.min(floor) as f64 * random) as u64),
            None => jittered,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_from_half_a_second_to_thirty() {
        let mut backoff = Backoff::default();
        let delays: Vec<u64> = (0..9).map(|_| backoff.next_delay_ms(1.0, None, false)).collect();
        assert_eq!(delays, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
        for _ in 0..100_000 {
            assert!(backoff.next_delay_ms(1.0, None, false) <= 30_000);
        }
    }

    #[test]
    fn jitter_is_full_and_any_number_is_safe() {
        for (random, wanted) in [(0.0, 0), (0.5, 250), (1.0, 500), (-3.0, 0), (9.0, 500), (f64::NAN, 250)] {
            assert_eq!(Backoff::default().next_delay_ms(random, None, false), wanted);
        }
    }

    #[test]
    fn only_a_stable_connection_resets() {
        let mut backoff = Backoff::default();
        backoff.next_delay_ms(1.0, None, false);
        backoff.record_open_time(100);
        assert_eq!(backoff.next_delay_ms(1.0, None, false), 1000);
        backoff.record_open_time(5_000);
        assert_eq!(backoff.next_delay_ms(1.0, None, false), 500);
    }

    #[test]
    fn the_servers_wishes_are_lower_bounds() {
        let mut backoff = Backoff::default();
        backoff.set_server_retry(Some(2_000));
        assert_eq!(backoff.next_delay_ms(0.0, None, false), 2_000);
        assert_eq!(backoff.next_delay_ms(0.0, Some(7_000), false), 7_000);
        assert_eq!(backoff.next_delay_ms(1.0, Some(u64::MAX), false), 3_600_500);
        backoff.set_server_retry(Some(100));
        backoff.reset();
        assert_eq!(backoff.next_delay_ms(0.0, None, false), 100);
        backoff.set_server_retry(Some(u64::MAX));
        assert_eq!(backoff.next_delay_ms(0.0, None, false), 3_600_000);
    }

    #[test]
    fn a_server_that_restarts_is_asked_often() {
        let mut backoff = Backoff::default();
        let delays: Vec<u64> = (0..5).map(|_| backoff.next_delay_ms(1.0, None, true)).collect();
        assert_eq!(delays, [500, 1000, 2000, 2000, 2000]);
        assert_eq!(backoff.next_delay_ms(1.0, Some(9_000), true), 9_500, "its own wish counts");
    }
}
