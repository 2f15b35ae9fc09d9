//! Talks with an agent of the Copilot platform: a person's messages, their answers to
//! confirmations, and the replies.

use serde_json::{Value, json};

use super::connection::{Outcome, ReplyEnd};
use super::{Client, Effect, Purpose, RequestError, With};
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
                self.effects.push(Effect::StopReplies);
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
        let ticket = self.ticket(Purpose::Message { caller, text, id: String::new(), of_person });
        self.effects.push(Effect::Converse { ticket, body });
    }

    pub(super) fn message_ended(
        &mut self,
        caller: u64,
        id: String,
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
        body: Value,
        by_host: bool,
        with: &mut With<'_>,
    ) {
        if by_host {
            return with.session.confirmation_answered(id, accepted);
        }
        let ticket =
            self.ticket(Purpose::Confirmation { request: id.to_owned(), accepted, body: body.clone() });
        self.effects.push(Effect::Converse { ticket, body });
    }

    pub(super) fn confirmed(&mut self, request: String, body: Value, outcome: Outcome, with: &mut With<'_>) {
        self.called(CONFIRMATIONS, body, outcome.clone().map_err(|error| error.to_string()));
        self.answer_ended(request, outcome.map(|_| Value::Null), false, with);
    }

    /// The agent has taken what was posted with this ticket, and replies.
    pub(super) fn reply_began(&mut self, ticket: u64, with: &mut With<'_>) {
        let purpose = self.requests.iter_mut().find(|(known, _)| *known == ticket);
        match purpose.map(|(_, purpose)| purpose) {
            Some(Purpose::Message { text, id, .. }) => *id = with.session.message_taken(text),
            Some(Purpose::Confirmation { request, accepted, .. }) => {
                with.session.confirmation_answered(request, *accepted);
                with.session.reply_awaited();
            }
            _ => {}
        }
    }

    pub(super) fn reply_ended(&mut self, end: ReplyEnd, with: &mut With<'_>) {
        match end {
            ReplyEnd::Whole => with.session.reply_ended(),
            ReplyEnd::Stopped => with.session.reply_stopped(),
            ReplyEnd::Broken => {
                let note = json!({ "jsonrpc": "2.0", "method": REPLY_BROKE }).to_string();
                with.session.push_frame(&note);
            }
        }
    }
}
