//! Finds where the end of one text is the beginning of another.

use crate::bytes::{common, place_of};

/// After so many long partial matches, a search of linear cost takes over.
const TRIES: usize = 32;

/// The length of the longest end of `text` that is also a beginning of `next`, in bytes.
#[inline(never)]
pub fn overlap(text: &[u8], next: &[u8]) -> usize {
    let tail = text.get(text.len().saturating_sub(next.len())..).unwrap_or_default();
    let Some(first) = next.first() else { return 0 };
    let (mut at, mut tries) = (0, 0);
    while let Some(rest) = tail.get(at..) {
        let plain = place_of(*first, rest);
        at += plain;
        let rest = rest.get(plain..).unwrap_or_default();
        if rest.is_empty() {
            return 0;
        }
        let same = common(rest, next);
        if same == rest.len() {
            return same;
        }
        tries += usize::from(same >= 16);
        if tries > TRIES {
            return searched(rest, next);
        }
        at += 1;
    }
    0
}

/// The same with linear cost, also for texts that repeat their own beginning.
fn searched(tail: &[u8], next: &[u8]) -> usize {
    let failure = failure_table(next);
    let mut matched = 0;
    for (position, byte) in tail.iter().enumerate() {
        while matched > 0 && next.get(matched) != Some(byte) {
            matched = failure.get(matched - 1).copied().unwrap_or(0);
        }
        if next.get(matched) == Some(byte) {
            matched += 1;
        }
        if matched == next.len() && position + 1 < tail.len() {
            matched = failure.get(matched - 1).copied().unwrap_or(0);
        }
    }
    matched
}

/// The Knuth–Morris–Pratt table: for every prefix, the length of its longest proper border.
fn failure_table(pattern: &[u8]) -> Vec<usize> {
    let mut table = vec![0; pattern.len()];
    let mut length = 0;
    for position in 1..pattern.len() {
        while length > 0 && pattern.get(length) != pattern.get(position) {
            length = table.get(length - 1).copied().unwrap_or(0);
        }
        if pattern.get(length) == pattern.get(position) {
            length += 1;
        }
        if let Some(slot) = table.get_mut(position) {
            *slot = length;
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_trying(text: &[u8], next: &[u8]) -> usize {
        (0..=text.len().min(next.len())).rev().find(|length| text.ends_with(&next[..*length])).unwrap_or(0)
    }

    #[test]
    fn it_is_the_longest_whatever_is_repeated() {
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
            assert_eq!(overlap(&one, &other), by_trying(&one, &other), "{round}");
        }
        let (lines, more) = ("the same line\n".repeat(500), format!("{}end", "the same line\n".repeat(300)));
        assert_eq!(overlap(lines.as_bytes(), more.as_bytes()), 300 * 14);
        assert_eq!((overlap(b"", b"a"), overlap(b"a", b""), overlap(b"ab", b"ab")), (0, 0, 2));
    }
}
