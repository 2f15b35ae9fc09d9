//! What a search found: files, and the hits in them with their lines.

use leptos::prelude::*;

use super::parts::text_output;
use crate::core::i18n::format::relative;
use crate::core::i18n::words::tools;
use crate::core::model::tool_call::{Outcome, ToolCall};
use crate::core::view_model::search_hits::{FileHits, is_no_match, parse_hits};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::long_text::{LONG_LINE, beginning};

/// Files that are shown at first; as many more on request.
const FILES: usize = 60;
/// Hits of one file that are shown.
const HITS: usize = 100;

/// The body of a search.
pub(super) fn show(call: &ToolCall, outcome: &Outcome, content: &str, cwd: Option<&str>) -> El {
    let text = outcome.detailed.as_deref().unwrap_or(content);
    if is_no_match(text) {
        return el("p").class("hint").text(if text.trim().is_empty() {
            tools::NOTHING_FOUND_HERE.text()
        } else {
            text.trim()
        });
    }
    let Some(files) = parse_hits(call, text) else {
        return text_output(tools::RESULT.text(), text);
    };
    let cwd = cwd.map(str::to_owned);
    let files = std::rc::Rc::new(files);
    page(&files, 0, cwd)
}

fn page(files: &std::rc::Rc<Vec<FileHits>>, from: usize, cwd: Option<String>) -> El {
    let shown =
        files.iter().skip(from).take(FILES).map(|file| self::file(file, cwd.as_deref())).collect::<Vec<_>>();
    let list = el("ul").class("found").child(shown);
    let rest = files.len().saturating_sub(from + FILES);
    if rest == 0 {
        return list;
    }
    let (asked, files) = (RwSignal::new(false), files.clone());
    div("").child(list).child(move || {
        Some(if asked.get() {
            page(&files, from + FILES, cwd.clone())
        } else {
            let button =
                el("button").class("d-more").attr("type", "button").on("click", move |_| asked.set(true));
            button.text(tools::MORE_FILES.with(&[("n", rest.into())]))
        })
    })
}

fn file(file: &FileHits, cwd: Option<&str>) -> El {
    let count = file.count();
    let path = exact(el("code").attr("title", &file.path), &relative(&file.path, cwd));
    let line = div("f-path").child(path);
    let line = if count > 0 { line.child(el("span").class("quiet").text(count.to_string())) } else { line };
    let line = el("li").child(line);
    if file.hits.is_empty() {
        return line;
    }
    let (mut numbers, mut text) = (String::new(), String::new());
    for hit in file.hits.iter().take(HITS) {
        numbers.push_str(&hit.number.map(|number| number.to_string()).unwrap_or_default());
        numbers.push('\n');
        match beginning(&hit.text, LONG_LINE, 1) {
            Some(short) => text.extend([short, "…"]),
            None => text.push_str(&hit.text),
        }
        text.push('\n');
    }
    let rest = file.hits.len().saturating_sub(HITS);
    let run = el("span").class("d-run").attr("dir", "ltr");
    let known = numbers.contains(|ch: char| ch.is_ascii_digit());
    let run = if known { run.attr("data-numbers", numbers.trim_end_matches('\n')) } else { run };
    let label = tools::HITS_IN.with(&[("path", (&file.path).into())]);
    let hits = div("changes")
        .attr("translate", "no")
        .attr("tabindex", "0")
        .attr("role", "group")
        .attr("aria-label", &label);
    let more = (rest > 0).then(|| el("p").class("hint").text(tools::MORE_HITS.with(&[("n", rest.into())])));
    line.child(hits.child(run.child(exact(el("span"), &text)))).child(more)
}
