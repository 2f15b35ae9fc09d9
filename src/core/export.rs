//! Exports a session as a document: Markdown, or one self-contained HTML file. The caller saves it.

mod descriptions;
mod html;
mod markdown;

use crate::i18n::format::without_marks;
use crate::i18n::words::export;
use crate::json_writer;
use crate::model::entry::{Body, Entry};
use crate::model::state::State;
use crate::model::tool_call::CallStage;
use crate::text::ansi;
use crate::view_model::entry_words::text;
use crate::view_model::search;
use crate::view_model::search::Class;
use crate::view_model::tool_summary;
use crate::view_model::tool_summary::ToolFamily;
use crate::view_model::{snapshot, tool_details};
use crate::wire::time;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown, to be used in other documents and by tools.
    Markdown,
    /// One HTML file without scripts and without references to other files.
    Html,
}

impl Format {
    /// The file name extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
        }
    }

    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown;charset=utf-8",
            Self::Html => "text/html;charset=utf-8",
        }
    }
}

/// The whole session as a document.
pub fn document(state: &State, format: Format) -> String {
    match format {
        Format::Markdown => markdown::document(state),
        Format::Html => html::document(state),
    }
}

/// A name for the file: `the-title-2026-11-21.md`.
pub fn file_name(state: &State, extension: &str) -> String {
    const LENGTH: usize = 48;
    let mut name = String::new();
    for letter in title(state).chars() {
        if name.len() >= LENGTH {
            break;
        }
        if letter.is_alphanumeric() {
            name.extend(letter.to_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_end_matches('-');
    let day = state.info.last_event_at.map(|at| time::iso(at).chars().take(10).collect::<String>());
    let parts = [Some(name.to_owned()).filter(|name| !name.is_empty()), day].into_iter().flatten();
    let stem = parts.collect::<Vec<_>>().join("-");
    format!("{}.{extension}", if stem.is_empty() { "session" } else { &stem })
}

/// The text that copying an entry gives: Markdown source, or a tool's result without colour codes.
pub fn copied(entry: &Entry) -> String {
    match &entry.body {
        Body::Tool(call) => match &call.stage {
            CallStage::Failed(failure) | CallStage::Denied(failure) => {
                ansi::plain(&failure.message).into_owned()
            }
            _ if tool_summary::family(call) == ToolFamily::Shell => {
                ansi::printed_text(&tool_details::terminal(entry))
            }
            _ => ansi::plain(&tool_details::result(entry)).into_owned(),
        },
        Body::Notice(notice) => match &notice.detail {
            Some(detail) => format!("{}\n\n{}", text(entry), detail.words()),
            None => text(entry).into_owned(),
        },
        Body::Custom(custom) => json_writer::pretty(&custom.data),
        Body::Facts { facts, .. } => json_writer::pretty(facts),
        Body::Subagent(agent) => format!("{}: {}", agent.display_name, agent.description),
        _ => text(entry).into_owned(),
    }
}

/// The session's title, or the word for a session.
fn title(state: &State) -> String {
    snapshot::title(state).map_or_else(|| export::SESSION.text().to_owned(), |title| without_marks(&title))
}

/// Names and values for the head of a document; empty values are left out.
fn facts(state: &State) -> Vec<(&'static str, String)> {
    let info = &state.info;
    let shown = || state.entries.iter().filter(|entry| entry.ui_visible);
    let at = |at: i64| time::iso(at).replace('T', " ").replace('Z', " UTC");
    let begun = shown().find_map(|entry| entry.at);
    let errors = shown().filter(|entry| search::classes(entry).has(Class::Error)).count();
    let tools = shown().filter(|entry| entry.tool().is_some()).count();
    let facts = [
        (export::SESSION, info.id.clone()),
        (export::BEGUN, begun.map(at)),
        (export::LAST_EVENT, info.last_event_at.map(at)),
        (export::MODEL, info.model.clone()),
        (export::MODE, info.mode.clone()),
        (export::DIRECTORY, info.cwd.clone()),
        (export::REPOSITORY, info.repository.clone()),
        (export::BRANCH, info.branch.clone()),
        (export::TOOL_CALLS, (tools > 0).then(|| tools.to_string())),
        (export::ERRORS, (errors > 0).then(|| errors.to_string())),
        (export::STATUS, Some(export::STATUS_IS.with(&[("status", state.status().into())]))),
    ];
    facts
        .into_iter()
        .filter_map(|(name, value)| Some((name.text(), value.filter(|value| !value.is_empty())?)))
        .collect()
}

#[cfg(test)]
mod tests;
