//! Writes markup: every text and attribute value is escaped, names of tags and attributes are literals.

use std::fmt::Write as _;

use crate::text::hidden;
use crate::text::hidden::TextRun;

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

    /// An element without content and without an end tag.
    pub(super) fn leaf(&mut self, tag: &'static str, attributes: &[(&'static str, &str)]) -> &mut Self {
        self.open(tag, attributes)
    }

    /// An element that contains a text.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: &[(&'static str, &str)],
        text: &str,
    ) -> &mut Self {
        self.open(tag, attributes);
        // Browsers drop a line break right after the start tag of a `pre`, so a second one is written.
        if tag == "pre" && text.starts_with('\n') {
            self.0.push('\n');
        }
        self.text(text).close(tag)
    }

    /// An escaped text.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.escaped(text);
        self
    }

    /// A text with names in place of its hidden characters, because what
    /// somebody allowed must be readable exactly.
    pub(super) fn exact(&mut self, text: &str) -> &mut Self {
        self.runs(hidden::runs(text))
    }

    /// The same for what a program printed.
    pub(super) fn printed(&mut self, text: &str) -> &mut Self {
        self.runs(hidden::printed_runs(text))
    }

    fn runs(&mut self, runs: Vec<TextRun<'_>>) -> &mut Self {
        for run in runs {
            match run {
                TextRun::Plain(text) => _ = self.text(text),
                TextRun::Token(name) => _ = self.token(&name),
            }
        }
        self
    }

    /// A name in place of something that nobody sees.
    pub(super) fn token(&mut self, name: &str) -> &mut Self {
        self.element("mark", &[("class", "unseen")], name)
    }

    /// The project's own style sheets; `:host` of the page's element becomes `:root` of the document.
    pub(super) fn style(&mut self, rules: &str) -> &mut Self {
        self.open("style", &[]);
        self.0.push_str(&rules.replace(":host", ":root"));
        self.close("style")
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }

    /// Escapes quotes too, so that a text is safe in an attribute as well. Control characters, which HTML
    /// forbids, become the replacement character.
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
