//! How much a permission request would grant; a small one is shown in less room.

use serde_json::Value;

use crate::model::request::{Request, RequestKind};

/// The kind of a permission request, in the runtime's terms; none for other requests.
pub fn permission_kind(request: &Request) -> Option<&str> {
    let permission = (request.kind == RequestKind::Permission).then(|| request.permission())??;
    permission.get("kind")?.as_str()
}

/// True for a permission to read one file or folder: that changes nothing, and sends nothing off the machine.
pub fn grants_little(request: &Request) -> bool {
    let field = |name: &str| request.permission().and_then(|permission| permission.get(name));
    match permission_kind(request) {
        Some("read") => field("path").is_some_and(Value::is_string),
        Some("path") => {
            let reads = field("accessKind").is_none_or(|access| access == "read");
            reads && field("paths").and_then(Value::as_array).is_some_and(|paths| paths.len() == 1)
        }
        _ => false,
    }
}

/// What an intention adds to 'read this path', which the question already says, for example
/// `Search in directory`.
pub fn purpose<'a>(intention: &'a str, path: &str) -> Option<&'a str> {
    let words = intention.strip_suffix(path).unwrap_or(intention).trim_end_matches([' ', ':']).trim_start();
    // The runtime's own intentions begin with `Read file`.
    (!words.is_empty() && words != "Read file").then_some(words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::request;
    use super::*;

    fn asked(permission: &Value) -> Request {
        request(json!({ "permissionRequest": permission }))
    }

    #[test]
    fn only_reading_one_place_grants_little() {
        for (permission, little) in [
            (json!({ "kind": "read", "path": "/p/a" }), true),
            (json!({ "kind": "read" }), false),
            (json!({ "kind": "path", "accessKind": "read", "paths": ["/p/a"] }), true),
            (json!({ "kind": "path", "accessKind": "read", "paths": ["/p/a", "/p/b"] }), false),
            (json!({ "kind": "path", "accessKind": "write", "paths": ["/p/a"] }), false),
            (json!({ "kind": "shell", "fullCommandText": "ls" }), false),
            (json!({ "kind": "url", "url": "https://a.example/" }), false),
            (json!({ "kind": "mcp", "readOnly": true }), false),
        ] {
            assert_eq!(grants_little(&asked(&permission)), little, "{permission}");
        }
    }

    #[test]
    fn a_purpose_is_what_the_path_does_not_say() {
        assert_eq!(purpose("Read file: /p/a", "/p/a"), None);
        assert_eq!(purpose("Search in directory: /p", "/p"), Some("Search in directory"));
        assert_eq!(purpose("Compare both", "/p"), Some("Compare both"));
        assert_eq!(purpose("", "/p"), None);
    }
}
