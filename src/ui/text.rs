//! A text on the page: plain until the part of the program that knows markdown is here. Refuses to parse.

use web_sys::{Document, Element, Text};

use super::lazy::{self, Growing};

/// A growing text in an element of its own.
pub struct Written {
    document: Document,
    host: Element,
    shown: Box<dyn Growing>,
    formatted: bool,
}

impl Written {
    /// Nothing yet, in `host`, whose children belong to this from now on.
    pub fn new(document: &Document, host: &Element) -> Self {
        let plain = Plain::new(document, host);
        Self { document: document.clone(), host: host.clone(), shown: Box::new(plain), formatted: false }
    }

    /// Shows the whole text so far; an append costs what it adds. Whoever calls this under an effect is run again
    /// when the text can be shown formatted.
    pub fn show(&mut self, text: &str, done: bool) {
        if !self.formatted
            && let Ok(words) = lazy::words()
        {
            self.shown = (words.prose)(&self.document, &self.host);
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

/// Words as they came, with their line ends.
struct Plain {
    text: Text,
    shown: usize,
}

impl Plain {
    fn new(document: &Document, host: &Element) -> Self {
        host.set_text_content(None);
        let text = document.create_text_node("");
        if let Ok(plain) = document.create_element("p") {
            // Fails for invalid names only, and where a node would contain itself.
            let _ = plain.set_attribute("class", "plain");
            let _ = plain.append_child(&text);
            let _ = host.append_child(&plain);
        }
        Self { text, shown: 0 }
    }
}

impl Growing for Plain {
    fn update(&mut self, text: &str, _done: bool) {
        self.text.set_data(text);
        self.shown = text.len();
    }

    fn append(&mut self, whole: &str) {
        match whole.get(self.shown..) {
            Some(more) => {
                // Fails for nothing: the data has no maximum that a session reaches.
                let _ = self.text.append_data(more);
                self.shown = whole.len();
            }
            None => self.update(whole, false),
        }
    }

    fn shown(&self) -> usize {
        self.shown
    }
}
