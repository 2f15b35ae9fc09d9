//! Handles a restart: the gateway says that the runtime has ended, the runtime that the session is resumed, and at last
//! which calls are lost. For people that is one line, with what each of them said as its details.

use super::endings::{EndCause, EndScope};
use super::{EventMeta, pretty};
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Entry, Notice};
use crate::model::state::{Phase, Section, State};
use crate::wire::fields::Fields;

/// The gateway's error for a runtime whose process has ended, or whose connection has.
pub(super) const RUNTIME_ENDED: &str = "runtime_ended";

/// The runtime's warning that a call which was allowed before is lost.
pub(super) const LOST_CALL: &str = "resume_continuity";

/// How many entries before an event are searched for the line of the restart that it belongs to.
const DISTANCE: usize = 32;

impl State {
    /// A resume that does not continue pending work interrupts permissions and their calls as well, though the runtime may
    /// list them until the session ends.
    pub(super) fn resume_session(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        // An agent over ACP has no count of events, and nothing in its resume that is not on the page elsewhere.
        let says_more = data.clone().integer("eventCount") != Some(0);
        let facts = says_more.then(|| pretty(&data.clone().rest()));
        self.selected(&mut data);
        let active = data.flag("sessionWasActive").unwrap_or(false);
        let gives_up = data.flag("continuePendingWork") == Some(false);
        if active {
            self.close(EndCause::Connection, EndScope::Everyone);
            self.connection_is_back(meta);
        } else {
            self.close(EndCause::Process { gives_up }, EndScope::Everyone);
            // What failed was the work of a process that is gone.
            self.failed = None;
            self.set_phase(Phase::Idle);
        }
        if self.queue.resume() {
            self.touch(Section::Queue);
        }
        let ended = self.line_of_restart(|notice, entry| {
            notice.category == RUNTIME_ENDED && entry.has_phrase(&notices::RESTARTING.into())
        });
        let place = self.milestone(meta, notices::SESSION_RESUMED.into());
        self.notice_facts(place, None, facts.clone().map(Into::into));
        let Some(ended) = ended else { return };
        let word = match (active, gives_up) {
            (true, _) => notices::CONNECTION_BACK,
            (false, true) => notices::RESTARTED_ANEW,
            (false, false) => notices::RESTARTED,
        };
        self.replace_phrase(ended, word.into());
        if let Some(facts) = facts {
            self.adds_detail(ended, facts);
        }
        self.update(place, |entry| entry.ui_visible = false);
    }

    /// The gateway lost the runtime, whose process has gone on: that error is over.
    fn connection_is_back(&mut self, meta: EventMeta<'_>) {
        let ran = self.failed.take_if(|place| {
            let notice = self.entries.get(*place).map(|entry| &entry.body);
            matches!(notice, Some(Body::Notice(notice)) if notice.category == RUNTIME_ENDED)
        });
        match (&self.phase, ran) {
            (Phase::Error, Some(_)) => self.begin_work(meta),
            (Phase::Error, None) if self.failed.is_none() => self.set_phase(Phase::Idle),
            _ => {}
        }
    }

    /// Takes the runtime's warning of a lost call.
    pub(super) fn call_is_lost(
        &mut self,
        meta: EventMeta<'_>,
        mut notice: Notice,
        text: Option<String>,
    ) -> usize {
        let restart = self.line_of_restart(|notice, _| matches!(&*notice.category, RUNTIME_ENDED | "resume"));
        notice.detail = text.clone().map(Phrase::Text);
        let place = self.notice_of(meta, notice, notices::CALL_LOST.into());
        if let (Some(restart), Some(text)) = (restart, text) {
            self.adds_detail(restart, text);
            self.update(place, |entry| entry.ui_visible = false);
        }
        place
    }

    /// The newest notice of this kind that people see, if it is near.
    fn line_of_restart(&self, is_it: impl Fn(&Notice, &Entry) -> bool) -> Option<usize> {
        let mut last = self.entries.iter().enumerate().rev().take(DISTANCE);
        last.find_map(|(place, entry)| match &entry.body {
            Body::Notice(notice) if entry.ui_visible && is_it(notice, entry) => Some(place),
            _ => None,
        })
    }

    fn adds_detail(&mut self, place: usize, text: String) {
        self.update(place, |entry| {
            if let Body::Notice(notice) = &mut entry.body {
                let before = notice.detail.take();
                notice.detail =
                    Some(Phrase::Joined(before.into_iter().chain([text.into()]).collect(), "\n\n"));
            }
        });
    }
}
