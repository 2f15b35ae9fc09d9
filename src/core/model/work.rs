//! Work done for one message or by one sub-agent: model calls, tools, tokens and time. All times are those of
//! events.

use crate::i18n;
use crate::i18n::Value;
use crate::i18n::words::timeline;

/// Counters that grow event by event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Model calls started.
    pub model_calls: u32,
    /// Tool calls started.
    pub tools: u32,
    /// Tokens sent to models. Histories do not contain this figure.
    pub input_tokens: i64,
    /// Tokens that models wrote, according to the usage events of live calls.
    pub output_tokens: i64,
    /// Tokens that models wrote, according to the messages, which histories keep.
    pub written_tokens: i64,
    /// Milliseconds of the finished periods of work.
    pub spent: i64,
    /// Whether a period of work is in progress. Its start may be unknown, as events need not have a time.
    pub works: bool,
    /// When the current period began, in milliseconds since 1970.
    pub since: Option<i64>,
}

impl Work {
    /// A period of work begins, unless one is in progress.
    pub(crate) fn begin(&mut self, at: Option<i64>) {
        self.works = true;
        self.since = self.since.or(at);
    }

    /// The current period is over.
    pub(crate) fn rest(&mut self, at: Option<i64>) {
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
            parts.push(i18n::duration(took));
        }
        parts.extend(self.tokens());
        Some(parts.join(" · "))
    }

    /// Tokens in words. Histories only know how many tokens the model wrote, so that is labelled as such.
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
