//! What the controls of one open request share: whether they may be pressed, what was typed, how an answer goes out.
//! Refuses to know kinds of requests. Nothing here takes the focus, listens to keys, or answers by itself.

use std::sync::atomic::{AtomicUsize, Ordering};

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use crate::core::answer::Answer;
use crate::core::request::Life;
use crate::store::{Row, Store};

/// A card that has just appeared may have moved under a pointer: presses don't count for this many milliseconds.
const ARMING: u32 = 400;
/// After a press, no second one counts for this long; by then the request itself says that an answer is on its way.
const AGAIN: u32 = 1000;

/// Ids in the page must differ between two elements that show the same session.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// One open request, as its controls see it.
#[derive(Clone, Copy)]
pub struct Ask {
    /// Where drafts and answers go.
    pub store: Store,
    /// The entry's place.
    pub index: usize,
    /// The entry's signals.
    pub row: Row,
    id: StoredValue<String>,
    number: usize,
    /// The card has been there long enough.
    armed: RwSignal<bool>,
    /// An answer is on its way: how it is called.
    pub sending: Memo<Option<String>>,
    pressed: RwSignal<Option<&'static str>>,
    just_sent: RwSignal<bool>,
    timers: StoredValue<Vec<Timeout>, LocalStorage>,
}

impl Ask {
    /// For the request `id`. Must be made inside a reactive owner, which owns its timers.
    pub fn new(store: Store, index: usize, row: Row, id: String) -> Self {
        let sending = Memo::new(move |_| {
            row.head.track();
            store.entry(index, |entry| match &entry.request()?.life {
                Life::Sending { answer } => Some(answer.clone()),
                _ => None,
            })?
        });
        let ask = Self {
            store,
            index,
            row,
            id: StoredValue::new(id),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            armed: RwSignal::new(false),
            sending,
            pressed: RwSignal::new(None),
            just_sent: RwSignal::new(false),
            timers: StoredValue::new_local(Vec::new()),
        };
        ask.later(ARMING, move || ask.armed.set(true));
        ask
    }

    fn later(self, milliseconds: u32, action: impl FnOnce() + 'static) {
        let timeout = Timeout::new(milliseconds, action);
        self.timers.update_value(|timers| timers.push(timeout));
    }

    /// The request's id.
    pub fn id(self) -> String {
        self.id.get_value()
    }

    /// An id for an element of this card.
    pub fn element(self, part: &str) -> String {
        format!("ph-ask-{}-{part}", self.number)
    }

    /// True while an answer is on its way or nobody answers from here: fields and buttons are off.
    pub fn off(self) -> bool {
        self.sending.with(Option::is_some) || self.store.readonly.get()
    }

    /// True once presses count.
    pub fn armed(self) -> bool {
        self.armed.get()
    }

    /// True while the answer of this button is on its way.
    pub fn busy(self, hook: &'static str) -> bool {
        self.sending.with(Option::is_some) && self.pressed.get() == Some(hook)
    }

    /// True if a press counts now.
    pub fn ready(self) -> bool {
        let off = self.sending.with_untracked(Option::is_some) || self.store.readonly.get_untracked();
        self.armed.get_untracked() && !self.just_sent.get_untracked() && !off
    }

    /// Sends an answer, if one may be sent now.
    pub fn send(self, hook: &'static str, answer: Answer) {
        if !self.ready() {
            return;
        }
        self.pressed.set(Some(hook));
        self.just_sent.set(true);
        self.later(AGAIN, move || self.just_sent.set(false));
        self.store.answer(&self.id(), answer);
    }

    /// A text that a person types: kept when the card leaves the screen. `start` is what stands there untouched.
    pub fn draft(self, field: &str, start: &str) -> Draft {
        let key = format!("{}/{field}", self.id());
        let kept = self.store.draft(&key);
        // A draft that was emptied is not one that never was.
        let touched = !kept.is_empty() || !self.store.draft(&format!("{key}?")).is_empty();
        let text = if touched { kept } else { start.to_owned() };
        Draft { store: self.store, key: StoredValue::new(key), text: RwSignal::new(text) }
    }
}

/// What a person has typed into one field.
#[derive(Clone, Copy)]
pub struct Draft {
    store: Store,
    key: StoredValue<String>,
    text: RwSignal<String>,
}

impl Draft {
    /// The text; subscribes.
    pub fn get(self) -> String {
        self.text.get()
    }

    /// The text; does not subscribe.
    pub fn now(self) -> String {
        self.text.get_untracked()
    }

    /// The text without white space around it, if there is any.
    pub fn filled(self) -> Option<String> {
        let text = self.now();
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Keeps what was typed.
    pub fn set(self, text: String) {
        self.key.with_value(|key| {
            self.store.set_draft(key, text.clone());
            self.store.set_draft(&format!("{key}?"), "1".to_owned());
        });
        self.text.set(text);
    }

    /// Forgets it in the store: for secrets that have been sent.
    pub fn forget(self) {
        self.key.with_value(|key| self.store.set_draft(key, String::new()));
    }
}
