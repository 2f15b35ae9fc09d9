//! Owns the DOM of a diff: one element a run of lines of one kind; refuses to judge or to apply it.

use std::fmt::Write as _;

use gloo_events::EventListener;
use web_sys::{Document, Element};

use crate::core::diff::{Change, Diff, File, Kind, Line};

/// Lines that are shown before the reader asks for more; each press shows as many again.
const FOLD: usize = 400;

/// A diff on the page. It has to live as long as it is shown: it listens to its button.
pub struct DiffView {
    _more: Option<EventListener>,
}

/// Shows a diff in `host`, in place of what is there.
pub fn render(document: &Document, host: &Element, diff: &Diff) -> DiffView {
    host.set_text_content(None);
    let mut parts = parts(diff).into_iter();
    show(document, host, &mut parts, None);
    if parts.as_slice().is_empty() {
        return DiffView { _more: None };
    }
    DiffView { _more: more(document, host, parts) }
}

/// Something to show, in order.
enum Part {
    File { path: String, note: &'static str, added: usize, removed: usize },
    Hunk(String),
    Run { kind: Kind, lines: Vec<Line> },
}

impl Part {
    fn lines(&self) -> usize {
        match self {
            Self::Run { lines, .. } => lines.len(),
            Self::File { .. } | Self::Hunk(_) => 0,
        }
    }
}

fn parts(diff: &Diff) -> Vec<Part> {
    let mut parts = Vec::new();
    for file in &diff.files {
        parts.extend(heading(file));
        for (index, hunk) in file.hunks.iter().enumerate() {
            if index > 0 || !hunk.heading.is_empty() {
                parts.push(Part::Hunk(hunk.heading.clone()));
            }
            for lines in hunk.lines.chunk_by(|a, b| a.kind == b.kind) {
                // Cut, so that a fold can fall within a long run.
                for lines in lines.chunks(FOLD) {
                    if let Some(first) = lines.first() {
                        parts.push(Part::Run { kind: first.kind, lines: lines.to_vec() });
                    }
                }
            }
        }
    }
    parts
}

/// Edits that come as two texts have no path: their card names it.
fn heading(file: &File) -> Option<Part> {
    let path = match (file.change, &file.old_path, &file.new_path) {
        (Change::Renamed, Some(old), Some(new)) => format!("{old} → {new}"),
        _ => file.path()?.to_owned(),
    };
    let note = match (file.binary, file.change) {
        (true, _) => "binary",
        (false, Change::Added) => "new file",
        (false, Change::Deleted) => "deleted",
        (false, Change::Renamed) => "renamed",
        (false, Change::Modified) => "",
    };
    let (added, removed) = file.counts();
    Some(Part::File { path, note, added, removed })
}

fn show(document: &Document, host: &Element, parts: &mut std::vec::IntoIter<Part>, before: Option<&Element>) {
    let mut shown = 0;
    while shown < FOLD {
        let Some(part) = parts.next() else { return };
        shown += part.lines();
        if let Some(made) = make(document, &part) {
            let before = before.map(AsRef::as_ref);
            let _ = host.insert_before(&made, before);
        }
    }
}

fn more(document: &Document, host: &Element, parts: std::vec::IntoIter<Part>) -> Option<EventListener> {
    let button = document.create_element("button").ok()?;
    let _ = button.set_attribute("type", "button");
    let _ = button.set_attribute("class", "d-more");
    label(&button, parts.as_slice());
    host.append_child(&button).ok()?;
    let (document, host, inner) = (document.clone(), host.clone(), button.clone());
    let parts = std::cell::RefCell::new(parts);
    Some(EventListener::new(&button, "click", move |_| {
        let mut parts = parts.borrow_mut();
        show(&document, &host, &mut parts, Some(&inner));
        if parts.as_slice().is_empty() {
            inner.remove();
        } else {
            label(&inner, parts.as_slice());
        }
    }))
}

fn label(button: &Element, rest: &[Part]) {
    let lines: usize = rest.iter().map(Part::lines).sum();
    button.set_text_content(Some(&format!("Show {lines} more lines")));
}

fn make(document: &Document, part: &Part) -> Option<Element> {
    match part {
        Part::File { path, note, added, removed } => {
            let header = document.create_element("header").ok()?;
            header.set_class_name("d-file");
            let mut text = path.clone();
            if !note.is_empty() {
                let _ = write!(text, " ({note})");
            }
            if *added + *removed > 0 {
                let _ = write!(text, " +{added} −{removed}");
            }
            header.set_text_content(Some(&text));
            Some(header)
        }
        Part::Hunk(heading) => {
            let line = document.create_element("div").ok()?;
            line.set_class_name("d-hunk");
            line.set_text_content(Some(if heading.is_empty() { "⋯" } else { heading }));
            Some(line)
        }
        Part::Run { kind, lines } => run(document, *kind, lines),
    }
}

/// A run of lines. The numbers stand in a column of their own as an attribute, which the style sheet shows with `attr()`:
/// so they are neither elements nor part of what a reader copies. The signs are text: colour alone must not say it.
fn run(document: &Document, kind: Kind, lines: &[Line]) -> Option<Element> {
    let (name, sign) = match kind {
        Kind::Added => ("ins", '+'),
        Kind::Removed => ("del", '−'),
        Kind::Context => ("span", ' '),
    };
    let run = document.create_element(name).ok()?;
    run.set_class_name("d-run");
    let _ = run.set_attribute("dir", "ltr");
    let mut text = String::new();
    let mut numbers = String::new();
    let mut known = false;
    for line in lines {
        let number = if kind == Kind::Removed { line.old } else { line.new };
        known |= number.is_some();
        if let Some(number) = number {
            let _ = write!(numbers, "{number}");
        }
        numbers.push('\n');
        let _ = writeln!(text, "{sign}{}", line.text);
        if line.no_newline {
            text.push_str("\\ No newline at end of file\n");
            numbers.push('\n');
        }
    }
    if known {
        let _ = run.set_attribute("data-numbers", &numbers);
    }
    run.set_text_content(Some(&text));
    Some(run)
}
