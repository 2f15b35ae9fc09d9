//! Shows exactly what is to be allowed: whole texts, addresses, changes, facts, warnings. Nothing is
//! folded, cut or interpreted.

use std::iter;
use std::ops::Range;
use std::rc::Rc;

use crate::core::i18n::Word;
use crate::core::i18n::words::requests;
use crate::core::text::diff;
use crate::core::text::diff::Diff;
use crate::core::text::review_marks::{Mark, TextKind, address, review, unseen};
use crate::core::view_model::approval::{Caution, Fact, Part, SubjectKind};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::exact::token;
use crate::ui::elements::icons::Icon;
use crate::ui::lazy;

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
    if marks.iter().all(|mark| matches!(mark, Mark::Plain(_))) {
        return host.text(text);
    }
    marks.into_iter().fold(host, |host, mark| match mark {
        Mark::Plain(text) => host.text(text),
        Mark::RightToLeft(text) => host.child(el("bdi").text(text)),
        Mark::Token(name) => host.child(token(&name)),
    })
}

/// What is to be allowed, in full. `marks` are the bytes of a command that the warnings are about.
pub fn parts(list: Vec<Part>, marks: &[Range<usize>]) -> Vec<El> {
    let one = |part: Part| match part {
        Part::Text(text, TextKind::Command) => vec![command(&text, marks)],
        Part::Text(text, kind) => vec![whole(&text, kind)],
        Part::Address(url) => vec![full_address(&url)],
        Part::Change { path, diff, contents } => change(&path, diff.as_deref(), contents.as_deref()),
    };
    list.into_iter().flat_map(one).collect()
}

/// A whole command, in which what the warnings are about is marked.
fn command(text: &str, marks: &[Range<usize>]) -> El {
    let mut code = el("code");
    let mut at = 0;
    for mark in marks {
        code = exact(code, text.get(at..mark.start).unwrap_or_default(), TextKind::Command);
        let marked = text.get(mark.clone()).unwrap_or_default();
        code = code.child(exact(el("mark"), marked, TextKind::Command));
        at = mark.end;
    }
    let code = exact(code, text.get(at..).unwrap_or_default(), TextKind::Command);
    boxed(if is_long(text) { "box wrap request-what long" } else { "box wrap request-what" }, code)
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

/// A change: the diff if it was read without loss, as an edit shows it, with the new content folded below it.
/// Otherwise both as they came.
fn change(path: &str, source: Option<&str>, contents: Option<&str>) -> Vec<El> {
    let read = source.map(diff::parse).filter(|read| says_all(read, source.unwrap_or_default()));
    if let (Some(read), Some(source)) = (read, source) {
        let (name, read, text) = (file_name(path, &read), Rc::new(read), source.to_owned());
        let lines = div("request-diff").child(move || {
            let name = exact(el("code").class("path"), &name, TextKind::Line);
            match lazy::EDITS.ready() {
                Ok(edits) => vec![(edits.whole_diff)(name, Rc::clone(&read))],
                // All of it is to be seen also where the chunk does not come.
                Err(_) => vec![name, whole(&text, TextKind::Content)],
            }
        });
        let file = contents.map(|contents| {
            let summary = el("summary").text(requests::WHOLE_FILE.text());
            // The change above shows everything that is new in it.
            let file = boxed("box wrap request-what", exact(el("code"), contents, TextKind::Content));
            el("details").class("request-more").child(summary).child(file)
        });
        return iter::once(lines).chain(file).collect();
    }
    let mut all = vec![whole(path, TextKind::Line)];
    all.extend(source.map(|source| whole(source, TextKind::Content)));
    if let Some(contents) = contents {
        all.push(el("p").class("hint").text(requests::WHOLE_FILE_FOLLOWS.text()));
        all.push(whole(contents, TextKind::Content));
    }
    all
}

/// The name of what is changed, as it was asked for, and what becomes of it.
fn file_name(asked: &str, diff: &Diff) -> String {
    let [file] = diff.files.as_slice() else { return asked.to_owned() };
    let name = match file.path() {
        // The diff's own spelling of the path lacks the first slash.
        Some(own)
            if own.trim_start_matches('/') != asked.trim_start_matches('/') && !asked.ends_with(own) =>
        {
            format!("{asked} ({own})")
        }
        _ => asked.to_owned(),
    };
    let name = match file.old_path.as_deref().filter(|_| file.change == diff::Change::Renamed) {
        Some(from) => format!("{from} → {name}"),
        None => name,
    };
    match file.change {
        diff::Change::Added => format!("{name} · {}", requests::NEW_FILE.text()),
        diff::Change::Deleted => format!("{name} · {}", requests::DELETED.text()),
        diff::Change::Renamed => format!("{name} · {}", requests::RENAMED.text()),
        diff::Change::Modified => name,
    }
}

/// True if a diff was read without losing a line that changes something.
fn says_all(read: &Diff, source: &str) -> bool {
    let lines = read.counts();
    let header = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
    let headers = source.lines().filter(header).count();
    let signed = source.lines().filter(|line| line.starts_with(['+', '-'])).count();
    !read.is_empty() && !read.files.iter().any(|file| file.binary) && lines.0 + lines.1 + headers >= signed
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
    let hidden: usize = texts.into_iter().map(|text| unseen(text, TextKind::Prose)).sum();
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
