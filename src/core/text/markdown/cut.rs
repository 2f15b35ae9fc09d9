//! Decides where a long text is continued as a new document, and what has to come before
//! it there so that it is parsed as the same.
//!
//! A part ends between blocks. A block that is longer than anybody writes is cut within itself, between
//! sentences, rows or items, so that neither its parse nor its layout grows with it.

use pulldown_cmark::{CodeBlockKind, Event, Tag as Mark};

use super::node::{Node, Tag};
use super::{Block, line_start, read};

/// Bytes of whole blocks after which the first part ends. Up to this size a text stays one document, unless a
/// block of it is very long, so that its references resolve.
pub const PART: usize = 32 * 1024;
/// Bytes of whole blocks after which a further part ends. The page renders and drops such parts as a whole.
pub const NEXT: usize = 8 * 1024;
/// Bytes after which an open block is cut within itself.
pub(super) const OPEN: usize = 16 * 1024;
/// Bytes that must follow such a cut before it is made: markup near the end may still be incomplete.
const SLACK: usize = 2 * 1024;
/// Bytes after which a block is cut anyway that can't be cut well, such
/// as code in a list or an endless quotation.
const HARD: usize = 128 * 1024;
/// Size of the parts of a text with references or footnotes, in bytes. Those are resolved within a part only.
const REFERRING: usize = 256 * 1024;
/// The longest head of a table, in bytes, that is repeated in the next part.
const HEAD: usize = 2 * 1024;
/// Put before words that continue a paragraph, so that they are not read as a list, a heading or a rule.
const GUARD: &str = "\u{2060} ";

/// Where a text is continued as a new document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The byte of the source at which the new document begins.
    pub at: usize,
    /// What it continues.
    pub lead: Lead,
}

/// What has to come before a continued text so that it is parsed as what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Nothing: it begins with a new block.
    #[default]
    None,
    /// It continues a paragraph.
    Words,
    /// It continues a table with this head, or code with this opening line.
    Rows(String),
    /// It continues a list with the item of this number.
    Items(u64),
}

impl Lead {
    /// True if it continues a block.
    pub fn goes_on(&self) -> bool {
        *self != Self::None
    }

    /// Bytes after which the continuation is cut in turn. Tables have less, because they have many
    /// cells whose widths depend on each other.
    fn limit(&self) -> usize {
        match self {
            Self::Rows(_) => OPEN / 2,
            _ => OPEN,
        }
    }

    /// What is put before the source.
    pub(super) fn source(&self) -> &str {
        match self {
            Self::None | Self::Items(_) => "",
            Self::Words => GUARD,
            Self::Rows(head) => head,
        }
    }

    /// Removes from the blocks what was only there for the parser, and numbers a continued list.
    pub(super) fn adapt(&self, blocks: &mut [Block]) {
        let Some(Node::Element(first)) = blocks.first_mut().map(|block| &mut block.node) else {
            return;
        };
        match (self, &mut first.tag) {
            (Self::Words, _) => {
                if let Some(Node::Text(text)) = first.children.first_mut() {
                    let rest = text.strip_prefix(GUARD).or_else(|| text.strip_prefix(GUARD.trim_end()));
                    if let Some(rest) = rest.map(str::to_owned) {
                        *text = rest;
                    }
                }
                if first.children.first() == Some(&Node::Text(String::new())) {
                    first.children.remove(0);
                }
            }
            (Self::Items(number), Tag::List { start: Some(start) }) => *start = *number,
            _ => {}
        }
    }
}

/// Where to cut a source whose blocks before byte `open_from` are settled; `None` if it can still grow.
pub(super) fn find(source: &str, open_from: usize, lead: &Lead, fenced: bool, part: usize) -> Option<Cut> {
    let whole = |at| Some(Cut { at, lead: Lead::None });
    let open = source.len().saturating_sub(open_from);
    if open_from >= part && (open_from >= REFERRING || !refers(source)) {
        return whole(open_from);
    }
    let limit = lead.limit();
    if open < limit + SLACK {
        return None;
    }
    if open_from > lead.source().len() {
        return whole(open_from);
    }
    // Open code is not cut: it grows by appending, without being parsed again.
    if fenced { None } else { within(source, lead, limit) }
}

/// Whether the text may refer to something that is defined elsewhere. Brackets in code don't count.
fn refers(source: &str) -> bool {
    let marked = |text: &str| ["[^", "][", "]:"].iter().any(|mark| text.contains(mark));
    if !marked(source) {
        return false;
    }
    let mut fence = None;
    source.lines().any(|line| {
        let line = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark))
                if open == mark && line.trim_end().bytes().all(|byte| mark.as_bytes().contains(&byte)) =>
            {
                fence = None;
            }
            _ => {}
        }
        // With an unpaired backtick it is not clear what is code, so the whole line counts.
        let paired = line.matches('`').count() % 2 == 0;
        fence.is_none() && if paired { line.split('`').step_by(2).any(marked) } else { marked(line) }
    })
}

/// The best place to cut within the only block of a source.
fn within(source: &str, lead: &Lead, limit: usize) -> Option<Cut> {
    let mut depth = 0_usize;
    let mut begun = None;
    let mut items = match lead {
        Lead::Items(number) => *number,
        _ => 0,
    };
    let (mut sentence, mut place, mut fence) = (None, None, None);
    let good = |at: usize| (limit / 2..=limit).contains(&at);
    for (event, range) in read::growing(source).0 {
        // An incomplete line after the block may look like another block.
        if depth == 0 && begun.is_some() {
            break;
        }
        match event {
            Event::Start(mark) => {
                match (depth, &mark) {
                    (0, _) => {
                        begun = Some(Kind::of(&mark));
                        if let (Mark::List(Some(first)), Lead::None) = (&mark, lead) {
                            items = *first;
                        }
                    }
                    (1, Mark::Item | Mark::TableRow) => {
                        let at = line_start(source, range.start);
                        if good(at) {
                            place = Some((at, items));
                        }
                        items += 1;
                    }
                    (_, Mark::CodeBlock(CodeBlockKind::Fenced(_))) if range.start < HARD => {
                        fence = Some(range.clone());
                    }
                    _ => {}
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            Event::SoftBreak | Event::HardBreak if depth == 1 && good(range.end) => {
                place = Some((range.end, 0));
            }
            Event::Text(_) if depth == 1 && begun == Some(Kind::Words) => {
                let text = source.get(range.start..range.end.min(limit)).unwrap_or_default();
                let space = text.rfind(' ').map(|at| range.start + at + 1);
                place = space.filter(|at| good(*at)).map(|at| (at, 0)).or(place);
                let end = ends(text).map(|at| range.start + at);
                sentence = end.filter(|at| good(*at)).or(sentence);
            }
            _ => {}
        }
    }
    let begun = begun.unwrap_or(Kind::Other);
    let lead = |items| match begun {
        Kind::Words => Lead::Words,
        Kind::Items => Lead::Items(items),
        Kind::Rows => head(source).map_or(Lead::None, Lead::Rows),
        Kind::Other => Lead::None,
    };
    let found = sentence.map(|at| (at, 0)).or(place).filter(|_| begun != Kind::Other);
    if let Some((at, items)) = found {
        return Some(Cut { at, lead: lead(items) });
    }
    if begun == Kind::Words {
        return Some(Cut { at: boundary(source, limit), lead: Lead::Words });
    }
    if source.len() < HARD + SLACK {
        return None;
    }
    let at =
        source.get(..boundary(source, HARD))?.rfind('\n').map_or(boundary(source, HARD), |line| line + 1);
    // Continued code needs its opening line again, or its closing line would begin other code.
    let opening =
        fence.filter(|fence| fence.contains(&at)).and_then(|fence| source.get(fence)?.lines().next());
    Some(Cut { at, lead: opening.map_or(Lead::None, |line| Lead::Rows(format!("{line}\n"))) })
}

/// The kind of the open block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Words,
    Items,
    Rows,
    Other,
}

impl Kind {
    fn of(mark: &Mark<'_>) -> Self {
        match mark {
            Mark::Paragraph => Self::Words,
            Mark::List(_) => Self::Items,
            Mark::Table(_) => Self::Rows,
            _ => Self::Other,
        }
    }
}

/// The byte after the last sentence that ends in a text.
fn ends(text: &str) -> Option<usize> {
    let latin = [". ", "! ", "? "].iter().filter_map(|end| text.rfind(end).map(|at| at + 2));
    let wide = ["。", "！", "？"].iter().filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    latin.chain(wide).max()
}

/// The first two lines of a table; `None` if they are too long to be repeated.
fn head(source: &str) -> Option<String> {
    let end = source.match_indices('\n').nth(1)?.0 + 1;
    source.get(..end).filter(|head| head.len() <= HEAD).map(str::to_owned)
}

fn boundary(source: &str, mut at: usize) -> usize {
    at = at.min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}
