//! The finished spans that wait for the collector. There is room for so many; for more the oldest make room, and are counted.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::span::Span;
use crate::metrics::Metrics;

/// How many spans are sent at a time.
pub const BATCH: usize = 512;
/// How many wait at most: some MB.
pub const MOST: usize = 8 * BATCH;

/// The queue.
#[derive(Debug)]
pub struct Queue {
    state: Mutex<QueueState>,
    changed: Notify,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<Span>,
    /// No more will come.
    closed: bool,
}

impl Queue {
    /// An empty queue.
    pub fn new(metrics: Metrics) -> Self {
        Self { state: Mutex::default(), changed: Notify::new(), metrics }
    }

    /// Adds spans.
    pub fn add(&self, spans: Vec<Span>) {
        if spans.is_empty() {
            return;
        }
        let mut state = self.state();
        state.waiting.extend(spans);
        let too_many = state.waiting.len().saturating_sub(MOST);
        drop(state.waiting.drain(..too_many));
        drop(state);
        if too_many > 0 {
            self.metrics.spans("dropped", too_many);
        }
        self.changed.notify_one();
    }

    /// Nothing is added any more.
    pub fn close(&self) {
        self.state().closed = true;
        self.changed.notify_one();
    }

    /// Whether nothing is added any more.
    pub fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Returns when there is something, or nothing will come.
    pub async fn filled(&self) {
        self.until(|state| !state.waiting.is_empty()).await;
    }

    /// Returns when there is a whole batch, or nothing will come.
    pub async fn full(&self) {
        self.until(|state| state.waiting.len() >= BATCH).await;
    }

    /// Returns when nothing will come.
    pub async fn closed(&self) {
        self.until(|_| false).await;
    }

    async fn until(&self, is_enough: impl Fn(&QueueState) -> bool) {
        loop {
            {
                let state = self.state();
                if state.closed || is_enough(&state) {
                    return;
                }
            }
            self.changed.notified().await;
        }
    }

    /// The oldest spans, of which a batch is made.
    pub fn take(&self) -> Vec<Span> {
        let mut state = self.state();
        let count = state.waiting.len().min(BATCH);
        state.waiting.drain(..count).collect()
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{BATCH, MOST, Queue};
    use crate::metrics::{Metrics, Snapshot};
    use crate::telemetry::span::Span;
    use crate::telemetry::spans::SessionSpans;

    /// Turns, each with its number as the second at which it began.
    fn turns(numbers: std::ops::Range<usize>) -> Vec<Span> {
        let mut session = SessionSpans::new("s");
        let turn = |number: usize| {
            let at =
                pilothouse_core::wire::time::iso_milliseconds(1_000 * i64::try_from(number + 1).unwrap());
            let event =
                |kind: &str| format!(r#"{{"type":"{kind}","id":"{number}","timestamp":"{at}","data":{{}}}}"#);
            [event("user.message"), event("session.idle")]
        };
        numbers.flat_map(turn).flat_map(|line| session.take(&line)).collect()
    }

    #[tokio::test]
    async fn the_oldest_make_room_and_are_counted() {
        let metrics = Metrics::default();
        let queue = Queue::new(metrics.clone());
        queue.add(turns(0..MOST));
        queue.add(turns(MOST..MOST + 3));
        queue.full().await;
        let first = queue.take();
        assert_eq!((first.len(), first[0].start), (BATCH, 4_000), "the fourth is the oldest that is left");
        let text = metrics.text(Snapshot::default());
        assert!(text.contains("pilothouse_spans_total{outcome=\"dropped\"} 3"), "{text}");
        queue.close();
        let rest: usize = std::iter::from_fn(|| Some(queue.take().len()).filter(|count| *count > 0)).sum();
        assert_eq!(rest, MOST - BATCH);
        queue.filled().await;
        assert!(queue.is_closed());
    }
}
