//! The state of the open model lens, which its messages, its head and the marks in the timeline share.

use leptos::prelude::*;

use crate::core::State;
use crate::core::view_model::lens::Lens;

/// The state that marks and messages share while the lens is open.
#[derive(Clone, Copy)]
pub struct LensView {
    /// The index of the chosen agent's model context.
    pub(crate) index: StoredValue<Lens, LocalStorage>,
    /// Changes with the index.
    pub(crate) version: RwSignal<u32>,
    /// The entries and messages that are highlighted.
    pub(crate) highlighted: RwSignal<LensHighlight>,
    /// The entry whose message is to be shown. The number changes with each request, so that asking twice for
    /// an entry works.
    pub(crate) show: RwSignal<Option<(usize, u32)>>,
    /// The agent whose context is shown; `None` for the main agent.
    pub(crate) agent: RwSignal<Option<String>>,
}

/// What is highlighted under the pointer or the focus, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LensHighlight {
    pub(crate) entries: Vec<usize>,
    pub(crate) messages: Vec<u64>,
}

impl LensView {
    /// Reads the index together with the state; `None` once the lens is closed.
    pub(crate) fn read<R>(self, store: super::Store, read: impl FnOnce(&Lens, &State) -> R) -> Option<R> {
        self.index.try_with_value(|index| store.read(|state| read(index, state))).flatten()
    }

    /// Highlights these entries and messages.
    pub(crate) fn highlight(self, lit: LensHighlight) {
        if self.highlighted.try_with_untracked(|now| *now != lit) == Some(true) {
            self.highlighted.set(lit);
        }
    }
}
