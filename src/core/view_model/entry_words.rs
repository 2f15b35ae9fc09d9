//! Words about an entry that several views show: how a task ended, and what became of a message.

use crate::i18n::Word;
use crate::i18n::words::{notices, timeline};
use crate::model::entry::{Body, Entry, EntryState, Kind};

/// How a task ended.
pub fn task_outcome(state: EntryState) -> &'static str {
    let word = match state {
        EntryState::Failed => notices::TASK_FAILED,
        EntryState::Interrupted => notices::TASK_UNFINISHED,
        _ => notices::TASK_COMPLETE,
    };
    word.text()
}

/// What a rewind did to an entry: undone if it had rewritten the conversation, else rewound. None if it still
/// counts.
pub fn fate(entry: &Entry) -> Option<Word> {
    let rewrote = match &entry.body {
        Body::Notice(notice) => matches!(&*notice.category, "truncation" | "context_cleared"),
        _ => entry.kind == Kind::Compaction,
    };
    entry.rewound.then_some(if rewrote { timeline::UNDONE } else { timeline::REWOUND })
}
