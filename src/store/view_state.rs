//! View state of one element: which side views are open, and requests to scroll to a row.

use leptos::prelude::*;

use super::scroll_sync::ScrollSync;
use crate::core::view_model::read_through::ReadThrough;

/// A view that opens at the side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideViewKind {
    /// Plan, todos, files, agents, servers, usage.
    Panel,
    /// The event log.
    Log,
    /// The raw events of the entry in a row.
    Inspector(usize),
}

/// Failures that were reported only quietly, in words for the button that leads to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietFailure {
    /// How many failed; shown in the button.
    pub count: String,
    /// The button's accessible name, with that number.
    pub name: String,
    /// The newest failure.
    pub newest: String,
}

/// One per element; views copy it. At first everything is closed. Must be made inside a reactive owner.
#[derive(Clone, Copy, Default)]
pub struct ViewState {
    /// The view that is open at the side.
    pub side_view: RwSignal<Option<SideViewKind>>,
    /// The model lens is open.
    pub lens: RwSignal<bool>,
    /// The search bar is open.
    pub finder: RwSignal<bool>,
    /// The help sheet is open.
    pub help: RwSignal<bool>,
    /// The scroll state that the timeline and the lens share.
    pub scroll_sync: ScrollSync,
    /// The element is wide enough for a side view next to the timeline instead of over it.
    pub wide: RwSignal<bool>,
    /// The side view was opened automatically, not by the reader.
    pub opened_automatically: RwSignal<bool>,
    /// Quiet failures since the reader last looked.
    pub failed: RwSignal<Option<QuietFailure>>,
    /// The header's menu is open; it holds the buttons on narrow screens.
    pub menu: RwSignal<bool>,
    /// The row to scroll to and focus. The number changes with each request, so that asking twice for a row
    /// works.
    pub(crate) row_to_focus: RwSignal<Option<(usize, u32)>>,
    /// The row to scroll to without moving the focus; the number as above.
    pub(crate) row_to_show: RwSignal<Option<(usize, u32)>>,
    /// Changes when the reader asks to go to the end and follow new events.
    pub(crate) end_requests: RwSignal<u32>,
    /// The reader scrolls fast; meanwhile rows do not get the buttons that appear under the pointer.
    pub scrolls_fast: RwSignal<bool>,
    /// The text of the live region.
    pub announcement: RwSignal<String>,
    /// The list of all waiting requests is open.
    pub waiting: RwSignal<bool>,
    /// Ids of the requests of which all has been in view.
    pub seen_requests: RwSignal<Vec<String>>,
    /// What has been in view of the requests that are open, by id.
    pub read_through: StoredValue<Vec<(String, ReadThrough)>>,
    /// Ids of the requests that a program of the host has taken over.
    pub host_requests: RwSignal<Vec<String>>,
}

impl ViewState {
    /// Scrolls to a row and focuses it.
    pub fn go_to(self, row: usize) {
        request_row(self.row_to_focus, row);
    }

    /// Scrolls to a row and leaves the focus where it is.
    pub fn scroll_to(self, row: usize) {
        request_row(self.row_to_show, row);
    }

    /// Scrolls to the end and follows new events.
    pub fn scroll_to_end(self) {
        self.end_requests.update(|number| *number = number.wrapping_add(1));
    }

    /// Whether the panel fits next to the timeline. It does not while the lens takes the second column.
    /// Subscribes.
    pub fn fits_panel(self) -> bool {
        self.wide.get() && !self.lens.get()
    }

    /// Opens a side view, or closes it if it is open already.
    pub fn toggle_aside(self, aside: SideViewKind) {
        self.side_view.update(|open| *open = if *open == Some(aside) { None } else { Some(aside) });
    }
}

fn request_row(signal: RwSignal<Option<(usize, u32)>>, row: usize) {
    signal.update(|request| *request = Some((row, request.map_or(0, |(_, number)| number.wrapping_add(1)))));
}
