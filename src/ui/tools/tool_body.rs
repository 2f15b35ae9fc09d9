//! The body of an open tool card: arguments, output while it runs, result and error, by the kind of tool.

mod arguments;
mod blocks;
mod edit;
mod excerpt;
mod media;
mod parts;
mod result;
mod search_hits;
mod shell;

use std::fmt::Write as _;

use leptos::prelude::*;

use super::tool_summary::ToolFamily;
use crate::core::i18n::words::tools;
use crate::core::json_writer::one_line;
use crate::core::model::tool_call::{CallStage, ToolCall};
use crate::core::text::ansi;
use crate::core::text::partial_json;
use crate::core::view_model::tool_details;
use crate::core::{Entry, EntryState, State};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;
use crate::ui::lazy;

pub use edit::whole_diff;

/// Bytes at the end of unfinished arguments that are shown.
const TAIL: usize = 4 * 1024;
/// Bytes at the end of a running call's output that are shown; its result has all of it.
const LIVE: usize = 16 * 1024;

/// The call whose body is shown.
#[derive(Clone, Copy)]
pub struct CallContext {
    store: Store,
    index: usize,
    row: RowSignals,
}

impl CallContext {
    /// Reads the call. Subscribes to its changes.
    fn call<R>(self, read: impl FnOnce(&Entry, &ToolCall) -> R) -> Option<R> {
        self.row.head.track();
        self.store.entry(self.index, |entry| Some(read(entry, entry.tool()?))).flatten()
    }

    /// Adds a part that is rebuilt only when `stage` returns another text, so that what a reader opened in it
    /// stays open. An empty text means that there is nothing to show.
    fn stages(
        self,
        body: El,
        stage: impl Fn(&Entry, &ToolCall) -> String + Send + Sync + 'static,
        build: impl Fn(&Entry, &ToolCall, &State) -> Vec<El> + 'static,
    ) -> El {
        let stage = memo(move || self.call(&stage).unwrap_or_default());
        body.child(move || {
            if stage.with(String::is_empty) {
                return Vec::new();
            }
            let read = |state: &State| {
                let entry = state.entry(self.index)?;
                Some(build(entry, entry.tool()?, state))
            };
            self.store.read(read).flatten().unwrap_or_default()
        })
    }
}

/// The body of a tool card.
pub fn tool_body(store: Store, index: usize, row: RowSignals, family: ToolFamily) -> El {
    let at = CallContext { store, index, row };
    let body = match family {
        ToolFamily::Shell => shell::show(div("body"), at),
        ToolFamily::Edit => match lazy::DIFFS.ready() {
            Ok(diffs) => untrack(|| (diffs.edit_body)(div("body"), store, index, row)),
            Err(coming) => div("body").child(coming.view()),
        },
        _ => {
            let body = arguments::show(writing(div("body"), at), at, family);
            result::show(live(body, at), at, family)
        }
    };
    failure(body, at)
}

/// The body of an edit's card.
pub fn edit_body(body: El, store: Store, index: usize, row: RowSignals) -> El {
    edit::show(body, CallContext { store, index, row })
}

/// Why the call failed or was denied.
fn failure(body: El, at: CallContext) -> El {
    let stage = |entry: &Entry, call: &ToolCall| match &call.stage {
        CallStage::Failed(_) | CallStage::Denied(_) => format!("{}{}", entry.state.word(), entry.text.len()),
        _ => String::new(),
    };
    at.stages(body, stage, move |entry, call, state| {
        let (CallStage::Failed(failure) | CallStage::Denied(failure)) = &call.stage else {
            return Vec::new();
        };
        let denied = entry.state == EntryState::Denied;
        let class = if entry.state == EntryState::Failed { "fail" } else { "fail denied" };
        let who = denied
            .then(|| {
                tool_details::permission_of(state, at.index, &entry.id).and_then(tool_details::who_denied)
            })
            .flatten();
        let code = failure.code.as_ref().map(|code| el("code").text(code));
        let exit = failure
            .exit_code
            .map(|code| el("span").text(tools::WITH_EXIT_CODE.with(&[("code", code.into())])));
        let label = div("label").child(code).child(who.map(|who| el("span").text(who.text()))).child(exit);
        let message = (!failure.message.is_empty())
            .then(|| parts::long_words("fail-m", &ansi::plain(&failure.message)));
        let what_to_do = tool_details::remedy(failure).map(|words| el("p").text(words.text()));
        vec![div(class).attr("dir", "auto").child(label).child(message).child(what_to_do)]
    })
}

/// The end of the arguments, while the model writes them.
fn writing(body: El, at: CallContext) -> El {
    let text = memo(move || at.call(|_, call| written_text(call)).unwrap_or_default());
    let some = memo(move || !text.with(String::is_empty));
    body.child(move || {
        let shown = el("pre")
            .class("box wrap")
            .attr("tabindex", "0")
            .attr("translate", "no")
            .attr("aria-label", tools::ARGUMENTS_SO_FAR.text());
        some.get().then(|| shown.attr("dir", "auto").text(move || text.get()))
    })
}

fn written_text(call: &ToolCall) -> String {
    if !matches!(call.stage, CallStage::Writing) || call.written.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    match partial_json::read(&call.written) {
        Some(serde_json::Value::Object(members)) => {
            for (name, value) in &members {
                let value = value.as_str().map_or_else(|| one_line(value), str::to_owned);
                let gap = if value.contains('\n') { "\n" } else { " " };
                // Writing to a `String` does not fail.
                let _ = writeln!(text, "{name}:{gap}{value}");
            }
        }
        Some(other) => text = one_line(&other),
        None => text.clone_from(&call.written),
    }
    text_tail(&text, TAIL).map(|end| format!("…{end}")).unwrap_or(text)
}

/// The last bytes of a text; `None` if that is all of it.
fn text_tail(text: &str, bytes: usize) -> Option<&str> {
    let mut from = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).filter(|_| from > 0)
}

/// Progress and output of a call that is running, or was interrupted.
fn live(body: El, at: CallContext) -> El {
    let output = |entry: &Entry, call: &ToolCall| {
        let unfinished = matches!(entry.state, EntryState::Running | EntryState::Interrupted);
        let progress = call.progress.clone().filter(|_| unfinished).unwrap_or_default();
        let output = if unfinished { call.output.as_str() } else { "" };
        let gap = if progress.is_empty() || output.is_empty() { "" } else { "\n" };
        // Starts at the beginning of a line.
        let end = text_tail(output, LIVE).map(|end| end.split_once('\n').map_or(end, |(_, lines)| lines));
        let (cut, output) = end.map_or(("", output), |end| ("…\n", end));
        format!("{cut}{}{gap}{progress}", ansi::plain(output))
    };
    let text = memo(move || at.call(output).unwrap_or_default());
    let some = memo(move || !text.with(String::is_empty));
    body.child(move || {
        let shown = el("pre").class("box wrap").attr("tabindex", "0").attr("translate", "no");
        let shown = shown.attr("aria-label", tools::OUTPUT_SO_FAR.text());
        some.get().then(|| shown.attr("dir", "auto").text(move || text.get()))
    })
}
