//! Where a person finds each field of an event's payload, for
//! `docs/events.md` and its tests. Not built for the page.

use std::collections::BTreeMap;

/// The table; its first lines explain the notation.
const TABLE: &str = include_str!("fields.txt");

/// Where a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldPlace {
    /// Shown by the component that shows the type.
    Shown,
    /// In the raw event, one click away.
    Raw,
    /// Left out on purpose: only in the raw event.
    LeftOut,
}

/// A field, or everything in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, after the names of the objects around it: `context.cwd`. Items of a list have the
    /// list's path, and `*` is any key of a map.
    pub path: String,
    /// Where it is shown.
    pub place: FieldPlace,
    /// True if this also holds for everything inside of it.
    pub whole: bool,
}

/// Lists of fields, by event type.
pub type Lists = BTreeMap<String, Vec<Field>>;

/// The lists of `fields.txt`.
pub fn table() -> Lists {
    read(TABLE)
}

/// The reason why a field is left out; the last name of its path decides.
pub fn reason(path: &str) -> Option<&'static str> {
    let name = path.rsplit('.').next()?;
    TABLE.lines().find_map(|line| {
        let (names, reason) = line.strip_prefix("! ")?.split_once(": ")?;
        names.split(", ").any(|other| other == name).then_some(reason)
    })
}

/// Reads lists, one type a line: `type: name, name{name, name*}`.
pub fn read(lines: &str) -> Lists {
    let lines = lines.lines().filter(|line| !line.starts_with(['#', '!']));
    let lists = lines.filter_map(|line| line.split_once(':'));
    lists.map(|(name, list)| (name.to_owned(), fields(list))).collect()
}

fn fields(list: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut around = Vec::<&str>::new();
    for part in list.split_inclusive(['{', '}', ',']) {
        let end = part.chars().next_back().filter(|end| matches!(end, '{' | '}' | ','));
        let name = part.strip_suffix(['{', '}', ',']).unwrap_or(part).trim();
        if end == Some('{') {
            around.push(name);
            continue;
        }
        if !name.is_empty() {
            fields.push(field(&around, name));
        }
        if end == Some('}') {
            around.pop();
        }
    }
    fields
}

fn field(around: &[&str], name: &str) -> Field {
    let (place, name) = match (name.strip_prefix('+'), name.strip_prefix('-')) {
        (Some(name), _) => (FieldPlace::Shown, name),
        (_, Some(name)) => (FieldPlace::LeftOut, name),
        _ => (FieldPlace::Raw, name),
    };
    let inside = name.strip_suffix('*').filter(|name| !name.is_empty());
    let path = around.iter().copied().chain([inside.unwrap_or(name)]).collect::<Vec<_>>().join(".");
    Field { path, place, whole: inside.is_some() }
}

/// The fields of a schema that have no place in the table.
pub fn without_place(published: &Lists) -> Vec<String> {
    missing(published, &table(), |field, place| place.covers(&field.path))
}

/// The places of the table whose field a schema does not have.
pub fn without_field(published: &Lists) -> Vec<String> {
    missing(&table(), published, |place, field| place.covers(&field.path))
}

/// What one list has and another one no counterpart of, as `type: path`.
fn missing(list: &Lists, other: &Lists, pair: impl Fn(&Field, &Field) -> bool) -> Vec<String> {
    let lines = list.iter().flat_map(|(name, fields)| {
        let others = other.get(name).map(Vec::as_slice).unwrap_or_default();
        let without = fields.iter().filter(|field| !others.iter().any(|other| pair(field, other)));
        without.map(move |field| format!("{name}: {}", field.path))
    });
    lines.collect()
}

impl Field {
    /// True if this place covers the field with that path.
    pub fn covers(&self, path: &str) -> bool {
        match path.strip_prefix(self.path.as_str()) {
            Some("") => true,
            Some(inside) => self.whole && inside.starts_with('.'),
            None => false,
        }
    }
}
