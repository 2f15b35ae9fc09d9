//! Owns how notifications of a session stand in frames. It refuses to send them.

use std::fmt::Write as _;

use crate::journal::Batch;

/// What several lines may have together.
pub const LARGEST_FRAME: usize = 64 << 10;

/// Says that it is worth asking for a session's backlog again.
pub fn backlog_changed(quoted_id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"pilothouse.backlog.changed","params":{{"sessionId":{quoted_id}}}}}"#
    )
}

/// Lines of a session as frames, several in one where they fit.
pub fn pack(quoted_id: &str, batch: &Batch) -> Vec<String> {
    let mut frames = Vec::new();
    let mut frame = String::new();
    for (seq, entry) in &batch.entries {
        // A reader may take the lines of a frame one by one.
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
#[path = "pack_tests.rs"]
mod tests;
