//! Compares the catalogue with the schema of a runtime, for `pilothouse catalogue --against`: which types and
//! fields are new, which only other versions have, and what differs. Lists what a schema has.
//!
//! This is in the product: whoever drives a newer runtime can ask this very build what it does not know, without its source.

mod fields;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pilothouse_core::protocol::catalogue;
use pilothouse_core::protocol::catalogue::Persistence;
use serde_json::Value;

const EVENTS: &str = "session-events.schema.json";
/// The schema of the calls, which lies beside that of the events.
const CALLS: &str = "api.schema.json";

/// A schema, read.
#[derive(Debug)]
pub struct Schema {
    file: PathBuf,
    whole: Value,
    types: BTreeMap<String, bool>,
}

impl Schema {
    /// Reads the schema `path`, or the one somewhere below the folder `path`. The error is a sentence for people.
    pub fn open(path: &Path) -> Result<Self, String> {
        let file = find_below(path).ok_or_else(|| format!("there is no {EVENTS} in {}", path.display()))?;
        let whole = read(&file)?;
        let types = event_types(&whole)
            .ok_or_else(|| format!("{} is not a schema of session events", file.display()))?;
        Ok(Self { file, whole, types })
    }

    /// The fields of each type in the catalogue's notation, a line for each.
    pub fn fields(&self) -> String {
        fields::lists(&self.whole)
    }

    /// The methods that the runtime has, sorted, a line for each. The error is a sentence for people.
    pub fn methods(&self) -> Result<String, String> {
        let mut methods = BTreeSet::new();
        collect_methods(&read(&self.file.with_file_name(CALLS))?, &mut methods);
        Ok(methods.into_iter().fold(String::new(), |lines, method| lines + &method + "\n"))
    }

    /// How the catalogue and the schema differ, in words, and whether the catalogue knows all that is there.
    pub fn compared(&self) -> (String, bool) {
        let mut comparison = Comparison::of(&self.types);
        let published = catalogue::fields::read(&self.fields());
        comparison.fields = catalogue::fields::without_place(&published);
        // The fields of a type that this version does not have are not listed.
        let elsewhere = catalogue::fields::without_field(&published).into_iter();
        let of_known =
            |line: &String| line.split_once(": ").is_some_and(|(name, _)| self.types.contains_key(name));
        comparison.elsewhere.extend(elsewhere.filter(of_known));
        let complete = comparison.new.is_empty() && comparison.fields.is_empty();
        let report = format!("{}: {} types\n{}", self.file.display(), self.types.len(), comparison.report());
        (report, complete)
    }
}

fn read(file: &Path) -> Result<Value, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{} is not JSON: {error}", file.display()))
}

/// Methods are described at any depth, by objects that name them.
fn collect_methods(part: &Value, methods: &mut BTreeSet<String>) {
    match part {
        Value::Object(members) => {
            methods.extend(members.get("rpcMethod").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| collect_methods(member, methods));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_methods(item, methods)),
        _ => {}
    }
}

/// Finds the schema at this path or below it. Links are followed only at the top, because packages link to
/// each other in circles.
fn find_below(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) if entry.file_name() == EVENTS => return Some(entry.path()),
                _ => {}
            }
        }
    }
    None
}

/// The schema of each event.
fn events(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let events = schema.pointer("/definitions/SessionEvent/anyOf")?.as_array()?;
    Some(events.iter().filter_map(|event| resolve_reference(schema, event)))
}

/// Follows a `$ref`; a part without one is returned as it is.
fn resolve_reference<'a>(whole: &'a Value, part: &'a Value) -> Option<&'a Value> {
    match part.get("$ref").and_then(Value::as_str) {
        Some(reference) => whole.pointer(reference.strip_prefix('#')?),
        None => Some(part),
    }
}

/// Each type, and whether the schema has it always ephemeral.
fn event_types(schema: &Value) -> Option<BTreeMap<String, bool>> {
    let types: BTreeMap<String, bool> = events(schema)?
        .filter_map(|event| {
            let name = event.pointer("/properties/type/const")?.as_str()?.to_owned();
            let ephemeral = event.pointer("/properties/ephemeral/const") == Some(&Value::Bool(true));
            Some((name, ephemeral))
        })
        .collect();
    (!types.is_empty()).then_some(types)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Comparison {
    new: Vec<String>,
    /// What other versions of the runtime have: types, and fields as `type: field`.
    elsewhere: Vec<String>,
    differs: Vec<String>,
    /// Fields without a place, as `type: field`.
    fields: Vec<String>,
}

impl Comparison {
    fn of(published: &BTreeMap<String, bool>) -> Self {
        let mut comparison = Self::default();
        for (name, &ephemeral) in published {
            match catalogue::find(name).filter(|row| row.is_session_event()) {
                None => comparison.new.push(name.clone()),
                Some(row) => comparison.differs.extend(
                    difference(row.persistence, ephemeral).map(|difference| format!("{name}: {difference}")),
                ),
            }
        }
        comparison.elsewhere = catalogue::all()
            .filter(|row| row.is_session_event() && !published.contains_key(row.name))
            .map(|row| row.name.to_owned())
            .collect();
        comparison
    }

    fn report(&self) -> String {
        let missing = [
            section("new, not in the catalogue:", &self.new),
            section("fields without a place:", &self.fields),
        ];
        let mut report = missing.concat();
        if report.is_empty() {
            report.push_str("the catalogue has them all\n");
        }
        report.push_str(&section("ephemeral in one and not in the other:", &self.differs));
        report.push_str(&section("not here, but in another version:", &self.elsewhere));
        report
    }
}

fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("{title}\n  {}\n", lines.join("\n  "))
}

/// `Either` agrees with both: it is for types on which schema and wire disagree.
const fn difference(catalogue: Persistence, always_ephemeral: bool) -> Option<&'static str> {
    match (catalogue, always_ephemeral) {
        (Persistence::Ephemeral, false) => {
            Some("the catalogue has it ephemeral, the schema lets it be persisted")
        }
        (Persistence::Persisted, true) => Some("the catalogue has it persisted, the schema always ephemeral"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn published(changes: &[(&str, Option<bool>)]) -> BTreeMap<String, bool> {
        let mut types: BTreeMap<String, bool> = catalogue::all()
            .filter(|row| row.is_session_event())
            .map(|row| (row.name.to_owned(), row.persistence == Persistence::Ephemeral))
            .collect();
        for (name, change) in changes {
            match change {
                Some(ephemeral) => types.insert((*name).to_owned(), *ephemeral),
                None => types.remove(*name),
            };
        }
        types
    }

    #[test]
    fn types_are_read_through_references() {
        let schema = json!({"definitions": {
            "SessionEvent": {"anyOf": [{"$ref": "#/definitions/A"}, {"$ref": "#/definitions/B"}]},
            "A": {"properties": {"type": {"const": "a.b"}, "ephemeral": {"const": true}}},
            "B": {"properties": {"type": {"const": "c.d"}, "ephemeral": {"type": "boolean"}}},
        }});
        let expected = BTreeMap::from([("a.b".to_owned(), true), ("c.d".to_owned(), false)]);
        assert_eq!(event_types(&schema), Some(expected));
        assert_eq!(event_types(&json!({"definitions": {}})), None);
    }

    #[test]
    fn the_catalogue_agrees_with_itself() {
        let comparison = Comparison::of(&published(&[]));
        assert_eq!(comparison, Comparison::default());
        assert!(comparison.report().contains("has them all"));
    }

    #[test]
    fn new_gone_and_different_types_are_named() {
        let comparison = Comparison::of(&published(&[
            ("session.brand_new", Some(false)),
            ("session.handoff", None),
            ("user.message", Some(true)),
            ("session.idle", Some(false)),
            ("session.info", Some(true)),
        ]));
        assert_eq!(comparison.new, ["session.brand_new"]);
        assert_eq!(comparison.elsewhere, ["session.handoff"]);
        assert_eq!(comparison.differs.len(), 2, "{:?}", comparison.differs);
        let report = comparison.report();
        assert!(report.contains("user.message") && report.contains("session.idle"), "{report}");
    }

    #[test]
    fn a_record_of_another_carrier_is_no_session_event() {
        let comparison = Comparison::of(&published(&[("copilot_errors", Some(true))]));
        assert_eq!(comparison.new, ["copilot_errors"]);
    }
}
