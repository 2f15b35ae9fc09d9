//! Turns a file in UTF-16 into UTF-8, as it is read. Windows writes such files (`>` in PowerShell, "Unicode" in editors).

use std::borrow::Cow;

/// Reads the bytes of a file that may be UTF-16: with a byte order mark, or begun with two ASCII characters.
#[derive(Debug, Default)]
pub struct FileText {
    encoding: Option<Encoding>,
    /// Bytes that can't be read without those that follow: the first ones, half a unit, half a pair of surrogates.
    rest: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
enum Encoding {
    /// UTF-8, or anything else that the decoder of lines takes.
    Other,
    LittleEndian,
    BigEndian,
}

impl Encoding {
    /// Reads the encoding from the first bytes of a file.
    fn of(first: &[u8]) -> Self {
        match first {
            [0xFF, 0xFE, ..] | [1..=0x7F, 0, 1..=0x7F, 0, ..] => Self::LittleEndian,
            [0xFE, 0xFF, ..] | [0, 1..=0x7F, 0, 1..=0x7F, ..] => Self::BigEndian,
            _ => Self::Other,
        }
    }
}

impl FileText {
    /// The bytes of a whole file, as UTF-8 where it is UTF-16.
    pub fn whole(bytes: &[u8]) -> Cow<'_, [u8]> {
        let mut file = Self::default();
        let mut text = file.push(bytes);
        let rest = file.end();
        if !rest.is_empty() {
            text.to_mut().extend(rest);
        }
        text
    }

    /// The next bytes of the file, as UTF-8 where the file is UTF-16.
    pub fn push<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if let (Some(Encoding::Other), true) = (self.encoding, self.rest.is_empty()) {
            return bytes.into();
        }
        self.rest.extend_from_slice(bytes);
        if self.encoding.is_none() && self.rest.len() < 4 {
            return Cow::default();
        }
        self.read(false).into()
    }

    /// What is left when the file has ended.
    pub fn end(&mut self) -> Vec<u8> {
        self.read(true)
    }

    fn read(&mut self, ended: bool) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.rest);
        let unit = match self.encoding.get_or_insert_with(|| Encoding::of(&bytes)) {
            Encoding::Other => return bytes,
            Encoding::LittleEndian => u16::from_le_bytes,
            Encoding::BigEndian => u16::from_be_bytes,
        };
        let (pairs, half) = bytes.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        if !ended {
            if let Some((0xD800..0xDC00, before)) = units.split_last() {
                units.truncate(before.len());
            }
            self.rest = bytes.get(units.len() * 2..).unwrap_or_default().to_vec();
        }
        let mut text = String::from_utf16_lossy(&units);
        if ended && !half.is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        text.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::FileText;
    use crate::Session;

    const LOG: &str = "{\"type\":\"user.message\",\"id\":\"1\",\"data\":{\"content\":\"Grüße 🚀 日本\"}}\r\n";

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    fn read(bytes: &[u8], piece: usize) -> String {
        let mut file = FileText::default();
        let mut out: Vec<u8> = bytes.chunks(piece).flat_map(|piece| file.push(piece).into_owned()).collect();
        out.extend(file.end());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_orders_are_read_in_any_pieces_with_and_without_a_mark() {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            for mark in ["\u{feff}", ""] {
                let text = format!("{mark}{LOG}{LOG}");
                let bytes = utf16(&text, unit);
                for piece in [1, 2, 3, 7, 1000] {
                    assert_eq!(read(&bytes, piece), text, "{piece}");
                }
                assert_eq!(FileText::whole(&bytes), text.as_bytes());
                let mut session = Session::new();
                session.push(read(&bytes, 5).as_bytes());
                session.end();
                let state = session.state();
                assert_eq!((state.counters.total, state.counters.malformed), (2, 0), "{mark:?}");
            }
        }
    }

    #[test]
    fn other_files_are_as_they_were() {
        for text in ["", "a", "ab", "{}\n", LOG, "\u{feff}{}", "\0\0\0\0{}\n", "\0{}\n{}", "é"] {
            for piece in [1, 2, 1000] {
                assert_eq!(read(text.as_bytes(), piece), text);
            }
            assert_eq!(FileText::whole(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn what_is_cut_or_broken_is_replaced() {
        let mut bytes = utf16("\u{feff}ab🚀", u16::to_le_bytes);
        bytes.pop();
        assert_eq!(read(&bytes, 3), "\u{feff}ab\u{fffd}\u{fffd}");
        assert_eq!(read(b"\xFF\xFE\x00\xDCa\x00", 1), "\u{feff}\u{fffd}a");
    }
}
