//! Owns the vocabulary of shown markdown: the tree that views compare; refuses anything that a view may not show.

/// One node of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Characters to be shown as they are.
    Text(String),
    /// Something with a meaning, and what is in it.
    Element(Element),
}

/// A tag and its children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// What it is.
    pub tag: Tag,
    /// What is in it.
    pub children: Vec<Node>,
}

/// Where the text of a table cell stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// As the reading direction has it.
    #[default]
    Natural,
    /// `:--`
    Left,
    /// `:-:`
    Center,
    /// `--:`
    Right,
}

/// Everything that markdown can be here; views match on it without a default arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A paragraph. The first one of a list item is not wrapped, so that a list which becomes loose keeps its nodes.
    Paragraph,
    /// A heading of level 1 to 6.
    Heading(u8),
    /// A quotation.
    BlockQuote,
    /// A list; ordered ones have a start.
    List {
        /// The first number of an ordered list.
        start: Option<u64>,
    },
    /// An item of a list.
    Item,
    /// A box of a task list, ticked or not.
    TaskMarker(bool),
    /// Code, fenced or indented; its only child is a text.
    CodeBlock {
        /// The first word of the info string.
        language: Option<String>,
    },
    /// A block of HTML source; its only child is that source as text.
    RawHtml,
    /// A table of one head and rows.
    Table,
    /// The row of header cells.
    TableHead,
    /// A row of cells.
    TableRow,
    /// A cell.
    TableCell {
        /// Where its text stands.
        align: Align,
        /// Whether it heads its column.
        header: bool,
    },
    /// A thematic break.
    Rule,
    /// `*so*`
    Emphasis,
    /// `**so**`
    Strong,
    /// `~~so~~`
    Strikethrough,
    /// Code within a line.
    Code,
    /// A formula; its only child is its TeX source.
    Math {
        /// Whether it stands on lines of its own.
        display: bool,
    },
    /// A link that may be followed: `http`, `https` or `mailto`.
    Link {
        /// Its target.
        href: String,
    },
    /// A fragment or relative path. It names something in the agent's workspace, not on this page.
    LocalLink {
        /// Its target.
        href: String,
    },
    /// A link whose target is refused; its text is shown.
    DeadLink {
        /// The target that is not followed.
        href: String,
    },
    /// An image, which is fetched when a reader asks for it; the children are its alternative text.
    Image {
        /// Where it would come from.
        src: String,
        /// The host that would be asked.
        host: Option<String>,
    },
    /// A reference to a footnote.
    FootnoteReference {
        /// The footnote's name.
        label: String,
    },
    /// A footnote.
    FootnoteDefinition {
        /// The footnote's name.
        label: String,
    },
    /// A hard line break.
    LineBreak,
    /// A name in place of characters that would not be seen; never parsed, only made by [`super::unseen`].
    Unseen,
}

impl Node {
    /// All text in it, in reading order, without markup.
    pub fn text(&self) -> String {
        let mut text = String::new();
        self.collect(&mut text);
        text
    }

    fn collect(&self, into: &mut String) {
        match self {
            Self::Text(text) => into.push_str(text),
            Self::Element(element) => element.children.iter().for_each(|child| child.collect(into)),
        }
    }
}
