//! What the reader has open beside the timeline, and where they want to go. Refuses to draw.

use leptos::prelude::*;

use super::beside::Beside;

/// What stands at the side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// Plan, todos, files, agents, servers, usage.
    Panel,
    /// Everything that came in.
    Log,
    /// What came in about the entry of a row.
    Inspector(usize),
}

/// What failed quietly, in words for the button that leads to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietFailure {
    /// How many failed; stands in the button.
    pub count: String,
    /// The button's name with that.
    pub name: String,
    /// The newest failure.
    pub newest: String,
}

/// One for each element; views copy it.
#[derive(Clone, Copy)]
pub struct Desk {
    /// What stands at the side, if anything.
    pub aside: RwSignal<Option<Aside>>,
    /// The model's view is shown.
    pub lens: RwSignal<bool>,
    /// The search bar is open.
    pub finder: RwSignal<bool>,
    /// The help sheet is open.
    pub help: RwSignal<bool>,
    /// What the timeline and the lens tell each other.
    pub beside: Beside,
    /// The element is wide enough to have something beside the timeline, and not over it.
    pub wide: RwSignal<bool>,
    /// What stands at the side came by itself.
    pub by_itself: RwSignal<bool>,
    /// What failed quietly, and nobody has looked since.
    pub failed: RwSignal<Option<QuietFailure>>,
    /// The header's menu is open, where there is no room for its buttons.
    pub menu: RwSignal<bool>,
    /// The row that is to be brought into view; the number makes the same row asked for twice two wishes.
    pub goto: RwSignal<Option<(usize, u32)>>,
    /// The row that is to be brought into view while the focus stays where it is.
    pub look: RwSignal<Option<(usize, u32)>>,
    /// Changes when the reader wants to be at the end, and to follow what comes.
    pub end: RwSignal<u32>,
    /// The reader stays where they are: rows get what shows under a pointer only.
    pub stays: RwSignal<bool>,
    /// What the announcer says.
    pub heard: RwSignal<String>,
    /// The list of everything that waits is open.
    pub waiting: RwSignal<bool>,
    /// The requests that a person has seen from their first line to their last, by id.
    pub seen: RwSignal<Vec<String>>,
    /// The requests that a program of the host's has taken.
    pub taken: RwSignal<Vec<String>>,
}

impl Desk {
    /// Nothing open. Must be made inside a reactive owner.
    pub fn new() -> Self {
        Self {
            aside: RwSignal::new(None),
            lens: RwSignal::new(false),
            finder: RwSignal::new(false),
            help: RwSignal::new(false),
            beside: Beside::new(),
            wide: RwSignal::new(false),
            by_itself: RwSignal::new(false),
            failed: RwSignal::new(None),
            menu: RwSignal::new(false),
            goto: RwSignal::new(None),
            look: RwSignal::new(None),
            end: RwSignal::new(0),
            stays: RwSignal::new(true),
            heard: RwSignal::new(String::new()),
            waiting: RwSignal::new(false),
            seen: RwSignal::new(Vec::new()),
            taken: RwSignal::new(Vec::new()),
        }
    }

    /// Brings a row into view and gives it the focus.
    pub fn go_to(self, row: usize) {
        wish(self.goto, row);
    }

    /// Brings a row into view and leaves the focus where it is.
    pub fn look_at(self, row: usize) {
        wish(self.look, row);
    }

    /// Leads to the end.
    pub fn to_end(self) {
        self.end.update(|number| *number = number.wrapping_add(1));
    }

    /// Has the announcer say something, also if it is what it said last.
    pub fn say(self, words: &str) {
        self.heard.update(|heard| {
            let again = heard.as_str() == words;
            *heard = if again { format!("{words}\u{a0}") } else { words.to_owned() };
        });
    }

    /// Whether the panel has room beside what is read: the lens takes it for its second column. Subscribes.
    pub fn has_room(self) -> bool {
        self.wide.get() && !self.lens.get()
    }

    /// Opens something at the side, or closes it if it is what stands there.
    pub fn toggle_aside(self, aside: Aside) {
        self.aside.update(|open| *open = if *open == Some(aside) { None } else { Some(aside) });
    }
}

fn wish(signal: RwSignal<Option<(usize, u32)>>, row: usize) {
    signal.update(|wish| *wish = Some((row, wish.map_or(0, |(_, number)| number.wrapping_add(1)))));
}

impl Default for Desk {
    fn default() -> Self {
        Self::new()
    }
}
