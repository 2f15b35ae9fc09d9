//! Words about an entry that several views show: what it says, how a task or a request ended, what became of a message, what
//! work was done for it.

use std::borrow::Cow;

use crate::i18n::words::{notices, requests, timeline};
use crate::i18n::{Phrase, Word};
use crate::model::entry::{Body, Entry, EntryState, Kind, UserMessage};
use crate::model::request::{Ending, Request, StaleReason};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::model::work::Work;
use crate::protocol::RequestKind;
use crate::text::hidden;
use crate::view_model::permission_offers;

/// In characters, what is shown of a person's name.
const LONGEST_NAME: usize = 80;

/// The text of an entry as people see it: its original text, or its phrase in the current language.
pub fn text(entry: &Entry) -> Cow<'_, str> {
    match &entry.phrase {
        Some(phrase) => phrase.words(),
        None => Cow::Borrowed(&entry.text),
    }
}

/// What a tool call led to: its result, its output so far, or why it failed. `entry` is the call's.
pub fn result(entry: &Entry, call: &ToolCall) -> String {
    match &call.stage {
        CallStage::Failed(failure) | CallStage::Denied(failure) => failure.message.to_string(),
        CallStage::Succeeded(_) => entry.text.to_string(),
        _ => call.output.as_str().to_owned(),
    }
}

/// What the agent is doing besides text and tool calls, else what it says it is doing.
pub fn current_activity(state: &State) -> Option<Cow<'_, str>> {
    let intent = || state.info.intent.as_deref().map(Cow::Borrowed);
    state.info.doing.as_ref().map(Phrase::words).or_else(intent)
}

/// How a task ended.
pub fn task_outcome(state: EntryState) -> Word {
    match state {
        EntryState::Failed => notices::TASK_FAILED,
        EntryState::Interrupted => notices::TASK_UNFINISHED,
        _ => notices::TASK_COMPLETE,
    }
}

/// What kind of request it is, in a word or two.
pub fn request_name(kind: RequestKind) -> Word {
    match kind {
        RequestKind::Permission => requests::KIND_PERMISSION,
        RequestKind::UserInput => requests::KIND_QUESTION,
        RequestKind::Elicitation => requests::KIND_FORM,
        RequestKind::ExitPlanMode => requests::KIND_PLAN,
        RequestKind::ExternalTool => requests::KIND_TOOL,
        RequestKind::QueuedCommand | RequestKind::Command => requests::KIND_COMMAND,
        RequestKind::AutoModeSwitch => requests::KIND_MODEL,
        RequestKind::SessionLimits => requests::KIND_LIMITS,
        RequestKind::McpOauth => requests::KIND_SIGN_IN,
        RequestKind::Sampling => requests::KIND_SAMPLING,
        RequestKind::Confirmation => requests::KIND_CONFIRMATION,
    }
}

/// What a rewind did to an entry: undone if it had rewritten the conversation, else rewound. None if it still
/// counts.
pub fn rewind_effect(entry: &Entry) -> Option<Word> {
    let rewrote = match &entry.body {
        Body::Notice(notice) => matches!(&*notice.category, "truncation" | "context_cleared"),
        _ => entry.kind == Kind::Compaction,
    };
    entry.rewound.then_some(if rewrote { timeline::UNDONE } else { timeline::REWOUND })
}

/// How a request ended, with the agent's option and a person's words: 'Rejected: not now', 'Allowed: “Always allow touch”'.
pub fn request_outcome(ending: &Ending) -> String {
    let outcome = ending.outcome.words();
    let option = ending
        .option
        .as_deref()
        .map(|name| requests::OPTION.with(&[("name", (&permission_offers::shown(name)).into())]));
    let words: Vec<String> =
        option.into_iter().chain(ending.reply.as_ref().map(|reply| reply.words().into_owned())).collect();
    if words.is_empty() {
        return outcome.into_owned();
    }
    requests::WITH_WORDS.with(&[("outcome", (&*outcome).into()), ("words", (&words.join(" · ")).into())])
}

/// A person's name, as it is shown: hidden characters have names, and what would fill a row is cut.
pub fn person(name: &str) -> String {
    hidden::named(name).chars().take(LONGEST_NAME).collect()
}

/// The name of the person who wrote a message, where people are known by name; none for what a program sent.
pub fn writer(entry: &Entry) -> Option<String> {
    match &entry.body {
        Body::User(message) if entry.agent_id.is_none() => message.who.as_deref().map(person),
        _ => None,
    }
}

/// How a request ended, with who decided that where people are known by name: 'Rejected by Ana: not now'.
pub fn settled_outcome(request: &Request, ending: &Ending) -> String {
    let Some(who) = &request.answerer else { return request_outcome(ending) };
    let who = person(who);
    let outcome =
        requests::BY.with(&[("outcome", (&*ending.outcome.words()).into()), ("who", (&who).into())]);
    request_outcome(&Ending { outcome: outcome.into(), ..ending.clone() })
}

/// The answer that the server has taken, while no event says what came of it: 'Allowed once, received by the server'.
pub fn request_taken(answer: &Ending) -> String {
    requests::TAKEN_BY_SERVER.with(&[("outcome", (&request_outcome(answer)).into())])
}

/// Why a request can't be answered any more.
pub fn request_gone(why: StaleReason) -> &'static str {
    let word = match why {
        StaleReason::ToolEnded => requests::TOOL_ENDED,
        StaleReason::TurnEnded => notices::GONE_IDLE,
        StaleReason::Stopped => notices::GONE_STOPPED,
        StaleReason::Resumed => notices::GONE_RESUMED,
        StaleReason::Restarted | StaleReason::GivenUp => requests::GONE_RESTARTED,
        StaleReason::SessionEnded => notices::GONE_ENDED,
        StaleReason::Refused => requests::GONE_REFUSED,
        StaleReason::Unlisted => notices::GONE_UNLISTED,
    };
    word.text()
}

/// A message's attachments by name.
pub fn attachments(message: &UserMessage) -> Vec<&str> {
    let names = message.attachments.iter().map(String::as_str);
    names.map(|name| if name.is_empty() { notices::ATTACHMENT.text() } else { name }).collect()
}

/// A message's attachments with their names, and whether the model was not given them.
pub fn attachment_labels(message: &UserMessage) -> Vec<String> {
    let shown = |(place, name): (usize, &str)| {
        if message.withheld.contains(&place) {
            notices::ATTACHMENT_WITHHELD.with(&[("name", name.into())])
        } else {
            name.to_owned()
        }
    };
    attachments(message).into_iter().enumerate().map(shown).collect()
}

/// '3 model calls · 5 tools · 24 s · 12.3 k tokens'; nothing before the work begins.
pub fn work(work: &Work, now: Option<i64>) -> Option<String> {
    let count = |word: Word, number: i64| word.phrase(vec![("n", Phrase::Count(number))]);
    let mut parts = Vec::new();
    if work.model_calls > 0 {
        parts.push(count(timeline::MODEL_CALLS, work.model_calls.into()));
    }
    if work.tools > 0 {
        parts.push(count(timeline::TOOLS, work.tools.into()));
    }
    let worked_ms = work.elapsed_ms(now);
    // The row of an agent that does not say how often it asks the model has its line from the start.
    if worked_ms > 0 || (parts.is_empty() && work.is_working) {
        parts.push(Phrase::Duration(worked_ms));
    }
    // Histories only know how many tokens the model wrote, so that is labelled as such.
    match (work.input_tokens.saturating_add(work.output_tokens), work.written_tokens) {
        (0, 0) => {}
        (0, written) => parts.push(count(timeline::TOKENS_WRITTEN, written)),
        (all, _) => parts.push(count(timeline::TOKENS, all)),
    }
    (!parts.is_empty()).then(|| Phrase::Joined(parts, " · ").words().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_leads_to_its_output_then_to_its_result_or_why_it_failed() {
        let result_after = |events: &[&str]| {
            let mut session = crate::Session::new();
            session.push_frame(&events.concat());
            let state = session.state();
            let entry = state.entries.iter().find(|entry| entry.kind == Kind::Tool).unwrap();
            result(entry, entry.tool().unwrap())
        };
        let start = r#"{"type":"tool.execution_start","id":"s","data":{"toolCallId":"c","toolName":"bash","arguments":{}}}"#;
        let output = r#"{"type":"tool.execution_partial_result","id":"o","data":{"toolCallId":"c","partialOutput":"one"}}"#;
        let done = r#"{"type":"tool.execution_complete","id":"d","data":{"toolCallId":"c","success":true,"result":{"content":"all"}}}"#;
        let failed = r#"{"type":"tool.execution_complete","id":"f","data":{"toolCallId":"c","success":false,"error":{"message":"no such file"}}}"#;
        assert_eq!(result_after(&[start]), "");
        assert_eq!(result_after(&[start, output]), "one");
        assert_eq!(result_after(&[start, output, done]), "all");
        assert_eq!(result_after(&[start, output, failed]), "no such file");
    }

    #[test]
    fn work_is_told_in_words() {
        let mut done = Work::default();
        assert_eq!(work(&done, Some(5)), None);
        done.begin(Some(1_000));
        assert_eq!(
            work(&done, Some(1_000)).as_deref(),
            Some("0 ms"),
            "nobody says how often it asks the model"
        );
        done.model_calls = 3;
        done.tools = 5;
        assert_eq!(work(&done, Some(1_000)).as_deref(), Some("3 model calls · 5 tools"));
        done.written_tokens = 300;
        assert_eq!(
            work(&done, Some(25_000)).as_deref(),
            Some("3 model calls · 5 tools · 24 s · 300 tokens written")
        );
        (done.input_tokens, done.output_tokens) = (12_000, 300);
        done.end(Some(25_000));
        assert_eq!(
            work(&done, Some(90_000)).as_deref(),
            Some("3 model calls · 5 tools · 24 s · 12.3 k tokens")
        );
    }
}
