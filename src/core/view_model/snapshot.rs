//! The state as one JSON object (section 4 of `docs/protocol.md`), for `inspect`, JavaScript and tests.
//!
//! Entries are in the order of the persisted history (by the first persisted event about each), so that a
//! live stream and the persisted log of the same session give the same list.
//!
//! Its texts are English whatever the language of the page is: programs read it.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::entry_words;
use super::entry_words::{request_gone, request_outcome};
use crate::i18n::{Phrase, in_english};
use crate::model::entry::{Body, Entry, Kind};
use crate::model::model_context::Message;
use crate::model::queue::{Offer, Queued};
use crate::model::reference::Reference;
use crate::model::request;
use crate::model::request::Request;
use crate::model::state::State;
use crate::model::telemetry::TelemetryEvent;
use crate::model::tool_call::{Life, ToolCall};
use crate::model::work::Work;

/// The whole snapshot.
pub fn of(state: &State) -> Value {
    json!({
        "events": events(state),
        "session": session(state),
        "llmCalls": state.llm_calls,
        "timeline": timeline(state),
        "pending": pending(state),
        "queue": queue(state),
        "modelContext": state.context.messages().iter().map(|said| message(said)).collect::<Vec<_>>(),
        "usage": usage(state),
        "diagnostics": diagnostics(state),
        "telemetry": state.telemetry.events().map(TelemetryEvent::json).collect::<Vec<_>>(),
    })
}

/// `events`: the counters.
pub fn events(state: &State) -> Value {
    let counters = &state.counters;
    json!({
        "total": counters.total, "ephemeral": counters.ephemeral, "duplicate": counters.duplicate,
        "malformed": counters.malformed, "unknown": counters.unknown,
    })
}

/// `session`: the session's properties.
pub fn session(state: &State) -> Value {
    let info = &state.info;
    json!({
        "id": info.id, "title": title(state), "status": state.status(), "mode": info.current_mode(),
        "model": info.model,
        "cwd": info.cwd, "repository": info.repository, "branch": info.branch,
        "gitRoot": info.git_root, "pendingGitContext": info.git_pending,
        "reasoningEffort": info.reasoning_effort, "permissionMode": info.current_permission_mode(),
        "intent": info.intent, "requestedMode": info.mode_calls.requested,
        "requestedPermissionMode": info.permission_mode_calls.requested,
    })
}

/// The title, or the beginning of the person's first message, as histories have no `session.title_changed`.
pub fn title(state: &State) -> Option<String> {
    const LENGTH: usize = 100;
    let asked = || {
        let first = state.entries.iter().find(|e| e.kind == Kind::User && e.agent_id.is_none())?;
        Some(first.text.lines().next()?.chars().take(LENGTH).collect())
    };
    state.info.title.clone().or_else(asked)
}

/// `queue`: what waits, as the server told it, and what a person has done about it that the server has not confirmed.
pub fn queue(state: &State) -> Value {
    let queue = &state.queue;
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("changed", queue.changed.into());
    put("items", queue.items.iter().flatten().map(Queued::json).collect());
    put("steeringMessages", queue.steering.clone().into());
    if !queue.edits.is_empty() {
        put("edits", queue.edits.json());
    }
    if queue.paused {
        put("paused", true.into());
    }
    for (name, offers) in [("dropped", queue.dropped_offers()), ("removed", queue.removed_offers())] {
        if !offers.is_empty() {
            put(name, offers.iter().map(Offer::json).collect());
        }
    }
    if !queue.decided.is_empty() {
        put("decided", queue.decided.clone().into());
    }
    fields.into()
}

/// `pending`: the open requests.
pub fn pending(state: &State) -> Value {
    let open = state.open_requests.iter().filter_map(|place| {
        let entry = state.entry(*place)?;
        Some(pending_json(&entry.id, entry.request()?))
    });
    Value::Array(open.collect())
}

/// `usage`: tokens and cost.
pub fn usage(state: &State) -> Value {
    let usage = &state.usage;
    json!({
        "inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens, "cost": usage.cost,
        "contextTokens": usage.context_tokens, "contextLimit": usage.context_limit,
        "cacheReadTokens": usage.cache_read_tokens, "premiumRequests": usage.premium_requests,
    })
}

/// `diagnostics`.
pub fn diagnostics(state: &State) -> Value {
    let all = state.diagnostics.iter();
    let shown =
        all.map(|d| json!({ "severity": d.severity, "message": d.message.words(), "eventId": d.event_id }));
    Value::Array(in_english(|| shown.collect()))
}

/// `timeline`, in the order of history.
pub fn timeline(state: &State) -> Value {
    let mut entries: Vec<&Entry> = state.entries.iter().map(AsRef::as_ref).collect();
    entries.sort_by_key(|entry| (entry.committed.unwrap_or(entry.first_seen), rank(entry.kind)));
    Value::Array(entries.into_iter().map(entry).collect())
}

/// The order of entries that one event made: a message can have reasoning, text and tool calls at once.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Reasoning => 0,
        Kind::Assistant => 1,
        _ => 2,
    }
}

/// One entry.
pub fn entry(entry: &Entry) -> Value {
    let mut fields = head(entry);
    fields.insert("text".to_owned(), text(entry).into());
    Value::Object(fields)
}

/// The text of one entry.
pub fn text(entry: &Entry) -> Cow<'_, str> {
    in_english(|| entry_words::text(entry))
}

/// One entry without its text.
pub fn head(entry: &Entry) -> Map<String, Value> {
    in_english(|| head_in_words(entry))
}

fn head_in_words(entry: &Entry) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("kind", entry.kind.word().into());
    put("id", entry.id.as_str().into());
    put("state", entry.state.word().into());
    put("agentId", entry.agent_id.clone().into());
    put("modelVisible", entry.model_visible.into());
    put("uiVisible", entry.ui_visible.into());
    put("ephemeral", entry.ephemeral().into());
    put("parentToolCallId", entry.parent_tool_call_id.clone().into());
    put("at", entry.at.into());
    if entry.rewound {
        put("rewound", true.into());
    }
    match &entry.body {
        Body::Plain => {}
        Body::User(message) => {
            put("delivery", message.delivery.clone().into());
            put("source", message.source.clone().into());
            put("attachments", entry_words::attachments(message).into());
            if !message.references.is_empty() {
                put("links", message.references.iter().map(Reference::json).collect());
            }
            if let Some(work) = &message.work {
                put("turn", self::work(work));
            }
        }
        Body::Assistant { model, .. } => {
            put("model", model.clone().into());
        }
        Body::Reasoning { duration } => {
            put("durationMs", (*duration).into());
        }
        Body::Tool(call) => {
            put("tool", tool(call));
        }
        Body::Request(request) => {
            put("request", self::request(request));
        }
        Body::Notice(notice) => {
            put("level", notice.level.word().into());
            put("category", notice.category.as_str().into());
            put("url", notice.url.clone().into());
            put("count", notice.count.into());
            put("remedy", notice.remedy.as_ref().map(Phrase::words).into());
            put("local", notice.local.into());
            if !notice.earlier.is_empty() {
                put("earlier", notice.earlier.iter().map(Phrase::words).collect());
            }
            if !notice.references.is_empty() {
                put("links", notice.references.iter().map(Reference::json).collect());
            }
            if let Some(about) = &notice.about {
                put("about", json!({ "kind": about.kind, "identifier": about.identifier }));
            }
        }
        Body::Subagent(agent) => {
            let facts = json!({
                "name": agent.name, "displayName": agent.display_name, "description": agent.description,
                "model": agent.model, "error": agent.error, "totalToolCalls": agent.tool_calls,
                "totalTokens": agent.tokens, "durationMs": agent.duration, "reasoningEffort": agent.effort,
                "background": agent.background, "cancelled": agent.cancelled, "work": work(&agent.work),
            });
            put("subagent", facts);
        }
        Body::Custom(custom) => {
            put("type", [custom.source.as_str(), custom.name.as_str()].join("/").into());
            put("data", custom.data.clone());
            put("count", custom.count.into());
            let earlier = custom.earlier.iter().map(|one| json!({ "text": one.text.words(), "at": one.at }));
            put("earlier", earlier.collect());
        }
        Body::Facts { event_type, facts } => {
            put("type", event_type.as_str().into());
            put("data", facts.clone());
        }
    }
    fields
}

fn work(work: &Work) -> Value {
    json!({
        "modelCalls": work.model_calls, "tools": work.tools, "inputTokens": work.input_tokens,
        "outputTokens": work.output_tokens.max(work.written_tokens), "spentMs": work.spent, "since": work.since,
    })
}

fn tool(call: &ToolCall) -> Value {
    let mut fields = json!({
        "name": call.name, "title": call.title, "arguments": call.arguments, "output": call.output,
        "progress": call.progress, "userRequested": call.by_user, "waitsForPermission": call.waits,
        "mcpServerName": call.mcp.as_ref().map(|(server, _)| server),
        "mcpToolName": call.mcp.as_ref().map(|(_, tool)| tool),
    });
    let more = match &call.life {
        Life::Writing => json!({ "argumentsText": call.written }),
        Life::Succeeded(outcome) => json!({
            "detailedContent": outcome.detailed, "contents": outcome.contents, "exitCode": outcome.exit_code,
            "laterOutput": call.later_output, "structuredContent": outcome.structured,
            "background": call.background.as_ref().map(|shell| json!({
                "shellId": shell.shell_id, "ended": shell.ended, "exitCode": shell.exit_code,
            })),
        }),
        Life::Failed(failure) | Life::Denied(failure) => {
            json!({ "error": { "message": failure.message, "code": failure.code } })
        }
        Life::Requested | Life::Running | Life::Interrupted => Value::Null,
    };
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more);
    }
    fields
}

fn request(request: &request::Request) -> Value {
    let life = match &request.life {
        request::Life::Waiting => json!({ "life": "waiting" }),
        request::Life::Sending(answer) => json!({ "life": "sending", "answer": request_outcome(answer) }),
        request::Life::Unsure(answer) => json!({ "life": "unsure", "answer": request_outcome(answer) }),
        request::Life::Taken(answer) => json!({ "life": "taken", "answer": request_outcome(answer) }),
        request::Life::Settled { ending, by } => json!({
            "life": "settled", "outcome": request_outcome(ending), "result": ending.word, "by": by.word(),
            "elsewhere": *by == request::By::Elsewhere,
        }),
        request::Life::Stale { why, reply: None } => {
            json!({ "life": "stale", "why": request_gone(*why), "reason": why.word() })
        }
        request::Life::Stale { why, reply: Some(reply) } => {
            json!({ "life": "stale", "why": request_gone(*why), "reason": why.word(), "said": reply.words() })
        }
    };
    let mut fields = json!({
        "kind": request.kind.word(), "toolCallId": request.tool_call_id, "details": request.details,
    });
    if let (Value::Object(fields), Value::Object(life)) = (&mut fields, life) {
        fields.extend(life);
    }
    fields
}

fn message(message: &Message) -> Value {
    let mut fields = json!({
        "role": message.role.word(), "content": message.content, "eventId": message.event_id,
    });
    if let Value::Object(fields) = &mut fields {
        if let Some(calls) = &message.tool_calls {
            fields.insert("toolCalls".to_owned(), json!(calls));
        }
        if let Some(id) = &message.tool_call_id {
            fields.insert("toolCallId".to_owned(), id.as_str().into());
        }
    }
    fields
}

/// The request as snapshots list it.
fn pending_json(id: &str, request: &Request) -> Value {
    let mut listed = json!({ "requestId": id, "kind": request.kind.word() });
    if let (Some(fields), Some(tool)) = (listed.as_object_mut(), &request.tool_call_id) {
        fields.insert("toolCallId".to_owned(), tool.as_str().into());
    }
    listed
}
