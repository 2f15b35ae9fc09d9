//! One entry for the views that show it: what it is, followed as it changes.

use leptos::prelude::*;

use super::{RowSignals, Store};
use crate::core::model::tool_call::ToolCall;
use crate::core::view_model::entry_words::{result, text};
use crate::core::{Entry, Kind};

/// One entry of a session, for the views that show it: a handle that they copy. What is read from it is read again
/// when it changes.
#[derive(Clone, Copy)]
pub struct EntryHandle {
    /// The session's store.
    pub store: Store,
    /// The entry's index.
    pub index: usize,
    /// What its views subscribe to.
    pub row: RowSignals,
}

impl EntryHandle {
    /// Reads the entry and subscribes to it; `None` if the session has no such entry any more.
    pub fn read<R>(&self, read: impl FnOnce(&Entry) -> R) -> Option<R> {
        self.row.head.track();
        self.row.text.track();
        self.store.entry(self.index, read)
    }

    /// Its id: of the message, tool call or request, else of its event.
    pub fn id(&self) -> String {
        self.read(|entry| entry.id.clone()).unwrap_or_default()
    }

    /// Its kind.
    pub fn kind(&self) -> Option<Kind> {
        self.read(|entry| entry.kind)
    }

    /// Its text so far.
    pub fn text(&self) -> String {
        self.read(|entry| text(entry).into_owned()).unwrap_or_default()
    }

    /// Its state in one word, as in `data-state`.
    pub fn state(&self) -> &'static str {
        self.read(|entry| entry.state.word()).unwrap_or_default()
    }

    /// The tool call that it is; `None` for other entries.
    pub fn call(&self) -> Option<ToolCall> {
        self.read(|entry| entry.tool().cloned()).flatten()
    }

    /// A tool call's arguments as JSON; `null` while they are being written.
    pub fn arguments(&self) -> serde_json::Value {
        let arguments = self.call().and_then(|call| call.arguments);
        arguments.map(|arguments| (*arguments).clone()).unwrap_or_default()
    }

    /// What a tool call led to: its result, its output so far, or why it failed.
    pub fn result(&self) -> String {
        self.read(|entry| entry.tool().map(|call| result(entry, call))).flatten().unwrap_or_default()
    }
}
