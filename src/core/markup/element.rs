//! Elements as data, in the words of the page's own builder, and the only place that writes markup: names of tags and attributes
//! are literals, every text and value is escaped.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::text::hidden::{TextRun, printed_runs, runs};
use crate::text::review_marks::{ReviewMark, TextKind, path_names, review};
use crate::view_model::icon::Icon;

/// An element under construction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an element that is not put anywhere shows nothing"]
pub struct El {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    /// Properties of its own, which become rules of a style sheet: a page's policy forbids attributes with styles.
    properties: Vec<(&'static str, String)>,
    children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Text(String),
    Element(El),
}

/// A new element. Code and keys are not translated by browsers: a command that is read is the command that runs.
pub fn el(tag: &'static str) -> El {
    let element = El { tag, attributes: Vec::new(), properties: Vec::new(), children: Vec::new() };
    if matches!(tag, "code" | "kbd") { element.attr("translate", "no") } else { element }
}

/// A new element with a class.
pub fn div(class: &str) -> El {
    el("div").class(class)
}

/// An icon, hidden from screen readers: the text beside it says the same.
pub fn glyph(icon: Icon) -> El {
    let path = el("path").attr("d", icon.path());
    el("svg").attr("class", "i").attr("viewBox", "0 0 16 16").attr("aria-hidden", "true").child(path)
}

/// The class of a name in place of a hidden character.
const TOKEN: &str = "hidden-char";

/// A name in place of something that nobody sees.
pub fn token(name: &str) -> El {
    el("span").class(TOKEN).text(name)
}

/// Adds a text with names in place of its hidden characters.
pub fn exact(host: El, text: &str) -> El {
    with_runs(host, runs(text))
}

/// The same for what a program printed.
pub fn printed(host: El, text: &str) -> El {
    with_runs(host, printed_runs(text))
}

fn with_runs(host: El, runs: Vec<TextRun<'_>>) -> El {
    runs.into_iter().fold(host, |host, run| match run {
        TextRun::Plain(text) => host.text(text),
        TextRun::Token(name) => host.child(token(&name)),
    })
}

/// Adds a text that is to be approved, with everything marked that a reader would miss.
pub fn reviewed(host: El, text: &str, kind: TextKind) -> El {
    let marks = review(text, kind);
    if kind == TextKind::Line && marks.iter().all(|mark| matches!(mark, ReviewMark::Plain(_))) {
        // A path is broken behind its separators.
        let mut names = path_names(text);
        let first = names.next().unwrap_or_default();
        return names.fold(host.text(first), |host, name| host.child(el("wbr")).text(name));
    }
    marks.into_iter().fold(host, |host, mark| match mark {
        ReviewMark::Plain(text) => host.text(text),
        ReviewMark::RightToLeft(text) => host.child(el("bdi").text(text)),
        ReviewMark::Token(name) => host.child(token(&name)),
    })
}

/// The value of an attribute: a text; none, for an attribute that is not there; or a flag.
pub trait AttributeText {
    /// The text.
    fn text(self) -> Option<String>;
}

impl AttributeText for &str {
    fn text(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl AttributeText for &String {
    fn text(self) -> Option<String> {
        Some(self.clone())
    }
}

impl AttributeText for String {
    fn text(self) -> Option<String> {
        Some(self)
    }
}

impl AttributeText for bool {
    fn text(self) -> Option<String> {
        self.then(String::new)
    }
}

impl<T: AttributeText> AttributeText for Option<T> {
    fn text(self) -> Option<String> {
        self.and_then(T::text)
    }
}

impl El {
    /// Sets the class.
    pub fn class(self, class: &str) -> Self {
        self.attr("class", class)
    }

    /// Sets an attribute; `None` and `false` leave it out.
    pub fn attr(mut self, name: &'static str, value: impl AttributeText) -> Self {
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.extend(value.text().map(|value| (name, value)));
        self
    }

    /// Sets a property of its own style. Values other than numbers and colours are left out.
    pub fn property(mut self, name: &'static str, value: &str) -> Self {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || " #%().-".contains(letter);
        self.properties.extend(value.chars().all(plain).then(|| (name, value.to_owned())));
        self
    }

    /// Adds text.
    pub fn text(mut self, text: impl AsRef<str>) -> Self {
        match self.children.last_mut() {
            Some(Node::Text(last)) => last.push_str(text.as_ref()),
            _ => self.children.push(Node::Text(text.as_ref().to_owned())),
        }
        self
    }

    /// Adds elements: an `El`, an `Option<El>`, a `Vec<El>`.
    pub fn child(mut self, children: impl IntoIterator<Item = El>) -> Self {
        self.children.extend(children.into_iter().map(Node::Element));
        self
    }

    /// The same without what can be pressed or written into: a document has nothing to press. A line that is a button stays as
    /// a line.
    pub fn without_controls(mut self) -> Self {
        let is_line = |element: &Self| element.has_class("row");
        let is_control = |element: &Self| matches!(element.tag, "button" | "textarea" | "template" | "slot");
        self.children.retain(|child| match child {
            Node::Element(child) => is_line(child) || !is_control(child),
            Node::Text(_) => true,
        });
        if is_control(&self) {
            self.tag = "div";
            self.attributes.retain(|(name, _)| !matches!(*name, "type" | "disabled" | "aria-expanded"));
        }
        let children = self.children.into_iter().map(|child| match child {
            Node::Element(child) => Node::Element(child.without_controls()),
            text @ Node::Text(_) => text,
        });
        self.children = children.collect();
        self
    }

    fn has_class(&self, wanted: &str) -> bool {
        let class = self.attributes.iter().find(|(name, _)| *name == "class");
        class.is_some_and(|(_, class)| class.split(' ').any(|class| class == wanted))
    }

    /// Appends its markup to a text.
    pub fn write(&self, out: &mut String, styles: &mut Styles) {
        let _ = write!(out, "<{}", self.tag);
        let own = styles.class_of(&self.properties);
        let has_class = self.attributes.iter().any(|(name, _)| *name == "class");
        if let Some(own) = own.as_ref().filter(|_| !has_class) {
            let _ = write!(out, " class=\"{own}\"");
        }
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"");
            escape(value, out);
            if let Some(own) = own.as_ref().filter(|_| *name == "class") {
                out.extend([" ", own.as_str()]);
            }
            out.push('"');
        }
        out.push('>');
        if matches!(self.tag, "br" | "hr" | "img" | "input" | "meta" | "wbr") {
            return;
        }
        // Browsers drop a line break right after such a start tag, so a second one is written.
        if matches!(self.tag, "pre" | "textarea")
            && matches!(self.children.first(), Some(Node::Text(text)) if text.starts_with('\n'))
        {
            out.push('\n');
        }
        for child in &self.children {
            match child {
                Node::Text(text) => escape(text, out),
                Node::Element(element) => element.write(out, styles),
            }
        }
        let _ = write!(out, "</{}>", self.tag);
    }
}

impl IntoIterator for El {
    type Item = Self;
    type IntoIter = std::iter::Once<Self>;

    fn into_iter(self) -> Self::IntoIter {
        std::iter::once(self)
    }
}

/// The rules for properties of single elements.
#[derive(Debug, Default)]
pub struct Styles(Vec<String>);

impl Styles {
    /// The class of elements with these properties.
    fn class_of(&mut self, properties: &[(&'static str, String)]) -> Option<String> {
        if properties.is_empty() {
            return None;
        }
        let rule: String =
            properties.iter().flat_map(|(name, value)| [*name, ":", value.as_str(), ";"]).collect();
        let known = self.0.iter().position(|known| *known == rule);
        let place = known.unwrap_or_else(|| {
            self.0.push(rule);
            self.0.len() - 1
        });
        Some(format!("own-{place}"))
    }

    /// The rules as a style sheet.
    pub fn sheet(&self) -> String {
        self.0.iter().enumerate().fold(String::new(), |mut sheet, (place, rule)| {
            let _ = write!(sheet, ".own-{place}{{{rule}}}"); // writing into a String can't fail
            sheet
        })
    }
}

/// Escapes quotes too, so that a text is safe in an attribute as well. Control characters, which HTML forbids, become the
/// replacement character.
pub fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        let escaped: Cow<'_, str> = match letter {
            '&' => "&amp;".into(),
            '<' => "&lt;".into(),
            '>' => "&gt;".into(),
            '"' => "&quot;".into(),
            '\'' => "&#39;".into(),
            '\r' => "&#13;".into(),
            '\n' | '\t' => {
                out.push(letter);
                continue;
            }
            letter if letter.is_control() => "\u{FFFD}".into(),
            letter => {
                out.push(letter);
                continue;
            }
        };
        out.push_str(&escaped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markup(element: &El) -> (String, String) {
        let (mut out, mut styles) = (String::new(), Styles::default());
        element.write(&mut out, &mut styles);
        (out, styles.sheet())
    }

    #[test]
    fn every_text_and_value_is_escaped() {
        let element = el("p").attr("title", "\"><script>").text("</p><script>&'\u{0}\r\u{1b}");
        assert_eq!(
            markup(&element).0,
            "<p title=\"&quot;&gt;&lt;script&gt;\">&lt;/p&gt;&lt;script&gt;&amp;&#39;\u{FFFD}&#13;\u{FFFD}</p>"
        );
    }

    #[test]
    fn properties_of_an_element_are_rules_of_a_sheet() {
        let ring = || div("ring").property("--_v", "37").property("--_x", "url(//x)}");
        let element = el("p").child(ring()).child(el("i").property("--_v", "37"));
        let (html, sheet) = markup(&element);
        assert_eq!(html, "<p><div class=\"ring own-0\"></div><i class=\"own-0\"></i></p>");
        assert_eq!(sheet, ".own-0{--_v:37;}");
    }

    #[test]
    fn a_text_in_a_box_keeps_its_first_line_end() {
        assert_eq!(markup(&el("pre").text("\n").text("a")).0, "<pre>\n\na</pre>");
        assert_eq!(markup(&el("pre").attr("hidden", false).attr("dir", None::<&str>)).0, "<pre></pre>");
    }
}
