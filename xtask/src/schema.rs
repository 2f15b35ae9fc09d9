//! Compares the catalogue with the schema that an installed runtime brings along: names what is new, what is
//! gone and what differs.

mod fields;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pilothouse::core::protocol::catalogue;
use pilothouse::core::protocol::catalogue::Persistence;
use serde_json::Value;

use crate::workspace;

const FILE: &str = "session-events.schema.json";
const FIELDS_HEAD: &str =
    "# The fields of each type as the runtime's schema has them: `cargo xtask schema PATH --write`.\n";
const INSTALL: &str = "npm ci --prefix tests/e2e/live --ignore-scripts";

/// `cargo xtask schema [PATH] [--write]`: PATH is the schema, or a folder somewhere above it. `--write`
/// writes the list of its fields to where the tests have it.
pub fn run(args: &[String]) -> Result<()> {
    let (options, paths): (Vec<&String>, Vec<&String>) = args.iter().partition(|arg| *arg == "--write");
    let file = match paths.as_slice() {
        [] => installed()?,
        [path] => find_below(Path::new(path))
            .with_context(|| format!("there is no {FILE} in {path}; to get one: {INSTALL}"))?,
        [_, more, ..] => bail!("`cargo xtask schema` takes one path; what is `{more}`?"),
    };
    let text = fs::read_to_string(&file).with_context(|| format!("reading {}", file.display()))?;
    let schema: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is no JSON", file.display()))?;
    let published =
        event_types(&schema).with_context(|| format!("{} is no schema of session events", file.display()))?;
    let mut comparison = Comparison::of(&published);
    let lists = fields::lists(&schema);
    comparison.fields = catalogue::fields::differences(&catalogue::fields::read(&lists));
    println!("{}: {} types", file.display(), published.len());
    print!("{}", comparison.report());
    if !options.is_empty() {
        let page = workspace::root().join("tests/support/schema-fields.txt");
        fs::write(&page, format!("{FIELDS_HEAD}{lists}"))?;
        println!("{} is written", workspace::shown(&page));
    }
    if !comparison.new.is_empty() {
        bail!("{} new: give each a row in src/core/protocol/catalogue/", comparison.new.len())
    }
    if !comparison.fields.is_empty() {
        bail!(
            "{} fields differ: src/core/protocol/catalogue/fields.txt has the places",
            comparison.fields.len()
        )
    }
    Ok(())
}

fn installed() -> Result<PathBuf> {
    let folders = ["tests/e2e/live/node_modules", "tests/e2e/node_modules", "node_modules"];
    folders
        .iter()
        .find_map(|folder| find_below(&workspace::root().join(folder)))
        .with_context(|| format!("there is no {FILE} in {}; to get one: {INSTALL}", folders.join(" or ")))
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
                Ok(_) if entry.file_name() == FILE => return Some(entry.path()),
                _ => {}
            }
        }
    }
    None
}

/// The schema of each event.
fn events(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let events = schema.pointer("/definitions/SessionEvent/anyOf")?.as_array()?;
    Some(events.iter().filter_map(|event| referred(schema, event)))
}

/// Follows a `$ref`; a part without one is returned as it is.
fn referred<'a>(whole: &'a Value, part: &'a Value) -> Option<&'a Value> {
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
    gone: Vec<&'static str>,
    differs: Vec<String>,
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
        comparison.gone = catalogue::all()
            .filter(|row| row.is_session_event() && !published.contains_key(row.name))
            .map(|row| row.name)
            .collect();
        comparison
    }

    fn report(&self) -> String {
        let sections = [
            section("new, not in the catalogue:", &self.new),
            section("gone, only in the catalogue:", &self.gone),
            section("ephemeral in one and not in the other:", &self.differs),
            section("fields:", &self.fields),
        ];
        let report = sections.concat();
        if report.is_empty() {
            return "the catalogue has them all, and nothing else\n".to_owned();
        }
        report
    }
}

fn section<T: Borrow<str>>(title: &str, lines: &[T]) -> String {
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
        assert_eq!(comparison.gone, ["session.handoff"]);
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
