//! Notes what becomes of answers and calls that were sent from here: requests, the queue, modes.

use serde_json::Value;

use super::Session;
use crate::json_writer::one_line;
use crate::model::queue::Offer;
use crate::model::queue::edits::QueueEdit;
use crate::model::request::{AnsweredBy, Ending, RequestStage, StaleReason};
use crate::model::state::Section;
use crate::model::state::info::ModeKind;
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
    pub fn request_ended(&mut self, request_id: &str, life: RequestStage) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_ended(place, life);
        }
    }

    /// Notes that the runtime refused an answer (`success: false`):
    /// somebody else answered, or the request is gone.
    pub fn answer_refused(&mut self, request_id: &str) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.request_stale(place, StaleReason::Refused);
        }
    }

    /// Settles a platform confirmation, which no event ever settles.
    pub fn confirmation_answered(&mut self, request_id: &str, accepted: bool) {
        if let Some(place) = self.state.request_place(request_id) {
            self.state.confirmation_settled(place, accepted, AnsweredBy::Here);
        }
    }

    /// Moves what a command returned for the timeline out of its answer and into the timeline.
    /// The rest of the answer is for the caller.
    pub fn take_timeline_entry(&mut self, answer: &mut Value) {
        if let Some(record) = wire::take_timeline_entry(answer) {
            self.push_frame(&one_line(&record));
        }
    }

    /// Takes the answer to `session.queue.pendingItems`. The queue counts as changed only if the answer is
    /// new: a caller that asks again after each change would otherwise never stop.
    pub fn set_queue(&mut self, answer: Value) {
        if self.state.queue.set_items(answer) {
            self.state.touch(Section::Queue);
        }
    }

    /// Notes that an edit of the queue is on its way; returns its number. It is shown at once.
    pub fn queue_edit_sent(&mut self, edit: QueueEdit) -> u64 {
        self.state.touch(Section::Queue);
        self.state.queue.edit_sent(edit)
    }

    /// Notes that the server has answered an edit, or with `None` that no answer will come. The edit stays until the
    /// queue is told.
    pub fn queue_edit_answered(&mut self, number: u64, answer: Option<&Value>) {
        if self.state.queue.edit_answered(number, answer) {
            self.state.touch(Section::Queue);
        }
    }

    /// Notes that the server did not tell its queue: edits that it has answered are not shown any longer.
    pub fn queue_unknown(&mut self) {
        if self.state.queue.edits.end() {
            self.state.touch(Section::Queue);
        }
    }

    /// Notes that the server's queue was paused, or goes on.
    pub fn queue_paused(&mut self, paused: bool) {
        self.state.queue.paused = paused;
        self.state.touch(Section::Queue);
    }

    /// Takes the answer to `pilothouse.backlog`, in the same way.
    pub fn set_backlog(&mut self, answer: Value) {
        if self.state.queue.set_backlog(answer) {
            self.state.touch(Section::Queue);
        }
    }

    /// Notes that a person has decided about messages that were offered: they are hidden at once, so that nobody decides
    /// twice.
    pub fn offers_decided(&mut self, offers: &[Offer]) {
        self.state.queue.decide(offers);
        self.state.touch(Section::Queue);
    }

    /// Notes that the server has carried out such decisions, or failed to. Its backlog has been listed since: what it still
    /// keeps is offered again. `backlog_ids` are the messages' ids in the backlog.
    pub fn offers_confirmed(&mut self, backlog_ids: &[String]) {
        self.state.queue.decision_ended(backlog_ids);
        self.state.touch(Section::Queue);
    }

    /// Takes the server's answer to what a mode is; `None` if it gave none.
    pub fn mode_answered(&mut self, kind: ModeKind, mode: Option<String>) {
        self.state.info.calls_mut(kind).answered = mode;
        self.state.touch(Section::Session);
    }

    /// Notes that somebody has chosen a mode here and the server has been asked for it.
    pub fn mode_requested(&mut self, kind: ModeKind, mode: &str) {
        self.state.info.calls_mut(kind).requested = Some(mode.to_owned());
        self.state.touch(Section::Session);
    }

    /// Notes that the server has answered such a request, or that no answer will come. The event that follows names the
    /// new mode.
    pub fn mode_request_ended(&mut self, kind: ModeKind, mode: &str) {
        let calls = self.state.info.calls_mut(kind);
        calls.requested.take_if(|requested| requested == mode);
        self.state.touch(Section::Session);
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
    use crate::model::request::{Ending, RequestStage};

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
    fn another_of_the_agents_options_is_another_answer() {
        let ended = |ours: Ending| {
            let mut session = asked();
            session.answer_unsent("p");
            session.answer_sending("p", ours);
            let data = json!({ "requestId": "p", "result": { "kind": "approved-for-session" }, "agentOption": "Always allow" });
            session
                .push_frame(&json!({ "type": "permission.completed", "id": "c", "data": data }).to_string());
            json!([life(&session)[2], life(&session)[3]])
        };
        let ours = |option: Option<&str>| Ending::new("approved-for-session", "Allowed").with_option(option);
        assert_eq!(ended(ours(Some("Always allow"))), json!(["Allowed: “Always allow”", "here"]));
        assert_eq!(
            ended(ours(Some("Allow for this session"))),
            json!(["Allowed: “Always allow”", "elsewhere"])
        );
        // A program of the host gives an answer without its name.
        assert_eq!(ended(ours(None)), json!(["Allowed: “Always allow”", "here"]));
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
        let by = crate::model::request::AnsweredBy::Here;
        session.request_ended(
            "p",
            RequestStage::Settled { ending: Ending::new("approved", "Allowed once"), by },
        );
        completed(&mut session, "approved");
        assert_eq!(life(&session), json!(["settled", null, "Allowed once", "here"]));
        session.request_ended("p", RequestStage::Settled { ending: Ending::new("rejected", "Rejected"), by });
        assert_eq!(life(&session)[2], "Allowed once");
    }
}
