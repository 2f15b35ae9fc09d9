//! Lenient reading of an event's payload: a missing, null or wrongly typed field is never fatal.
//! Refuses to know any event type.

use serde_json::{Map, Value};

/// The members of one payload. Reading takes them out, so that long texts are moved, not copied.
#[derive(Debug, Default, Clone)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// Parses a payload. `Err` says what is wrong: no JSON, or no object. Missing or null is an empty payload.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            Ok(Value::Null) => Ok(Self::default()),
            Ok(other) => Err(format!("`data` is {} where an object is expected", name_of(&other))),
            Err(error) => Err(format!("`data` can't be read: {error}")),
        }
    }

    /// The members of a value that should be an object; empty if it is none.
    pub fn of(value: Value) -> Self {
        match value {
            Value::Object(members) => Self(members),
            _ => Self::default(),
        }
    }

    /// Text as people would read it: a string as it is, a number or a truth value spelled out, a tree as JSON.
    pub fn text(&mut self, name: &str) -> Option<String> {
        match self.0.remove(name)? {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }
    }

    /// Like [`Fields::text`], but an empty text counts as missing.
    pub fn filled(&mut self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// A whole number; numbers in strings count.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        match self.0.remove(name)? {
            Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|n| n as i64)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&mut self, name: &str) -> Option<f64> {
        self.0.remove(name)?.as_f64()
    }

    /// A truth value; `"true"` counts.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        match self.0.remove(name)? {
            Value::Bool(flag) => Some(flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The members of an object; empty if it is missing or no object.
    #[must_use]
    pub fn object(&mut self, name: &str) -> Self {
        self.0.remove(name).map_or_else(Self::default, Self::of)
    }

    /// The elements of an array; empty if it is missing or no array.
    pub fn list(&mut self, name: &str) -> Vec<Value> {
        match self.0.remove(name) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// The texts of an array; other elements are spelled as JSON.
    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let spell = |value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        self.list(name).into_iter().map(spell).collect()
    }

    /// Looks at a value and leaves it where it is.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Any value but null.
    pub fn any(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name).filter(|value| !value.is_null())
    }

    /// True if a member is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| !value.is_null())
    }

    /// True if nothing is (left) in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left, as JSON.
    pub fn rest(self) -> Value {
        Value::Object(self.0)
    }
}

fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
