//! Owns a session's backlog: the messages that people sent and that no event shows as begun. Each is kept until one
//! does, or until a person takes it out. It refuses to send one, and to write to the disk (`scribe` does).
//!
//! A message is on its way until the runtime has answered, then it waits there. The runtime keeps its queue in memory
//! only and tells no event of what it drops, so a message is dropped when the runtime's own list lacks it while nothing
//! is at work on it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::queue::{Item, Queue};
use crate::time;

/// What goes out again: not what belonged to one call (whether to wait for the end, traces) or may be secret (headers).
const KEPT: [&str; 9] = [
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

/// One session's messages that nobody has begun, oldest first.
#[derive(Debug, Default)]
pub struct Backlog {
    inside: Mutex<Inside>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Inside {
    messages: Vec<Message>,
    /// Messages that began before the answer came that says which of ours they are.
    begun: Vec<String>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Names it, in this gateway and its next lives.
    pub id: String,
    /// The runtime's name for it, which its `user.message` will have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    /// How far it is.
    pub stage: Stage,
    /// When it was sent, as events tell times.
    pub sent_at: String,
    /// The session's newest `seq` at that time: its event can only come after it.
    pub after: u64,
    /// The parameters of its `session.send`, as far as they are for sending it again.
    pub params: Map<String, Value>,
}

/// How far a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    /// The runtime has not answered.
    Sending,
    /// The runtime has it, or had it when the connection ended.
    Waiting,
    /// The runtime has it no more: a person decides.
    Dropped,
}

/// A `user.message`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its place in the journal.
    pub seq: u64,
    /// The message's id.
    pub message_id: String,
    /// What people read of it.
    pub text: String,
}

impl Message {
    /// What people read.
    pub fn text(&self) -> &str {
        let text = |name: &str| self.params.get(name).and_then(Value::as_str);
        text("displayPrompt").or_else(|| text("prompt")).unwrap_or_default()
    }

    /// No answer said which message it is.
    fn is_nameless(&self) -> bool {
        self.stage != Stage::Sending && self.message_id.is_none()
    }

    /// Whether the runtime lists it. Of a message for the turn that runs the list has the text only.
    fn is_in(&self, queue: &Queue) -> bool {
        let listed = |item: &Item| item.message_id.is_some() && item.message_id == self.message_id;
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
            "messageId": self.message_id,
            "state": self.stage,
            "text": self.text(),
            "attachments": names.collect::<Vec<_>>(),
            "sentAt": self.sent_at,
        })
    }
}

impl Backlog {
    /// Takes over what was kept in an earlier life. Whatever was on its way may have arrived.
    pub fn restore(&self, messages: Vec<Message>) {
        self.change(|inside| {
            inside.messages = messages;
            for message in inside.messages.iter_mut().filter(|message| message.stage == Stage::Sending) {
                message.stage = Stage::Waiting;
            }
            !inside.messages.is_empty()
        });
    }

    /// A message goes out; gives the name that it has here.
    pub fn add(&self, params: &Value, after: u64) -> String {
        let id = super::fresh_id();
        let kept = params.as_object().into_iter().flatten();
        let kept = kept.filter(|(name, _)| KEPT.contains(&name.as_str()));
        let params = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
        let message = Message {
            id: id.clone(),
            message_id: None,
            stage: Stage::Sending,
            sent_at: time::now(),
            after,
            params,
        };
        self.change(|inside| {
            inside.messages.push(message);
            true
        });
        id
    }

    /// The runtime has taken it, under this id if it said one.
    pub fn taken(&self, id: &str, message_id: Option<&str>) {
        self.change(|inside| {
            let begun = message_id.and_then(|own| inside.begun.iter().position(|begun| begun == own));
            if let Some(at) = begun {
                inside.begun.remove(at);
                return inside.remove(|message| message.id == id);
            }
            let Some(message) = inside.messages.iter_mut().find(|message| message.id == id) else {
                return false;
            };
            message.message_id = message_id.map(str::to_owned);
            message.stage = Stage::Waiting;
            inside.forget_begun();
            true
        });
    }

    /// The runtime did not take it, and who sent it was told: that is the end of it.
    pub fn refused(&self, id: &str) {
        self.change(|inside| {
            let refused = inside.remove(|message| message.id == id);
            inside.forget_begun();
            refused
        });
    }

    /// Messages have begun. Whether one of them was here.
    pub fn begun(&self, all: &[Begun]) -> bool {
        self.change(|inside| inside.begin_all(all))
    }

    /// Messages of which the runtime has to be asked, by the names that they have here.
    pub fn waiting(&self) -> Vec<String> {
        let inside = self.inside();
        let waiting = inside.messages.iter().filter(|message| message.stage == Stage::Waiting);
        waiting.map(|message| message.id.clone()).collect()
    }

    /// The runtime's own list: those of these messages that it lacks were dropped. `since` gives what has begun after a
    /// position, for messages of which no answer told the id. True if that is news.
    pub fn listed(&self, asked: &[String], queue: &Queue, since: impl Fn(u64) -> Vec<Begun>) -> bool {
        self.change(|inside| {
            let nameless = inside.messages.iter().filter(|message| message.is_nameless());
            let first = nameless.map(|message| message.after).min();
            let begun = first.map(since).unwrap_or_default();
            let news = inside.begin_all(&begun);
            asked.iter().fold(news, |any, id| inside.find_in(queue, id) || any)
        })
    }

    /// Messages that had begun, and that the runtime has forgotten with its last moment: a person decides. True if one is
    /// news.
    pub fn forgotten(&self, messages: Vec<Map<String, Value>>, after: u64) -> bool {
        self.change(|inside| {
            let before = inside.messages.len();
            for params in messages {
                let message = Message {
                    id: super::fresh_id(),
                    message_id: None,
                    stage: Stage::Dropped,
                    sent_at: time::now(),
                    after,
                    params,
                };
                let offered = |own: &Message| own.stage == Stage::Dropped && own.reads(message.text());
                if !inside.messages.iter().any(offered) {
                    inside.messages.push(message);
                }
            }
            inside.messages.len() > before
        })
    }

    /// Somebody changed the text of a message in the runtime's queue.
    pub fn rewrite(&self, message_id: &str, params: &Value) -> bool {
        self.change(|inside| {
            let own = |message: &&mut Message| message.message_id.as_deref() == Some(message_id);
            let Some(message) = inside.messages.iter_mut().find(own) else {
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

    /// Somebody took out of the runtime's queue what was in it before and is not after.
    pub fn taken_out(&self, before: &Queue, after: &Queue) -> bool {
        self.change(|inside| {
            inside.remove(|message| {
                let waits = message.stage == Stage::Waiting;
                waits && message.is_in(before) && !message.is_in(after)
            })
        })
    }

    /// A dropped message goes out again: it is nobody else's to send from here on. None where it is not dropped (any
    /// more).
    pub fn claim(&self, id: &str, after: u64) -> Option<Map<String, Value>> {
        let mut claimed = None;
        self.change(|inside| {
            let mut dropped = inside.messages.iter_mut().filter(|message| message.stage == Stage::Dropped);
            if let Some(message) = dropped.find(|message| message.id == id) {
                message.stage = Stage::Sending;
                message.message_id = None;
                message.after = after;
                claimed = Some(message.params.clone());
            }
            claimed.is_some()
        });
        claimed
    }

    /// One that went out again was not taken: a person decides once more.
    pub fn returned(&self, id: &str) {
        self.change(|inside| {
            let Some(message) = inside.messages.iter_mut().find(|message| message.id == id) else {
                return false;
            };
            message.stage = Stage::Dropped;
            inside.forget_begun();
            true
        });
    }

    /// What would go out again.
    pub fn read(&self, id: &str) -> Option<Map<String, Value>> {
        let inside = self.inside();
        inside.dropped(id).map(|message| message.params.clone())
    }

    /// A person does not want a dropped message any more, or has it in the field. Whether it was there.
    pub fn discard(&self, id: &str) -> bool {
        self.change(|inside| inside.dropped(id).is_some() && inside.remove(|message| message.id == id))
    }

    /// All of it, for clients.
    pub fn json(&self) -> Value {
        let inside = self.inside();
        json!({"messages": inside.messages.iter().map(Message::json).collect::<Vec<_>>()})
    }

    /// All of it, for the disk.
    pub fn messages(&self) -> Vec<Message> {
        self.inside().messages.clone()
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.inside().messages.is_empty()
    }

    /// Tells when it changed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Inside) -> bool) -> bool {
        let changed = change(&mut self.inside());
        if changed {
            self.changes.send_modify(|count| *count += 1);
        }
        changed
    }
}

impl Inside {
    fn dropped(&self, id: &str) -> Option<&Message> {
        self.messages.iter().find(|message| message.id == id && message.stage == Stage::Dropped)
    }

    fn remove(&mut self, which: impl Fn(&Message) -> bool) -> bool {
        let before = self.messages.len();
        self.messages.retain(|message| !which(message));
        self.messages.len() < before
    }

    fn begin_all(&mut self, all: &[Begun]) -> bool {
        all.iter().map(|begun| self.begin(begun)).filter(|here| *here).count() > 0
    }

    fn begin(&mut self, begun: &Begun) -> bool {
        if self.remove(|message| message.message_id.as_ref() == Some(&begun.message_id)) {
            return true;
        }
        // Of what was sent while a connection ended only the words are known.
        let same = |message: &Message| {
            message.is_nameless() && begun.seq > message.after && message.reads(&begun.text)
        };
        let at = self.messages.iter().position(same);
        let here = at.map(|at| self.messages.remove(at)).is_some();
        if !here && self.messages.iter().any(|message| message.stage == Stage::Sending) {
            self.begun.push(begun.message_id.clone());
        }
        here
    }

    /// What began while nothing was on its way is nobody's here.
    fn forget_begun(&mut self) {
        if self.messages.iter().all(|message| message.stage != Stage::Sending) {
            self.begun.clear();
        }
    }

    /// Looks for a message that waits in the runtime's list. True if that is news.
    fn find_in(&mut self, queue: &Queue, id: &str) -> bool {
        let Some(at) = self.messages.iter().position(|message| message.id == id) else {
            return false;
        };
        let owned = |id: &str| self.messages.iter().any(|message| message.message_id.as_deref() == Some(id));
        let Some(message) = self.messages.get(at).filter(|message| message.stage == Stage::Waiting) else {
            return false;
        };
        let unnamed = message.message_id.is_none();
        let own = |item: &&Item| {
            message.reads(&item.text) && item.message_id.as_deref().is_some_and(|id| !owned(id))
        };
        let row = queue.items.iter().filter(|_| unnamed).find(own);
        let named = row.and_then(|item| item.message_id.clone());
        let there = named.is_some() || message.is_in(queue);
        let Some(message) = self.messages.get_mut(at).filter(|_| named.is_some() || !there) else {
            return false;
        };
        match named {
            Some(id) => message.message_id = Some(id),
            None => message.stage = Stage::Dropped,
        }
        true
    }
}

#[cfg(test)]
#[path = "backlog_tests.rs"]
mod tests;
