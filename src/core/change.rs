//! What views must refresh after a batch of events. Refuses to carry the data: views read it from the state.

/// One thing that changed. A batch lists additions first, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The session has begun again: nothing of what it was is left, and everything may be different. First in its batch.
    Renewed,
    /// A new entry at the end of the timeline, `index` being its place for good.
    EntryAdded {
        /// Place in the timeline.
        index: usize,
    },
    /// The entry's text grew; what was before byte `from` is as it was.
    TextAppended {
        /// Place in the timeline.
        index: usize,
        /// Length of the text before, in bytes.
        from: usize,
    },
    /// The entry's text is another one now.
    TextReplaced {
        /// Place in the timeline.
        index: usize,
    },
    /// Anything else of the entry changed: its state, its body, its visibility.
    EntryUpdated {
        /// Place in the timeline.
        index: usize,
    },
    /// A part of the session beside the timeline changed.
    Section(Section),
}

/// Parts of the session beside the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// Title, status, mode, model, place, intent.
    Session,
    /// Open requests.
    Pending,
    /// The queue of messages.
    Queue,
    /// Tokens, cost, context window.
    Usage,
    /// What the model sees.
    ModelContext,
    /// Counters and diagnostics.
    Diagnostics,
    /// Plan, todos, files, agents, servers, skills, schedules.
    Surroundings,
    /// What is collected quietly.
    Tray,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Session,
        Self::Pending,
        Self::Queue,
        Self::Usage,
        Self::ModelContext,
        Self::Diagnostics,
        Self::Surroundings,
        Self::Tray,
    ];

    /// Its bit in a set.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its word in JavaScript.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Pending => "pending",
            Self::Queue => "queue",
            Self::Usage => "usage",
            Self::ModelContext => "modelContext",
            Self::Diagnostics => "diagnostics",
            Self::Surroundings => "surroundings",
            Self::Tray => "tray",
        }
    }
}
