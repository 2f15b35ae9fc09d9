//! The composer and what is around it: the queue, menus, and messages that are being sent. This module has
//! their shared state.
//!
//! It is shown only if the server accepts messages: not for a recording, a one-way stream or a `readonly`
//! element. Requests are answered on their cards, not here.

#![allow(
    clippy::large_types_passed_by_value,
    reason = "a handle of signals that views copy, as the store in it; a reference would not outlive the call"
)]

mod action_bar;
mod attach;
mod commands;
mod compact;
mod dialog;
mod host_options;
mod input;
mod menu;
mod modes;
mod notes;
pub mod queue;
mod queue_focus;
mod rewind;
mod send;
mod stop;
mod suggestions;
mod unsent_messages;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::{Value, json};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;

use super::elements::builder::{El, el};
use super::elements::live::Live;
use super::elements::reactive::{memo, render_effect};
use super::lazy;
use super::session::use_session;
use crate::client::storage::{self, BROWSER, TAB};
use crate::client::store::Store;
use crate::core::client::compose::{
    Area, Attached, Composer, DeliveryMode, Doubt, Effect, Input, Note, StoredTexts,
};
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::i18n::words::composer as words;
use crate::core::model::change::Section;
use crate::core::model::outbox::Outbox;
use crate::core::model::state::Phase;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::compose::model::Model;
use crate::core::view_model::compose::{Command, Proposal};

use dialog::Dialog;
use queue::{QueueList, QueueListProps};

/// The outcome of a call to the server.
type Outcome = Result<Value, CallFailure>;

/// The state that the parts of the composer share; a handle that they copy.
#[derive(Clone, Copy)]
pub struct ComposerState {
    store: Store,
    /// What decides. What views read of it is in signals.
    core: StoredValue<Composer, LocalStorage>,
    /// State that nothing subscribes to.
    kept: StoredValue<Kept, LocalStorage>,
    /// The text in the field.
    text: RwSignal<String>,
    /// Attached images.
    files: RwSignal<Vec<Attached>>,
    /// Messages that are being sent.
    outbox: RwSignal<Outbox>,
    /// The queued message whose text is in the field, and whether it is still in the queue.
    editing: RwSignal<Option<(String, bool)>>,
    /// The note above the field.
    note: RwSignal<Option<Note>>,
    /// Completions for what is typed, and the index of the selected one.
    proposals: RwSignal<(Vec<Proposal>, usize)>,
    /// The session's slash commands.
    commands: RwSignal<Vec<Command>>,
    /// Trigger characters after which the server offers completions.
    signs: RwSignal<Vec<String>>,
    /// The models; `None` until the server has listed them.
    models: RwSignal<Option<Vec<Model>>>,
    /// Methods that the server does not know.
    missing: RwSignal<Vec<&'static str>>,
    /// Whether the runtime can take messages back; unknown until one could be.
    withdraws: RwSignal<Option<bool>>,
    /// The open dialog.
    open_dialog: RwSignal<Option<Dialog>>,
    /// The model menu is open.
    pick_model: RwSignal<bool>,
    /// What Enter does with a message while the agent works.
    usual: RwSignal<DeliveryMode>,
    /// The field has the focus, or one of the buttons has it by keyboard.
    open: RwSignal<bool>,
    /// A text that somebody tried to send, and what is in doubt. Sending it again sends it.
    doubted: RwSignal<Option<(String, Doubt)>>,
}

#[derive(Default)]
struct Kept {
    field: Option<HtmlTextAreaElement>,
    /// When messages that the server has taken are looked for again.
    look: Option<Timeout>,
    /// Number of the newest request for completions; answers to older ones are ignored.
    asked: u32,
}

/// Where a person writes to the agent: the field, the queue above it, menus, messages that are being sent. It is shown
/// when the server has said that it takes messages, and stays while the connection is lost: somebody may be writing.
#[component(transparent)]
pub fn Composer() -> Live {
    let session = use_session();
    let store = session.store();
    let steers = memo(move || {
        let gone = match store.connection.get().0 {
            // A Copilot platform stream closes at the end of each reply; messages are sent by requests of their own.
            ConnectionState::Closed { .. } => store.server().protocol.get() != Some(Protocol::Platform),
            ConnectionState::Replaying => true,
            _ => false,
        };
        store.begun.get() && !gone && !store.readonly.get()
    });
    session.framed_live("", move |store| {
        let composer = steers.get().then(|| lazy::COMPOSER.ready())?.ok()?;
        Some(untrack(|| (composer.composer)(store)))
    })
}

/// The composer's element. It is there at once, but hidden until the server has shown that it accepts messages.
pub fn composer(store: Store) -> El {
    let composer = ComposerState::new(store);
    composer.listen();
    let able = store.server().steering;
    let hidden = move || store.silent() || !able.get();
    let section = el("section").class("composer").attr("part", "composer").attr("data-composer", "");
    compact::watch(section, composer)
        .attr("aria-label", words::COMPOSER.text())
        .attr("hidden", hidden)
        .child(notes::notes(composer))
        .child(QueueList(QueueListProps { composer }))
        .child(host_options::suggestions(composer))
        .child(input::field(composer))
        .child(move || composer.open_dialog.get().map(|sheet| untrack(|| dialog::dialog(composer, &sheet))))
}

impl ComposerState {
    fn new(store: Store) -> Self {
        Self {
            store,
            core: StoredValue::new_local(Composer::default()),
            kept: StoredValue::new_local(Kept::default()),
            text: RwSignal::default(),
            files: RwSignal::default(),
            outbox: RwSignal::default(),
            editing: RwSignal::default(),
            note: RwSignal::default(),
            proposals: RwSignal::default(),
            commands: RwSignal::default(),
            signs: RwSignal::default(),
            models: RwSignal::default(),
            missing: RwSignal::default(),
            withdraws: RwSignal::new(None),
            open_dialog: RwSignal::default(),
            pick_model: RwSignal::default(),
            usual: RwSignal::new(send::usual()),
            open: RwSignal::default(),
            doubted: RwSignal::default(),
        }
    }

    /// Asks the server what it can do, each time it connects. The first answer shows whether it accepts
    /// messages.
    fn listen(self) {
        let store = self.store;
        let open = memo(move || store.connection.get().0 == ConnectionState::Open);
        render_effect(move || {
            if open.get() {
                untrack(|| {
                    self.load_abilities();
                    self.input(Input::Connected);
                });
            }
        });
        rewind::listen(self);
        host_options::listen(self);
        let session = memo(move || {
            store.section(Section::Session, |_| ());
            store.live(|state| state.info.id.clone()).flatten().unwrap_or_default()
        });
        render_effect(move || {
            let id = session.get();
            let kept = StoredTexts::of(&id, |area, name| area_of(area).recall(name));
            untrack(|| self.input(Input::Session(&id, kept)));
        });
        send::listen(self);
    }

    fn load_abilities(self) {
        // Another server may know more methods.
        self.missing.set(Vec::new());
        self.withdraws.set(None);
        if self.store.server().protocol.get_untracked().is_some() {
            // Such a host accepts messages, but no other calls.
            self.commands.set(untrack(|| host_options::commands(self)));
            self.models.set(None);
            return self.store.server().steering.set(true);
        }
        let all = json!({ "includeBuiltins": true, "includeSkills": true, "includeClientCommands": true });
        self.call("session.commands.list", all, move |outcome| {
            let able = self.store.server().steering;
            match outcome {
                Ok(list) => {
                    let own = untrack(|| host_options::commands(self));
                    self.commands.set(own.into_iter().chain(Command::list(list)).collect());
                    able.set(true);
                }
                // It may know other methods.
                Err(CallFailure { reason: Some(reason), .. }) => able.set(reason != ErrorReason::Recording),
                // No connection, or no answer: the last known state stays.
                Err(_) => {}
            }
            if able.get_untracked() {
                self.ask_more();
            }
        });
    }

    fn ask_more(self) {
        // A client that connects in the middle has missed the earlier changes.
        self.call(queue::PENDING, json!({}), |_| ());
        self.call(unsent_messages::BACKLOG, json!({}), |_| ());
        self.call("session.completions.getTriggerCharacters", json!({}), move |outcome| {
            let mut told = crate::core::wire::fields::Fields::of(outcome.unwrap_or_default());
            self.signs.set(told.texts("triggerCharacters"));
        });
        // The answers count while no event has named the modes.
        self.call("session.mode.get", json!({}), |_| ());
        self.call("session.permissions.getMode", json!({}), |_| ());
        self.call("session.model.list", json!({}), move |outcome| {
            if let Ok(list) = outcome {
                self.models.set(Some(Model::list(list)));
            }
        });
    }

    /// Calls a method of the server. `then` gets the outcome, unless the composer is gone by then. A method
    /// that the server does not know is added to `missing`, so that its control is hidden.
    fn call(self, method: &'static str, params: Value, then: impl FnOnce(Outcome) + 'static) {
        self.try_call(method, params, Box::new(then));
    }

    /// The same; false if the host's page makes this call itself, so that there is no outcome.
    fn try_call(self, method: &'static str, params: Value, then: Box<dyn FnOnce(Outcome)>) -> bool {
        let Some(sent) = self.store.call(method, params) else { return false };
        spawn_local(async move {
            let outcome = sent.await;
            if self.kept.try_with_value(|_| ()).is_none() {
                return;
            }
            if let Err(CallFailure { reason: Some(ErrorReason::MethodNotFound), .. }) = &outcome {
                self.missing.update(|missing| missing.push(method));
            }
            then(outcome);
        });
        true
    }

    /// Like `call`, for what a person does: the note about what they did before goes.
    fn act(self, method: &'static str, params: Value, then: impl FnOnce(Outcome) + 'static) {
        self.input(Input::Acts);
        self.call(method, params, then);
    }

    /// Like `act`, for calls whose success shows in events or otherwise: only a failure is reported.
    fn act_and_report(self, method: &'static str, params: Value) {
        self.act(method, params, move |outcome| {
            if let Err(failure) = outcome {
                self.set_note(Some(Note::failed(method, &failure)));
            }
        });
    }

    /// Whether the server is known to lack a method. Subscribes.
    fn lacks(self, method: &str) -> bool {
        self.store.server().protocol.get().is_some() || self.missing.with(|missing| missing.contains(&method))
    }

    /// Whether a turn is running, or waiting for a person. Subscribes.
    fn busy(self) -> bool {
        self.store.live(crate::core::State::is_busy).unwrap_or(false)
    }

    /// Whether a request waits for a person. Subscribes.
    fn asked(self) -> bool {
        self.status(|status| status == "waiting")
    }

    fn status(self, is: impl Fn(&str) -> bool) -> bool {
        self.store.live(|state| is(state.status())).unwrap_or(false)
    }

    /// Whether the session has ended. Subscribes.
    fn ended(self) -> bool {
        self.store.live(|state| state.phase == Phase::Ended).unwrap_or(false)
    }

    /// Whether something can be sent at all. Subscribes.
    fn connected(self) -> bool {
        match self.store.connection.get().0 {
            ConnectionState::Open => true,
            // A Copilot platform stream closes at the end of each reply; messages do not need it.
            ConnectionState::Closed { .. } => self.replies(),
            _ => false,
        }
    }

    /// Whether the host takes one message at a time and replies to each. Subscribes.
    fn replies(self) -> bool {
        self.store.server().protocol.get() == Some(Protocol::Platform)
    }

    /// What is in doubt about the text in the field, if somebody has tried to send it. Subscribes.
    fn doubt(self) -> Option<Doubt> {
        let (asked, doubt) = self.doubted.get()?;
        self.text.with(|text| *text == asked).then_some(doubt)
    }

    /// Gives what decides an input, and carries out what comes of it. False if nothing does.
    fn input(self, input: Input<'_>) -> bool {
        let effects = self.update(input).unwrap_or_default();
        let some = !effects.is_empty();
        for effect in effects {
            self.carry_out(effect);
        }
        some
    }

    /// Gives what decides an input, and shows what views read of it. `None` if the composer has gone meanwhile.
    fn update(self, input: Input<'_>) -> Option<Vec<Effect>> {
        let session = self.store.live_session()?;
        let effects = self.core.try_update_value(|core| core.update(input, session.borrow().state()))?;
        let read = |signal: RwSignal<String>, core: &Composer| {
            signal.with_untracked(|shown| shown != core.text()).then(|| core.text().to_owned())
        };
        if let Some(text) = self.core.with_value(|core| read(self.text, core)) {
            self.text.set(text);
        }
        self.show(self.editing, |core| core.editing().cloned());
        self.show(self.outbox, |core| core.outbox().clone());
        self.show(self.note, |core| core.note().cloned());
        self.show(self.doubted, |core| core.doubted().cloned());
        Some(effects)
    }

    fn show<T: PartialEq + Send + Sync + 'static>(self, signal: RwSignal<T>, read: impl Fn(&Composer) -> T) {
        let now = self.core.with_value(read);
        if signal.with_untracked(|shown| *shown != now) {
            signal.set(now);
        }
    }

    fn carry_out(self, effect: Effect) {
        match effect {
            Effect::Field(cursor) => self.show_text(cursor),
            Effect::Files => self.show(self.files, |core| core.files().to_vec()),
            Effect::Focus => self.focus(),
            Effect::Send(number, message) => send::send(self, number, message),
            Effect::Run(command, input, text) => commands::run(self, &command, &input, text),
            Effect::Edit(edit) => queue::change(self, edit),
            Effect::Submit(way) => send::submit(self, way),
            Effect::Say(words) => self.store.view_state.say(&words),
            Effect::LookIn(delay_ms) => send::look_in(self, delay_ms),
            Effect::Keep(area, name, Some(text)) => area_of(area).remember(&name, &text),
            Effect::Keep(area, name, None) => area_of(area).forget(&name),
            Effect::Recall(draft, sessions) => {
                let (draft, sessions) = (BROWSER.recall(&draft), BROWSER.recall(sessions));
                let recalled = Input::Recalled { draft: draft.as_deref(), sessions: sessions.as_deref() };
                self.input(recalled);
            }
        }
    }

    /// Shows a note above the field, or none.
    fn set_note(self, note: Option<Note>) {
        self.input(Input::Note(note));
    }

    /// Sets the field's text; `cursor` is in UTF-16 units, and `None` is the end.
    fn write(self, text: &str, cursor: Option<usize>) {
        self.input(Input::Write(text.to_owned(), cursor));
    }

    fn show_text(self, cursor: Option<usize>) {
        let text = self.text.get_untracked();
        self.with_field(|field| {
            field.set_value(&text);
            if let Some(cursor) = cursor.and_then(|cursor| u32::try_from(cursor).ok()) {
                // Fails only for fields without text.
                let _ = field.set_selection_range(cursor, cursor);
            }
        });
    }

    /// Moves the focus to the field.
    fn focus(self) {
        self.with_field(|field| {
            // If this fails, the focus stays where it is, which does no harm.
            let _ = field.focus();
        });
    }

    fn with_field(self, with: impl FnOnce(&HtmlTextAreaElement)) {
        let field = self.kept.try_with_value(|kept| kept.field.clone()).flatten();
        if let Some(field) = field {
            with(&field);
        }
    }

    /// The cursor's position, in UTF-16 units.
    fn cursor(self) -> usize {
        let mut at = 0;
        self.with_field(|field| at = field.selection_end().ok().flatten().unwrap_or(0) as usize);
        at
    }
}

fn area_of(area: Area) -> storage::Area {
    match area {
        Area::Browser => BROWSER,
        Area::Tab => TAB,
    }
}

/// A button of the composer.
fn button(icon: super::elements::icons::Icon, name: &str) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", name)
        .attr("title", name)
        .child(super::elements::builder::glyph(icon))
}

/// An event's target as a certain type.
fn target<T: JsCast>(event: &web_sys::Event) -> Option<T> {
    event.target().and_then(|target| target.dyn_into().ok())
}
