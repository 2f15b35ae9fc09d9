//! What was done for one message or by one sub-agent: model calls, tools, tokens, time at work.
//! Refuses prices, and clocks: time is the events' own.

use super::language::Value;
use super::language::words::timeline;
use super::time;

/// Figures that grow by one event at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Model calls begun.
    pub model_calls: u32,
    /// Tool calls begun.
    pub tools: u32,
    /// Tokens sent to models; no history has them.
    pub input_tokens: i64,
    /// Tokens that models wrote, as the figures of live calls have it.
    pub output_tokens: i64,
    /// The same as the messages have it, which histories keep.
    pub written_tokens: i64,
    /// Milliseconds of stretches of work that are over.
    pub spent: i64,
    /// Whether a stretch goes on: events need not say when.
    pub works: bool,
    /// When it began.
    pub since: Option<i64>,
}

impl Work {
    /// A stretch of work begins, unless one goes on.
    pub(super) fn begin(&mut self, at: Option<i64>) {
        self.works = true;
        self.since = self.since.or(at);
    }

    /// The stretch is over.
    pub(super) fn rest(&mut self, at: Option<i64>) {
        self.spent = self.took(at);
        self.works = false;
        self.since = None;
    }

    /// Milliseconds of work up to an event's time.
    pub fn took(&self, now: Option<i64>) -> i64 {
        let stretch = self.since.zip(now).map_or(0, |(since, now)| now.saturating_sub(since).max(0));
        self.spent.saturating_add(stretch)
    }

    /// '3 model calls · 5 tools · 24 s · 12.3 k tokens'; nothing before the first model call.
    pub fn words(&self, now: Option<i64>) -> Option<String> {
        if self.model_calls == 0 {
            return None;
        }
        let mut parts = vec![timeline::MODEL_CALLS.with(&[("n", Value::Count(self.model_calls.into()))])];
        if self.tools > 0 {
            parts.push(timeline::TOOLS.with(&[("n", Value::Count(self.tools.into()))]));
        }
        let took = self.took(now);
        if took > 0 {
            parts.push(time::duration(took));
        }
        parts.extend(self.tokens());
        Some(parts.join(" · "))
    }

    /// Tokens in words. Histories keep only what the model wrote, and are not taken for more.
    fn tokens(&self) -> Option<String> {
        match (self.input_tokens.saturating_add(self.output_tokens), self.written_tokens) {
            (0, 0) => None,
            (0, written) => Some(timeline::TOKENS_WRITTEN.with(&[("n", Value::Count(written))])),
            (all, _) => Some(timeline::TOKENS.with(&[("n", Value::Count(all))])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_told_in_words() {
        let mut work = Work::default();
        assert_eq!(work.words(Some(5)), None);
        work.begin(Some(1_000));
        work.model_calls = 3;
        work.tools = 5;
        assert_eq!(work.words(Some(1_000)).as_deref(), Some("3 model calls · 5 tools"));
        work.written_tokens = 300;
        assert_eq!(
            work.words(Some(25_000)).as_deref(),
            Some("3 model calls · 5 tools · 24 s · 300 tokens written")
        );
        (work.input_tokens, work.output_tokens) = (12_000, 300);
        work.rest(Some(25_000));
        assert_eq!(
            work.words(Some(90_000)).as_deref(),
            Some("3 model calls · 5 tools · 24 s · 12.3 k tokens")
        );
        work.begin(Some(100_000));
        assert_eq!(work.took(Some(101_000)), 25_000, "pauses between stretches do not count");
    }
}
