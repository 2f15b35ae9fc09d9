//! A position in JSON text, with a strict parser from there on. It gives `None` for JSON that is broken,
//! deeply nested or unusually written. What it accepts, `serde_json` accepts as well.

use crate::Value;
use crate::bytes::end_of_string;

/// The deepest nesting that is read.
const DEEPEST: u8 = 48;
/// The longest number that is read, in bytes. Up to this length, no
/// number without an exponent overflows a float.
const LONGEST_NUMBER: usize = 64;

/// What comes next in an object.
pub(crate) enum Next<'a> {
    Member { key: &'a str, escaped: bool },
    End,
}

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, bytes: text.as_bytes(), at }
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The text from a place to here.
    pub(crate) fn since(&self, start: usize) -> Option<&'a str> {
        self.text.get(start..self.at)
    }

    #[inline]
    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// The text between quotation marks, and whether there is a backslash in it.
    #[inline]
    fn string(&mut self) -> Option<(&'a str, bool)> {
        if !self.eat(b'"') {
            return None;
        }
        let start = self.at;
        let (end, escaped) = end_of_string(self.bytes, start)?;
        self.at = end + 1;
        Some((self.text.get(start..end)?, escaped))
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        let start = self.at;
        self.eat(b'-');
        let zero = self.peek() == Some(b'0');
        let whole = self.at;
        self.digits()?;
        if (zero && self.at - whole > 1) || self.at - start > LONGEST_NUMBER {
            return None;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        let ends = matches!(self.peek(), None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'));
        (ends && self.at - start <= LONGEST_NUMBER).then_some(())
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        let end = self.at + word.len();
        let there = self.bytes.get(self.at..end)? == word;
        let ends =
            !self.bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-+.".contains(byte));
        self.at = end;
        (there && ends).then_some(())
    }

    /// The value that begins here.
    pub(crate) fn value(&mut self, depth: u8) -> Option<Value<'a>> {
        let start = self.at;
        match self.peek()? {
            b'"' => {
                let (inner, escaped) = self.string()?;
                return Some(Value::Str { inner, escaped });
            }
            b'{' => self.object(depth)?,
            b'[' => self.array(depth)?,
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => self.number()?,
        }
        self.since(start).map(Value::Other)
    }

    fn object(&mut self, depth: u8) -> Option<()> {
        let mut first = true;
        self.at += 1;
        while let Next::Member { .. } = self.key(&mut first)? {
            self.value(next_depth(depth)?)?;
        }
        Some(())
    }

    fn array(&mut self, depth: u8) -> Option<()> {
        self.elements(depth, None)
    }

    /// Reads the array that begins here, and adds its elements to `found` as they are written.
    pub(crate) fn elements(&mut self, depth: u8, mut found: Option<&mut Vec<&'a str>>) -> Option<()> {
        self.at += 1;
        self.space();
        if self.eat(b']') {
            return Some(());
        }
        loop {
            self.space();
            let start = self.at;
            self.value(next_depth(depth)?)?;
            if let Some(found) = &mut found {
                found.push(self.since(start)?);
            }
            self.space();
            if !self.eat(b',') {
                return self.eat(b']').then_some(());
            }
        }
    }

    /// After an object's bracket, or after a value in it: reads the next key, up to its value.
    #[inline]
    pub(crate) fn key(&mut self, first: &mut bool) -> Option<Next<'a>> {
        // Nearly always there is no white space.
        if !*first && self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b",\"")) {
            self.at += 1;
        } else {
            self.space();
            if self.eat(b'}') {
                return Some(Next::End);
            }
            if !std::mem::replace(first, false) {
                if !self.eat(b',') {
                    return None;
                }
                self.space();
            }
        }
        let (key, escaped) = self.string()?;
        self.space();
        if !self.eat(b':') {
            return None;
        }
        self.space();
        Some(Next::Member { key, escaped })
    }
}

fn next_depth(depth: u8) -> Option<u8> {
    (depth < DEEPEST).then_some(depth + 1)
}
