//! A text on the page as it grows: unformatted until the chunk that renders markdown has been loaded, then its markdown as DOM,
//! in which every node stays that did not change.
//!
//! A long text is rendered in parts, each an element of its own. Earlier parts are not touched again, and
//! parts far from the reader are not in the document (`virtualize`). Each frame renders only as much as a reader
//! does not notice. What a text refers to is not fetched.

mod buttons;
mod caret;
mod code_block;
mod dom;
mod extras;
mod for_approval;
mod height_cache;
mod images;
mod in_use;
mod long_line;
mod part;
mod virtualize;

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::{Rc, Weak};

use leptos::prelude::{request_animation_frame, untrack};
use web_sys::{Document, Element, Text};

use crate::core::text::markdown::{Lead, NEXT, PART};
use crate::ui::lazy;
use crate::ui::lazy::{GrowingText, TextSource};
use buttons::Buttons;
use caret::Caret;
pub use for_approval::exact;
use part::Part;
use virtualize::VirtualParts;

/// Bytes that are given to the parser at once, so that a part is cut soon after it is long enough.
const STEP: usize = 8 * 1024;
/// Bytes that are always rendered in the frame in which they arrive; also the bytes of a backlog per frame at
/// first.
const SLICE: usize = 16 * 1024;
/// Most bytes of a backlog that are rendered per frame, if the browser is quick.
const MOST: usize = 64 * 1024;
/// Milliseconds between two frames: up to `QUICK` the browser has time for more, from `SLOW` on it had too
/// much. The layout takes longer than writing to the DOM, and can't be measured from here.
const QUICK: f64 = 20.0;
const SLOW: f64 = 34.0;
/// For a text that is in the document as a whole: bytes after which the browser may skip parts that are not
/// on screen. The height of a part that it has never rendered is an estimate, so scrolling back may move the
/// text.
const NEAR: usize = 256 * 1024;
/// Bytes after which the next line begins another paragraph: one that grows without end is laid out again and
/// again.
const LONGEST_PARAGRAPH: usize = 8 * 1024;

/// The event that asks for a part of a text to be put into the document.
pub const BRING: &str = "ph-bring";
/// Attribute of the placeholder for such a part: its range in the text, as `from-to` in bytes.
pub const AWAY: &str = "data-away";

/// Attribute of a part that begins in the middle of a block.
const GOES_ON: &str = "data-goes-on";

/// A growing text in an element of its own.
pub struct MessageText {
    document: Document,
    host: Element,
    shown: Box<dyn GrowingText>,
    source: Option<Rc<dyn TextSource>>,
    formatted: bool,
}

impl MessageText {
    /// Shows an empty text in `host`, and owns its children from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        Self::from(document, host, None)
    }

    /// Same as `new`, but only what is near the reader is in the document if the text is long.
    pub fn of(document: &Document, host: &Element, source: Rc<dyn TextSource>) -> Self {
        Self::from(document, host, Some(source))
    }

    fn from(document: &Document, host: &Element, source: Option<Rc<dyn TextSource>>) -> Self {
        let words = untrack(|| lazy::WORDS.ready()).ok();
        let shown = words.map_or_else(
            || Box::new(PlainText::new(document, host)) as Box<dyn GrowingText>,
            |words| (words.prose)(document, host, source.clone()),
        );
        let formatted = words.is_some();
        Self { document: document.clone(), host: host.clone(), shown, source, formatted }
    }

    /// Must be called when the value of [`TextSource::whole`] has changed.
    pub fn look(&mut self) {
        self.shown.look();
    }

    /// Shows the whole text so far; appending costs only the new text. An effect that calls this runs again
    /// when the text can be shown formatted.
    pub fn show(&mut self, text: &str, done: bool) {
        if !self.formatted
            && let Ok(words) = lazy::WORDS.ready()
        {
            self.shown = (words.prose)(&self.document, &self.host, self.source.clone());
            self.formatted = true;
        }
        let shown = self.shown.shown();
        if !done && shown > 0 && text.len() >= shown {
            self.shown.append(text);
        } else {
            self.shown.update(text, done);
        }
    }
}

/// Unformatted text, with its line ends.
struct PlainText {
    document: Document,
    host: Element,
    open: Option<Text>,
    /// Bytes in the open paragraph.
    length: usize,
    shown: usize,
}

impl PlainText {
    fn new(document: &Document, host: &Element) -> Self {
        host.set_text_content(None);
        let mut plain =
            Self { document: document.clone(), host: host.clone(), open: None, length: 0, shown: 0 };
        plain.begin();
        plain
    }

    fn begin(&mut self) {
        let text = self.document.create_text_node("");
        if let Ok(plain) = self.document.create_element("p") {
            // Fails for invalid names only, and where a node would contain itself.
            let _ = plain.set_attribute("class", "plain");
            let _ = plain.append_child(&text);
            let _ = self.host.append_child(&plain);
        }
        self.open = Some(text);
        self.length = 0;
    }

    fn add(&mut self, mut more: &str) {
        self.shown += more.len();
        while !more.is_empty() {
            if self.length >= LONGEST_PARAGRAPH {
                self.begin();
            }
            let mut room = (LONGEST_PARAGRAPH - self.length).min(more.len());
            while !more.is_char_boundary(room) {
                room += 1;
            }
            let line = more.get(..room).and_then(|part| part.rfind('\n')).filter(|_| room < more.len());
            let (part, rest) =
                more.split_at_checked(line.map_or(room, |line| line + 1)).unwrap_or((more, ""));
            if let Some(open) = &self.open {
                // Does not fail: no text of a session reaches the maximum length of a node.
                let _ = open.append_data(part);
            }
            self.length = if rest.is_empty() { self.length + part.len() } else { LONGEST_PARAGRAPH };
            more = rest;
        }
    }
}

impl GrowingText for PlainText {
    fn update(&mut self, text: &str, _done: bool) {
        self.host.set_text_content(None);
        self.shown = 0;
        self.begin();
        self.add(text);
    }

    fn append(&mut self, whole: &str) {
        // A browser's translator may have put words of its own in the place of the text.
        let in_place = self.open.as_ref().and_then(|open| open.parent_element());
        let in_place = in_place.is_some_and(|paragraph| paragraph.class_name() == "plain");
        match whole.get(self.shown..).filter(|_| in_place) {
            Some(more) => self.add(more),
            None => self.update(whole, false),
        }
    }

    fn shown(&self) -> usize {
        self.shown
    }
}

/// A markdown text on the page, one element per block. It grows without disturbing what a reader has
/// selected.
pub struct Prose {
    state: Rc<RefCell<ProseState>>,
    caret: Rc<Caret>,
    _buttons: Buttons,
}

impl Prose {
    /// Shows an empty text in `host`, and owns its children from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        Self::of(document, host, None)
    }

    /// Same as `new`, but only what is near the reader is in the document if the text is long and has a
    /// source.
    pub fn of(document: &Document, host: &Element, source: Option<Rc<dyn TextSource>>) -> Self {
        host.set_text_content(None);
        let state = ProseState {
            document: document.clone(),
            host: host.clone(),
            closed: Vec::new(),
            begins: 0,
            part: Part::new(host.clone(), Lead::None),
            coming: String::new(),
            done: false,
            waits: false,
            behind: false,
            pace: SLICE,
            turn: now(),
            virtual_parts: source.map(VirtualParts::new),
        };
        Self { state: Rc::new(RefCell::new(state)), caret: Caret::new(host), _buttons: Buttons::listen(host) }
    }

    /// Renders what has arrived, over several frames if necessary. With a backlog new text waits for the next
    /// frame, so that there is one layout per frame; but not on a hidden page, which has no frames.
    fn show(&self) {
        let waits = {
            let state = self.state.borrow();
            state.behind && !state.document.hidden()
        };
        if !waits {
            advance(&self.state);
        }
    }
}

fn advance(state: &Rc<RefCell<ProseState>>) {
    let behind = {
        let mut state = state.borrow_mut();
        state.behind = state.advance();
        state.behind
    };
    let watched = state.borrow().begins < virtualize::LONG || virtualize::watch(state);
    if (behind || !watched) && !std::mem::replace(&mut state.borrow_mut().waits, true) {
        let again: Weak<RefCell<ProseState>> = Rc::downgrade(state);
        request_animation_frame(move || {
            if let Some(state) = again.upgrade() {
                {
                    let mut state = state.borrow_mut();
                    state.waits = false;
                    state.learn();
                }
                advance(&state);
            }
        });
    }
}

impl GrowingText for Prose {
    fn update(&mut self, text: &str, done: bool) {
        self.state.borrow_mut().replace(text, done);
        if done {
            self.caret.stop();
        } else {
            self.caret.goes_on();
        }
        self.show();
    }

    fn append(&mut self, whole: &str) {
        let taken = self.state.borrow_mut().append(whole);
        if !taken {
            self.state.borrow_mut().replace(whole, false);
        }
        self.caret.goes_on();
        self.show();
    }

    fn shown(&self) -> usize {
        self.state.borrow().taken()
    }

    fn look(&mut self) {
        advance(&self.state);
        virtualize::look(&self.state);
    }
}

/// A part to which nothing is added any more: where it ends in the text, and a hash that shows whether
/// another text is the same there. Its text is in the document, but not stored here.
struct Closed {
    end: usize,
    sum: u64,
    lead: Lead,
    element: Element,
}

struct ProseState {
    document: Document,
    host: Element,
    closed: Vec<Closed>,
    /// Where the open part begins in the text, in bytes.
    begins: usize,
    part: Part,
    /// Text that has arrived and is not rendered yet.
    coming: String,
    done: bool,
    /// A frame has been requested.
    waits: bool,
    /// There is a backlog: more had arrived than is rendered at once.
    behind: bool,
    /// Bytes of a backlog that are rendered with the next frame, and when the last ones were.
    pace: usize,
    turn: f64,
    virtual_parts: Option<VirtualParts>,
}

impl ProseState {
    fn taken(&self) -> usize {
        self.begins + self.part.source().len() + self.coming.len()
    }

    fn append(&mut self, whole: &str) -> bool {
        match whole.get(self.taken()..) {
            Some(more) => {
                self.coming.push_str(more);
                self.done = false;
                true
            }
            None => false,
        }
    }

    /// Replaces the text; parts that both texts have in common stay.
    fn replace(&mut self, text: &str, done: bool) {
        if self.taken() == 0 && self.closed.is_empty() && text.len() > virtualize::LONG {
            self.recall(text);
        }
        let mut begins = 0;
        let same = |closed: &&Closed| {
            let words = text.get(begins..closed.end);
            begins = closed.end;
            words.is_some_and(|words| sum(words) == closed.sum)
        };
        let unchanged = self.closed.iter().take_while(same).count();
        if unchanged < self.closed.len() {
            self.restart(unchanged);
        }
        let rest = text.get(self.begins..).unwrap_or_default();
        if let Some(more) = rest.strip_prefix(self.part.source()) {
            more.clone_into(&mut self.coming);
        } else if rest.len() <= SLICE {
            self.coming.clear();
            self.part.update(&self.document, rest);
        } else {
            self.coming.clear();
            self.part.update(&self.document, "");
            rest.clone_into(&mut self.coming);
        }
        self.done = done;
    }

    /// Removes everything after the first `unchanged` closed parts.
    fn restart(&mut self, unchanged: usize) {
        self.part.remove(&self.host);
        for gone in self.closed.drain(unchanged..) {
            if gone.element == self.host {
                self.host.set_text_content(None);
            } else {
                gone.element.remove();
            }
        }
        self.begins = self.closed.last().map_or(0, |closed| closed.end);
        if let Some(virtual_parts) = &mut self.virtual_parts {
            virtual_parts.parts.truncate(unchanged);
        }
        self.coming.clear();
        let element = if unchanged == 0 { Some(self.host.clone()) } else { self.another() };
        self.part = Part::new(element.unwrap_or_else(|| self.host.clone()), Lead::None);
    }

    /// Appends an element for the next part.
    fn another(&self) -> Option<Element> {
        let left_out = self.virtual_parts.is_none() && self.begins > NEAR;
        part::element(&self.document, &self.host, left_out)
    }

    /// Adapts the pace to the time that the browser took for the last piece of a backlog.
    fn learn(&mut self) {
        let took = now() - self.turn;
        if self.behind && took < QUICK {
            self.pace = (self.pace + STEP).min(MOST);
        } else if self.behind && took > SLOW {
            self.pace = (self.pace / 2).max(SLICE);
        }
    }

    /// Renders more of what has arrived. Returns whether there is still more.
    fn advance(&mut self) -> bool {
        let mut fed = 0;
        self.turn = now();
        let whole = self.virtual_parts.as_ref().is_some_and(|virtual_parts| virtual_parts.source.whole());
        while !self.coming.is_empty() {
            if fed >= self.pace && !whole {
                return true;
            }
            let mut end = self.coming.len().min(STEP);
            while !self.coming.is_char_boundary(end) {
                end += 1;
            }
            let rest = self.coming.split_off(end);
            let step = std::mem::replace(&mut self.coming, rest);
            fed += step.len();
            self.part.extend(&self.document, &step);
            self.cut();
        }
        if self.done {
            self.part.finish(&self.document);
        }
        false
    }

    /// Closes the open part, as often as it has grown long enough.
    fn cut(&mut self) {
        while let Some(cut) = self.part.cut(if self.closed.is_empty() { PART } else { NEXT }) {
            let rest = self.part.source().get(cut.at..).unwrap_or_default().to_owned();
            let words = self.part.source().get(..cut.at).unwrap_or_default();
            let (length, sum) = (words.len(), sum(words));
            self.part.close(&self.document, cut.at);
            self.begins += length;
            let element = self.part.element().clone();
            if let Some(virtual_parts) = &mut self.virtual_parts {
                virtual_parts.push(&element, length);
            }
            let lead = self.part.lead().clone();
            self.closed.push(Closed { end: self.begins, sum, lead, element });
            let Some(element) = self.another() else {
                return;
            };
            if cut.lead.goes_on() {
                // Fails only for invalid names.
                let _ = element.set_attribute(GOES_ON, "");
            }
            self.part = Part::new(element, cut.lead);
            self.part.extend(&self.document, &rest);
        }
    }
}

fn sum(words: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

fn now() -> f64 {
    web_sys::window().and_then(|window| window.performance()).map_or(0.0, |clock| clock.now())
}
