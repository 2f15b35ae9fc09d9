//! Renders a diff, unified or side by side.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use gloo_events::EventListener;
use web_sys::{Document, Element};

use crate::core::i18n::words::cards;
use crate::core::text::diff::{Diff, DiffLine, LineEnd, LineKind, changed_words};
use crate::core::view_model::diff_parts::{DiffPart, FOLD, parts};
use crate::ui::elements::exact::{append_exact, token_node};
use crate::ui::elements::long_text::{LONG_LINE, SLICE, more_label};

/// How old and new lines are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLayout {
    /// New lines below old ones.
    Unified,
    /// New lines beside old ones.
    Split,
}

/// How much is shown before somebody asks for more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first [`FOLD`] lines, and the beginning of long ones.
    Beginning,
    /// Everything, because it is to be approved.
    Whole,
}

/// A rendered diff. Keep it as long as the diff is shown: it holds the listeners of the buttons for more.
pub struct DiffView {
    _more: Option<EventListener>,
    _more_of_lines: Listeners,
}

type Listeners = Rc<RefCell<Vec<EventListener>>>;

/// Renders a diff in `host`, replacing its content.
pub fn render(
    document: &Document,
    host: &Element,
    diff: &Diff,
    look: DiffLayout,
    extent: Extent,
) -> DiffView {
    host.set_text_content(None);
    let _ = host.set_attribute("translate", "no");
    // Fails only for invalid names.
    let _ = host.toggle_attribute_with_force("data-split", look == DiffLayout::Split);
    let mut parts = parts(diff).into_iter();
    let listeners = Listeners::default();
    let view = DiffBuilder {
        document: document.clone(),
        host: host.clone(),
        look,
        extent,
        listeners: Rc::clone(&listeners),
    };
    view.show(&mut parts, None);
    let more = if parts.as_slice().is_empty() { None } else { view.more(parts) };
    DiffView { _more: more, _more_of_lines: listeners }
}

struct DiffBuilder {
    document: Document,
    host: Element,
    look: DiffLayout,
    extent: Extent,
    listeners: Listeners,
}

impl DiffBuilder {
    fn show(&self, parts: &mut std::vec::IntoIter<DiffPart>, before: Option<&Element>) {
        let mut shown = 0;
        while shown < FOLD || self.extent == Extent::Whole {
            let Some(part) = parts.next() else { return };
            shown += part.lines();
            let mut place = |made: Element| {
                let _ = self.host.insert_before(&made, before.map(AsRef::as_ref));
            };
            match &part {
                DiffPart::File { path, added, removed } => {
                    let counts =
                        if added + removed > 0 { format!(" +{added} −{removed}") } else { String::new() };
                    place(self.element("header", "d-file", &format!("{path}{counts}")));
                }
                DiffPart::Note(words) => {
                    let note = self.element("p", "d-note", words);
                    let _ = note.set_attribute("dir", "auto");
                    place(note);
                }
                DiffPart::Hunk(heading) => {
                    let words = if heading.is_empty() { "⋯" } else { heading };
                    place(self.element("div", "d-hunk", words));
                }
                DiffPart::Same(lines) if self.look == DiffLayout::Unified => {
                    self.runs(LineKind::Context, lines, &[], false, &mut place);
                }
                DiffPart::Same(lines) => {
                    for line in lines {
                        place(self.cell(LineKind::Context, Some((line, line.old)), &[], false));
                        let other = self.cell(LineKind::Context, Some((line, line.new)), &[], false);
                        // The same line on both sides is read out only once.
                        let _ = other.set_attribute("aria-hidden", "true");
                        place(other);
                    }
                }
                DiffPart::Changed { removed, added, with_ends } => {
                    self.append_changed_lines(removed, added, *with_ends, &mut place);
                }
            }
        }
    }

    fn append_changed_lines(
        &self,
        removed: &[DiffLine],
        added: &[DiffLine],
        with_ends: bool,
        place: &mut impl FnMut(Element),
    ) {
        let pairs = removed.iter().zip(added).map(|(old, new)| changed_words(&old.text, &new.text));
        let (gone, come): (Vec<_>, Vec<_>) = pairs.map(|pair| pair.unwrap_or_default().into()).unzip();
        if self.look == DiffLayout::Unified {
            for (kind, lines, marks) in [(LineKind::Removed, removed, &gone), (LineKind::Added, added, &come)]
            {
                if !lines.is_empty() {
                    self.runs(kind, lines, marks, with_ends, place);
                }
            }
            return;
        }
        let marks = |of: &[Vec<Range<usize>>], index: usize| of.get(index).cloned().unwrap_or_default();
        for index in 0..removed.len().max(added.len()) {
            let old = removed.get(index).map(|line| (line, line.old));
            let new = added.get(index).map(|line| (line, line.new));
            place(self.cell(LineKind::Removed, old, &marks(&gone, index), with_ends));
            place(self.cell(LineKind::Added, new, &marks(&come, index), with_ends));
        }
    }

    fn more(self, parts: std::vec::IntoIter<DiffPart>) -> Option<EventListener> {
        let button = self.element("button", "d-more", "");
        let _ = button.set_attribute("type", "button");
        label(&button, parts.as_slice());
        self.host.append_child(&button).ok()?;
        let inner = button.clone();
        let parts = std::cell::RefCell::new(parts);
        Some(EventListener::new(&button, "click", move |_| {
            let mut parts = parts.borrow_mut();
            self.show(&mut parts, Some(&inner));
            if parts.as_slice().is_empty() {
                inner.remove();
            } else {
                label(&inner, parts.as_slice());
            }
        }))
    }

    fn element(&self, tag: &str, class: &str, text: &str) -> Element {
        let element =
            self.document.create_element(tag).unwrap_or_else(|error| wasm_bindgen::throw_val(error));
        element.set_class_name(class);
        append_exact(&self.document, &element, text);
        element
    }

    /// Lines of one kind. A long one is a run of its own, as its wrapped text has no place for other numbers.
    fn runs(
        &self,
        kind: LineKind,
        lines: &[DiffLine],
        marks: &[Vec<Range<usize>>],
        with_ends: bool,
        place: &mut impl FnMut(Element),
    ) {
        let mut from = 0;
        // What is shown whole is wrapped.
        let together = self.extent == Extent::Beginning;
        for lines in lines.chunk_by(|one, next| together && !is_long(one) && !is_long(next)) {
            place(self.run(kind, lines, marks.get(from..).unwrap_or_default(), with_ends));
            from += lines.len();
        }
    }

    /// The beginning of a long line, and a button for more of it.
    fn long_line(&self, host: &Element, text: &str) {
        let shown = whole_characters(text, LONG_LINE);
        append_exact(&self.document, host, text.get(..shown).unwrap_or_default());
        let button = self.element("button", "d-more", "");
        let _ = button.set_attribute("type", "button");
        let label = move |button: &Element, left: usize, all: usize| {
            button.set_text_content(Some(&more_label(left, all)));
        };
        label(&button, text.len() - shown, text.len());
        if host.append_child(&button).is_err() {
            return;
        }
        let (document, host, text) = (self.document.clone(), host.clone(), text.to_owned());
        let (from, inner) = (Cell::new(shown), button.clone());
        self.listeners.borrow_mut().push(EventListener::new(&button, "click", move |_| {
            let to = whole_characters(&text, from.get() + SLICE);
            if let Ok(part) = document.create_element("span") {
                part.set_class_name("run");
                append_exact(&document, &part, text.get(from.get()..to).unwrap_or_default());
                let _ = host.insert_before(&part, Some(inner.as_ref()));
            }
            from.set(to);
            if to >= text.len() {
                inner.remove();
            } else {
                label(&inner, text.len() - to, text.len());
            }
        }));
    }

    /// A run of lines. The line numbers are in an attribute that the style sheet shows with `attr()` in a
    /// column of their own: so they need no elements and are not copied with the text. The signs are text,
    /// because colour alone must not carry the meaning.
    fn run(
        &self,
        kind: LineKind,
        lines: &[DiffLine],
        marks: &[Vec<Range<usize>>],
        with_ends: bool,
    ) -> Element {
        let long = lines.iter().any(is_long);
        let run = self.element(tag(kind), if long { "d-run long-line" } else { "d-run" }, "");
        let _ = run.set_attribute("dir", "ltr");
        let mut numbers = String::new();
        let mut known = false;
        // One element around everything, so that marks inside are not cells of the grid.
        let inside = self.element("span", "", "");
        let _ = run.append_child(&inside);
        let mut text = MarkedTextBuilder { view: self, host: inside, with_ends, plain: String::new() };
        for (index, line) in lines.iter().enumerate() {
            let number = if kind == LineKind::Removed { line.old } else { line.new };
            known |= number.is_some();
            if let Some(number) = number {
                let _ = write!(numbers, "{number}");
            }
            numbers.push('\n');
            text.line(kind, line, marks.get(index).map_or(&[], Vec::as_slice));
            text.plain.push('\n');
            if line.end == LineEnd::Missing {
                text.plain.push_str("\\ No newline at end of file\n");
                numbers.push('\n');
            }
        }
        text.flush();
        if known {
            let _ = run.set_attribute("data-numbers", &numbers);
        }
        run
    }

    /// One side of a line; an empty cell where only the other side has a line.
    fn cell(
        &self,
        kind: LineKind,
        line: Option<(&DiffLine, Option<u32>)>,
        marks: &[Range<usize>],
        with_ends: bool,
    ) -> Element {
        let Some((line, number)) = line else {
            return self.element("span", "d-none", "");
        };
        let cell = self.element(tag(kind), if is_long(line) { "d-cell long-line" } else { "d-cell" }, "");
        let _ = cell.set_attribute("dir", "ltr");
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        let _ = cell.set_attribute("data-numbers", &number);
        let mut text = MarkedTextBuilder { view: self, host: cell.clone(), with_ends, plain: String::new() };
        text.line(kind, line, marks);
        text.plain.push('\n');
        text.flush();
        cell
    }
}

fn is_long(line: &DiffLine) -> bool {
    line.text.len() > LONG_LINE
}

/// So many bytes of a text, or fewer, so that no character is cut.
fn whole_characters(text: &str, bytes: usize) -> usize {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

fn tag(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Added => "ins",
        LineKind::Removed => "del",
        LineKind::Context => "span",
    }
}

/// Builds text with marks in it, in as few nodes as possible.
struct MarkedTextBuilder<'a> {
    view: &'a DiffBuilder,
    host: Element,
    /// Whether line ends that are not `\n` are shown.
    with_ends: bool,
    plain: String,
}

impl MarkedTextBuilder<'_> {
    fn line(&mut self, kind: LineKind, line: &DiffLine, marks: &[Range<usize>]) {
        self.plain.push(match kind {
            LineKind::Added => '+',
            LineKind::Removed => '−',
            LineKind::Context => ' ',
        });
        if is_long(line) && self.view.extent == Extent::Beginning {
            self.flush();
            self.view.long_line(&self.host, &line.text);
            return;
        }
        let mut at = 0;
        for mark in marks {
            self.plain.push_str(line.text.get(at..mark.start).unwrap_or_default());
            self.flush();
            let marked = line.text.get(mark.clone()).unwrap_or_default();
            let _ = self.host.append_child(&self.view.element("mark", "", marked));
            at = mark.end;
        }
        self.plain.push_str(line.text.get(at..).unwrap_or_default());
        if self.with_ends && line.end == LineEnd::CrLf {
            self.flush();
            if let Some(end) = token_node(&self.view.document, "CRLF") {
                let _ = self.host.append_child(&end);
            }
        }
    }

    fn flush(&mut self) {
        append_exact(&self.view.document, &self.host, &self.plain);
        self.plain.clear();
    }
}

fn label(button: &Element, rest: &[DiffPart]) {
    let lines: usize = rest.iter().map(DiffPart::lines).sum();
    button.set_text_content(Some(&cards::MORE_LINES.with(&[("n", lines.into())])));
}

/// The diff as text for `patch`. Hunk headers are exact only if the diff has line numbers.
pub fn as_text(diff: &Diff) -> String {
    let mut text = String::new();
    for file in &diff.files {
        if let Some(path) = file.path() {
            let old = file.old_path.as_deref().map_or("/dev/null".to_owned(), |path| format!("a/{path}"));
            let new = file.new_path.as_deref().map_or("/dev/null".to_owned(), |path| format!("b/{path}"));
            let _ = writeln!(text, "diff --git a/{path} b/{path}\n--- {old}\n+++ {new}");
        }
        for hunk in &file.hunks {
            let side = |without: LineKind, number: fn(&DiffLine) -> Option<u32>| {
                let lines = hunk.lines.iter().filter(|line| line.kind != without);
                let start = lines.clone().find_map(number).unwrap_or(0);
                format!("{start},{}", lines.count())
            };
            let (old, new) =
                (side(LineKind::Added, |line| line.old), side(LineKind::Removed, |line| line.new));
            let _ = writeln!(text, "@@ -{old} +{new} @@ {}", hunk.heading);
            for line in &hunk.lines {
                let sign = match line.kind {
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                    LineKind::Context => ' ',
                };
                let end = if line.end == LineEnd::CrLf { "\r" } else { "" };
                let _ = writeln!(text, "{sign}{}{end}", line.text);
                if line.end == LineEnd::Missing {
                    text.push_str("\\ No newline at end of file\n");
                }
            }
        }
    }
    text
}
