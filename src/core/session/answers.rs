//! Notes what happens to answers that were given here, and what the server says about open requests.

use serde_json::Value;

use super::Session;
use crate::i18n::format::one_line;
use crate::model::request::{By, Ending, Life, Why};
use crate::protocol::EventKind;
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

    /// Notes that the server has taken an answer (`success: true`): nobody has to do anything, and the event says what
    /// came of it.
    pub fn answer_taken(&mut self, request_id: &str) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_taken(place);
        }
    }

    /// Notes that an answer may or may not have arrived: the same one may be given again.
    pub fn answer_unsure(&mut self, request_id: &str) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_unsure(place);
        }
    }

    /// Notes how a request ended, as another session of the same log already knows.
    pub fn request_ended(&mut self, request_id: &str, life: Life) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_ended(place, life);
        }
    }

    /// Notes that the runtime refused an answer (`success: false`):
    /// somebody else answered, or the request is gone.
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

    /// Moves what a command returned for the timeline out of its answer and into the timeline.
    /// The rest of the answer is for the caller.
    pub fn take_timeline_entry(&mut self, answer: &mut Value) {
        if let Some(record) = wire::take_timeline_entry(answer) {
            self.push_frame(&one_line(&record));
        }
    }

    /// Takes the answer to `session.permissions.pendingRequests`. The permissions in `gone` are not asked any more, as
    /// [`crate::client::PermissionChecks`] has found. Permissions that only the answer lists are opened with the few
    /// facts in it; their events, should they come, add the rest.
    pub fn permissions_listed(&mut self, gone: &[String], items: Vec<Value>) {
        let meta = self.next_meta(EventKind::PermissionRequested.name());
        self.state.permissions_listed(gone, items, meta);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Session;
    use crate::model::request::{Ending, Life};

    fn asked() -> Session {
        let mut session = Session::new();
        let data = json!({ "requestId": "p", "permissionRequest": { "kind": "read", "path": "a" } });
        session.push_frame(&json!({ "type": "permission.requested", "id": "e", "data": data }).to_string());
        session.answer_sending("p", Ending::new("approved", "Allowed once"));
        session.answer_unsure("p");
        session
    }

    fn life(session: &Session) -> serde_json::Value {
        let request = &session.snapshot()["timeline"][0]["request"];
        json!([request["life"], request["answer"], request["outcome"], request["by"]])
    }

    fn completed(session: &mut Session, word: &str) {
        let data = json!({ "requestId": "p", "result": { "kind": word } });
        session.push_frame(&json!({ "type": "permission.completed", "id": "c", "data": data }).to_string());
    }

    #[test]
    fn an_answer_of_which_nothing_is_known_can_be_sent_again_or_count() {
        let mut session = asked();
        assert_eq!(life(&session), json!(["unsure", "Allowed once", null, null]));
        assert_eq!(session.snapshot()["pending"][0]["requestId"], "p", "it may be open still");
        session.answer_sending("p", Ending::new("approved", "Allowed once"));
        assert_eq!(life(&session)[0], "sending");
        session.answer_unsure("p");
        completed(&mut session, "approved");
        assert_eq!(life(&session), json!(["settled", null, "Allowed once", "here"]));
    }

    #[test]
    fn an_answer_of_which_nothing_was_known_did_not_count_if_another_one_did() {
        let mut session = asked();
        completed(&mut session, "denied-interactively-by-user");
        assert_eq!(life(&session), json!(["settled", null, "Rejected", "elsewhere"]));
        let mut session = asked();
        session.answer_unsent("p");
        assert_eq!(life(&session)[0], "waiting");
    }

    #[test]
    fn what_a_person_wrote_is_kept_when_the_request_ends_before_it_arrived() {
        let mut session = Session::new();
        let data = json!({ "requestId": "q", "question": "Which boat?", "allowFreeform": true });
        session.push_frame(&json!({ "type": "user_input.requested", "id": "e", "data": data }).to_string());
        let answer =
            Ending::new("answered", "Answered").with_reply(Some("The one behind the church".to_owned()));
        session.answer_sending("q", answer);
        session.answer_unsure("q");
        session.push_frame(&json!({ "type": "session.resume", "id": "r", "data": {} }).to_string());
        let request = &session.snapshot()["timeline"][0]["request"];
        assert_eq!(json!([request["life"], request["said"]]), json!(["stale", "The one behind the church"]));
    }

    #[test]
    fn an_ending_that_another_session_of_the_log_knows_ends_a_request_once() {
        let mut session = asked();
        let by = crate::model::request::By::Here;
        session.request_ended("p", Life::Settled { ending: Ending::new("approved", "Allowed once"), by });
        completed(&mut session, "approved");
        assert_eq!(life(&session), json!(["settled", null, "Allowed once", "here"]));
        session.request_ended("p", Life::Settled { ending: Ending::new("rejected", "Rejected"), by });
        assert_eq!(life(&session)[2], "Allowed once");
    }
}
