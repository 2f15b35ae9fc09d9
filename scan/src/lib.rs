//! Reads the JSON text of a session event in one pass: its envelope, the members of its
//! payload, its texts. What is written in an unusual way gives `None`; the caller's general
//! parser then reads it, with the same result.
//!
//! This is a package of its own, because the page is built for size and this for speed. Nothing here is
//! generic, as generic code would be compiled where it is used, and for size.

#![forbid(unsafe_code)]

mod bytes;
mod cursor;
mod event;
mod ids;
mod overlap;
mod text;
mod time;

pub use bytes::{common, same};
pub use event::{Event, Member, Members, elements, index_of, read, string};
pub use ids::{IdHasher, Uuids, uuid};
pub use overlap::{Overlap, overlaps};
pub use text::{are_equal, reads_as, unescaped, utf8};
pub use time::parse_iso;

/// A JSON value that has been checked to be well formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A string.
    Str {
        /// What is between the quotation marks.
        inner: &'a str,
        /// True if there is a backslash in it.
        escaped: bool,
    },
    /// Anything else, as it is written.
    Other(&'a str),
}
