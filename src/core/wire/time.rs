//! Converts ISO 8601 timestamps to milliseconds and durations to words.

use crate::i18n;
use crate::i18n::words::figures;

/// Parses `2026-11-21T21:43:23.139Z` to milliseconds since 1970 (UTC). Fractions and numeric offsets are
/// understood.
pub fn parse_iso(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let rest = text.get(19..)?;
    let digits =
        rest.strip_prefix('.').map_or("", |f| f.split(|c: char| !c.is_ascii_digit()).next().unwrap_or(""));
    let mut millis = 0;
    for place in 0..3 {
        let digit = digits.as_bytes().get(place).map_or(0, |b| i64::from(b.wrapping_sub(b'0')));
        millis = millis * 10 + digit;
    }
    let zone = rest.get(if digits.is_empty() { 0 } else { digits.len() + 1 }..)?;
    let offset = match zone.as_bytes().first() {
        Some(sign @ (b'+' | b'-')) => {
            let minutes = zone.get(1..3)?.parse::<i64>().ok()? * 60
                + zone.get(zone.len() - 2..)?.parse::<i64>().ok()?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => 0,
    };
    let days = days_from_civil(year, month, day);
    Some((((days * 24 + hour) * 60 + minute - offset) * 60 + second) * 1000 + millis)
}

/// Days between 1970-01-01 and a date of the proleptic Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted - era * 400;
    let month_index = (month + 9) % 12;
    let day_of_year = (153 * month_index + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Formats milliseconds since 1970 (UTC) as `2026-11-21T21:43:23Z`.
pub fn iso(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The inverse of `days_from_civil`.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// A duration as people say it: `0.4 s`, `12 s`, `2 min 5 s`, `1 h 4 min`.
pub fn duration(millis: i64) -> String {
    let millis = millis.max(0);
    let seconds = millis / 1000;
    match seconds {
        0 if millis < 100 => figures::MILLISECONDS.with(&[("n", millis.into())]),
        0..=9 => {
            let tenths = (millis + 50) / 100;
            figures::SECONDS.with(&[("n", (&i18n::hundredths(tenths * 10)).into())])
        }
        10..=59 => figures::SECONDS.with(&[("n", seconds.into())]),
        60..=3599 if seconds % 60 == 0 => figures::MINUTES.with(&[("n", (seconds / 60).into())]),
        60..=3599 => figures::MINUTES_SECONDS
            .with(&[("minutes", (seconds / 60).into()), ("seconds", (seconds % 60).into())]),
        _ => figures::HOURS_MINUTES
            .with(&[("hours", (seconds / 3600).into()), ("minutes", (seconds % 3600 / 60).into())]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_timestamps_become_milliseconds() {
        assert_eq!(parse_iso("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_iso("2026-11-21T21:43:23.139Z"), Some(1_795_297_403_139));
        assert_eq!(parse_iso("2026-11-21T22:43:23.139+01:00"), Some(1_795_297_403_139));
        assert_eq!(parse_iso("yesterday"), None);
    }

    #[test]
    fn milliseconds_become_iso_timestamps() {
        for text in
            ["1970-01-01T00:00:00Z", "2026-11-21T21:43:23Z", "2024-02-29T23:59:59Z", "1969-12-31T23:00:00Z"]
        {
            assert_eq!(iso(parse_iso(text).unwrap()), text);
        }
    }

    #[test]
    fn durations_read_like_words() {
        assert_eq!(duration(40), "40 ms");
        assert_eq!(duration(420), "0.4 s");
        assert_eq!(duration(12_400), "12 s");
        assert_eq!(duration(125_000), "2 min 5 s");
        assert_eq!(duration(3_840_000), "1 h 4 min");
    }
}
