//! Finds where the beginning of one text stands in another.

use crate::bytes::find_byte;

/// Where a text has the beginning of another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlap {
    /// The byte of the text from which on both are the same.
    pub place: usize,
    /// For so many bytes.
    pub length: usize,
}

/// The longest beginning of `next` that stands anywhere in the last bytes of `text`, twice as many as `next`
/// has, and the length of the longest one at its end. Of equal ones the last counts. The cost is linear in the
/// length of `next`, also for texts that repeat their own beginning (Knuth, Morris and Pratt).
#[inline(never)]
pub fn overlaps(text: &[u8], next: &[u8]) -> (Overlap, usize) {
    let from = text.len().saturating_sub(next.len().saturating_mul(2));
    let tail = text.get(from..).unwrap_or_default();
    let mut longest = Overlap { place: text.len(), length: 0 };
    let Some(first) = next.first() else { return (longest, 0) };
    let mut borders = Borders { text: next, known: Vec::new() };
    let (mut matched, mut at) = (0, 0);
    while let Some(byte) = tail.get(at) {
        if matched == next.len() {
            matched = borders.of(matched);
        }
        while matched > 0 && next.get(matched) != Some(byte) {
            matched = borders.of(matched);
        }
        if next.get(matched) == Some(byte) {
            matched += 1;
            at += 1;
            if matched >= longest.length {
                longest = Overlap { place: from + at - matched, length: matched };
            }
        } else {
            at += find_byte(*first, tail.get(at..).unwrap_or_default());
        }
    }
    (longest, matched)
}

/// For beginnings of a text, the length of the longest shorter one that is also its end.
struct Borders<'a> {
    text: &'a [u8],
    /// Of the beginnings of 1, 2, 3, … bytes. As many as were asked for, since most texts share little.
    known: Vec<u32>,
}

impl Borders<'_> {
    fn of(&mut self, length: usize) -> usize {
        while self.known.len() < length {
            self.add();
        }
        self.get(length)
    }

    fn get(&self, length: usize) -> usize {
        self.known.get(length.wrapping_sub(1)).copied().unwrap_or(0) as usize
    }

    fn add(&mut self) {
        let position = self.known.len();
        let byte = self.text.get(position);
        let mut length = self.get(position);
        while length > 0 && self.text.get(length) != byte {
            length = self.get(length);
        }
        if position > 0 && self.text.get(length) == byte {
            length += 1;
        }
        self.known.push(u32::try_from(length).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_trying(text: &[u8], next: &[u8]) -> (Overlap, usize) {
        let from = text.len().saturating_sub(2 * next.len());
        let common = |place: usize| text[place..].iter().zip(next).take_while(|(a, b)| a == b).count();
        let places = (from..=text.len()).map(|place| Overlap { place, length: common(place) });
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
        let at_end = Overlap { place: 200 * 14, length: 300 * 14 };
        assert_eq!(overlaps(lines.as_bytes(), more.as_bytes()), (at_end, 300 * 14));
        assert_eq!(overlaps(b"", b"a").1, 0);
        assert_eq!(overlaps(b"a", b"").1, 0);
        assert_eq!(overlaps(b"ab", b"ab"), (Overlap { place: 0, length: 2 }, 2));
    }
}
