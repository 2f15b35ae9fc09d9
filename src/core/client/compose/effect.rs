//! What goes into a composer and what comes out of it.

use serde_json::Value;

use super::drafts::StoredTexts;
use super::note::{About, Note};
use super::outgoing::{Attached, DeliveryMode, OutgoingMessage};
use crate::model::queue::Queued;
use crate::model::queue::edits::QueueEdit;
use crate::protocol::call::CallFailure;
use crate::view_model::compose::Command;

/// Everything that a composer hears of.
#[derive(Debug)]
pub enum Input<'a> {
    /// Another session is shown, or the id of the one that is shown is known now.
    Session(&'a str, StoredTexts),
    /// A person has typed.
    Typed(String),
    /// Put a text into the field. The cursor is in UTF-16 units; `None` leaves it to the browser.
    Write(String, Option<usize>),
    /// Put a text before what a person writes: before the field's, or before the one put aside.
    BringBack(&'a str),
    /// Put messages into the field, before its text, with their attachments.
    BringBackAll(Vec<String>, Vec<Attached>),
    /// Show an older message that was sent, if there is one.
    Older,
    /// Show a newer one, and after the newest what was written before.
    Newer,
    /// Files are being read.
    Reading,
    /// They have been read. The texts say why some are not attached.
    Read(Vec<String>),
    /// Attach a file.
    Attach(Attached),
    /// Take away the attachment at this place.
    Detach(usize),
    /// Send what is in the field.
    Submit(Submitted<'a>),
    /// Send a message.
    Send(OutgoingMessage),
    /// The host sends the message with this number itself.
    OfHost(u64),
    /// What became of the message with this number.
    Sent(u64, OutgoingMessage, Result<Value, CallFailure>),
    /// A command is being sent.
    SendCommand(&'a str),
    /// Nothing shows whether the command with this number arrived, which was typed like this.
    CommandUnsure(u64, &'a str),
    /// Send the message with this number again.
    SendAgain(u64),
    /// Put the message with this number back into the field.
    PutBack(u64),
    /// Forget the message with this number: a person has decided about it, or it was answered.
    Forget(u64),
    /// A person has decided about a message that was in the queue.
    Decided(&'a Queued),
    /// A person has taken back the message with this id.
    TakenBack(&'a str),
    /// Edit a queued message: its id and its text.
    Edit(&'a str, &'a str),
    /// End the edit without saving.
    Cancel,
    /// Show a note, or none.
    Note(Option<Note>),
    /// Show a note until what it speaks of is over.
    NoteWhile(Note, About),
    /// A person does something: the note about what they did before goes.
    Acts,
    /// There is a connection.
    Connected,
    /// The session may have changed, or time has passed. The time in milliseconds; none while the state may lack what the
    /// server has.
    Look(Option<u64>),
    /// What the browser has for all tabs.
    Recalled {
        /// The draft.
        draft: Option<&'a str>,
        /// The list.
        sessions: Option<&'a str>,
    },
}

/// How the field is sent.
#[derive(Debug, Clone, Copy)]
pub struct Submitted<'a> {
    /// How it reaches an agent that is working.
    pub way: DeliveryMode,
    /// Something can be sent.
    pub connected: bool,
    /// The host takes one message at a time, and replies to each.
    pub replies: bool,
    /// The session's commands.
    pub commands: &'a [Command],
}

/// Where the browser keeps something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// For all pages of this origin.
    Browser,
    /// For this tab; it survives a reload.
    Tab,
}

/// What has to be done for a composer.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Put the text into the field, with the cursor at this place in UTF-16 units; `None` leaves it to the browser.
    Field(Option<usize>),
    /// The attachments have changed.
    Files,
    /// Move the focus to the field.
    Focus,
    /// Send a message. It is in the outbox with this number.
    Send(u64, OutgoingMessage),
    /// Run a command with its input. The text is what was typed.
    Run(Box<Command>, String, String),
    /// Send an edit of the queue.
    Edit(QueueEdit),
    /// Submit the field now.
    Submit(DeliveryMode),
    /// Say this to screen readers.
    Say(String),
    /// Look again in so many milliseconds; never if none.
    LookIn(Option<u64>),
    /// Have the browser keep a text under this name, or nothing.
    Keep(Area, String, Option<String>),
    /// Look what the browser has for all tabs under these names, the draft and the list of sessions, and say it with
    /// [`Input::Recalled`].
    Recall(String, &'static str),
}
