//! What stands around the text of a message: its author, how it was delivered, how it ended, how long the model thought.

use crate::i18n;
use crate::i18n::Word;
use crate::i18n::format::runtime_word;
use crate::i18n::words::timeline;
use crate::model::entry::{Body, Entry, EntryState};
use crate::model::state::State;
use crate::view_model::{agent_name, entry_words};

/// Who a person's message is from: the sub-agent whose task it is, the program that sent it, or the person.
pub fn author(state: &State, entry: &Entry) -> String {
    let asked = entry.agent_id.as_ref().and_then(|_| agent_name::of_entry(state, entry));
    let task = asked.map(|name| timeline::TASK_FOR.with(&[("name", name.into())]));
    let sender = || match &entry.body {
        Body::User(message) => message.source.as_deref().and_then(sender),
        _ => None,
    };
    task.or_else(sender).unwrap_or_else(|| timeline::YOU.text().to_owned())
}

/// The sender of a message that no person typed.
fn sender(source: &str) -> Option<String> {
    if let Some(number) = source.strip_prefix("schedule-") {
        return Some(timeline::SCHEDULE.with(&[("number", number.into())]));
    }
    if source.starts_with("agent-") {
        return Some(timeline::ANOTHER_AGENT.text().to_owned());
    }
    source.strip_prefix("skill-").map(|skill| timeline::SKILL.with(&[("name", skill.into())]))
}

/// How a person's message was delivered; `None` if in the usual way.
pub fn delivery(entry: &Entry) -> Option<Word> {
    match &entry.body {
        Body::User(message) => match message.delivery.as_deref() {
            Some("steering") => Some(timeline::STEERING),
            Some("queued") => Some(timeline::WAS_QUEUED),
            _ => None,
        },
        _ => None,
    }
}

/// What was done for a message, while the agent works and after. Event time, as in the header: a replayed session shows the
/// time that it took.
pub fn work_done(entry: &Entry, last_event_at: Option<i64>) -> Option<String> {
    let Body::User(message) = &entry.body else { return None };
    let work = message.work?;
    entry_words::work(&work, if work.is_working { last_event_at } else { None })
}

/// How an answer ended, if that is worth a word.
pub fn ending(entry: &Entry) -> Option<Word> {
    match (entry.state, entry.text.is_empty()) {
        (EntryState::Interrupted, _) => Some(timeline::INTERRUPTED),
        (EntryState::Done, true) => Some(timeline::EMPTY_REPLY),
        _ => None,
    }
}

/// The phase of an answer, for models that answer in phases.
pub fn phase(entry: &Entry) -> Option<String> {
    let Body::Assistant { phase: Some(phase), .. } = &entry.body else { return None };
    Some(timeline::PHASE.with(&[("phase", (&runtime_word(phase)).into())]))
}

/// That the model thinks, or how long it thought.
pub fn thought(entry: &Entry) -> String {
    match (entry.state, &entry.body) {
        (EntryState::Streaming, _) => timeline::THINKING.text().to_owned(),
        (EntryState::Interrupted, _) => timeline::THOUGHT_INTERRUPTED.text().to_owned(),
        (_, Body::Reasoning { duration: Some(millis) }) => {
            timeline::THOUGHT_FOR.with(&[("time", (&i18n::duration(*millis)).into())])
        }
        _ => timeline::THOUGHT.text().to_owned(),
    }
}
