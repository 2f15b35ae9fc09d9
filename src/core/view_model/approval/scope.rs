//! What an approval would grant: how much an allowed permission is, and in words what a lasting one ('for this session', 'in this
//! folder') covers. `model::answer` has the value to send.

use serde_json::Value;

use crate::i18n::Word;
use crate::i18n::words::requests;
use crate::model::answer::{SessionScope, location_approval, session_scope};
use crate::model::request::{Request, RequestKind};
use crate::text::review_marks::quoted;

/// What 'for this session' would grant, in words: 'every edit of a file in the session's folders, until this session ends'. Text
/// in backticks is code.
pub fn for_session(request: &Request) -> Option<String> {
    let what = match session_scope(request)? {
        SessionScope::Paths(paths) => outside(request, &paths),
        SessionScope::Origin(origin) => requests::EVERY_ADDRESS.with(&[("host", (&quoted(origin)).into())]),
        SessionScope::Approval(approval) => covered(request, &approval)?,
    };
    Some(requests::UNTIL_SESSION_ENDS.with(&[("what", (&what).into())]))
}

/// What 'in this folder' would grant, in words; `place` is the runtime's key of the folder.
pub fn for_location(request: &Request, place: &str) -> Option<String> {
    let what = covered(request, &location_approval(request)?)?;
    let place = quoted(place);
    Some(requests::IN_LATER_SESSIONS.with(&[("what", (&what).into()), ("place", (&place).into())]))
}

/// Access to paths outside the session's folders. For a file that is not there yet, version 1.0.14 grants its folder.
fn outside(request: &Request, paths: &[&str]) -> String {
    let paths = paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", ");
    let is_new = request.permission().is_some_and(makes_a_file);
    let word = if is_new { requests::NEW_FILE_OUTSIDE } else { requests::PATHS_OUTSIDE };
    word.with(&[("paths", (&paths).into())])
}

/// Whether a write makes a file that is not there: its diff says so in the lines before the first change.
fn makes_a_file(permission: &Value) -> bool {
    let diff = permission.get("diff").and_then(Value::as_str).unwrap_or_default();
    let head = diff.lines().take_while(|line| !line.starts_with("@@"));
    let mut marks = head.map(|line| {
        ["create file mode", "new file mode", "--- /dev/null"].map(|mark| line.starts_with(mark))
    });
    marks.any(|mark| mark.contains(&true))
}

/// What an approval covers, in words.
fn covered(request: &Request, approval: &Value) -> Option<String> {
    let text = |name: &str| quoted(approval.get(name).and_then(Value::as_str).unwrap_or_default());
    let list = |name: &str| {
        let all = approval.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(", ")
    };
    let named = |word: Word, name: &str, value: String| word.with(&[(name, (&value).into())]);
    Some(match approval.get("kind")?.as_str()? {
        "commands" => {
            // An identifier that is the whole command covers this command only.
            let command = request.permission().and_then(|permission| permission.get("fullCommandText"));
            let is_whole = command.is_some() && approval.pointer("/commandIdentifiers/0") == command;
            let word = if is_whole { requests::SAME_COMMAND } else { requests::EVERY_COMMAND };
            named(word, "names", list("commandIdentifiers"))
        }
        "write" => requests::EVERY_EDIT.text().to_owned(),
        "read" => requests::EVERY_READING.text().to_owned(),
        "memory" => requests::EVERY_MEMORY.text().to_owned(),
        "mcp" => requests::EVERY_CALL_ON
            .with(&[("tool", (&text("toolName")).into()), ("server", (&text("serverName")).into())]),
        "custom-tool" => named(requests::EVERY_CALL, "tool", text("toolName")),
        "extension-management" => named(requests::EVERY_EXTENSION, "operation", text("operation")),
        "extension-permission-access" => named(requests::EVERY_ABILITY, "name", text("extensionName")),
        "extension-env-access" => requests::EVERY_VARIABLE.with(&[
            ("variables", (&list("environmentVariables")).into()),
            ("name", (&text("extensionName")).into()),
        ]),
        "factory" | "workflow" => named(requests::EVERY_FACTORY, "key", text("approvalKey")),
        _ => return None,
    })
}

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

    use super::super::tests::request as waiting;
    use super::*;
    use crate::model::answer::session_result;

    fn request(permission: &Value, prompt: &Value) -> Request {
        waiting(json!({ "permissionRequest": permission, "promptRequest": prompt }))
    }

    fn words(permission: &Value) -> Option<String> {
        for_session(&request(permission, &Value::Null))
    }

    #[test]
    fn a_path_outside_the_sessions_folders_is_granted_as_what_it_is() {
        let outside =
            |access: &str, paths: Value| json!({ "kind": "path", "accessKind": access, "paths": paths });
        let read = json!({ "kind": "read", "path": "/etc/hostname" });
        let edit = json!({ "kind": "write", "fileName": "/etc/hosts", "canOfferSessionApproval": true,
            "diff": "diff --git a/etc/hosts b/etc/hosts\n--- a/etc/hosts\n+++ b/etc/hosts\n@@ -1 +1 @@\n--- /dev/null\n" });
        let create = json!({ "kind": "write", "fileName": "/etc/new", "canOfferSessionApproval": true,
            "diff": "\ndiff --git a/etc/new b/etc/new\ncreate file mode 100644\n--- a/dev/null\n+++ b/etc/new\n@@ -0,0 +1 @@\n+a\n" });
        let shell = json!({ "kind": "shell", "fullCommandText": "cat /etc/a /etc/b", "canOfferSessionApproval": true,
            "commands": [{ "identifier": "cat" }] });
        let one = "to read and to change it; if it is a folder, to everything in it, until this session ends";
        for (permission, prompt, expected) in [
            (
                &read,
                outside("read", json!(["/etc/hostname"])),
                Some(format!("access to `/etc/hostname`, {one}")),
            ),
            (&edit, outside("write", json!(["/etc/hosts"])), Some(format!("access to `/etc/hosts`, {one}"))),
            (
                &shell,
                outside("shell", json!(["/etc/a", "/etc/b"])),
                Some(format!("access to `/etc/a`, `/etc/b`, {one}")),
            ),
            (
                &create,
                outside("write", json!(["/etc/new"])),
                Some(
                    "access to `/etc/new`, to read and to change it; a runtime \
                before 1.0.15 grants the whole folder around it, until this session ends"
                        .to_owned(),
                ),
            ),
            (&read, outside("read", json!([])), None),
            (&read, outside("read", json!("/etc/hostname")), None),
            (&read, outside("read", json!([7, ""])), None),
        ] {
            let request = request(permission, &prompt);
            assert_eq!(for_session(&request), expected, "{prompt}");
            assert_eq!(for_location(&request, "/project"), None, "a rule would not cover it: {prompt}");
            let sent = session_result(&request);
            assert_eq!(sent, json!({ "kind": "approve-for-session" }), "no approval with a path: {prompt}");
        }
    }

    #[test]
    fn what_is_sent_is_what_the_words_say() {
        let read =
            request(&json!({ "kind": "read", "path": "/p/a" }), &json!({ "kind": "read", "path": "/p/a" }));
        let sent = json!({ "kind": "approve-for-session", "approval": { "kind": "read" } });
        assert_eq!(session_result(&read), sent);
        assert!(for_location(&read, "/p").is_some());
        let url = request(&json!({ "kind": "url", "url": "http://a.example/x" }), &json!({ "kind": "url" }));
        let sent = json!({ "kind": "approve-for-session", "domain": "http://a.example" });
        assert_eq!(session_result(&url), sent);
        assert_eq!(for_location(&url, "/p"), None, "the runtime has no rule for addresses");
        let hook = request(&json!({ "kind": "hook", "toolName": "bash" }), &json!({ "kind": "hook" }));
        assert_eq!(session_result(&hook), json!({ "kind": "approve-for-session" }));
    }

    #[test]
    fn what_is_granted_for_the_session_is_named_exactly() {
        for (permission, expected) in [
            (
                json!({ "kind": "shell", "canOfferSessionApproval": true,
                    "commands": [{ "identifier": "touch" }, { "identifier": "ls" }] }),
                Some("every `touch`, `ls` command, until this session ends"),
            ),
            (
                json!({ "kind": "commands", "canOfferSessionApproval": true, "commandIdentifiers": ["ls"] }),
                Some("every `ls` command, until this session ends"),
            ),
            (
                json!({ "kind": "shell", "canOfferSessionApproval": false, "commands": [{ "identifier": "ls" }] }),
                None,
            ),
            (
                json!({ "kind": "shell", "canOfferSessionApproval": true, "fullCommandText": "touch a",
                    "commands": [{ "identifier": "touch a" }] }),
                Some("the command `touch a`, exactly as it stands here, until this session ends"),
            ),
            (json!({ "kind": "write" }), None),
            (
                json!({ "kind": "write", "canOfferSessionApproval": true }),
                Some("every edit of a file in this session's folders, until this session ends"),
            ),
            (
                json!({ "kind": "read" }),
                Some("reading any file in this session's folders, until this session ends"),
            ),
            (
                json!({ "kind": "url", "url": "https://a.example/x" }),
                Some("every address on `a.example`, until this session ends"),
            ),
            (
                json!({ "kind": "url", "url": "http://a.example/x" }),
                Some("every address on `http://a.example`, until this session ends"),
            ),
            (json!({ "kind": "url", "url": "https://me@a.example/x" }), None),
            (json!({ "kind": "url", "url": "https://\u{430}.example/x" }), None),
            (
                json!({ "kind": "mcp", "serverName": "press", "toolName": "order" }),
                Some("every call of `order` on `press`, until this session ends"),
            ),
            (json!({ "kind": "factory", "canPersistApproval": true }), None),
            (json!({ "kind": "hook", "toolName": "bash" }), None),
        ] {
            assert_eq!(words(&permission).as_deref(), expected, "{permission}");
        }
    }

    fn asked(permission: &Value) -> Request {
        waiting(json!({ "permissionRequest": permission }))
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
