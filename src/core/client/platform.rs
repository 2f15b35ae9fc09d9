//! Talks with an agent of the Copilot platform: a person's messages, their answers to
//! confirmations, and the replies.

use serde_json::{Value, json};

use super::calls::{Purpose, Requests};
use super::connection::{self, Outcome, ReplyEnd};
use super::{Client, RequestError, With};
use crate::Session;
use crate::json_writer::one_line;
use crate::model::answer;
use crate::model::answer::Prepared;
use crate::model::request::Request;
use crate::reduce::platform::REPLY_BROKE;

/// What hosts know answers to confirmations by: the field of the platform's messages that has them.
const CONFIRMATIONS: &str = "copilot_confirmations";

impl Client {
    /// Carries out the calls that the platform has: to send a message, and to stop.
    pub(super) fn platform_call(
        &mut self,
        caller: u64,
        method: &str,
        of_person: Option<(String, Value)>,
        with: &mut With<'_>,
    ) {
        match (method, of_person) {
            ("session.send", Some(of_person)) => self.say(caller, of_person, with),
            ("session.abort", of_person) => {
                self.drive(connection::Input::StopReplies, with);
                self.resolve(caller, of_person, Ok(json!({ "success": true })));
            }
            (_, of_person) => self.resolve(caller, of_person, Err(RequestError::NoWayBack.failure())),
        }
    }

    /// Sends a person's message with the conversation so far. It is in the timeline
    /// once the agent has taken it.
    fn say(&mut self, caller: u64, of_person: (String, Value), with: &mut With<'_>) {
        let text = of_person.1.get("prompt").and_then(Value::as_str).unwrap_or_default().to_owned();
        let body = with.session.platform_body(&text);
        with.session.reply_awaited();
        self.converse(Purpose::Message { caller, text, id: String::new(), of_person }, &body, with);
    }

    pub(super) fn message_ended(
        &mut self,
        caller: u64,
        id: &str,
        of_person: (String, Value),
        outcome: Outcome,
        with: &mut With<'_>,
    ) {
        let outcome = match outcome {
            Ok(_) => Ok(json!({ "messageId": id })),
            Err(error) => {
                with.session.reply_ended();
                Err(error.failure())
            }
        };
        self.resolve(caller, Some(of_person), outcome);
    }

    /// Whether the answer to a confirmation accepts.
    pub(super) fn accepts(answer: &Prepared) -> bool {
        answer.params.get("accepted").and_then(Value::as_bool).unwrap_or(false)
    }

    /// The message with the answer to a confirmation, and what hosts know it by.
    pub(super) fn confirmation(request: &Request, answer: &Prepared) -> (&'static str, Value) {
        (CONFIRMATIONS, answer::confirmation(request, Self::accepts(answer)))
    }

    /// Posts the answer to a confirmation: no event ever settles it, and the agent's reply is the response.
    pub(super) fn confirm(
        &mut self,
        id: &str,
        accepted: bool,
        body: &Value,
        by_host: bool,
        with: &mut With<'_>,
    ) {
        if by_host {
            return with.session.confirmation_answered(id, accepted);
        }
        let purpose = Purpose::Confirmation { request: id.to_owned(), accepted, body: body.clone() };
        self.converse(purpose, body, with);
    }

    pub(super) fn confirmed(&mut self, request: String, body: Value, outcome: Outcome, with: &mut With<'_>) {
        self.called(CONFIRMATIONS, body, outcome.clone().map_err(|error| error.to_string()));
        self.answer_ended(request, outcome.map(|_| Value::Null), false, with);
    }
}

/// The agent has taken what was posted with this ticket, and replies.
pub(super) fn reply_began(requests: &mut Requests, ticket: u64, session: &mut Session) {
    match requests.purpose(ticket) {
        Some(Purpose::Message { text, id, .. }) => *id = session.message_taken(text),
        Some(Purpose::Confirmation { request, accepted, .. }) => {
            session.confirmation_answered(request, *accepted);
            session.reply_awaited();
        }
        _ => {}
    }
}

/// A reply has ended.
pub(super) fn reply_ended(end: ReplyEnd, session: &mut Session) {
    match end {
        ReplyEnd::Whole => session.reply_ended(),
        ReplyEnd::Stopped => session.reply_stopped(),
        ReplyEnd::Broken => {
            let note = one_line(&json!({ "jsonrpc": "2.0", "method": REPLY_BROKE }));
            session.push_frame(&note);
        }
    }
}
