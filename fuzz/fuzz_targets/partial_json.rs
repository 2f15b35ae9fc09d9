//! Unfinished JSON: every beginning is read, and a whole value is read as the general parser reads it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::text::partial_json::read;
use serde_json::Value;

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for (end, _) in text.char_indices().take(300) {
        read(&text[..end]);
    }
    let read = read(&text);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if (value.is_object() || value.is_array()) && depth(&value) < 48 => {
            assert_eq!(read, Some(value))
        }
        _ => {}
    }
});
