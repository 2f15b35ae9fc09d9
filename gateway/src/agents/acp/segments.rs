//! Text and reasoning: chunks become messages that end. A message ends with any other kind of update about the conversation, with
//! a chunk of another `messageId`, or with the prompt.

use std::collections::BTreeMap;

use pilothouse_core::json_writer::object;
use pilothouse_core::protocol::EventKind;
use serde_json::json;

use super::event::{Out, plain_message};
use super::known::{Notices, Quirks};
use super::subagents::Subagents;

/// How much of a message has to come again before it counts as said again, in bytes.
const REPEATED: usize = 32;
/// A message shorter than this is not looked at, in bytes.
const SHORTEST: usize = 16;

/// The messages that are being written, by sub-agent; the session's own under none.
#[derive(Debug, Default)]
pub struct Segments {
    streams: BTreeMap<Option<String>, Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    message: Option<Segment>,
    reasoning: Option<Segment>,
    /// The reasoning that belongs to the next message.
    reasoning_text: Option<String>,
    /// A chunk that is a notice if nothing is added to it.
    notice: Option<String>,
}

#[derive(Debug)]
struct Segment {
    /// The id of its events.
    id: String,
    /// The agent's `messageId`.
    agents_id: Option<String>,
    text: String,
    /// What came again from the start, and is not in the text.
    again: String,
}

/// A chunk of text.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'a> {
    /// The sub-agent that says it.
    pub agent: Option<&'a str>,
    /// The agent's `messageId`.
    pub message_id: Option<&'a str>,
    /// The text.
    pub text: &'a str,
    /// Whether it is said now; what a load replays has no deltas.
    pub is_live: bool,
    /// Whether the agent has said that the turn failed: what it says now is why, if it is no message.
    pub is_failing: bool,
    /// The turn.
    pub turn: &'a str,
}

impl Segments {
    /// Takes a chunk of the answer.
    pub fn text(&mut self, chunk: Chunk<'_>, quirks: &Quirks, out: &mut Out<'_>) {
        if chunk.text.is_empty() {
            return out.leave_out("an empty chunk");
        }
        let stream = self.streams.entry(chunk.agent.map(str::to_owned)).or_default();
        stream.end_reasoning(chunk.agent, out);
        match quirks.notices {
            Notices::WithoutId
                if chunk.message_id.is_none()
                    && (chunk.is_failing || level(chunk.text) == Some(EventKind::SessionWarning)) =>
            {
                stream.end_message(chunk.agent, chunk.turn, out);
                return notice(chunk.text, out);
            }
            Notices::Prefixed { words } if chunk.message_id.is_none() => {
                if words.iter().any(|word| chunk.text.starts_with(word)) {
                    stream.flush_notice(chunk, out);
                    // The text before comes once more.
                    if chunk.text.starts_with("Info: ") {
                        stream.interrupt(chunk.turn, chunk.text, out);
                    } else {
                        stream.end_message(chunk.agent, chunk.turn, out);
                    }
                    return notice(chunk.text, out);
                }
                if stream.message.is_none() && stream.notice.is_none() && level(chunk.text).is_some() {
                    stream.notice = Some(chunk.text.to_owned());
                    return;
                }
                stream.flush_notice(chunk, out);
            }
            _ => {}
        }
        stream.add_text(chunk, quirks.repeats_text, out);
    }

    /// Takes a chunk of the reasoning.
    pub fn reasoning(&mut self, chunk: Chunk<'_>, quirks: &Quirks, out: &mut Out<'_>) {
        let without_subject = chunk.text.strip_prefix("****\n").filter(|_| quirks.thoughts_have_subjects);
        let text = without_subject.unwrap_or(chunk.text);
        if text.is_empty() {
            return out.leave_out("an empty chunk");
        }
        let stream = self.streams.entry(chunk.agent.map(str::to_owned)).or_default();
        stream.end_message(chunk.agent, chunk.turn, out);
        let is_other = |segment: &Segment| segment.agents_id.as_deref() != chunk.message_id;
        if stream.reasoning.as_ref().is_some_and(is_other) {
            stream.end_reasoning(chunk.agent, out);
        }
        let segment = stream.reasoning.get_or_insert_with(|| Segment::new(out.new_id(), chunk.message_id));
        let begins_thought =
            quirks.thoughts_have_subjects && text.starts_with("**") && !segment.text.is_empty();
        let text = if begins_thought { format!("\n\n{text}") } else { text.to_owned() };
        segment.text.push_str(&text);
        if chunk.is_live {
            let data = json!({ "reasoningId": segment.id, "deltaContent": text });
            out.event_of(chunk.agent, EventKind::AssistantReasoningDelta, data);
        }
    }

    /// Ends what this sub-agent, or the session itself, is writing.
    pub fn end(&mut self, agent: Option<&str>, turn: &str, out: &mut Out<'_>) {
        if let Some(stream) = self.streams.get_mut(&agent.map(str::to_owned)) {
            stream.end(agent, turn, out);
        }
    }

    /// Ends what sub-agents are writing whose words have no owner on the wire.
    pub fn end_of_calls(&mut self, subagents: &Subagents, turn: &str, out: &mut Out<'_>) {
        for (agent, stream) in &mut self.streams {
            if agent.as_deref().is_some_and(|id| subagents.of_call(id) == Some(id)) {
                stream.end(agent.as_deref(), turn, out);
            }
        }
    }

    /// Ends what has no `messageId`: only what comes between tells one such message from the next.
    pub fn end_unnamed(&mut self, agent: Option<&str>, turn: &str, out: &mut Out<'_>) {
        if let Some(stream) = self.streams.get_mut(&agent.map(str::to_owned)) {
            let is_named = |segment: &Option<Segment>| {
                segment.as_ref().is_some_and(|segment| segment.agents_id.is_some())
            };
            if !is_named(&stream.message) && !is_named(&stream.reasoning) {
                stream.end(agent, turn, out);
            }
        }
    }

    /// Ends everything.
    pub fn end_all(&mut self, turn: &str, out: &mut Out<'_>) {
        for (agent, mut stream) in std::mem::take(&mut self.streams) {
            stream.end(agent.as_deref(), turn, out);
        }
    }

    /// The agent tries again: what it was saying comes once more.
    pub fn interrupt(&mut self, turn: &str, reason: &str, out: &mut Out<'_>) {
        match self.streams.get_mut(&None) {
            Some(stream) => stream.interrupt(turn, reason, out),
            None => retry(turn, reason, out),
        }
    }

    /// Whether something is being written.
    pub fn is_open(&self) -> bool {
        self.streams
            .values()
            .any(|stream| stream.message.is_some() || stream.reasoning.is_some() || stream.notice.is_some())
    }
}

impl Segment {
    fn new(id: String, agents_id: Option<&str>) -> Self {
        Self { id, agents_id: agents_id.map(str::to_owned), text: String::new(), again: String::new() }
    }
}

impl Stream {
    fn add_text(&mut self, chunk: Chunk<'_>, repeats: bool, out: &mut Out<'_>) {
        let is_other = |segment: &Segment| segment.agents_id.as_deref() != chunk.message_id;
        if self.message.as_ref().is_some_and(is_other) {
            self.end_message(chunk.agent, chunk.turn, out);
        }
        let Some(segment) = &mut self.message else {
            return self.begin(chunk, chunk.text, out);
        };
        if !repeats || segment.text.len() < SHORTEST {
            return segment.add(chunk.agent, chunk.text, chunk.is_live, out);
        }
        segment.again.push_str(chunk.text);
        if segment.text.starts_with(&segment.again) && segment.again.len() < REPEATED.min(segment.text.len())
        {
            return;
        }
        let again = std::mem::take(&mut segment.again);
        let shared = shared_start(&segment.text, &again);
        if shared >= REPEATED.min(segment.text.len()) {
            self.interrupt(chunk.turn, "the answer begins again", out);
            self.begin(chunk, &again, out);
        } else {
            segment.add(chunk.agent, &again, chunk.is_live, out);
        }
    }

    fn begin(&mut self, chunk: Chunk<'_>, text: &str, out: &mut Out<'_>) {
        let mut segment = Segment::new(out.new_id(), chunk.message_id);
        if chunk.is_live {
            out.event_of(chunk.agent, EventKind::AssistantMessageStart, json!({ "messageId": segment.id }));
        }
        segment.add(chunk.agent, text, chunk.is_live, out);
        self.message = Some(segment);
    }

    fn end(&mut self, agent: Option<&str>, turn: &str, out: &mut Out<'_>) {
        if let Some(text) = self.notice.take() {
            notice(&text, out);
        }
        self.end_message(agent, turn, out);
        self.end_reasoning(agent, out);
    }

    fn end_message(&mut self, agent: Option<&str>, turn: &str, out: &mut Out<'_>) {
        if let Some(text) = self.notice.take() {
            notice(&text, out);
        }
        let Some(mut segment) = self.message.take() else { return };
        let again = std::mem::take(&mut segment.again);
        segment.text.push_str(&again);
        let data = object([
            ("messageId", Some(segment.id.into())),
            ("content", Some(segment.text.into())),
            ("reasoningText", self.reasoning_text.take().map(Into::into)),
            ("turnId", (!turn.is_empty()).then(|| turn.into())),
        ]);
        out.event_of(agent, EventKind::AssistantMessage, data);
    }

    fn end_reasoning(&mut self, agent: Option<&str>, out: &mut Out<'_>) {
        let Some(segment) = self.reasoning.take() else { return };
        let data = json!({ "reasoningId": segment.id, "content": segment.text });
        out.event_of(agent, EventKind::AssistantReasoning, data);
        let before = self.reasoning_text.take();
        self.reasoning_text = Some(before.map_or_else(String::new, |before| before + "\n\n") + &segment.text);
    }

    /// A chunk that looked like a notice is text after all.
    fn flush_notice(&mut self, chunk: Chunk<'_>, out: &mut Out<'_>) {
        if let Some(text) = self.notice.take() {
            self.begin(chunk, &text, out);
        }
    }

    /// Leaves the message without its end: it comes again.
    fn interrupt(&mut self, turn: &str, reason: &str, out: &mut Out<'_>) {
        self.message = None;
        self.notice = None;
        retry(turn, reason, out);
    }
}

impl Segment {
    fn add(&mut self, agent: Option<&str>, text: &str, is_live: bool, out: &mut Out<'_>) {
        let text = std::mem::take(&mut self.again) + text;
        self.text.push_str(&text);
        if is_live {
            let data = json!({ "messageId": self.id, "deltaContent": text });
            out.event_of(agent, EventKind::AssistantMessageDelta, data);
        }
    }
}

fn retry(turn: &str, reason: &str, out: &mut Out<'_>) {
    out.event(EventKind::AssistantTurnRetry, json!({ "turnId": turn, "reason": reason.trim() }));
}

/// How many bytes two texts have in common at their start.
fn shared_start(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// What a text that begins like a notice is.
fn level(text: &str) -> Option<EventKind> {
    Some(match text.split_once(": ")?.0 {
        "Info" => EventKind::SessionInfo,
        "Warning" | "Config warning" => EventKind::SessionWarning,
        "Error" => EventKind::SessionError,
        _ => return None,
    })
}

/// A notice of the agent: its words as they are. Without a word for its weight it is an error.
fn notice(text: &str, out: &mut Out<'_>) {
    // Copilot CLI says so after it has made a file, whose call says it already.
    if text.strip_prefix("Info: /").is_some_and(|path| !path.contains(char::is_whitespace)) {
        return out.leave_out("a notice that is only a path");
    }
    out.notice(level(text).unwrap_or(EventKind::SessionError), "acp", &plain_message(text));
}
