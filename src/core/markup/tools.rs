//! Tool calls: a line that opens, and in it the terminal, the diff, arguments and why it failed.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::element::{El, div, el, exact, glyph, printed, token};
use super::fold::{Fold, pieces};
use super::prose::prose;
use crate::i18n::words::{cards, tools};
use crate::json_writer::one_line;
use crate::model::entry::{Entry, EntryState};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::text::ansi::{self, Terminal};
use crate::text::diff::{Diff, DiffLine, LineEnd, LineKind, changed_words};
use crate::view_model::diff_parts::{DiffPart, FOLD, parts};
use crate::view_model::summary_line;
use crate::view_model::tool_summary::{self, ToolFamily};
use crate::view_model::{search_hits, tool_details};

/// Lines at the end of a terminal's output that are shown, in groups of [`GROUP`].
const TAIL: usize = 4 * GROUP;
const GROUP: usize = 64;
/// Bytes of a fact that are shown, and of a line that is longer than any screen.
const LONG: usize = 2_000;

/// A tool call; `whole` if all of it is shown, also what is folded and what the page shows on request.
pub fn card(state: &State, index: usize, entry: &Entry, call: &ToolCall, whole: bool) -> El {
    let family = tool_summary::family(call);
    let cwd = state.info.cwd.as_deref();
    let edit = (family == ToolFamily::Edit).then(|| tool_details::edit(call)).flatten();
    // A call that is being written says what is known of it.
    let written =
        matches!(call.stage, CallStage::Writing).then(|| tool_details::partial_call(call)).flatten();
    let mut sentence = tool_summary::sentence(written.as_ref().unwrap_or(call), cwd, edit);
    if family == ToolFamily::Search {
        sentence.remark = search_hits::found(entry);
    }
    let what = pieces(el("span").class("what"), summary_line::tool(sentence));
    let end = pieces(el("span").class("end"), summary_line::tool_end(entry));
    let open = summary_line::tool_opens(entry, family);
    let fold = Fold { open, ..Fold::new("card", summary_line::tool_icon(family)) };
    fold.of(what, end, whole, || body(state, index, entry, call, whole))
}

fn body(state: &State, index: usize, entry: &Entry, call: &ToolCall, whole: bool) -> El {
    let family = tool_summary::family(call);
    let body = match family {
        ToolFamily::Shell => shell(div("body"), state, entry, call, whole),
        ToolFamily::Edit => match tool_details::whole_edit(state, index) {
            Some(diff) => {
                let path = tool_details::edit_title(call, &diff, state.info.cwd.as_deref());
                let undone = matches!(call.stage, CallStage::Failed(_) | CallStage::Denied(_));
                let undone = undone.then(|| el("span").class("label").text(tools::NOT_APPLIED.text()));
                let path = exact(el("span").class("d-path").attr("dir", "ltr"), &path);
                let head = div("d-head").child(undone).child(path);
                div("body").child(diff_box(head, &diff, whole))
            }
            None => div("body").child(arguments(call.arguments.as_deref(), &[], whole)),
        },
        _ => {
            let value = call.arguments.as_deref();
            let arguments = value.map(|value| argument_views(call, value, state, whole));
            div("body").child(arguments.unwrap_or_default()).child(whole.then(|| result(entry)).flatten())
        }
    };
    body.child(failure(state, index, entry, call, whole))
}

/// What a call returned, for a document. The page arranges it for each kind of tool, and never opens it by itself.
fn result(entry: &Entry) -> Option<El> {
    let result = tool_details::result(entry);
    if ansi::for_terminal(&result) {
        return Some(terminal(&result, true));
    }
    (!result.is_empty()).then(|| boxed(tools::RESULT.text(), &result, true))
}

/// Why the call failed or was denied.
fn failure(state: &State, index: usize, entry: &Entry, call: &ToolCall, whole: bool) -> Option<El> {
    let (CallStage::Failed(failure) | CallStage::Denied(failure)) = &call.stage else { return None };
    let denied = entry.state == EntryState::Denied;
    let class = if entry.state == EntryState::Failed { "fail" } else { "fail denied" };
    let asked = || tool_details::permission_of(state, index, &entry.id);
    let who = denied.then(asked).flatten().and_then(tool_details::who_denied);
    let code = failure.code.as_ref().map(|code| el("code").text(code));
    let exit =
        failure.exit_code.map(|code| el("span").text(tools::WITH_EXIT_CODE.with(&[("code", code.into())])));
    let label = div("label").child(code).child(who.map(|who| el("span").text(who.text()))).child(exit);
    let message =
        (!failure.message.is_empty()).then(|| long_words("fail-m", &ansi::plain(&failure.message), whole));
    let what_to_do = tool_details::remedy(failure).map(|words| el("p").text(words.text()));
    Some(div(class).attr("dir", "auto").child(label).child(message).child(what_to_do))
}

fn shell(body: El, state: &State, entry: &Entry, call: &ToolCall, whole: bool) -> El {
    let mut body = body;
    if let Some(input) = tool_details::command(call)
        && (whole || input.trim().contains('\n'))
    {
        body = body.child(boxed(tools::COMMAND.text(), input, whole));
    }
    let line = tool_details::shell_line(call);
    body = body.child((!line.is_empty()).then(|| el("p").class("hint").attr("dir", "auto").text(&line)));
    body = body.child(facts(tool_details::shell_facts(call, state.info.cwd.as_deref()), whole));
    body = body.child(terminal(tool_details::printed(entry, call), whole));
    let later = || {
        div("stack").child(div("label").text(tools::LATER.text())).child(terminal(&call.later_output, whole))
    };
    body.child((!call.later_output.is_empty()).then(later))
}

/// Terminal output; the end of it unless it is to be whole.
fn terminal(text: &str, whole: bool) -> El {
    let mut terminal = Terminal::new();
    terminal.write(text);
    let lines = terminal.lines();
    let all = terminal.dropped() + lines.len();
    let first = if whole { 0 } else { all.saturating_sub(TAIL).next_multiple_of(GROUP) };
    let first = first.max(terminal.dropped());
    let earlier = first - terminal.dropped();
    let words = match (earlier, terminal.dropped()) {
        (0, 0) => None,
        (0, gone) => Some(cards::EARLIER_NOT_KEPT.with(&[("n", gone.into())])),
        (next, 0) => Some(cards::SHOW_EARLIER.with(&[("n", next.into())])),
        (next, gone) => Some(cards::SHOW_EARLIER_KEPT.with(&[("n", next.into()), ("gone", gone.into())])),
    };
    let button = el("button").attr("type", "button").class("t-earlier").attr("hidden", words.is_none());
    let button = button.attr("disabled", true).text(words.unwrap_or_default());
    let mut screen = el("pre").class("terminal").attr("dir", "ltr").attr("translate", "no");
    for (number, line) in lines.iter().skip(earlier).enumerate() {
        if number > 0 {
            screen = screen.text("\n");
        }
        for span in &line.spans {
            if span.style.is_plain() {
                screen = printed(screen, &span.text);
                continue;
            }
            let (class, own) = span.style.css_classes();
            let address = terminal.address(&span.style);
            let class = Some(class).filter(|class| !class.is_empty());
            let run = el(if address.is_some() { "a" } else { "span" }).attr("class", class);
            let run = match address {
                Some(address) => run
                    .attr("href", address)
                    .attr("title", address)
                    .attr("target", "_blank")
                    .attr("rel", "noopener noreferrer nofollow"),
                None => run,
            };
            let run = own.iter().fold(run, |run, (name, value)| match name.as_str() {
                "--_t-fg" => run.property("--_t-fg", value),
                _ => run.property("--_t-bg", value),
            });
            screen = screen.child(printed(run, &span.text));
        }
    }
    let scroller = div("t-scroll").attr("tabindex", "0").attr("role", "group");
    let scroller = scroller.attr("aria-label", tools::OUTPUT.text()).child(screen);
    el("div").attr("hidden", text.is_empty()).child(button).child(scroller)
}

/// A diff under its head; `whole` if it is to be approved.
pub fn diff_box(head: El, diff: &Diff, whole: bool) -> El {
    let (added, removed) = diff.counts();
    let switch = quiet_button().class("quiet-btn d-switch").attr("aria-pressed", "false");
    let copied = cards::WHAT_IS_COPIED.with(&[("what", cards::THE_DIFF.text().into())]);
    let copy =
        quiet_button().attr("title", cards::THE_DIFF.text()).child(el("span").text(cards::COPY.text()));
    let head = head
        .child(el("span").class("ins-n").text(format!("+{added}")))
        .child(el("span").class("del-n").text(format!("−{removed}")))
        .child(switch.text(tools::SIDE_BY_SIDE.text()))
        .child(copy.child(el("span").class("sr").text(copied)));
    let lines = div("changes").attr("translate", "no").attr("tabindex", "0").attr("role", "group");
    div("diffbox").child(head).child(changes(lines.attr("aria-label", tools::CHANGES.text()), diff, whole))
}

fn quiet_button() -> El {
    el("button").class("quiet-btn").attr("type", "button").attr("disabled", true)
}

fn changes(mut host: El, diff: &Diff, whole: bool) -> El {
    let parts = parts(diff);
    let (mut shown, mut left) = (0, 0);
    for part in &parts {
        if shown >= FOLD && !whole {
            left += part.lines();
            continue;
        }
        shown += part.lines();
        host = match part {
            DiffPart::File { path, added, removed } => {
                let counts =
                    if added + removed > 0 { format!(" +{added} −{removed}") } else { String::new() };
                host.child(exact(el("header").class("d-file"), &format!("{path}{counts}")))
            }
            DiffPart::Note(words) => host.child(exact(el("p").class("d-note").attr("dir", "auto"), words)),
            DiffPart::Hunk(heading) => {
                let heading = if heading.is_empty() { "⋯" } else { heading };
                host.child(exact(div("d-hunk"), heading))
            }
            DiffPart::Same(lines) => host.child(runs(LineKind::Context, lines, &[], false, whole)),
            DiffPart::Changed { removed, added, with_ends } => {
                let pairs = removed.iter().zip(added).map(|(old, new)| changed_words(&old.text, &new.text));
                let (gone, come): (Vec<_>, Vec<_>) =
                    pairs.map(|pair| pair.unwrap_or_default().into()).unzip();
                host.child(runs(LineKind::Removed, removed, &gone, *with_ends, whole)).child(runs(
                    LineKind::Added,
                    added,
                    &come,
                    *with_ends,
                    whole,
                ))
            }
        };
    }
    let more = || el("button").class("d-more").attr("type", "button").attr("disabled", true);
    host.child((left > 0).then(|| more().text(cards::MORE_LINES.with(&[("n", left.into())]))))
}

/// Lines of one kind. A long one is a run of its own, as its wrapped text has no place for other numbers.
fn runs(kind: LineKind, lines: &[DiffLine], marks: &[Vec<Range<usize>>], ends: bool, whole: bool) -> Vec<El> {
    let is_long = |line: &DiffLine| line.text.len() > LONG;
    let (mut from, mut all) = (0, Vec::new());
    for lines in lines.chunk_by(|one, next| !whole && !is_long(one) && !is_long(next)) {
        let long = lines.iter().any(is_long);
        let run = el(match kind {
            LineKind::Added => "ins",
            LineKind::Removed => "del",
            LineKind::Context => "span",
        });
        let (mut numbers, mut known, mut inside) = (String::new(), false, el("span"));
        for (index, line) in lines.iter().enumerate() {
            let number = if kind == LineKind::Removed { line.old } else { line.new };
            known |= number.is_some();
            let _ = writeln!(numbers, "{}", number.map(|number| number.to_string()).unwrap_or_default());
            inside =
                line_of(inside, kind, line, marks.get(from + index).map_or(&[], Vec::as_slice), ends, whole);
            if line.end == LineEnd::Missing {
                inside = inside.text("\\ No newline at end of file\n");
                numbers.push('\n');
            }
        }
        let run = run.class(if long { "d-run long-line" } else { "d-run" }).attr("dir", "ltr");
        all.push(run.attr("data-numbers", known.then_some(numbers)).child(inside));
        from += lines.len();
    }
    all
}

fn line_of(host: El, kind: LineKind, line: &DiffLine, marks: &[Range<usize>], ends: bool, whole: bool) -> El {
    let mut host = host.text(match kind {
        LineKind::Added => "+",
        LineKind::Removed => "−",
        LineKind::Context => " ",
    });
    if line.text.len() > LONG && !whole {
        return exact(host, beginning(&line.text, LONG)).text("…\n");
    }
    let mut at = 0;
    for mark in marks {
        host = exact(host, line.text.get(at..mark.start).unwrap_or_default());
        host = host.child(exact(el("mark"), line.text.get(mark.clone()).unwrap_or_default()));
        at = mark.end;
    }
    host = exact(host, line.text.get(at..).unwrap_or_default());
    if ends && line.end == LineEnd::CrLf {
        host = host.child(token("CRLF"));
    }
    host.text("\n")
}

/// At most so many bytes of a text.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// A text of any length; a long one is cut.
fn long_words(class: &str, text: &str, whole: bool) -> El {
    let host = if class.is_empty() { el("span") } else { el("span").class(class) };
    let cut = if whole { text } else { beginning(text, LONG) };
    let host = exact(host, cut);
    if cut.len() < text.len() { host.text("…") } else { host }
}

/// An exact text in a box.
fn boxed(name: &str, text: &str, whole: bool) -> El {
    let host = el("pre").class("box wrap").attr("tabindex", "0").attr("translate", "no");
    let text = if whole { text } else { beginning(text, 64 * 1024) };
    exact(host.attr("aria-label", name).attr("dir", "auto"), text)
}

/// Names and values, without empty values; `None` if there are none.
fn facts(facts: Vec<(&str, String)>, whole: bool) -> Option<El> {
    let facts: Vec<El> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .flat_map(|(name, value)| {
            [el("dt").text(name), el("dd").attr("dir", "auto").child(long_words("", &value, whole))]
        })
        .collect();
    (!facts.is_empty()).then(|| el("dl").class("args").child(facts))
}

/// The arguments except those that are shown elsewhere.
fn arguments(value: Option<&Value>, elsewhere: &[&str], whole: bool) -> Option<El> {
    let spell = |value: &Value| value.as_str().map_or_else(|| one_line(value), str::to_owned);
    match value? {
        Value::Null => None,
        Value::String(text) => Some(boxed(tools::ARGUMENTS.text(), text, whole)),
        Value::Object(members) => {
            let rest = members.iter().filter(|(name, _)| !elsewhere.contains(&name.as_str()));
            facts(rest.map(|(name, value)| (name.as_str(), spell(value))).collect(), whole)
        }
        other => Some(boxed(tools::ARGUMENTS.text(), &one_line(other), whole)),
    }
}

fn argument_views(call: &ToolCall, value: &Value, state: &State, whole: bool) -> Vec<El> {
    let rest = |elsewhere: &[&str]| arguments(Some(value), elsewhere, whole).into_iter().collect::<Vec<_>>();
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
    match tool_summary::family(call) {
        ToolFamily::Read => rest(&["path", "view_range", "filePath", "file_path"]),
        ToolFamily::Search => {
            let cwd = state.info.cwd.as_deref().unwrap_or_default();
            let here = |name: &str| text(name).trim_end_matches('/') == cwd;
            let [path, paths] = ["path", "paths"].map(|name| if here(name) { name } else { "" });
            rest(&["pattern", "output_mode", "-n", "query", path, paths])
        }
        ToolFamily::Web => {
            let address = text("url");
            let icon = glyph(crate::view_model::icon::Icon::Globe);
            let line = || el("p").class("note").child(icon).child(exact(el("code"), address));
            (!address.is_empty()).then(line).into_iter().chain(rest(&["url", "query"])).collect()
        }
        ToolFamily::Memory => rest(&["fact"]),
        ToolFamily::Skill => rest(&["skill", "name"]),
        ToolFamily::Other => {
            let about = call.about.description.as_deref().filter(|text| !text.trim().is_empty()).map(prose);
            about.into_iter().chain(rest(&[])).collect()
        }
        _ => rest(&[]),
    }
}
