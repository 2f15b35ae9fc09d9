//! Tool calls as HTML: a summary line, and in it the terminal, diff,
//! arguments, result and error in full length.

use std::fmt::Write as _;

use super::descriptions;
use super::page::Page;
use crate::i18n::words::cards;
use crate::model::entry::{Entry, EntryState};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::text::ansi;
use crate::text::ansi::Terminal;
use crate::text::diff::{Diff, DiffLine, LineEnd, LineKind, Note};
use crate::view_model::tool_details;
use crate::view_model::tool_summary;
use crate::view_model::tool_summary::ToolFamily;

/// A tool call; it is open if the page opens it by itself.
pub(super) fn card(page: &mut Page, state: &State, entry: &Entry, call: &ToolCall) {
    let sentence = descriptions::sentence(state, entry);
    let family = tool_summary::family(call);
    let what = &mut |page: &mut Page| {
        page.text(&sentence.before);
        match &sentence.object {
            Some(words) if sentence.plain => _ = page.exact(words),
            Some(object) => _ = page.open("code", &[]).exact(object).close("code"),
            None => {}
        }
        page.text(&sentence.after);
        if let Some(remark) = &sentence.remark {
            page.text(" ").element("span", &[("class", "quiet")], remark);
        }
        if let Some((added, removed)) = sentence.lines {
            page.text(" ").element("span", &[("class", "ins-n")], &format!("+{added}"));
            page.text(" ").element("span", &[("class", "del-n")], &format!("−{removed}"));
        }
    };
    let change = (family == ToolFamily::Edit).then(|| tool_details::change(call)).flatten();
    let open = entry.state == EntryState::Failed || (entry.state == EntryState::Done && change.is_some());
    super::fold(page, "card", open, what, &descriptions::end(entry));
    page.open("div", &[("class", "body")]);
    match change {
        _ if family == ToolFamily::Shell => {
            if let Some(command) = tool_details::command(call) {
                page.open("pre", &[("class", "box wrap"), ("dir", "auto")]).exact(command).close("pre");
            }
            terminal(page, &tool_details::terminal(entry));
        }
        Some(change) => diff(page, &change),
        None => {
            page.open("dl", &[("class", "args")]);
            for (name, value) in tool_details::arguments(call) {
                page.element("dt", &[], &name).open("dd", &[("dir", "auto")]).exact(&value).close("dd");
            }
            page.close("dl");
            let result = tool_details::result(entry);
            if ansi::for_terminal(&result) {
                terminal(page, &result);
            } else if !result.is_empty() {
                page.open("pre", &[("class", "box wrap"), ("dir", "auto")]).exact(&result).close("pre");
            }
        }
    }
    let failure = match &call.stage {
        CallStage::Failed(failure) => Some(("fail", failure)),
        CallStage::Denied(failure) => Some(("fail denied", failure)),
        _ => None,
    };
    if let Some((class, failure)) = failure {
        page.open("div", &[("class", class), ("dir", "auto")]);
        if let Some(code) = &failure.code {
            page.element("span", &[("class", "label")], code);
        }
        page.text(&ansi::plain(&failure.message)).close("div");
    }
    page.close("div").close("details");
}

fn terminal(page: &mut Page, text: &str) {
    if text.is_empty() {
        return;
    }
    let mut terminal = Terminal::new();
    terminal.write(text);
    page.open("pre", &[("class", "terminal"), ("dir", "ltr")]);
    if terminal.dropped() > 0 {
        page.text(&cards::EARLIER_NOT_KEPT.with(&[("n", terminal.dropped().into())])).text("\n");
    }
    for (number, line) in terminal.lines().iter().enumerate() {
        if number > 0 {
            page.text("\n");
        }
        for span in &line.spans {
            let (class, own) = span.style.css_classes();
            let style =
                own.iter().fold(String::new(), |style, (name, value)| style + name + ":" + value + ";");
            let address = terminal.address(&span.style);
            let rel = address.map(|_| "noopener noreferrer nofollow").unwrap_or_default();
            let attributes = [
                ("href", address.unwrap_or_default()),
                ("title", address.unwrap_or_default()),
                ("rel", rel),
                ("class", class.as_str()),
                ("style", style.as_str()),
            ];
            let attributes: Vec<_> = attributes.into_iter().filter(|(_, value)| !value.is_empty()).collect();
            match (attributes.is_empty(), address) {
                (true, _) => _ = page.printed(&span.text),
                (false, Some(_)) => _ = page.open("a", &attributes).printed(&span.text).close("a"),
                (false, None) => _ = page.open("span", &attributes).printed(&span.text).close("span"),
            }
        }
    }
    page.close("pre");
}

fn diff(page: &mut Page, change: &Diff) {
    page.open("div", &[("class", "changes")]);
    for file in &change.files {
        if let Some(path) = file.path() {
            page.open("header", &[("class", "d-file"), ("dir", "ltr")]).exact(path).close("header");
        }
        let notes = file.notes();
        let with_ends = notes.iter().any(|note| matches!(note, Note::ToLf | Note::ToCrLf));
        for note in notes {
            page.element("p", &[("class", "d-note"), ("dir", "auto")], &note.words());
        }
        for (number, hunk) in file.hunks.iter().enumerate() {
            if number > 0 || !hunk.heading.is_empty() {
                let heading = if hunk.heading.is_empty() { "⋯" } else { &hunk.heading };
                page.element("div", &[("class", "d-hunk")], heading);
            }
            for lines in hunk.lines.chunk_by(|a, b| a.kind == b.kind) {
                run(page, lines, with_ends);
            }
        }
    }
    page.close("div");
}

/// Lines of one kind. Their numbers are an attribute, as on the page,
/// so that they are not copied with the text.
fn run(page: &mut Page, lines: &[DiffLine], with_ends: bool) {
    let kind = lines.first().map_or(LineKind::Context, |line| line.kind);
    let (tag, sign) = match kind {
        LineKind::Added => ("ins", "+"),
        LineKind::Removed => ("del", "−"),
        LineKind::Context => ("span", " "),
    };
    let mut numbers = String::new();
    for line in lines {
        let number = if kind == LineKind::Removed { line.old } else { line.new };
        let _ = writeln!(numbers, "{}", number.map(|number| number.to_string()).unwrap_or_default());
    }
    page.open(tag, &[("class", "d-run"), ("dir", "ltr"), ("data-numbers", &numbers)]);
    for line in lines {
        page.text(sign).exact(&line.text);
        if with_ends && line.end == LineEnd::CrLf {
            page.token("CRLF");
        }
        page.text("\n");
    }
    page.close(tag);
}
