//! An excerpt of a file, with line numbers where they are known.

use leptos::prelude::*;

use crate::core::i18n::words::{cards, tools};
use crate::core::model::tool_call::{Outcome, ToolCall};
use crate::core::text::diff;
use crate::core::text::diff::LineKind;
use crate::core::view_model::diff_parts::FOLD;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::long_text::{LONG_LINE, long_text};

/// Numbered lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The number of the first line; `None` if it is not known.
    first: Option<u32>,
    lines: Vec<String>,
}

/// What a read call returned. The runtime sends it as a diff without changes; histories have only the text.
pub(super) fn excerpt(call: &ToolCall, outcome: &Outcome, content: &str) -> Excerpt {
    if let Some(detailed) = &outcome.detailed
        && let [file] = diff::parse(detailed).files.as_slice()
        && let [hunk] = file.hunks.as_slice()
        && hunk.lines.iter().all(|line| line.kind == LineKind::Context)
    {
        let first = hunk.lines.first().and_then(|line| line.new);
        let mut lines: Vec<String> = hunk.lines.iter().map(|line| line.text.clone()).collect();
        // The empty text after the last line end is not a line.
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        return Excerpt { first, lines };
    }
    let lines: Vec<&str> = content.lines().collect();
    if let Some(numbered) = numbered(&lines) {
        return numbered;
    }
    let range = call.arguments.as_ref().and_then(|arguments| arguments.get("view_range")?.get(0)?.as_u64());
    let first = range.and_then(|first| u32::try_from(first).ok());
    // A list of files has no line numbers.
    let list = !lines.is_empty() && lines.iter().all(|line| line.starts_with(['/', '.']));
    let first = if list { None } else { first.or(Some(1)) };
    Excerpt { first, lines: lines.into_iter().map(str::to_owned).collect() }
}

/// Lines that already have their numbers: `12. let x`, `12: let x`, `12→let x`, `12\tlet x`.
fn numbered(lines: &[&str]) -> Option<Excerpt> {
    let split = |line: &str| {
        let line = line.trim_start();
        let digits = line.find(|ch: char| !ch.is_ascii_digit()).filter(|end| *end > 0)?;
        let (number, rest) = line.split_at_checked(digits)?;
        let rest = rest.strip_prefix(['.', ':', '→', '\t', '|'])?;
        Some((number.parse::<u32>().ok()?, rest.strip_prefix(' ').unwrap_or(rest).to_owned()))
    };
    let parts = lines.iter().map(|line| split(line)).collect::<Option<Vec<_>>>()?;
    let (first, _) = parts.first()?;
    let first = *first;
    let follow = parts.iter().zip(first..).all(|((number, _), expected)| *number == expected);
    (follow && parts.len() > 1)
        .then(|| Excerpt { first: Some(first), lines: parts.into_iter().map(|(_, text)| text).collect() })
}

impl Excerpt {
    /// The lines in a box, `FOLD` of them at first.
    pub(super) fn show(self) -> El {
        let host = div("changes")
            .attr("translate", "no")
            .attr("tabindex", "0")
            .attr("role", "group")
            .attr("aria-label", tools::EXCERPT.text());
        page(host, self.first, self.lines, FOLD)
    }
}

/// Adds lines, at most `room` of them until more are asked for.
fn page(host: El, first: Option<u32>, mut lines: Vec<String>, room: usize) -> El {
    if lines.is_empty() {
        return host;
    }
    if room == 0 {
        let asked = RwSignal::new(false);
        return host.child(move || {
            Some(if asked.get() {
                page(div(""), first, lines.clone(), FOLD)
            } else {
                let button =
                    el("button").class("d-more").attr("type", "button").on("click", move |_| asked.set(true));
                button.text(cards::MORE_LINES.with(&[("n", lines.len().into())]))
            })
        });
    }
    // A line that is longer than any screen stands for itself, wrapped, its beginning at first.
    let short = lines.iter().take(room).take_while(|line| line.len() <= LONG_LINE).count();
    let rest = lines.split_off(lines.len().min(short.max(1)));
    let run = el("span").class(if short == 0 { "d-run long-line" } else { "d-run" }).attr("dir", "ltr");
    let run = match first {
        Some(first) => {
            let numbers: Vec<String> = (first..).take(lines.len()).map(|number| number.to_string()).collect();
            run.attr("data-numbers", numbers.join("\n"))
        }
        None => run,
    };
    let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
    // One element around everything, so that a name of a hidden character is not a cell of the grid.
    let inside = if short == 0 {
        long_text(el("span"), &text, LONG_LINE, usize::MAX)
    } else {
        exact(el("span"), &text)
    };
    let shown = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let next = first.and_then(|first| first.checked_add(shown));
    page(host.child(run.child(inside)), next, rest, room - lines.len().min(room))
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;
    use crate::core::model::tool_call::CallStage;

    #[wasm_bindgen_test]
    fn numbers_come_from_the_diff_the_lines_or_the_range() {
        let mut call = ToolCall::new("view".to_owned(), CallStage::Running);
        let diff =
            "\ndiff --git a/w/f b/w/f\nindex 0..0 100644\n--- a/w/f\n+++ b/w/f\n@@ -8,3 +8,3 @@\n a\n b\n \n";
        let outcome = Outcome { detailed: Some(diff.into()), ..Outcome::default() };
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(excerpt(&call, &outcome, "a\nb\n"), Excerpt { first: Some(8), lines: lines(&["a", "b"]) });
        let bare = Outcome::default();
        assert_eq!(excerpt(&call, &bare, "a\nb\n"), Excerpt { first: Some(1), lines: lines(&["a", "b"]) });
        assert_eq!(
            excerpt(&call, &bare, "9. a\n10.   b"),
            Excerpt { first: Some(9), lines: lines(&["a", "  b"]) }
        );
        assert_eq!(excerpt(&call, &bare, "/w/a\n/w/b").first, None);
        call.arguments = Some(serde_json::json!({ "view_range": [40, 41] }).into());
        assert_eq!(excerpt(&call, &bare, "1. a\n1. b").first, Some(40));
    }
}
