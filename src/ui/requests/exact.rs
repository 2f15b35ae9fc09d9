//! Shows what is to be allowed, exactly: whole texts, addresses, changes, facts, cautions. Refuses to fold, to cut and
//! to interpret any of it.

use leptos::prelude::*;

use super::marks::{Mark, Sight, address, marks};
use super::subject::{Caution, Fact, Shown};
use crate::core::diff::{self, Diff, File, Kind};
use crate::ui::icon::Glyph;
use crate::ui::icons::Icon;

/// A text with everything in it that would not be seen.
pub fn exact(text: &str, sight: Sight) -> AnyView {
    let marks = marks(text, sight);
    // Nearly every text is plain.
    if marks.iter().all(|mark| matches!(mark, Mark::Plain(_))) {
        return text.to_owned().into_any();
    }
    let piece = |mark: Mark<'_>| match mark {
        Mark::Plain(text) => text.to_owned().into_any(),
        Mark::RightToLeft(text) => view! { <bdi>{text.to_owned()}</bdi> }.into_any(),
        Mark::Token(name) => view! { <span class="hidden-char">{name}</span> }.into_any(),
    };
    marks.into_iter().map(piece).collect_view().into_any()
}

/// What is to be allowed, in full.
pub fn shown(list: Vec<Shown>) -> impl IntoView {
    list.into_iter().map(one).collect_view()
}

fn one(shown: Shown) -> AnyView {
    match shown {
        Shown::Text(text, sight) => whole(&text, sight).into_any(),
        Shown::Address(url) => full_address(&url).into_any(),
        Shown::Change { path, diff, contents } => change(&path, diff, contents).into_any(),
    }
}

/// A whole text, always wrapped.
pub fn whole(text: &str, sight: Sight) -> impl IntoView + use<> {
    view! { <pre class="box wrap ask-what" dir="ltr" tabindex="0"><code>{exact(text, sight)}</code></pre> }
}

/// An address whose host stands out.
pub fn full_address(url: &str) -> impl IntoView + use<> {
    let parts = match address(url) {
        Some(parts) => view! {
            {exact(parts.before, Sight::Line)}<b>{exact(parts.host, Sight::Line)}</b>{exact(parts.after, Sight::Line)}
        }
        .into_any(),
        None => exact(url, Sight::Line),
    };
    view! { <pre class="box wrap ask-what" dir="ltr" tabindex="0"><code>{parts}</code></pre> }
}

/// A change: the diff if it can be read, the new content else, and both as they came if neither says it all.
fn change(path: &str, source: Option<String>, contents: Option<String>) -> impl IntoView + use<> {
    let read = source
        .as_deref()
        .map(diff::parse)
        .filter(|read| says_all(read, source.as_deref().unwrap_or_default()));
    let path = path.to_owned();
    match (read, source, contents) {
        (Some(read), _, contents) => {
            let whole = contents.map(|contents| {
                view! {
                    <details class="ask-more">
                        <summary>"The whole file as it will be"</summary>
                        {whole(&contents, Sight::Content)}
                    </details>
                }
            });
            view! { <div class="box diff wrap" dir="ltr" tabindex="0">{files(&path, read)}</div> {whole} }
                .into_any()
        }
        (None, source, contents) => {
            let source = source.map(|source| whole(&source, Sight::Content));
            let contents = contents.map(|contents| {
                view! {
                    <p class="hint">"The whole file as it will be:"</p>
                    {whole(&contents, Sight::Content)}
                }
            });
            view! { {whole(&path, Sight::Line)} {source} {contents} }.into_any()
        }
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

fn files(path: &str, diff: Diff) -> impl IntoView + use<> {
    let only = diff.files.len() == 1;
    let asked = path.to_owned();
    let file = move |file: File| {
        let name = match (file.path(), only) {
            // The diff's own spelling of the path lacks the first slash.
            (Some(own), true)
                if own.trim_start_matches('/') != asked.trim_start_matches('/') && !asked.ends_with(own) =>
            {
                format!("{asked} ({own})")
            }
            (_, true) => asked.clone(),
            (own, false) => own.unwrap_or_default().to_owned(),
        };
        let note = match file.change {
            diff::Change::Added => " · new file",
            diff::Change::Deleted => " · deleted",
            diff::Change::Renamed => " · renamed",
            diff::Change::Modified => "",
        };
        let from = file.old_path.clone().filter(|_| file.change == diff::Change::Renamed);
        let from = from.map(|from| view! { {exact(&from, Sight::Line)} " → " });
        view! {
            <code class="path">{from}{exact(&name, Sight::Line)}{note}</code>
            <pre class="lines">{hunks(file)}</pre>
        }
    };
    diff.files.into_iter().map(file).collect_view()
}

fn hunks(file: File) -> impl IntoView {
    file.hunks
        .into_iter()
        .map(|hunk| {
            let numbers = hunk.lines.iter().filter_map(|line| line.new.or(line.old));
            let (first, last) = (numbers.clone().min(), numbers.max());
            let place = match (first, last) {
                (Some(first), Some(last)) => format!("@@ lines {first}–{last} @@ {}", hunk.heading),
                _ => format!("@@ {}", hunk.heading),
            };
            let runs = hunk.lines.chunk_by(|a, b| a.kind == b.kind).map(|lines| {
                let kind = lines.first().map_or(Kind::Context, |line| line.kind);
                let sign = match kind {
                    Kind::Added => "+ ",
                    Kind::Removed => "− ",
                    Kind::Context => "  ",
                };
                let text: String = lines
                    .iter()
                    .flat_map(|line| {
                        let end = if line.no_newline { "\n\\ No newline at end of file\n" } else { "\n" };
                        [sign, line.text.as_str(), end]
                    })
                    .collect();
                let text = exact(&text, Sight::Content);
                match kind {
                    Kind::Added => view! { <ins>{text}</ins> }.into_any(),
                    Kind::Removed => view! { <del>{text}</del> }.into_any(),
                    Kind::Context => view! { <span>{text}</span> }.into_any(),
                }
            });
            let runs = runs.collect_view();
            view! { <span class="hunk">{exact(place.trim_end(), Sight::Content)}</span>{runs} }
        })
        .collect_view()
}

/// Names and values.
pub fn facts(facts: Vec<Fact>) -> Option<impl IntoView> {
    let row = |fact: Fact| {
        let exact =
            fact.exact.iter().map(|text| view! { <code>{exact(text, Sight::Line)}</code> }).collect_view();
        let words = (!fact.words.is_empty()).then(|| view! { <span>{ticked(&fact.words)}</span> });
        view! { <dt>{fact.name}</dt><dd dir="auto">{exact}{words}</dd> }
    };
    (!facts.is_empty()).then(|| view! { <dl class="facts">{facts.into_iter().map(row).collect_view()}</dl> })
}

/// A fact whose value is exact.
pub fn fact(name: &str, value: impl Into<String>) -> Fact {
    Fact { name: name.to_owned(), exact: vec![value.into()], words: String::new() }
}

/// A fact in words.
pub fn told(name: &str, words: impl Into<String>) -> Fact {
    Fact { name: name.to_owned(), exact: Vec::new(), words: words.into() }
}

/// Words in which backticks make code.
fn ticked(words: &str) -> impl IntoView + use<> {
    let piece = |(nth, text): (usize, &str)| {
        let text = exact(text, Sight::Command);
        if nth % 2 == 1 { view! { <code>{text}</code> }.into_any() } else { text }
    };
    words.split('`').enumerate().map(piece).collect_view()
}

/// What to heed.
pub fn cautions(cautions: Vec<Caution>) -> impl IntoView {
    let line = |caution: Caution| {
        let class = if caution.danger { "warn danger" } else { "warn" };
        view! { <p class=class><Glyph icon=Icon::Warning/><span dir="auto">{exact(&caution.words, Sight::Content)}</span></p> }
    };
    cautions.into_iter().map(line).collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_that_lost_a_line_is_not_trusted() {
        let source = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n";
        assert!(says_all(&diff::parse(source), source));
        assert!(!says_all(&diff::parse(source), &format!("{source}\n+stray\n")));
        assert!(!says_all(&Diff::default(), "not a diff"));
    }
}
