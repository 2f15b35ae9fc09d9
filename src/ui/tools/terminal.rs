//! The DOM of terminal output: few nodes, updated only from the first changed line on.
//!
//! Only the end of long output is read and shown; earlier lines follow on request.

use std::cell::RefCell;
use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, HtmlElement, Node, Text};

use crate::core::i18n::words::{cards, tools};
use crate::core::text::ansi::{Style, Terminal, TerminalLine};
use crate::core::text::hidden::{TextRun as Seen, printed_runs};
use crate::ui::elements::exact::token_node;

/// Lines that are rendered together; a change renders its group again from the start.
const GROUP: usize = 64;
/// Lines at the end that are shown at first. Coloured output can need an element per word, and a long session
/// has many terminals.
const TAIL: usize = 4 * GROUP;
/// Lines that are added when the reader asks for earlier ones.
const LINES_PER_PRESS: usize = 64 * GROUP;
/// Bytes at the end that are read at first. For earlier lines, up to four times as many more are read.
const READ: usize = 256 * 1024;

/// Terminal output on the page.
pub struct TerminalView {
    inner: Rc<RefCell<TerminalState>>,
    _earlier: Option<EventListener>,
}

impl TerminalView {
    /// Shows an empty terminal in `host`, and owns its children from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        host.set_text_content(None);
        let earlier = button(document, host);
        let inner = Rc::new(RefCell::new(TerminalState {
            document: document.clone(),
            earlier: earlier.clone(),
            screen: screen(document, host),
            terminal: Terminal::new(),
            source: String::new(),
            groups: Vec::new(),
            tail: TAIL,
            tail_on_screen: None,
            from: 0,
            skipped: 0,
        }));
        let listener = earlier.map(|earlier| {
            let inner = Rc::downgrade(&inner);
            EventListener::new(&earlier, "click", move |_| {
                if let Some(inner) = inner.upgrade() {
                    inner.borrow_mut().show_earlier();
                }
            })
        });
        Self { inner, _earlier: listener }
    }

    /// Shows the whole output so far. Only the new text is read if it begins with the previous output.
    pub fn update(&mut self, full_text: &str) {
        self.inner.borrow_mut().update(full_text);
    }

    /// Shows earlier lines while the page is printed: on paper nobody can ask for them.
    pub fn print(&mut self, on: bool) {
        self.inner.borrow_mut().print(on);
    }

    /// Like `update`, for output that is known to begin with what is shown.
    pub fn append(&mut self, full_text: &str) {
        self.inner.borrow_mut().append(full_text);
    }
}

fn button(document: &Document, host: &Element) -> Option<Element> {
    let button = document.create_element("button").ok()?;
    let _ = button.set_attribute("type", "button");
    let _ = button.set_attribute("class", "t-earlier");
    let _ = button.set_attribute("hidden", "");
    host.append_child(&button).ok()?;
    Some(button)
}

fn screen(document: &Document, host: &Element) -> Option<Element> {
    let scroller = document.create_element("div").ok()?;
    scroller.set_class_name("t-scroll");
    // Scrollable content must be reachable by keyboard.
    let _ = scroller.set_attribute("tabindex", "0");
    let _ = scroller.set_attribute("role", "group");
    let _ = scroller.set_attribute("aria-label", tools::OUTPUT.text());
    let screen = document.create_element("pre").ok()?;
    let _ = screen.set_attribute("class", "terminal");
    let _ = screen.set_attribute("dir", "ltr");
    let _ = screen.set_attribute("translate", "no");
    scroller.append_child(&screen).ok()?;
    host.append_child(&scroller).ok()?;
    Some(screen)
}

struct TerminalState {
    document: Document,
    earlier: Option<Element>,
    screen: Option<Element>,
    terminal: Terminal,
    source: String,
    groups: Vec<LineGroup>,
    /// Lines at the end that are shown.
    tail: usize,
    /// The same before the page was printed, as long as it is.
    tail_on_screen: Option<usize>,
    /// The byte from which the output was read, and the number of lines before it.
    from: usize,
    skipped: usize,
}

/// Some lines and the nodes that show them.
struct LineGroup {
    /// The number of its first line, dropped lines included.
    first: usize,
    runs: Vec<StyledRun>,
}

/// Text of one style in one node, which may span several lines, or the name of a hidden character.
struct StyledRun {
    text: String,
    style: Style,
    is_token: bool,
    /// The address that it links to.
    address: Option<String>,
    node: Node,
}

/// A run that has no node yet.
struct NewRun {
    text: String,
    style: Style,
    is_token: bool,
}

impl TerminalState {
    fn update(&mut self, text: &str) {
        if let Some(new) = text.strip_prefix(self.source.as_str()) {
            self.add(new);
        } else {
            text.clone_into(&mut self.source);
            self.read(self.source.len().saturating_sub(READ));
        }
    }

    fn append(&mut self, text: &str) {
        match text.get(self.source.len()..) {
            Some(new) => self.add(new),
            None => self.update(text),
        }
    }

    fn add(&mut self, new: &str) {
        self.source.push_str(new);
        if new.len() > READ {
            return self.read(self.source.len() - READ);
        }
        self.terminal.write(new);
        if let Some(changed) = self.terminal.take_first_changed() {
            self.draw(changed);
        }
    }

    /// Reads the output again, from the start of the line that byte `from` is in.
    fn read(&mut self, from: usize) {
        let mut from = from;
        while !self.source.is_char_boundary(from) {
            from += 1;
        }
        let before = self.source.get(..from).unwrap_or_default();
        // A very long line is cut.
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        self.from = if from - line <= READ { line } else { from };
        self.skipped = newlines(self.source.get(..self.from).unwrap_or_default());
        self.terminal = Terminal::new();
        self.terminal.write(self.source.get(self.from..).unwrap_or_default());
        self.terminal.take_first_changed();
        // Everything is compared, so that nodes that did not change stay.
        self.draw(0);
    }

    fn show_earlier(&mut self) {
        let (_, from) = self.earlier();
        self.tail += LINES_PER_PRESS;
        for group in self.groups.drain(..) {
            group.remove();
        }
        match from {
            Some(from) => self.read(from),
            None => self.draw(0),
        }
    }

    fn print(&mut self, on: bool) {
        match (on, self.tail_on_screen) {
            (true, None) => {
                self.tail_on_screen = Some(self.tail);
                if self.earlier().0 > 0 {
                    self.show_earlier();
                }
            }
            (false, Some(tail)) => {
                self.tail_on_screen = None;
                if self.tail != tail {
                    self.tail = tail;
                    self.groups.drain(..).for_each(|group| group.remove());
                    self.draw(0);
                }
            }
            _ => {}
        }
    }

    /// The number of lines that are shown next when the reader asks for earlier ones, and the byte to read
    /// from for them; `None` if they have been read already.
    fn earlier(&self) -> (usize, Option<usize>) {
        let earlier_lines = self.first_shown_line().saturating_sub(self.terminal.dropped());
        if earlier_lines > 0 || self.from == 0 || self.terminal.dropped() > 0 {
            return (earlier_lines.min(LINES_PER_PRESS), None);
        }
        let nearest = self.from.saturating_sub(4 * READ);
        let nearest = (nearest..self.from).find(|at| self.source.is_char_boundary(*at)).unwrap_or(0);
        let before = self.source.get(nearest..self.from.saturating_sub(1)).unwrap_or_default();
        let line =
            before.rmatch_indices('\n').nth(LINES_PER_PRESS - 1).map_or(nearest, |(at, _)| nearest + at + 1);
        let lines = newlines(self.source.get(line..self.from).unwrap_or_default());
        (lines.max(1), Some(line))
    }

    /// The first line that is shown, at the start of a group.
    fn first_shown_line(&self) -> usize {
        let dropped = self.terminal.dropped();
        let end = dropped + self.terminal.lines().len();
        let begin = end.saturating_sub(self.tail).next_multiple_of(GROUP);
        dropped.max(begin)
    }

    fn draw(&mut self, changed: usize) {
        let begin = self.first_shown_line();
        let end = self.terminal.dropped() + self.terminal.lines().len();
        let passed = if self.groups.first().is_some_and(|group| group.first > begin) {
            // Lines were erased, so that more of those before them are shown.
            self.groups.len()
        } else {
            self.groups.iter().take_while(|group| (group.first / GROUP + 1) * GROUP <= begin).count()
        };
        for group in self.groups.drain(..passed) {
            group.remove();
        }
        // The last line before a change may get its line end.
        let unchanged =
            self.groups.iter().take_while(|group| (group.first / GROUP + 1) * GROUP < changed).count();
        let mut stale = self.groups.split_off(unchanged).into_iter();
        let mut first = self.groups.last().map_or(begin, |group| (group.first / GROUP + 1) * GROUP);
        while first < end {
            let next = (first / GROUP + 1) * GROUP;
            let runs = self.runs(first, next.min(end), next < end);
            let old = stale.next().map(|group| group.runs).unwrap_or_default();
            let before =
                stale.as_slice().first().and_then(|group| group.runs.first()).map(|run| run.node.clone());
            let runs = self.replace_runs(old, runs, before.as_ref());
            self.groups.push(LineGroup { first, runs });
            first = next;
        }
        for group in stale {
            group.remove();
        }
        self.label();
    }

    fn label(&self) {
        let Some(earlier) = &self.earlier else { return };
        let dropped = self.terminal.dropped();
        let (next, _) = self.earlier();
        let all = next >= self.first_shown_line().saturating_sub(dropped);
        let missing = if dropped > 0 && all { dropped + self.skipped } else { 0 };
        if next == 0 && missing == 0 {
            let _ = earlier.set_attribute("hidden", "");
            return;
        }
        let _ = earlier.remove_attribute("hidden");
        let on_paper = self.tail_on_screen.is_some();
        let text = match (next, missing) {
            (1.., _) if on_paper => {
                cards::EARLIER_NOT_PRINTED.with(&[("n", (self.first_shown_line() + self.skipped).into())])
            }
            (0, missing) => cards::EARLIER_NOT_KEPT.with(&[("n", missing.into())]),
            (next, 0) => cards::SHOW_EARLIER.with(&[("n", next.into())]),
            (next, missing) => cards::SHOW_EARLIER_KEPT.with(&[("n", next.into()), ("gone", missing.into())]),
        };
        if earlier.text_content().as_deref() != Some(text.as_str()) {
            earlier.set_text_content(Some(&text));
        }
        let _ = if next == 0 {
            earlier.set_attribute("disabled", "")
        } else {
            earlier.remove_attribute("disabled")
        };
    }

    /// The lines from `first` to `end` as runs; `newline` if another line follows them.
    fn runs(&self, first: usize, end: usize, newline: bool) -> Vec<NewRun> {
        let dropped = self.terminal.dropped();
        let lines = self
            .terminal
            .lines()
            .get(first.saturating_sub(dropped)..end.saturating_sub(dropped))
            .unwrap_or_default();
        let mut runs: Vec<NewRun> = Vec::new();
        let count = lines.len();
        for (at, TerminalLine { spans }) in lines.iter().enumerate() {
            for span in spans {
                for seen in printed_runs(&span.text) {
                    match seen {
                        Seen::Plain(text) => push(&mut runs, text, span.style),
                        Seen::Token(text) => runs.push(NewRun { text, style: span.style, is_token: true }),
                    }
                }
            }
            if newline || at + 1 < count {
                // A line end joins the run before it, unless that run's style would be visible on it.
                let style = runs.last().map(|run| run.style).filter(|style| {
                    style.background.is_none()
                        && !style.underline
                        && !style.inverse
                        && !style.strike
                        && style.link.is_none()
                });
                push(&mut runs, "\n", style.unwrap_or_default());
            }
        }
        runs
    }

    /// Replaces runs by others, keeping the nodes of those whose style stays.
    fn replace_runs(&self, old: Vec<StyledRun>, new: Vec<NewRun>, before: Option<&Node>) -> Vec<StyledRun> {
        let mut old = old.into_iter().peekable();
        let mut placed = Vec::with_capacity(new.len());
        for NewRun { text, style, is_token } in new {
            let address = self.terminal.address(&style);
            if let Some(mut run) = old.next_if(|run| {
                (run.style, run.is_token, run.address.as_deref()) == (style, is_token, address)
            }) {
                run.rewrite(text);
                placed.push(run);
                continue;
            }
            // From the first run with another style on, nothing matches any more.
            for run in old.by_ref() {
                run.remove();
            }
            let node = if is_token {
                token_node(&self.document, &text)
            } else {
                self.create_node(&text, style, address)
            };
            let Some(node) = node else {
                continue;
            };
            if let Some(screen) = &self.screen
                && screen.insert_before(&node, before).is_err()
            {
                let _ = screen.append_child(&node);
            }
            placed.push(StyledRun { text, style, is_token, address: address.map(str::to_owned), node });
        }
        for run in old {
            run.remove();
        }
        placed
    }

    fn create_node(&self, text: &str, style: Style, address: Option<&str>) -> Option<Node> {
        if style.is_plain() {
            return Some(self.document.create_text_node(text).into());
        }
        let span = self.document.create_element(if address.is_some() { "a" } else { "span" }).ok()?;
        span.set_text_content(Some(text));
        if let Some(address) = address {
            for (name, value) in [
                ("href", address),
                ("title", address),
                ("target", "_blank"),
                ("rel", "noopener noreferrer nofollow"),
            ] {
                let _ = span.set_attribute(name, value);
            }
        }
        let (classes, own) = style.css_classes();
        if let Some(element) = span.dyn_ref::<HtmlElement>() {
            for (name, value) in own {
                // Fails only for a property that can't be written.
                let _ = element.style().set_property(&name, &value);
            }
        }
        span.set_class_name(&classes);
        Some(span.into())
    }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

fn push(runs: &mut Vec<NewRun>, text: &str, style: Style) {
    match runs.last_mut() {
        Some(last) if last.style == style && !last.is_token => last.text.push_str(text),
        _ => runs.push(NewRun { text: text.to_owned(), style, is_token: false }),
    }
}

impl StyledRun {
    fn rewrite(&mut self, text: String) {
        if text == self.text {
            return;
        }
        let inner = if self.style.is_plain() && !self.is_token {
            Some(self.node.clone())
        } else {
            self.node.first_child()
        };
        let inner = inner.and_then(|node| node.dyn_into::<Text>().ok());
        match (inner, text.strip_prefix(self.text.as_str())) {
            (Some(inner), Some(new)) => {
                let _ = inner.append_data(new);
            }
            (Some(inner), None) => inner.set_data(&text),
            (None, _) => self.node.set_text_content(Some(&text)),
        }
        self.text = text;
    }

    fn remove(&self) {
        if let Some(parent) = self.node.parent_node() {
            let _ = parent.remove_child(&self.node);
        }
    }
}

impl LineGroup {
    fn remove(&self) {
        self.runs.iter().for_each(StyledRun::remove);
    }
}
