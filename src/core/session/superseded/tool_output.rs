//! Output and progress of tool calls: superseded by a later piece that begins with all of it, and by the result that does.
//!
//! In practice a piece is all of the output so far, so the newest one is enough. Where a piece is anything else, the pieces of
//! its call stay from there on, and so do those of calls whose start is not in the log.

use std::collections::HashMap;

use crate::protocol::EventKind;
use crate::wire::Event;
use crate::wire::fields::Fields;

/// The tool calls so far.
#[derive(Debug, Default)]
pub(super) struct ToolOutput(HashMap<Box<str>, CallOutput>);

/// What is known of the output of a call.
#[derive(Debug)]
enum CallOutput {
    /// It runs, and each piece began with the one before.
    Growing {
        /// The newest piece: its position, and the output so far.
        piece: Option<(u64, Box<str>)>,
        progress: Option<u64>,
    },
    /// It has ended, or its output is of another kind: what comes stays.
    Other,
}

/// Whether events of this type tell of output.
pub(super) fn concerns(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::ToolUserRequested
            | EventKind::ToolExecutionStart
            | EventKind::ToolExecutionPartialResult
            | EventKind::ToolExecutionProgress
            | EventKind::ToolExecutionComplete
    )
}

impl ToolOutput {
    /// Nothing is known any longer of the output so far.
    pub(super) fn lose_track(&mut self) {
        self.0.values_mut().for_each(|call| *call = CallOutput::Other);
    }

    /// Takes an event of a tool call, and adds the positions that are superseded now.
    pub(super) fn take(
        &mut self,
        kind: EventKind,
        position: u64,
        event: &Event<'_>,
        mut data: Fields<'_>,
        superseded: &mut Vec<u64>,
    ) {
        let Some(id) = data.id("toolCallId") else { return };
        let Some(call) = self.0.get_mut(&*id) else {
            let starts = matches!(kind, EventKind::ToolExecutionStart | EventKind::ToolUserRequested);
            let call =
                if starts { CallOutput::Growing { piece: None, progress: None } } else { CallOutput::Other };
            self.0.insert((&*id).into(), call);
            return;
        };
        let CallOutput::Growing { piece, progress } = call else { return };
        match kind {
            EventKind::ToolExecutionProgress if event.ephemeral => {
                superseded.extend(progress.replace(position));
            }
            EventKind::ToolExecutionPartialResult => {
                let before = piece.as_ref().map_or("", |(_, text)| text);
                let text = data.string("partialOutput").filter(|_| event.ephemeral && !event.has_halves);
                match text {
                    // It has nothing new.
                    Some(text) if text.is_empty() || text == before => superseded.push(position),
                    Some(text) if text.starts_with(before) => {
                        superseded.extend(piece.replace((position, (&*text).into())).map(|(at, _)| at));
                    }
                    _ => *call = CallOutput::Other,
                }
            }
            EventKind::ToolExecutionComplete => {
                superseded.extend(*progress);
                if let Some((at, output)) = piece
                    && data.flag("success") == Some(true)
                    && data
                        .object_or_text("result", "content")
                        .text("content")
                        .is_some_and(|text| text.starts_with(&**output))
                {
                    superseded.push(*at);
                }
                *call = CallOutput::Other;
            }
            _ => {}
        }
    }
}
