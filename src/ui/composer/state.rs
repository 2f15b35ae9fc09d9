//! The state of a composer, which its parts share. They find it by context; it names none of them.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlTextAreaElement;

use crate::client::storage::BROWSER;
use crate::core::State;
use crate::core::client::compose::{Attached, Composer, DeliveryMode, Doubt, Effect, Input, Note, Submitted};
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::model::outbox::Outbox;
use crate::core::model::state::Phase;
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::core::view_model::compose::model::Model;
use crate::core::view_model::compose::{Command, Proposal};
use crate::store::Store;
use crate::ui::session::use_session;

/// The storage key for: Enter sends at once while the agent works.
const STEERS: &str = "enter-steers";

/// The outcome of a call to the server.
pub(super) type Outcome = Result<Value, CallFailure>;

/// Carries out what the composer's data wants.
pub(super) type CarryOut = fn(ComposerState, Effect);

/// Which dialog is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialog {
    /// A new name for the session.
    Rename,
    /// Stop asking for permissions.
    AllowAll,
    /// Rewind to before the message of this row.
    Rewind(usize),
}

/// Which menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Menu {
    /// The agent's modes.
    Mode,
    /// The models, and the efforts of the one that is selected.
    Model,
    /// Whom the agent asks.
    Permissions,
    /// What is rarely done.
    More,
    /// Ways to stop the agent.
    Stop,
}

/// The state that the parts of a composer share; a handle that they copy.
#[derive(Clone, Copy)]
pub(super) struct ComposerState {
    pub store: Store,
    /// What decides. What views read of it is in signals.
    pub core: StoredValue<Composer, LocalStorage>,
    /// State that nothing subscribes to.
    pub untracked: StoredValue<UntrackedState, LocalStorage>,
    /// Carries out the effects, which are the parts' work.
    carry_out: CarryOut,
    /// The text in the field.
    pub text: RwSignal<String>,
    /// Attached images.
    pub files: RwSignal<Vec<Attached>>,
    /// Messages that are being sent.
    pub outbox: RwSignal<Outbox>,
    /// The queued message whose text is in the field, and whether it is still in the queue.
    pub editing: RwSignal<Option<(String, bool)>>,
    /// The note above the field.
    pub note: RwSignal<Option<Note>>,
    /// Completions for what is typed, and the index of the selected one.
    pub proposals: RwSignal<(Vec<Proposal>, usize)>,
    /// The session's slash commands.
    pub commands: RwSignal<Vec<Command>>,
    /// Trigger characters after which the server offers completions.
    pub signs: RwSignal<Vec<String>>,
    /// The models; `None` until the server has listed them.
    pub models: RwSignal<Option<Vec<Model>>>,
    /// Methods that the server does not know.
    pub missing: RwSignal<Vec<&'static str>>,
    /// Whether the runtime can take messages back; unknown until one could be.
    pub withdraws: RwSignal<Option<bool>>,
    /// The open dialog.
    pub open_dialog: RwSignal<Option<Dialog>>,
    /// The model menu is open.
    pub pick_model: RwSignal<bool>,
    /// What Enter does with a message while the agent works.
    pub usual: RwSignal<DeliveryMode>,
    /// The field has the focus, or one of the buttons has it by keyboard.
    pub open: RwSignal<bool>,
    /// A text that somebody tried to send, and what is in doubt. Sending it again sends it.
    doubted: RwSignal<Option<(String, Doubt)>>,
}

/// State that nothing subscribes to.
#[derive(Default)]
pub(super) struct UntrackedState {
    pub field: Option<HtmlTextAreaElement>,
    /// When messages that the server has taken are looked for again.
    pub look: Option<Timeout>,
    /// Number of the newest request for completions; answers to older ones are ignored.
    pub newest_request: u32,
}

/// The state of the nearest composer. Without one it sends nothing.
pub(super) fn use_composer() -> ComposerState {
    use_context().unwrap_or_else(|| {
        leptos::logging::warn!("Pilothouse: a part of a composer has no <Composer> around it");
        ComposerState::new(use_session().store(), |_, _| ())
    })
}

impl ComposerState {
    pub fn new(store: Store, carry_out: CarryOut) -> Self {
        let steers = BROWSER.get(STEERS).is_some();
        Self {
            store,
            core: StoredValue::new_local(Composer::default()),
            untracked: StoredValue::new_local(UntrackedState::default()),
            carry_out,
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
            usual: RwSignal::new(if steers { DeliveryMode::Now } else { DeliveryMode::Queue }),
            open: RwSignal::default(),
            doubted: RwSignal::default(),
        }
    }

    /// Whether it is still on the page: what comes later has to ask.
    pub fn is_mounted(self) -> bool {
        self.untracked.try_with_value(|_| ()).is_some()
    }

    /// Calls a method of the server. `then` gets the outcome, unless the composer is gone by then. A method
    /// that the server does not know is added to `missing`, so that its control is hidden.
    pub fn call(self, method: &'static str, params: Value, then: impl FnOnce(Outcome) + 'static) {
        self.try_call(method, params, Box::new(then));
    }

    /// The same; false if the host's page makes this call itself, so that there is no outcome.
    pub fn try_call(self, method: &'static str, params: Value, then: Box<dyn FnOnce(Outcome)>) -> bool {
        let Some(sent) = self.store.call(method, params) else { return false };
        spawn_local(async move {
            let outcome = sent.await;
            if !self.is_mounted() {
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
    pub fn act(self, method: &'static str, params: Value, then: impl FnOnce(Outcome) + 'static) {
        self.input(Input::Acts);
        self.call(method, params, then);
    }

    /// Like `act`, for calls whose success shows in events or otherwise: only a failure is reported.
    pub fn act_and_report(self, method: &'static str, params: Value) {
        self.act(method, params, move |outcome| {
            if let Err(failure) = outcome {
                self.set_note(Some(Note::failed(&failure)));
            }
        });
    }

    /// Whether the server is known to lack a method. Subscribes.
    pub fn lacks_method(self, method: &str) -> bool {
        let server = self.store.server();
        let is_missing = self.missing.with(|missing| missing.contains(&method));
        server.protocol.get().is_some() || is_missing || server.agent_lacks(method)
    }

    /// Whether a turn is running, or waiting for a person. Subscribes.
    pub fn is_busy(self) -> bool {
        self.store.live(State::is_busy).unwrap_or(false)
    }

    /// Whether a request waits for a person. Subscribes.
    pub fn has_open_request(self) -> bool {
        self.store.live(|state| state.status() == "waiting").unwrap_or(false)
    }

    /// Whether the session has ended. Subscribes.
    pub fn has_ended(self) -> bool {
        self.store.live(|state| state.phase == Phase::Ended).unwrap_or(false)
    }

    /// Whether something can be sent at all. Subscribes.
    pub fn connected(self) -> bool {
        match self.store.connection.get().0 {
            ConnectionState::Open => true,
            // A Copilot platform stream closes at the end of each reply; messages do not need it.
            ConnectionState::Closed { .. } => self.replies(),
            _ => false,
        }
    }

    /// Whether the host takes one message at a time and replies to each. Subscribes.
    pub fn replies(self) -> bool {
        self.store.server().protocol.get() == Some(Protocol::Platform)
    }

    /// Whether the field has the text of a message that is in the queue. Subscribes.
    pub fn edits_queued(self) -> bool {
        matches!(self.editing.get(), Some((_, true)))
    }

    /// What is in doubt about the text in the field, if somebody has tried to send it. Subscribes.
    pub fn doubtful_text(self) -> Option<Doubt> {
        let (asked, doubt) = self.doubted.get()?;
        self.text.with(|text| *text == asked).then_some(doubt)
    }

    /// Swaps what Enter does while the agent works, and remembers it.
    pub fn swap_enter_action(self) {
        let usual = self.usual.get_untracked().other();
        match usual {
            DeliveryMode::Now => BROWSER.set(STEERS, "1"),
            DeliveryMode::Queue => BROWSER.remove(STEERS),
        }
        self.usual.set(usual);
        self.focus();
    }

    /// Gives what decides an input, and carries out what comes of it. False if nothing does.
    pub fn input(self, input: Input<'_>) -> bool {
        let effects = self.update(input).unwrap_or_default();
        let some = !effects.is_empty();
        for effect in effects {
            self.carry_out(effect);
        }
        some
    }

    /// Gives what decides an input, and shows what views read of it. `None` if the composer has gone meanwhile.
    pub fn update(self, input: Input<'_>) -> Option<Vec<Effect>> {
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

    /// Carries out an effect.
    pub fn carry_out(self, effect: Effect) {
        (self.carry_out)(self, effect);
    }

    fn show<T: PartialEq + Send + Sync + 'static>(self, signal: RwSignal<T>, read: impl Fn(&Composer) -> T) {
        let now = self.core.with_value(read);
        if signal.with_untracked(|shown| *shown != now) {
            signal.set(now);
        }
    }

    /// Shows what is attached.
    pub fn show_files(self) {
        self.show(self.files, |core| core.files().to_vec());
    }

    /// Submits the field: changes a queued message, runs a command, or sends a message.
    pub fn submit(self, way: DeliveryMode) {
        let (connected, replies) = untrack(|| (self.connected(), self.replies()));
        let commands = self.commands.get_untracked();
        self.input(Input::Submit(Submitted { way, connected, replies, commands: &commands }));
    }

    /// Ends the editing of a queued message without saving; true if one was being edited.
    pub fn cancel_edit(self) -> bool {
        self.input(Input::Cancel)
    }

    /// Shows a note above the field, or none.
    pub fn set_note(self, note: Option<Note>) {
        self.input(Input::Note(note));
    }

    /// Closes the dialog.
    pub fn close_dialog(self) {
        self.open_dialog.set(None);
        self.focus();
    }

    /// Sets the field's text; `cursor` is in UTF-16 units, and `None` is the end.
    pub fn write(self, text: &str, cursor: Option<usize>) {
        self.input(Input::Write(text.to_owned(), cursor));
    }

    /// Puts the text into the field.
    pub fn show_text(self, cursor: Option<usize>) {
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
    pub fn focus(self) {
        self.with_field(|field| {
            // If this fails, the focus stays where it is, which does no harm.
            let _ = field.focus();
        });
    }

    /// Reads the field, if there is one.
    pub fn with_field(self, with: impl FnOnce(&HtmlTextAreaElement)) {
        let field = self.untracked.try_with_value(|untracked| untracked.field.clone()).flatten();
        if let Some(field) = field {
            with(&field);
        }
    }

    /// The cursor's position, in UTF-16 units.
    pub fn cursor(self) -> usize {
        let mut at = 0;
        self.with_field(|field| at = field.selection_end().ok().flatten().unwrap_or(0) as usize);
        at
    }
}
