//! What the controls of one open request share: whether they can be pressed, what was typed, where their card is, and how
//! an answer is sent. A guard watches the card: that it does not move under a pointer, and where the focus goes when it is gone. Nothing here listens to keys or answers by itself.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, Event, ResizeObserver};

use crate::client::drafts::Drafts;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::machines::AwayMachine;
use crate::core::model::request::{Asker, Ending, Request, RequestStage};
use crate::core::view_model::board_row::away_since;
use crate::core::view_model::entry_words::request_outcome;
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::El;
use crate::ui::elements::focus::{focus, focused_in, focused_near, types_since};
use crate::ui::elements::press_guard::is_pointer_click;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::message::moment;

/// Presses don't count for this many milliseconds after a card appeared, and those of a pointer after it moved:
/// nobody has meant them for it.
const ARMING: u32 = 400;
/// No second press counts for this many milliseconds. By then the request itself shows
/// that an answer is under way.
const AGAIN: u32 = 1000;
/// Pixels that a card may move without anybody missing a button.
const STILL: f64 = 1.0;
/// For this many milliseconds after the reader has scrolled, movements count as the reader's.
const SCROLLING: f64 = 300.0;

/// One answer of a card: the word of its hook, and which of those with the same word it is. An agent may offer several that last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerKey {
    /// The hook.
    pub hook: &'static str,
    /// Which of them.
    pub nth: usize,
}

impl AnswerKey {
    /// The value of `data-asks`.
    pub fn name(self) -> String {
        format!("{}-{}", self.hook, self.nth)
    }
}

impl From<&'static str> for AnswerKey {
    fn from(hook: &'static str) -> Self {
        Self { hook, nth: 0 }
    }
}

/// Numbers the ids of elements, which must differ between two elements that show the same session.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// What the controls of one open request share.
struct ControlsState {
    store: Store,
    index: usize,
    row: RowSignals,
    id: String,
    number: usize,
    /// The card has been there as it is for long enough for presses to count.
    there: RwSignal<bool>,
    /// It has stood still for long enough for the presses of a pointer to count.
    still: RwSignal<bool>,
    /// Nobody has seen it yet: what came with the page lies over it.
    covered: bool,
    /// When the card was made, in milliseconds, and since when it has been on the screen.
    made: f64,
    on_screen: Option<f64>,
    sending: Memo<Option<String>>,
    unsure: Memo<Option<String>>,
    pressed: RwSignal<Option<AnswerKey>>,
    just_sent: RwSignal<bool>,
    /// How many lines of the card have not been in view; `None` before it was measured.
    left: RwSignal<Option<usize>>,
    /// The card is higher than what can be seen at once.
    tall: RwSignal<bool>,
    /// A choice is missing, without which nothing can be allowed.
    missing: RwSignal<bool>,
    /// Scrolls to what must still be read.
    show_rest: Option<Rc<dyn Fn()>>,
    /// The lasting answer that has to be confirmed.
    asked_again: RwSignal<Option<AnswerKey>>,
    position: Option<Rc<CardPosition>>,
    arming: Option<Timeout>,
    standing: Option<Timeout>,
    just_sent_timer: Option<Timeout>,
}

/// One open request for its controls: a handle that they copy.
#[derive(Clone, Copy)]
pub struct AnswerControls(StoredValue<ControlsState, LocalStorage>);

impl AnswerControls {
    /// The handle for the request `id`. Must be made inside a reactive owner, which owns its timers.
    pub fn new(store: Store, index: usize, row: RowSignals, id: String) -> Self {
        let answered = move |how: fn(&RequestStage) -> Option<&Ending>| {
            memo(move || {
                row.head.track();
                store.entry(index, |entry| how(&entry.request()?.stage).map(request_outcome))?
            })
        };
        let sending =
            answered(|life| if let RequestStage::Sending(answer) = life { Some(answer) } else { None });
        let unsure =
            answered(|life| if let RequestStage::Unsure(answer) = life { Some(answer) } else { None });
        let controls = Self(StoredValue::new_local(ControlsState {
            store,
            index,
            row,
            id,
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            there: RwSignal::new(false),
            still: RwSignal::new(true),
            covered: true,
            made: js_sys::Date::now(),
            on_screen: None,
            sending,
            unsure,
            pressed: RwSignal::new(None),
            just_sent: RwSignal::new(false),
            left: RwSignal::new(None),
            tall: RwSignal::new(false),
            missing: RwSignal::new(false),
            show_rest: None,
            asked_again: RwSignal::new(None),
            position: None,
            arming: None,
            standing: None,
            just_sent_timer: None,
        }));
        controls.unsettle();
        controls
    }

    /// Called when the card has just appeared, or shows something else: no press counts for a while.
    pub fn unsettle(self) {
        let timer = self.0.try_with_value(|state| count_later(state.there));
        self.0.try_update_value(|state| state.arming = timer);
    }

    /// Called when the card has moved: no press of a pointer counts for a while. It may be meant for what was there
    /// before. A key presses what has the focus, wherever that is now.
    pub fn moved(self) {
        let timer = self.0.try_with_value(|state| count_later(state.still));
        self.0.try_update_value(|state| state.standing = timer);
    }

    /// Called when nothing lies over the card; `early` if that was so as soon as it was made.
    pub fn uncover(self, early: bool) {
        let was_covered = self.0.try_update_value(|state| std::mem::replace(&mut state.covered, false));
        if was_covered == Some(true) && !early {
            self.unsettle();
        }
    }

    /// Called when the card is on the screen for the first time; `early` if it was there as soon as it was made.
    pub fn on_screen(self, early: bool) {
        self.0.try_update_value(|state| {
            let since = if early { state.made } else { js_sys::Date::now() };
            state.on_screen.get_or_insert(since);
        });
    }

    /// Sets what knows where the card is.
    pub fn set_position(self, position: Rc<CardPosition>) {
        self.0.update_value(|state| state.position = Some(position));
    }

    /// The index of the request's entry.
    pub fn index(self) -> usize {
        self.0.with_value(|state| state.index)
    }

    /// Sets what scrolls to what must still be read.
    pub fn set_show_rest(self, show_rest: Rc<dyn Fn()>) {
        self.0.update_value(|state| state.show_rest = Some(show_rest));
    }

    /// Sets how many lines must still be read before it may be allowed.
    pub fn set_left(self, left: usize) {
        self.0.try_with_value(|state| set_if_other(state.left, Some(left)));
    }

    /// Sets whether the card is higher than what can be seen at once.
    pub fn set_tall(self, tall: bool) {
        self.0.try_with_value(|state| set_if_other(state.tall, tall));
    }

    /// How many lines must still be read; subscribes.
    pub fn left(self) -> usize {
        self.0.with_value(|state| state.left).get().unwrap_or_default()
    }

    /// The same without subscribing; none once the card is gone.
    pub fn left_now(self) -> usize {
        let left = self.0.try_with_value(|state| state.left.get_untracked());
        left.flatten().unwrap_or_default()
    }

    /// Whether the card is higher than what can be seen at once; subscribes.
    pub fn is_tall(self) -> bool {
        self.0.with_value(|state| state.tall).get()
    }

    /// True while part of it must still be read before it may be allowed; subscribes.
    pub fn is_unread(self) -> bool {
        self.0.with_value(|state| state.left).get() != Some(0)
    }

    /// Whether a choice is missing, without which nothing can be allowed.
    pub fn missing(self) -> RwSignal<bool> {
        self.0.with_value(|state| state.missing)
    }

    /// Scrolls to what must still be read.
    pub fn show_rest(self) {
        let show_rest = self.0.try_with_value(|state| state.show_rest.clone()).flatten();
        if let Some(show_rest) = show_rest {
            show_rest();
        }
    }

    /// The answer that has to be confirmed before it is sent.
    pub fn asked_again(self) -> RwSignal<Option<AnswerKey>> {
        self.0.with_value(|state| state.asked_again)
    }

    /// Closes what is asked again. The button that opened it has the focus then.
    pub fn ask_no_more(self) {
        let asked = self.asked_again();
        let opener = asked.get_untracked().map(|key| format!("[data-more], [data-asks=\"{}\"]", key.name()));
        asked.set(None);
        let (Some(position), Some(opener)) = (self.0.with_value(|state| state.position.clone()), opener)
        else {
            return;
        };
        request_animation_frame(move || {
            let opener = position.section.query_selector(&opener).ok().flatten();
            focus(opener.as_ref().unwrap_or(&position.section), false);
        });
    }

    /// Called when the question whether a lasting answer is meant is built: it is shown whole, and has the focus.
    pub fn shows_confirmation(self, confirmation: Element) {
        let Some(position) = self.0.with_value(|state| state.position.clone()) else { return };
        request_animation_frame(move || {
            focus(&confirmation, false);
            position.show_end();
        });
    }

    /// The request's entry.
    pub fn entry(self) -> EntryHandle {
        self.0.with_value(|state| EntryHandle { store: state.store, index: state.index, row: state.row })
    }

    /// The store, for drafts and answers.
    pub fn store(self) -> Store {
        self.0.with_value(|state| state.store)
    }

    /// The sub-agent that asks; subscribes, since it may become known later.
    pub fn asker(self) -> Option<Asker> {
        let (store, index, row) = self.0.with_value(|state| (state.store, state.index, state.row));
        row.head.track();
        store.read(|state| state.asker(index)).flatten()
    }

    /// The request's id.
    pub fn id(self) -> String {
        self.0.with_value(|state| state.id.clone())
    }

    /// An id for an element of this card.
    pub fn element(self, part: &str) -> String {
        format!("ph-ask-{}-{part}", self.0.with_value(|state| state.number))
    }

    /// The name of the answer that is under way; subscribes.
    pub fn sending(self) -> Option<String> {
        self.0.with_value(|state| state.sending).get()
    }

    /// The name of the answer that may or may not have arrived; subscribes.
    pub fn unsure(self) -> Option<String> {
        self.0.with_value(|state| state.unsure).get()
    }

    /// True while fields and buttons are disabled: an answer is under way or may have arrived, input waits to
    /// be read, or nothing can be answered here. Subscribes.
    pub fn off(self) -> bool {
        self.sending().is_some()
            || self.unsure().is_some()
            || self.store().reading.get()
            || self.store().cannot_answer()
    }

    /// True once all presses count; subscribes.
    pub fn armed(self) -> bool {
        self.0.with_value(|state| state.there.get() && state.still.get() && !state.just_sent.get())
    }

    /// True once the presses of keys count; subscribes.
    pub fn is_there(self) -> bool {
        self.0.with_value(|state| state.there).get()
    }

    /// True while no answer could be sent, because the connection is gone or the session's machine is away; subscribes. What a person types stays open.
    pub fn is_cut_off(self) -> bool {
        self.store().is_cut_off()
    }

    /// Why no answer could be sent, where people should know: the connection is gone, or the session's machine is away. Subscribes.
    pub fn cut_off_reason(self) -> Option<String> {
        let store = self.store();
        let is_lost = store.is_disconnected() && store.connection.with(|(state, _)| state.is_lost());
        let away =
            |away: &AwayMachine| requests::MACHINE_AWAY.with(&[("away", (&away_since(away, moment)).into())]);
        if is_lost {
            Some(requests::NO_CONNECTION.text().to_owned())
        } else {
            store.away().with(|machine| machine.as_ref().map(away))
        }
    }

    /// True while the answer of this button is under way; subscribes.
    pub fn busy(self, key: AnswerKey) -> bool {
        self.sending().is_some() && self.0.with_value(|state| state.pressed).get() == Some(key)
    }

    /// True if this press counts. It does not if the card is gone or was not there for long, or has moved under
    /// the pointer.
    pub fn takes(self, press: &Event) -> bool {
        self.is_meant(press) && self.is_open()
    }

    /// Whether somebody who saw the card as it is here and now has pressed.
    pub fn is_meant(self, press: &Event) -> bool {
        let by_key = !is_pointer_click(press) && has_focus(press);
        let moved = !by_key
            && self
                .0
                .try_with_value(|state| state.position.as_ref().is_some_and(|position| position.has_moved()))
                == Some(true);
        if moved {
            self.moved();
        }
        let meant = self.0.try_with_value(|state| {
            // Tab brings a card to the screen, and Enter may follow before anybody has seen it.
            let seen = |since: f64| (js_sys::Date::now() - since).abs() >= f64::from(ARMING);
            let counts = if by_key { state.on_screen.is_some_and(seen) } else { state.still.get_untracked() };
            !state.covered && state.there.get_untracked() && counts
        });
        meant == Some(true)
    }

    /// True if this press does not count because the card has just appeared or moved.
    pub fn is_too_early(self, press: &Event) -> bool {
        self.0.try_with_value(|state| !state.just_sent.get_untracked()) == Some(true) && !self.is_meant(press)
    }

    /// True if an answer may be given now.
    fn is_open(self) -> bool {
        self.0.try_with_value(|state| state.unsure.with_untracked(Option::is_none)) == Some(true)
            && self.may_send()
    }

    /// Same as [`AnswerControls::is_open`], also for giving the same answer again.
    fn may_send(self) -> bool {
        self.0
            .try_with_value(|state| {
                !state.just_sent.get_untracked()
                    && !untrack(|| {
                        state.store.cannot_answer() || state.store.is_cut_off() || state.store.reading.get()
                    })
                    && state.sending.with_untracked(Option::is_none)
            })
            .unwrap_or(false)
    }

    /// Sends an answer, if one may be sent now.
    pub fn send(self, key: impl Into<AnswerKey>, answer: &Answer) {
        if !self.is_open() {
            return;
        }
        self.0.with_value(|state| state.pressed).set(Some(key.into()));
        self.sends();
        self.store().answer(&self.id(), answer);
    }

    /// Sends the same answer as before, if this press counts.
    pub fn send_again(self, press: &Event) {
        if self.is_meant(press) && self.may_send() {
            self.sends();
            self.store().answer_again(&self.id());
        }
    }

    fn sends(self) {
        let just_sent = self.0.with_value(|state| state.just_sent);
        just_sent.set(true);
        let timer = Timeout::new(AGAIN, move || _ = just_sent.try_set(false));
        self.0.update_value(|state| state.just_sent_timer = Some(timer));
        self.asked_again().set(None);
        if let Some(position) = self.0.with_value(|state| state.position.clone()) {
            position.keep_focus();
        }
    }

    /// A text that a person types, which is kept until the request is answered or gone. `start` is the text at
    /// first.
    pub fn draft(self, field: &str, start: &str) -> Draft {
        self.draft_of(field, start, false)
    }

    /// Same as [`AnswerControls::draft`] for what may be a secret, which is not stored.
    pub fn draft_of(self, field: &str, start: &str, secret: bool) -> Draft {
        let text = Drafts(self.store()).typed(&self.id(), field).unwrap_or_else(|| start.to_owned());
        Draft { controls: self, field: StoredValue::new(field.to_owned()), secret, text: RwSignal::new(text) }
    }
}

/// Whether what was pressed has the focus.
fn has_focus(press: &Event) -> bool {
    let pressed = press.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    pressed.is_some_and(|pressed| focused_in(&pressed).is_some())
}

fn set_if_other<T: Clone + PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|now| *now != value) {
        signal.set(value);
    }
}

/// Makes a signal false, and true again after [`ARMING`].
fn count_later(counts: RwSignal<bool>) -> Timeout {
    counts.set(false);
    Timeout::new(ARMING, move || _ = counts.try_set(true))
}

/// What a person has typed into one field.
#[derive(Clone, Copy)]
pub struct Draft {
    controls: AnswerControls,
    field: StoredValue<String>,
    secret: bool,
    text: RwSignal<String>,
}

impl Draft {
    /// The text; subscribes.
    pub fn get(self) -> String {
        self.text.get()
    }

    /// The text; does not subscribe. Empty once the card is gone: an event may come after that.
    pub fn now(self) -> String {
        self.text.try_get_untracked().unwrap_or_default()
    }

    /// The text without white space around it, if there is any.
    pub fn filled(self) -> Option<String> {
        let text = self.now();
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Sets the text and keeps it.
    pub fn set(self, text: String) {
        self.with_store(|store, request, field| {
            Drafts(*store).set(request, field, text.clone(), self.secret);
        });
        let _ = self.text.try_set(text);
    }

    /// Forgets a secret that has been sent.
    pub fn forget_secret(self) {
        self.with_store(|store, request, field| Drafts(*store).forget_secret(request, field));
    }

    fn with_store(self, keep: impl FnOnce(&Store, &str, &str)) {
        self.controls.0.try_with_value(|state| {
            self.field.try_with_value(|field| keep(&state.store, &state.id, field));
        });
    }
}

/// The position of a card.
pub struct CardPosition {
    section: Element,
    /// Its last upper edge in pixels: on the screen, and within what is scrolled.
    last: Cell<Option<(f64, f64)>>,
    /// When the reader scrolled last, in milliseconds.
    scrolled: Cell<f64>,
}

impl CardPosition {
    /// The position of the card with this element. Not measured yet.
    pub fn new(section: Element) -> Self {
        Self { section, last: Cell::new(None), scrolled: Cell::new(0.0) }
    }

    /// What scrolls the card.
    pub fn scroller(&self) -> Option<Element> {
        self.section.closest("[data-scroller]").ok().flatten()
    }

    /// Takes the card's position as the one that a person has seen.
    pub fn measure(&self) {
        self.shift();
    }

    /// Called when the reader scrolls.
    pub fn reader_scrolls(&self) {
        self.scrolled.set(js_sys::Date::now());
    }

    fn now(&self) -> Option<(f64, f64)> {
        let scrolled = f64::from(self.scroller()?.scroll_top());
        let top = self.section.get_bounding_client_rect().top();
        Some((top, top + scrolled))
    }

    fn is(&self, state: &str) -> bool {
        self.section.matches(state).unwrap_or(false)
    }

    /// By how many pixels it has moved on the screen since the last call. Scrolling calls this
    /// too and so does not count.
    fn shift(&self) -> f64 {
        let now = self.now();
        match (self.last.replace(now), now) {
            (Some((before, _)), Some((now, _))) => now - before,
            _ => 0.0,
        }
    }

    /// Whether it has moved both on the screen and within what is scrolled, and that was not handled yet. It is
    /// handled with this call.
    pub fn has_moved(&self) -> bool {
        let (Some(before), Some(now)) = (self.last.get(), self.now()) else { return false };
        let moved = (before.0 - now.0).abs() > STILL && (before.1 - now.1).abs() > STILL;
        if moved {
            self.last.set(Some(now));
        }
        moved
    }

    /// Whether it has moved within what is scrolled.
    pub fn has_moved_within(&self) -> bool {
        matches!((self.last.get(), self.now()), (Some((_, before)), Some((_, now))) if (before - now).abs() > STILL)
    }

    /// Whether a change of the page has moved it on the screen. One that has the pointer or the focus is moved back by
    /// scrolling where that is possible.
    pub fn has_slipped(&self) -> bool {
        let shift = self.shift();
        // A clock that was set back since then says nothing about the reader.
        let by_reader = (js_sys::Date::now() - self.scrolled.get()).abs() < SCROLLING;
        if shift.abs() <= STILL || by_reader {
            return false;
        }
        let in_use = self.is(":hover") || self.is(":focus-within");
        if let Some(scroller) = self.scroller().filter(|_| in_use) {
            scroller.set_scroll_top(scroller.scroll_top() + shift.round() as i32);
            return (self.shift() + shift).abs() > STILL;
        }
        true
    }

    /// Scrolls to its lower edge. Nothing of it counts as moved by that.
    fn show_end(&self) {
        let Some(scroller) = self.scroller() else { return };
        let below =
            self.section.get_bounding_client_rect().bottom() - scroller.get_bounding_client_rect().bottom();
        if below > 0.0 {
            scroller.set_scroll_top(scroller.scroll_top() + below.ceil() as i32);
            self.measure();
        }
    }

    /// Gives the focus to the card itself, because the control that has it is about to be disabled.
    pub fn keep_focus(&self) {
        keep_focus(&self.section);
    }
}

/// Gives the focus to the card itself, because the control that has it is about to be disabled.
pub fn keep_focus(section: &Element) {
    if focused_in(section).is_some() {
        focus(section, false);
    }
}

/// What notices that a card may have moved.
type Listening = (ResizeObserver, Closure<dyn FnMut()>, [EventListener; 4]);

/// Watches a card, as long as its owner lives.
pub fn guard(controls: AnswerControls, section: El) -> El {
    let element = section.element().clone();
    let position = Rc::new(CardPosition::new(element.clone()));
    controls.set_position(Rc::clone(&position));
    let changed = move |position: &CardPosition| {
        if position.has_slipped() {
            controls.moved();
        }
    };
    let listening: Rc<RefCell<Option<Listening>>> = Rc::default();
    let (later, first) = (Rc::clone(&listening), Rc::clone(&position));
    // Only now is it in the document.
    request_animation_frame(move || {
        let Some(scroller) = first.scroller() else { return };
        first.measure();
        let listen = |event: &'static str| {
            let position = Rc::clone(&first);
            EventListener::new(&scroller, event, move |event| match event.type_().as_str() {
                // By the reader, or because something above has another height than estimated.
                "scroll" if position.has_moved_within() => changed(&position),
                "scroll" => position.measure(),
                // Only the scroll bar is pressed to scroll: what is pressed in a card stays where it is.
                "pointerdown" if event.target() != event.current_target() => {}
                _ => position.reader_scrolls(),
            })
        };
        let scrolling = ["scroll", "wheel", "touchmove", "pointerdown"].map(listen);
        let grown = Closure::<dyn FnMut()>::new(move || changed(&first));
        let Ok(observer) = ResizeObserver::new(grown.as_ref().unchecked_ref()) else { return };
        if let Some(column) = scroller.last_element_child() {
            observer.observe(&column);
        }
        later.replace(Some((observer, grown, scrolling)));
    });
    let store = controls.store();
    render_effect(move || {
        store.track_input();
        let position = Rc::clone(&position);
        // Input that has arrived is on the page with the next frame.
        request_animation_frame(move || changed(&position));
    });
    let index = controls.index();
    let gone = StoredValue::new_local((listening, element));
    on_cleanup(move || {
        gone.try_with_value(|(listening, element)| {
            if let Some((observer, ..)) = listening.take() {
                observer.disconnect();
            }
            focus_next(store, index, element);
        });
    });
    section
}

/// If the card of an answered request had the focus, moves it to the next open one. If there is none, the tile that
/// the card was in has the focus; in a timeline the answered request's row keeps it, or the list gives it to the
/// timeline. A timeline that follows its end goes on doing so.
fn focus_next(store: Store, index: usize, section: &Element) {
    let had_focus = focused_in(section).is_some();
    let over = store.entry(index, |entry| entry.request().is_some_and(|request| !Request::open(request)));
    let page = section.closest(".ph").ok().flatten();
    let Some(page) = page.filter(|_| had_focus && over == Some(true)) else { return };
    let tile = section.closest("[data-session]").ok().flatten();
    let opener = tile.as_ref().and_then(|tile| tile.query_selector("[data-opener]").ok().flatten());
    if let Some(place) = opener.or_else(|| section.closest("[data-row]").ok().flatten()) {
        focus(&place, false);
        // Nobody has touched the row that is left: nothing opens below it. Fails for invalid names only.
        let _ = place.remove_attribute("data-acts");
    }
    // The rows of a tile are numbered by themselves.
    let rows = tile.unwrap_or_else(|| page.clone());
    let before = focused_near(&page);
    request_animation_frame(move || {
        if types_since(&page, before.as_ref()) {
            return;
        }
        let next = store.read(|state| {
            let open = &state.open_requests;
            open.iter().find(|row| **row > index).or(open.first()).copied()
        });
        let Some(next) = next.flatten() else { return };
        let row = rows.query_selector(&format!("[data-row=\"{next}\"]")).ok().flatten();
        let card = row.as_ref().and_then(|row| row.query_selector("[data-request-id]").ok().flatten());
        match card.or(row) {
            Some(place) => focus(&place, true),
            None => store.view_state.go_to(next),
        }
    });
}
