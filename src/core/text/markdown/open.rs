//! Parses the open tail of a text: which of its blocks are settled, where the tail begins from
//! then on, and what of it is hidden until more comes.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag as Mark, TagEnd};

use super::fences::{self, FenceLine, Fences};
use super::node::{Element, Node, Tag};
use super::read::{self, Spanned};
use super::{Block, links, mend, rows, tree};

/// The parsed tail.
pub(super) struct Parsed {
    pub(super) blocks: Vec<Block>,
    /// How many of the blocks can't change any more.
    pub(super) settled: usize,
    /// Where the tail begins from now on, as a byte of the whole source.
    pub(super) open_from: usize,
    pub(super) fence: Option<Fence>,
}

/// A top-level code fence that is not closed, read up to some byte of the tail.
#[derive(Clone, Debug)]
pub(super) struct Fence {
    mark: char,
    /// The state before the line that is read.
    fences: Fences,
    /// Where the line that is read begins.
    line: usize,
    read: usize,
}

impl Fence {
    /// A fence whose opening line is complete and not indented; others are parsed again as they grow.
    fn begin(tail: &str) -> Option<Self> {
        let (line, _) = tail.split_once('\n')?;
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let mut fences = Fences::default();
        let opens = fences.take(line, true) == FenceLine::Opens;
        opens.then(|| Self { mark, fences, line: line.len() + 1, read: line.len() + 1 })
    }

    /// The code that was hidden so far, for when nothing more comes. Empty if it is the closing line.
    pub(super) fn rest<'a>(&self, tail: &'a str) -> &'a str {
        let rest = tail.get(self.read..).unwrap_or_default();
        let closes = self.fences.clone().take(rest.trim_end(), true) == FenceLine::Closes;
        if closes { "" } else { rest }
    }

    /// Appends the new code in `tail` to `text`. A last line that may become the closing one is left for
    /// later, and so is an incomplete line break.
    pub(super) fn scan(&mut self, tail: &str, text: &mut String) -> Scanned {
        loop {
            let Some(rest) = tail.get(self.read..) else {
                return Scanned::Odd;
            };
            let (line, complete) = rest.split_once('\n').map_or((rest, false), |(line, _)| (line, true));
            let taken = line.len() + 1;
            let line = line.strip_suffix('\r').unwrap_or(line);
            if line.contains('\r') {
                return Scanned::Odd;
            }
            let may_close = self.read == self.line && line.trim().chars().all(|c| c == self.mark);
            if !complete && may_close {
                return Scanned::Open;
            }
            if complete {
                let whole = tail.get(self.line..self.read + line.len()).unwrap_or_default();
                if self.fences.take(whole, true) == FenceLine::Closes {
                    return Scanned::Closed { end: self.read + taken };
                }
            }
            text.push_str(line);
            if !complete {
                self.read += line.len();
                return Scanned::Open;
            }
            text.push('\n');
            self.read += taken;
            self.line = self.read;
        }
    }
}

/// What was found in the new part of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    /// More code.
    Open,
    /// Its closing line.
    Closed {
        /// The byte after it.
        end: usize,
    },
    /// Something that needs the parser.
    Odd,
}

/// Parses the whole source and hides nothing.
pub(super) fn parse_all(source: &str) -> Vec<Block> {
    tree::build(read::events(source)).into_iter().map(|(source, node)| Block { source, node }).collect()
}

/// Parses the tail, which begins at byte `base` of the source. Half-written markup is closed or hidden.
pub(super) fn parse(tail: &str, base: usize) -> Parsed {
    let (raw, tail) = read::growing(tail);
    let roots = roots(&raw);
    let (settled, rest) = settle(tail, &roots);
    let open_fence = roots.last().filter(|_| settled < roots.len()).and_then(|root| fence(tail, root, rest));
    let built = match &open_fence {
        Some(_) => tree::build(raw),
        None => match mended(tail, &raw) {
            Some(text) => tree::build(read::growing(&text).0),
            None => tree::build(raw),
        },
    };
    let mut blocks: Vec<Block> = built
        .into_iter()
        .map(|(range, node)| Block {
            source: base + range.start.min(tail.len())..base + range.end.min(tail.len()),
            node,
        })
        .collect();
    let half_word = tail.rsplit(char::is_whitespace).next().unwrap_or_default();
    if let Some(Node::Element(last)) = blocks.last_mut().map(|block| &mut block.node)
        && open_fence.is_none()
    {
        withhold_link(last, half_word);
    }
    let fence = open_fence.and_then(|(fence, language, code)| {
        let node =
            Node::Element(Element { tag: Tag::CodeBlock { language }, children: vec![Node::Text(code)] });
        blocks.last_mut()?.node = node;
        fence
    });
    Parsed { settled: settled.min(blocks.len()), blocks, open_from: base + rest, fence }
}

/// Makes a bare address text again that may go on: half an address would lead somewhere else. `half_word` is what the source
/// ends with.
fn withhold_link(element: &mut Element, half_word: &str) {
    let children = &mut element.children;
    let Some(last) = children.iter().rposition(|child| !child.text().is_empty()) else {
        return;
    };
    // Marks at the end of an address are not in it until something follows.
    let marks = matches!(children.get(last), Some(Node::Text(text)) if links::may_go_on(text));
    let at = if marks { last.saturating_sub(1) } else { last };
    let Some(Node::Element(inner)) = children.get_mut(at) else {
        return;
    };
    let Tag::Link { href } = &inner.tag else {
        if !marks {
            withhold_link(inner, half_word);
        }
        return;
    };
    let [Node::Text(address)] = inner.children.as_slice() else {
        return;
    };
    if links::address(address) == *href && half_word.contains(address.as_str()) {
        let address = Node::Text(address.clone());
        if let Some(child) = children.get_mut(at) {
            *child = address;
        }
        join_texts(children);
    }
}

/// Makes one text of texts that follow each other.
fn join_texts(children: &mut Vec<Node>) {
    let mut joined: Vec<Node> = Vec::with_capacity(children.len());
    for child in children.drain(..) {
        match (joined.last_mut(), child) {
            (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
            (_, child) => joined.push(child),
        }
    }
    *children = joined;
}

/// A top-level block: its bytes, and how it ends.
struct Root {
    range: Range<usize>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fenced,
    /// Ends with its line.
    Line,
    Open,
}

fn roots(events: &[Spanned<'_>]) -> Vec<Root> {
    let mut depth = 0_usize;
    let mut roots = Vec::new();
    for (event, range) in events {
        let kind = match event {
            Event::Start(Mark::CodeBlock(CodeBlockKind::Fenced(_))) => Kind::Fenced,
            Event::Start(Mark::Heading { .. }) | Event::Rule => Kind::Line,
            _ => Kind::Open,
        };
        if depth == 0 && !matches!(event, Event::End(_)) {
            roots.push(Root { range: range.clone(), kind });
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    roots
}

/// How many blocks are settled, and where the rest of the tail begins.
///
/// A block is settled once another one has begun with a complete line, or once a line of its own has closed
/// it. An incomplete line is not enough: `2` after a list may become `2.`, its next item.
fn settle(tail: &str, roots: &[Root]) -> (usize, usize) {
    let half_line = line_start(tail, tail.len());
    let begun = roots.iter().rposition(|root| root.range.start < half_line);
    let Some((last, root)) = begun.and_then(|last| roots.get(last).map(|root| (last, root))) else {
        return (0, 0);
    };
    let end = line_end(tail, root.range.end);
    let whole = end <= half_line
        && match root.kind {
            Kind::Line => true,
            Kind::Fenced => fences::is_closed(tail.get(root.range.clone()).unwrap_or_default()),
            Kind::Open => false,
        };
    if whole { (last + 1, end) } else { (last, line_start(tail, root.range.start)) }
}

/// The start of the line in which byte `at` is.
pub(super) fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// The end of the line in which the last byte before `at` is.
fn line_end(text: &str, at: usize) -> usize {
    let at = if text.get(..at).is_some_and(|before| before.ends_with('\n')) { at - 1 } else { at };
    text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline + 1)
}

type OpenFence = (Option<Fence>, Option<String>, String);

/// The open fence of the last block, its language once that line is complete, and its code so far. The fence
/// counts its bytes from `rest`, where the tail begins from now on.
fn fence(tail: &str, root: &Root, rest: usize) -> Option<OpenFence> {
    if root.kind != Kind::Fenced {
        return None;
    }
    let source = tail.get(rest..).filter(|_| line_start(tail, root.range.start) == rest)?;
    if !source.contains('\n') {
        return Some((None, None, String::new()));
    }
    let mut code = String::new();
    let mut fence = Fence::begin(source)?;
    if fence.scan(source, &mut code) != Scanned::Open {
        return None;
    }
    let info = source.lines().next()?.trim_start_matches(fence.mark).trim();
    let language = info.split([' ', '\t', ',', '{']).next().filter(|word| !word.is_empty());
    Some((Some(fence), language.map(str::to_owned), code))
}

/// The start of the last text that may still grow, and what it is in.
struct Leaf {
    start: usize,
    within: Within,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// A paragraph at top level.
    Paragraph,
    /// Other text that may go on in the next line.
    Flow,
    /// A heading, which ends with its line.
    Line,
    /// A cell of a table.
    Cell,
    /// Code or HTML, in which nothing is markup.
    Verbatim,
}

/// The tail with its last line hidden or its open markup closed; `None` if it can be shown as it is.
fn mended(tail: &str, raw: &[Spanned<'_>]) -> Option<String> {
    let half_line = line_start(tail, tail.len());
    let last = tail.get(half_line..)?;
    let before = tail.get(..half_line)?;
    if mend::only_markers(last) {
        let without = read::growing(before).0;
        let leaf = last_leaf(before, &without);
        let in_code = leaf.as_ref().is_some_and(|leaf| leaf.within == Within::Verbatim);
        let may_close = last.trim().len() < 3 && last.trim().chars().all(|c| matches!(c, '`' | '~'));
        if !in_code || may_close {
            return Some(
                leaf.and_then(|leaf| mended_leaf(before, &leaf)).unwrap_or_else(|| before.to_owned()),
            );
        }
    }
    mended_leaf(tail, &last_leaf(tail, raw)?)
}

fn mended_leaf(text: &str, leaf: &Leaf) -> Option<String> {
    if leaf.within == Within::Cell {
        let line = line_start(text, text.len());
        let cell = line + rows::last_cell(text.get(line..)?);
        let mended = mend::inline(text.get(cell..)?)?;
        return Some(format!("{}{mended}", text.get(..cell)?));
    }
    let open = text.get(leaf.start..)?;
    let newlines = open.get(open.trim_end().len()..)?.matches('\n').count();
    let over = newlines > usize::from(leaf.within != Within::Line);
    if leaf.within == Within::Verbatim || over {
        return None;
    }
    let table = if leaf.within == Within::Paragraph { mend::table(open) } else { None };
    let mended = table.or_else(|| mend::inline(open))?;
    Some(format!("{}{mended}", text.get(..leaf.start)?))
}

fn last_leaf(text: &str, events: &[Spanned<'_>]) -> Option<Leaf> {
    let mut depth = 0_usize;
    let mut within = Within::Flow;
    let mut fresh = true;
    let mut leaf = None;
    for (event, range) in events {
        match event {
            Event::Start(
                Mark::Emphasis | Mark::Strong | Mark::Strikethrough | Mark::Link { .. } | Mark::Image { .. },
            ) => {
                depth += 1;
            }
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image,
            ) => {
                depth = depth.saturating_sub(1);
                continue;
            }
            Event::Start(mark) => {
                depth += 1;
                within = match mark {
                    Mark::Paragraph if depth == 1 => Within::Paragraph,
                    Mark::CodeBlock(_) | Mark::HtmlBlock => Within::Verbatim,
                    Mark::Heading { .. } => Within::Line,
                    Mark::TableCell => Within::Cell,
                    _ => Within::Flow,
                };
                fresh = true;
                // The parser adds cells to a row that is still being written.
                if within != Within::Cell {
                    leaf = None;
                }
                continue;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                within = Within::Flow;
                fresh = true;
                continue;
            }
            Event::Rule => {
                leaf = None;
                fresh = true;
                continue;
            }
            Event::TaskListMarker(_) => continue,
            _ => {}
        }
        if fresh {
            // The range of an escaped character does not include its backslash.
            let escaped = text.get(..range.start).is_some_and(|before| before.ends_with('\\'));
            leaf = Some(Leaf { start: range.start - usize::from(escaped), within });
            fresh = false;
        }
    }
    leaf
}
