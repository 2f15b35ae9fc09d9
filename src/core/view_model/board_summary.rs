//! The summary of one session for the board, as a gateway sends it. `model::board` reads it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::entry_words::{current_activity, text};
use crate::i18n::in_english;
use crate::model::entry::{Body, Entry, Level};
use crate::model::request::Request;
use crate::model::state::State;

/// Characters after which texts are cut; a tile has room for a few less.
const LENGTH: usize = 200;

/// What a gateway sends of a session in addition to `snapshot::session`: status, model, current activity,
/// usage, error and open requests. The gateway adds the events of the requests.
///
/// Its texts are English, as those of the snapshot: a gateway does not know who reads them.
pub fn of(state: &State) -> Map<String, Value> {
    match in_english(|| fields(state)) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn fields(state: &State) -> Value {
    let running = state.status() == "running" || state.status() == "waiting";
    json!({
        "status": state.shown_status(),
        "model": state.info.answering_model.as_ref().or(state.info.model.as_ref()),
        "intent": current_activity(state).filter(|_| running).map(|doing| short(&doing)),
        "lastEventAt": state.info.last_event_at,
        "contextTokens": state.usage.context_tokens,
        "contextLimit": state.usage.context_limit,
        "cost": state.usage.premium_requests,
        "error": failure(state).map(|entry| short(&text(entry))),
        "requests": requests(state),
    })
}

fn requests(state: &State) -> Vec<Value> {
    let one = |place: &usize| {
        let entry = state.entry(*place)?;
        let kind = entry.request().map(|request: &Request| request.kind.word())?;
        Some(json!({
            "requestId": entry.id,
            "kind": kind,
            "agent": state.asker(*place).map(|asker| asker.name.unwrap_or_default()),
            "since": entry.at,
            "text": short(text(entry).trim_start_matches(['#', ' ', '\n']).lines().next().unwrap_or_default()),
        }))
    };
    state.open_requests.iter().filter_map(one).collect()
}

/// The error of the turn that failed; for an error outside of any turn, the newest of the last 50 entries.
fn failure(state: &State) -> Option<&Entry> {
    if state.shown_status() != "error" {
        return None;
    }
    if let Some(entry) = state.failure() {
        return Some(entry);
    }
    let newest =
        |entry: &&Arc<Entry>| matches!(&entry.body, Body::Notice(notice) if notice.level == Level::Error);
    state.entries.iter().rev().take(50).find(newest).map(AsRef::as_ref)
}

fn short(text: &str) -> String {
    let mut letters = text.char_indices();
    match letters.nth(LENGTH) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
