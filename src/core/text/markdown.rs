//! Incremental Markdown: a growing text as settled blocks and an open tail, of which half-written markup is closed or hidden
//! until more comes. Settled blocks are not parsed again until the text is finished.

mod cut;
mod edits;
mod fences;
pub mod links;
mod mend;
mod node;
mod read;
mod rows;
mod seams;
mod tex;
mod tree;
pub mod unseen;

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag as Mark, TagEnd};

pub use cut::{Cut, Lead, NEXT, PART};
use fences::{FenceLine, Fences};
pub use node::{Align, Element, Node, Tag};
use read::Spanned;

/// A top-level block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Its byte range in the source.
    pub source: Range<usize>,
    /// The element or text to render.
    pub node: Node,
}

/// How a change of the text changed the blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Update {
    /// No block changed.
    Unchanged,
    /// Text was appended to the open code block `block`; it is new from byte `from` on.
    Grown {
        /// The index of the code block, always the last.
        block: usize,
        /// Byte offset of the new text.
        from: usize,
    },
    /// The blocks `first..first + new` replace `old`; the blocks before and after them did not change.
    Replaced {
        /// Index of the first block that differs.
        first: usize,
        /// The replaced blocks, for a view to compare with.
        old: Vec<Block>,
        /// How many blocks replace them.
        new: usize,
    },
}

impl Update {
    /// Index of the first changed block; `None` if nothing changed.
    pub fn first_changed(&self) -> Option<usize> {
        match self {
            Self::Unchanged => None,
            Self::Grown { block, .. } => Some(*block),
            Self::Replaced { first, .. } => Some(*first),
        }
    }
}

/// A growing text, parsed into blocks.
///
/// Everything before the open tail is settled: Markdown blocks are line-based, so once a new block has begun
/// with a complete line, the blocks before it no longer change. Only references may still resolve
/// differently, so [`Markdown::finish`] parses the whole once more.
#[derive(Clone, Debug, Default)]
pub struct Markdown {
    source: String,
    blocks: Vec<Block>,
    settled: usize,
    open_from: usize,
    fence: Option<Fence>,
    finished: bool,
    lead: Lead,
    /// Where a long code block ended: everything after it belongs to the next document.
    code_end: Option<usize>,
}

impl Markdown {
    /// An empty document.
    pub fn new() -> Self {
        Self::default()
    }

    /// A document that continues one that was cut.
    pub fn after(lead: Lead) -> Self {
        Self { source: lead.source().to_owned(), lead, ..Self::default() }
    }

    /// The blocks so far.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// How many blocks, from the first, no longer change, unless a later reference definition affects one.
    pub fn settled(&self) -> usize {
        if self.finished { self.blocks.len() } else { self.settled.min(self.blocks.len()) }
    }

    /// The source so far.
    pub fn source(&self) -> &str {
        self.source.get(self.lead.source().len()..).unwrap_or_default()
    }

    /// How it continues another document, if it does.
    pub fn lead(&self) -> &Lead {
        &self.lead
    }

    /// Takes the whole text, whether it grew or was replaced, and finishes it if it is `done`.
    pub fn update(&mut self, text: &str, done: bool) -> Update {
        if done {
            self.take(text);
            return self.finish();
        }
        if text.starts_with(self.source()) { self.append(text) } else { self.replace(text) }
    }

    /// Takes the whole text; the caller guarantees that it begins with the previous one.
    pub fn append(&mut self, whole: &str) -> Update {
        match whole.get(self.source().len()..) {
            Some(new) => self.extend(new),
            None => self.replace(whole),
        }
    }

    /// Appends text.
    pub fn extend(&mut self, new: &str) -> Update {
        if new.is_empty() {
            return Update::Unchanged;
        }
        self.finished = false;
        self.source.push_str(new);
        self.grow().unwrap_or_else(|| self.parse_tail())
    }

    /// Where to cut this document and continue in another one, if it is long enough: after about `part` bytes
    /// of whole blocks. The position is a byte offset in [`Markdown::source`].
    pub fn cut(&self, part: usize) -> Option<Cut> {
        let ended = self.code_end.map(|at| Cut { at, lead: Lead::None });
        let cut = ended.or_else(|| {
            if self.source.len() < part.min(cut::OPEN) {
                return None;
            }
            cut::find(&self.source, self.open_from, &self.lead, self.fence.is_some(), part)
        })?;
        Some(Cut { at: cut.at.checked_sub(self.lead.source().len())?, lead: cut.lead })
    }

    /// Ends the document at a cut.
    pub fn close(&mut self, at: usize) -> Update {
        let at = at + self.lead.source().len();
        if self.code_end == Some(at) {
            self.fence = None;
            self.finished = true;
            self.settled = self.blocks.len();
            return Update::Unchanged;
        }
        self.source.truncate(at);
        self.finish()
    }

    /// Replaces the text by an unrelated one.
    pub fn replace(&mut self, text: &str) -> Update {
        self.take(text);
        self.finished = false;
        self.settled = 0;
        self.open_from = 0;
        self.parse_tail()
    }

    fn take(&mut self, text: &str) {
        self.source.truncate(self.lead.source().len());
        self.source.push_str(text);
        self.fence = None;
        self.code_end = None;
    }

    /// Parses the whole text once more, with nothing withheld: now reference links and footnotes resolve.
    pub fn finish(&mut self) -> Update {
        if let Some(update) = self.finish_code() {
            return update;
        }
        let mut blocks = parse_all(&self.source);
        self.lead.adapt(&mut blocks);
        self.fence = None;
        self.finished = true;
        let update = self.splice(0, blocks);
        // If more text arrives after all, the last block is the open one.
        self.settled = self.blocks.len().saturating_sub(1);
        let last = self.blocks.last().map_or(0, |block| block.source.start);
        self.open_from = line_start(&self.source, last);
        update
    }

    /// Finishes a long code block whose fence was never closed by appending the withheld text.
    fn finish_code(&mut self) -> Option<Update> {
        let fence = self.fence.as_ref().filter(|_| self.open_from == 0 && self.source.len() > cut::PART)?;
        let rest = fence.rest(&self.source);
        let index = self.blocks.len().checked_sub(1)?;
        let Node::Element(element) = &mut self.blocks.last_mut()?.node else {
            return None;
        };
        let [Node::Text(text)] = element.children.as_mut_slice() else {
            return None;
        };
        let from = text.len();
        text.push_str(rest);
        self.fence = None;
        self.finished = true;
        self.settled = self.blocks.len();
        Some(if rest.is_empty() { Update::Unchanged } else { Update::Grown { block: index, from } })
    }

    /// The fast path for more code in an open fence. `None` if the tail has to be parsed.
    fn grow(&mut self) -> Option<Update> {
        let tail = self.source.get(self.open_from..)?;
        let fence = self.fence.as_mut()?;
        let index = self.blocks.len().checked_sub(1)?;
        let block = self.blocks.last_mut()?;
        let Node::Element(element) = &mut block.node else {
            return None;
        };
        let [Node::Text(text)] = element.children.as_mut_slice() else {
            return None;
        };
        let from = text.len();
        match fence.scan(tail, text) {
            Scanned::Open => {}
            // Long code is not parsed again only because its fence was closed.
            Scanned::Closed { end } if self.open_from == 0 && text.len() > cut::PART => {
                self.code_end = Some(end);
            }
            Scanned::Closed { .. } | Scanned::Odd => {
                // Views still show the text without this addition, and the next replacement reports it as
                // old.
                text.truncate(from);
                return None;
            }
        }
        block.source.end = self.source.len();
        Some(if text.len() == from { Update::Unchanged } else { Update::Grown { block: index, from } })
    }

    fn parse_tail(&mut self) -> Update {
        let tail = self.source.get(self.open_from..).unwrap_or_default();
        let mut parsed = parse_open(tail, self.open_from);
        if self.settled == 0 {
            self.lead.adapt(&mut parsed.blocks);
        }
        self.fence = parsed.fence;
        let first = self.settled;
        self.settled += parsed.settled;
        self.open_from = parsed.open_from;
        self.splice(first, parsed.blocks)
    }

    fn splice(&mut self, from: usize, new: Vec<Block>) -> Update {
        let mut old = self.blocks.split_off(from.min(self.blocks.len()));
        let alike = |(a, b): &(&Block, &Block)| a.node == b.node;
        let same = old.iter().zip(&new).take_while(alike).count();
        old.drain(..same);
        let fresh = new.len() - same;
        let tail = old.iter().rev().zip(new.iter().skip(same).rev()).take_while(alike).count();
        old.truncate(old.len() - tail);
        self.blocks.extend(new);
        let new = fresh - tail;
        if old.is_empty() && new == 0 {
            Update::Unchanged
        } else {
            Update::Replaced { first: from + same, old, new }
        }
    }
}

#[cfg(test)]
#[path = "markdown/tests.rs"]
mod tests;

/// Parses the whole source and hides nothing.
fn parse_all(source: &str) -> Vec<Block> {
    tree::build(read::events(source)).into_iter().map(|(source, node)| Block { source, node }).collect()
}

/// Parses the tail, which begins at byte `base` of the source. Half-written markup is closed or hidden.
fn parse_open(tail: &str, base: usize) -> Parsed {
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
    kind: RootKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RootKind {
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
            Event::Start(Mark::CodeBlock(CodeBlockKind::Fenced(_))) => RootKind::Fenced,
            Event::Start(Mark::Heading { .. }) | Event::Rule => RootKind::Line,
            _ => RootKind::Open,
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
            RootKind::Line => true,
            RootKind::Fenced => fences::is_closed(tail.get(root.range.clone()).unwrap_or_default()),
            RootKind::Open => false,
        };
    if whole { (last + 1, end) } else { (last, line_start(tail, root.range.start)) }
}

/// The start of the line in which byte `at` is.
fn line_start(text: &str, at: usize) -> usize {
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
    if root.kind != RootKind::Fenced {
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
    kind: LeafKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafKind {
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
        let in_code = leaf.as_ref().is_some_and(|leaf| leaf.kind == LeafKind::Verbatim);
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
    if leaf.kind == LeafKind::Cell {
        let line = line_start(text, text.len());
        let cell = line + rows::last_cell(text.get(line..)?);
        let mended = mend::inline(text.get(cell..)?)?;
        return Some(format!("{}{mended}", text.get(..cell)?));
    }
    let open = text.get(leaf.start..)?;
    let newlines = open.get(open.trim_end().len()..)?.matches('\n').count();
    let over = newlines > usize::from(leaf.kind != LeafKind::Line);
    if leaf.kind == LeafKind::Verbatim || over {
        return None;
    }
    let table = if leaf.kind == LeafKind::Paragraph { mend::table(open) } else { None };
    let mended = table.or_else(|| mend::inline(open))?;
    Some(format!("{}{mended}", text.get(..leaf.start)?))
}

fn last_leaf(text: &str, events: &[Spanned<'_>]) -> Option<Leaf> {
    let mut depth = 0_usize;
    let mut within = LeafKind::Flow;
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
                    Mark::Paragraph if depth == 1 => LeafKind::Paragraph,
                    Mark::CodeBlock(_) | Mark::HtmlBlock => LeafKind::Verbatim,
                    Mark::Heading { .. } => LeafKind::Line,
                    Mark::TableCell => LeafKind::Cell,
                    _ => LeafKind::Flow,
                };
                fresh = true;
                // The parser adds cells to a row that is still being written.
                if within != LeafKind::Cell {
                    leaf = None;
                }
                continue;
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                within = LeafKind::Flow;
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
            leaf = Some(Leaf { start: range.start - usize::from(escaped), kind: within });
            fresh = false;
        }
    }
    leaf
}

/// The parsed tail.
struct Parsed {
    blocks: Vec<Block>,
    /// How many of the blocks can't change any more.
    settled: usize,
    /// Where the tail begins from now on, as a byte of the whole source.
    open_from: usize,
    fence: Option<Fence>,
}

/// A top-level code fence that is not closed, read up to some byte of the tail.
#[derive(Clone, Debug)]
struct Fence {
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
    fn rest<'a>(&self, tail: &'a str) -> &'a str {
        let rest = tail.get(self.read..).unwrap_or_default();
        let closes = self.fences.clone().take(rest.trim_end(), true) == FenceLine::Closes;
        if closes { "" } else { rest }
    }

    /// Appends the new code in `tail` to `text`. A last line that may become the closing one is left for
    /// later, and so is an incomplete line break.
    fn scan(&mut self, tail: &str, text: &mut String) -> Scanned {
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
enum Scanned {
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

#[cfg(test)]
mod cut_tests;
