//! Answers that the server has taken and no event has confirmed yet: the tab keeps them, so that after a reload nobody is
//! asked again.

use serde_json::{Map, Value, json};

use super::in_flight::Place;
use crate::client::storage::TAB;
use crate::core::model::request::Ending;

/// Notes that the server has taken an answer.
pub(super) fn remember(place: &Place, request: &str, answer: &Ending) {
    let mut all = stored(place);
    let reply = answer.reply.as_ref().map(|reply| reply.words());
    // The words are those of the language in which the answer was given.
    all.insert(request.to_owned(), json!([answer.word, answer.outcome.words(), reply]));
    store(place, &all);
}

/// The answer to a request, if one was taken.
pub(super) fn recall(place: &Place, request: &str) -> Option<Ending> {
    let all = stored(place);
    let known = all.get(request)?;
    let text = |at: usize| known.get(at).and_then(Value::as_str);
    Some(Ending::new(text(0)?, text(1)?).with_reply(text(2)))
}

/// Forgets the answers to these requests.
pub(super) fn forget(place: &Place, over: impl Fn(&str) -> bool) {
    let mut all = stored(place);
    let before = all.len();
    all.retain(|request, _| !over(request));
    if all.len() < before {
        store(place, &all);
    }
}

fn stored(place: &Place) -> Map<String, Value> {
    let stored = TAB.recall(&name(place)).and_then(|all| serde_json::from_str(&all).ok());
    stored.unwrap_or_default()
}

fn store(place: &Place, all: &Map<String, Value>) {
    if all.is_empty() {
        TAB.forget(&name(place));
    } else if !place.session.is_empty() {
        TAB.remember(&name(place), &Value::Object(all.clone()).to_string());
    }
}

/// Servers may have sessions of the same id.
fn name(place: &Place) -> String {
    format!("taken.{}.{}", place.server, place.session)
}
