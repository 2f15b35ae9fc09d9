//! Splits bytes into lines. A stream cut anywhere (in a line, a character, a CRLF) gives the same lines as
//! the whole. Lines are read in `wire`.

/// Longest line that is read, in bytes. The largest event ever recorded is 134 KB; a line without an end must
/// not fill the page's memory.
pub const MAX_LINE: usize = 32 << 20;

/// What the decoder found.
#[derive(Debug, Clone, Copy)]
pub enum StreamLine<'a> {
    /// A whole line, without its line break.
    Text {
        /// The line.
        text: &'a str,
        /// True if some bytes were not valid UTF-8 and were replaced.
        lossy: bool,
    },
    /// A line over [`MAX_LINE`]: dropped.
    TooLong,
}

/// Keeps the unfinished last line of a stream between two chunks.
#[derive(Debug, Default, Clone)]
pub struct Decoder {
    partial: Vec<u8>,
    dropping: bool,
    started: bool,
}

impl Decoder {
    /// Takes the next chunk; whole lines go to `sink`, an unfinished last one waits for the next chunk.
    pub fn push(&mut self, bytes: &[u8], sink: &mut impl FnMut(StreamLine<'_>)) {
        let (all, mut bytes) = (bytes, bytes);
        let mut checked = None;
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.dropping {
                self.dropping = false;
            } else if self.partial.len() + line.len() > MAX_LINE {
                self.partial = Vec::new();
                self.started = true;
                sink(StreamLine::TooLong);
            } else if self.partial.is_empty() && self.started {
                let place = all.len() - line.len() - rest.len();
                let (from, lines) = *checked
                    .get_or_insert_with(|| (place, whole_lines(all.get(place..).unwrap_or_default())));
                match lines.get(place - from..place - from + line.len()) {
                    Some(text) => sink(StreamLine::Text { text, lossy: false }),
                    None => self.emit(line, sink),
                }
            } else if self.partial.is_empty() {
                self.emit(line, sink);
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.emit(&whole, sink);
            }
        }
        if self.dropping {
            return;
        }
        if self.partial.len() + bytes.len() > MAX_LINE {
            self.partial = Vec::new();
            self.dropping = true;
            self.started = true;
            sink(StreamLine::TooLong);
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    /// Ends the input: the unfinished last line goes to `sink`.
    pub fn end(&mut self, sink: &mut impl FnMut(StreamLine<'_>)) {
        let whole = std::mem::take(&mut self.partial);
        self.emit(&whole, sink);
        *self = Self::default();
    }

    fn emit(&mut self, line: &[u8], sink: &mut impl FnMut(StreamLine<'_>)) {
        let first = !std::mem::replace(&mut self.started, true);
        let line = if first { line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line) } else { line };
        if let Some(text) = pilothouse_scan::utf8(line) {
            sink(StreamLine::Text { text, lossy: false });
            return;
        }
        sink(StreamLine::Text { text: &String::from_utf8_lossy(line), lossy: true });
    }
}

/// All complete lines as one text, because one UTF-8 check is faster than one for each line. Empty if any
/// byte is not valid UTF-8.
fn whole_lines(bytes: &[u8]) -> &str {
    let end = memchr::memrchr(b'\n', bytes).unwrap_or_default();
    bytes.get(..end).and_then(pilothouse_scan::utf8).unwrap_or_default()
}
