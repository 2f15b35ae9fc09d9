//! What the composer has beside its field, its buttons and its notes: menus, proposals, attachments, results of commands,
//! dialogs, the queue, messages that were not begun. It comes as a chunk of its own, because a session can be read and
//! answered without it.

use leptos::prelude::*;
use serde_json::Value;
use web_sys::{File, HtmlElement, KeyboardEvent};

use super::state::{ComposerState, Dialog, Menu};
use crate::ui::elements::builder::El;
use crate::ui::lazy::{Chunk, Priority};

/// What the chunk `composer_actions` makes and does.
pub struct ComposerActions {
    /// The lines of a menu while it is open. Takes the button that opens it.
    pub(super) menu: fn(ComposerState, Menu, RwSignal<bool>, HtmlElement) -> El,
    /// The list of proposals.
    pub(super) proposals: fn(ComposerState) -> El,
    /// Looks up what fits at the cursor.
    pub(super) propose: fn(ComposerState),
    /// Handles a key for the list of proposals; false if it means nothing there.
    pub(super) press: fn(ComposerState, &KeyboardEvent) -> bool,
    /// Takes files, one after the other.
    pub(super) attach: fn(ComposerState, Vec<File>),
    /// The list of what is attached.
    pub(super) attachments: fn(ComposerState) -> El,
    /// Shows the result of a command of this name.
    pub(super) show_result: fn(ComposerState, &str, Value),
    /// A dialog.
    pub(super) dialog: fn(ComposerState, Dialog) -> El,
    /// What waits for the agent.
    pub(super) queue: fn(ComposerState) -> El,
    /// Messages that the agent has not begun.
    pub(super) offers: fn(ComposerState) -> El,
}

/// What the composer has beside its field.
pub static ACTIONS: Chunk<ComposerActions> = Chunk::new(Priority::Now);

/// A view of the chunk; nothing until it has come. Subscribes to that.
pub(super) fn view(view: impl FnOnce(&'static ComposerActions) -> El) -> Option<El> {
    let actions = ACTIONS.ready().ok()?;
    Some(untrack(|| view(actions)))
}

/// A view of the chunk from the moment on at which `some` holds: what it shows then it decides itself, the focus included.
pub(super) fn once(
    composer: ComposerState,
    some: impl Fn() -> bool + Send + Sync + 'static,
    make: fn(&'static ComposerActions) -> fn(ComposerState) -> El,
) -> impl Fn() -> Option<El> + 'static {
    let some = Memo::new(move |before: Option<&bool>| before == Some(&true) || some());
    move || if some.get() { view(|actions| make(actions)(composer)) } else { None }
}
