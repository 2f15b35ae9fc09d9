//! Reads incomplete JSON, as a model streams it. What can't be read yet is left out.

use serde_json::{Map, Value};

/// Maximum nesting depth; deeper values are left out.
const DEEPEST: usize = 48;

/// Reads as much as possible of a value's beginning. A string that is cut off ends at the cut.
pub fn read(text: &str) -> Option<Value> {
    PartialReader { rest: text, depth: 0 }.value()
}

struct PartialReader<'a> {
    rest: &'a str,
    depth: usize,
}

impl PartialReader<'_> {
    fn value(&mut self) -> Option<Value> {
        self.blanks();
        if self.depth > DEEPEST {
            return None;
        }
        self.depth += 1;
        let value = match self.rest.chars().next()? {
            '{' => Some(self.object()),
            '[' => Some(self.array()),
            '"' => self.string().map(|(text, _)| Value::String(text)),
            _ => self.scalar(),
        };
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Value {
        let mut members = Map::new();
        self.take('{');
        loop {
            self.blanks();
            if !self.rest.starts_with('"') {
                break;
            }
            let Some((name, true)) = self.string() else { break };
            self.blanks();
            if !self.take(':') {
                break;
            }
            let Some(value) = self.value() else { break };
            members.insert(name, value);
            self.blanks();
            if !self.take(',') {
                break;
            }
        }
        self.take('}');
        Value::Object(members)
    }

    fn array(&mut self) -> Value {
        let mut items = Vec::new();
        self.take('[');
        self.blanks();
        while !self.rest.is_empty() && !self.rest.starts_with(']') {
            let Some(value) = self.value() else { break };
            items.push(value);
            self.blanks();
            if !self.take(',') {
                break;
            }
        }
        self.take(']');
        Value::Array(items)
    }

    /// The text of a string, and whether its closing quote was found.
    fn string(&mut self) -> Option<(String, bool)> {
        let inner = self.rest.strip_prefix('"')?;
        let mut escaped = false;
        let end = inner.char_indices().find(|(_, ch)| match (escaped, ch) {
            (true, _) => {
                escaped = false;
                false
            }
            (false, '\\') => {
                escaped = true;
                false
            }
            (false, ch) => *ch == '"',
        });
        if let Some((end, _)) = end {
            let (text, rest) = self.rest.split_at_checked(end + 2)?;
            self.rest = rest;
            return Some((text_of(text).unwrap_or_default(), true));
        }
        self.rest = "";
        // The cut may be inside an escape, which has at most twelve characters.
        let mut cut = inner;
        for _ in 0..=12 {
            if let Some(text) = text_of(&["\"", cut, "\""].concat()) {
                return Some((text, false));
            }
            cut = cut.get(..cut.char_indices().next_back()?.0)?;
        }
        None
    }

    fn scalar(&mut self) -> Option<Value> {
        let end = self.rest.find(|ch: char| matches!(ch, ',' | '}' | ']') || ch.is_whitespace())?;
        let (text, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        serde_json::from_str(text).ok()
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, ch: char) -> bool {
        let rest = self.rest.strip_prefix(ch);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

/// The text of a string in JSON.
fn text_of(json: &str) -> Option<String> {
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_beginning_is_read_as_far_as_it_goes() {
        for (text, value) in [
            (r#"{"path": "/src/li"#, json!({ "path": "/src/li" })),
            (r#"{"path": "/a", "old_st"#, json!({ "path": "/a" })),
            (r#"{"path": "/a", "n": 12"#, json!({ "path": "/a" })),
            (r#"{"n": 12, "list": [1, "tw"#, json!({ "n": 12, "list": [1, "tw"] })),
            ("{\"text\": \"a\\n\\u00e", json!({ "text": "a\n" })),
            ("{\"text\": \"quo\\\"te\\", json!({ "text": "quo\"te" })),
            ("{\"face\": \"\\ud83d\\ude", json!({ "face": "" })),
            ("{", json!({})),
        ] {
            assert_eq!(read(text), Some(value), "{text}");
        }
        assert_eq!(read(""), None);
        assert_eq!(read("*** Begin Patch"), None);
    }

    #[test]
    fn every_cut_of_a_value_is_read_and_the_whole_is_itself() {
        let whole = json!({ "a": [1, { "b": null }, "ü\u{1F600}\\" ], "c": { "d": true, "e": -1.5 } });
        let text = whole.to_string();
        for (end, _) in text.char_indices().skip(1) {
            assert!(read(&text[..end]).is_some_and(|value| value.is_object()), "{}", &text[..end]);
        }
        assert_eq!(read(&text), Some(whole));
        assert!(read(&"[".repeat(10_000)).is_some());
    }
}
