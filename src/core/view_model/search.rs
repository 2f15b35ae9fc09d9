//! Searches the state: the texts of an entry, matches in them, and which entries of a session match. Entries
//! that are not rendered are found too.

mod classes;
mod needle;

use std::borrow::Cow;

use serde_json::Value;

pub use classes::{Class, Classes, classes};
pub use needle::Needle;

use super::entry_words::{attachments, request_gone, request_taken};
use super::tool_summary::{ToolFamily, family};
use crate::i18n::Phrase;
use crate::model::entry::{Body, Entry};
use crate::model::request::{Ending, RequestStage as Request};
use crate::model::state::State;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::text::ansi::plain;

/// Calls `see` with every text of an entry, in reading order, until it returns true. Returns whether it did. Of
/// what a tool printed it is what a terminal shows in the end.
pub fn texts(entry: &Entry, see: &mut dyn FnMut(&str) -> bool) -> bool {
    let mut any = |text: &str| !text.is_empty() && see(text);
    let body = match &entry.body {
        Body::Tool(call) => {
            return tool(call, &mut any) || entry.text.read_uncached(|text| any(&printed(call, text)));
        }
        Body::Request(request) => {
            fn words(reply: Option<&Phrase>) -> Cow<'_, str> {
                reply.map(Phrase::words).unwrap_or_default()
            }
            fn ending(ending: &Ending) -> (Cow<'_, str>, Cow<'_, str>) {
                (ending.outcome.words(), words(ending.reply.as_ref()))
            }
            let (outcome, reply) = match &request.stage {
                Request::Waiting => (Cow::default(), Cow::default()),
                Request::Sending(answer) | Request::Unsure(answer) => ending(answer),
                Request::Taken(answer) => (request_taken(answer).into(), Cow::default()),
                Request::Settled { ending: how, .. } => ending(how),
                Request::Stale { why, reply } => (request_gone(*why).into(), words(reply.as_ref())),
            };
            any(&outcome) || any(&reply) || strings(&request.details, &mut any)
        }
        Body::User(message) => {
            attachments(message).into_iter().any(&mut any) || message.who.as_deref().is_some_and(&mut any)
        }
        Body::Notice(notice) => {
            notice.detail.as_ref().is_some_and(|detail| any(&detail.words()))
                || any(notice.url.as_deref().unwrap_or_default())
        }
        Body::Subagent(agent) => [
            agent.display_name.as_str(),
            &agent.name,
            &agent.description,
            agent.model.as_deref().unwrap_or_default(),
            agent.error.as_deref().unwrap_or_default(),
        ]
        .into_iter()
        .any(&mut any),
        Body::Custom(custom) => {
            any(&custom.source)
                || any(&custom.name)
                || strings(&custom.data, &mut any)
                || custom.earlier.iter().any(|earlier| any(&earlier.text.words()))
        }
        Body::Facts { event_type, facts } => any(event_type) || strings(facts, &mut any),
        Body::Plain | Body::Assistant { .. } | Body::Reasoning { .. } => false,
    };
    body || match &entry.phrase {
        Some(phrase) => any(&phrase.words()),
        None => entry.text.read_uncached(any),
    }
}

fn tool(call: &ToolCall, any: &mut dyn FnMut(&str) -> bool) -> bool {
    let mcp = call.mcp.as_ref().map_or(["", ""], |(server, tool)| [server, tool]);
    let names = [call.name.as_str(), call.title.as_deref().unwrap_or_default(), mcp[0], mcp[1]];
    let in_arguments = match &call.arguments {
        Some(arguments) => arguments.read_uncached(|arguments| strings(arguments, any)),
        None => any(&call.written),
    };
    in_arguments
        || names.into_iter().any(&mut *any)
        || call.output.read_uncached(|text| any(&printed(call, text)))
        || any(&printed(call, &call.later_output))
        || match &call.stage {
            CallStage::Succeeded(outcome) => outcome
                .detailed
                .as_ref()
                .is_some_and(|detail| detail.read_uncached(|text| any(&printed(call, text)))),
            CallStage::Failed(failure) | CallStage::Denied(failure) => {
                failure.message.read_uncached(|text| any(&printed(call, text)))
                    || any(failure.code.as_deref().unwrap_or_default())
            }
            CallStage::Writing | CallStage::Requested | CallStage::Running | CallStage::Interrupted => false,
        }
}

/// What a tool printed, as it is shown: a diff as it is, anything else as a terminal shows it.
fn printed<'a>(call: &ToolCall, text: &'a str) -> Cow<'a, str> {
    if family(call) == ToolFamily::Edit { text.into() } else { plain(text) }
}

/// Member names and strings of a JSON value. The recursion is bounded, as the parser limits the depth.
fn strings(value: &Value, any: &mut dyn FnMut(&str) -> bool) -> bool {
    match value {
        Value::String(text) => any(text),
        Value::Array(list) => list.iter().any(|item| strings(item, any)),
        Value::Object(fields) => fields.iter().any(|(name, value)| any(name) || strings(value, any)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// An incremental scan of a session: the classes of its entries, and which of them match the needle.
#[derive(Debug)]
pub struct Survey {
    needle: Option<Needle>,
    /// The classes of each entry that was scanned.
    classes: Vec<Classes>,
    /// Indices of the entries that match, ascending.
    hits: Vec<usize>,
    /// Number of entries for each set of classes.
    counts: [usize; Classes::SETS],
    /// Index of the next entry to search.
    next: usize,
}

impl Default for Survey {
    fn default() -> Self {
        let counts = [0; Classes::SETS];
        Self { needle: None, classes: Vec::new(), hits: Vec::new(), counts, next: 0 }
    }
}

impl Survey {
    /// Starts a search for another needle, or none.
    pub fn search_for(&mut self, needle: Option<Needle>) {
        self.needle = needle;
        self.hits.clear();
        self.next = 0;
    }

    /// Starts over for another session, with the same needle.
    pub fn restart(&mut self) {
        *self = Self { needle: self.needle.take(), ..Self::default() };
    }

    /// Continues until all entries are scanned or `enough`, called after every entry, returns true. Returns
    /// whether all entries are scanned.
    pub fn scan_next(&mut self, state: &State, mut enough: impl FnMut() -> bool) -> bool {
        while let Some(entry) = state.entry(self.next) {
            self.class(self.next, classes(entry));
            if self.has(entry) {
                self.hits.push(self.next);
            }
            self.next += 1;
            if enough() {
                break;
            }
        }
        self.next >= state.entries.len()
    }

    /// Scans a changed entry again. Returns whether a result of the scan changed.
    pub fn refresh(&mut self, state: &State, index: usize) -> bool {
        let Some(entry) = state.entry(index).filter(|_| index < self.classes.len()) else {
            return false;
        };
        let moved = self.class(index, classes(entry));
        if index >= self.next {
            return moved;
        }
        match (self.has(entry), self.hits.binary_search(&index)) {
            (true, Err(place)) => self.hits.insert(place, index),
            (false, Ok(place)) => _ = self.hits.remove(place),
            _ => return moved,
        }
        true
    }

    /// Indices of the entries that match, ascending.
    pub fn hits(&self) -> &[usize] {
        &self.hits
    }

    /// The needle.
    pub fn needle(&self) -> Option<&Needle> {
        self.needle.as_ref()
    }

    /// How many entries are of a class.
    pub fn count(&self, class: Class) -> usize {
        self.sum(|set| set.has(class))
    }

    /// How many visible entries are of one of these classes, and how many are visible in all.
    pub fn matching(&self, wanted: Classes) -> (usize, usize) {
        (self.sum(|set| set.intersects(wanted)), self.sum(Classes::is_visible))
    }

    fn sum(&self, of: impl Fn(Classes) -> bool) -> usize {
        Classes::all().zip(self.counts).filter(|(set, _)| of(*set)).map(|(_, count)| count).sum()
    }

    fn has(&self, entry: &Entry) -> bool {
        let Some(needle) = self.needle.as_ref().filter(|_| entry.ui_visible) else {
            return false;
        };
        texts(entry, &mut |text| needle.occurs_in(text))
    }

    fn class(&mut self, index: usize, now: Classes) -> bool {
        let before = self.classes.get(index).copied();
        if before == Some(now) {
            return false;
        }
        if let Some(count) = before.and_then(|before| self.counts.get_mut(before.number())) {
            *count -= 1;
        }
        if let Some(count) = self.counts.get_mut(now.number()) {
            *count += 1;
        }
        match self.classes.get_mut(index) {
            Some(slot) => *slot = now,
            None => self.classes.push(now),
        }
        true
    }
}

#[cfg(test)]
mod tests;
