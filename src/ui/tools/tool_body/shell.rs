//! A shell call: the command and how it ended, its live output, and later output from the background.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;

use super::parts::{facts, pre};
use super::{CallContext, writing};
use crate::core::i18n::words::tools;
use crate::core::model::tool_call::{CallStage, ToolCall};
use crate::core::view_model::tool_details;
use crate::core::{Entry, State};
use crate::store::printing::is_printing;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::render_effect;
use crate::ui::tools::terminal::TerminalView;

/// The body of a shell's card.
pub(super) fn show(body: El, at: CallContext) -> El {
    let stage = |entry: &Entry, call: &ToolCall| {
        let background = call.background.as_ref().map(|shell| (shell.ended, shell.exit_code));
        let given = call.arguments.as_ref().map(|_| call.ended());
        given.map(|ended| format!("{ended}{background:?}{}", entry.state.word())).unwrap_or_default()
    };
    let body = at.stages(writing(body, at), stage, |_, call, state| head(call, state));
    body.child(terminal(at, tool_details::printed)).child(move || background_output(at))
}

/// The command if it has several lines, since the summary line can't show it, and facts about it.
fn head(call: &ToolCall, state: &State) -> Vec<El> {
    let mut shown = Vec::new();
    if let Some(input) = tool_details::command(call)
        && input.trim().contains('\n')
    {
        shown.push(pre(tools::COMMAND.text(), input));
    }
    let line = tool_details::shell_line(call);
    shown.extend((!line.is_empty()).then(|| el("p").class("hint").attr("dir", "auto").text(&line)));
    shown.extend(facts(tool_details::shell_facts(call, state.info.cwd.as_deref())));
    shown
}

/// What the shell printed later, in the background.
fn background_output(at: CallContext) -> Option<El> {
    let some = super::memo(move || at.call(|_, call| !call.later_output.is_empty()).unwrap_or(false));
    let label = div("label").text(tools::LATER.text());
    some.get().then(|| div("stack").child(label).child(terminal(at, |_, call| &call.later_output)))
}

fn terminal(at: CallContext, output: for<'a> fn(&'a Entry, &'a ToolCall) -> &'a str) -> El {
    let host = el("div");
    let element = host.element().clone();
    let shown = Rc::new(RefCell::new(TerminalView::new(&document(), &element)));
    let printed = shown.clone();
    let rewrites = Cell::new(0);
    render_effect(move || {
        at.row.text.track();
        let empty = at.call(|entry, call| {
            let text = output(entry, call);
            let mut shown = shown.borrow_mut();
            let rewritten = rewrites.replace(call.output_rewrites) != call.output_rewrites;
            // While it runs, output is appended, or its end is replaced.
            if matches!(call.stage, CallStage::Running) && !rewritten {
                shown.append(text);
            } else {
                shown.update(text);
            }
            text.is_empty()
        });
        // Fails for invalid names only.
        let _ = element.toggle_attribute_with_force("hidden", empty.unwrap_or(true));
    });
    // After the first output is there.
    render_effect(move || printed.borrow_mut().print(is_printing()));
    host
}
