//! What a permission asks, in a line for lists: 'Write src/greet.mjs', as the row of the call says it once it has run.

use serde_json::Value;

use crate::i18n::Word;
use crate::i18n::format::relative;
use crate::i18n::words::requests;
use crate::view_model::approval::makes_a_file;

/// A message in which `$object` is what is asked for, and that. `details` is the payload of the request. None where the kind
/// of request and its headline are all there is to say.
pub fn permission(details: &Value, cwd: Option<&str>) -> Option<(Word, String)> {
    let asked = details.get("permissionRequest").or_else(|| details.get("promptRequest"))?;
    let text = |name: &str| asked.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let path = |name: &str| text(name).map(|path| relative(path, cwd));
    Some(match text("kind")? {
        "shell" | "commands" => (requests::ASKS_RUN, text("fullCommandText")?.to_owned()),
        "write" if makes_a_file(asked) => (requests::ASKS_CREATE, path("fileName")?),
        "write" => (requests::ASKS_WRITE, path("fileName")?),
        "read" => (requests::ASKS_READ, path("path")?),
        "url" => (requests::ASKS_FETCH, text("url")?.to_owned()),
        // The title that an agent over ACP gave to its call. The runtime has a description of the tool there.
        "custom-tool" if details.get("agentOptions").is_some() => {
            (requests::ASKS_TITLED, text("toolDescription")?.to_owned())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::permission;

    fn line(permission_request: &Value) -> Option<String> {
        let details = json!({ "permissionRequest": permission_request, "agentOptions": [] });
        permission(&details, Some("/w/greet"))
            .map(|(word, object)| word.with(&[("object", (&object).into())]))
    }

    #[test]
    fn what_is_asked_reads_like_the_row_of_the_call() {
        let path = "/w/greet/src/greet.mjs";
        for (asked, expected) in [
            (
                json!({ "kind": "write", "fileName": path, "diff": "@@ -1 +1 @@\n-a\n+b\n" }),
                "Write src/greet.mjs",
            ),
            (
                json!({ "kind": "write", "fileName": path, "diff": "--- /dev/null\n+++ b/greet.mjs\n@@ -0,0 +1 @@\n+b\n" }),
                "Create src/greet.mjs",
            ),
            (
                json!({ "kind": "write", "fileName": path, "diff": "--- a\n+++ b\n@@ -0,0 +1,3 @@\n+b\n" }),
                "Create src/greet.mjs",
            ),
            (json!({ "kind": "shell", "fullCommandText": "touch a" }), "Run touch a"),
            (json!({ "kind": "read", "path": "/etc/hosts" }), "Read /etc/hosts"),
            (json!({ "kind": "url", "url": "https://a.example" }), "Fetch https://a.example"),
            (
                json!({ "kind": "custom-tool", "toolName": "write_todos", "toolDescription": "Set 3 todo(s)" }),
                "Set 3 todo(s)",
            ),
        ] {
            assert_eq!(line(&asked).as_deref(), Some(expected));
        }
        assert_eq!(line(&json!({ "kind": "memory", "fact": "a" })), None);
        let of_runtime = json!({ "permissionRequest": { "kind": "custom-tool", "toolName": "x", "toolDescription": "Does x" } });
        assert!(permission(&of_runtime, None).is_none());
    }
}
