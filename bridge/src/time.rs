//! Owns the reading of the timestamps that events carry. It refuses to ask any clock.

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

fn offset_minutes(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?))
}

/// The proleptic Gregorian calendar, counted in eras of 400 years that begin in March, so that
/// the leap day is the last one of its year.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

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
