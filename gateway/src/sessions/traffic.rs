//! Counts the lines of a session, between two reports of the gateway's metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// Lines and their bytes.
#[derive(Debug, Default)]
pub struct Traffic {
    events: AtomicU64,
    bytes: AtomicU64,
}

impl Traffic {
    /// Counts a line.
    pub fn count(&self, bytes: usize) {
        self.events.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// How many lines and bytes there were since this was asked last.
    pub fn take(&self) -> (u64, u64) {
        (self.events.swap(0, Ordering::Relaxed), self.bytes.swap(0, Ordering::Relaxed))
    }
}
