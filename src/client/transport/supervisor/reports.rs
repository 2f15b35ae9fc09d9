//! What a carrier may report. Reports of a retired carrier are ignored.

use std::rc::{Rc, Weak};

use serde_json::Value;

use super::{Cursor, Supervisor, now};
use crate::client::transport::{Frame, Opened, Response};
use crate::core::connection::{Failure, difference};

/// A carrier's way to report to the supervisor. Once the carrier is retired, its reports are ignored.
#[derive(Clone)]
pub(in crate::client::transport) struct CarrierReports {
    supervisor: Weak<Supervisor>,
    generation: u64,
}

impl CarrierReports {
    /// The line of the carrier that is opened next.
    pub(super) fn of(supervisor: &Rc<Supervisor>) -> Self {
        Self { supervisor: Rc::downgrade(supervisor), generation: supervisor.generation.get() }
    }

    /// Whether the carrier has not been retired.
    pub(in crate::client::transport) fn is_current(&self) -> bool {
        self.current().is_some()
    }

    /// Something came in, whatever it was.
    pub(in crate::client::transport) fn heard(&self) {
        if let Some(this) = self.current() {
            this.pulse.borrow_mut().heard(now());
            if this.told_checking.replace(false) {
                this.announce();
            }
        }
    }

    /// The server gives signs of life: it answers requests, or sends something now and then for that purpose.
    pub(in crate::client::transport) fn vital(&self) {
        if let Some(this) = self.current()
            && !this.vital.replace(true)
        {
            this.feel();
        }
    }

    /// Passes a frame to the sink, keeps its cursor and resolves the requests it answers.
    pub(in crate::client::transport) fn frame(&self, frame: Frame<'_>) {
        let responses = self.events(frame);
        if !responses.is_empty() {
            self.vital();
        }
        if let Some(this) = self.current() {
            for response in responses {
                this.pending.resolve(response.id, response.outcome.map_err(Into::into));
            }
        }
    }

    /// Passes a frame to the sink and keeps its cursor. Returns the responses in it.
    pub(in crate::client::transport) fn events(&self, frame: Frame<'_>) -> Vec<Response> {
        let Some(this) = self.current() else { return Vec::new() };
        let report = this.sink.frame(frame);
        if let Some(seq) = report.last_seq {
            *this.cursor.borrow_mut() = Cursor { seq: Some(seq), event_id: seq.to_string() };
        }
        report.responses
    }

    /// The page's own code has failed, whether the carrier is still in use or not.
    pub(in crate::client::transport) fn error(&self, message: &str) {
        if let Some(this) = self.supervisor.upgrade() {
            this.sink.error(message);
        }
    }

    /// The stream deviates from the standard's form.
    pub(in crate::client::transport) fn read_loosely(&self) {
        if let Some(this) = self.current() {
            this.sink.read_loosely();
        }
    }

    /// The stream has passed this server-sent id, which becomes the cursor; an empty one is ignored.
    pub(in crate::client::transport) fn passed(&self, event_id: &str) {
        let Some(this) = self.current() else { return };
        if event_id.is_empty() || this.cursor.borrow().event_id == event_id {
            return;
        }
        *this.cursor.borrow_mut() = Cursor { seq: event_id.parse().ok(), event_id: event_id.to_owned() };
    }

    /// Sets the server's reconnection time, in milliseconds.
    pub(in crate::client::transport) fn server_retry(&self, retry_ms: Option<u64>) {
        if let Some(this) = self.current() {
            this.policy.borrow_mut().honour(retry_ms);
        }
    }

    /// The gateway's list of sessions. Returns true if the page shows something else than one of them.
    pub(in crate::client::transport) fn listed(&self, sessions: &Value) -> bool {
        self.current().is_some_and(|this| this.sink.listed(sessions))
    }

    /// What the server lets this client do; `None` if it did not say, which means everything.
    pub(in crate::client::transport) fn role(&self, role: Option<&str>) {
        if let Some(this) = self.current() {
            this.sink.role(role == Some("viewer"));
        }
    }

    /// What is wrong with the server itself; `None` if it did not say.
    pub(in crate::client::transport) fn health(&self, report: Option<&Value>) {
        if let Some(this) = self.current() {
            this.sink.health(report);
        }
    }

    /// The connection is open and events follow; `newest` is the newest position that the server has.
    pub(in crate::client::transport) fn opened(&self, session: &str, newest: Option<u64>) {
        let Some(this) = self.current() else { return };
        let after = this.cursor.borrow().seq;
        let over = after.is_some_and(|after| newest.is_some_and(|newest| newest < after));
        if over {
            *this.cursor.borrow_mut() = Cursor::default();
        }
        let from = Opened { after: after.filter(|_| !over), newest, over };
        this.timer.take();
        this.opened_at.set(Some(js_sys::Date::now()));
        *this.session.borrow_mut() = Some(session.to_owned()).filter(|session| !session.is_empty());
        this.policy.borrow_mut().opened();
        this.pulse.borrow_mut().began(now());
        this.announce();
        if self.is_current() {
            this.sink.opened(session, from);
        }
        if self.is_current() {
            this.feel();
        }
    }

    /// A part of the stream was skipped, and the connection goes on.
    pub(in crate::client::transport) fn warn(&self, message: &str) {
        if let Some(this) = self.current() {
            *this.warning.borrow_mut() = Some(message.to_owned());
            this.announce();
        }
    }

    /// The version of the protocol that the server speaks, once the connection is open; `None` if it did not say.
    pub(in crate::client::transport) fn protocol(&self, version: Option<u64>) {
        if let Some(message) = difference(version) {
            self.warn(&message);
        }
    }

    /// The connection ended, or could not be opened. Must not be called
    /// inside one of the carrier's own listeners.
    pub(in crate::client::transport) fn failed(&self, failure: &Failure) {
        if let Some(this) = self.current() {
            this.failed(failure);
        }
    }

    fn current(&self) -> Option<Rc<Supervisor>> {
        self.supervisor.upgrade().filter(|this| this.generation.get() == self.generation)
    }
}
