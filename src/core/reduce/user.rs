//! Handles messages to the agent: from people, from the system, and from the runtime in a person's
//! place. The latter are not shown as a person's.

use serde_json::Value;

use super::EventMeta;
use super::notifications::{NOTIFICATION_TAG, without_tags};
use crate::i18n::words::notices;
use crate::model::entry::{
    AttachedPicture, Body, Entry, EntryState, Kind, Level, Notice, PictureSource, UserMessage,
};
use crate::model::model_context::{Message, Role};
use crate::model::state::{Section, Space, State};
use crate::wire::fields::Fields;
use crate::wire::text::Text;

impl State {
    pub(super) fn user_message(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let id = data.non_empty_text("messageId");
        let anonymous = id.is_none();
        let id = id.unwrap_or_else(|| meta.id.to_owned());
        let content = data.text("content").unwrap_or_default();
        let transformed = data.non_empty_text("transformedContent");
        if meta.agent.is_none() {
            self.info.infer_mode(data.get("agentMode").and_then(|mode| mode.as_str().map(str::to_owned)));
            self.touch(Section::Session);
        }
        let nudge = data.flag("isAutopilotContinuation").unwrap_or(false);
        let notification = content.trim_start().starts_with(NOTIFICATION_TAG);
        // Checked before the message itself sets the session to running.
        let goes_on = self.turn_goes_on();
        self.begin_work(meta);
        let typed = (!nudge && !notification).then(|| content.clone());
        let read = transformed.clone().unwrap_or_else(|| content.clone());
        if nudge || notification {
            let (category, text) = if nudge && content.is_empty() {
                ("autopilot_continuation", notices::AUTOPILOT_GOES_ON.into())
            } else if nudge {
                ("autopilot_continuation", content.into())
            } else {
                ("notification", without_tags(&content).into())
            };
            let place = self.notice(meta, Level::Info, category, text);
            self.update(place, |entry| entry.id.clone_from(&id));
            self.model_reads(meta, read.into(), typed, Some(place));
            return;
        }
        if meta.agent.is_none() {
            self.repeatable.clear();
            if self.queue.take_message(&id, &content) {
                self.touch(Section::Queue);
            }
        }
        let place = match self.place(Space::Message, &id) {
            Some(place) => place,
            None => self.add_entry(Some(Space::Message), Kind::User, id.clone(), meta),
        };
        self.commit(place, meta);
        self.model_reads(meta, read.into(), typed, Some(place));
        let attachments = data.list("attachments");
        let withheld = (0..).zip(&attachments).filter(|(_, attachment)| is_withheld(attachment));
        let withheld = withheld.map(|(place, _)| place).collect();
        let pictures = attachments.iter().enumerate().filter_map(attached_picture).collect();
        let attachments = attachments.into_iter().map(attachment_name).collect();
        let writer = self.writers.take(&id);
        let message = UserMessage {
            delivery: data.non_empty_text("delivery"),
            source: data.non_empty_text("source"),
            transformed: transformed.filter(|transformed| *transformed != content),
            attachments,
            withheld,
            pictures,
            references: Vec::new(),
            agent_mode: data.non_empty_text("agentMode"),
            work: None,
            anonymous,
            who: writer,
        };
        let steering = message.delivery.as_deref() == Some("steering");
        self.update(place, |entry| {
            let mut message = message;
            if let Body::User(before) = &entry.body {
                message.work = before.work;
                message.who = message.who.or_else(|| before.who.clone());
            }
            entry.state = EntryState::Done;
            entry.body = Body::User(Box::new(message));
        });
        self.replace_text(place, content);
        if meta.agent.is_none() && !(steering && goes_on) {
            self.turn_begins(place, meta.at);
        }
        // The first message is used as the title as long as there is none.
        self.touch(Section::Session);
    }

    /// The gateway says who wrote a message. It may have come, or it waits in the queue, for hours perhaps.
    pub(super) fn message_sent(&mut self, data: &mut Fields) {
        let (Some(id), Some(who)) = (data.non_empty_text("messageId"), data.non_empty_text("who")) else {
            return;
        };
        let place = self.place(Space::Message, &id);
        let is_here = |entry: &Entry| matches!(entry.body, Body::User(_));
        let Some(place) = place.filter(|place| self.entry(*place).is_some_and(is_here)) else {
            self.writers.add(id, who);
            return self.touch(Section::Queue);
        };
        self.update(place, |entry| {
            if let Body::User(message) = &mut entry.body {
                message.who = Some(who);
            }
        });
    }

    pub(crate) fn system_message(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let content = data.text("content").unwrap_or_default();
        let name = data.non_empty_text("name");
        let role = match data.non_empty_text("role").as_deref() {
            Some("developer") => Role::Developer,
            _ => Role::System,
        };
        let mut message = Message::new(role, content.clone(), meta.id, meta.number);
        message.name.clone_from(&name);
        if meta.agent.is_some() {
            // A sub-agent's prompt is in its own view only.
            self.view_mut(meta.agent).upsert_instruction(message);
            return;
        }
        let key = format!("{} message {}", role.word(), name.as_deref().unwrap_or_default());
        let place = if let Some(place) = self.place(Space::Named, &key) {
            place
        } else {
            let place = self.add_entry(None, Kind::Notice, meta.id.to_owned(), meta);
            self.index_entry(Space::Named, key, place);
            let notice = Notice::new(Level::System, role.word());
            self.update(place, |entry| {
                entry.ui_visible = false;
                entry.body = Body::Notice(Box::new(notice));
            });
            place
        };
        self.commit(place, meta);
        self.replace_text(place, content);
        message.entry = Some(place);
        self.view_mut(None).upsert_instruction(message);
    }

    /// The runtime gave the model a text in a person's place.
    pub(super) fn set_model(&mut self, meta: EventMeta<'_>, content: impl Into<Text>, place: Option<usize>) {
        self.model_reads(meta, content.into(), None, place);
    }

    /// A fusion's draft enters the model's history if the event says so.
    pub(super) fn fusion_phase_ended(&mut self, meta: EventMeta<'_>, data: &mut Fields) {
        if meta.agent.is_none() {
            self.info.doing = None;
            self.touch(Section::Session);
        }
        if data.non_empty_text("projectionMode").as_deref() == Some("append")
            && let Some(content) = data.object("projectionMessage").non_empty_text("content")
        {
            let message = Message::new(Role::Assistant, content, meta.id, meta.number);
            self.view_mut(meta.agent).push(message);
        }
    }

    pub(super) fn model_reads(
        &mut self,
        meta: EventMeta<'_>,
        content: Text,
        typed: Option<String>,
        entry: Option<usize>,
    ) {
        let message = Message::new(Role::User, content, meta.id, meta.number);
        self.view_mut(meta.agent).push(Message { entry, typed, ..message });
    }
}

fn attachment_name(attachment: Value) -> String {
    let mut fields = Fields::of(attachment);
    let name = fields.non_empty_text("displayName").or_else(|| fields.non_empty_text("title"));
    name.or_else(|| fields.non_empty_text("filePath"))
        .or_else(|| fields.non_empty_text("path"))
        .or_else(|| fields.non_empty_text("type"))
        .unwrap_or_default()
}

/// The bytes of an attachment, or the name of the asset that has them. One that is only a path has neither.
fn attached_picture((place, attachment): (usize, &Value)) -> Option<AttachedPicture> {
    let text = |name: &str| attachment.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let source = match (text("data"), text("assetId")) {
        (Some(data), _) => PictureSource::Data(data.into()),
        (None, Some(id)) => PictureSource::Asset(id.to_owned()),
        (None, None) => return None,
    };
    Some(AttachedPicture { place, mime_type: text("mimeType").unwrap_or_default().to_owned(), source })
}

/// Whether the model was not given it. The other reasons only say why the log lacks it.
fn is_withheld(attachment: &Value) -> bool {
    attachment.get("omittedReason").and_then(Value::as_str) == Some("unsupported_format")
}
