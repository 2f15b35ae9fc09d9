//! Remembers the parts of a long text whose row leaves the document: where they begin, and how high they are.
//!
//! When the row comes back, it has the same height at once, and is rendered only where the reader is. The
//! text itself is not stored.

use std::cell::RefCell;

use super::part::{self, Part, stand_in};
use super::virtualize::{LONG, NUMBER};
use super::{Closed, GOES_ON, ProseState, sum};
use crate::core::text::markdown::Lead;

/// Most texts that are remembered.
const MOST: usize = 16;

thread_local! {
    /// The newest first.
    static KNOWN: RefCell<Vec<Parts>> = const { RefCell::new(Vec::new()) };
}

/// A closed part.
#[derive(Clone)]
struct CachedHeights {
    end: usize,
    sum: u64,
    lead: Lead,
    height: f64,
}

/// The closed parts of a text, and how the text goes on after them.
#[derive(Clone)]
struct Parts {
    closed: Vec<CachedHeights>,
    rest: Lead,
}

/// Remembers the parts of a text.
fn keep(parts: Parts) {
    // Fails if the thread is ending.
    let _ = KNOWN.try_with(|known| {
        let mut known = known.borrow_mut();
        let first = |parts: &Parts| parts.closed.first().map(|part| (part.end, part.sum));
        known.retain(|other| first(other) != first(&parts));
        known.truncate(MOST - 1);
        known.insert(0, parts);
    });
}

/// The remembered parts that a text begins with; `None` if there are none.
fn of(text: &str) -> Option<Parts> {
    KNOWN
        .try_with(|known| {
            known.borrow().iter().find_map(|parts| {
                let mut from = 0;
                let same = parts.closed.iter().take_while(|part| {
                    let words = text.get(from..part.end);
                    from = part.end;
                    words.is_some_and(|words| sum(words) == part.sum)
                });
                let same = same.count();
                let rest = parts.closed.get(same).map_or(&parts.rest, |part| &part.lead).clone();
                let closed = parts.closed.get(..same).filter(|closed| !closed.is_empty())?.to_vec();
                Some(Parts { closed, rest })
            })
        })
        .ok()
        .flatten()
}

impl ProseState {
    /// Restores the parts of a text that is remembered, as placeholders with the heights that they had.
    pub(super) fn recall(&mut self, text: &str) {
        let Some(virtual_parts) =
            self.virtual_parts.as_mut().filter(|virtual_parts| !virtual_parts.source.whole())
        else {
            return;
        };
        let Some(known) = of(text) else { return };
        self.host.set_text_content(None);
        for known in known.closed {
            let Some(element) = part::element(&self.document, &self.host, false) else { return };
            let _ = element.set_attribute(NUMBER, &self.closed.len().to_string());
            if known.lead.goes_on() {
                let _ = element.set_attribute(GOES_ON, "");
            }
            stand_in(&element, self.begins..known.end, known.height);
            self.begins = known.end;
            virtual_parts.parts.push_away(known.height);
            let CachedHeights { end, sum, lead, .. } = known;
            self.closed.push(Closed { end, sum, lead, element });
        }
        if let Some(element) = part::element(&self.document, &self.host, false) {
            if known.rest.goes_on() {
                let _ = element.set_attribute(GOES_ON, "");
            }
            self.part = Part::new(element, known.rest);
        }
    }

    /// Remembers the heights of its parts, if the text is long.
    fn remember(&self) {
        let Some(virtual_parts) = self.virtual_parts.as_ref().filter(|_| self.begins >= LONG) else { return };
        let mut closed = Vec::new();
        for (number, part) in self.closed.iter().enumerate() {
            let Some(height) = virtual_parts.parts.measured_height(number) else { break };
            let Closed { end, sum, ref lead, .. } = *part;
            closed.push(CachedHeights { end, sum, lead: lead.clone(), height });
        }
        let rest = self.closed.get(closed.len()).map_or_else(|| self.part.lead(), |part| &part.lead).clone();
        if !closed.is_empty() {
            keep(Parts { closed, rest });
        }
    }
}

impl Drop for ProseState {
    fn drop(&mut self) {
        self.remember();
    }
}
