//! What a lasting approval ('for this session', 'in this folder') would grant, in words. `model::approval_scope` has the
//! value to send.

use serde_json::Value;

use crate::i18n::Word;
use crate::i18n::words::requests;
use crate::model::approval_scope::{domain_to_approve, session_approval};
use crate::model::request::Request;
use crate::text::review_marks::quoted;

/// What 'for this session' would grant, in words: 'every `touch` command, until this session ends'. Text in
/// backticks is code.
pub fn for_session(request: &Request) -> Option<String> {
    let what = what(request)?;
    Some(requests::UNTIL_SESSION_ENDS.with(&[("what", (&what).into())]))
}

/// What 'in this folder' would grant, in words; `place` is the runtime's key of the folder.
pub fn for_location(request: &Request, place: &str) -> Option<String> {
    session_approval(request)?;
    let what = what(request)?;
    let place = quoted(place);
    Some(requests::IN_LATER_SESSIONS.with(&[("what", (&what).into()), ("place", (&place).into())]))
}

fn what(request: &Request) -> Option<String> {
    if let Some(host) = domain_to_approve(request) {
        return Some(requests::EVERY_ADDRESS.with(&[("host", (&quoted(host)).into())]));
    }
    let approval = session_approval(request)?;
    let text = |name: &str| quoted(approval.get(name).and_then(Value::as_str).unwrap_or_default());
    let list = |name: &str| {
        let all = approval.get(name).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(", ")
    };
    let named = |word: Word, name: &str, value: String| word.with(&[(name, (&value).into())]);
    Some(match approval.get("kind")?.as_str()? {
        "commands" => named(requests::EVERY_COMMAND, "names", list("commandIdentifiers")),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::request::{Life, RequestKind};

    fn words(permission: &Value) -> Option<String> {
        let details = json!({ "permissionRequest": permission });
        let request = Request {
            kind: RequestKind::Permission,
            life: Life::Waiting,
            lost: None,
            tool_call_id: None,
            details,
        };
        for_session(&request)
    }

    #[test]
    fn what_is_granted_for_the_session_is_said_exactly() {
        for (permission, said) in [
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
            (json!({ "kind": "write" }), None),
            (json!({ "kind": "read" }), Some("reading any file, until this session ends")),
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
            assert_eq!(words(&permission).as_deref(), said, "{permission}");
        }
    }
}
