//! Makes JSON objects, writes JSON values as text, and reads the lists of strings that it has written.

use serde_json::Value;

/// An object of the members that are there.
pub fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect())
}

/// JSON in one line. `Value::to_string` writes the same, but the page would have to fetch a second writer of JSON for it.
pub fn one_line(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The strings of an array in JSON; none if it is anything else.
pub fn strings(json: &str) -> Vec<String> {
    let Ok(Value::Array(items)) = serde_json::from_str(json) else { return Vec::new() };
    let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
    texts.collect::<Option<_>>().unwrap_or_default()
}

/// JSON with indentation.
pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_those_of_an_array_of_nothing_else() {
        assert_eq!(strings(r#" ["a", "\u00e9\n", ""]"#), ["a", "é\n", ""]);
        for json in ["[]", r#"["a", 1]"#, "{}", r#""a""#, "[", ""] {
            assert!(strings(json).is_empty(), "{json}");
        }
    }

    #[test]
    fn json_in_one_line_is_what_the_value_says_of_itself() {
        let value = serde_json::json!({ "b": [1, -2.5, null, true, "\"\u{1}é\u{2028}"], "a": {} });
        assert_eq!(one_line(&value), value.to_string());
        assert_eq!(pretty(&value), format!("{value:#}"));
    }
}
