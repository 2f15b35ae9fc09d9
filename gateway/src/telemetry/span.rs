//! A span: one operation of a session, with its ids, its times and what is known of it.
//!
//! Ids are derived from the session and from ids of the runtime, so whoever reads the same events, a gateway after its restart for
//! example, gets the same ones.

use sha2::{Digest as _, Sha256};

/// How many events a span has, as the specification's default is; further ones are counted.
const MOST_EVENTS: usize = 128;
/// In characters: a name of a tool or a model is shorter.
const LONGEST_TEXT: usize = 128;

/// The id of a trace, which is a turn.
pub type TraceId = [u8; 16];
/// The id of a span.
pub type SpanId = [u8; 8];

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    /// Text.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// A whole number.
    Whole(i64),
    /// Any number.
    Number(f64),
}

/// The attributes of a span or an event, by their names.
pub type Attributes = Vec<(&'static str, AttributeValue)>;

/// Something that happened during a span.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanEvent {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What it is.
    pub name: &'static str,
    /// What is known of it.
    pub attributes: Attributes,
}

/// One operation. Times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The turn that it is a part of.
    pub trace: TraceId,
    /// Its id.
    pub id: SpanId,
    /// The span that it is a part of; none for a whole turn.
    pub parent: Option<SpanId>,
    /// Its name.
    pub name: String,
    /// Whether another system does it, as a model's provider; else it is done where the agent runs.
    pub is_remote: bool,
    /// When it began.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// What is known of it.
    pub attributes: Attributes,
    /// What happened during it.
    pub events: Vec<SpanEvent>,
    /// How many events there were beyond those.
    pub dropped_events: u32,
    /// Why it failed, as one word; none if it did not.
    pub error: Option<String>,
}

impl Span {
    /// Sets an attribute, once.
    pub fn set(&mut self, name: &'static str, value: impl Into<AttributeValue>) {
        let value = value.into();
        match self.attributes.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.attributes.push((name, value)),
        }
    }

    /// The text of an attribute.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find_map(|(known, value)| match value {
            AttributeValue::Text(text) if *known == name => Some(text.as_str()),
            _ => None,
        })
    }

    /// Adds an event, if it has room for it.
    pub fn add(&mut self, event: SpanEvent) {
        if self.events.len() < MOST_EVENTS {
            self.events.push(event);
        } else {
            self.dropped_events += 1;
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

/// The id of the turn that begins with this event.
pub fn trace_id(session: &str, first_event: &str) -> TraceId {
    derived(&["trace", session, first_event])
}

/// The id of a span of this kind, with the id that the runtime has for what it is about.
pub fn span_id(session: &str, kind: &str, key: &str) -> SpanId {
    derived(&["span", session, kind, key])
}

/// The first bytes of the SHA-256 of these parts, each with its length before it.
fn derived<const BYTES: usize>(parts: &[&str]) -> [u8; BYTES] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut id = [0; BYTES];
    id.iter_mut().zip(hash.finalize()).for_each(|(byte, from)| *byte = from);
    id
}

/// A name as the runtime has it, without what would not be a name: controls, and what comes after some length.
pub fn name(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST_TEXT).collect()
}

/// A word of the protocol. Anything else may be a text of somebody, and becomes `_OTHER`.
pub fn word(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    let is_word = !text.is_empty() && text.len() <= 64 && text.chars().all(is_part);
    if is_word { text.to_owned() } else { OTHER.to_owned() }
}

/// An error of which no better word is known.
pub const OTHER: &str = "_OTHER";

#[cfg(test)]
mod tests {
    use super::{span_id, trace_id, word};

    #[test]
    fn ids_depend_on_every_part_and_on_nothing_else() {
        assert_eq!(trace_id("s", "e"), trace_id("s", "e"));
        assert_ne!(trace_id("s", "e"), trace_id("se", ""));
        assert_ne!(span_id("s", "tool", "1"), span_id("s", "request", "1"));
        // A promise (docs/gateway.md): traces of before an update stay whole.
        let id = u128::from_be_bytes(trace_id("s", "e"));
        assert_eq!(format!("{id:032x}"), "e4314acf5acc6ab0a3ad32aae53a02d1");
    }

    #[test]
    fn only_words_of_the_protocol_pass() {
        assert_eq!(word("denied-by-rules"), "denied-by-rules");
        for text in ["", "rm -rf /", "ünlaut", &"a".repeat(65)] {
            assert_eq!(word(text), "_OTHER", "{text}");
        }
    }
}
