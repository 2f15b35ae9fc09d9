//! Texts as trees that views can draw: Markdown, terminal output, diffs, unfinished JSON; and what in a text would not be seen.

pub mod ansi;
pub mod checklist;
pub mod diff;
pub mod hidden;
pub mod initials;
pub mod markdown;
pub mod partial_json;
pub mod review_marks;
