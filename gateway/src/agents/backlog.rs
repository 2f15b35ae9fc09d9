//! A session's backlog: the messages that people sent and that the agent has not begun yet, and the commands
//! that people queued. Each is stored until an event shows it as begun, or until a person takes it out. Writing
//! to the disk is in `recorder`.
//!
//! A message is `Sending` until the runtime has answered, then it is `Waiting` there. The runtime keeps its
//! queue in memory only and sends no event when it drops something. So a message counts as dropped when the
//! runtime's own list lacks it while nothing is at work on it.
//!
//! The runtime gives a queued command no id before its turn comes. Then it asks a client to run it, by a
//! request, and the command is stored until that is over. Before, commands with the same text are distinguished by
//! their number only.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pilothouse_core::protocol::EventKind;
use pilothouse_core::wire::half_characters;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use uuid::Uuid;

use super::queue::{Queue, QueueItem};
use crate::time;

/// The parameters that are sent again. Left out is what belonged to one call (whether to wait for the end,
/// traces) and what may be secret (headers).
const STORED_PARAMS: [&str; 10] = [
    "command",
    "prompt",
    "displayPrompt",
    "mode",
    "attachments",
    "agentMode",
    "prepend",
    "billable",
    "requiredTool",
    "responseFormat",
];

/// How many messages that have begun are remembered. The runtime forgets those of its last moment only.
const REMEMBERED: usize = 16;

/// One session's messages that have not begun: those that were prepended, then the oldest first.
#[derive(Debug, Default)]
pub struct Backlog {
    state: Mutex<BacklogState>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct BacklogState {
    messages: Vec<Message>,
    /// Ids of messages that began before the answer that tells which of ours they are.
    begun: Vec<String>,
    /// The newest messages that have begun, as they were sent: an event has only what people see of a command.
    sent: VecDeque<BegunMessage>,
    /// Messages whose id became known, each with the name of its writer. Nobody was told yet.
    writers: Vec<Writer>,
}

/// A message that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct BegunMessage {
    /// The runtime's id for it.
    pub message_id: String,
    /// The name of the person who wrote it; none where people are not known by name.
    pub who: Option<String>,
    /// The parameters with which a person sent it.
    pub params: Map<String, Value>,
}

/// Who wrote a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The runtime's id for the message.
    pub message_id: String,
    /// The person's name.
    pub who: String,
}

/// A message that a person sent, or a command that a person queued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The gateway's id for it, which survives a restart.
    pub id: String,
    /// The runtime's id for it, which its `user.message` will have. Of a command it is the id of the request to
    /// run it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// The name of the person who wrote it, whoever sends it again; none where people are not known by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who: Option<String>,
    /// How far it has got.
    pub stage: MessageStage,
    /// When it was sent, in the format of events' timestamps.
    pub sent_at: String,
    /// The session's newest `seq` at that time: its event can only come after it.
    pub after: u64,
    /// The parameters of its `session.send`, or of its `session.commands.enqueue`, that are needed to send it again.
    pub params: Map<String, Value>,
}

/// How far a message has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MessageStage {
    /// The runtime has not answered.
    Sending,
    /// The runtime has it, or had it when the connection ended.
    Waiting,
    /// A command whose turn has come: the gateway runs it.
    Running,
    /// A command that was run. The runtime has not reported that its request is over.
    Ran,
    /// The runtime no longer has it: a person decides what to do with it.
    Dropped,
}

/// What an event shows of something that a person sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The agent has begun with a message (`user.message`).
    Begun {
        /// The message's id.
        message_id: String,
        /// The text that people see.
        text: String,
    },
    /// A command was taken out of the queue, and a client is asked to run it (`command.queued`).
    CommandRequested {
        /// The request's id.
        request_id: String,
        /// The command as it was queued.
        command: String,
    },
    /// A request to run a command is over (`command.completed`).
    Ended {
        /// The request's id.
        request_id: String,
    },
}

/// Such events, each with its `seq` in the journal.
pub type Signs = Vec<(u64, Sign)>;

impl Sign {
    /// What this event shows of something that a person sent; none for any other event.
    pub fn of(event: &str) -> Option<Self> {
        const KINDS: [EventKind; 3] =
            [EventKind::UserMessage, EventKind::CommandQueued, EventKind::CommandCompleted];
        // Most events are none of these, so they are not parsed.
        if !KINDS.iter().any(|kind| event.contains(kind.name())) {
            return None;
        }
        let event = value(event)?;
        let text = |name: &str| event["data"][name].as_str().map(str::to_owned);
        match EventKind::of(&event) {
            EventKind::UserMessage => Some(Self::Begun {
                message_id: text("messageId")?,
                text: text("content").unwrap_or_default(),
            }),
            EventKind::CommandQueued => {
                Some(Self::CommandRequested { request_id: text("requestId")?, command: text("command")? })
            }
            EventKind::CommandCompleted => Some(Self::Ended { request_id: text("requestId")? }),
            _ => None,
        }
    }
}

impl Message {
    /// The messages in these lines; damaged ones are skipped.
    pub fn read_lines(lines: &[u8]) -> Vec<Self> {
        let lines = lines.split(|byte| *byte == b'\n');
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    /// A message that is sent now, or found now.
    fn new(stage: MessageStage, after: u64, params: Map<String, Value>, who: Option<String>) -> Self {
        let (id, sent_at) = (Uuid::new_v4().to_string(), time::now());
        Self { id, message_id: None, who, stage, sent_at, after, params }
    }

    /// A message that had begun, for a person to decide.
    fn dropped(begun: BegunMessage, after: u64) -> Self {
        let BegunMessage { message_id, who, params } = begun;
        let message = Self::new(MessageStage::Dropped, after, params, who);
        Self { message_id: Some(message_id), ..message }
    }

    /// The text that people see.
    pub fn text(&self) -> &str {
        let text = |name: &str| self.params.get(name).and_then(Value::as_str);
        let texts = ["displayPrompt", "prompt", "command"];
        texts.into_iter().find_map(text).unwrap_or_default()
    }

    /// Whether it is a command.
    pub fn is_command(&self) -> bool {
        self.params.contains_key("command")
    }

    /// Whether it is a message whose answer with the runtime's id for it was lost.
    fn is_nameless(&self) -> bool {
        self.stage != MessageStage::Sending && self.message_id.is_none() && !self.is_command()
    }

    /// Whether it is a command with this text for which no client was asked.
    fn is_unasked(&self, command: &str) -> bool {
        self.is_command()
            && self.stage != MessageStage::Dropped
            && self.message_id.is_none()
            && self.reads(command)
    }

    /// Whether it is the command that this request is about.
    fn is_asked(&self, request_id: &str) -> bool {
        self.is_command() && self.message_id.as_deref() == Some(request_id)
    }

    fn is_being_run(&self) -> bool {
        matches!(self.stage, MessageStage::Running | MessageStage::Ran)
    }

    /// Whether the runtime lists this message. For messages to the running turn the list has the text only.
    fn is_in(&self, queue: &Queue) -> bool {
        let listed = |item: &QueueItem| item.message_id.is_some() && item.message_id == self.message_id;
        queue.items.iter().any(listed) || queue.steering.iter().any(|text| self.reads(text))
    }

    fn reads(&self, text: &str) -> bool {
        self.text().trim() == text.trim()
    }

    fn json(&self) -> Value {
        let attachments = self.params.get("attachments").and_then(Value::as_array);
        let names = attachments.into_iter().flatten().map(|attachment| {
            let text = |name: &str| attachment[name].as_str();
            text("displayName").or_else(|| text("path")).or_else(|| text("type")).unwrap_or_default()
        });
        json!({
            "id": self.id,
            "kind": if self.is_command() { "command" } else { "message" },
            "messageId": self.message_id.as_ref().filter(|_| !self.is_command()),
            "state": self.stage,
            "text": self.text(),
            "who": self.who,
            "attachments": names.collect::<Vec<_>>(),
            "sentAt": self.sent_at,
        })
    }
}

impl Backlog {
    /// Takes over the messages of an earlier process. Messages that were being sent may have arrived, so they wait
    /// now. What was sent to this process already comes after them, and after the log that it found, whose newest `seq`
    /// is `newest`.
    pub fn restore(&self, mut messages: Vec<Message>, newest: u64) {
        for message in messages.iter_mut().filter(|message| message.stage == MessageStage::Sending) {
            message.stage = MessageStage::Waiting;
        }
        self.change(|state| {
            for message in &mut state.messages {
                message.after = newest;
            }
            messages.append(&mut state.messages);
            state.messages = messages;
            !state.messages.is_empty()
        });
    }

    /// Adds a message that is about to be sent, with the name of its writer. Returns the gateway's id for it.
    pub fn add(&self, params: &Value, who: Option<&str>, after: u64) -> String {
        let params = params.as_object().into_iter().flatten();
        let stored = params.filter(|(name, _)| STORED_PARAMS.contains(&name.as_str()));
        let params = stored.map(|(name, value)| (name.clone(), value.clone())).collect();
        let message = Message::new(MessageStage::Sending, after, params, who.map(str::to_owned));
        let id = message.id.clone();
        // The runtime puts a message that is to be prepended before all others.
        let first = message.params.get("prepend") == Some(&Value::Bool(true));
        self.change(|state| {
            let at = if first { 0 } else { state.messages.len() };
            state.messages.insert(at, message);
            true
        });
        id
    }

    /// The runtime has accepted it, under this id if it gave one.
    pub fn accept(&self, id: &str, message_id: Option<&str>) {
        self.change(|state| {
            let begun = message_id.and_then(|own| state.begun.iter().position(|begun| begun == own));
            let Some(message) = state.messages.iter_mut().find(|message| message.id == id) else {
                return begun.map(|at| state.begun.remove(at)).is_some();
            };
            if let Some(message_id) = message_id {
                message.message_id = Some(message_id.to_owned());
                let who = message.who.clone();
                state.learn(message_id, who);
            }
            if let Some(at) = begun {
                state.begun.remove(at);
                return state.remove(|message| message.id == id);
            }
            let Some(message) = state.messages.iter_mut().find(|message| message.id == id) else {
                return false;
            };
            // A command's turn may come before the answer.
            if message.stage == MessageStage::Sending {
                message.stage = MessageStage::Waiting;
            }
            state.forget_begun();
            true
        });
    }

    /// The runtime refused it and the sender got that answer, so it is removed.
    pub fn remove_refused(&self, id: &str) {
        self.change(|state| {
            let refused = state.remove(|message| message.id == id);
            state.forget_begun();
            refused
        });
    }

    /// The runtime asks for a command to be run. If it is one of these, the gateway runs it, and nobody else.
    pub fn run(&self, seq: u64, request_id: &str, command: &str) -> bool {
        self.change(|state| {
            let asked = state.command_requested(seq, request_id, command);
            asked && state.stage(request_id, MessageStage::Running)
        })
    }

    /// Whether the gateway is to run the command of this request, and has not.
    pub fn is_running(&self, request_id: &str) -> bool {
        let state = self.state();
        state
            .messages
            .iter()
            .any(|message| message.is_asked(request_id) && message.stage == MessageStage::Running)
    }

    /// The command of this request was run.
    pub fn mark_ran(&self, request_id: &str) {
        self.change(|state| state.stage(request_id, MessageStage::Ran));
    }

    /// Nobody can say whether the runtime knows what became of the command of this request. Returns whether it is here.
    pub fn mark_unsure(&self, request_id: &str) -> bool {
        let here = |state: &BacklogState| state.messages.iter().any(|message| message.is_asked(request_id));
        self.change(|state| {
            let running = |message: &&mut Message| {
                message.is_asked(request_id) && message.stage == MessageStage::Running
            };
            let message = state.messages.iter_mut().find(running);
            message.map(|message| message.stage = MessageStage::Waiting).is_some()
        });
        here(&self.state())
    }

    /// The requests to run a command that are not known to be over, each with its command.
    pub fn unanswered(&self) -> Vec<(String, String)> {
        let state = self.state();
        let commands = state.messages.iter().filter(|message| message.is_command());
        let request = |message: &Message| Some((message.message_id.clone()?, message.text().to_owned()));
        commands.filter(|message| message.stage != MessageStage::Dropped).filter_map(request).collect()
    }

    /// Removes what has begun. Returns whether anything of it was in the backlog.
    pub fn remove_begun(&self, all: &[(u64, Sign)]) -> bool {
        self.change(|state| state.begin_all(all))
    }

    /// The gateway's ids of the messages about which the runtime has to be asked.
    pub fn waiting_ids(&self) -> Vec<String> {
        let state = self.state();
        let waits = |message: &&Message| message.stage == MessageStage::Waiting || message.is_being_run();
        let waiting = state.messages.iter().filter(waits);
        waiting.map(|message| message.id.clone()).collect()
    }

    /// Compares with the runtime's own list: of the messages that were asked about, those it lacks were
    /// dropped. `since` gives the messages that have begun after a position, for messages whose id no answer
    /// told. Returns whether anything changed.
    pub fn compare(&self, asked: &[String], queue: &Queue, since: impl Fn(u64) -> Signs) -> bool {
        self.change(|state| {
            let nameless = state.messages.iter().filter(|message| message.is_nameless());
            let first = nameless.map(|message| message.after).min();
            let begun = first.map(since).unwrap_or_default();
            let news = state.begin_all(&begun);
            let commands = state.drop_commands(asked, queue);
            asked.iter().fold(news || commands, |any, id| state.find_in(queue, id) || any)
        })
    }

    /// Adds messages that had begun, by their ids, but that the runtime forgot because it ended before writing
    /// them down: a person decides. Returns whether one of them is new.
    pub fn offer_forgotten(&self, messages: Vec<BegunMessage>, after: u64) -> bool {
        self.change(|state| {
            let before = state.messages.len();
            for shown in messages {
                let sent = state.sent.iter().find(|sent| sent.message_id == shown.message_id);
                let message = Message::dropped(sent.cloned().unwrap_or(shown), after);
                if !state.messages.iter().any(|own| own.message_id == message.message_id) {
                    state.messages.push(message);
                }
            }
            state.messages.len() > before
        })
    }

    /// The runtime has written nothing of the session down: the messages that had begun are dropped. Each is added
    /// once. Returns whether there was any.
    pub fn offer_unwritten(&self, after: u64) -> bool {
        self.change(|state| {
            let sent = std::mem::take(&mut state.sent);
            let any = !sent.is_empty();
            state.messages.extend(sent.into_iter().rev().map(|sent| Message::dropped(sent, after)));
            any
        })
    }

    /// Somebody changed the text of a message in the runtime's queue. Returns whether it is in the backlog.
    pub fn rewrite(&self, message_id: &str, params: &Value) -> bool {
        self.change(|state| {
            let own = |message: &&mut Message| message.message_id.as_deref() == Some(message_id);
            let Some(message) = state.messages.iter_mut().find(own) else {
                return false;
            };
            message.params.remove("displayPrompt");
            for name in ["prompt", "displayPrompt"] {
                if let Some(text) = params.get(name).filter(|text| text.is_string()) {
                    message.params.insert(name.to_owned(), text.clone());
                }
            }
            true
        })
    }

    /// Somebody took a message back from the runtime.
    pub fn remove_withdrawn(&self, message_id: &str) {
        self.change(|state| state.remove(|message| message.message_id.as_deref() == Some(message_id)));
    }

    /// Removes what somebody took out of the runtime's queue: messages that were in it before and are not
    /// after.
    pub fn remove_taken_out(&self, before: &Queue, after: &Queue) -> bool {
        self.change(|state| {
            let messages = state.remove(|message| {
                let waits = message.stage == MessageStage::Waiting;
                waits && message.is_in(before) && !message.is_in(after)
            });
            let is_gone = |item: &&QueueItem| !after.items.iter().any(|left| left.id == item.id);
            let commands = before.commands().filter(is_gone);
            let removed = commands.filter(|item| {
                let at = state.messages.iter().position(|message| message.is_unasked(&item.text));
                at.map(|at| state.messages.remove(at)).is_some()
            });
            removed.count() > 0 || messages
        })
    }

    /// Takes a dropped message to send it again, so that nobody else can. Returns its parameters; none where
    /// it is not dropped (any more).
    pub fn claim(&self, id: &str, after: u64) -> Option<Map<String, Value>> {
        let mut claimed = None;
        self.change(|state| {
            let mut dropped =
                state.messages.iter_mut().filter(|message| message.stage == MessageStage::Dropped);
            if let Some(message) = dropped.find(|message| message.id == id) {
                message.stage = MessageStage::Sending;
                message.message_id = None;
                message.after = after;
                claimed = Some(message.params.clone());
            }
            claimed.is_some()
        });
        claimed
    }

    /// The runtime refused a message that was sent again: a person decides once more.
    pub fn offer_again(&self, id: &str) {
        self.change(|state| {
            let Some(message) = state.messages.iter_mut().find(|message| message.id == id) else {
                return false;
            };
            message.stage = MessageStage::Dropped;
            state.forget_begun();
            true
        });
    }

    /// The parameters with which a dropped message would be sent again.
    pub fn read(&self, id: &str) -> Option<Map<String, Value>> {
        let state = self.state();
        state.dropped(id).map(|message| message.params.clone())
    }

    /// Removes a dropped message that a person does not want any more or has in the composer. Returns whether
    /// it was there.
    pub fn discard(&self, id: &str) -> bool {
        self.change(|state| state.dropped(id).is_some() && state.remove(|message| message.id == id))
    }

    /// The name of the person who queued the command of this request.
    pub fn writer(&self, request_id: &str) -> Option<String> {
        let state = self.state();
        state.messages.iter().find(|message| message.is_asked(request_id))?.who.clone()
    }

    /// The messages whose id became known since this was asked last, each with its writer.
    pub fn take_writers(&self) -> Vec<Writer> {
        std::mem::take(&mut self.state().writers)
    }

    /// The whole backlog, for clients.
    pub fn json(&self) -> Value {
        let state = self.state();
        json!({"messages": state.messages.iter().map(Message::json).collect::<Vec<_>>()})
    }

    /// All messages, one a line, for the stored notes.
    pub fn lines(&self) -> io::Result<Vec<u8>> {
        let mut lines = Vec::new();
        for message in &self.state().messages {
            serde_json::to_writer(&mut lines, message)?;
            lines.push(b'\n');
        }
        Ok(lines)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.state().messages.is_empty()
    }

    /// Notifies of every change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, BacklogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut BacklogState) -> bool) -> bool {
        let changed = change(&mut self.state());
        if changed {
            self.changes.send_modify(|count| *count += 1);
        }
        changed
    }
}

impl BacklogState {
    fn dropped(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.id == id && message.stage == MessageStage::Dropped)
    }

    fn remove(&mut self, which: impl Fn(&Message) -> bool) -> bool {
        let before = self.messages.len();
        self.messages.retain(|message| !which(message));
        self.messages.len() < before
    }

    fn begin_all(&mut self, all: &[(u64, Sign)]) -> bool {
        let here = all.iter().map(|(seq, sign)| match sign {
            Sign::Begun { message_id, text } => self.begin(*seq, message_id, text),
            Sign::CommandRequested { request_id, command } => {
                self.command_requested(*seq, request_id, command)
            }
            Sign::Ended { request_id } => self.remove(|message| message.is_asked(request_id)),
        });
        here.filter(|here| *here).count() > 0
    }

    fn begin(&mut self, seq: u64, message_id: &str, text: &str) -> bool {
        let named = |message: &Message| message.message_id.as_deref() == Some(message_id);
        if let Some(at) = self.messages.iter().position(named) {
            let message = self.messages.remove(at);
            let Message { who, params, .. } = message;
            self.sent.truncate(REMEMBERED - 1);
            self.sent.push_front(BegunMessage { message_id: message_id.to_owned(), who, params });
            return true;
        }
        // Of a message that was sent while a connection ended only the text is known.
        let same = |message: &Message| message.is_nameless() && seq > message.after && message.reads(text);
        let message = self.messages.iter().position(same).map(|at| self.messages.remove(at));
        let here = message.is_some();
        if let Some(message) = message {
            self.learn(message_id, message.who);
        }
        if !here && self.messages.iter().any(|message| message.stage == MessageStage::Sending) {
            self.begun.push(message_id.to_owned());
        }
        here
    }

    /// A client is asked to run a command: the oldest one with these words gets the request's id.
    fn command_requested(&mut self, seq: u64, request_id: &str, command: &str) -> bool {
        let known = |message: &Message| message.message_id.as_deref() == Some(request_id);
        if self.messages.iter().any(known) {
            return false;
        }
        let same = |message: &&mut Message| message.is_unasked(command) && seq > message.after;
        let mut same = self.messages.iter_mut().filter(same);
        let Some(message) = same.next() else { return false };
        message.message_id = Some(request_id.to_owned());
        // So that the event is not read as theirs when the log is read again.
        same.for_each(|other| other.after = seq);
        true
    }

    fn stage(&mut self, request_id: &str, stage: MessageStage) -> bool {
        let message = self.messages.iter_mut().find(|message| message.is_asked(request_id));
        message.map(|message| message.stage = stage).is_some()
    }

    /// Compares the commands that wait with the runtime's list. Of those that read the same it has the newest. What was
    /// run is not offered again.
    fn drop_commands(&mut self, asked: &[String], queue: &Queue) -> bool {
        let over = self.remove(|message| message.stage == MessageStage::Ran && asked.contains(&message.id));
        let mut listed: Vec<_> = queue.commands().collect();
        let waiting = self.messages.iter_mut().rev().filter(|message| {
            let waits = matches!(message.stage, MessageStage::Waiting | MessageStage::Running);
            message.is_command() && waits && asked.contains(&message.id)
        });
        let lost = waiting.filter(|message| {
            let same = |item: &&QueueItem| message.message_id.is_none() && message.reads(&item.text);
            let at = listed.iter().position(same);
            at.map(|at| listed.swap_remove(at)).is_none()
        });
        lost.map(|message| message.stage = MessageStage::Dropped).count() > 0 || over
    }

    /// The id of a message became known.
    fn learn(&mut self, message_id: &str, who: Option<String>) {
        self.writers.extend(who.map(|who| Writer { message_id: message_id.to_owned(), who }));
    }

    /// Once nothing is being sent, the noted messages that have begun can't be ours.
    fn forget_begun(&mut self) {
        if self.messages.iter().all(|message| message.stage != MessageStage::Sending) {
            self.begun.clear();
        }
    }

    /// Looks for a message that waits in the runtime's list. Returns whether that changed anything.
    fn find_in(&mut self, queue: &Queue, id: &str) -> bool {
        let Some(at) = self.messages.iter().position(|message| message.id == id) else {
            return false;
        };
        let owned = |id: &str| self.messages.iter().any(|message| message.message_id.as_deref() == Some(id));
        let waits = |message: &&Message| message.stage == MessageStage::Waiting && !message.is_command();
        let Some(message) = self.messages.get(at).filter(waits) else {
            return false;
        };
        let unnamed = message.message_id.is_none();
        let own = |item: &&QueueItem| {
            message.reads(&item.text) && item.message_id.as_deref().is_some_and(|id| !owned(id))
        };
        let row = queue.items.iter().filter(|_| unnamed).find(own);
        let named = row.and_then(|item| item.message_id.clone());
        let there = named.is_some() || message.is_in(queue);
        let Some(message) = self.messages.get_mut(at).filter(|_| named.is_some() || !there) else {
            return false;
        };
        if let Some(id) = named {
            message.message_id = Some(id.clone());
            let who = message.who.clone();
            self.learn(&id, who);
        } else {
            message.stage = MessageStage::Dropped;
        }
        true
    }
}

/// The message that begins with this event, if a person sent it, with the parameters that the event shows; none for any other
/// event.
pub fn begun_message(event: &str) -> Option<BegunMessage> {
    if !event.contains(EventKind::UserMessage.name()) {
        return None;
    }
    let mut event = value(event).filter(|event| EventKind::of(event) == EventKind::UserMessage)?;
    let by_program = |event: &Value| {
        let data = &event["data"];
        let names = ["source", "parentToolCallId"].map(|name| &data[name]);
        event["agentId"].is_string()
            || data["isAutopilotContinuation"] == true
            || names.iter().any(|name| name.as_str().is_some_and(|name| !name.is_empty() && name != "user"))
    };
    if by_program(&event) {
        return None;
    }
    let data = &mut event["data"];
    let mut params = Map::new();
    for (name, own) in [("prompt", "content"), ("attachments", "attachments"), ("agentMode", "agentMode")] {
        let value = data[own].take();
        if !value.is_null() {
            params.insert(name.to_owned(), value);
        }
    }
    params.get("prompt")?;
    Some(BegunMessage { message_id: data["messageId"].as_str()?.to_owned(), who: None, params })
}

/// Who wrote a message, if the gateway says so with this event.
pub fn writer_of(event: &str) -> Option<Writer> {
    if !event.contains(EventKind::PilothouseSent.name()) {
        return None;
    }
    let event = value(event).filter(|event| EventKind::of(event) == EventKind::PilothouseSent)?;
    let text = |name: &str| event["data"][name].as_str().map(str::to_owned);
    Some(Writer { message_id: text("messageId")?, who: text("who")? })
}

/// An event as a value, with U+FFFD in place of halves of characters.
fn value(event: &str) -> Option<Value> {
    serde_json::from_str(half_characters::replaced(event).as_deref().unwrap_or(event)).ok()
}

#[cfg(test)]
mod tests;
