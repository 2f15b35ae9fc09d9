//! The tree of rendered Markdown, which views compare and show.

/// One node of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Plain characters.
    Text(String),
    /// An element.
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

/// Alignment of the text in a table cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// By the reading direction.
    #[default]
    Natural,
    /// `:--`
    Left,
    /// `:-:`
    Center,
    /// `--:`
    Right,
}

/// Every element that Markdown can have here; views match on it without a default arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tag {
    /// A paragraph. The first one of a list item is not wrapped, so that a
    /// list that becomes loose keeps its nodes.
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
        /// Alignment of its text.
        align: Align,
        /// Whether it is the header of its column.
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
        /// Whether it is set apart on lines of its own.
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
    /// A link whose target is refused; only its text is shown.
    DeadLink {
        /// The target that is not followed.
        href: String,
    },
    /// An image, which is only fetched when a person asks for it; the children are its alternative text.
    Image {
        /// The address of the image.
        src: String,
        /// The host that would be contacted; `None` if there is none.
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
    /// The name of characters that would be invisible; not parsed, but made by [`super::unseen`].
    Unseen,
}

impl Tag {
    /// The name of the HTML element that shows it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Paragraph | Self::RawHtml => "p",
            // Headings in a message are below the page's own two levels.
            Self::Heading(1) => "h3",
            Self::Heading(2) => "h4",
            Self::Heading(3) => "h5",
            Self::Heading(_) => "h6",
            Self::BlockQuote => "blockquote",
            Self::List { start: None } => "ul",
            Self::List { start: Some(_) } => "ol",
            Self::Item => "li",
            Self::TaskMarker(_) => "input",
            Self::CodeBlock { .. } => "pre",
            Self::Table | Self::FootnoteDefinition { .. } => "div",
            Self::TableHead | Self::TableRow => "tr",
            Self::TableCell { header: true, .. } => "th",
            Self::TableCell { header: false, .. } => "td",
            Self::Rule => "hr",
            Self::Emphasis => "em",
            Self::Strong => "strong",
            Self::Strikethrough => "del",
            Self::Code => "code",
            Self::Link { .. } => "a",
            Self::LocalLink { .. }
            | Self::DeadLink { .. }
            | Self::Image { .. }
            | Self::Math { .. }
            | Self::Unseen => "span",
            Self::FootnoteReference { .. } => "sup",
            Self::LineBreak => "br",
        }
    }
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
