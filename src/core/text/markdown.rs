//! Incremental Markdown: a growing text as settled blocks and an open tail. Settled blocks are not parsed
//! again until the text is finished.

mod cut;
mod edits;
mod fences;
pub mod links;
mod mend;
mod node;
mod open;
mod read;
mod rows;
mod seams;
mod tex;
mod tree;
pub mod unseen;

use std::ops::Range;

pub use cut::{Cut, Lead, NEXT, PART};
pub use node::{Align, Element, Node, Tag};
use open::{Fence, Scanned};

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
        let mut blocks = open::parse_all(&self.source);
        self.lead.adapt(&mut blocks);
        self.fence = None;
        self.finished = true;
        let update = self.splice(0, blocks);
        // If more text arrives after all, the last block is the open one.
        self.settled = self.blocks.len().saturating_sub(1);
        let last = self.blocks.last().map_or(0, |block| block.source.start);
        self.open_from = open::line_start(&self.source, last);
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
        let mut parsed = open::parse(tail, self.open_from);
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

#[cfg(test)]
mod cut_tests;
