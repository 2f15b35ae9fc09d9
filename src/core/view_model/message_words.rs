//! What stands around the text of a message: its author, how it was delivered, how it ended, how long the model thought.

use crate::i18n;
use crate::i18n::Word;
use crate::i18n::format::runtime_word;
use crate::i18n::words::timeline;
use crate::model::entry::{Body, Entry, EntryState};
use crate::model::state::State;
use crate::view_model::{agent_name, entry_words};

/// Who a person's message is from: the sub-agent whose task it is, the program that sent it, or the person, by name where people
/// are known by name.
pub fn author(state: &State, entry: &Entry) -> String {
    let asked = entry.agent_id.as_ref().and_then(|_| agent_name::of_entry(state, entry));
    let task = asked.map(|name| timeline::TASK_FOR.with(&[("name", name.into())]));
    let sender = || match &entry.body {
        Body::User(message) => message.source.as_deref().and_then(sender),
        _ => None,
    };
    let person = || entry_words::writer(entry);
    task.or_else(sender).or_else(person).unwrap_or_else(|| timeline::YOU.text().to_owned())
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::author;
    use crate::Session;
    use crate::model::state::Change;
    use crate::view_model::search::texts;
    use crate::view_model::timeline_row::label;

    fn message(id: &str, more: &Value) -> String {
        let mut data = json!({"messageId": id, "content": "Mind the tide"});
        data.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        json!({"type": "user.message", "id": format!("event-{id}"), "data": data}).to_string()
    }

    fn sent(id: &str, who: &str) -> String {
        let data = json!({"messageId": id, "who": who});
        json!({"type": "pilothouse.sent", "id": format!("{id}-{who}"), "ephemeral": true, "source": "pilothouse", "data": data})
            .to_string()
    }

    fn session(events: &[String]) -> Session {
        let mut session = Session::new();
        session.push_frame(&events.join("\n"));
        session
    }

    fn authors(events: &[String]) -> Vec<String> {
        let session = session(events);
        let state = session.state();
        state.entries.iter().map(|entry| author(state, entry)).collect()
    }

    #[test]
    fn who_wrote_a_message_stands_at_it_whichever_comes_first() {
        let plain = || message("m", &json!({}));
        assert_eq!(authors(&[plain()]), ["You"]);
        assert_eq!(authors(&[plain(), sent("m", "Ana")]), ["Ana"]);
        assert_eq!(authors(&[sent("m", "Ana"), message("n", &json!({})), plain()]), ["You", "Ana"]);
        // The same message comes again from the history, and it is still hers.
        let again = plain().replace("event-m", "other");
        assert_eq!(authors(&[plain(), sent("m", "Ana"), again]), ["Ana"]);
        assert!(!authors(&[plain(), sent("m", "A\u{202e}na")])[0].contains('\u{202e}'));
    }

    #[test]
    fn a_name_never_stands_at_what_no_person_typed() {
        let task =
            r#"{"type":"user.message","id":"t","agentId":"a","data":{"messageId":"m","content":"Look"}}"#;
        let started = r#"{"type":"subagent.started","id":"s","agentId":"a","data":{"toolCallId":"c","agentName":"scout","agentDisplayName":"Scout"}}"#;
        let asked = authors(&[started.to_owned(), task.to_owned(), sent("m", "Ana")]);
        assert!(!asked.contains(&"Ana".to_owned()), "{asked:?}");
        let by_schedule = message("m", &json!({"source": "schedule-1"}));
        assert!(!authors(&[by_schedule, sent("m", "Ana")]).contains(&"Ana".to_owned()));
    }

    #[test]
    fn a_name_that_comes_late_changes_the_message_wherever_it_is_shown() {
        let mut session = session(&[message("m", &json!({}))]);
        session.take_changes();
        session.push_frame(&sent("m", "Ana <b>"));
        let changes = session.take_changes();
        assert!(
            changes.iter().any(|change| matches!(change, Change::EntryUpdated { index: 0 })),
            "{changes:?}"
        );
        let state = session.state();
        assert_eq!(session.snapshot()["timeline"][0]["who"], "Ana <b>");
        assert_eq!(label(&state.entries[0]), "Ana <b>");
        assert!(texts(&state.entries[0], &mut |text| text.contains("Ana")));
    }

    #[test]
    fn the_queue_knows_who_wrote_what_waits_there() {
        let waiting = session(&[sent("m", "Ana")]);
        assert_eq!(waiting.state().writers.of("m"), Some("Ana"));
        let begun = session(&[sent("m", "Ana"), message("m", &json!({}))]);
        assert_eq!(begun.state().writers.of("m"), None);
    }
}
