//! What a row of the timeline is, besides its content: its layout, its accessible name, and its lane.

use crate::i18n::words::page;
use crate::model::entry::{Body, Entry, Kind, Level};
use crate::model::request::Request;
use crate::model::state::State;
use crate::view_model::agent_name;
use crate::view_model::entry_words::{text, writer};

/// The layout of an entry; chosen once, from its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A person's message.
    User,
    /// An answer.
    Assistant,
    /// What the model thought.
    Reasoning,
    /// A tool call.
    Tool,
    /// A request: a card while it waits, then a line.
    Request,
    /// A line that says what happened.
    Notice,
    /// A labelled hairline.
    Milestone,
    /// A sub-agent's line, which folds its lane.
    Subagent,
    /// The facts of an event that no other layout shows.
    Facts,
    /// Events are missing here.
    Gap,
}

impl Layout {
    /// The layout of an entry.
    pub fn of(entry: &Entry) -> Self {
        match (entry.kind, &entry.body) {
            (Kind::User, _) => Self::User,
            (Kind::Assistant, _) => Self::Assistant,
            (Kind::Reasoning, _) => Self::Reasoning,
            (Kind::Tool, _) => Self::Tool,
            (Kind::Subagent, _) => Self::Subagent,
            _ if is_milestone(entry) => Self::Milestone,
            (_, Body::Request(_)) => Self::Request,
            (Kind::Custom | Kind::Generic, _) => Self::Facts,
            (Kind::Gap, _) => Self::Gap,
            _ => Self::Notice,
        }
    }

    /// The class of an entry's article.
    pub fn class(self, entry: &Entry) -> &'static str {
        match self {
            Self::User => "entry user",
            Self::Assistant => "entry assistant",
            Self::Reasoning => "entry think",
            Self::Tool => "entry tool",
            Self::Request if entry.request().is_some_and(Request::open) => "entry request",
            Self::Request => "entry settled",
            Self::Notice => "entry notice",
            Self::Milestone => "entry milestone",
            Self::Subagent => "entry subagent",
            Self::Facts => "entry generic",
            Self::Gap => "entry gap",
        }
    }
}

/// True if an entry is a labelled hairline rather than a line.
pub fn is_milestone(entry: &Entry) -> bool {
    matches!(entry.kind, Kind::Compaction | Kind::Summary)
        || matches!(&entry.body, Body::Notice(notice) if notice.level == Level::Milestone)
}

/// How serious a line is; `None` for entries that are not lines.
pub fn level(entry: &Entry) -> Option<&'static str> {
    match &entry.body {
        Body::Notice(notice) => Some(notice.level.word()),
        Body::Request(_) => Some("info"),
        _ => None,
    }
}

/// Number of lane colours; an agent keeps its colour.
const LANES: usize = 6;
/// Deeper lanes are not indented any further.
const DEEPEST: usize = 4;

/// The colour (from 1) of the lane that an entry is in or heads, and the nesting depth. `lanes` are the sub-agents that
/// it is inside of, the nearest first.
pub fn lane(row: usize, lanes: &[usize], heads: bool) -> Option<(usize, usize)> {
    let (row, depth) = if heads { (row, lanes.len() + 1) } else { (lanes.first().copied()?, lanes.len()) };
    Some((row % LANES + 1, depth.min(DEEPEST)))
}

/// The name of the innermost sub-agent whose lane an entry is in.
pub fn lane_agent<'a>(state: &'a State, lanes: &[usize]) -> Option<&'a str> {
    match &state.entry(lanes.first().copied()?)?.body {
        Body::Subagent(agent) => Some(agent_name::shown(agent.title())),
        _ => None,
    }
}

/// The accessible name of a row: who says what, in whose lane, and whether it was rewound.
pub fn row_label(state: &State, entry: &Entry, lanes: &[usize]) -> String {
    let label = label(entry);
    let label = if entry.rewound { page::REWOUND.with(&[("entry", (&label).into())]) } else { label };
    match lane_agent(state, lanes) {
        Some(agent) => page::OF_AGENT.with(&[("agent", agent.into()), ("entry", (&label).into())]),
        None => label,
    }
}

/// The accessible name of an entry: author and kind, or why an event could not be read.
pub fn label(entry: &Entry) -> String {
    let word = match entry.kind {
        Kind::User => match writer(entry) {
            Some(who) => return who,
            None => page::YOU,
        },
        Kind::Assistant => page::ASSISTANT,
        Kind::Reasoning => page::REASONING,
        Kind::Tool => {
            let name = entry.tool().map_or("", |call| call.name.as_str());
            return page::TOOL.with(&[("name", name.into())]);
        }
        Kind::Permission => page::PERMISSION,
        Kind::Question => page::QUESTION,
        Kind::Form => page::FORM,
        Kind::Plan => page::PLAN,
        Kind::Confirmation => page::REQUEST,
        Kind::Notice => page::NOTICE,
        Kind::Subagent => page::SUB_AGENT,
        Kind::Compaction => page::COMPACTION,
        Kind::Summary => page::TASK_COMPLETE,
        Kind::Custom => page::CUSTOM,
        Kind::Generic => match &entry.body {
            Body::Facts { event_type, .. } if !is_unknown(&text(entry), event_type) => {
                return text(entry).into_owned();
            }
            _ => page::UNKNOWN_EVENT,
        },
        Kind::Gap => page::GAP,
    };
    word.text().to_owned()
}

/// Whether an entry says no more than the type of its event, or that the event has none.
pub fn is_unknown(says: &str, event_type: &str) -> bool {
    event_type.is_empty() || says == event_type
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::view_model::rows::lanes;

    fn rows(events: &str) -> Vec<(Layout, &'static str, String)> {
        let mut session = Session::new();
        session.push_frame(events);
        let state = session.state();
        let row = |entry: &Entry| {
            let layout = Layout::of(entry);
            (layout, layout.class(entry), row_label(state, entry, &lanes(state, entry)))
        };
        state.entries.iter().map(|entry| row(entry)).collect()
    }

    #[test]
    fn each_kind_of_entry_has_its_layout_and_its_name() {
        let asked = r#"{"type":"permission.requested","id":"p","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"make"}}}"#;
        let answered = r#"{"type":"permission.completed","id":"q","data":{"requestId":"r","result":{"kind":"approved"}}}"#;
        let task = r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"task","toolName":"task","arguments":{}}}"#;
        let agent = r#"{"type":"subagent.started","id":"a","data":{"toolCallId":"task","agentName":"x","agentDisplayName":"Explorer"}}"#;
        for (events, expected) in [
            (
                r#"{"type":"user.message","id":"u","data":{"content":"Hi"}}"#,
                (Layout::User, "entry user", "You"),
            ),
            (
                r#"{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"Hi"}}"#,
                (Layout::Assistant, "entry assistant", "Assistant"),
            ),
            (
                r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"c","toolName":"grep","arguments":{}}}"#,
                (Layout::Tool, "entry tool", "Tool: grep"),
            ),
            (asked, (Layout::Request, "entry request", "Permission")),
            (&[asked, answered].concat(), (Layout::Request, "entry settled", "Permission")),
            (
                r#"{"type":"session.warning","id":"w","data":{"warningType":"x","message":"Look"}}"#,
                (Layout::Notice, "entry notice", "Notice"),
            ),
            (
                r#"{"type":"session.resume","id":"s","data":{"resumeTime":"2026-01-01T00:00:00Z","eventCount":3}}"#,
                (Layout::Milestone, "entry milestone", "Notice"),
            ),
            (
                r#"{"type":"moon.rose","id":"x","data":{"at":3}}"#,
                (Layout::Facts, "entry generic", "Unknown event"),
            ),
            (&[task, agent].concat(), (Layout::Subagent, "entry subagent", "Sub-agent")),
        ] {
            let (layout, class, label) = rows(events).pop().unwrap();
            assert_eq!((layout, class, label.as_str()), expected, "{events}");
        }
    }

    #[test]
    fn what_a_sub_agent_does_says_whose_it_is() {
        let events = r#"{"type":"tool.execution_start","id":"t","data":{"toolCallId":"task","toolName":"task","arguments":{}}}{"type":"subagent.started","id":"a","data":{"toolCallId":"task","agentName":"x","agentDisplayName":"Explorer"}}{"type":"assistant.message","id":"m","data":{"messageId":"m","content":"Found","parentToolCallId":"task"}}"#;
        let rows = rows(events);
        assert_eq!(rows.last().unwrap().2, "Explorer: Assistant");
    }

    #[test]
    fn a_lane_has_a_colour_of_six_and_no_more_than_four_steps() {
        for (row, lanes, heads, expected) in [
            (9, &[][..], false, None),
            (9, &[], true, Some((4, 1))),
            (9, &[3], false, Some((4, 1))),
            (9, &[5, 3], false, Some((6, 2))),
            (9, &[8, 5, 3, 2, 1], false, Some((3, 4))),
            (9, &[8, 5, 3, 2], true, Some((4, 4))),
        ] {
            assert_eq!(lane(row, lanes, heads), expected, "{row} {lanes:?} {heads}");
        }
    }
}
