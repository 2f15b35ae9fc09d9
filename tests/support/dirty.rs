//! Logs with junk between their records, made from any bytes, and what must be read of them.

use arbitrary::Unstructured;
use pilothouse::core::Session;
use pilothouse::core::session::log::Logged;
use pilothouse::core::wire::sse::SseParser;
use serde_json::Value;

/// A dirty log.
#[derive(Default)]
pub struct Dirty {
    /// All of it.
    pub text: String,
    /// The events that are whole in it, in their order.
    pub whole: Vec<Value>,
    /// Whether something in it is neither a record nor a separator.
    pub has_junk: bool,
    /// Where the stream is cut.
    pub cuts: Vec<usize>,
}

const SEPARATORS: [&str; 10] =
    ["\0", "\0\0\0\0", "\u{1e}", "\u{c}", "\u{b}", "\u{feff}", " ", "\n", "\n\n", "\t"];
const LOG_TEXTS: [&str; 22] = [
    "2026-09-14T08:00:00Z INFO wrote 5 records",
    "[12:00:01] ERROR",
    "WARN could not write \"events.jsonl\":",
    "panicked at src/main.rs:7:3: {",
    "{",
    "{{",
    "{{{{{{",
    ",",
    "[",
    "]",
    "}",
    "\"",
    "\\",
    "{}",
    "null 42 true",
    "\"a string\"",
    "{\"level\":\"info\",\"msg\":\"{}\"}",
    "{\"level\":\"info\",\"list\":[{\"type\":\"text\",\"text\":\"\"}",
    "at [DONE] last",
    "\u{1b}[31mred\u{1b}[0m",
    "漢字\u{2028}🌊\u{fffd}",
    "<<<<<<< HEAD",
];

impl Dirty {
    /// A log with some of these events.
    pub fn new(events: &[Value], seed: &[u8]) -> Self {
        let mut from = Unstructured::new(seed);
        Self::from(events, &mut from).unwrap_or_default()
    }

    fn from(events: &[Value], from: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        let mut dirty = Self::default();
        let line_end = if from.ratio(1, 4)? { "\r\n" } else { "\n" };
        let first = from.choose_index(events.len())?;
        for event in events.iter().skip(first).take(from.int_in_range(1..=4)?) {
            dirty.junk(events, line_end, from)?;
            let written = written(event, line_end, from)?;
            dirty.text += &written;
            if !dirty.whole.iter().any(|other| other["id"] == event["id"]) {
                dirty.whole.push(event.clone());
            }
            if from.ratio(2, 3)? {
                dirty.text += line_end;
            }
        }
        dirty.junk(events, line_end, from)?;
        if line_end == "\r\n" {
            // A line without its end does not say which one the others have.
            dirty.text += line_end;
        }
        for _ in 0..from.int_in_range(0..=6)? {
            dirty.cuts.push(from.choose_index(dirty.text.len() + 1)?);
        }
        dirty.cuts.sort_unstable();
        Ok(dirty)
    }

    fn junk(
        &mut self,
        events: &[Value],
        line_end: &str,
        from: &mut Unstructured<'_>,
    ) -> arbitrary::Result<()> {
        let torn_at_their_end = from.arbitrary()?;
        for _ in 0..from.int_in_range(0..=3)? {
            let junk = match from.int_in_range(0..=5)? {
                0 | 1 => {
                    self.text += &from.choose(&SEPARATORS)?.replace('\n', line_end);
                    continue;
                }
                2 | 3 => (*from.choose(&LOG_TEXTS)?).to_owned(),
                4 => {
                    let event = events.get(from.choose_index(events.len())?).map(Value::to_string);
                    torn(&event.unwrap_or_default(), torn_at_their_end, from)?
                }
                _ => {
                    let last = self.whole.last().unwrap_or(&Value::Null);
                    torn(&last.to_string(), torn_at_their_end, from)?
                }
            };
            self.has_junk |= !matches!(junk.trim(), "" | "[" | "]" | ",");
            self.text += &junk;
            if from.ratio(1, 2)? {
                self.text += line_end;
            }
        }
        Ok(())
    }

    /// Checks that a session has read each whole event once. Returns how many other events it has read: torn copies and other
    /// junk can happen to be a whole event together, and this can have one of the log in it.
    pub fn assert_read(&self, session: &Session, how: &str) -> usize {
        let log = session.log().expect("the log is kept");
        let (mut read, mut raws, mut accidents, mut copies) = (Vec::new(), Vec::new(), 0, 0);
        for record in 0..log.len() {
            log.read(record, |logged| {
                let Logged::Event { raw, duplicate, .. } = logged else { return };
                let event: Value = serde_json::from_str(raw).expect("an event is JSON");
                raws.push((event.clone(), raw.to_owned()));
                // A torn copy around a whole one.
                copies += usize::from(raw.matches(&event["id"].to_string()).count() > 1);
                if !self.whole.contains(&event) {
                    accidents += 1;
                } else if duplicate {
                    copies += 1;
                } else {
                    read.push(event);
                }
            });
        }
        let is_inside = |event: &Value| {
            let id = event["id"].to_string();
            raws.iter().any(|(other, raw)| other != event && raw.contains(&id))
        };
        let whole: Vec<&Value> =
            self.whole.iter().filter(|event| read.contains(event) || !is_inside(event)).collect();
        // Junk may have closed a torn copy, which comes at its own place.
        if copies > 0 {
            read.sort_by_key(|event| self.whole.iter().position(|other| other == event));
        }
        assert_eq!(read.iter().collect::<Vec<_>>(), whole, "{how}\n{self:?}");
        if self.has_junk && accidents == 0 && copies == 0 {
            assert!(session.state().counters.malformed > 0, "{how}: junk was not counted\n{self:?}");
        }
        accidents
    }
}

impl std::fmt::Debug for Dirty {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{:?}", self.text)
    }
}

/// The first or the last part of a record.
fn torn(record: &str, at_its_end: bool, from: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    // Without its first bytes a record may be whole again behind another bracket, so more than these are gone.
    let most = record.chars().count().saturating_sub(1).max(20);
    let length = from.int_in_range(if at_its_end { 1 } else { 20 }..=most)?;
    Ok(if at_its_end { record.chars().take(length).collect() } else { record.chars().skip(length).collect() })
}

/// The event as one of several programs would write it.
fn written(event: &Value, line_end: &str, from: &mut Unstructured<'_>) -> arbitrary::Result<String> {
    let json = match from.int_in_range(0..=7)? {
        0 => serde_json::json!({ "jsonrpc": "2.0", "method": "session.event", "params": { "event": event } })
            .to_string(),
        1 => serde_json::json!({ "seq": 7, "event": event }).to_string(),
        _ => event.to_string(),
    };
    Ok(if from.ratio(1, 3)? { with_raw_controls(&json, line_end) } else { json })
}

/// The same JSON with control characters in its strings as they are.
pub fn with_raw_controls(json: &str, line_end: &str) -> String {
    let mut out = String::new();
    let mut rest = json;
    while let Some(backslash) = rest.find('\\') {
        let (before, escape) = rest.split_at(backslash);
        out += before;
        let code = escape.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let (raw, length) = match escape.as_bytes().get(1) {
            Some(b'n') => (line_end.to_owned(), 2),
            Some(b't') => ("\t".to_owned(), 2),
            Some(b'u') if code.is_some_and(|code| code < 32 && code != 13) => {
                (code.and_then(char::from_u32).unwrap_or_default().to_string(), 6)
            }
            _ => (escape.chars().take(2).collect(), escape.chars().take(2).map(char::len_utf8).sum()),
        };
        out += &raw;
        rest = &escape[length..];
    }
    out + rest
}

/// The log as a stream in pieces.
pub fn read_in_pieces(dirty: &Dirty) -> Session {
    let mut session = Session::new();
    session.keep_log();
    let bytes = dirty.text.as_bytes();
    if dirty.cuts.len() == 1 {
        bytes.chunks(1).for_each(|byte| _ = session.push(byte));
    } else {
        let mut at = 0;
        for cut in dirty.cuts.iter().chain([&bytes.len()]) {
            session.push(&bytes[at..*cut]);
            at = *cut;
        }
    }
    session.end();
    session
}

/// The log as one frame.
pub fn read_as_frame(dirty: &Dirty) -> Session {
    let mut session = Session::new();
    session.keep_log();
    session.push_frame(&dirty.text);
    session
}

/// The log as one server-sent event, a field `data` for each line.
pub fn read_as_server_sent(dirty: &Dirty) -> Session {
    let mut session = Session::new();
    session.keep_log();
    let text = dirty.text.replace("\r\n", "\n");
    let stream = format!("data: {}\n\n", text.replace('\n', "\ndata: "));
    let mut messages = Vec::new();
    SseParser::new().push(stream.as_bytes(), &mut |message| messages.push(message.data.to_owned()));
    for data in messages {
        session.push_server_sent("message", &data, None);
    }
    session
}
