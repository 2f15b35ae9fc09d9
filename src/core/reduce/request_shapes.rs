//! Brings the fields of a permission into the shape of the schema, where a sender wrote lists for texts or the reverse.

use serde_json::Value;

use crate::wire::fields::unwrapped;

/// Texts of several lines, in the schema.
const TEXTS: [&str; 4] = ["diff", "newFileContents", "intention", "warning"];
/// Texts of one line.
const LINES: [&str; 5] = ["fileName", "path", "url", "serverName", "toolName"];
const LISTS: [&str; 4] = ["paths", "possiblePaths", "possibleUrls", "commandSegments"];

/// The same permission, with texts where the schema has texts and lists where it has lists.
pub(super) fn in_shape(permission: Value) -> Value {
    let mut permission = unwrapped(permission);
    let Value::Object(fields) = &mut permission else { return permission };
    for (name, value) in fields {
        let text = match (name.as_str(), texts(value)) {
            ("fullCommandText", Some(words)) => Some(command_line(&words)),
            (name, Some(lines)) if TEXTS.contains(&name) => Some(lines.join("\n")),
            (name, Some(alone)) if alone.len() == 1 && LINES.contains(&name) => {
                alone.first().map(|text| (*text).to_owned())
            }
            (name, _) if LISTS.contains(&name) && (value.is_string() || value.is_object()) => {
                *value = Value::Array(vec![value.take()]);
                None
            }
            _ => None,
        };
        if let Some(text) = text {
            *value = text.into();
        }
    }
    permission
}

/// The texts of a list that has nothing else.
fn texts(value: &Value) -> Option<Vec<&str>> {
    value.as_array().filter(|list| !list.is_empty())?.iter().map(Value::as_str).collect()
}

/// The command line that a list is: the words of one command, or one command after the other.
fn command_line(words: &[&str]) -> String {
    if words.first().is_some_and(|first| first.contains(char::is_whitespace)) {
        return words.join("\n");
    }
    let is_special = |ch: char| ch.is_whitespace() || "'\"\\$`;|&<>()#".contains(ch);
    let quoted = |word: &&str| {
        if word.is_empty() || word.contains(is_special) {
            format!("'{}'", word.replace('\'', r"'\''"))
        } else {
            (*word).to_owned()
        }
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::in_shape;

    #[test]
    fn lists_for_texts_and_texts_for_lists_are_read() {
        for (sent, read) in [
            (json!({ "fullCommandText": ["ls"] }), json!({ "fullCommandText": "ls" })),
            (json!({ "fullCommandText": ["rm", "-rf", "~"] }), json!({ "fullCommandText": "rm -rf ~" })),
            (
                json!({ "fullCommandText": ["bash", "-lc", "echo 'a'; rm -rf ~", ""] }),
                json!({ "fullCommandText": r"bash -lc 'echo '\''a'\''; rm -rf ~' ''" }),
            ),
            (
                json!({ "fullCommandText": ["cd a", "rm -rf ~"] }),
                json!({ "fullCommandText": "cd a\nrm -rf ~" }),
            ),
            (json!({ "diff": ["-a", "+b"] }), json!({ "diff": "-a\n+b" })),
            (json!({ "path": ["a"], "url": ["b"] }), json!({ "path": "a", "url": "b" })),
            (json!({ "paths": "a" }), json!({ "paths": ["a"] })),
            (json!({ "possiblePaths": { "path": "a" } }), json!({ "possiblePaths": [{ "path": "a" }] })),
            (json!({ "commandSegments": "ls" }), json!({ "commandSegments": ["ls"] })),
        ] {
            assert_eq!(in_shape(sent.clone()), read, "{sent}");
            assert_eq!(in_shape(Value::String(sent.to_string())), read, "{sent} as a string");
        }
        // What can't be read stays, and is shown unchanged.
        for same in [
            json!({ "fullCommandText": ["ls", 1] }),
            json!({ "fullCommandText": [] }),
            json!({ "fullCommandText": { "text": "ls" } }),
            json!({ "path": ["a", "b"] }),
            json!({ "commands": ["ls"], "paths": ["a"], "args": ["x"] }),
            json!("ls"),
        ] {
            assert_eq!(in_shape(same.clone()), same);
        }
    }
}
