//! Reduces the Copilot platform's named events (confirmation, errors, references, messages) and the timeline
//! entries of command handlers.

mod chat;

/// Removes `//` comments and trailing commas. The samples in the platform's
/// documentation have them, and agents copied those.
fn relaxed(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    let mut letters = json.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if in_string => {
                plain.push(letter);
                plain.extend(letters.next());
                continue;
            }
            '"' => in_string = !in_string,
            '/' if !in_string && letters.peek() == Some(&'/') => {
                while letters.next_if(|next| *next != '\n').is_some() {}
                continue;
            }
            '}' | ']' if !in_string => {
                let end = plain.trim_end().len();
                if plain.get(..end).is_some_and(|text| text.ends_with(',')) {
                    plain.truncate(end - 1);
                }
            }
            _ => {}
        }
        plain.push(letter);
    }
    plain
}

#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::json_writer::one_line;
use crate::model::entry::{Body, EntryState, Kind, Level, Notice};
use crate::model::model_context::Role;
use crate::model::reference::{ErrorSubject, Reference};
use crate::model::request::{AnsweredBy, Ending, RequestKind, RequestStage};
use crate::model::state::{Space, State};
use crate::protocol::EventKind;
use crate::reduce::{EventMeta, pretty};
use crate::wire::fields::Fields;

/// The notification with which the page records that a reply broke off; the agent sends no record of that.
pub const REPLY_BROKE: &str = "pilothouse.reply_broke";

/// The notification that records in a log that events arrived in a non-standard form.
pub const READ_LOOSELY: &str = "pilothouse.read_loosely";

const KINDS: [EventKind; 4] = [
    EventKind::CopilotConfirmation,
    EventKind::CopilotErrors,
    EventKind::CopilotReferences,
    EventKind::RespMessage,
];

impl State {
    /// Takes one of the platform's named events, or one of an unknown name. `nth` makes the ids of
    /// confirmations without an id distinct. `Err` says what is wrong with the data.
    pub(crate) fn platform_event(&mut self, meta: EventMeta<'_>, data: &str, nth: u64) -> Result<(), String> {
        if !KINDS.contains(&meta.kind) {
            self.platform_unknown(meta, data);
            return Ok(());
        }
        let value = serde_json::from_str(data)
            .or_else(|error| serde_json::from_str(&relaxed(data)).map_err(|_| error))
            .map_err(|error| format!("this is not JSON: {error}"))?;
        match (meta.kind, value) {
            (EventKind::CopilotConfirmation, confirmation @ Value::Object(_)) => {
                self.platform_confirmation(meta, confirmation, nth);
            }
            (EventKind::CopilotErrors, Value::Array(errors)) => self.platform_errors(meta, errors),
            (EventKind::CopilotReferences, Value::Array(references)) => {
                self.platform_references(meta, references);
            }
            (EventKind::RespMessage, Value::Object(mut data)) => {
                match data.get_mut("messages").map(Value::take) {
                    Some(Value::Array(messages)) => self.platform_messages(meta, messages),
                    _ => return Err("an object with a list `messages` is expected".to_owned()),
                }
            }
            (EventKind::CopilotConfirmation | EventKind::RespMessage, _) => {
                return Err("an object is expected".to_owned());
            }
            _ => return Err("an array is expected".to_owned()),
        }
        self.count_record();
        Ok(())
    }

    /// Notes that events arrived in a non-standard form; true the first time.
    pub(crate) fn read_loosely(&mut self) -> bool {
        let first = !self.chat.noted_loose();
        if first {
            let message = "events of the Copilot platform came as its documentation prints them, without `event:` or \
                           `data:` in front: they were taken by their shape";
            self.diagnose("warning", message.to_owned(), None);
        }
        first
    }

    fn platform_confirmation(&mut self, meta: EventMeta<'_>, confirmation: Value, nth: u64) {
        let own = confirmation.pointer("/confirmation/id").filter(|id| !id.is_null());
        let own =
            own.map(|id| id.as_str().map_or_else(|| one_line(id), str::to_owned)).filter(|id| !id.is_empty());
        let id = own.map_or_else(|| format!("{}#{nth}", meta.name), |id| [meta.name, ":", &id].concat());
        // If the agent asks again after an answer, the old request stays answered and a new one opens.
        let answered = self.request_place(&id).and_then(|p| self.entry(p)?.request().map(|r| !r.open()));
        let id = if answered == Some(true) { format!("{id}#{nth}") } else { id };
        self.open_request(meta, RequestKind::Confirmation, id, confirmation);
    }

    /// Counts an unknown event and shows its raw data.
    fn platform_unknown(&mut self, meta: EventMeta<'_>, data: &str) {
        self.count_record();
        let count = self.counters.count_unknown(meta.name);
        let id = format!("{}:{count}", meta.name);
        let facts = serde_json::from_str(data).unwrap_or_else(|_| data.into());
        let place = self.add_entry(None, Kind::Generic, id, meta);
        self.update(place, |entry| entry.body = Body::Facts { event_type: meta.name.to_owned(), facts });
        self.replace_text(place, meta.name.to_owned());
    }

    fn platform_errors(&mut self, meta: EventMeta<'_>, errors: Vec<Value>) {
        for (nth, error) in errors.into_iter().enumerate() {
            let mut error = Fields::of(error);
            let kind = error.non_empty_text("type").unwrap_or_else(|| "agent".to_owned());
            let text =
                error.non_empty_text("message").map_or_else(|| notices::ERROR_SILENT.into(), Phrase::Text);
            let mut notice = Notice::new(Level::Error, &format!("copilot_errors.{kind}"));
            let about = error.get("identifier").and_then(|about| about.as_str().map(str::to_owned));
            notice.about =
                about.filter(|about| !about.is_empty()).map(|identifier| ErrorSubject { kind, identifier });
            notice.detail = (!error.is_empty()).then(|| pretty(&error.rest()).into());
            let meta =
                EventMeta { name: EventKind::CopilotErrors.name(), kind: EventKind::CopilotErrors, ..meta };
            let id = own_id(meta, nth);
            let place = self.repeatable_notice(EventMeta { id: &id, ..meta }, notice, text);
            self.chat.names_something(place);
        }
    }

    /// Adds an entry for references. Those without a name, an icon or an address are not shown, as on the
    /// platform.
    fn platform_references(&mut self, meta: EventMeta<'_>, references: Vec<Value>) {
        let shown: Vec<Reference> = references.iter().filter_map(Reference::of).collect();
        let text = shown.iter().map(|reference| &*reference.name).collect::<Vec<_>>().join(" · ");
        let mut notice = Notice::new(Level::Info, EventKind::CopilotReferences.name());
        notice.detail = Some(pretty(&Value::Array(references.clone())).into());
        notice.references = shown;
        let visible = !notice.references.is_empty();
        let kind = EventKind::CopilotReferences;
        let meta = EventMeta { kind, name: kind.name(), ..meta };
        let id = own_id(meta, 0);
        let place = self.notice_of(EventMeta { id: &id, ..meta }, notice, text.into());
        self.update(place, |entry| entry.ui_visible = visible);
        self.show_references(place, &references);
        self.chat.add_references(Role::Assistant, references);
    }

    /// Maps the references' ids to their entry, and marks earlier errors as changed, as they may link to it.
    fn show_references(&mut self, place: usize, references: &[Value]) {
        for id in references.iter().filter_map(|reference| reference.get("id")?.as_str()) {
            self.index_entry(Space::Named, reference_name(id), place);
        }
        for error in self.chat.naming_something() {
            self.update(error, |_| ());
        }
    }

    /// The index of the entry that an error is about, if it is known: references, a tool call or an agent.
    pub fn place_about(&self, about: &ErrorSubject) -> Option<usize> {
        let id = &about.identifier;
        let called = |name: &str| {
            self.entries.iter().rposition(|entry| match &entry.body {
                Body::Tool(call) => call.name == name,
                Body::Subagent(agent) => agent.name == name || agent.display_name == name,
                _ => false,
            })
        };
        let reference = || self.place(Space::Named, &reference_name(id));
        let call = || self.tool_place(id);
        let agent = || self.agent_place(id).or_else(|| self.subagent_place(id));
        let found = match &*about.kind {
            "reference" => reference(),
            "function" => call(),
            _ => agent(),
        };
        found.or_else(reference).or_else(call).or_else(agent).or_else(|| called(id))
    }

    /// Settles a platform confirmation when a person answers it: the agent sends no event for that.
    pub(crate) fn confirmation_settled(&mut self, place: usize, accepted: bool, by: AnsweredBy) {
        self.update(place, |entry| {
            if let Body::Request(request) = &mut entry.body {
                let (outcome, word) = if accepted {
                    (notices::ACCEPTED, "accepted")
                } else {
                    (notices::DISMISSED, "dismissed")
                };
                request.stage = RequestStage::Settled { ending: Ending::new(word, outcome), by };
            }
            entry.state = EntryState::Settled;
        });
        self.open_requests.retain(|open| *open != place);
        self.touch(crate::model::state::Section::Pending);
        self.touch(crate::model::state::Section::Session);
    }

    /// Adds an entry that a command handler put into the timeline. Unknown types are shown as information.
    pub(crate) fn timeline_entry(&mut self, meta: EventMeta<'_>, kind: &str, text: String) {
        self.count_record();
        let id = format!("timeline-entry-{}", self.entries.len());
        let spoken = match kind {
            "copilot" | "assistant" => Some((Kind::Assistant, Body::Plain)),
            "reasoning" | "thinking" => Some((Kind::Reasoning, Body::Reasoning { duration: None })),
            "user" => Some((Kind::User, Body::User(Box::default()))),
            "compaction" => {
                Some((Kind::Compaction, Body::Notice(Box::new(Notice::new(Level::Milestone, kind)))))
            }
            _ => None,
        };
        if let Some((kind, body)) = spoken {
            let place = self.add_entry(None, kind, id, meta);
            self.update(place, |entry| {
                entry.model_visible = false;
                entry.body = body;
            });
            self.replace_text(place, text);
            return;
        }
        let level = match kind {
            "error" => Level::Error,
            "warning" | "warn" => Level::Warning,
            _ => Level::Info,
        };
        let place = self.notice(meta, level, kind, text.into());
        self.update(place, |entry| entry.id = id);
    }
}

/// An id for an entry made of a platform event, which has none: based on its message, else on
/// its number.
fn own_id(meta: EventMeta<'_>, nth: usize) -> String {
    let EventMeta { name, number, id, .. } = meta;
    let id = if id.is_empty() { format!("{name}:{number}") } else { format!("{id}:{name}") };
    if nth == 0 { id } else { format!("{id}:{nth}") }
}

fn reference_name(id: &str) -> String {
    ["reference ", id].concat()
}
