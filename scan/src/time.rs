//! Reads ISO 8601 timestamps to milliseconds. No other place reads them.

/// Parses `2026-11-21T21:43:23.139Z` to milliseconds since 1970 (UTC). Fractions and numeric offsets are
/// understood; a text without a zone is taken for UTC. `None` if it is not a time.
pub fn parse_iso(text: &str) -> Option<i64> {
    parse_usual_time(text).or_else(|| any_time(text))
}

/// Milliseconds since 1970 of `2026-11-21T21:43:23.139Z`; `None` for every other form.
fn parse_usual_time(text: &str) -> Option<i64> {
    let bytes: &[u8; 24] = text.as_bytes().try_into().ok()?;
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T',
        h1,
        h2,
        b':',
        n1,
        n2,
        b':',
        s1,
        s2,
        b'.',
        f1,
        f2,
        f3,
        b'Z',
    ] = *bytes
    else {
        return None;
    };
    let all = [y1, y2, y3, y4, m1, m2, d1, d2, h1, h2, n1, n2, s1, s2, f1, f2, f3];
    // All at once, without a branch for each.
    if all.iter().fold(0, |most, digit| most.max(digit.wrapping_sub(b'0'))) > 9 {
        return None;
    }
    let two = |tens: u8, ones: u8| i32::from(tens - b'0') * 10 + i32::from(ones - b'0');
    let (year, month, day) = (two(y1, y2) * 100 + two(y3, y4), two(m1, m2), two(d1, d2));
    let (hour, minute, second) = (two(h1, h2), two(n1, n2), two(s1, s2));
    let seconds = seconds_since_1970([year, month, day], [hour, minute, second])?;
    Some(seconds * 1000 + i64::from(i32::from(f1 - b'0') * 100 + two(f2, f3)))
}

/// The seconds from 1970 to a time in UTC, in the proleptic Gregorian calendar. `None` if there is no such time.
///
/// In 32 bits, because wasm divides those by a constant with a multiplication.
fn seconds_since_1970([year, month, day]: [i32; 3], [hour, minute, second]: [i32; 3]) -> Option<i64> {
    let in_range = (1..=12).contains(&month) && (1..=31).contains(&day) && (0..=9999).contains(&year);
    if !in_range || !(0..=24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    // Years begin with March here, so that the leap day is their last day.
    let shifted = if month <= 2 { year - 1 } else { year };
    let leaps = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = shifted * 365 + leaps + day_of_year - 719_468;
    Some(i64::from(days) * 86_400 + i64::from((hour * 60 + minute) * 60 + second))
}

/// A time in any form, with or without a fraction and an offset.
#[cold]
fn any_time(text: &str) -> Option<i64> {
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i32>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let seconds = seconds_since_1970([year, month, day], [hour, minute, second])?;
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
    Some((seconds - offset * 60) * 1000 + millis)
}
