//! Words about an entry that several views show: how a task ended, and what became of a message.

use crate::i18n::Word;
use crate::i18n::words::{notices, requests, timeline};
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::protocol::RequestKind;

/// How a task ended.
pub fn task_outcome(state: EntryState) -> &'static str {
    let word = match state {
        EntryState::Failed => notices::TASK_FAILED,
        EntryState::Interrupted => notices::TASK_UNFINISHED,
        _ => notices::TASK_COMPLETE,
    };
    word.text()
}

/// What kind of request it is, in a word or two.
pub fn request_name(kind: RequestKind) -> Word {
    match kind {
        RequestKind::Permission => requests::KIND_PERMISSION,
        RequestKind::UserInput => requests::KIND_QUESTION,
        RequestKind::Elicitation => requests::KIND_FORM,
        RequestKind::ExitPlanMode => requests::KIND_PLAN,
        RequestKind::ExternalTool => requests::KIND_TOOL,
        RequestKind::QueuedCommand | RequestKind::Command => requests::KIND_COMMAND,
        RequestKind::AutoModeSwitch => requests::KIND_MODEL,
        RequestKind::SessionLimits => requests::KIND_LIMITS,
        RequestKind::McpOauth => requests::KIND_SIGN_IN,
        RequestKind::Sampling => requests::KIND_SAMPLING,
        RequestKind::Confirmation => requests::KIND_CONFIRMATION,
    }
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
