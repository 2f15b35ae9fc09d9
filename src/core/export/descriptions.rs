//! The words with which exported documents of any format describe entries.

use crate::i18n;
use crate::i18n::Word;
use crate::i18n::words::{export, tools};
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::request::{Request, RequestKind, RequestStage};
use crate::model::state::State;
use crate::model::tool_call::ToolCall;
use crate::view_model::agent_name;
use crate::view_model::entry_words::{request_gone, request_outcome, request_taken, settled_outcome, writer};
use crate::view_model::tool_details;
use crate::view_model::tool_summary;
use crate::view_model::tool_summary::{Sentence, ToolFamily};

/// The sentence about what a tool call did.
pub(super) fn sentence(state: &State, entry: &Entry) -> Sentence {
    let Some(call) = entry.tool() else { return Sentence::default() };
    let edit = (tool_summary::family(call) == ToolFamily::Edit).then(|| tool_details::edit(call)).flatten();
    tool_summary::sentence(call, state.info.cwd.as_deref(), edit)
}

/// How a tool call ended and how long it took: 'failed · 3 s'.
pub(super) fn end(entry: &Entry) -> String {
    let word = match entry.state {
        EntryState::Failed => Some(tools::FAILED),
        EntryState::Denied => Some(tools::DENIED),
        EntryState::Interrupted => Some(tools::INTERRUPTED),
        EntryState::Pending => Some(tools::NOT_STARTED),
        EntryState::Running => Some(tools::RUNNING),
        _ => None,
    };
    let exit = entry.tool().and_then(ToolCall::exit_code).filter(|code| *code != 0);
    let ended = matches!(entry.state, EntryState::Done | EntryState::Failed);
    let duration_ms = entry.took().filter(|ms| ended && *ms >= 50);
    let exit = exit.map(|code| tools::EXIT.with(&[("code", code.into())]));
    let parts = [word.map(|word| word.text().to_owned()), exit, duration_ms.map(i18n::duration)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// How long the model thought.
pub(super) fn thought(entry: &Entry) -> String {
    match (entry.state, &entry.body) {
        (EntryState::Interrupted, _) => export::THOUGHT_INTERRUPTED.text().to_owned(),
        (_, Body::Reasoning { duration: Some(millis) }) => {
            export::THOUGHT_FOR.with(&[("time", (&i18n::duration(*millis)).into())])
        }
        _ => export::THOUGHT.text().to_owned(),
    }
}

/// Who a user message is from, or which sub-agent's task it is.
pub(super) fn author(state: &State, entry: &Entry) -> String {
    match owner(state, entry) {
        Some(agent) => export::TASK_FOR.with(&[("agent", agent.into())]),
        None => writer(entry).unwrap_or_else(|| export::YOU.text().to_owned()),
    }
}

/// What happened to an entry when the session was rewound past it; `None` for all others.
pub(super) fn rewind_note(entry: &Entry) -> Option<&'static str> {
    crate::view_model::entry_words::rewind_effect(entry).map(Word::text)
}

/// How a message was delivered; `None` if in the usual way.
pub(super) fn delivery(entry: &Entry) -> Option<&'static str> {
    match &entry.body {
        Body::User(message) => match message.delivery.as_deref() {
            Some("steering") => Some(export::STEERING.text()),
            Some("queued") => Some(export::WAS_QUEUED.text()),
            _ => None,
        },
        _ => None,
    }
}

/// The name of the sub-agent that an entry belongs to; `None` for the main agent's
/// entries and for the sub-agent's own entry.
pub(super) fn owner<'a>(state: &'a State, entry: &Entry) -> Option<&'a str> {
    if entry.kind == Kind::Subagent { None } else { agent_name::of_entry(state, entry) }
}

/// True if this entry begins a turn.
pub(super) fn begins_turn(entry: &Entry) -> bool {
    entry.kind == Kind::User && entry.agent_id.is_none() && entry.ui_visible
}

/// The name of what was asked for.
pub(super) fn request_name(request: &Request) -> &'static str {
    let word = match request.kind {
        RequestKind::Permission => export::PERMISSION,
        RequestKind::UserInput => export::QUESTION,
        RequestKind::Elicitation => export::FORM,
        RequestKind::ExitPlanMode => export::PLAN,
        RequestKind::ExternalTool => export::EXTERNAL_TOOL,
        RequestKind::QueuedCommand | RequestKind::Command => export::COMMAND,
        RequestKind::AutoModeSwitch => export::MODE_SWITCH,
        RequestKind::SessionLimits => export::LIMITS,
        RequestKind::McpOauth => export::SIGN_IN,
        RequestKind::Sampling => export::SAMPLING,
        RequestKind::Confirmation => export::CONFIRMATION,
    };
    word.text()
}

/// How a request ended.
pub(super) fn outcome(request: &Request) -> String {
    match &request.stage {
        RequestStage::Waiting => export::NOT_ANSWERED.text().to_owned(),
        RequestStage::Sending(answer) => {
            export::ON_ITS_WAY.with(&[("answer", (&request_outcome(answer)).into())])
        }
        RequestStage::Unsure(answer) => {
            export::MAY_HAVE_ARRIVED.with(&[("answer", (&request_outcome(answer)).into())])
        }
        RequestStage::Taken(answer) => request_taken(answer),
        RequestStage::Settled { ending, .. } => settled_outcome(request, ending),
        RequestStage::Stale { why, reply: None } => request_gone(*why).to_owned(),
        RequestStage::Stale { why, reply: Some(reply) } => {
            let answer = export::MAY_HAVE_ARRIVED.with(&[("answer", (&*reply.words()).into())]);
            format!("{} ({answer})", request_gone(*why))
        }
    }
}

/// How a sub-agent ended.
pub(super) fn agent_end(entry: &Entry) -> String {
    let word = match entry.state {
        EntryState::Running => Some(export::WORKING),
        EntryState::Failed => Some(export::FAILED),
        EntryState::Interrupted => Some(export::CANCELLED),
        _ => None,
    };
    let Body::Subagent(agent) = &entry.body else { return String::new() };
    let calls = agent.tool_calls.map(|calls| export::CALLS.with(&[("n", calls.into())]));
    let parts = [word.map(|word| word.text().to_owned()), calls, agent.duration.map(i18n::duration)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}
