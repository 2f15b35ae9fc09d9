//! How often one viewer is sent events. What comes within a moment is sent together: a send costs far more than the events in it.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The shortest time between two sends to a viewer who is not behind: a fiftieth of a second, in which nobody reads a word.
const PAUSE: Duration = Duration::from_millis(20);

/// When one viewer may be sent events again.
#[derive(Clone, Copy, Debug)]
pub struct SendPause {
    next: Instant,
}

impl SendPause {
    /// Nothing was sent a moment ago, so the first events are sent at once.
    pub fn rested() -> Self {
        Self { next: Instant::now() }
    }

    /// Events were sent just now.
    pub fn sent(&mut self) {
        self.next = Instant::now() + PAUSE;
    }

    /// Returns when events may be sent: at once, if none were sent a moment ago.
    pub async fn due(self) {
        if Instant::now() < self.next {
            sleep_until(self.next).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, advance};

    use super::{PAUSE, SendPause};

    #[tokio::test(start_paused = true)]
    async fn after_a_rest_nobody_waits_and_in_a_burst_no_longer_than_the_pause() {
        let (mut pause, begin) = (SendPause::rested(), Instant::now());
        pause.due().await;
        assert_eq!(begin.elapsed(), std::time::Duration::ZERO);
        pause.sent();
        advance(PAUSE / 4).await;
        pause.due().await;
        assert!(begin.elapsed() >= PAUSE && begin.elapsed() < PAUSE * 2);
        let rested = Instant::now();
        pause.due().await;
        assert_eq!(rested.elapsed(), std::time::Duration::ZERO);
    }
}
