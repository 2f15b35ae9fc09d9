//! Server-sent events of a session: from a carrier, from a captured
//! stream, and those that have lost their names.

use serde_json::{Value, json};

use super::log::RecordTag;
use super::{Received, Session};
use crate::json_writer::one_line;
use crate::model::entry::EntryState;
use crate::protocol::EventKind;
use crate::reduce::platform::READ_LOOSELY;

impl Session {
    /// Takes one server-sent event: the platform's predefined ones by their name, others as a frame. `seq` is
    /// its id if that is a position in the gateway's log.
    pub fn push_server_sent(&mut self, event: &str, data: &str, seq: Option<u64>) -> Received {
        let mut received = Received::default();
        self.continuity.framed = seq;
        self.server_sent(event, data, &mut received);
        self.continuity.framed = None;
        received.last_seq = received.last_seq.or(seq);
        received
    }

    /// Notes that events of the platform have another form than the
    /// standard's. Only the first time is recorded.
    pub fn read_loosely(&mut self) {
        if self.state.read_loosely() {
            let note = one_line(&json!({ "jsonrpc": "2.0", "method": READ_LOOSELY }));
            self.log_record(RecordTag::Other, READ_LOOSELY, None, "", &note);
        }
    }

    /// Notes that an agent of the platform took a person's message, as
    /// the platform would send it. Returns its id.
    pub fn message_taken(&mut self, text: &str) -> String {
        let id = format!("message:{}", self.number + 1);
        let message = json!({ "id": id, "role": "user", "content": text, "copilot_references": [] });
        let data = one_line(&json!({ "messages": [message] }));
        self.server_sent(EventKind::RespMessage.name(), &data, &mut Received::default());
        id
    }

    /// A message was sent to an agent of the platform, and it has not answered yet.
    pub fn reply_awaited(&mut self) {
        self.state.reply_awaited();
    }

    /// The response with the agent's reply has ended.
    pub fn reply_ended(&mut self) {
        self.state.reply_ended(EntryState::Done, self.number);
    }

    /// A person stopped the agent's reply. What has come stays.
    pub fn reply_stopped(&mut self) {
        self.state.reply_ended(EntryState::Interrupted, self.number);
    }

    /// The request body for a person's message to an agent of the platform:
    /// the conversation so far, and the message.
    pub fn platform_body(&self, text: &str) -> Value {
        self.state.platform_body(text)
    }

    /// Whether a line is from a captured event stream, which may be pushed as it is: such lines
    /// are not JSON, and begin with a field's name. What looks like another field than `data` but has JSON in it is a torn
    /// record; once a stream has begun, only if an object begins in it.
    pub(super) fn is_sse(&self, line: &str) -> bool {
        const FIELDS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];
        if line.starts_with('{') {
            return false;
        }
        let field = FIELDS.iter().any(|field| line.starts_with(field)) || line.trim_end() == "//";
        let has_json = match self.sse {
            None => line.contains(['"', '}']),
            Some(_) => line.contains("{\""),
        };
        if field && has_json && !line.starts_with("data:") {
            return false;
        }
        field
            || self.sse.as_ref().is_some_and(|sse| {
                line.trim_end().is_empty() || (sse.unfinished() && !line.starts_with("[{"))
            })
    }

    pub(super) fn sse_line(&mut self, line: &str, received: &mut Received) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut sse = self.sse.take().unwrap_or_default();
        let mut messages = Vec::new();
        sse.feed_line(line, &mut |m| messages.push((m.event.to_owned(), m.data.to_owned(), m.loose)));
        self.sse = Some(sse);
        self.sse_messages(messages, received);
    }

    /// A line of something else comes before the blank line. What has come of the event is read first, so that nothing changes
    /// places. A record in it that is not closed may go on in the line.
    pub(super) fn interrupt_sse(&mut self, received: &mut Received) {
        let Some(mut sse) = self.sse.take_if(|sse| sse.has_data()) else { return };
        let mut messages = Vec::new();
        sse.finish(&mut |m| messages.push((m.event.to_owned(), m.data.to_owned(), m.loose)));
        for (event, data, loose) in messages {
            if event == "message" {
                let lines = data.lines().count() as u64;
                self.read_lines(&data, self.lines.saturating_sub(lines), received);
            } else {
                self.sse_messages(vec![(event, data, loose)], received);
            }
        }
    }

    /// The stream has ended: an unfinished event counts as well.
    pub(super) fn end_sse(&mut self, received: &mut Received) {
        let Some(mut sse) = self.sse.take() else { return };
        let mut messages = Vec::new();
        sse.finish(&mut |m| messages.push((m.event.to_owned(), m.data.to_owned(), m.loose)));
        self.sse_messages(messages, received);
    }

    fn sse_messages(&mut self, messages: Vec<(String, String, bool)>, received: &mut Received) {
        for (event, data, loose) in messages {
            if loose {
                self.read_loosely();
            }
            self.server_sent(&event, &data, received);
        }
    }

    pub(super) fn server_sent(&mut self, event: &str, data: &str, received: &mut Received) {
        let kind = EventKind::parse(event);
        if !event.starts_with("copilot_") && kind != EventKind::RespMessage {
            return self.read_values(data, received);
        }
        let meta = self.next_meta(event);
        let nth = self.confirmations + u64::from(kind == EventKind::CopilotConfirmation);
        match self.state.platform_event(meta, data, nth) {
            Ok(()) => {
                self.confirmations = nth;
                received.records += 1;
                self.log_record(RecordTag::Platform, event, None, event, data);
            }
            Err(reason) => {
                // Ids contain this number. What can't be read must not use one up: the log gives it none
                // either.
                self.number = meta.number - 1;
                self.report_malformed(&format!("`{event}`: {reason}"), data, None);
            }
        }
    }

    /// Takes one of the platform's events that was sent without its name.
    pub(super) fn by_shape(&mut self, name: &str, data: &str, received: &mut Received) {
        let kind = EventKind::parse(name);
        if kind != EventKind::RespMessage {
            self.read_loosely();
        }
        if kind == EventKind::CopilotConfirmation || kind == EventKind::RespMessage || data.starts_with('[') {
            self.server_sent(name, data, received);
        } else {
            self.server_sent(name, &["[", data, "]"].concat(), received);
        }
    }
}
