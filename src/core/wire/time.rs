//! Writes times as ISO 8601 timestamps. They are read where events are read fast, in `pilothouse_scan`.

pub use pilothouse_scan::parse_iso;

/// Formats milliseconds since 1970 (UTC) as `2026-11-21T21:43:23Z`.
pub fn iso(millis: i64) -> String {
    [&seconds(millis), "Z"].concat()
}

/// Formats milliseconds since 1970 (UTC) as events have them: `2026-11-21T21:43:23.139Z`.
pub fn iso_milliseconds(millis: i64) -> String {
    format!("{}.{:03}Z", seconds(millis), millis.rem_euclid(1000))
}

fn seconds(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

/// A date of the proleptic Gregorian calendar, from the days since 1970-01-01.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_timestamps_become_milliseconds() {
        assert_eq!(parse_iso("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_iso("2026-11-21T21:43:23.139Z"), Some(1_795_297_403_139));
        assert_eq!(parse_iso("2026-11-21T22:43:23.139+01:00"), Some(1_795_297_403_139));
        assert_eq!(parse_iso("2024-02-29T12:00:00+01:00"), Some(1_709_204_400_000));
        for text in
            ["", "yesterday", "2026-13-01T00:00:00Z", "2026-01-01", "2026-01-01T00:77:00Z", "é-01-01TZ"]
        {
            assert_eq!(parse_iso(text), None, "{text}");
        }
    }

    #[test]
    fn milliseconds_become_iso_timestamps() {
        for text in
            ["1970-01-01T00:00:00Z", "2026-11-21T21:43:23Z", "2024-02-29T23:59:59Z", "1969-12-31T23:00:00Z"]
        {
            assert_eq!(iso(parse_iso(text).unwrap()), text);
        }
    }
}
