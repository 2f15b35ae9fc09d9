//! What a person writes to the agent, as data: the field with its attachments, drafts, the edit of a queued message, and what
//! was sent from here until it has arrived. Inputs come in, and effects come out.

mod drafts;
mod effect;
mod note;
mod outgoing;
mod sending;

use crate::i18n::words::composer as words;
use crate::model::outbox::Outbox;
use crate::model::queue::edits::QueueEdit;
use crate::model::state::State;
use crate::view_model::compose::{SentHistory, put_before};

pub use drafts::StoredTexts;
pub use effect::{Area, Effect, Input, Submitted};
pub use note::{About, Doubt, Note};
pub use outgoing::{Attached, DeliveryMode, OutgoingMessage};

/// What a page knows of what a person writes to the agent of a session.
#[derive(Debug, Default)]
pub struct Composer {
    /// The session; empty while its id is unknown.
    session: String,
    text: String,
    files: Vec<Attached>,
    /// The queued message whose text is in the field, and whether it is still in the queue.
    editing: Option<(String, bool)>,
    /// The text that was in the field before a queued message was put there.
    put_aside: String,
    /// The draft that the browser has for all tabs, as this tab last knew it.
    shared_draft: Option<String>,
    /// Something was sent since the session was last made the newest of the list.
    has_sent: bool,
    past: SentHistory,
    outbox: Outbox,
    /// The number of the newest message or command that was sent.
    newest: u64,
    /// Messages that did not arrive, or not for certain, by their numbers.
    unsent: Vec<(u64, OutgoingMessage)>,
    /// Messages that were sent from here and have not begun, by the server's id.
    sent_messages: Vec<(String, OutgoingMessage)>,
    note: Option<Note>,
    /// A note that goes when what it speaks of is over.
    passing: Option<(Note, About)>,
    /// A text that somebody tried to send, and what is in doubt. Sending it again sends it.
    doubted: Option<(String, Doubt)>,
    /// How many times files are being read.
    reading: u32,
    /// What is to be sent when they have been read.
    sends_when_read: Option<DeliveryMode>,
    effects: Vec<Effect>,
}

impl Composer {
    /// Takes an input. What happened in the session is in `state`.
    pub fn update(&mut self, input: Input<'_>, state: &State) -> Vec<Effect> {
        let outbox = self.outbox.clone();
        match input {
            Input::Session(id, kept) => self.show_session(id, kept),
            Input::Typed(text) => {
                self.text = text;
                self.keep_draft();
            }
            Input::Write(text, cursor) => self.write(text, cursor),
            Input::BringBack(text) => self.bring_back(text),
            Input::BringBackAll(texts, files) => {
                self.change_files(|attached| attached.extend(files));
                self.write_at_end(put_before(&texts, &self.text));
            }
            Input::Older => {
                let older = self.past.older(&self.text);
                self.browse(older);
            }
            Input::Newer => {
                let newer = self.past.newer(&self.text);
                self.browse(newer);
            }
            Input::Reading => self.reading += 1,
            Input::Read(refused) => self.read(&refused),
            Input::Attach(file) => self.change_files(|files| files.push(file)),
            Input::Detach(place) => {
                if place < self.files.len() {
                    self.change_files(|files| _ = files.remove(place));
                }
                self.effects.push(Effect::Focus);
            }
            Input::Submit(submitted) => self.submit(&submitted, state),
            Input::Send(message) => self.send(message, state),
            Input::OfHost(number) | Input::Forget(number) => self.forget(number),
            Input::Sent(number, message, outcome) => self.sent(number, message, outcome),
            Input::SendCommand(command) => self.newest = self.outbox.begin(command, Vec::new(), state),
            Input::CommandUnsure(number, command) => self.command_unsure(number, command),
            Input::SendAgain(number) => self.send_again(number, state),
            Input::PutBack(number) => self.put_back(number),
            Input::Decided(message) => self.outbox.remove_decided(message),
            Input::TakenBack(message) => self.outbox.remove_withdrawn(message),
            Input::Edit(id, text) => self.edit(id, text, state),
            Input::Cancel => {
                if self.editing.is_some() {
                    self.leave_edit();
                    self.effects.push(Effect::Focus);
                }
            }
            Input::Note(note) => self.note = note,
            Input::NoteWhile(note, about) => {
                self.note = Some(note.clone());
                self.passing = Some((note, about));
            }
            Input::Acts => self.note = self.editing_note(),
            Input::Connected => self.connected(),
            Input::Look(now) => self.look(now, state),
            Input::Recalled { draft, sessions } => self.recalled(draft, sessions),
        }
        if self.outbox != outbox {
            self.keep_outbox();
        }
        std::mem::take(&mut self.effects)
    }

    /// The text in the field.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is attached.
    pub fn files(&self) -> &[Attached] {
        &self.files
    }

    /// The queued message whose text is in the field, and whether it is still in the queue.
    pub fn editing(&self) -> Option<&(String, bool)> {
        self.editing.as_ref()
    }

    /// What was sent from here.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// The number of the newest message or command that was sent.
    pub fn newest(&self) -> u64 {
        self.newest
    }

    /// The note above the field.
    pub fn note(&self) -> Option<&Note> {
        self.note.as_ref()
    }

    /// What is in doubt about a text that somebody tried to send.
    pub fn doubted(&self) -> Option<&(String, Doubt)> {
        self.doubted.as_ref()
    }

    fn change_files(&mut self, change: impl FnOnce(&mut Vec<Attached>)) {
        change(&mut self.files);
        self.effects.push(Effect::Files);
    }

    fn write(&mut self, text: String, cursor: Option<usize>) {
        self.text = text;
        self.effects.push(Effect::Field(cursor));
        self.keep_draft();
    }

    fn write_at_end(&mut self, text: String) {
        let end = text.encode_utf16().count();
        self.write(text, Some(end));
    }

    /// Shows a text that was sent before.
    fn browse(&mut self, found: Option<String>) {
        if let Some(found) = found {
            self.write(found, Some(0));
        }
    }

    /// Puts a text before the one in the field, or before the one put aside while a queued message is edited.
    fn bring_back(&mut self, text: &str) {
        let before = |field: &str| put_before(&[text.to_owned()], field);
        if matches!(self.editing, Some((_, true))) {
            self.put_aside = before(&self.put_aside);
            self.keep_draft();
        } else {
            self.write(before(&self.text), None);
        }
    }

    fn read(&mut self, refused: &[String]) {
        self.note = (!refused.is_empty()).then(|| Note::Error(refused.join("\n")));
        self.effects.push(Effect::Focus);
        self.reading = self.reading.saturating_sub(1);
        if self.reading == 0
            && let Some(way) = self.sends_when_read.take()
            && refused.is_empty()
        {
            self.effects.push(Effect::Submit(way));
        }
    }

    /// Puts a queued message's text into the field to be edited. If another one was being edited, that edit is saved.
    fn edit(&mut self, id: &str, text: &str, state: &State) {
        let written = self.text.clone();
        match self.editing.take() {
            Some((own, true)) if own == id => {
                self.editing = Some((own, true));
                return self.effects.push(Effect::Focus);
            }
            Some((own, true)) => {
                let mut queued = state.queue.items.iter().flatten();
                let is_same = queued.any(|item| item.id == own && item.text == written);
                if !is_same && !written.trim().is_empty() {
                    self.effects.push(Effect::Edit(QueueEdit::Rewrite { id: own, text: written }));
                }
            }
            Some(_) => self.put_aside = put_before(&[written], &self.put_aside),
            None => self.put_aside = written,
        }
        self.editing = Some((id.to_owned(), true));
        self.note = self.editing_note();
        self.write_at_end(text.to_owned());
        self.effects.push(Effect::Focus);
    }

    /// The note that stands above the field while a queued message is edited there.
    fn editing_note(&self) -> Option<Note> {
        let (_, is_there) = self.editing.as_ref()?;
        Some(Note::info(if *is_there { words::EDITING } else { words::EDITING_GONE }.text()))
    }

    /// Ends the edit, and puts back what was in the field before.
    fn leave_edit(&mut self) {
        self.editing = None;
        self.note = None;
        let aside = std::mem::take(&mut self.put_aside);
        self.write_at_end(aside);
    }

    /// Looks what the session says of what was sent and of what is edited.
    fn look(&mut self, now: Option<u64>, state: &State) {
        self.settle(now, state);
        // As long as the server has not told what waits, nothing is known.
        let waits =
            |id: &str| state.queue.items.as_ref().is_none_or(|items| items.iter().any(|item| item.id == id));
        if let Some((id, is_there)) = &mut self.editing
            && *is_there
            && !waits(id)
        {
            // The text stays, because a person wrote it.
            *is_there = false;
            self.note = self.editing_note();
            self.keep_draft();
        }
        if self.passing.as_ref().is_some_and(|(_, about)| about.is_over(state))
            && let Some((note, _)) = self.passing.take()
            && self.note.as_ref() == Some(&note)
        {
            self.note = self.editing_note();
        }
    }
}

#[cfg(test)]
mod tests;
