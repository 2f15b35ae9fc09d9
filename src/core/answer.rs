//! How a person's answers look on the wire: method and params for each kind of request. Refuses to send them.

use serde_json::{Map, Value, json};

use super::language::words::requests;
use super::request::{Request, RequestKind};

/// A person's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Permission, this once.
    ApproveOnce,
    /// Permission for the like until the session ends.
    ApproveForSession,
    /// Permission for the like in this place, for good.
    ApproveForLocation {
        /// The place, as the runtime names it.
        location_key: String,
    },
    /// No permission; with feedback the turn goes on.
    Reject {
        /// What the agent should know.
        feedback: Option<String>,
    },
    /// Answer to a question.
    Reply {
        /// The answer.
        answer: String,
        /// It was typed, not chosen.
        was_freeform: bool,
    },
    /// Answer to a form: `accept` with content, `decline`, `cancel`.
    Form {
        /// The action.
        action: &'static str,
        /// The fields.
        content: Option<Value>,
    },
    /// Decision on a plan.
    Plan {
        /// Go on.
        approved: bool,
        /// The chosen action.
        selected_action: Option<String>,
        /// What the agent should know.
        feedback: Option<String>,
    },
    /// Whatever else a request takes: the params beside `sessionId` and `requestId`, and how to call it in words.
    Other {
        /// The params.
        params: Map<String, Value>,
        /// In words.
        words: String,
    },
}

/// A JSON-RPC request to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    /// The runtime's method.
    pub method: &'static str,
    /// Its params.
    pub params: Value,
}

impl Answer {
    /// The answer in words, equal to the settled request's if it is the answer that counted.
    pub fn words(&self) -> String {
        match self {
            Self::ApproveOnce => requests::ALLOWED_ONCE.text().to_owned(),
            Self::ApproveForSession => requests::ALLOWED_SESSION.text().to_owned(),
            Self::ApproveForLocation { .. } => requests::ALLOWED_LOCATION.text().to_owned(),
            Self::Reject { feedback } => with_words(requests::REJECTED.text(), feedback.as_deref()),
            Self::Reply { answer, .. } => with_words(requests::ANSWERED.text(), Some(answer)),
            Self::Form { action, .. } => match *action {
                "accept" => requests::FILLED_IN.text().to_owned(),
                "decline" => requests::DECLINED.text().to_owned(),
                _ => requests::CANCELLED.text().to_owned(),
            },
            Self::Plan { approved: true, selected_action, .. } => {
                with_words(requests::APPROVED.text(), selected_action.as_deref())
            }
            Self::Plan { approved: false, feedback, .. } => {
                with_words(requests::NOT_APPROVED.text(), feedback.as_deref())
            }
            Self::Other { words, .. } => words.clone(),
        }
    }
}

/// How a request ended, and what somebody wrote or chose: 'Rejected: not now'.
pub(in crate::core) fn with_words(outcome: &str, words: Option<&str>) -> String {
    match words {
        Some(words) => requests::WITH_WORDS.with(&[("outcome", outcome.into()), ("words", words.into())]),
        None => outcome.to_owned(),
    }
}

/// The request that carries an answer. `None` for platform confirmations, which travel by `POST` (see [`confirmation`]).
pub fn outgoing(session_id: &str, request_id: &str, request: &Request, answer: &Answer) -> Option<Outgoing> {
    let method = match request.kind {
        RequestKind::Permission => "session.permissions.handlePendingPermissionRequest",
        RequestKind::UserInput => "session.ui.handlePendingUserInput",
        RequestKind::Elicitation => "session.ui.handlePendingElicitation",
        RequestKind::ExitPlanMode => "session.ui.handlePendingExitPlanMode",
        RequestKind::ExternalTool => "session.tools.handlePendingToolCall",
        RequestKind::QueuedCommand => "session.commands.respondToQueuedCommand",
        RequestKind::Command => "session.commands.handlePendingCommand",
        RequestKind::AutoModeSwitch => "session.ui.handlePendingAutoModeSwitch",
        RequestKind::SessionLimits => "session.ui.handlePendingSessionLimitsExhausted",
        RequestKind::McpOauth => "session.mcp.oauth.handlePendingRequest",
        RequestKind::Sampling => "session.ui.handlePendingSampling",
        RequestKind::Confirmation => return None,
    };
    let mut params = match answer {
        Answer::Other { params, .. } => params.clone(),
        _ => Map::new(),
    };
    params.insert("sessionId".to_owned(), session_id.into());
    params.insert("requestId".to_owned(), request_id.into());
    let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
    match answer {
        Answer::ApproveOnce => put("result", json!({ "kind": "approve-once" })),
        Answer::ApproveForSession => {
            put("result", json!({ "kind": "approve-for-session", "approval": session_approval(request) }))
        }
        Answer::ApproveForLocation { location_key } => put(
            "result",
            json!({
                "kind": "approve-for-location", "approval": session_approval(request), "locationKey": location_key
            }),
        ),
        Answer::Reject { feedback: Some(feedback) } => {
            put("result", json!({ "kind": "reject", "feedback": feedback }))
        }
        Answer::Reject { feedback: None } => put("result", json!({ "kind": "reject" })),
        Answer::Reply { answer, was_freeform } => {
            put("response", json!({ "answer": answer, "wasFreeform": was_freeform }))
        }
        Answer::Form { action, content } => {
            let mut result = Map::new();
            result.insert("action".to_owned(), Value::from(*action));
            if let Some(content) = content {
                result.insert("content".to_owned(), content.clone());
            }
            put("result", Value::Object(result))
        }
        Answer::Plan { approved, selected_action, feedback } => {
            let mut response = Map::new();
            response.insert("approved".to_owned(), Value::from(*approved));
            if let Some(action) = selected_action {
                response.insert("selectedAction".to_owned(), action.as_str().into());
            }
            if let Some(feedback) = feedback {
                response.insert("feedback".to_owned(), feedback.as_str().into());
            }
            put("response", Value::Object(response))
        }
        Answer::Other { .. } => None,
    };
    Some(Outgoing { method, params: Value::Object(params) })
}

/// The body to POST for a platform confirmation: the agent gets back the very object it sent.
pub fn confirmation(request: &Request, accepted: bool) -> Value {
    let state = if accepted { "accepted" } else { "dismissed" };
    let confirmation = request.details.get("confirmation").cloned().unwrap_or(Value::Null);
    json!({ "copilot_confirmations": [{ "state": state, "confirmation": confirmation }] })
}

/// What 'for this session' would grant, exactly; `None` where it can't be granted or isn't offered.
pub fn session_approval(request: &Request) -> Option<Value> {
    let permission = request.permission()?;
    let text = |name: &str| permission.get(name).and_then(Value::as_str);
    let offered = || permission.get("canOfferSessionApproval").and_then(Value::as_bool).unwrap_or(false);
    match text("kind")? {
        "shell" => {
            let commands = permission.get("commands").and_then(Value::as_array)?;
            let identifiers: Vec<&str> =
                commands.iter().filter_map(|command| command.get("identifier")?.as_str()).collect();
            (offered() && !identifiers.is_empty())
                .then(|| json!({ "kind": "commands", "commandIdentifiers": identifiers }))
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
            persists.then(|| json!({ "kind": "factory", "approvalKey": text("approvalKey") }))
        }
        _ => None,
    }
}

/// What 'for this session' would grant, in words: 'allows every `touch` command …'.
pub fn session_approval_words(request: &Request) -> Option<String> {
    let approval = session_approval(request)?;
    let text = |name: &str| approval.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match text("kind") {
        "commands" => {
            let identifiers = approval.get("commandIdentifiers").and_then(Value::as_array)?;
            let names: Vec<String> =
                identifiers.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
            requests::ALLOWS_COMMANDS.with(&[("names", (&names.join(", ")).into())])
        }
        "write" => requests::ALLOWS_EDITS.text().to_owned(),
        "read" => requests::ALLOWS_READING.text().to_owned(),
        "memory" => requests::ALLOWS_MEMORY.text().to_owned(),
        "mcp" => requests::ALLOWS_CALLS_ON
            .with(&[("tool", text("toolName").into()), ("server", text("serverName").into())]),
        "custom-tool" => requests::ALLOWS_CALLS.with(&[("tool", text("toolName").into())]),
        _ => requests::ALLOWS_SAME.text().to_owned(),
    })
}
