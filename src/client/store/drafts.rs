//! What people type into the cards of requests, kept until the request is answered or gone. It outlives its card. In
//! this tab's storage it also outlives another session in the place of this one, and a reload.

use serde_json::{Map, Value};

use super::Store;
use crate::client::storage::TAB;
use crate::core::State;
use crate::core::model::request::Request;

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

    /// Forgets what was typed for requests that are known and not open any more. One that is not known may still
    /// be read.
    pub(super) fn forget_old_drafts(&self) {
        let session = self.session_id();
        self.inner(|inner| {
            let live = inner.session.borrow();
            inner
                .drafts
                .borrow_mut()
                .retain(|typed| typed.session != session || !is_over(live.state(), &typed.request));
            let mut all = stored(&session);
            let before = all.len();
            all.retain(|request, _| !is_over(live.state(), request));
            if all.len() < before {
                store(&session, all);
            }
        });
    }

    /// The id of the live session; empty while it is unknown.
    fn session_id(&self) -> String {
        self.inner(|inner| inner.session.borrow().state().info.id.clone()).flatten().unwrap_or_default()
    }
}

fn is_over(state: &State, request: &str) -> bool {
    let entry = state.request_place(request).and_then(|place| state.entry(place));
    entry.and_then(|entry| entry.request()).is_some_and(|request| !Request::open(request))
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
        TAB.remember(&name(session), &Value::Object(all).to_string());
    }
}

fn name(session: &str) -> String {
    format!("answers.{session}")
}
