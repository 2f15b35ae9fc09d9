//! Packs notifications of a session into frames.

use std::fmt::Write as _;

use crate::journal::Batch;

/// How many bytes several lines in one frame may have together.
pub const LARGEST_FRAME: usize = 64 << 10;

/// The notification that a session's backlog has changed.
pub fn backlog_changed(quoted_id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"pilothouse.backlog.changed","params":{{"sessionId":{quoted_id}}}}}"#
    )
}

/// Packs lines of a session into frames, several into one where they fit.
pub fn pack(quoted_id: &str, batch: &Batch) -> Vec<String> {
    let mut frames = Vec::new();
    let mut frame = String::new();
    for (seq, entry) in &batch.entries {
        // A reader may take a frame line by line, so an event with line breaks gets a frame of its own.
        let lines = entry.raw.contains('\n');
        let size = frame.len() + entry.raw.len() + quoted_id.len() + 100;
        let fits = entry.event && !lines && size < LARGEST_FRAME;
        if !fits && !frame.is_empty() {
            frames.push(std::mem::take(&mut frame));
        }
        if !entry.event {
            frames.push(entry.raw.to_string());
            continue;
        }
        if !frame.is_empty() {
            frame.push('\n');
        }
        // The line is spliced in byte for byte; writing into a String can't fail.
        let _ = write!(
            frame,
            r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":{quoted_id},"event":{},"seq":{seq}}}}}"#,
            entry.raw
        );
        if lines {
            frames.push(std::mem::take(&mut frame));
        }
    }
    if !frame.is_empty() {
        frames.push(frame);
    }
    frames
}

#[cfg(test)]
mod tests;
