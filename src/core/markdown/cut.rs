//! Owns where a text that grows long goes on as another one, and how that one has to begin to be read as the same;
//! refuses to parse anything but the open block.
//!
//! A part is closed between blocks. A block that is longer than any person writes is cut within itself: between its
//! sentences, rows or items, so that neither its parse nor its layout grows with it.

use pulldown_cmark::{CodeBlockKind, Event, Tag as Mark};

use super::node::{Node, Tag};
use super::{Block, open, read};

/// Bytes of whole blocks after which the first part is closed: so long a text stays one, whatever refers to what in it.
pub const PART: usize = 32 * 1024;
/// Bytes of whole blocks after which a further part is closed. They are what a reader's page takes in and lets go of.
pub const NEXT: usize = 8 * 1024;
/// An open block is cut within itself after so many bytes.
pub(super) const OPEN: usize = 16 * 1024;
/// It is cut once it goes on so far behind the cut: markup there may still have to be completed.
const SLACK: usize = 2 * 1024;
/// What can't be cut well (code in a list, an endless quotation) is cut anyhow.
const HARD: usize = 128 * 1024;
/// References and footnotes are resolved within a part, so a text that has some gets longer ones.
const REFERRING: usize = 256 * 1024;
/// The head of a table that is longer is not repeated.
const HEAD: usize = 2 * 1024;
/// Keeps the first words of what goes on from being read as a list, a heading or a rule.
const GUARD: &str = "\u{2060} ";

/// Where a text goes on as another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The byte of the source at which the other one begins.
    pub at: usize,
    /// How it begins.
    pub lead: Lead,
}

/// What has to stand before a text that goes on for it to be read as what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Nothing: it begins with a block of its own.
    #[default]
    None,
    /// It goes on in the middle of a paragraph.
    Words,
    /// It goes on with rows of the table that has this head.
    Rows(String),
    /// It goes on with the item that has this number.
    Items(u64),
}

impl Lead {
    /// True if it goes on in the middle of a block.
    pub fn goes_on(&self) -> bool {
        *self != Self::None
    }

    /// Bytes after which it is cut in turn. Rows have many cells, and each one's width is that of all.
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

    /// Takes out of the blocks what only the parser needed.
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

/// Where to cut a source whose blocks before byte `open_from` are settled; none as long as it may grow.
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
    // Code only grows, in nodes of its own.
    if fenced { None } else { within(source, lead, limit) }
}

/// Whether something in it may be explained elsewhere. In code brackets are code.
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
        // Nobody knows what one mark alone begins.
        let paired = line.matches('`').count() % 2 == 0;
        fence.is_none() && if paired { line.split('`').step_by(2).any(marked) } else { marked(line) }
    })
}

/// The best place in the only block of a source.
fn within(source: &str, lead: &Lead, limit: usize) -> Option<Cut> {
    let mut depth = 0_usize;
    let mut begun = None;
    let mut items = match lead {
        Lead::Items(number) => *number,
        _ => 0,
    };
    let (mut sentence, mut place, mut fence) = (None, None, None);
    let good = |at: usize| (limit / 2..=limit).contains(&at);
    for (event, range) in read::events(source) {
        // Half a line behind the block may look like another one.
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
                        let at = open::line_start(source, range.start);
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
    // Code that goes on is code, or its end would begin other code.
    let opening =
        fence.filter(|fence| fence.contains(&at)).and_then(|fence| source.get(fence)?.lines().next());
    Some(Cut { at, lead: opening.map_or(Lead::None, |line| Lead::Rows(format!("{line}\n"))) })
}

/// What the open block is.
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

/// Behind the last sentence that ends in a text.
fn ends(text: &str) -> Option<usize> {
    let latin = [". ", "! ", "? "].iter().filter_map(|end| text.rfind(end).map(|at| at + 2));
    let wide = ["。", "！", "？"].iter().filter_map(|end| text.rfind(end).map(|at| at + end.len()));
    latin.chain(wide).max()
}

/// A table's first two lines.
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
