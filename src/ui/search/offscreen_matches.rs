//! Counts the matches in parts of a long text that are not in the document, by the text that people would see
//! there.
//!
//! `ui::prose` puts such a part into the document when asked (`bring`).

use web_sys::{Element, Event};

use crate::core::text::markdown::{Markdown, Node, Tag};
use crate::core::view_model::search::Needle;
use crate::store::Store;
use crate::ui::message::markdown::{AWAY, BRING};

/// The number of matches in parts that were searched, by the part's range in the text.
#[derive(Default)]
pub struct MatchCounts {
    /// Unsorted: there are some hundred.
    known: Vec<((usize, usize), usize)>,
    of: Option<(Needle, usize)>,
}

impl MatchCounts {
    /// Starts over, if the needle or the row has changed.
    pub fn begin(&mut self, needle: &Needle, row: usize) {
        if self.of.as_ref().is_none_or(|(known, of)| known != needle || *of != row) {
            self.known.clear();
            self.of = Some((needle.clone(), row));
        }
    }

    /// The number of matches in a part; `None` if it is not known and `may_look` is false.
    pub fn count_in_part(&mut self, store: Store, part: &Element, may_look: bool) -> Option<usize> {
        let (from, to) = range(part)?;
        if let Some((_, known)) = self.known.iter().find(|(part, _)| *part == (from, to)) {
            return Some(*known);
        }
        let (needle, row) = self.of.as_ref().filter(|_| may_look)?;
        let count = store
            .entry(*row, |entry| entry.text.get(from..to).map_or(0, |text| count_matches(text, needle)))?;
        self.known.push(((from, to), count));
        Some(count)
    }
}

fn range(part: &Element) -> Option<(usize, usize)> {
    let range = part.get_attribute(AWAY)?;
    let (from, to) = range.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

fn count_matches(source: &str, needle: &Needle) -> usize {
    if !needle.occurs_in(source) {
        return 0;
    }
    let (mut markdown, mut words) = (Markdown::new(), String::new());
    let _ = markdown.update(source, true);
    for block in markdown.blocks() {
        collect_text(&block.node, &mut words);
    }
    needle.ranges(&words).count()
}

/// Collects the text of a node. Line ends between blocks keep a match from spanning two of them.
fn collect_text(node: &Node, words: &mut String) {
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
                collect_text(child, words);
            }
            if !inline {
                words.push('\n');
            }
        }
    }
}

/// Asks for a part to be put into the document. That is done when this returns, unless its text has just
/// changed.
pub fn render_part(part: &Element) {
    if let Ok(event) = Event::new(BRING) {
        // Fails only for an event that is being dispatched already.
        let _ = part.dispatch_event(&event);
    }
}
