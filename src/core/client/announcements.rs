//! Decides what screen readers are told, and when: one announcement a second at most, for all elements of a page.
//!
//! Agents do more in a second than anybody can listen to. Of what happened since the last announcement only the newest is
//! told; what waits for a person is told first and is never dropped for something else.

/// The shortest time between two announcements, in milliseconds.
const INTERVAL_MS: u64 = 1_000;

/// What an announcement is about, the least important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// What the agent does.
    Activity,
    /// What came of something that the person did: 'Copied'.
    Outcome,
    /// Something waits for the person.
    Request,
}

impl Topic {
    /// Outcomes are told beside what a session does, and do not replace it.
    fn replaces(self, other: Self) -> bool {
        (self == Self::Outcome) == (other == Self::Outcome)
    }
}

/// One announcement of one element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Announcement<S> {
    /// The element.
    pub source: S,
    /// What it is about.
    pub topic: Topic,
    /// What is told.
    pub words: String,
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Next<S> {
    /// Announce this.
    pub announcement: Option<Announcement<S>>,
    /// Ask again in so many milliseconds.
    pub again_in_ms: Option<u64>,
}

/// The text for a region that shows `before`. The same words once more are read only if the text changes.
pub fn region_text(before: &str, words: String) -> String {
    if before == words { words + "\u{a0}" } else { words }
}

/// What is still to be told, oldest first. `S` tells the page's elements apart.
#[derive(Debug, Clone)]
pub struct Announcements<S> {
    waiting: Vec<Announcement<S>>,
    announced_at: Option<u64>,
}

impl<S> Default for Announcements<S> {
    fn default() -> Self {
        Self { waiting: Vec::new(), announced_at: None }
    }
}

impl<S: PartialEq> Announcements<S> {
    /// Adds an announcement, in place of what it makes obsolete. Empty words only take that back.
    pub fn offer(&mut self, announcement: Announcement<S>) {
        let Announcement { source, topic, words } = &announcement;
        self.waiting.retain(|waits| waits.source != *source || !topic.replaces(waits.topic));
        if !words.is_empty() {
            self.waiting.push(announcement);
        }
    }

    /// What to do at `now`, in milliseconds.
    pub fn next(&mut self, now: u64) -> Next<S> {
        let announcement = if self.wait_ms(now) == 0 { self.take(now) } else { None };
        let again_in_ms = (!self.waiting.is_empty()).then(|| self.wait_ms(now));
        Next { announcement, again_in_ms }
    }

    fn wait_ms(&self, now: u64) -> u64 {
        // A clock that was set back silences nobody.
        let since = self.announced_at.and_then(|announced_at| now.checked_sub(announced_at));
        INTERVAL_MS.saturating_sub(since.unwrap_or(INTERVAL_MS))
    }

    fn take(&mut self, now: u64) -> Option<Announcement<S>> {
        let request = self.waiting.iter().position(|waits| waits.topic == Topic::Request);
        let next = if let Some(place) = request {
            self.waiting.remove(place)
        } else {
            let outcome = self.waiting.iter().rposition(|waits| waits.topic == Topic::Outcome);
            let next = self.waiting.remove(outcome.or(self.waiting.len().checked_sub(1))?);
            self.waiting.retain(|waits| waits.topic != next.topic);
            next
        };
        self.announced_at = Some(now);
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(all: &mut Announcements<u8>, source: u8, topic: Topic, words: &str) {
        all.offer(Announcement { source, topic, words: words.to_owned() });
    }

    fn next(all: &mut Announcements<u8>, now: u64) -> String {
        match all.next(now) {
            Next { announcement: Some(next), .. } => next.words,
            Next { announcement: None, again_in_ms: Some(delay_ms) } => format!("in {delay_ms}"),
            Next { .. } => String::new(),
        }
    }

    /// Offers one announcement at each time, and returns what is told, each with its time.
    fn play(offers: &[(u64, u8, Topic, String)], until: u64) -> Vec<(u64, String)> {
        let mut all = Announcements::default();
        let mut next = Vec::new();
        for time in (0..until).step_by(10) {
            for (_, source, topic, words) in offers.iter().filter(|(at, ..)| *at == time) {
                offer(&mut all, *source, *topic, words);
            }
            next.extend(all.next(time).announcement.map(|one| (time, one.words)));
        }
        next
    }

    #[test]
    fn of_forty_tools_in_four_seconds_the_newest_is_told_once_a_second_for_both_elements() {
        let tools =
            |source| (0..40).map(move |n| (n * 100, source, Topic::Activity, format!("{source}:{n}")));
        let offers: Vec<_> = tools(1).chain(tools(2)).collect();
        let next = play(&offers, 8_000);
        let expected = [(0, "2:0"), (1_000, "2:10"), (2_000, "2:20"), (3_000, "2:30"), (4_000, "2:39")];
        assert_eq!(next, expected.map(|(at, words)| (at, words.to_owned())));
    }

    #[test]
    fn a_request_comes_first_and_is_never_dropped() {
        let mut all = Announcements::default();
        offer(&mut all, 1, Topic::Activity, "Running ls");
        assert_eq!(next(&mut all, 0), "Running ls");
        offer(&mut all, 1, Topic::Request, "Needs your permission");
        offer(&mut all, 2, Topic::Request, "Asks a question");
        offer(&mut all, 3, Topic::Activity, "Running cat");
        assert_eq!(next(&mut all, 400), "in 600");
        assert_eq!(next(&mut all, 1_000), "Needs your permission");
        assert_eq!(next(&mut all, 2_000), "Asks a question");
        assert_eq!(next(&mut all, 3_000), "Running cat");
        assert_eq!(next(&mut all, 4_000), "");
    }

    #[test]
    fn a_request_that_was_answered_meanwhile_is_not_told() {
        let mut all = Announcements::default();
        offer(&mut all, 1, Topic::Activity, "Running ls");
        next(&mut all, 0);
        offer(&mut all, 1, Topic::Request, "Needs your permission");
        offer(&mut all, 1, Topic::Activity, "Running rm");
        assert_eq!(next(&mut all, 1_000), "Running rm");
        offer(&mut all, 1, Topic::Request, "Needs your permission");
        offer(&mut all, 1, Topic::Activity, "");
        assert_eq!(next(&mut all, 5_000), "", "the element shows something else");
    }

    #[test]
    fn what_a_person_did_is_answered_before_what_the_agent_does_and_beside_requests() {
        let mut all = Announcements::default();
        offer(&mut all, 1, Topic::Outcome, "Copied");
        assert_eq!(next(&mut all, 0), "Copied");
        offer(&mut all, 1, Topic::Outcome, "Moved");
        offer(&mut all, 1, Topic::Activity, "Running ls");
        offer(&mut all, 1, Topic::Request, "Needs your permission");
        offer(&mut all, 2, Topic::Activity, "Running cat");
        assert_eq!(next(&mut all, 1_000), "Needs your permission");
        assert_eq!(next(&mut all, 2_000), "Moved");
        assert_eq!(next(&mut all, 3_000), "Running cat");
    }

    #[test]
    fn the_same_words_are_told_again_and_a_clock_that_is_set_back_silences_nobody() {
        let mut all = Announcements::default();
        for time in [50_000, 51_000, 10_000] {
            offer(&mut all, 1, Topic::Outcome, "Copied");
            assert_eq!(next(&mut all, time), "Copied");
        }
        offer(&mut all, 1, Topic::Outcome, "Copied");
        assert_eq!(next(&mut all, 10_001), "in 999");
        let texts = ["", "Copied", "Copied\u{a0}"].map(|before| region_text(before, "Copied".to_owned()));
        assert_eq!(texts, ["Copied", "Copied\u{a0}", "Copied"], "the text changes each time");
    }

    #[test]
    fn what_waits_behind_an_announcement_says_when_to_ask_again() {
        let mut all = Announcements::default();
        offer(&mut all, 1, Topic::Request, "Needs your permission");
        offer(&mut all, 2, Topic::Request, "Asks a question");
        assert_eq!(all.next(500).again_in_ms, Some(INTERVAL_MS));
        assert_eq!(all.next(700).again_in_ms, Some(800));
        let last = all.next(1_500);
        assert!(last.announcement.is_some() && last.again_in_ms.is_none(), "{last:?}");
        assert_eq!(all.next(9_000), Next { announcement: None, again_in_ms: None });
    }
}
