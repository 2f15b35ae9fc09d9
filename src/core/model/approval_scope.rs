//! What a lasting approval ('for this session', 'in this folder') grants: the exact value to send.
//! `view_model::approval_words` says it.

use serde_json::{Value, json};

use crate::model::request::Request;
use crate::text::review_marks::{Address, address};

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
        kind @ ("factory" | "workflow") => {
            let persists = permission.get("canPersistApproval").and_then(Value::as_bool).unwrap_or(false);
            // Without the key the approval would apply to every one of them.
            persists.then(|| Some(json!({ "kind": kind, "approvalKey": text("approvalKey")? })))?
        }
        _ => None,
    }
}

/// The host that 'for this session' would allow for a `url` permission; addresses are granted by host.
pub fn domain_to_approve(request: &Request) -> Option<&str> {
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
