//! Output and progress of tool calls: superseded by a later piece that begins with all of it, and by a successful result.
//!
//! In practice a piece is all of the output so far, so the newest one is enough. The pieces of calls whose start is not in the
//! log stay, and so does what comes after the result.

use std::collections::HashMap;

use crate::model::tool_call::{OutputMerge, is_without_output, merge_output};
use crate::protocol::EventKind;
use crate::wire::Event;
use crate::wire::fields::Fields;

/// The tool calls so far.
#[derive(Debug, Default)]
pub(super) struct ToolOutput(HashMap<Box<str>, CallOutput>);

/// What is known of the output of a call.
#[derive(Debug)]
enum CallOutput {
    /// It runs.
    Running {
        /// The output so far, as the reducer merges it.
        output: String,
        /// The pieces that it is made of.
        pieces: Vec<u64>,
        /// A piece replaced the end of another, so it is not enough to have the newest.
        rewritten: bool,
        progress: Option<u64>,
    },
    /// It has ended, or its output can't be followed: what comes stays.
    Other,
}

impl CallOutput {
    const STARTED: Self =
        Self::Running { output: String::new(), pieces: Vec::new(), rewritten: false, progress: None };
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
            let call = if starts { CallOutput::STARTED } else { CallOutput::Other };
            self.0.insert((&*id).into(), call);
            return;
        };
        let CallOutput::Running { output, pieces, rewritten, progress } = call else { return };
        match kind {
            EventKind::ToolExecutionProgress if event.ephemeral => {
                superseded.extend(progress.replace(position));
            }
            EventKind::ToolExecutionPartialResult => {
                let text = data.string("partialOutput").filter(|_| event.ephemeral && !event.has_halves);
                let Some(text) = text else {
                    *call = CallOutput::Other;
                    return;
                };
                let has_all = text.starts_with(output.as_str());
                match merge_output(output, &text) {
                    OutputMerge::Unchanged => superseded.push(position),
                    OutputMerge::Appended if has_all && !*rewritten => {
                        superseded.append(pieces);
                        pieces.push(position);
                    }
                    merged => {
                        *rewritten |= merged == OutputMerge::Replaced;
                        pieces.push(position);
                    }
                }
            }
            EventKind::ToolExecutionComplete => {
                superseded.extend(*progress);
                if !pieces.is_empty() && data.flag("success") == Some(true) {
                    let mut result = data.object_or_text("result", "content");
                    let (content, detailed) = (result.text("content"), result.text("detailedContent"));
                    if content.is_some_and(|content| !is_without_output(&detailed.unwrap_or(content))) {
                        superseded.append(pieces);
                    }
                }
                *call = CallOutput::Other;
            }
            _ => {}
        }
    }
}
