//! Texts out of JSON: unescaped, checked. Refuses to look for them.

use std::borrow::Cow;

use crate::bytes::end_of_plain;

/// The text of a string that was looked over; `None` if it was not well formed after all.
pub fn unescaped(inner: &str, escaped: bool) -> Option<Cow<'_, str>> {
    if !escaped {
        return Some(Cow::Borrowed(inner));
    }
    let mut text = String::with_capacity(inner.len());
    append(inner, &mut text)?;
    Some(Cow::Owned(text))
}

/// Adds the text of a string with escapes to another one.
pub fn append(inner: &str, to: &mut String) -> Option<()> {
    let bytes = inner.as_bytes();
    let mut at = 0;
    loop {
        let Some(end) = end_of_plain(bytes, at) else {
            to.push_str(inner.get(at..)?);
            return Some(());
        };
        to.push_str(inner.get(at..end)?);
        let character = match bytes.get(end + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'u' => {
                let code = u32::from_str_radix(inner.get(end + 2..end + 6)?, 16).ok()?;
                at = end + 6;
                to.push(char::from_u32(code)?);
                continue;
            }
            byte => char::from(*byte),
        };
        to.push(character);
        at = end + 2;
    }
}

/// A JSON tree, as `serde_json` reads it.
pub fn tree(text: &str) -> Result<serde_json::Value, serde_json::Error> {
    serde_json::from_str(text)
}

/// The bytes as text; `None` if they are none.
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}
