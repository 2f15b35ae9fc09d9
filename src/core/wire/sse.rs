//! A parser for server-sent events (WHATWG HTML §9.2): bytes or lines in, messages out.

#[cfg(test)]
mod tests;

/// Maximum size of an event in bytes (32 MiB); larger ones are dropped.
pub const EVENT_LIMIT: usize = 32 * 1024 * 1024;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One dispatched event. It borrows from the parser, so the sink has to copy what it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseMessage<'a> {
    /// The event's name; `message` where the stream names none.
    pub event: &'a str,
    /// The `data` lines, joined by line feeds, without a trailing one.
    pub data: &'a str,
    /// The newest `id` of the stream, from this event or an earlier one; empty if there was none.
    pub last_event_id: &'a str,
    /// Some of the data was in lines without `data:`, which the standard ignores.
    pub loose: bool,
}

/// The callback that receives the messages of one call.
pub type SseSink<'s> = dyn FnMut(SseMessage<'_>) + 's;

/// An incremental parser. Any split of the same bytes gives the same messages.
///
/// Memory is bounded: an event of more than [`EVENT_LIMIT`] bytes is skipped up to its blank line and counted
/// once in [`SseParser::take_dropped`]. Its `id` still counts, so that a reconnect does not fetch it again.
///
/// One thing is beyond the standard. The Copilot platform's documentation prints its events with `data:` only
/// in front of the first line of their JSON, and agents copied that. While the JSON of an event whose name
/// begins with `copilot_` is not closed, lines that are not a field continue it, and a blank line does not
/// end it.
#[derive(Debug)]
pub struct SseParser {
    line: Vec<u8>,
    data: String,
    event: String,
    id_seen: String,
    last_event_id: String,
    retry: Option<u64>,
    comments: u64,
    dropped: u64,
    limit: usize,
    at_start: bool,
    after_cr: bool,
    oversized: bool,
    skipping_line: bool,
    /// Number of open brackets in the platform's JSON.
    depth: usize,
    loose: bool,
    /// There was a blank line while brackets were open.
    has_unfinished: bool,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::new()
    }
}

impl SseParser {
    /// A parser at the start of a stream.
    pub fn new() -> Self {
        Self::with_limit(EVENT_LIMIT)
    }

    /// A parser that drops events of more than `limit` bytes.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            data: String::new(),
            event: String::new(),
            id_seen: String::new(),
            last_event_id: String::new(),
            retry: None,
            comments: 0,
            dropped: 0,
            limit,
            at_start: true,
            after_cr: false,
            oversized: false,
            skipping_line: false,
            depth: 0,
            loose: false,
            has_unfinished: false,
        }
    }

    /// Takes the next bytes of the stream and calls `sink` with every event that they complete.
    pub fn push(&mut self, bytes: &[u8], sink: &mut SseSink<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_cr {
                self.after_cr = false;
                if let Some(after) = rest.strip_prefix(b"\n") {
                    rest = after;
                    continue;
                }
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.store_data(rest);
                return;
            };
            let (part, tail) = rest.split_at(end);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            self.end_line(part, sink);
        }
    }

    /// Takes one line without its line break, from a caller that splits lines itself. A carriage return at
    /// the end is ignored. Do not mix with [`Self::push`] inside a line.
    pub fn feed_line(&mut self, line: &str, sink: &mut SseSink<'_>) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        self.after_cr = false;
        self.end_line(line.as_bytes(), sink);
    }

    /// Dispatches the current event as if a blank line followed, for a response that is known to be complete.
    pub fn finish(&mut self, sink: &mut SseSink<'_>) {
        if !self.line.is_empty() {
            self.end_line(b"", sink);
        }
        self.dispatch(sink);
    }

    /// True while the JSON of a platform event is not closed, so that the next line may continue it.
    pub fn unfinished(&self) -> bool {
        self.depth > 0
    }

    /// True while an event has data that a blank line would dispatch.
    pub fn has_data(&self) -> bool {
        !self.data.is_empty()
    }

    /// Ends the stream: an event without its blank line is discarded, as the standard requires. The last
    /// event id and the reconnection time stay, and the next `push` begins a new stream.
    pub fn end(&mut self) {
        self.line.clear();
        self.forget_event();
        self.id_seen.clone_from(&self.last_event_id);
        self.at_start = true;
        self.after_cr = false;
        self.oversized = false;
        self.skipping_line = false;
    }

    /// The reconnection time in milliseconds that the server asked for, if it did.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The value to send as `Last-Event-ID` on a reconnect: the id at the last blank line; may be empty.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// How many comments were received: servers send them to keep the connection alive.
    pub fn comments(&self) -> u64 {
        self.comments
    }

    /// How many events were dropped for their size since the last call of this.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }

    fn store_data(&mut self, part: &[u8]) {
        if self.skipping_line {
            return;
        }
        if self.line.len() + self.data.len() + part.len() > self.limit {
            self.drop_event();
            self.skipping_line = true;
        } else {
            self.line.extend_from_slice(part);
        }
    }

    fn drop_event(&mut self) {
        if !self.oversized {
            self.oversized = true;
            self.dropped += 1;
        }
        self.line = Vec::new();
        self.data = String::new();
        self.depth = 0;
    }

    fn end_line(&mut self, part: &[u8], sink: &mut SseSink<'_>) {
        let first = std::mem::replace(&mut self.at_start, false);
        if self.skipping_line {
            self.skipping_line = false;
            return;
        }
        if self.line.is_empty() && part.len() + self.data.len() <= self.limit {
            self.take_line(part, first, sink);
            return;
        }
        self.store_data(part);
        if std::mem::replace(&mut self.skipping_line, false) {
            return;
        }
        let mut line = std::mem::take(&mut self.line);
        self.take_line(&line, first, sink);
        line.clear();
        self.line = line;
    }

    fn take_line(&mut self, line: &[u8], first: bool, sink: &mut SseSink<'_>) {
        let line = if first { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        // Line breaks are ASCII, so a line decodes the same alone as in the middle of the stream.
        let line = String::from_utf8_lossy(line);
        if line.is_empty() {
            self.has_unfinished = self.unfinished();
            if !self.has_unfinished {
                self.dispatch(sink);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if self.unfinished() {
            if !matches!(field, "" | "data" | "event" | "id" | "retry") {
                self.loose = true;
                self.has_unfinished = false;
                self.take_data(&line);
                return;
            }
            if self.has_unfinished {
                self.dispatch(sink);
            }
        }
        self.take_field(field, value.strip_prefix(' ').unwrap_or(value));
    }

    fn take_data(&mut self, text: &str) {
        self.data.push_str(text);
        self.data.push('\n');
        if self.event.starts_with("copilot_") {
            self.depth = depth_after(self.depth, text);
        }
    }

    fn take_field(&mut self, field: &str, value: &str) {
        match field {
            "" => self.comments += 1,
            "data" if self.oversized => {}
            "data" => self.take_data(value),
            "event" => value.clone_into(&mut self.event),
            "id" if !value.contains('\0') => value.clone_into(&mut self.id_seen),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            _ => {}
        }
    }

    fn dispatch(&mut self, sink: &mut SseSink<'_>) {
        self.last_event_id.clone_from(&self.id_seen);
        let oversized = std::mem::replace(&mut self.oversized, false);
        if !oversized && let Some(data) = self.data.strip_suffix('\n') {
            sink(SseMessage {
                event: if self.event.is_empty() { "message" } else { &self.event },
                data,
                last_event_id: &self.last_event_id,
                loose: self.loose,
            });
        }
        self.forget_event();
    }

    fn forget_event(&mut self) {
        self.data.clear();
        self.event.clear();
        self.depth = 0;
        self.loose = false;
        self.has_unfinished = false;
    }
}

/// How many brackets are open after a line of JSON, which may end with a `//` comment.
fn depth_after(mut depth: usize, line: &str) -> usize {
    let mut in_string = false;
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => _ = bytes.next(),
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'/' if bytes.peek() == Some(&b'/') => break,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// Whether a response is an event stream, judged by its first bytes, for servers whose content type does not
/// say so. None if more bytes are needed.
pub fn begins_stream(head: &[u8]) -> Option<bool> {
    const FIELDS: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b":", b"//"];
    let head = head.strip_prefix(BOM).unwrap_or(head).trim_ascii_start();
    if FIELDS.iter().any(|field| head.starts_with(field)) {
        return Some(true);
    }
    if FIELDS.iter().any(|field| field.starts_with(head)) { None } else { Some(false) }
}
