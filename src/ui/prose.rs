//! Owns the DOM of one markdown text and keeps every node that did not change; refuses HTML strings, to fetch what a
//! text names, and to do more between two frames than a reader notices.
//!
//! A long text is shown in parts, each an element of its own: what has been written of an earlier one is not touched
//! again, and those that are far from the reader are not in the document (`far`).

mod buttons;
mod caret;
mod code;
mod exact;
mod extras;
mod far;
mod held;
mod images;
mod known;
mod nodes;
mod part;

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::{Rc, Weak};

use leptos::prelude::request_animation_frame;
use web_sys::{Document, Element};

use super::lazy::{Growing, Source};
use crate::core::markdown::{Lead, NEXT, PART};
use buttons::Buttons;
use caret::Caret;
pub use exact::exact;
use far::Far;
use part::Part;

/// Bytes that are taken at once. A part that is to be cut is not much longer than it has to be.
const STEP: usize = 8 * 1024;
/// Bytes that are always shown with the frame in which they come, and of a backlog at first with each frame.
const SLICE: usize = 16 * 1024;
/// Bytes of a backlog that are shown with a frame at most, where the browser is quick.
const MOST: usize = 64 * 1024;
/// Milliseconds between two frames up to which the browser has time for more, and from which on it had too much: laying
/// out what was written takes longer than to write it, and is not to be seen from here.
const QUICK: f64 = 20.0;
const SLOW: f64 = 34.0;
/// Bytes after which the browser may leave out parts that are not on screen, of a text that is in the document as a
/// whole. One that it has never shown has a height that is only estimated, so scrolling back may move what is read.
const NEAR: usize = 256 * 1024;

/// The event with which a part of a text is asked for that is not in the document.
pub const BRING: &str = "ph-bring";
/// On the element that stands for such a part: where it is in the text, in bytes.
pub const AWAY: &str = "data-away";

/// On a part that goes on in the middle of a block.
const GOES_ON: &str = "data-goes-on";

/// A markdown text on the page, one element a block, that grows without disturbing what a reader has selected.
pub struct Prose {
    inner: Rc<RefCell<Inner>>,
    caret: Rc<Caret>,
    _buttons: Buttons,
}

impl Prose {
    /// Shows an empty text in `host`, whose children belong to this from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        Self::of(document, host, None)
    }

    /// The same, of which only what is near the reader is in the document if it is long and can be made again.
    pub fn of(document: &Document, host: &Element, source: Option<Rc<dyn Source>>) -> Self {
        host.set_text_content(None);
        let inner = Inner {
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
            far: source.map(Far::new),
        };
        Self { inner: Rc::new(RefCell::new(inner)), caret: Caret::new(host), _buttons: Buttons::listen(host) }
    }

    /// Goes on, and with every further frame, until all that came is shown. Behind a backlog it waits for its turn:
    /// what is written twice in a frame is laid out with one.
    fn show(&self) {
        let waits = {
            let inner = self.inner.borrow();
            inner.behind && !inner.document.hidden()
        };
        if !waits {
            advance(&self.inner);
        }
    }
}

fn advance(inner: &Rc<RefCell<Inner>>) {
    let behind = {
        let mut inner = inner.borrow_mut();
        inner.behind = inner.advance();
        inner.behind
    };
    let watched = inner.borrow().begins < far::LONG || far::watch(inner);
    if (behind || !watched) && !std::mem::replace(&mut inner.borrow_mut().waits, true) {
        let again: Weak<RefCell<Inner>> = Rc::downgrade(inner);
        request_animation_frame(move || {
            if let Some(inner) = again.upgrade() {
                {
                    let mut inner = inner.borrow_mut();
                    inner.waits = false;
                    inner.learn();
                }
                advance(&inner);
            }
        });
    }
}

impl Growing for Prose {
    fn update(&mut self, text: &str, done: bool) {
        self.inner.borrow_mut().replace(text, done);
        if done {
            self.caret.stop();
        } else {
            self.caret.goes_on();
        }
        self.show();
    }

    fn append(&mut self, whole: &str) {
        let taken = self.inner.borrow_mut().append(whole);
        if !taken {
            self.inner.borrow_mut().replace(whole, false);
        }
        self.caret.goes_on();
        self.show();
    }

    fn shown(&self) -> usize {
        self.inner.borrow().taken()
    }

    fn look(&mut self) {
        advance(&self.inner);
        far::look(&self.inner);
    }
}

/// A part to which nothing is added: where it ends in the text, and what tells whether another text is the same until
/// there. Its words are in the document, and nowhere else here.
struct Closed {
    end: usize,
    sum: u64,
    lead: Lead,
    element: Element,
    /// The browser has told how high it is.
    measured: bool,
}

struct Inner {
    document: Document,
    host: Element,
    closed: Vec<Closed>,
    /// Where the open part begins in the text.
    begins: usize,
    part: Part,
    /// What came and is not shown yet.
    coming: String,
    done: bool,
    /// A frame has been asked for.
    waits: bool,
    /// More had come than is shown at once.
    behind: bool,
    /// Bytes of a backlog that are shown with the next frame, and when some were before.
    pace: usize,
    turn: f64,
    far: Option<Far>,
}

impl Inner {
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

    /// Takes another text; what it has in common with this one stays as it is.
    fn replace(&mut self, text: &str, done: bool) {
        if self.taken() == 0 && self.closed.is_empty() && text.len() > far::LONG {
            self.recall(text);
        }
        let mut begins = 0;
        let same = |closed: &&Closed| {
            let words = text.get(begins..closed.end);
            begins = closed.end;
            words.is_some_and(|words| sum(words) == closed.sum)
        };
        let kept = self.closed.iter().take_while(same).count();
        if kept < self.closed.len() {
            self.restart(kept);
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

    /// Takes away everything behind the first closed parts.
    fn restart(&mut self, kept: usize) {
        self.part.remove(&self.host);
        for gone in self.closed.drain(kept..) {
            if gone.element == self.host {
                self.host.set_text_content(None);
            } else {
                gone.element.remove();
            }
        }
        self.begins = self.closed.last().map_or(0, |closed| closed.end);
        if let Some(far) = &mut self.far {
            far.truncate(kept);
        }
        self.coming.clear();
        let element = if kept == 0 { Some(self.host.clone()) } else { self.another() };
        self.part = Part::new(element.unwrap_or_else(|| self.host.clone()), Lead::None);
    }

    /// An element for the next part.
    fn another(&self) -> Option<Element> {
        let left_out = self.far.is_none() && self.begins > NEAR;
        part::element(&self.document, &self.host, left_out)
    }

    /// How long the browser took since it was given the last of a backlog says how much it can be given.
    fn learn(&mut self) {
        let took = now() - self.turn;
        if self.behind && took < QUICK {
            self.pace = (self.pace + STEP).min(MOST);
        } else if self.behind && took > SLOW {
            self.pace = (self.pace / 2).max(SLICE);
        }
    }

    /// Shows more of what came; true if there is still more.
    fn advance(&mut self) -> bool {
        let mut fed = 0;
        self.turn = now();
        let whole = self.far.as_ref().is_some_and(|far| far.source.whole());
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
            if let Some(far) = &mut self.far {
                far.push(&element, length);
            }
            let lead = self.part.lead().clone();
            self.closed.push(Closed { end: self.begins, sum, lead, element, measured: false });
            let Some(element) = self.another() else {
                return;
            };
            if cut.lead.goes_on() {
                // Fails for invalid names only.
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
