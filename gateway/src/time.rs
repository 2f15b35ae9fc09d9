//! Reads and writes timestamps in the format of events.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 of an RFC 3339 timestamp, `None` where it is none.
pub fn milliseconds(timestamp: &str) -> Option<i64> {
    let (date, rest) = timestamp.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let zone_at = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = rest.split_at(zone_at);
    let mut clock = clock.splitn(3, ':');
    let hour: i64 = clock.next()?.parse().ok()?;
    let minute: i64 = clock.next()?.parse().ok()?;
    let seconds: f64 = clock.next()?.parse().ok()?;
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && (0..=9999).contains(&year);
    if !in_range || !(0..=24).contains(&hour) || !(0..60).contains(&minute) || !(0.0..61.0).contains(&seconds)
    {
        return None;
    }
    let minutes = (days_since_1970(year, month, day) * 24 + hour) * 60 + minute - offset_minutes(zone)?;
    Some(minutes * 60_000 + (seconds * 1000.0).round() as i64)
}

/// The current time, in the format of events.
pub fn now() -> String {
    text(SystemTime::now())
}

/// A time in the format of events, in UTC; a time before 1970 becomes 1970.
pub fn text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (seconds, milliseconds) = (since.as_secs(), since.subsec_millis());
    let (days, clock) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    // The inverse of `days_since_1970`.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

fn offset_minutes(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

/// The days from 1970-01-01 to a date of the proleptic Gregorian calendar. They are counted in eras of 400
/// years that begin in March, so that the leap day is the last one of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{milliseconds, text};

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(text(UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
        for stamp in [1_709_204_400_000, 1_795_297_403_139, 951_782_399_999, 4_102_444_800_001] {
            let written = text(UNIX_EPOCH + Duration::from_millis(stamp));
            assert_eq!(milliseconds(&written), i64::try_from(stamp).ok(), "{written}");
        }
    }

    #[test]
    fn reads_what_the_runtime_writes_and_offsets() {
        assert_eq!(milliseconds("1970-01-01T00:00:00.000Z"), Some(0));
        assert_eq!(milliseconds("2026-11-21T21:43:23.139Z"), Some(1_795_297_403_139));
        assert_eq!(milliseconds("2024-02-29T12:00:00+01:00"), Some(1_709_204_400_000));
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        for text in
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T00:00:00", "é-01-01TZ"]
        {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }
}
