//! The classes of entries that a reader can filter by.

use crate::i18n::words::cards;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level};
use crate::model::tool_call::ToolCall;
use crate::view_model::tool_summary;
use crate::view_model::tool_summary::ToolFamily;

/// A class of entries. An entry can be in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Messages of people and models.
    Message,
    /// Tool calls.
    Tool,
    /// Tool calls that read or change files.
    File,
    /// Requests to a person.
    Request,
    /// Failures and errors.
    Error,
}

impl Class {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::Message, Self::Tool, Self::File, Self::Request, Self::Error];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        let name = match self {
            Self::Message => cards::MESSAGES,
            Self::Tool => cards::TOOLS,
            Self::File => cards::FILES,
            Self::Request => cards::REQUESTS,
            Self::Error => cards::ERRORS,
        };
        name.text()
    }
}

/// A set of classes. That of an entry also holds whether people see the entry at all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes(u8);

const VISIBLE: u8 = 1 << Class::ALL.len();

impl Classes {
    /// Whether a class is in it.
    pub fn has(self, class: Class) -> bool {
        self.0 & (1 << class as u8) != 0
    }

    /// The set with a class added, if `on` is true.
    #[must_use]
    pub fn with(self, class: Class, on: bool) -> Self {
        Self(self.0 | (u8::from(on) << class as u8))
    }

    /// The set with a class added if it is missing, or removed if it is there.
    #[must_use]
    pub fn toggled(self, class: Class) -> Self {
        Self(self.0 ^ (1 << class as u8))
    }

    /// Whether the two have a class in common.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 & !VISIBLE != 0
    }

    /// True if there is no class in it.
    pub fn is_empty(self) -> bool {
        self.0 & !VISIBLE == 0
    }

    /// How many different sets there are.
    pub(super) const SETS: usize = 2 * VISIBLE as usize;

    pub(super) fn number(self) -> usize {
        self.0.into()
    }

    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..2 * VISIBLE).map(Self)
    }

    pub(super) fn is_visible(self) -> bool {
        self.0 & VISIBLE != 0
    }
}

/// The classes of an entry; empty if people don't see it.
pub fn classes(entry: &Entry) -> Classes {
    if !entry.ui_visible {
        return Classes::default();
    }
    let call = entry.tool();
    let file =
        call.is_some_and(|call| matches!(tool_summary::family(call), ToolFamily::Edit | ToolFamily::Read));
    let loud = matches!(&entry.body, Body::Notice(notice) if notice.level == Level::Error);
    let exit = call.and_then(ToolCall::exit_code).is_some_and(|code| code != 0);
    Classes(VISIBLE)
        .with(Class::Message, matches!(entry.kind, Kind::User | Kind::Assistant))
        .with(Class::Tool, call.is_some())
        .with(Class::File, file)
        .with(Class::Request, entry.request().is_some())
        .with(Class::Error, entry.state == EntryState::Failed || loud || exit)
}
