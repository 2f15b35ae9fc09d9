//! Reads from the schema which fields each type has, as lists in the catalogue's notation.

use std::fmt::Write as _;

use serde_json::Value;

use super::{events, resolve_reference};

/// Fields with the fields in them, in the schema's order.
#[derive(Debug, Default)]
struct Tree(Vec<(String, Tree)>);

/// One line for each type: `type: name, name{name}`.
pub(super) fn lists(schema: &Value) -> String {
    let mut lists = String::new();
    for event in events(schema).into_iter().flatten() {
        let Some(name) = event.pointer("/properties/type/const").and_then(Value::as_str) else { continue };
        let mut tree = Tree::default();
        if let Some(data) = event.pointer("/properties/data") {
            tree.read(schema, data, &mut Vec::new());
        }
        let list = tree.list();
        // Writing to memory can't fail.
        let _ = writeln!(lists, "{}", format!("{name}: {list}").trim_end());
    }
    lists
}

impl Tree {
    /// Adds the fields that a part of the schema allows. `around` holds the references that the part is in,
    /// because a schema may refer to itself.
    fn read<'a>(&mut self, whole: &'a Value, part: &'a Value, around: &mut Vec<&'a str>) {
        let reference = part.get("$ref").and_then(Value::as_str);
        if reference.is_some_and(|reference| around.contains(&reference)) {
            return;
        }
        let Some(part) = resolve_reference(whole, part) else { return };
        around.extend(reference);
        for choices in ["anyOf", "oneOf", "allOf"] {
            for choice in part.get(choices).and_then(Value::as_array).into_iter().flatten() {
                self.read(whole, choice, around);
            }
        }
        for (name, field) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.of(name).read(whole, field, around);
        }
        if let Some(items) = part.get("items").filter(|items| items.is_object()) {
            self.read(whole, items, around);
        }
        if let Some(values) = part.get("additionalProperties").filter(|values| values.is_object()) {
            let mut tree = Self::default();
            tree.read(whole, values, around);
            if !tree.0.is_empty() {
                self.of("*").read(whole, values, around);
            }
        }
        if reference.is_some() {
            around.pop();
        }
    }

    fn of(&mut self, name: &str) -> &mut Self {
        let place = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), Self::default()));
            self.0.len() - 1
        });
        &mut self.0[place].1
    }

    fn list(&self) -> String {
        let field = |(name, inside): &(String, Self)| {
            if inside.0.is_empty() { name.clone() } else { format!("{name}{{{}}}", inside.list()) }
        };
        self.0.iter().map(field).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_read_through_references_choices_lists_and_maps() {
        let schema = json!({"definitions": {
            "SessionEvent": {"anyOf": [{"$ref": "#/definitions/A"}, {"$ref": "#/definitions/B"}]},
            "A": {"properties": {"type": {"const": "a.b"}, "data": {"$ref": "#/definitions/Data"}}},
            "B": {"properties": {"type": {"const": "c.d"}, "data": {"type": "object"}}},
            "Data": {"properties": {
                "one": {"type": "string"},
                "two": {"type": "array", "items": {"$ref": "#/definitions/Item"}},
                "three": {"additionalProperties": {"properties": {"x": {}}}},
                "four": {"additionalProperties": {"type": "string"}},
            }},
            "Item": {"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}, "again": {"$ref": "#/definitions/Item"}}}]},
        }});
        assert_eq!(lists(&schema), "a.b: one, two{a, b, again}, three{*{x}}, four\nc.d:\n");
    }
}
