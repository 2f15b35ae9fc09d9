//! What is found in parts of a long text that are not in the document: how often, by what people would read there.
//! Refuses to put them there; it asks for that (`ui::prose`).

use web_sys::{Element, Event};

use crate::core::markdown::{Markdown, Node, Tag};
use crate::core::search::Needle;
use crate::store::Store;
use crate::ui::prose::{AWAY, BRING};

/// How often a needle is in parts that were looked at, by where they are in the text.
#[derive(Default)]
pub struct Counts {
    /// In no order: there are some hundred.
    known: Vec<((usize, usize), usize)>,
    of: Option<(Needle, usize)>,
}

impl Counts {
    /// For this needle in this row from now on.
    pub fn begin(&mut self, needle: &Needle, row: usize) {
        if self.of.as_ref().is_none_or(|(known, of)| known != needle || *of != row) {
            self.known.clear();
            self.of = Some((needle.clone(), row));
        }
    }

    /// How often it is in a part; none if that is not known and not to be found out now.
    pub fn of(&mut self, store: Store, part: &Element, may_look: bool) -> Option<usize> {
        let (from, to) = range(part)?;
        if let Some((_, known)) = self.known.iter().find(|(part, _)| *part == (from, to)) {
            return Some(*known);
        }
        let (needle, row) = self.of.as_ref().filter(|_| may_look)?;
        let count =
            store.entry(*row, |entry| entry.text.get(from..to).map_or(0, |text| count(text, needle)))?;
        self.known.push(((from, to), count));
        Some(count)
    }
}

fn range(part: &Element) -> Option<(usize, usize)> {
    let range = part.get_attribute(AWAY)?;
    let (from, to) = range.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn count(source: &str, needle: &Needle) -> usize {
    if !needle.is_in(source) {
        return 0;
    }
    let (mut markdown, mut words) = (Markdown::new(), String::new());
    let _ = markdown.update(source, true);
    for block in markdown.blocks() {
        gather(&block.node, &mut words);
    }
    needle.ranges(&words).count()
}

/// The words of a node. Those that stand in different blocks don't touch.
fn gather(node: &Node, words: &mut String) {
    match node {
        Node::Text(text) => words.push_str(text),
        Node::Element(element) => {
            let inline = matches!(
                element.tag,
                Tag::Emphasis
                    | Tag::Strong
                    | Tag::Strikethrough
                    | Tag::Code
                    | Tag::Link { .. }
                    | Tag::LocalLink { .. }
                    | Tag::DeadLink { .. }
                    | Tag::Math { .. }
            );
            if !inline {
                words.push('\n');
            }
            for child in &element.children {
                gather(child, words);
            }
            if !inline {
                words.push('\n');
            }
        }
    }
}

/// Asks for a part to be in the document. It is when this returns, unless its text has just changed.
pub fn bring(part: &Element) {
    if let Ok(event) = Event::new(BRING) {
        // Fails only for an event that is on its way already.
        let _ = part.dispatch_event(&event);
    }
}
