//! The writer of markup: every text and every value goes through it and is escaped. Refuses names that are not literals.

use std::fmt::Write as _;

use crate::hidden::{self, Segment};

/// Markup under construction.
#[derive(Debug, Default)]
pub(super) struct Page(String);

impl Page {
    pub(super) fn doctype(&mut self) -> &mut Self {
        self.0.push_str("<!doctype html>\n");
        self
    }

    /// A start tag.
    pub(super) fn open(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) -> &mut Self {
        let _ = write!(self.0, "<{tag}");
        for (name, value) in attributes {
            let _ = write!(self.0, " {name}=\"");
            self.escaped(value);
            self.0.push('"');
        }
        self.0.push('>');
        self
    }

    /// An end tag.
    pub(super) fn close(&mut self, tag: &'static str) -> &mut Self {
        let _ = write!(self.0, "</{tag}>");
        if matches!(tag, "article" | "header" | "head" | "dl" | "nav" | "main") {
            self.0.push('\n');
        }
        self
    }

    /// An element that has no inside.
    pub(super) fn leaf(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) -> &mut Self {
        self.open(tag, attributes)
    }

    /// An element with a text.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(tag, attributes);
        // A line end behind the start tag of a `pre` is dropped by browsers: one more keeps the text's own.
        if tag == "pre" && text.starts_with('\n') {
            self.0.push('\n');
        }
        self.text(text).close(tag)
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escaped(text);
        self
    }

    /// A text in which hidden characters are named: what somebody allowed has to be readable as it was.
    pub(super) fn exact(&mut self, text: &str) -> &mut Self {
        for segment in hidden::segments(text) {
            match segment {
                Segment::Plain(text) => _ = self.text(text),
                Segment::Hidden { name, .. } => _ = self.element("mark", &[("class", "unseen")], &name),
            }
        }
        self
    }

    /// The sheets, which are ours: `:host` of an element is `:root` of a document.
    pub(super) fn style(&mut self, sheets: &[&'static str]) -> &mut Self {
        self.open("style", &[]);
        for sheet in sheets {
            // Whom the comment at the start of a sheet is for reads the source.
            let rules = sheet.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/"));
            self.0.push_str(rules.map_or(*sheet, |(_, rules)| rules).replace(":host", ":root").trim_start());
        }
        self.close("style")
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// `'` and `"` as well, so that it does not matter where a text stands. Characters that HTML forbids become the
    /// one that stands for unreadable ones.
    fn escaped(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\r' => self.0.push_str("&#13;"),
                '\n' | '\t' => self.0.push(letter),
                letter if letter.is_control() => self.0.push('\u{FFFD}'),
                letter => self.0.push(letter),
            }
        }
    }
}
