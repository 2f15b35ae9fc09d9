//! What a lasting approval ('for this session', 'in this folder') grants: the exact value to send.
//! `view_model::approval::scope` says it.

use serde_json::{Value, json};

use crate::model::request::Request;
use crate::text::review_marks::{Address, address};

/// What 'for this session' grants for one request.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionScope<'a> {
    /// Files and folders outside the folders that the session may use: the runtime grants what it asked for, and takes no
    /// approval. A folder is granted with everything in it.
    Paths(Vec<&'a str>),
    /// Every address of this origin.
    Origin(&'a str),
    /// What this approval of the runtime's covers.
    Approval(Value),
}

/// What 'for this session' grants; `None` where that is not possible or not offered.
pub fn for_session(request: &Request) -> Option<SessionScope<'_>> {
    if let Some(paths) = paths_outside(request) {
        return (!paths.is_empty()).then_some(SessionScope::Paths(paths));
    }
    let origin = origin_to_approve(request).map(SessionScope::Origin);
    origin.or_else(|| approval(request).map(SessionScope::Approval))
}

/// The approval that 'in this folder' sends; `None` where that is not possible or not offered. For a path outside the
/// session's folders the runtime would grant this one access, and keep a rule that does not cover it.
pub fn for_location(request: &Request) -> Option<Value> {
    if paths_outside(request).is_some() {
        return None;
    }
    approval(request)
}

/// The result that 'for this session' sends. Where there is nothing to grant, the runtime allows this one call.
pub fn session_result(request: &Request) -> Value {
    let mut result = json!({ "kind": "approve-for-session" });
    match for_session(request) {
        Some(SessionScope::Origin(origin)) => result["domain"] = origin.into(),
        Some(SessionScope::Approval(approval)) => result["approval"] = approval,
        Some(SessionScope::Paths(_)) | None => {}
    }
    result
}

/// What a request asks for that the session's folders don't have: the prompt is for the paths, and the tool that wants them
/// asks for itself afterwards. `None` for every other request.
fn paths_outside(request: &Request) -> Option<Vec<&str>> {
    let is_path = |prompt: &&Value| prompt.get("kind").and_then(Value::as_str) == Some("path");
    let prompt = request.details.get("promptRequest").or_else(|| request.permission()).filter(is_path)?;
    let paths = prompt.get("paths").and_then(Value::as_array).into_iter().flatten();
    Some(paths.filter_map(Value::as_str).filter(|path| !path.is_empty()).collect())
}

/// The approval that covers calls like this one, in the form that the runtime reads.
fn approval(request: &Request) -> Option<Value> {
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
            // Without the key the approval would apply to every factory or workflow.
            persists.then(|| Some(json!({ "kind": kind, "approvalKey": text("approvalKey")? })))?
        }
        _ => None,
    }
}

/// The origin that 'for this session' would allow for a `url` permission, in the form of the runtime's `domain`. Another scheme
/// or port of the host is another origin.
fn origin_to_approve(request: &Request) -> Option<&str> {
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
    for_location(request)?;
    let key = |name: &str| request.details.get(name).and_then(|value| value.get("locationKey")?.as_str());
    request
        .details
        .get("locationKey")
        .and_then(Value::as_str)
        .or_else(|| key("permissionRequest"))
        .or_else(|| key("promptRequest"))
        .filter(|key| !key.is_empty())
}
