//! What views must refresh after a batch of events. The data itself is read from the state.

/// One thing that changed. A batch lists additions first, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// The session was reset, so everything may be different. First in its batch.
    Renewed,
    /// A new entry at the end of the timeline; its `index` never changes.
    EntryAdded {
        /// Index in the timeline.
        index: usize,
    },
    /// Text was appended to the entry; everything before byte `from` is unchanged.
    TextAppended {
        /// Index in the timeline.
        index: usize,
        /// Length of the text before the append, in bytes.
        from: usize,
    },
    /// The entry's text was replaced.
    TextReplaced {
        /// Index in the timeline.
        index: usize,
    },
    /// Something else about the entry changed: its state, its body, its visibility.
    EntryUpdated {
        /// Index in the timeline.
        index: usize,
    },
    /// A part of the session outside the timeline changed.
    Section(Section),
}

/// Parts of the session outside the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// Title, status, mode, model, working directory, intent.
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
    Environment,
    /// Events that are collected without an entry in the timeline.
    Notifications,
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
        Self::Environment,
        Self::Notifications,
    ];

    /// Its bit in a bit set.
    pub(crate) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name in JavaScript.
    pub fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Pending => "pending",
            Self::Queue => "queue",
            Self::Usage => "usage",
            Self::ModelContext => "modelContext",
            Self::Diagnostics => "diagnostics",
            Self::Environment => "environment",
            Self::Notifications => "notifications",
        }
    }
}
