//! The state of an entry, and the work done for one message or by one sub-agent: model calls, tools, tokens and time. All
//! times are those of events.

/// The state of an entry; the values of `timeline[].state` and `[data-state]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// Its text is still arriving.
    Streaming,
    /// Complete.
    Done,
    /// It was interrupted and will not be completed.
    Interrupted,
    /// A tool or an agent is running.
    Running,
    /// It ended in an error.
    Failed,
    /// It was not allowed.
    Denied,
    /// It waits for a person, or to be started.
    Pending,
    /// A request that was answered or can't be answered any more.
    Settled,
}

impl EntryState {
    /// Its value in snapshots and attributes.
    pub fn word(self) -> &'static str {
        match self {
            Self::Streaming => "streaming",
            Self::Done => "done",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Denied => "denied",
            Self::Pending => "pending",
            Self::Settled => "settled",
        }
    }
}

/// Counters that grow event by event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Model calls started.
    pub model_calls: u32,
    /// A turn that spans a prompt has begun: the agent does not say how many calls of the model it has.
    pub spans_prompt: bool,
    /// Tool calls started.
    pub tools: u32,
    /// Tokens sent to models. Histories do not contain this figure.
    pub input_tokens: i64,
    /// Tokens that models wrote, according to the usage events of live calls.
    pub output_tokens: i64,
    /// Tokens that models wrote, according to the messages, which histories keep.
    pub written_tokens: i64,
    /// Milliseconds of the finished periods of work.
    pub worked_ms: i64,
    /// Whether a period of work is in progress. Its start may be unknown, as events need not have a time.
    pub is_working: bool,
    /// When the current period began, in milliseconds since 1970.
    pub working_since: Option<i64>,
    /// Milliseconds in which the agent waited for a person. They are in no period of work.
    pub waited_ms: i64,
    /// When it began to wait for a person, in milliseconds since 1970.
    pub waiting_since: Option<i64>,
}

impl Work {
    /// A period of work begins, unless one is in progress.
    pub(crate) fn begin(&mut self, at: Option<i64>) {
        self.is_working = true;
        if self.waiting_since.is_none() {
            self.working_since = self.working_since.or(at);
        }
    }

    /// The agent waits for a person from now on: the clock stands.
    pub(crate) fn pause(&mut self, at: Option<i64>) {
        if self.is_working && self.waiting_since.is_none() {
            self.worked_ms = self.elapsed_ms(at);
            self.working_since = None;
            self.waiting_since = at;
        }
    }

    /// It does not wait any longer.
    pub(crate) fn resume(&mut self, at: Option<i64>) {
        if let Some(since) = self.waiting_since.take() {
            let waited = at.map_or(0, |at| at.saturating_sub(since).max(0));
            self.waited_ms = self.waited_ms.saturating_add(waited);
            if self.is_working {
                self.working_since = at;
            }
        }
    }

    /// The current period is over.
    pub(crate) fn end(&mut self, at: Option<i64>) {
        self.resume(at);
        self.worked_ms = self.elapsed_ms(at);
        self.is_working = false;
        self.working_since = None;
    }

    /// Milliseconds of work up to an event's time.
    pub fn elapsed_ms(&self, now: Option<i64>) -> i64 {
        let stretch = self.working_since.zip(now).map_or(0, |(since, now)| now.saturating_sub(since).max(0));
        self.worked_ms.saturating_add(stretch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_periods_do_not_count() {
        let mut work = Work::default();
        work.begin(Some(1_000));
        work.end(Some(25_000));
        work.begin(Some(100_000));
        assert_eq!(work.elapsed_ms(Some(101_000)), 25_000);
    }

    #[test]
    fn the_clock_stands_while_a_person_is_waited_for() {
        let mut work = Work::default();
        work.pause(Some(500));
        assert_eq!(work.waiting_since, None, "who does not work waits for nobody");
        work.begin(Some(1_000));
        work.pause(Some(3_000));
        work.begin(Some(4_000));
        assert_eq!(work.elapsed_ms(Some(300_000)), 2_000);
        work.resume(Some(300_000));
        assert_eq!((work.elapsed_ms(Some(301_000)), work.waited_ms), (3_000, 297_000));
        work.pause(Some(301_000));
        work.end(Some(302_000));
        assert_eq!(
            (work.elapsed_ms(Some(999_000)), work.waited_ms, work.is_working),
            (3_000, 298_000, false)
        );
    }
}
