//! The state as plain text, one line per entry, for golden tests. Times and ids are left out, as they change
//! with every recording.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::entry_words;
use super::entry_words::{request_gone, request_outcome, text};
use crate::i18n::Phrase;
use crate::model::entry::{Body, Entry};
use crate::model::request::RequestStage;
use crate::model::state::State;

/// The outline of a session: facts, the timeline in the page's order, the model's view, diagnostics.
pub fn of(state: &State) -> String {
    let mut out = String::new();
    let info = &state.info;
    let fact = |value: &Option<String>| value.clone().unwrap_or_else(|| "–".to_owned());
    let _ = writeln!(out, "status: {}", state.status());
    let _ = writeln!(out, "title: {}", fact(&info.title));
    let _ = writeln!(out, "mode: {} · model: {}", fact(&info.mode), fact(&info.model));
    let _ = writeln!(out, "model calls: {} · queue changes: {}", state.llm_calls, state.queue.changed);
    let _ = writeln!(out, "\ntimeline");
    for entry in &state.entries {
        let _ = writeln!(out, "  {}", line(entry, state.info.last_event_at));
    }
    let _ = writeln!(out, "\nmodel's view");
    for message in state.context.messages() {
        let calls = match message.calls().len() {
            0 => String::new(),
            1 => " (1 tool call)".to_owned(),
            more => format!(" ({more} tool calls)"),
        };
        let _ = writeln!(out, "  {}: {}{calls}", message.role.word(), short(&message.content));
    }
    for diagnostic in &state.diagnostics {
        let _ = writeln!(out, "\n{}: {}", diagnostic.severity, diagnostic.message.words());
    }
    out
}

fn line(entry: &Entry, now: Option<i64>) -> String {
    let mut line = String::new();
    if entry.agent_id.is_some() || entry.parent_tool_call_id.is_some() {
        line.push_str("| ");
    }
    let _ = write!(line, "{} {}", entry.kind.word(), entry.state.word());
    match &entry.body {
        Body::Tool(call) => {
            let _ = write!(line, " {}", call.name);
            if let Some(arguments) = &call.arguments {
                let _ = write!(line, " {}", short(&arguments.to_string()));
            }
        }
        Body::Notice(notice) => {
            let _ = write!(line, " {}/{}", notice.level.word(), notice.category);
            if notice.count > 1 {
                let _ = write!(line, " ×{}", notice.count);
            }
        }
        Body::Custom(custom) => {
            let _ = write!(line, " {}/{}", custom.source, custom.name);
            if custom.count > 1 {
                let _ = write!(line, " ×{}", custom.count);
            }
        }
        Body::User(message) if message.delivery.as_deref().is_some_and(|d| d != "idle") => {
            let _ = write!(line, " ({})", message.delivery.as_deref().unwrap_or_default());
        }
        _ => {}
    }
    let _ = write!(line, ": {}", short(&text(entry)));
    if let Some(shell) = entry.tool().and_then(|call| call.background.as_ref()) {
        let end = match (shell.ended, shell.exit_code) {
            (false, _) => " goes on".to_owned(),
            (true, None) => " ended".to_owned(),
            (true, Some(code)) => format!(" ended with {code}"),
        };
        let later = entry.tool().map_or("", |call| &call.later_output);
        let _ = write!(line, " [shell {}{end}: {}]", shell.shell_id, short(later));
    }
    if let Some(request) = entry.request() {
        match &request.stage {
            RequestStage::Waiting => line.push_str(" [waiting]"),
            RequestStage::Sending(answer) => {
                let _ = write!(line, " [sending {}]", request_outcome(answer));
            }
            RequestStage::Unsure(answer) => {
                let _ = write!(line, " [unsure: {}]", request_outcome(answer));
            }
            RequestStage::Taken(answer) => {
                let _ = write!(line, " [taken: {}]", request_outcome(answer));
            }
            RequestStage::Settled { ending, .. } => {
                let _ = write!(line, " [{}]", request_outcome(ending));
            }
            RequestStage::Stale { why, .. } => {
                let _ = write!(line, " [stale: {}]", request_gone(*why));
            }
        }
    }
    if let Some(remedy) = notice_remedy(entry) {
        let _ = write!(line, " [{remedy}]");
    }
    if let Body::User(message) = &entry.body
        && let Some(done) = message.work.and_then(|work| entry_words::work(&work, now))
    {
        let _ = write!(line, " [{done}]");
    }
    if entry.rewound {
        line.push_str(" (rewound)");
    }
    if !entry.ui_visible {
        line.push_str(" (not shown)");
    }
    line
}

fn notice_remedy(entry: &Entry) -> Option<Cow<'_, str>> {
    match &entry.body {
        Body::Notice(notice) => notice.remedy.as_ref().map(Phrase::words),
        _ => None,
    }
}

fn short(text: &str) -> String {
    const LENGTH: usize = 96;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cut: String = flat.chars().take(LENGTH).collect();
    if cut.len() < flat.len() {
        cut.push('…');
    }
    cut
}
