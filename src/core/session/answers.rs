//! What becomes of answers that were given here, and what the server says of open requests. Refuses to send anything.

use serde_json::Value;

use super::Session;
use crate::request::{By, Ending, Why};
use crate::wire;

impl Session {
    /// Notes that an answer to a request is on its way.
    pub fn answer_sending(&mut self, request_id: &str, ending: Ending) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_sending(place, ending);
        }
    }

    /// Notes that an answer did not arrive: the request waits again.
    pub fn answer_unsent(&mut self, request_id: &str) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_unsent(place);
        }
    }

    /// Notes that the runtime refused an answer (`success: false`): somebody else answered, or the request is gone.
    pub fn answer_refused(&mut self, request_id: &str) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_stale(place, Why::Refused);
        }
    }

    /// Settles a platform confirmation, which no event ever settles.
    pub fn confirmation_answered(&mut self, request_id: &str, accepted: bool) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.confirmation_settled(place, accepted, By::Here);
        }
    }

    /// Takes out of an answer what a command returned for the timeline, and puts it there; the rest is for whoever asked.
    pub fn take_timeline_entry(&mut self, answer: &mut Value) {
        if let Some(record) = wire::take_timeline_entry(answer) {
            self.push_frame(&record.to_string());
        }
    }

    /// Takes the answer to `session.permissions.pendingRequests`. `held` are the permissions that were open here when
    /// it was asked for: those that it does not list are gone. Those that only it knows are opened, with the little
    /// that it says; their event, should it come, tells the rest.
    pub fn permissions_listed(&mut self, held: &[String], items: Vec<Value>) {
        let meta = self.next_meta("permission.requested");
        self.state.permissions_listed(held, items, meta);
    }
}
