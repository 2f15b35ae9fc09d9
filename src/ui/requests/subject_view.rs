//! Shows exactly what is to be allowed: whole texts, addresses, changes, facts, warnings. Nothing is
//! folded, cut or interpreted.

use std::iter;

use crate::core::i18n::Word;
use crate::core::i18n::words::requests;
use crate::core::text::diff;
use crate::core::text::diff::{Diff, File, Hunk, LineEnd, LineKind, Note};
use crate::core::text::review_marks::{ReviewMark, TextKind, address, count_hidden, review};
use crate::core::view_model::approval::{Caution, Fact, Part, SubjectKind};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::exact::token;
use crate::ui::elements::icons::Icon;

/// The icon of what a permission is about.
pub fn icon(kind: SubjectKind) -> Icon {
    match kind {
        SubjectKind::Command => Icon::Terminal,
        SubjectKind::Write => Icon::Pencil,
        SubjectKind::Read => Icon::File,
        SubjectKind::Address => Icon::Globe,
        SubjectKind::Server | SubjectKind::Extension => Icon::Plug,
        SubjectKind::Memory => Icon::Skill,
        SubjectKind::Tool => Icon::Braces,
        SubjectKind::Run => Icon::Agent,
        SubjectKind::Other => Icon::Shield,
    }
}

/// Adds a text, with its hidden characters made visible.
pub fn exact(host: El, text: &str, kind: TextKind) -> El {
    let marks = review(text, kind);
    // Nearly every text is plain.
    if marks.iter().all(|mark| matches!(mark, ReviewMark::Plain(_))) {
        return host.text(text);
    }
    marks.into_iter().fold(host, |host, mark| match mark {
        ReviewMark::Plain(text) => host.text(text),
        ReviewMark::RightToLeft(text) => host.child(el("bdi").text(text)),
        ReviewMark::Token(name) => host.child(token(&name)),
    })
}

/// What is to be allowed, in full.
pub fn parts(list: Vec<Part>) -> Vec<El> {
    list.into_iter().flat_map(one).collect()
}

fn one(part: Part) -> Vec<El> {
    match part {
        Part::Text(text, kind) => vec![whole(&text, kind)],
        Part::Address(url) => vec![full_address(&url)],
        Part::Change { path, diff, contents } => change(&path, diff.as_deref(), contents.as_deref()),
    }
}

/// A whole text, always wrapped.
pub fn whole(text: &str, kind: TextKind) -> El {
    let class = if is_long(text) { "box wrap request-what long" } else { "box wrap request-what" };
    // What is one line is a path, an address or a name: it may be broken anywhere.
    let code = if kind == TextKind::Line { el("code").class("path") } else { el("code") };
    boxed(class, exact(code, text, kind))
}

/// True if a text is longer than any screen: it scrolls by itself, and its end must have been in view.
pub fn is_long(text: &str) -> bool {
    const LINES: usize = 400;
    const BYTES: usize = 40_000;
    text.len() > BYTES || text.lines().nth(LINES).is_some()
}

fn boxed(class: &str, code: El) -> El {
    el("pre").class(class).attr("dir", "ltr").attr("tabindex", "0").child(code)
}

/// An address whose host stands out.
pub fn full_address(url: &str) -> El {
    let Some(parts) = address(url) else {
        return whole(url, TextKind::Line);
    };
    let before = exact(el("code").class("path"), parts.before, TextKind::Line);
    let host = before.child(exact(el("b"), parts.host, TextKind::Line));
    boxed("box wrap request-what", exact(host, parts.after, TextKind::Line))
}

/// A change: the diff if it was read without loss, with the new content folded below it.
/// Otherwise both as they came.
fn change(path: &str, source: Option<&str>, contents: Option<&str>) -> Vec<El> {
    let read = source.map(diff::parse).filter(|read| says_all(read, source.unwrap_or_default()));
    let mut all = Vec::new();
    if let Some(read) = read {
        let long = source.is_some_and(is_long);
        let lines = div(if long { "box diff wrap long" } else { "box diff wrap" })
            .attr("dir", "ltr")
            .attr("tabindex", "0");
        all.push(
            read.files
                .iter()
                .fold(lines, |lines, file| lines.child(file_lines(path, file, read.files.len() == 1))),
        );
        all.extend(contents.map(|contents| {
            let summary = el("summary").text(requests::WHOLE_FILE.text());
            // The change above shows everything that is new in it.
            let file = boxed("box wrap request-what", exact(el("code"), contents, TextKind::Content));
            el("details").class("request-more").child(summary).child(file)
        }));
        return all;
    }
    all.push(whole(path, TextKind::Line));
    all.extend(source.map(|source| whole(source, TextKind::Content)));
    if let Some(contents) = contents {
        all.push(el("p").class("hint").text(requests::WHOLE_FILE_FOLLOWS.text()));
        all.push(whole(contents, TextKind::Content));
    }
    all
}

/// True if a diff was read without losing a line that changes something.
fn says_all(read: &Diff, source: &str) -> bool {
    let lines = read.counts();
    let header = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
    let headers = source.lines().filter(header).count();
    let signed = source.lines().filter(|line| line.starts_with(['+', '-'])).count();
    !read.is_empty() && !read.files.iter().any(|file| file.binary) && lines.0 + lines.1 + headers >= signed
}

fn file_lines(asked: &str, file: &File, only: bool) -> Vec<El> {
    let name = match (file.path(), only) {
        // The diff's own spelling of the path lacks the first slash.
        (Some(own), true)
            if own.trim_start_matches('/') != asked.trim_start_matches('/') && !asked.ends_with(own) =>
        {
            format!("{asked} ({own})")
        }
        (_, true) => asked.to_owned(),
        (own, false) => own.unwrap_or_default().to_owned(),
    };
    let note = match file.change {
        diff::Change::Added => Some(requests::NEW_FILE),
        diff::Change::Deleted => Some(requests::DELETED),
        diff::Change::Renamed => Some(requests::RENAMED),
        diff::Change::Modified => None,
    };
    let note = note.map_or_else(String::new, |note| format!(" · {}", note.text()));
    let mut path = el("code").class("path");
    if let Some(from) = file.old_path.as_deref().filter(|_| file.change == diff::Change::Renamed) {
        path = exact(path, from, TextKind::Line).text(" → ");
    }
    let notes = file.notes();
    let with_ends = notes.iter().any(|note| matches!(note, Note::ToLf | Note::ToCrLf));
    let lines = el("pre").class("lines").attr("translate", "no");
    let lines = file.hunks.iter().fold(lines, |host, hunk| hunk_lines(host, hunk, with_ends));
    let notes = notes.into_iter().map(|note| el("p").class("d-note").attr("dir", "auto").text(note.words()));
    let head = exact(path, &name, TextKind::Line).text(&note);
    iter::once(head).chain(notes).chain([lines]).collect()
}

fn hunk_lines(host: El, hunk: &Hunk, with_ends: bool) -> El {
    let numbers = hunk.lines.iter().filter_map(|line| line.new.or(line.old));
    let (first, last) = (numbers.clone().min(), numbers.max());
    let place = match (first, last) {
        (Some(first), Some(last)) => {
            let lines = requests::HUNK_LINES
                .with(&[("first", i64::from(first).into()), ("last", i64::from(last).into())]);
            format!("@@ {lines} @@ {}", hunk.heading)
        }
        _ => format!("@@ {}", hunk.heading),
    };
    let host = host.child(exact(el("span").class("hunk"), place.trim_end(), TextKind::Content));
    hunk.lines.chunk_by(|a, b| a.kind == b.kind).fold(host, |host, lines| {
        let kind = lines.first().map_or(LineKind::Context, |line| line.kind);
        let (tag, sign) = match kind {
            LineKind::Added => ("ins", "+ "),
            LineKind::Removed => ("del", "− "),
            LineKind::Context => ("span", "  "),
        };
        let mut part = el(tag);
        let mut text = String::new();
        for line in lines {
            text.push_str(sign);
            text.push_str(&line.text);
            if with_ends && line.end == LineEnd::CrLf {
                part = exact(part, &std::mem::take(&mut text), TextKind::Content).child(token("CRLF"));
            }
            text.push_str(if line.end == LineEnd::Missing {
                "\n\\ No newline at end of file\n"
            } else {
                "\n"
            });
        }
        host.child(exact(part, &text, TextKind::Content))
    })
}

/// The list of facts; `None` if there are none.
pub fn facts(facts: &[Fact]) -> Option<El> {
    let row = |list: El, fact: &Fact| {
        let mut values = el("dd").attr("dir", "auto");
        for text in &fact.exact {
            values = values.child(exact(el("code"), text, fact.kind));
        }
        let words = (!fact.words.is_empty()).then(|| ticked(&fact.words));
        list.child(el("dt").text(&fact.name)).child(values.child(words))
    };
    (!facts.is_empty()).then(|| facts.iter().fold(el("dl").class("facts"), row))
}

/// A fact whose value is exact.
pub fn fact(name: Word, value: impl Into<String>) -> Fact {
    Fact {
        name: name.text().to_owned(),
        exact: vec![value.into()],
        kind: TextKind::Line,
        words: String::new(),
    }
}

/// A fact in words.
pub fn worded_fact(name: Word, words: impl Into<String>) -> Fact {
    Fact { name: name.text().to_owned(), exact: Vec::new(), kind: TextKind::Line, words: words.into() }
}

/// A text in which backticks make code.
pub fn ticked(words: &str) -> El {
    words.split('`').enumerate().fold(el("span"), |host, (nth, text)| {
        if nth % 2 == 1 {
            // Code runs from left to right, also within a sentence that does not.
            host.child(exact(el("code").attr("dir", "ltr"), text, TextKind::Command))
        } else {
            exact(host, text, TextKind::Prose)
        }
    })
}

/// Warnings, one line each.
pub fn cautions(cautions: &[Caution]) -> Vec<El> {
    let line = |caution: &Caution| {
        let class = if caution.danger { "warn danger" } else { "warn" };
        el("p").class(class).child(glyph(Icon::Warning)).child(ticked(&caution.words).attr("dir", "auto"))
    };
    cautions.iter().map(line).collect()
}

/// A warning that counts the hidden characters in these texts, if there are any.
pub fn heed_hidden<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<El> {
    let hidden: usize = texts.into_iter().map(|text| count_hidden(text, TextKind::Prose)).sum();
    let words = (hidden > 0).then(|| requests::HIDDEN_SEQUENCES.with(&[("n", hidden.into())]));
    let caution = words.map(|words| Caution { danger: true, words });
    cautions(caution.as_slice())
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn a_diff_that_lost_a_line_is_not_trusted() {
        let source = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n";
        assert!(says_all(&diff::parse(source), source));
        assert!(!says_all(&diff::parse(source), &format!("{source}\n+stray\n")));
        assert!(!says_all(&Diff::default(), "not a diff"));
    }
}
