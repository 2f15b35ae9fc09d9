//! Sends messages to the agent, and follows what becomes of them. None is sent again by itself: one that may have arrived is
//! shown, and a person decides.

use serde_json::Value;

use super::{Composer, DeliveryMode, Doubt, Effect, Note, OutgoingMessage, Submitted};
use crate::i18n::words::composer as words;
use crate::model::outbox::{DeliveryStage, SentMessage};
use crate::model::queue::edits::QueueEdit;
use crate::model::state::{Phase, State};
use crate::protocol::ErrorReason;
use crate::protocol::call::CallFailure;
use crate::view_model::compose::{command_of, put_before, slash};

impl Composer {
    /// Submits the field: changes a queued message, runs a command, or sends a message.
    pub(super) fn submit(&mut self, submitted: &Submitted<'_>, state: &State) {
        // A file that was chosen before belongs to the message.
        if self.reading > 0 {
            self.sends_when_read = Some(submitted.way);
            return;
        }
        let is_able =
            state.phase != Phase::Ended && submitted.connected && !(submitted.replies && state.is_busy());
        if (self.text.trim().is_empty() && self.files.is_empty()) || !is_able {
            return;
        }
        self.note = None;
        let text = self.text.clone();
        if let Some((id, true)) = self.editing.take() {
            self.leave_edit();
            return self.effects.push(Effect::Edit(QueueEdit::Rewrite { id, text }));
        }
        let command = command_of(&text, submitted.commands);
        if self.asks_first(&text, command.is_some(), !submitted.commands.is_empty()) {
            return;
        }
        self.remember(&text);
        // If the agent began the message during the edit, its text is sent anew. The text from before the edit comes
        // back.
        let aside = std::mem::take(&mut self.put_aside);
        self.write(aside, None);
        if let Some((command, input)) = command {
            let input = input.to_owned();
            return self.effects.push(Effect::Run(Box::new(command.clone()), input, text));
        }
        let way = state.is_busy().then_some(submitted.way);
        let mut files = Vec::new();
        self.change_files(|attached| files = std::mem::take(attached));
        self.send(OutgoingMessage { prompt: text, display: None, mode: None, files, way }, state);
    }

    /// A text that may have arrived already, or that looks like a command but is none, is sent only on the second try.
    /// Returns true on the first, and says so.
    fn asks_first(&mut self, text: &str, is_command: bool, knows_commands: bool) -> bool {
        let before = self.doubted.take();
        let Some(doubt) = self.doubt(text, is_command, knows_commands) else { return false };
        let asked = Some((text.to_owned(), doubt));
        if before == asked {
            return false;
        }
        if let Some((_, doubt)) = &asked {
            self.effects.push(Effect::Say(doubt.words()));
        }
        self.doubted = asked;
        true
    }

    fn doubt(&self, text: &str, is_command: bool, knows_commands: bool) -> Option<Doubt> {
        let may_have_arrived =
            |sent: &SentMessage| sent.stage == DeliveryStage::Unsure && sent.text.trim() == text.trim();
        if self.outbox.sent().iter().any(may_have_arrived) {
            return Some(Doubt::MayHaveArrived);
        }
        let (name, _) = slash(text.trim_start()).filter(|_| knows_commands && !is_command)?;
        Some(Doubt::UnknownCommand(name.to_owned()))
    }

    /// Sends a message, and follows it until it is in the session.
    pub(super) fn send(&mut self, message: OutgoingMessage, state: &State) {
        let names = message.files.iter().map(|file| file.name.clone()).collect();
        self.newest = self.outbox.begin(message.shown(), names, state);
        self.effects.push(Effect::Send(self.newest, message));
    }

    /// What the server has answered to a message.
    pub(super) fn sent(
        &mut self,
        number: u64,
        message: OutgoingMessage,
        outcome: Result<Value, CallFailure>,
    ) {
        let stage = match outcome {
            // The SDK's `send` returns the id alone, and small servers pass that on.
            Ok(answer) => match answer.get("messageId").unwrap_or(&answer).as_str() {
                Some(id) => {
                    self.sent_messages.push((id.to_owned(), message));
                    DeliveryStage::Taken(Some(id.to_owned()))
                }
                // It was accepted, but without an id: its text has to identify it.
                None => DeliveryStage::Unsure,
            },
            // It is offered above the field, on every page.
            Err(failure) if failure.reason == Some(ErrorReason::Kept) => return self.outbox.forget(number),
            // Another session is shown. The browser keeps the message for when this one is shown again.
            Err(_) if !self.outbox.has(number) => return,
            Err(failure) => {
                // Both or none: a draft that was begun meanwhile does not get another message's attachments.
                if self.text.is_empty() && self.files.is_empty() && message.display.is_none() {
                    self.change_files(|files| files.clone_from(&message.files));
                    self.write(message.prompt.clone(), None);
                }
                self.unsent.push((number, message));
                if failure.unsent {
                    DeliveryStage::Unsent
                } else if failure.outcome_is_unknown() {
                    DeliveryStage::Unsure
                } else {
                    DeliveryStage::Failed(failure.words)
                }
            }
        };
        self.outbox.stage(number, stage);
    }

    /// Nothing shows whether this command arrived: it is looked for, and can be sent again from the field.
    pub(super) fn command_unsure(&mut self, number: u64, command: &str) {
        if self.text.is_empty() {
            self.write(command.to_owned(), None);
        }
        self.outbox.stage(number, DeliveryStage::Unsure);
    }

    /// The connection is back: notes about its lack are removed, and messages that found none can be sent.
    pub(super) fn connected(&mut self) {
        if matches!(self.note, Some(Note::Unsent(_))) {
            self.note = None;
        }
        self.outbox.remove_unsent_in_field(&self.text);
    }

    /// Sends a message that found no connection, or that was not delivered. One whose attachments are gone is put into the
    /// field instead, where they can be attached again.
    pub(super) fn send_again(&mut self, number: u64, state: &State) {
        let Some(sent) = self.sent_with(number) else { return };
        let message = self.outgoing(&sent);
        if message.files.len() < sent.attachments.len() {
            self.put_back(number);
            return self.forget(number);
        }
        self.forget(number);
        let way = state.is_busy().then_some(message.way.unwrap_or(DeliveryMode::Queue));
        self.send(OutgoingMessage { way, ..message }, state);
    }

    /// Puts a message that did not arrive into the field, before what is there, with its attachments. One that may have
    /// arrived is still looked for; any other is forgotten.
    pub(super) fn put_back(&mut self, number: u64) {
        let Some(sent) = self.sent_with(number) else { return };
        let message = self.outgoing(&sent);
        let missing = message.files.len() < sent.attachments.len();
        self.change_files(|files| {
            for file in message.files {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        });
        self.write_at_end(put_before(&[message.prompt], &self.text));
        if missing {
            let names = sent.attachments.join(", ");
            self.note = Some(Note::info(&words::ATTACH_AGAIN.with(&[("names", (&names).into())])));
        }
        if sent.stage != DeliveryStage::Unsure {
            self.forget(number);
        }
    }

    fn sent_with(&self, number: u64) -> Option<SentMessage> {
        self.outbox.sent().iter().find(|sent| sent.number == number).cloned()
    }

    /// The message as it was sent from here. After a reload only its text is left.
    fn outgoing(&self, sent: &SentMessage) -> OutgoingMessage {
        let unsent = self.unsent.iter().find(|(number, _)| *number == sent.number).map(|(_, found)| found);
        let taken = || {
            let (DeliveryStage::Taken(Some(id)) | DeliveryStage::Undelivered(Some(id))) = &sent.stage else {
                return None;
            };
            self.sent_message(id)
        };
        unsent.or_else(taken).cloned().unwrap_or_else(|| OutgoingMessage {
            prompt: sent.text.clone(),
            display: None,
            mode: None,
            files: Vec::new(),
            way: None,
        })
    }

    /// A message that was sent from here and has not begun, by the server's id.
    pub fn sent_message(&self, id: &str) -> Option<&OutgoingMessage> {
        self.sent_messages.iter().find(|(own, _)| own == id).map(|(_, found)| found)
    }

    /// Forgets a message that has arrived, or that a person has decided about.
    pub(super) fn forget(&mut self, number: u64) {
        self.outbox.forget(number);
        self.unsent.retain(|(of, _)| *of != number);
    }

    /// Messages that appear in the session are no longer under way, and those that don't are missed after a while.
    pub(super) fn settle(&mut self, now: Option<u64>, state: &State) {
        // Nothing has to be remembered of a message that has begun.
        self.sent_messages.retain(|(id, _)| state.message_place(id).is_none());
        if self.outbox.sent().is_empty() {
            return;
        }
        let settled = self.outbox.settle(state, now);
        self.effects.push(Effect::LookIn(settled.again_ms));
        let offered: Vec<String> = state.queue.unstarted().map(|item| item.text.trim().to_owned()).collect();
        let ended = settled.ended.into_iter().map(|sent| (sent, true));
        for (sent, is_over) in ended.chain(settled.arrived.into_iter().map(|sent| (sent, false))) {
            let files = self.outgoing(&sent).files;
            if is_over {
                self.forget(sent.number);
            }
            // It had arrived, or is offered above: what was put back into the field must not be sent again.
            if sent.stage == DeliveryStage::Unsure && self.text == sent.text {
                self.write(String::new(), None);
                self.change_files(|attached| attached.retain(|file| !files.contains(file)));
                if !offered.iter().any(|text| text == sent.text.trim()) {
                    self.note = Some(Note::info(words::ARRIVED.text()));
                }
            }
        }
    }
}
