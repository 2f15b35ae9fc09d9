//! What all transcripts need of JSON values.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use serde_json::Value;

/// A text of an object; none if it is empty.
pub(super) fn text<'a>(of: &'a Value, name: &str) -> Option<&'a str> {
    of.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// A hash that is the same each time.
pub(super) fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A time: ISO 8601 as it is, or milliseconds since 1970.
pub(super) fn time(of: &Value) -> Option<String> {
    match of.get("timestamp")? {
        Value::String(iso) if !iso.is_empty() => Some(iso.clone()),
        Value::Number(millis) => millis.as_i64().map(crate::wire::time::iso_milliseconds),
        _ => None,
    }
}

/// Tokens by any of these names.
pub(super) fn tokens(of: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| of.get(*name)?.as_u64())
}
