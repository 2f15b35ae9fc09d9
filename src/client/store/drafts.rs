//! What people type into the cards of requests, kept until it is sent. It outlives its card. In this tab's storage it
//! also outlives another session in the place of this one, and a reload. Of a request that ended without an answer from
//! here, the sentences are kept until the person dismisses them.

use serde_json::{Map, Value};

use super::Store;
use crate::client::storage::TAB;
use crate::core::State;
use crate::core::i18n::format::one_line;
use crate::core::model::request::{By, Life, Request, RequestKind};

/// The fields of cards in which people write sentences; what is in the others is quickly given again.
const SENTENCES: [&str; 4] = ["answer", "edits", "feedback", "reply"];

/// What was typed into one field.
pub(super) struct Typed {
    session: String,
    request: String,
    field: String,
    text: String,
}

impl Typed {
    fn is(&self, session: &str, request: &str, field: &str) -> bool {
        self.session == session && self.request == request && self.field == field
    }
}

impl Store {
    /// What a person has typed into a field of a request's card and not sent; `None` if they have not touched it.
    pub fn draft(&self, request: &str, field: &str) -> Option<String> {
        let session = self.session_id();
        let here = self.inner(|inner| {
            let drafts = inner.drafts.borrow();
            drafts.iter().find(|typed| typed.is(&session, request, field)).map(|typed| typed.text.clone())
        });
        here.flatten().or_else(|| Some(stored(&session).get(request)?.get(field)?.as_str()?.to_owned()))
    }

    /// Keeps what a person types. A secret is not stored: it is lost with the page.
    pub fn set_draft(&self, request: &str, field: &str, text: String, secret: bool) {
        let session = self.session_id();
        if !secret {
            let mut all = stored(&session);
            let fields = all.entry(request).or_insert_with(|| Map::new().into());
            if let Value::Object(fields) = fields {
                fields.insert(field.to_owned(), text.as_str().into());
            }
            store(&session, all);
        }
        let (request, field) = (request.to_owned(), field.to_owned());
        self.inner(|inner| {
            let mut drafts = inner.drafts.borrow_mut();
            drafts.retain(|typed| !typed.is(&session, &request, &field));
            drafts.push(Typed { session, request, field, text });
        });
    }

    /// Forgets a secret that has been sent.
    pub fn forget_secret(&self, request: &str, field: &str) {
        let session = self.session_id();
        self.inner(|inner| {
            inner.drafts.borrow_mut().retain(|typed| !typed.is(&session, request, field));
        });
    }

    /// What a person wrote into the card of a request that ended without an answer from here; `None` if nothing is left.
    pub fn unsent_words(&self, request: &str) -> Option<String> {
        let wanted = self.inner(|inner| {
            let live = inner.session.borrow();
            SENTENCES.map(|field| stays(live.state(), request, field).then_some(field))
        });
        let fields = wanted.into_iter().flatten().flatten();
        let words = fields.filter_map(|field| self.draft(request, field));
        let words: Vec<String> = words.filter(|words| !words.trim().is_empty()).collect();
        (!words.is_empty()).then(|| words.join("\n\n"))
    }

    /// Forgets what was typed into the card of a request.
    pub fn forget_drafts(&self, request: &str) {
        let session = self.session_id();
        self.inner(|inner| {
            inner.drafts.borrow_mut().retain(|typed| typed.session != session || typed.request != request);
        });
        let mut all = stored(&session);
        if all.remove(request).is_some() {
            store(&session, all);
        }
    }

    /// Forgets what was typed for requests that are known and not open any more, but for sentences that may be wanted.
    /// A request that is not known may still be read.
    pub(super) fn forget_old_drafts(&self) {
        let session = self.session_id();
        self.inner(|inner| {
            let live = inner.session.borrow();
            inner.drafts.borrow_mut().retain(|typed| {
                typed.session != session || stays(live.state(), &typed.request, &typed.field)
            });
            let before = stored(&session);
            let mut all = before.clone();
            for (request, fields) in &mut all {
                if let Value::Object(fields) = fields {
                    fields.retain(|field, _| stays(live.state(), request, field));
                }
            }
            all.retain(|_, fields| fields.as_object().is_some_and(|fields| !fields.is_empty()));
            if all != before {
                store(&session, all);
            }
        });
    }

    /// The id of the live session; empty while it is unknown.
    fn session_id(&self) -> String {
        self.inner(|inner| inner.session.borrow().state().info.id.clone()).flatten().unwrap_or_default()
    }
}

/// Whether what was typed into a field is still wanted: the request is open, or it ended without an answer from here and
/// the field has sentences.
fn stays(state: &State, request: &str, field: &str) -> bool {
    let entry = state.request_place(request).and_then(|place| state.entry(place));
    let Some(request) = entry.and_then(|entry| entry.request()) else { return true };
    let ended_without_us = match &request.life {
        Life::Settled { by, .. } => *by == By::Elsewhere || *by == By::Unknown,
        // What was being sent is kept with the request.
        Life::Stale { reply, .. } => reply.is_none(),
        _ => false,
    };
    // A form's fields have names of its server, and may be secrets.
    let is_sentence = request.kind != RequestKind::Elicitation && SENTENCES.contains(&field);
    Request::open(request) || ended_without_us && is_sentence
}

/// What is stored for a session: texts by request and field.
fn stored(session: &str) -> Map<String, Value> {
    match TAB.recall(&name(session)).and_then(|all| serde_json::from_str(&all).ok()) {
        Some(Value::Object(all)) => all,
        _ => Map::new(),
    }
}

fn store(session: &str, all: Map<String, Value>) {
    if all.is_empty() {
        TAB.forget(&name(session));
    } else if !session.is_empty() {
        TAB.remember(&name(session), &one_line(&Value::Object(all)));
    }
}

fn name(session: &str) -> String {
    format!("answers.{session}")
}
