//! A text on the page: plain until the chunk that renders markdown has been loaded.

use std::rc::Rc;

use leptos::prelude::untrack;
use web_sys::{Document, Element, Text};

use crate::ui::lazy;
use crate::ui::lazy::{GrowingText, TextSource};

/// A growing text in an element of its own.
pub struct Written {
    document: Document,
    host: Element,
    shown: Box<dyn GrowingText>,
    source: Option<Rc<dyn TextSource>>,
    formatted: bool,
}

impl Written {
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
            || Box::new(Plain::new(document, host)) as Box<dyn GrowingText>,
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

/// Bytes after which the next line begins another paragraph: one that grows without end is laid out again and
/// again.
const LONG: usize = 8 * 1024;

/// Unformatted text, with its line ends.
struct Plain {
    document: Document,
    host: Element,
    open: Option<Text>,
    /// Bytes in the open paragraph.
    length: usize,
    shown: usize,
}

impl Plain {
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
            if self.length >= LONG {
                self.begin();
            }
            let mut room = (LONG - self.length).min(more.len());
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
            self.length = if rest.is_empty() { self.length + part.len() } else { LONG };
            more = rest;
        }
    }
}

impl GrowingText for Plain {
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
