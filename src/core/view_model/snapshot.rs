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
use crate::model::entry::{Body, Entry, Kind, Subagent};
use crate::model::model_context::Message;
use crate::model::queue::{Offer, Queued};
use crate::model::reference::Reference;
use crate::model::request;
use crate::model::request::Request;
use crate::model::state::State;
use crate::model::telemetry::TelemetryEvent;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::model::work::Work;

/// The whole snapshot.
pub fn of(state: &State) -> Value {
    object(&mut [
        ("events", events(state)),
        ("session", session(state)),
        ("llmCalls", state.llm_calls.into()),
        ("timeline", timeline(state)),
        ("pending", pending(state)),
        ("queue", queue(state)),
        ("modelContext", state.context.messages().iter().map(|one| message(one)).collect()),
        ("usage", usage(state)),
        ("diagnostics", diagnostics(state)),
        ("telemetry", state.telemetry.events().map(TelemetryEvent::json).collect()),
    ])
}

/// `events`: the counters.
pub fn events(state: &State) -> Value {
    let counters = &state.counters;
    let mut names: Vec<&String> = counters.unknown.keys().collect();
    names.sort();
    let mut unknown = Map::new();
    for name in names {
        put(&mut unknown, name, counters.unknown.get(name).copied().into());
    }
    object(&mut [
        ("total", counters.total.into()),
        ("ephemeral", counters.ephemeral.into()),
        ("duplicate", counters.duplicate.into()),
        ("malformed", counters.malformed.into()),
        ("unknown", unknown.into()),
    ])
}

/// `session`: the session's properties.
pub fn session(state: &State) -> Value {
    let info = &state.info;
    object(&mut [
        ("id", optional(info.id.as_deref())),
        ("title", title(state).into()),
        ("status", state.status().into()),
        ("mode", optional(info.current_mode())),
        ("model", optional(info.model.as_deref())),
        ("cwd", optional(info.cwd.as_deref())),
        ("repository", optional(info.repository.as_deref())),
        ("branch", optional(info.branch.as_deref())),
        ("gitRoot", optional(info.git_root.as_deref())),
        ("pendingGitContext", info.git_pending.into()),
        ("reasoningEffort", optional(info.reasoning_effort.as_deref())),
        ("permissionMode", optional(info.current_permission_mode())),
        ("intent", optional(info.intent.as_deref())),
        ("requestedMode", optional(info.mode_calls.requested.as_deref())),
        ("requestedPermissionMode", optional(info.permission_mode_calls.requested.as_deref())),
    ])
}

/// The title, or the beginning of the person's first message, as histories have no `session.title_changed`.
pub fn title(state: &State) -> Option<String> {
    let asked = || {
        let first = state.entries.iter().find(|e| e.kind == Kind::User && e.agent_id.is_none())?;
        title_of_message(&first.text)
    };
    state.info.title.clone().or_else(asked)
}

/// The title that a session has by its first message: the beginning of the message's first line.
pub fn title_of_message(text: &str) -> Option<String> {
    const LENGTH: usize = 100;
    Some(text.lines().next()?.chars().take(LENGTH).collect())
}

/// `queue`: the server's list of what waits, and a person's edits that the server has not confirmed.
pub fn queue(state: &State) -> Value {
    let queue = &state.queue;
    let mut fields = Map::new();
    let all = &mut fields;
    put(all, "changed", queue.changed.into());
    put(all, "items", queue.items.iter().flatten().map(Queued::json).collect());
    put(all, "steeringMessages", queue.steering.clone().into());
    if !queue.edits.is_empty() {
        put(all, "edits", queue.edits.json());
    }
    if queue.paused {
        put(all, "paused", true.into());
    }
    for (name, offers) in [("dropped", queue.dropped_offers()), ("removed", queue.removed_offers())] {
        if !offers.is_empty() {
            put(all, name, offers.iter().map(Offer::json).collect());
        }
    }
    if !queue.decided.is_empty() {
        put(all, "decided", queue.decided.clone().into());
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
    object(&mut [
        ("inputTokens", usage.input_tokens.into()),
        ("outputTokens", usage.output_tokens.into()),
        ("cost", usage.cost.into()),
        ("contextTokens", usage.context_tokens.into()),
        ("contextLimit", usage.context_limit.into()),
        ("cacheReadTokens", usage.cache_read_tokens.into()),
        ("premiumRequests", usage.premium_requests.into()),
    ])
}

/// `diagnostics`.
pub fn diagnostics(state: &State) -> Value {
    let all = state.diagnostics.iter();
    let shown = all.map(|d| {
        object(&mut [
            ("severity", json!(d.severity)),
            ("message", d.message.words().into()),
            ("eventId", json!(d.event_id)),
        ])
    });
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
    let all = &mut fields;
    put_all(
        all,
        &mut [
            ("kind", entry.kind.word().into()),
            ("id", entry.id.as_str().into()),
            ("state", entry.state.word().into()),
            ("agentId", optional(entry.agent_id.as_deref())),
            ("modelVisible", entry.model_visible.into()),
            ("uiVisible", entry.ui_visible.into()),
            ("ephemeral", entry.ephemeral().into()),
            ("parentToolCallId", optional(entry.parent_tool_call_id.as_deref())),
            ("at", entry.at.into()),
        ],
    );
    if entry.rewound {
        put(all, "rewound", true.into());
    }
    match &entry.body {
        Body::Plain => {}
        Body::User(message) => {
            put(all, "delivery", optional(message.delivery.as_deref()));
            put(all, "source", optional(message.source.as_deref()));
            if let Some(who) = &message.who {
                put(all, "who", who.as_str().into());
            }
            put(all, "attachments", entry_words::attachments(message).into());
            put_links(all, &message.references);
            if let Some(work) = &message.work {
                put(all, "turn", self::work(work));
            }
        }
        Body::Assistant { model, .. } => put(all, "model", optional(model.as_deref())),
        Body::Reasoning { duration } => put(all, "durationMs", (*duration).into()),
        Body::Tool(call) => put(all, "tool", tool(call)),
        Body::Request(request) => put(all, "request", self::request(request)),
        Body::Notice(notice) => {
            put(all, "level", notice.level.word().into());
            put(all, "category", notice.category.as_str().into());
            put(all, "url", optional(notice.url.as_deref()));
            put(all, "count", notice.count.into());
            put(all, "remedy", notice.remedy.as_ref().map(Phrase::words).into());
            put(all, "local", notice.local.into());
            if !notice.earlier.is_empty() {
                put(all, "earlier", notice.earlier.iter().map(Phrase::words).collect());
            }
            put_links(all, &notice.references);
            if let Some(about) = &notice.about {
                let about = &mut [("kind", json!(about.kind)), ("identifier", json!(about.identifier))];
                put(all, "about", object(about));
            }
        }
        Body::Subagent(agent) => put(all, "subagent", subagent(agent)),
        Body::Custom(custom) => {
            put(all, "type", [custom.source.as_str(), custom.name.as_str()].join("/").into());
            put(all, "data", custom.data.clone());
            put(all, "count", custom.count.into());
            let earlier = custom
                .earlier
                .iter()
                .map(|one| object(&mut [("text", one.text.words().into()), ("at", one.at.into())]));
            put(all, "earlier", earlier.collect());
        }
        Body::Facts { event_type, facts } => {
            put(all, "type", event_type.as_str().into());
            put(all, "data", facts.clone());
        }
    }
    fields
}

fn put_links(fields: &mut Map<String, Value>, references: &[Reference]) {
    if !references.is_empty() {
        put(fields, "links", references.iter().map(Reference::json).collect());
    }
}

fn subagent(agent: &Subagent) -> Value {
    object(&mut [
        ("name", agent.name.as_str().into()),
        ("displayName", agent.display_name.as_str().into()),
        ("description", agent.description.as_str().into()),
        ("model", optional(agent.model.as_deref())),
        ("error", optional(agent.error.as_deref())),
        ("totalToolCalls", agent.tool_calls.into()),
        ("totalTokens", agent.tokens.into()),
        ("durationMs", agent.duration.into()),
        ("reasoningEffort", optional(agent.effort.as_deref())),
        ("background", agent.background.into()),
        ("cancelled", agent.cancelled.into()),
        ("work", work(&agent.work)),
    ])
}

fn work(work: &Work) -> Value {
    object(&mut [
        ("modelCalls", work.model_calls.into()),
        ("tools", work.tools.into()),
        ("inputTokens", work.input_tokens.into()),
        ("outputTokens", work.output_tokens.max(work.written_tokens).into()),
        ("spentMs", work.worked_ms.into()),
        ("since", work.working_since.into()),
    ])
}

fn tool(call: &ToolCall) -> Value {
    let mut fields = Map::new();
    let all = &mut fields;
    put_all(
        all,
        &mut [
            ("name", call.name.as_str().into()),
            ("title", optional(call.title.as_deref())),
            ("arguments", json!(call.arguments)),
            ("output", json!(call.output)),
            ("progress", optional(call.progress.as_deref())),
            ("userRequested", call.by_user.into()),
            ("waitsForPermission", call.is_waiting.into()),
            ("mcpServerName", optional(call.mcp.as_ref().map(|(server, _)| server.as_str()))),
            ("mcpToolName", optional(call.mcp.as_ref().map(|(_, tool)| tool.as_str()))),
        ],
    );
    match &call.stage {
        CallStage::Writing => put(all, "argumentsText", call.written.as_str().into()),
        CallStage::Succeeded(outcome) => {
            put(all, "detailedContent", json!(outcome.detailed));
            put(all, "contents", outcome.contents.clone().into());
            put(all, "exitCode", outcome.exit_code.into());
            put(all, "laterOutput", call.later_output.as_str().into());
            put(all, "structuredContent", outcome.structured.clone().into());
            let background = call.background.as_ref().map(|shell| {
                object(&mut [
                    ("shellId", shell.shell_id.as_str().into()),
                    ("ended", shell.ended.into()),
                    ("exitCode", shell.exit_code.into()),
                ])
            });
            put(all, "background", background.into());
        }
        CallStage::Failed(failure) | CallStage::Denied(failure) => {
            let code = optional(failure.code.as_deref());
            put(all, "error", object(&mut [("message", json!(failure.message)), ("code", code)]));
        }
        CallStage::Requested | CallStage::Running | CallStage::Interrupted => {}
    }
    fields.into()
}

fn request(request: &request::Request) -> Value {
    let mut fields = Map::new();
    let all = &mut fields;
    put(all, "kind", request.kind.word().into());
    put(all, "toolCallId", optional(request.tool_call_id.as_deref()));
    put(all, "details", json!(request.details));
    let (life, answer) = match &request.stage {
        request::RequestStage::Waiting => ("waiting", None),
        request::RequestStage::Sending(answer) => ("sending", Some(answer)),
        request::RequestStage::Unsure(answer) => ("unsure", Some(answer)),
        request::RequestStage::Taken(answer) => ("taken", Some(answer)),
        request::RequestStage::Settled { .. } => ("settled", None),
        request::RequestStage::Stale { .. } => ("stale", None),
    };
    put(all, "life", life.into());
    if let Some(answer) = answer {
        put(all, "answer", request_outcome(answer).into());
    }
    match &request.stage {
        request::RequestStage::Settled { ending, by } => {
            put(all, "outcome", request_outcome(ending).into());
            put(all, "result", json!(ending.word));
            if let Some(option) = &ending.option {
                put(all, "option", option.as_str().into());
            }
            put(all, "by", by.word().into());
            if let Some(who) = &request.answerer {
                put(all, "who", who.as_str().into());
            }
            put(all, "elsewhere", (*by == request::AnsweredBy::Elsewhere).into());
        }
        request::RequestStage::Stale { why, reply } => {
            put(all, "why", request_gone(*why).into());
            put(all, "reason", why.word().into());
            if let Some(reply) = reply {
                put(all, "said", reply.words().into());
            }
        }
        _ => {}
    }
    fields.into()
}

fn message(message: &Message) -> Value {
    let mut fields = Map::new();
    put(&mut fields, "role", message.role.word().into());
    put(&mut fields, "content", json!(message.content));
    put(&mut fields, "eventId", message.event_id.as_str().into());
    if let Some(calls) = &message.tool_calls {
        put(&mut fields, "toolCalls", json!(calls));
    }
    if let Some(id) = &message.tool_call_id {
        put(&mut fields, "toolCallId", id.as_str().into());
    }
    fields.into()
}

/// The request as snapshots list it.
fn pending_json(id: &str, request: &Request) -> Value {
    let mut fields = Map::new();
    put(&mut fields, "requestId", id.into());
    put(&mut fields, "kind", request.kind.word().into());
    if let Some(tool) = &request.tool_call_id {
        put(&mut fields, "toolCallId", tool.as_str().into());
    }
    fields.into()
}

/// An object of these fields. As a function it is smaller by far than what `json!` writes at each place.
fn object(fields: &mut [(&str, Value)]) -> Value {
    self::fields(fields).into()
}

/// The same, to which more may be added with [`put_all`].
pub fn fields(fields: &mut [(&str, Value)]) -> Map<String, Value> {
    let mut all = Map::new();
    put_all(&mut all, fields);
    all
}

/// Adds fields to an object.
pub fn put_all(all: &mut Map<String, Value>, fields: &mut [(&str, Value)]) {
    for (name, value) in fields {
        put(all, name, value.take());
    }
}

fn put(all: &mut Map<String, Value>, name: &str, value: Value) {
    all.insert(name.to_owned(), value);
}

/// A text, or `null`.
fn optional(text: Option<&str>) -> Value {
    text.into()
}
