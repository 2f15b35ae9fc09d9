//! Unescapes, compares and validates the texts of JSON strings.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::bytes::{common, find_byte, places_of};

/// If the buffer is larger than this, in bytes, it is dropped after use.
const MOST_ROOM: usize = 1 << 20;

thread_local! {
    /// Buffer for texts whose length is not known yet. It is reused,
    /// because new memory would be cleared every time.
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The text of a string that has been checked; `None` if it is not well formed after all.
#[inline(never)]
pub fn unescaped(inner: &str, escaped: bool) -> Option<Cow<'_, str>> {
    if !escaped {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::new();
    unescape_onto(inner, &mut text)?;
    Some(Cow::Owned(text))
}

/// Appends the text of a string that has been checked; `None` if it is not well formed after all.
fn unescape_onto(inner: &str, out: &mut String) -> Option<()> {
    ROOM.with_borrow_mut(|room| {
        if room.len() < inner.len() {
            room.resize(inner.len().next_multiple_of(1 << 12), 0);
        }
        let length = unescape(inner.as_bytes(), room)?;
        // Texts are stored, so the result takes no more memory than it needs.
        out.push_str(utf8(room.get(..length)?)?);
        if room.len() > MOST_ROOM {
            *room = Vec::new();
        }
        Some(())
    })
}

/// Returns how many bytes were written. No escape is shorter than what it stands for.
fn unescape(from: &[u8], to: &mut [u8]) -> Option<usize> {
    let (mut at, mut end) = (0, 0);
    loop {
        // Sixteen bytes are always copied; those after the first backslash are overwritten later.
        while let (Some(chunk), Some(slot)) = (
            from.get(at..).and_then(<[u8]>::first_chunk::<16>),
            to.get_mut(end..).and_then(<[u8]>::first_chunk_mut::<16>),
        ) {
            *slot = *chunk;
            let found = places_of(b'\\', chunk);
            let plain = found.trailing_zeros().min(16) as usize;
            at += plain;
            end += plain;
            if found != 0 {
                break;
            }
        }
        let Some(byte) = from.get(at) else {
            return Some(end);
        };
        if *byte != b'\\' {
            *to.get_mut(end)? = *byte;
            at += 1;
            end += 1;
            continue;
        }
        let (means, length) = escape(from, at)?;
        at += length;
        if let Some(byte) = u8::try_from(means).ok().filter(u8::is_ascii) {
            *to.get_mut(end)? = byte;
            end += 1;
        } else {
            end += means.encode_utf8(to.get_mut(end..end + 4)?).len();
        }
    }
}

/// The character that the escape at a backslash stands for, and the length of the escape.
#[inline]
fn escape(from: &[u8], at: usize) -> Option<(char, usize)> {
    let byte = match from.get(at + 1)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => {
            let digits: &[u8; 4] = from.get(at + 2..)?.first_chunk()?;
            let code = digits.iter().try_fold(0, |code, digit| Some(code << 4 | hexadecimal(*digit)?))?;
            return Some((char::from_u32(code)?, 6));
        }
        byte => *byte,
    };
    Some((byte.into(), 2))
}

/// Whether a string that has been checked has this text, without allocating it.
#[inline(never)]
pub fn reads_as(inner: &str, escaped: bool, text: &str) -> bool {
    let (from, to) = (inner.as_bytes(), text.as_bytes());
    if !escaped || to.len() >= from.len() {
        return !escaped && from.len() == to.len() && common(from, to) == to.len();
    }
    let (mut at, mut end) = (0, 0);
    loop {
        let (rest, other) = (from.get(at..).unwrap_or_default(), to.get(end..).unwrap_or_default());
        // No byte is looked at twice: a text may be nothing but backslashes.
        let plain = find_byte(b'\\', rest);
        if common(rest.get(..plain).unwrap_or_default(), other) < plain {
            return false;
        }
        at += plain;
        end += plain;
        if at == from.len() {
            return end == to.len();
        }
        let Some((means, length)) = escape(from, at) else {
            return false;
        };
        let mut room = [0; 4];
        let written = means.encode_utf8(&mut room).as_bytes();
        if to.get(end..end + written.len()) != Some(written) {
            return false;
        }
        at += length;
        end += written.len();
    }
}

/// Whether two strings that have been checked have the same text. Each comes with whether it has a backslash.
#[inline(never)]
pub fn are_equal(one: (&str, bool), other: (&str, bool)) -> bool {
    let (left, right) = (one.0.as_bytes(), other.0.as_bytes());
    let same = common(left, right);
    if same == left.len() || same == right.len() {
        return left.len() == right.len();
    }
    // No escape is longer than six bytes: if there is none nearby, the characters differ.
    let escape = |(text, escaped): (&str, bool)| {
        escaped
            && text.as_bytes().get(same.saturating_sub(5)..=same).is_some_and(|near| near.contains(&b'\\'))
    };
    if !escape(one) && !escape(other) {
        return false;
    }
    unescaped(one.0, one.1).is_some_and(|text| reads_as(other.0, other.1, &text))
}

#[inline]
fn hexadecimal(digit: u8) -> Option<u32> {
    match digit {
        b'0'..=b'9' => Some(u32::from(digit - b'0')),
        b'a'..=b'f' | b'A'..=b'F' => Some(u32::from((digit | 0x20) - b'a') + 10),
        _ => None,
    }
}

/// The bytes as text; `None` if they are not UTF-8.
#[inline(never)]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_strings_say_the_same_however_they_are_written() {
        let pieces = [
            "", "a", "b", "\\n", "\\u000a", "\\u000A", "\\\\", "\\u005c", "\u{e9}", "\\u00e9", "n", "\\\\n",
            "\\u0061",
        ];
        let fill = ["", "0123456789abcdefgh"];
        let mut all = Vec::new();
        for first in pieces {
            for next in pieces {
                for (before, behind) in fill.iter().flat_map(|one| fill.iter().map(move |other| (one, other)))
                {
                    all.push(format!("{before}{first}{next}{behind}"));
                }
            }
        }
        let texts: Vec<_> = all
            .iter()
            .map(|inner| (inner.contains('\\'), unescaped(inner, true).unwrap().into_owned()))
            .collect();
        for (one, (escaped, text)) in all.iter().zip(&texts) {
            for (other, (also, words)) in all.iter().zip(&texts) {
                assert_eq!(reads_as(one, *escaped, words), text == words, "{one} {words}");
                assert_eq!(are_equal((one, *escaped), (other, *also)), text == words, "{one} {other}");
            }
        }
    }

    #[test]
    fn nothing_but_escapes_is_compared_once() {
        // If the rest of the text were searched again for each escape, this would never end.
        let (inner, text) = ("\\\\".repeat(1 << 20), "\\".repeat(1 << 20));
        assert!(reads_as(&inner, true, &text));
        assert!(!reads_as(&inner, true, text.get(1..).unwrap()));
    }

    #[test]
    fn every_escape_is_what_it_stands_for_wherever_it_stands() {
        let pieces = [
            ("", ""),
            ("\\n", "\n"),
            ("\\t", "\t"),
            ("\\r", "\r"),
            ("\\b", "\u{8}"),
            ("\\f", "\u{c}"),
            ("\\\"", "\""),
            ("\\\\", "\\"),
            ("\\/", "/"),
            ("\\u0000", "\0"),
            ("\\u001b", "\u{1b}"),
            ("\\u007f", "\u{7f}"),
            ("\\u0080", "\u{80}"),
            ("\\u00E9", "\u{e9}"),
            ("\\u20aC", "\u{20ac}"),
            ("\\uffff", "\u{ffff}"),
            ("\u{e9}\u{1f600}", "\u{e9}\u{1f600}"),
        ];
        for (written, meant) in pieces {
            for (next, also) in pieces {
                for before in 0..36 {
                    for behind in [0, 1, 13, 14, 15, 16, 17, 33] {
                        let (first, last) = ("a".repeat(before), "b".repeat(behind));
                        let inner = format!("{first}{written}{next}{last}");
                        let text = format!("{first}{meant}{also}{last}");
                        assert_eq!(unescaped(&inner, true).as_deref(), Some(text.as_str()), "{inner}");
                    }
                }
            }
        }
        for wrong in ["\\", "\\u", "\\u12", "\\u12x4", "\\ud800", "\\u+123"] {
            assert_eq!(unescaped(wrong, true), None, "{wrong}");
        }
    }
}
