//! Owns the tests of a session's log on disk. It refuses threads and runtimes.
#![allow(clippy::unwrap_used)]
