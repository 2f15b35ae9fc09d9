//! Finds where JSON values begin and end, without building a tree.

use std::borrow::Cow;

use serde_json::Value;

/// One JSON value; what is inside of it is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonToken<'a> {
    /// A string; `quoted` includes the quotation marks.
    Str {
        /// The text with its quotation marks.
        quoted: &'a str,
        /// True if there is a backslash in it.
        escaped: bool,
    },
    /// A number, `true`, `false` or `null`.
    Scalar(&'a str),
    /// An object or an array.
    Nested(&'a str),
}

impl<'a> JsonToken<'a> {
    /// The JSON text of the value.
    pub fn raw(self) -> &'a str {
        match self {
            Self::Str { quoted, .. } => quoted,
            Self::Scalar(text) | Self::Nested(text) => text,
        }
    }

    /// The string, if it is one. Borrowed unless it has escapes.
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Str { quoted, escaped: false } => quoted.get(1..quoted.len() - 1).map(Cow::Borrowed),
            Self::Str { quoted, .. } => match serde_json::from_str(quoted).ok()? {
                Value::String(text) => Some(Cow::Owned(text)),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn str_is(self, expected: &str) -> bool {
        self.text().is_some_and(|text| text == expected)
    }
}

/// Calls `found` for every member of the JSON object `text`; `None` if
/// it isn't one or its structure is broken.
pub fn members<'a>(text: &'a str, mut found: impl FnMut(&'a str, JsonToken<'a>)) -> Option<()> {
    Scanner { text, at: 0 }.members(&mut found)
}

/// A position in JSON text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Begins at a byte of the text.
    pub(super) fn at(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The next value; `None` if there is none, or it never closes.
    pub(super) fn value(&mut self) -> Option<JsonToken<'a>> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.nested(),
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => self.scalar(),
            _ => None,
        }
    }

    fn string(&mut self) -> Option<JsonToken<'a>> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            // A string has no raw line break. Without this check, a line that is cut
            // off would swallow the start of the next.
            let step = memchr::memchr3(b'"', b'\\', b'\n', rest)?;
            self.at += step;
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    return Some(JsonToken::Str { quoted: self.text.get(start..self.at)?, escaped });
                }
                b'\n' => return None,
                _ => {
                    escaped = true;
                    self.at += 2;
                }
            }
        }
    }

    fn scalar(&mut self) -> Option<JsonToken<'a>> {
        let rest = self.text.get(self.at..)?;
        let length =
            rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'+' | b'.')).count();
        let scalar = rest.get(..length)?;
        if !is_scalar(scalar) {
            return None;
        }
        self.at += length;
        Some(JsonToken::Scalar(scalar))
    }

    /// Finds the matching bracket. The inside is checked when it is read.
    fn nested(&mut self) -> Option<JsonToken<'a>> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut depth = 0_u32;
        loop {
            match *bytes.get(self.at)? {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                b'"' => {
                    self.string()?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(JsonToken::Nested(self.text.get(start..self.at)?));
            }
        }
    }

    fn members(&mut self, found: &mut dyn FnMut(&'a str, JsonToken<'a>)) -> Option<()> {
        self.eat(b'{')?;
        self.skip_space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.skip_space();
            let JsonToken::Str { quoted, .. } = self.string_here()? else {
                return None;
            };
            let key = quoted.get(1..quoted.len() - 1)?;
            self.skip_space();
            self.eat(b':')?;
            self.skip_space();
            let value = self.value()?;
            found(key, value);
            self.skip_space();
            if self.eat(b',').is_none() {
                return self.eat(b'}');
            }
        }
    }

    /// The elements of an array whose bracket was read; `None` if its structure is broken.
    pub(super) fn elements(&mut self, found: &mut dyn FnMut(JsonToken<'a>)) -> Option<()> {
        self.skip_space();
        if self.eat(b']').is_some() {
            return Some(());
        }
        loop {
            self.skip_space();
            found(self.value()?);
            self.skip_space();
            if self.eat(b',').is_none() {
                return self.eat(b']');
            }
        }
    }

    fn string_here(&mut self) -> Option<JsonToken<'a>> {
        (self.peek()? == b'"').then(|| self.string())?
    }
}

/// Whether a text is a number, a Boolean or null.
pub(super) fn is_scalar(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || is_number(text)
}

/// JSON's number grammar, by hand: the standard library's float parser
/// would bring tables of 20 KB into the page.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    digits(whole)
        && !leading_zero
        && digits(fraction)
        && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}
