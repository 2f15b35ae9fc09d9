//! The composer and what stands around it: the queue, menus, messages on their way. Owns what they share; refuses to
//! answer requests, and to send anything twice.
//!
//! It is there where the server takes orders: a recording, a stream that goes one way and a `readonly` element have none.

#![allow(
    clippy::large_types_passed_by_value,
    reason = "a handle of signals that views copy, as the store in it; a reference would not outlive the call"
)]

mod attach;
mod bar;
mod commands;
mod compact;
mod dialog;
mod drafts;
mod field;
mod menu;
mod modes;
mod notes;
mod offers;
mod queue;
mod queue_focus;
mod rewind;
mod send;
mod stop;
mod suggest;

use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;

use super::dom::{El, el, follow};
use crate::core::compose::model::Model;
use crate::core::compose::{Command, Past, Proposal, slash};
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::language::words::steer as words;
use crate::core::order::Failure;
use crate::core::outbox::Outbox;
use crate::core::queue::Queued;
use crate::core::queue::edits::Edits;
use crate::core::state::Phase;
use crate::store::Store;

use attach::Attached;
use dialog::Sheet;
use notes::Said;
use send::{Letter, Way};

/// The JSON-RPC error of a method that nobody knows, and that of a gateway which plays a recording.
const UNKNOWN: i64 = -32601;
const RECORDING: i64 = -32004;
/// And that of one whose runtime ended before it answered.
const UNKNOWN_OUTCOME: i64 = -32007;

/// What an order came to.
type Outcome = Result<Value, Failure>;

/// What the parts of the composer share: a handle that they copy.
#[derive(Clone, Copy)]
struct Steer {
    store: Store,
    /// What is not followed: the field, what was sent before, which session that was for.
    kept: StoredValue<Kept, LocalStorage>,
    /// What the field has.
    text: RwSignal<String>,
    /// Images that go along.
    files: RwSignal<Vec<Attached>>,
    /// Messages on their way.
    outbox: RwSignal<Outbox>,
    /// Edits of the queue on their way.
    edits: RwSignal<Edits>,
    /// The queued message whose text is in the field, and whether it is still in the queue.
    editing: RwSignal<Option<(String, bool)>>,
    /// What was dropped or taken out and can be put back; true for dropped.
    offered: RwSignal<(bool, Vec<Queued>)>,
    /// What the server keeps and somebody has decided about here, by its names: the server has not answered.
    decided: RwSignal<Vec<String>>,
    /// What is said above the field.
    said: RwSignal<Option<Said>>,
    /// What can stand in the place of what is typed, and which of it is marked.
    proposals: RwSignal<(Vec<Proposal>, usize)>,
    /// The session's slash commands.
    commands: RwSignal<Vec<Command>>,
    /// Signs after which the server proposes something.
    signs: RwSignal<Vec<String>>,
    /// The models; none until they were told.
    models: RwSignal<Option<Vec<Model>>>,
    /// Methods that the server does not know.
    missing: RwSignal<Vec<&'static str>>,
    /// The open dialog.
    sheet: RwSignal<Option<Sheet>>,
    /// The model menu is open.
    pick_model: RwSignal<bool>,
    /// Mode and permissions, where no event has told them.
    modes: RwSignal<(Option<String>, Option<String>)>,
    /// What Enter does while the agent works.
    usual: RwSignal<Way>,
    /// The queue was paused from here.
    paused: RwSignal<bool>,
    /// Somebody writes, or has a key's focus in it.
    open: RwSignal<bool>,
    /// A text that begins as a command which nobody knows, and that somebody was about to send: sent once more it goes.
    unknown: RwSignal<Option<String>>,
}

#[derive(Default)]
struct Kept {
    field: Option<HtmlTextAreaElement>,
    past: Past,
    session: String,
    /// What was in the field before a queued message was.
    put_aside: String,
    /// Messages that found no connection, by their numbers.
    unsent: Vec<(u64, Letter)>,
    /// What was sent from here and has not begun, by the server's id.
    letters: Vec<(String, Letter)>,
    /// Aborts of which it was said what they dropped.
    drops: u64,
    /// Number of the newest question for proposals.
    asked: u32,
}

/// The composer; the element is there at once, and seen once the server has said that it takes orders.
pub fn composer(store: Store) -> El {
    let steer = Steer::new(store);
    steer.ask_around();
    let able = store.steering();
    let hidden = move || store.silent() || !able.get();
    let section = el("section").class("steer").attr("part", "composer").attr("data-composer", "");
    compact::watch(section, steer)
        .attr("aria-label", words::COMPOSER.text())
        .live_flag("hidden", hidden)
        .child(notes::notes(steer))
        .child(queue::queue(steer))
        .child(field::field(steer))
        .part_if(move || steer.sheet.get().map(|sheet| untrack(|| dialog::dialog(steer, &sheet))))
}

impl Steer {
    fn new(store: Store) -> Self {
        Self {
            store,
            kept: StoredValue::new_local(Kept::default()),
            text: RwSignal::default(),
            files: RwSignal::default(),
            outbox: RwSignal::default(),
            edits: RwSignal::default(),
            editing: RwSignal::default(),
            offered: RwSignal::default(),
            decided: RwSignal::default(),
            said: RwSignal::default(),
            proposals: RwSignal::default(),
            commands: RwSignal::default(),
            signs: RwSignal::default(),
            models: RwSignal::default(),
            missing: RwSignal::default(),
            sheet: RwSignal::default(),
            pick_model: RwSignal::default(),
            modes: RwSignal::default(),
            usual: RwSignal::new(Way::usual()),
            paused: RwSignal::default(),
            open: RwSignal::default(),
            unknown: RwSignal::default(),
        }
    }

    /// Asks the server what can be done, whenever it is (again) there: the first answer says whether it takes orders.
    fn ask_around(self) {
        let store = self.store;
        let open = super::built::flag(move || store.connection.get().0 == ConnectionState::Open);
        follow(Box::new(move || {
            if open.get() {
                untrack(|| {
                    self.ask();
                    send::connected(self);
                });
            }
        }));
        rewind::listen(self);
        drafts::listen(self);
        send::listen(self);
    }

    fn ask(self) {
        // Another server may know more.
        self.missing.set(Vec::new());
        if self.store.host().get_untracked().is_some() {
            // It takes messages, and is asked nothing.
            self.commands.set(Vec::new());
            self.models.set(None);
            return self.store.steering().set(true);
        }
        let all = json!({ "includeBuiltins": true, "includeSkills": true, "includeClientCommands": true });
        self.order("session.commands.list", all, move |outcome| {
            let able = self.store.steering();
            match outcome {
                Ok(list) => {
                    self.commands.set(Command::list(list));
                    able.set(true);
                }
                // It knows other orders, perhaps.
                Err(Failure { code: Some(code), .. }) => able.set(code != RECORDING),
                // Nobody could be asked, or nobody answered: what was known stays.
                Err(_) => {}
            }
            if able.get_untracked() {
                self.ask_more();
            }
        });
    }

    fn ask_more(self) {
        // Who came in the middle has heard of no change yet.
        self.order(queue::PENDING, json!({}), |_| ());
        self.order(offers::BACKLOG, json!({}), |_| ());
        self.order("session.completions.getTriggerCharacters", json!({}), move |outcome| {
            let mut told = crate::core::fields::Fields::of(outcome.unwrap_or_default());
            self.signs.set(told.texts("triggerCharacters"));
        });
        self.order("session.mode.get", json!({}), move |outcome| {
            let mode = outcome.ok().and_then(|mode| mode.as_str().map(str::to_owned));
            self.modes.update(|modes| modes.0 = mode);
        });
        self.order("session.permissions.getMode", json!({}), move |outcome| {
            let mode = crate::core::fields::Fields::of(outcome.unwrap_or_default()).filled("mode");
            self.modes.update(|modes| modes.1 = mode);
        });
        self.order("session.model.list", json!({}), move |outcome| {
            if let Ok(list) = outcome {
                self.models.set(Some(Model::list(list)));
            }
        });
    }

    /// Sends an order; what comes of it is told while the composer is there. A method that the server does not know
    /// is noted: its control goes.
    fn order(self, method: &'static str, params: Value, then: impl FnOnce(Outcome) + 'static) {
        self.order_boxed(method, params, Box::new(then));
    }

    fn order_boxed(self, method: &'static str, params: Value, then: Box<dyn FnOnce(Outcome)>) {
        let Some(sent) = self.store.order(method, params) else { return };
        spawn_local(async move {
            let outcome = sent.await;
            if self.kept.try_with_value(|_| ()).is_none() {
                return;
            }
            if let Err(Failure { code: Some(UNKNOWN), .. }) = &outcome {
                self.missing.update(|missing| missing.push(method));
            }
            then(outcome);
        });
    }

    /// As `order`, for what is told by events or by itself: only failure is said.
    fn tell(self, method: &'static str, params: Value) {
        self.order(method, params, move |outcome| {
            if let Err(failure) = outcome {
                self.said.set(Some(Said::failed(method, &failure)));
            }
        });
    }

    /// Whether the server is known not to know a method. Subscribes.
    fn lacks(self, method: &str) -> bool {
        self.store.host().get().is_some() || self.missing.with(|missing| missing.contains(&method))
    }

    /// Whether a turn is on. Subscribes.
    fn busy(self) -> bool {
        self.status(|status| status == "running" || status == "waiting")
    }

    /// Whether a request waits for somebody. Subscribes.
    fn asked(self) -> bool {
        self.status(|status| status == "waiting")
    }

    fn status(self, is: impl Fn(&str) -> bool) -> bool {
        self.store.live(|state| is(state.status())).unwrap_or(false)
    }

    /// Whether the session is over. Subscribes.
    fn ended(self) -> bool {
        self.store.live(|state| state.phase == Phase::Ended).unwrap_or(false)
    }

    /// Whether something can be sent at all. Subscribes.
    fn connected(self) -> bool {
        match self.store.connection.get().0 {
            ConnectionState::Open => true,
            // A stream of the platform ends with what it had to say; a message does not need it.
            ConnectionState::Closed { .. } => self.replies(),
            _ => false,
        }
    }

    /// Whether an agent takes one message after the other, and replies to each. Subscribes.
    fn replies(self) -> bool {
        self.store.host().get() == Some(Protocol::Platform)
    }

    /// The command in the field that nobody knows, if what is there was to be sent. Subscribes.
    fn unknown_command(self) -> Option<String> {
        let asked = self.unknown.get()?;
        let same = self.text.with(|text| *text == asked);
        same.then(|| slash(asked.trim_start()).map(|(name, _)| name.to_owned()))?
    }

    /// Puts a text into the field, with the cursor at its end or elsewhere.
    fn write(self, text: &str, cursor: Option<usize>) {
        self.text.set(text.to_owned());
        self.with_field(|field| {
            field.set_value(text);
            if let Some(cursor) = cursor.and_then(|cursor| u32::try_from(cursor).ok()) {
                // Fails for fields without text only.
                let _ = field.set_selection_range(cursor, cursor);
            }
        });
        drafts::keep(self);
    }

    /// Leads back to the field.
    fn focus(self) {
        self.with_field(|field| {
            // A focus that fails leaves the focus where it is, which is no harm.
            let _ = field.focus();
        });
    }

    fn with_field(self, with: impl FnOnce(&HtmlTextAreaElement)) {
        let field = self.kept.try_with_value(|kept| kept.field.clone()).flatten();
        if let Some(field) = field {
            with(&field);
        }
    }

    /// Where the cursor is, as fields count.
    fn cursor(self) -> usize {
        let mut at = 0;
        self.with_field(|field| at = field.selection_end().ok().flatten().unwrap_or(0) as usize);
        at
    }
}

/// A button of the composer.
fn button(icon: super::icons::Icon, name: &str) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", name)
        .attr("title", name)
        .child(super::dom::glyph(icon))
}

/// An event's target as something that is known.
fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().and_then(|target| target.dyn_into().ok())
}
