//! The chunk `search`, loaded on first use: search, filter, export, copy and help.

pub mod bar;
pub mod copy_entry;
mod export_menu;
mod filter;
pub mod help_sheet;
mod highlights;
mod offscreen_matches;
mod ranges;
mod survey;

use leptos::prelude::*;

use super::elements::builder::El;
use super::elements::live::Live;
use super::lazy;
use super::lazy::SearchTable;
use super::session::use_session;

/// Finds text in the whole session and steps through it, shows only entries of some kinds, exports. Shown while
/// the search is open, which Ctrl+F does.
#[component(transparent)]
pub fn SearchBar() -> Live {
    use_session().framed_live("", |store| opened(store.view_state.finder, |search| (search.bar)(store)))
}

/// Every key in words; shown while the help is open, which the key `?` does.
#[component(transparent)]
pub fn HelpSheet() -> Live {
    use_session().framed_live("", |store| opened(store.view_state.help, |search| (search.help)(store)))
}

/// A view of the chunk `search`, while `open` is true.
fn opened(open: RwSignal<bool>, view: impl FnOnce(&'static SearchTable) -> El) -> Option<El> {
    open.get().then(|| match lazy::SEARCH.ready() {
        // Untracked: a signal that the view reads while it is built must not rebuild it; somebody may be typing.
        Ok(search) => untrack(|| view(search)),
        Err(coming) => coming.view(),
    })
}
