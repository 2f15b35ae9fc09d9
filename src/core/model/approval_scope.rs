//! What a lasting approval ('for this session', 'in this folder') grants: the exact value to send, and its
//! wording.

use serde_json::{Value, json};

use crate::i18n::Word;
use crate::i18n::words::requests;
use crate::model::request::Request;
use crate::text::review_marks::{Address, address, quoted};

/// The approval that 'for this session' sends; `None` where that is not possible or not offered.
pub fn session_approval(request: &Request) -> Option<Value> {
    let permission = request.permission()?;
    let text = |name: &str| permission.get(name).and_then(Value::as_str);
    let offered = || permission.get("canOfferSessionApproval").and_then(Value::as_bool).unwrap_or(false);
    match text("kind")? {
        "shell" | "commands" => {
            let names = permission.get("commands").or_else(|| permission.get("commandIdentifiers"));
            let name = |command: &Value| {
                Some(command.as_str().or_else(|| command.get("identifier")?.as_str())?.to_owned())
            };
            let names: Vec<String> = names?.as_array()?.iter().filter_map(name).collect();
            (offered() && !names.is_empty())
                .then(|| json!({ "kind": "commands", "commandIdentifiers": names }))
        }
        "write" => offered().then(|| json!({ "kind": "write" })),
        kind @ ("read" | "memory") => Some(json!({ "kind": kind })),
        "mcp" => {
            let prompt = request.details.get("promptRequest");
            let tool = prompt.and_then(|p| p.get("toolName")?.as_str()).or_else(|| text("toolName"))?;
            Some(json!({ "kind": "mcp", "serverName": text("serverName")?, "toolName": tool }))
        }
        "custom-tool" => Some(json!({ "kind": "custom-tool", "toolName": text("toolName")? })),
        "extension-management" => {
            Some(json!({ "kind": "extension-management", "operation": text("operation")? }))
        }
        "extension-permission-access" => {
            Some(json!({ "kind": "extension-permission-access", "extensionName": text("extensionName")? }))
        }
        "extension-env-access" => Some(json!({
            "kind": "extension-env-access", "extensionName": text("extensionName")?,
            "environmentVariables": permission.get("environmentVariables")?
        })),
        "factory" => {
            let persists = permission.get("canPersistApproval").and_then(Value::as_bool).unwrap_or(false);
            // Without the key the approval would apply to every factory.
            persists.then(|| Some(json!({ "kind": "factory", "approvalKey": text("approvalKey")? })))?
        }
        _ => None,
    }
}

/// The host that 'for this session' would allow for a `url` permission; addresses are granted by host.
pub fn session_domain(request: &Request) -> Option<&str> {
    let permission = request.permission()?;
    if permission.get("kind")?.as_str()? != "url" {
        return None;
    }
    let url = permission.get("url")?.as_str()?;
    let Address { before, host, after } = address(url)?;
    // Hosts with letters that look like others can't be approved for the session.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    if !host.chars().all(plain) || host.split('.').any(|label| label.starts_with("xn--")) {
        return None;
    }
    // The runtime reads a bare host as https; any other origin has to name its scheme.
    match before {
        "https://" => Some(host),
        "http://" => url.strip_suffix(after),
        _ => None,
    }
}

/// The runtime's key of the folder that a permission beyond the session is for, if one is offered.
pub fn location(request: &Request) -> Option<&str> {
    session_approval(request)?;
    let key = |name: &str| request.details.get(name).and_then(|value| value.get("locationKey")?.as_str());
    request
        .details
        .get("locationKey")
        .and_then(Value::as_str)
        .or_else(|| key("permissionRequest"))
        .or_else(|| key("promptRequest"))
        .filter(|key| !key.is_empty())
}

/// What 'for this session' would grant, in words: 'every `touch` command, until this session ends'. Text in
/// backticks is code.
pub fn session_words(request: &Request) -> Option<String> {
    let what = what(request)?;
    Some(requests::UNTIL_SESSION_ENDS.with(&[("what", (&what).into())]))
}

/// What 'in this folder' would grant, in words; `place` is the runtime's key of the folder.
pub fn location_words(request: &Request, place: &str) -> Option<String> {
    session_approval(request)?;
    let what = what(request)?;
    let place = quoted(place);
    Some(requests::IN_LATER_SESSIONS.with(&[("what", (&what).into()), ("place", (&place).into())]))
}

fn what(request: &Request) -> Option<String> {
    if let Some(host) = session_domain(request) {
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
        "factory" => named(requests::EVERY_FACTORY, "key", text("approvalKey")),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::request::{Life, RequestKind};

    fn words(permission: &Value) -> Option<String> {
        let details = json!({ "permissionRequest": permission });
        let request =
            Request { kind: RequestKind::Permission, life: Life::Waiting, tool_call_id: None, details };
        session_words(&request)
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
