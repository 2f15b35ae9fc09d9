//! Finds where the beginning of one text stands in another.

/// Where a text has the beginning of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// The byte of the text from which on both are the same.
    pub place: usize,
    /// For so many bytes.
    pub length: usize,
}

/// The longest beginning of `next` that stands anywhere in the last bytes of `text`, twice as many as `next`
/// has, and the length of the longest one at its end. Of equal ones the last counts. The cost is linear in the
/// length of `next`, also for texts that repeat their own beginning (Knuth, Morris and Pratt).
pub fn overlaps(text: &[u8], next: &[u8]) -> (Shared, usize) {
    let from = text.len().saturating_sub(next.len().saturating_mul(2));
    let tail = text.get(from..).unwrap_or_default();
    let borders = borders(next);
    let border = |length: usize| borders.get(length - 1).copied().unwrap_or(0) as usize;
    let mut longest = Shared { place: text.len(), length: 0 };
    let mut matched = 0;
    for (position, byte) in tail.iter().enumerate() {
        if matched == next.len() && matched > 0 {
            matched = border(matched);
        }
        while matched > 0 && next.get(matched) != Some(byte) {
            matched = border(matched);
        }
        if next.get(matched) == Some(byte) {
            matched += 1;
        }
        if matched >= longest.length {
            longest = Shared { place: from + position + 1 - matched, length: matched };
        }
    }
    (longest, matched)
}

/// For every beginning of a text, the length of the longest shorter one that is also its end.
fn borders(text: &[u8]) -> Vec<u32> {
    let mut borders = vec![0; text.len()];
    let mut length = 0_usize;
    for (position, byte) in text.iter().enumerate().skip(1) {
        while length > 0 && text.get(length) != Some(byte) {
            length = borders.get(length - 1).copied().unwrap_or(0) as usize;
        }
        if text.get(length) == Some(byte) {
            length += 1;
        }
        if let (Some(slot), Ok(length)) = (borders.get_mut(position), u32::try_from(length)) {
            *slot = length;
        }
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_trying(text: &[u8], next: &[u8]) -> (Shared, usize) {
        let from = text.len().saturating_sub(2 * next.len());
        let common = |place: usize| text[place..].iter().zip(next).take_while(|(a, b)| a == b).count();
        let places = (from..=text.len()).map(|place| Shared { place, length: common(place) });
        let longest = places.max_by_key(|found| (found.length, found.place)).unwrap();
        let at_end = (0..=text.len().min(next.len())).rev().find(|length| text.ends_with(&next[..*length]));
        (longest, at_end.unwrap_or(0))
    }

    #[test]
    fn they_are_the_longest_whatever_is_repeated() {
        let mut random = 1_u32;
        for round in 0..4_000_usize {
            let mut text = |length: usize| -> Vec<u8> {
                (0..length)
                    .map(|_| {
                        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        b'a' + u8::from(random >> 24 < 20)
                    })
                    .collect()
            };
            let (mut one, other) = (text(round % 97), text(round * 7 % 89));
            if round % 3 == 0 {
                one.extend(&other[..other.len() * (round % 5) / 5]);
            }
            assert_eq!(overlaps(&one, &other), by_trying(&one, &other), "{round}");
        }
        let (lines, more) = ("the same line\n".repeat(500), format!("{}end", "the same line\n".repeat(300)));
        let at_end = Shared { place: 200 * 14, length: 300 * 14 };
        assert_eq!(overlaps(lines.as_bytes(), more.as_bytes()), (at_end, 300 * 14));
        assert_eq!(overlaps(b"", b"a").1, 0);
        assert_eq!(overlaps(b"a", b"").1, 0);
        assert_eq!(overlaps(b"ab", b"ab"), (Shared { place: 0, length: 2 }, 2));
    }
}
