//! What people type into the cards of requests, with the tab's storage.

use super::storage::TAB;
use crate::core::State;
use crate::core::client::card_drafts::{CardDrafts, CardField, ToStore, storage_name};
use crate::store::Store;

/// What people type into the cards of requests.
#[derive(Clone, Copy)]
pub struct Drafts(pub Store);

impl Drafts {
    /// What a person has typed into a field of a request's card and not sent; `None` if they have not touched it.
    pub fn typed(self, request: &str, field: &str) -> Option<String> {
        self.read(|drafts, session, _, stored| drafts.typed(CardField { session, request, field }, stored))?
    }

    /// Takes what a person types. A secret is not stored.
    pub fn set(self, request: &str, field: &str, text: String, secret: bool) {
        self.change(|drafts, session, _, stored| {
            drafts.set(CardField { session, request, field }, text, secret, stored)
        });
    }

    /// Forgets a secret that has been sent.
    pub fn forget_secret(self, request: &str, field: &str) {
        self.read(|drafts, session, _, _| drafts.forget_secret(CardField { session, request, field }));
    }

    /// What a person wrote into the card of a request that ended without an answer from here; `None` if nothing is left.
    pub fn unsent_words(self, request: &str) -> Option<String> {
        self.read(|drafts, session, state, stored| drafts.unsent_words(session, request, state, stored))?
    }

    /// Forgets what was typed into the card of a request.
    pub fn forget(self, request: &str) {
        self.change(|drafts, session, _, stored| drafts.forget(session, request, stored));
    }

    /// Forgets what nobody needs any more.
    pub(super) fn forget_old(self) {
        self.change(CardDrafts::forget_old);
    }

    fn change(self, change: impl FnOnce(&mut CardDrafts, &str, &State, Option<&str>) -> Option<ToStore>) {
        match self.read(change).flatten() {
            Some((name, Some(text))) => TAB.set(&name, &text),
            Some((name, None)) => TAB.remove(&name),
            None => {}
        }
    }

    /// Works with what was typed, the live session's id and state, and what the tab has stored of it.
    fn read<R>(self, work: impl FnOnce(&mut CardDrafts, &str, &State, Option<&str>) -> R) -> Option<R> {
        self.0.with_card_drafts(|drafts, session, state| {
            let stored = TAB.get(&storage_name(session));
            work(drafts, session, state, stored.as_deref())
        })
    }
}
