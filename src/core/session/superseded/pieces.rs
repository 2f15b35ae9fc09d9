//! Pieces of messages, reasoning, calls that are being written, and questions on the side: superseded by the whole text.
//!
//! The first piece of a text stays, because it makes the entry: it says where that stands, when it began and whose it is. A
//! message or reasoning also takes from its pieces when it changed last, so the newest piece stays unless the end is newer.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::protocol::EventKind;
use crate::wire::Event;
use crate::wire::fields::Fields;

/// The texts that are being written.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    messages: OpenTexts,
    reasoning: OpenTexts,
    /// The arguments of tool calls.
    arguments: OpenTexts,
    questions: OpenTexts,
    /// Agents and ids of the reasoning that may be that of the next message, oldest first.
    thoughts: Vec<(Option<Box<str>>, Box<str>)>,
}

/// Texts by their ids.
#[derive(Debug, Default)]
struct OpenTexts(HashMap<Box<str>, OpenText>);

#[derive(Debug)]
struct OpenText {
    /// The newest piece, by its time; none as long as that is the first one.
    newest: Option<u64>,
    newest_at: Option<i64>,
    /// All others but the first.
    others: Vec<u64>,
}

impl OpenTexts {
    fn add(&mut self, id: &str, position: u64, at: Option<i64>) {
        let Some(text) = self.0.get_mut(id) else {
            self.0.insert(id.into(), OpenText { newest: None, newest_at: at, others: Vec::new() });
            return;
        };
        if at > text.newest_at {
            text.newest_at = at;
            text.others.extend(text.newest.replace(position));
        } else {
            text.others.push(position);
        }
    }

    /// The whole text has come, in an event of this time: all pieces are superseded that it does not need.
    fn end(&mut self, id: &str, at: Option<i64>, superseded: &mut Vec<u64>) {
        let Some(text) = self.0.remove(id) else { return };
        superseded.extend(text.others);
        superseded.extend(text.newest.filter(|_| at >= text.newest_at));
    }

    fn has(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }
}

/// Whether events of this type are pieces or ends.
pub(super) fn concerns(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::AssistantMessageDelta
            | EventKind::AssistantMessage
            | EventKind::AssistantReasoningDelta
            | EventKind::AssistantReasoning
            | EventKind::AssistantToolCallDelta
            | EventKind::AssistantTurnEnd
            | EventKind::ToolExecutionStart
            | EventKind::ToolExecutionComplete
            | EventKind::UiEphemeralQuery
    )
}

impl Pieces {
    /// Takes an event, and adds the positions that are superseded now.
    pub(super) fn take(
        &mut self,
        kind: EventKind,
        position: u64,
        event: &Event<'_>,
        mut data: Fields<'_>,
        superseded: &mut Vec<u64>,
    ) {
        match kind {
            EventKind::AssistantMessageDelta if event.ephemeral => {
                if let Some(id) = piece_of(&mut data, "messageId", "deltaContent") {
                    self.messages.add(&id, position, event.at);
                }
            }
            EventKind::AssistantReasoningDelta => {
                let Some(id) = piece_of(&mut data, "reasoningId", "deltaContent") else { return };
                if !self.reasoning.has(&id) {
                    self.thoughts.push((event.agent_id.map(Into::into), (&*id).into()));
                }
                if event.ephemeral {
                    self.reasoning.add(&id, position, event.at);
                }
            }
            EventKind::AssistantToolCallDelta if event.ephemeral => {
                // The first one has to name the tool.
                let name = data.string("toolName").filter(|name| !name.is_empty());
                if let Some(id) = piece_of(&mut data, "toolCallId", "inputDelta")
                    && (name.is_some() || self.arguments.has(&id))
                {
                    // The time of a call is that of its first event.
                    self.arguments.add(&id, position, None);
                }
            }
            EventKind::UiEphemeralQuery => self.question(position, event, data, superseded),
            EventKind::AssistantMessage => self.message(event, data, superseded),
            EventKind::AssistantReasoning => {
                let id = data.id("reasoningId").unwrap_or(event.id.into());
                if !self.reasoning.has(&id) {
                    self.thoughts.push((event.agent_id.map(Into::into), (&*id).into()));
                }
                // How long it took is measured by its pieces.
                self.reasoning.end(&id, None, superseded);
            }
            EventKind::AssistantTurnEnd => self.thoughts.clear(),
            EventKind::ToolExecutionStart if !self.arguments.0.is_empty() => {
                if let Some(id) = data.id("toolCallId").filter(|_| data.has("arguments")) {
                    self.arguments.end(&id, None, superseded);
                }
            }
            EventKind::ToolExecutionComplete if !self.arguments.0.is_empty() => {
                if let Some(id) = data.id("toolCallId") {
                    self.arguments.end(&id, None, superseded);
                }
            }
            _ => {}
        }
    }

    fn message(&mut self, event: &Event<'_>, mut data: Fields<'_>, superseded: &mut Vec<u64>) {
        if let Some(id) = data.id("messageId") {
            self.messages.end(&id, event.at, superseded);
        }
        if data.id("reasoningText").is_some() {
            let own = |(agent, _): &(Option<Box<str>>, _)| agent.as_deref() == event.agent_id;
            if let Some(place) = self.thoughts.iter().rposition(own) {
                let (_, id) = self.thoughts.remove(place);
                self.reasoning.end(&id, None, superseded);
            }
        }
        if self.arguments.0.is_empty() {
            return;
        }
        let requests = data.objects("toolRequests").map(|(_, requests)| requests);
        for mut request in requests.into_iter().flatten() {
            if let Some(id) = request.id("toolCallId").filter(|_| request.has("arguments")) {
                self.arguments.end(&id, None, superseded);
            }
        }
    }

    fn question(
        &mut self,
        position: u64,
        event: &Event<'_>,
        mut data: Fields<'_>,
        superseded: &mut Vec<u64>,
    ) {
        let Some(id) = data.id("requestId") else { return };
        if data.id("answer").or_else(|| data.id("error")).is_some() {
            self.questions.end(&id, None, superseded);
        } else if event.ephemeral {
            self.questions.add(&id, position, None);
        }
    }
}

/// The id of a piece that has a text.
fn piece_of<'a>(data: &mut Fields<'a>, id: &str, text: &str) -> Option<Cow<'a, str>> {
    let id = data.string(id).filter(|id| !id.is_empty())?;
    data.string(text).map(|_| id)
}
