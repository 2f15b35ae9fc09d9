//! Writes timestamps in the format of events. They are read by the core.

use std::time::{SystemTime, UNIX_EPOCH};

use pilothouse_core::wire::time;

/// The current time, in the format of events.
pub fn now() -> String {
    text(SystemTime::now())
}

/// The current time in milliseconds since 1970.
pub fn milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_millis().try_into().unwrap_or(i64::MAX)
}

/// The current time in whole seconds since 1970, as tokens and cookies have it.
pub fn seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A time in the format of events, in UTC; a time before 1970 becomes 1970.
pub fn text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    time::iso_milliseconds(since.as_millis().try_into().unwrap_or(i64::MAX))
}

/// A time for people, to the minute: `20:31 UTC`, or with its date if it is of another day than `now`.
pub fn words(time: SystemTime, now: SystemTime) -> String {
    let (time, now) = (text(time), text(now));
    let minute = |from: usize| time.get(from..16).unwrap_or_default().replace('T', " ");
    let is_today = time.get(..10) == now.get(..10);
    format!("{} UTC", minute(if is_today { 11 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{text, words};
    use pilothouse_core::wire::time::parse_iso;

    #[test]
    fn people_need_the_date_of_another_day_only() {
        let at = |minutes: u64| UNIX_EPOCH + Duration::from_secs(minutes * 60);
        assert_eq!(words(at(90), at(1439)), "01:30 UTC");
        assert_eq!(words(at(90), at(1440)), "1970-01-01 01:30 UTC");
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(text(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        for stamp in [1_709_204_400_000, 1_795_297_403_139, 951_782_399_999, 4_102_444_800_001] {
            let written = text(UNIX_EPOCH + Duration::from_millis(stamp));
            assert_eq!(parse_iso(&written), i64::try_from(stamp).ok(), "{written}");
        }
    }
}
