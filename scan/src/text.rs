//! Texts out of JSON: unescaped, checked. Refuses to look for them.

use std::borrow::Cow;

use crate::bytes::plain_of;

/// The text of a string that was looked over; `None` if it was not well formed after all.
#[inline(never)]
pub fn unescaped(inner: &str, escaped: bool) -> Option<Cow<'_, str>> {
    if !escaped {
        return Some(Cow::Borrowed(inner));
    }
    let mut bytes = vec![0; inner.len()];
    let length = unescape(inner.as_bytes(), &mut bytes)?;
    // A copy that is as long as it must be: texts are kept.
    Some(Cow::Owned(utf8(bytes.get(..length)?)?.to_owned()))
}

/// Tells how much was written; no escape is shorter than what it stands for.
fn unescape(from: &[u8], to: &mut [u8]) -> Option<usize> {
    let (mut at, mut end) = (0, 0);
    loop {
        // Eight bytes are copied whatever they are; what is behind the first special one is written again.
        while let (Some(chunk), Some(slot)) =
            (from.get(at..).and_then(<[u8]>::first_chunk::<8>), to.get_mut(end..end + 8))
        {
            slot.copy_from_slice(chunk);
            let plain = plain_of(*chunk);
            at += plain;
            end += plain;
            if plain < 8 {
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
        let byte = match from.get(at + 1)? {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'u' => {
                let code = std::str::from_utf8(from.get(at + 2..at + 6)?).ok()?;
                let character = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
                end += character.encode_utf8(to.get_mut(end..end + 4)?).len();
                at += 6;
                continue;
            }
            byte => *byte,
        };
        *to.get_mut(end)? = byte;
        at += 2;
        end += 1;
    }
}

/// The bytes as text; `None` if they are none.
#[inline(never)]
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}
