//! Lenient reading of an event's payload: a missing, null or wrongly typed field is never an error.

use std::borrow::Cow;

use pilothouse_scan::{self as scan, Member, Members, Value as Scanned, elements, index_of, same, unescaped};
use serde_json::{Map, Value};

use super::json::Json;
use crate::json_writer::one_line;
use crate::wire::text::JsonText;

/// The members of one payload. Reading a member removes it, so that long texts are moved rather than copied.
/// Members are converted only when they are read.
#[derive(Debug, Clone)]
pub struct Fields<'a>(MemberStorage<'a>);

/// How the members are stored. Those that the scanner has listed are borrowed, not copied.
#[derive(Debug, Clone)]
enum MemberStorage<'a> {
    /// The scanned members, and a bit for each that was taken out.
    Borrowed(&'a [Member<'a>], u64),
    Owned(Vec<(Cow<'a, str>, MemberValue<'a>)>),
}

const _: () = assert!(Members::MOST <= u64::BITS as usize);

impl Default for Fields<'_> {
    fn default() -> Self {
        Self(MemberStorage::Borrowed(&[], 0))
    }
}

#[derive(Debug, Clone)]
enum MemberValue<'a> {
    /// JSON text that was validated, so that parsing it can't fail.
    Written(Scanned<'a>),
    Read(Value),
}

impl MemberValue<'_> {
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
    /// Parses a payload. `Err` says what is wrong: not JSON, or not an object. Missing or null is an empty
    /// payload.
    pub fn parse(text: &'a str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        match serde_json::from_str(text).map(unwrapped) {
            Ok(Value::Null) => Ok(Self::default()),
            Ok(value @ Value::Object(_)) => Ok(Self::of(value)),
            Ok(other) => Err(format!("`data` is {} where an object is expected", name_of(&other))),
            Err(error) => Err(format!("`data` can't be read: {error}")),
        }
    }

    /// A payload that is only a text, as its member of this name; none for any other payload.
    pub fn of_text(text: &str, name: &'static str) -> Option<Self> {
        let value = serde_json::from_str(text).ok()?;
        (matches!(value, Value::String(_)) || blocks_text(&value).is_some())
            .then(|| Self(MemberStorage::Owned(vec![(Cow::Borrowed(name), MemberValue::Read(value))])))
    }

    /// The members of an object that was scanned; none if its members were not listed.
    pub fn from_members(members: &'a Members<'a>) -> Option<Self> {
        Some(Self(MemberStorage::Borrowed(members.list()?, 0)))
    }

    /// The members of a value given as validated JSON text; empty if it is not an object.
    fn of_json(text: &'a str) -> Self {
        let members = Members::of(text);
        let Some(seen) = members.as_ref().and_then(Members::list) else {
            return Self::of(serde_json::from_str(text).unwrap_or_default());
        };
        Self(MemberStorage::Owned(remaining(seen, 0)))
    }

    /// The members of a value that should be an object; empty if it is not.
    pub fn of(value: Value) -> Self {
        match value {
            Value::Object(members) => Self(MemberStorage::Owned(
                members
                    .into_iter()
                    .map(|(name, value)| (Cow::Owned(name), MemberValue::Read(value)))
                    .collect(),
            )),
            _ => Self::default(),
        }
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        match &self.0 {
            MemberStorage::Borrowed(seen, taken) => {
                index_of(seen, name).filter(|place| taken >> place & 1 == 0)
            }
            MemberStorage::Owned(own) => {
                own.iter().position(|(other, _)| same(other.as_bytes(), name.as_bytes()))
            }
        }
    }

    fn take(&mut self, name: &str) -> Option<MemberValue<'a>> {
        let place = self.index_of(name)?;
        match &mut self.0 {
            MemberStorage::Borrowed(seen, taken) => {
                *taken |= 1 << place;
                seen.get(place).map(|member| MemberValue::Written(member.value))
            }
            MemberStorage::Owned(own) => Some(own.remove(place).1),
        }
    }

    /// Sets a member to a text.
    pub(crate) fn set(&mut self, name: &'static str, text: String) {
        self.take(name);
        let mut own = match std::mem::replace(&mut self.0, MemberStorage::Owned(Vec::new())) {
            MemberStorage::Borrowed(seen, taken) => remaining(seen, taken),
            MemberStorage::Owned(own) => own,
        };
        own.push((Cow::Borrowed(name), MemberValue::Read(Value::String(text))));
        self.0 = MemberStorage::Owned(own);
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.take(name).map(MemberValue::read)
    }

    /// The member as text: a string as it is, any other value as JSON. None if it is missing or null.
    pub fn text(&mut self, name: &str) -> Option<String> {
        value_text(self.remove(name)?)
    }

    /// Like [`Fields::text`], but a string is not unescaped yet.
    pub(crate) fn json_text(&mut self, name: &str) -> Option<JsonText<'a>> {
        match self.take_string(name) {
            Some((inner, escaped)) => Some(JsonText::Written(inner, escaped)),
            None => value_text(self.remove(name)?).map(JsonText::Read),
        }
    }

    /// Takes out a member that is a string, as it is written, and whether there is a backslash in it.
    fn take_string(&mut self, name: &str) -> Option<(&'a str, bool)> {
        match &mut self.0 {
            MemberStorage::Borrowed(seen, taken) => {
                let (place, inner, escaped) = scan::string(seen, name)?;
                let there = *taken >> place & 1 == 0;
                *taken |= 1 << place;
                there.then_some((inner, escaped))
            }
            MemberStorage::Owned(own) => {
                let place = own.iter().position(|(other, _)| same(other.as_bytes(), name.as_bytes()))?;
                let MemberValue::Written(Scanned::Str { inner, escaped }) = own.get(place)?.1 else {
                    return None;
                };
                own.remove(place);
                Some((inner, escaped))
            }
        }
    }

    /// Like [`Fields::text`], but an empty text counts as missing.
    pub fn non_empty_text(&mut self, name: &str) -> Option<String> {
        self.text(name).filter(|text| !text.is_empty())
    }

    /// Like [`Fields::non_empty_text`], but the text is borrowed if possible.
    pub(crate) fn id(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let text = match self.take_string(name) {
            Some((inner, escaped)) => unescaped(inner, escaped)?,
            None => Cow::Owned(self.text(name)?),
        };
        (!text.is_empty()).then_some(text)
    }

    /// A string; `None` if it is another value. Borrowed if possible.
    pub(crate) fn string(&mut self, name: &str) -> Option<Cow<'a, str>> {
        match self.take_string(name) {
            Some((inner, escaped)) => unescaped(inner, escaped),
            None => match self.remove(name)? {
                Value::String(text) => Some(Cow::Owned(text)),
                _ => None,
            },
        }
    }

    /// A whole number; a number in a string counts too.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        let slot = self.take(name)?;
        if let MemberValue::Written(Scanned::Other(text)) = slot
            && let Ok(number) = text.parse()
        {
            return Some(number);
        }
        match slot.read() {
            Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|n| n as i64)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// A number, with decimals or without. Unlike [`Fields::integer`] it is not read from a string.
    pub fn number(&mut self, name: &str) -> Option<f64> {
        self.remove(name)?.as_f64()
    }

    /// A Boolean; `"true"` and `"false"` count too.
    pub fn flag(&mut self, name: &str) -> Option<bool> {
        let slot = self.take(name)?;
        if let MemberValue::Written(Scanned::Other(text)) = slot {
            return text.parse().ok();
        }
        match slot.read() {
            Value::Bool(flag) => Some(flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The members of an object; empty if it is missing or not an object.
    #[must_use]
    pub fn object(&mut self, name: &str) -> Self {
        let Some(place) = self.index_of(name) else { return Self::default() };
        if let MemberStorage::Borrowed(seen, _) = &self.0
            && let Some(inside) = seen.get(place).map(|member| member.inside).filter(|inside| *inside > 0)
            && let Some(inside) = seen.get(place + 1..=place + inside)
        {
            self.take(name);
            return Self(MemberStorage::Borrowed(inside, 0));
        }
        match self.take(name) {
            Some(MemberValue::Written(Scanned::Other(text))) => Self::of_json(text),
            Some(slot) => Self::of(unwrapped(slot.read())),
            None => Self::default(),
        }
    }

    /// The members of an object. A value that is neither one nor the JSON of one is what its member `text` would be, unless
    /// it says nothing: null, a Boolean, an empty array.
    #[must_use]
    pub fn object_or_text(&mut self, name: &str, text: &'static str) -> Self {
        let Some(place) = self.index_of(name) else { return Self::default() };
        let is_object = match &self.0 {
            MemberStorage::Borrowed(seen, _) => seen
                .get(place)
                .is_some_and(|member| matches!(member.value, Scanned::Other(json) if json.starts_with('{'))),
            MemberStorage::Owned(own) => own.get(place).is_some_and(|(_, slot)| match slot {
                MemberValue::Written(Scanned::Other(json)) => json.starts_with('{'),
                slot => matches!(slot, MemberValue::Read(Value::Object(_))),
            }),
        };
        if is_object {
            return self.object(name);
        }
        match self.remove(name) {
            None | Some(Value::Null | Value::Bool(_)) => Self::default(),
            Some(Value::Array(items)) if items.is_empty() => Self::default(),
            Some(value) => match unwrapped(value.clone()) {
                object @ Value::Object(_) if object.get(text).is_some() => Self::of(object),
                _ => Self(MemberStorage::Owned(vec![(Cow::Borrowed(text), MemberValue::Read(value))])),
            },
        }
    }

    /// The elements of an array; empty if it is missing or not an array.
    pub fn list(&mut self, name: &str) -> Vec<Value> {
        match self.remove(name).map(unwrapped) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }

    /// An array, and the members of each of its elements; none if it is missing, empty or not an array.
    pub fn objects(&mut self, name: &str) -> Option<(Json, Vec<Self>)> {
        let (array, found): (Json, Vec<Self>) = match self.take(name)? {
            MemberValue::Written(Scanned::Other(text)) => {
                let found = elements(text)?.into_iter().map(Self::of_json).collect();
                (Json::from_valid_text(text), found)
            }
            slot => match unwrapped(slot.read()) {
                Value::Array(items) => {
                    (Value::Array(items.clone()).into(), items.into_iter().map(Self::of).collect())
                }
                _ => return None,
            },
        };
        (!found.is_empty()).then_some((array, found))
    }

    /// Any value but null, not parsed yet. A string that is an object or an array is that.
    pub fn json(&mut self, name: &str) -> Option<Json> {
        Some(match self.take(name).filter(|slot| !slot.is_null())? {
            MemberValue::Written(Scanned::Other(text)) => Json::from_valid_text(text),
            slot => unwrapped(slot.read()).into(),
        })
    }

    /// The strings of an array; other elements are written as JSON.
    pub fn texts(&mut self, name: &str) -> Vec<String> {
        let spell = |value| match value {
            Value::String(text) => text,
            other => one_line(&other),
        };
        self.list(name).into_iter().map(spell).collect()
    }

    /// A member's value, without removing it.
    pub fn get(&self, name: &str) -> Option<Cow<'_, Value>> {
        let place = self.index_of(name)?;
        Some(match &self.0 {
            MemberStorage::Borrowed(seen, _) => {
                Cow::Owned(MemberValue::Written(seen.get(place)?.value).read())
            }
            MemberStorage::Owned(own) => match &own.get(place)?.1 {
                MemberValue::Read(value) => Cow::Borrowed(value),
                written @ MemberValue::Written(_) => Cow::Owned(written.clone().read()),
            },
        })
    }

    /// Any value but null.
    pub fn any(&mut self, name: &str) -> Option<Value> {
        self.remove(name).filter(|value| !value.is_null())
    }

    /// True if a member is there and not null.
    pub fn has(&self, name: &str) -> bool {
        self.index_of(name).is_some_and(|place| match &self.0 {
            MemberStorage::Borrowed(seen, _) => {
                seen.get(place).is_some_and(|member| member.value != Scanned::Other("null"))
            }
            MemberStorage::Owned(own) => own.get(place).is_some_and(|(_, slot)| !slot.is_null()),
        })
    }

    /// True if there are no members left.
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            MemberStorage::Borrowed(seen, taken) => remaining(seen, *taken).is_empty(),
            MemberStorage::Owned(own) => own.is_empty(),
        }
    }

    /// The remaining members, as a JSON object.
    pub fn rest(self) -> Value {
        let own = match self.0 {
            MemberStorage::Borrowed(seen, taken) => remaining(seen, taken),
            MemberStorage::Owned(own) => own,
        };
        let members = own.into_iter().map(|(name, slot)| (name.into_owned(), slot.read()));
        Value::Object(members.collect::<Map<_, _>>())
    }
}

/// The top-level members that were not taken out.
fn remaining<'a>(seen: &[Member<'a>], taken: u64) -> Vec<(Cow<'a, str>, MemberValue<'a>)> {
    let (mut left, mut place) = (Vec::new(), 0);
    while let Some(member) = seen.get(place) {
        if taken >> place & 1 == 0 {
            left.push((Cow::Borrowed(member.name), MemberValue::Written(member.value)));
        }
        place += 1 + member.inside;
    }
    left
}

/// The object or array that a string is the JSON text of; any other value as it is. Some programs write an object as JSON
/// twice or three times, so that a string stands where the schema has an object.
pub(crate) fn unwrapped(value: Value) -> Value {
    const MOST_TIMES: usize = 4;
    let mut inside = Cow::Borrowed(&value);
    for _ in 0..MOST_TIMES {
        let read = match &*inside {
            Value::String(text) if text.trim_start().starts_with(['{', '[', '"']) => {
                serde_json::from_str(text).ok()
            }
            _ => None,
        };
        match read {
            Some(read @ Value::String(_)) => inside = Cow::Owned(read),
            Some(read @ (Value::Object(_) | Value::Array(_))) => return read,
            _ => break,
        }
    }
    value
}

fn value_text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(blocks_text(&other).unwrap_or_else(|| one_line(&other))),
    }
}

/// The text of blocks such as `[{"type":"text","text":"…"}]`, in which providers and MCP have what is a string in the schema.
/// None if there is anything but text in them.
fn blocks_text(value: &Value) -> Option<String> {
    let text = |block: &Value| {
        let is_text = block.get("type")?.as_str()?.ends_with("text");
        block.get("text")?.as_str().filter(|_| is_text).map(str::to_owned)
    };
    match value {
        Value::Array(blocks) if !blocks.is_empty() => {
            Some(blocks.iter().map(text).collect::<Option<Vec<_>>>()?.join("\n"))
        }
        block => text(block),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_looked_over_is_read_as_a_tree_would_be() {
        let text = r#"{"a":{"x":"1","y":{"z":[2]},"e":{}},"n":null,"s":"t\n","i":7,"a2":{"x":true},"o":{}}"#;
        let members = Members::of(text).unwrap();
        for mut fields in [Fields::from_members(&members).unwrap(), Fields::parse(text).unwrap()] {
            assert!(
                fields.has("s") && !fields.has("n") && !fields.has("x"),
                "what is inside is not a member"
            );
            assert_eq!((fields.integer("i"), fields.flag("i"), fields.text("y")), (Some(7), None, None));
            assert_eq!(fields.text("s").as_deref(), Some("t\n"));
            assert!(!fields.has("s") && fields.text("s").is_none(), "it was taken out");
            let mut inside = fields.object("a");
            assert_eq!(inside.object("y").list("z"), [2]);
            assert_eq!(inside.text("x").as_deref(), Some("1"));
            assert!(!inside.is_empty() && inside.object("e").is_empty() && inside.is_empty());
            assert!(fields.object("a").is_empty() && fields.object("o").is_empty());
            assert_eq!(fields.get("a2").as_deref(), Some(&serde_json::json!({ "x": true })));
            assert_eq!(fields.rest().to_string(), r#"{"n":null,"a2":{"x":true}}"#);
        }
    }

    #[test]
    fn a_string_is_the_object_that_it_is_the_json_of_or_else_its_text() {
        for (json, content) in [
            (r#"{"content":"c"}"#, Some("c")),
            (r#""{\"content\":\"c\"}""#, Some("c")),
            (r#"" {\"content\":\"c\"} ""#, Some("c")),
            (r#""plain""#, Some("plain")),
            (r#""{\"other\":1}""#, Some(r#"{"other":1}"#)),
            (r#""{broken""#, Some("{broken")),
            (r#""[1]""#, Some("[1]")),
            (r#""\"{\\\"content\\\":\\\"c\\\"}\"""#, Some("c")),
            (r#"[{"type":"text","text":"one"},{"type":"output_text","text":"two"}]"#, Some("one\ntwo")),
            (r#"{"content":[{"type":"text","text":"one"}]}"#, Some("one")),
            (r#"{"content":{"type":"text","text":"one"}}"#, Some("one")),
            (r#"[{"type":"image","data":"x"}]"#, Some(r#"[{"type":"image","data":"x"}]"#)),
            (r#"["disk","full"]"#, Some(r#"["disk","full"]"#)),
            ("[]", None),
            ("true", None),
            ("7", Some("7")),
            ("null", None),
        ] {
            let event = format!(r#"{{"a":{json}}}"#);
            let members = Members::of(&event).unwrap();
            for mut fields in [Fields::from_members(&members).unwrap(), Fields::parse(&event).unwrap()] {
                assert_eq!(
                    fields.object_or_text("a", "content").text("content").as_deref(),
                    content,
                    "{json}"
                );
            }
        }
        let mut fields = Fields::parse(
            r#"{"a":"{\"x\":{\"y\":1}}","b":"[{\"z\":2}]","c":"{","d":"*** Patch","e":"{\"q\":1}"}"#,
        )
        .unwrap();
        assert_eq!(fields.object("a").object("x").integer("y"), Some(1));
        assert_eq!(fields.objects("b").unwrap().1[0].integer("z"), Some(2));
        assert_eq!(
            (&*fields.json("c").unwrap(), &*fields.json("d").unwrap()),
            (&"{".into(), &"*** Patch".into())
        );
        assert_eq!(*fields.json("e").unwrap(), serde_json::json!({ "q": 1 }));
        assert_eq!(Fields::parse(r#""{\"a\":1}""#).unwrap().integer("a"), Some(1));
        assert!(Fields::parse(r#""plain""#).is_err());
    }

    #[test]
    fn however_many_members_there_are_all_are_read() {
        for (outer, inner) in [(1, 38), (1, 39), (1, 40), (20, 1), (20, 2), (41, 1), (200, 3)] {
            let inside: Vec<String> = (0..inner).map(|number| format!(r#""m{number}":{number}"#)).collect();
            let object = |number: i32| format!(r#""o{number}":{{{}}}"#, inside.join(","));
            let text = format!("{{{}}}", (0..outer).map(object).collect::<Vec<_>>().join(","));
            let event = format!(r#"{{"type":"x","data":{text}}}"#);
            let mut read = 0;
            crate::wire::records(&event, |record| {
                let Ok(crate::wire::Record::Event(event)) = record else { panic!("{text}") };
                let known = event.members.and_then(Fields::from_members);
                let mut fields = known.unwrap_or_else(|| Fields::parse(event.data).unwrap());
                for number in 0..outer {
                    let mut object = fields.object(&format!("o{number}"));
                    read += (0..inner).filter_map(|number| object.integer(&format!("m{number}"))).count();
                }
                assert!(fields.is_empty());
            });
            assert_eq!(read, (outer * inner) as usize);
        }
    }
}
