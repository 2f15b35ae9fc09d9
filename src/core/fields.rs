//! Lenient reading of an event's payload: a missing, null or wrongly typed field is never fatal.
//! Refuses to know any event type.

use std::borrow::Cow;

use pilothouse_scan::{Members, Value as Scanned, elements, same, unescaped};
use serde_json::{Map, Value};

use super::json::Json;
use super::text::Said;

/// The members of one payload. Reading takes them out, so that long texts are moved, not copied; what nobody reads is
/// never made.
#[derive(Debug, Default, Clone)]
pub struct Fields<'a>(Vec<(Cow<'a, str>, Slot<'a>)>);

#[derive(Debug, Clone)]
enum Slot<'a> {
    /// As it is written; looked over, so that reading it does not fail.
    Written(Scanned<'a>),
    Read(Value),
}

impl Slot<'_> {
    fn read(self) -> Value {
        match self {
            Self::Read(value) => value,
            Self::Written(Scanned::Other(text)) => serde_json::from_str(text).unwrap_or_default(),
            Self::Written(Scanned::Str { inner, escaped }) => {
                unescaped(inner, escaped).map_or(Value::Null, |text| Value::String(text.into_owned()))
            }
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Read(Value::Null) | Self::Written(Scanned::Other("null")))
    }
}

impl<'a> Fields<'a> {
    /// Parses a payload. `Err` says what is wrong: no JSON, or no object. Missing or null is an empty payload.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_str(text) {
            Ok(Value::Null) => Ok(Self::default()),
            Ok(value @ Value::Object(_)) => Ok(Self::of(value)),
            Ok(other) => Err(format!("`data` is {} where an object is expected", name_of(&other))),
            Err(error) => Err(format!("`data` can't be read: {error}")),
        }
    }

    /// The members of an object that was looked over, if it was.
    pub fn known(members: &Members<'a>) -> Option<Self> {
        let slots = members.list()?.iter().map(|(name, value)| (Cow::Borrowed(*name), Slot::Written(*value)));
        Some(Self(slots.collect()))
    }

    /// Those of a value that was looked over, if it is an object.
    fn looked_over(text: &'a str) -> Self {
        let known = Members::of(text).and_then(|members| Self::known(&members));
        known.unwrap_or_else(|| Self::of(serde_json::from_str(text).unwrap_or_default()))
    }

    /// The members of a value that should be an object; empty if it is none.
    pub fn of(value: Value) -> Self {
        match value {
            Value::Object(members) => {
                Self(members.into_iter().map(|(name, value)| (Cow::Owned(name), Slot::Read(value))).collect())
            }
            _ => Self::default(),
        }
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(other, _)| same(other.as_bytes(), name.as_bytes()))
    }

    /// The last one takes the place of what is taken out.
    fn take(&mut self, name: &str) -> Option<Slot<'a>> {
        Some(self.0.swap_remove(self.place(name)?).1)
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.take(name).map(Slot::read)
    }

    /// Text as people would read it: a string as it is, a number or a truth value spelled out, a tree as JSON.
    pub fn text(&mut self, name: &str) -> Option<String> {
        spelled(self.remove(name)?)
    }

    /// Like [`Fields::text`], and not read if it need not be.
    pub(super) fn said(&mut self, name: &str) -> Option<Said<'a>> {
        match self.take(name)? {
            Slot::Written(Scanned::Str { inner, escaped }) => Some(Said::Written(inner, escaped)),
            slot => spelled(slot.read()).map(Said::Read),
        }
    }

    /// Like [`Fields::text`], but an empty text counts as missing.
    pub fn filled(&mut self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// A whole number; numbers in strings count.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        match self.remove(name)? {
            Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|n| n as i64)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&mut self, name: &str) -> Option<f64> {
        self.remove(name)?.as_f64()
    }

    /// A truth value; `"true"` counts.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        match self.remove(name)? {
            Value::Bool(flag) => Some(flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The members of an object; empty if it is missing or no object.
    #[must_use]
    pub fn object(&mut self, name: &str) -> Self {
        match self.take(name) {
            Some(Slot::Written(Scanned::Other(text))) => Self::looked_over(text),
            Some(Slot::Read(value)) => Self::of(value),
            _ => Self::default(),
        }
    }

    /// The elements of an array; empty if it is missing or no array.
    pub fn list(&mut self, name: &str) -> Vec<Value> {
        match self.remove(name) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// The members of an array's elements, with the array itself; nothing if it is missing, empty or no array.
    pub fn objects(&mut self, name: &str) -> Option<(Json, Vec<Self>)> {
        let (array, found): (Json, Vec<Self>) = match self.take(name)? {
            Slot::Written(Scanned::Other(text)) => {
                let found = elements(text)?.into_iter().map(Self::looked_over).collect();
                (Json::written(text), found)
            }
            Slot::Read(Value::Array(items)) => {
                (Value::Array(items.clone()).into(), items.into_iter().map(Self::of).collect())
            }
            _ => return None,
        };
        (!found.is_empty()).then_some((array, found))
    }

    /// Any value but null, not read.
    pub fn json(&mut self, name: &str) -> Option<Json> {
        Some(match self.take(name).filter(|slot| !slot.is_null())? {
            Slot::Written(Scanned::Other(text)) => Json::written(text),
            slot => slot.read().into(),
        })
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
    pub fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        match &self.0.get(self.place(name)?)?.1 {
            Slot::Read(value) => Some(Cow::Borrowed(value)),
            written @ Slot::Written(_) => Some(Cow::Owned(written.clone().read())),
        }
    }

    /// Any value but null.
    pub fn any(&mut self, name: &str) -> Option<Value> {
        self.remove(name).filter(|value| !value.is_null())
    }

    /// True if a member is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.place(name).and_then(|place| self.0.get(place)).is_some_and(|(_, slot)| !slot.is_null())
    }

    /// True if nothing is (left) in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is left, as JSON.
    pub fn rest(self) -> Value {
        let members = self.0.into_iter().map(|(name, slot)| (name.into_owned(), slot.read()));
        Value::Object(members.collect::<Map<_, _>>())
    }
}

fn spelled(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
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
