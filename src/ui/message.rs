//! Messages of people, answers and thoughts of the model, and the fold that cards share.

pub mod markdown;
pub mod references;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use super::elements::builder::{El, div, el, glyph};
use super::elements::exact::exact;
use super::elements::press_guard;
use super::elements::reactive::{memo, render_effect};
use super::lazy::{self, TextSource};
use crate::core::i18n;
use crate::core::i18n::words::timeline;
use crate::core::model::entry::Body;
use crate::core::model::state::Section;
use crate::core::view_model::entry_words::{attachment_labels, rewind_effect};
use crate::core::view_model::icon::Icon;
use crate::core::view_model::message_words::{author, delivery, ending, phase, thought, work_done};
use crate::core::view_model::picture::attached_picture;
use crate::core::view_model::summary_line::Piece;
use crate::core::{Entry, EntryState, Kind};
use crate::store::printing::is_printing;
use crate::store::{EntryHandle, RowSignals, Store};
use markdown::MessageText;
use references::references;

/// The text of an entry, as a source for prose.
struct Text {
    store: Store,
    index: usize,
}

impl TextSource for Text {
    fn read(&self, see: &mut dyn FnMut(&str)) {
        untrack(|| self.store.entry(self.index, |entry| see(&entry.text)));
    }

    fn whole(&self) -> bool {
        untrack(is_printing)
    }
}

/// An entry's text as prose, updated until the owner is dropped. Appending costs only the new text; nodes
/// that are already shown are kept.
pub fn prose_of(store: Store, index: usize, row: RowSignals) -> El {
    let host = div("prose");
    let shown = RefCell::new(MessageText::of(&document(), host.element(), Rc::new(Text { store, index })));
    let (last, printed) = (Cell::new(None), Cell::new(false));
    render_effect(move || {
        row.head.track();
        let printing = is_printing();
        if printed.replace(printing) != printing {
            shown.borrow_mut().look();
        }
        let text = row.text.get();
        let formatted = lazy::WORDS.ready().is_ok();
        store.entry(index, |entry| {
            let done = entry.state != EntryState::Streaming;
            // If only something else about the entry changed, a long text is not compared again.
            if last.replace(Some((text, done, formatted))) != Some((text, done, formatted)) {
                shown.borrow_mut().show(&entry.text, done);
            }
        });
    });
    host
}

/// A person's message, or one that a program sent: who, when, its text, and what came along with it.
#[component(transparent)]
pub fn UserMessage(
    /// The message.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry user"));
    // A name may come after its message.
    let who = memo(move || {
        row.head.track();
        store.read(|state| Some(author(state, state.entry(index)?))).flatten().unwrap_or_default()
    });
    let at = store.entry(index, |entry| entry.at).flatten().map(clock);
    let tag = store.entry(index, delivery);
    let chips = store.read(|state| match &state.entry(index)?.body {
        Body::User(message) => {
            let labels = attachment_labels(message).into_iter().enumerate();
            Some(labels.map(|(at, label)| chip(&label, attached_picture(message, at, state))).collect())
        }
        _ => None,
    });
    let chips: Vec<El> = chips.flatten().unwrap_or_default();
    let meta = div("meta")
        .child(el("b").text(move || who.get()))
        .child(tag.flatten().map(|tag| el("span").class("tag").child(glyph(Icon::Queue)).text(tag.text())))
        .child(move || fate_tag(store, index, row))
        .child(at.map(|at| el("time").text(&at)));
    let chips = (!chips.is_empty()).then(|| el("ul").class("chips").child(chips));
    let inside =
        div("msg").child(glyph(Icon::User)).child(meta).child(prose_of(store, index, row)).child(chips);
    let along = store.entry(index, |entry| match &entry.body {
        Body::User(message) => references(&message.references),
        _ => None,
    });
    let inside = inside.child(along.flatten());
    let turn = memo(move || turn(store, index, row).unwrap_or_default());
    article.child(inside).child(move || {
        let some = turn.with(|turn| !turn.is_empty());
        some.then(|| el("p").class("turn").text(move || turn.get()))
    })
}

/// An attachment: a thumbnail with its name, or only the name, also of a picture that turns out to be broken.
fn chip(name: &str, address: Option<String>) -> El {
    let shown = RwSignal::new(address.is_some());
    let face = move || match address.as_ref().filter(|_| shown.get()) {
        Some(address) => {
            let image = el("img").attr("alt", "").attr("decoding", "async").attr("src", address);
            image.on("error", move |_| shown.set(false))
        }
        None => glyph(Icon::File),
    };
    el("li").class("chip").attr("data-picture", move || shown.get()).child(face).child(el("span").text(name))
}

/// The tag of an entry that a rewind has taken back; it no longer counts. Subscribes.
pub fn fate_tag(store: Store, index: usize, row: RowSignals) -> Option<El> {
    row.head.track();
    let effect = store.entry(index, rewind_effect).flatten()?;
    Some(el("span").class("tag").attr("title", timeline::REWOUND_TELLS.text()).text(effect.text()))
}

/// What was done for a message, while the agent works and after. Subscribes.
fn turn(store: Store, index: usize, row: RowSignals) -> Option<String> {
    row.head.track();
    let last_event_at = || store.section(Section::Session, |state| state.info.last_event_at).flatten();
    let works = |entry: &Entry| matches!(&entry.body, Body::User(message) if message.work.is_some_and(|work| work.is_working));
    let now = store.entry(index, works).filter(|works| *works).and_then(|_| last_event_at());
    store.entry(index, |entry| work_done(entry, now)).flatten()
}

/// The model's answer: only text, without a box.
#[component(transparent)]
pub fn AssistantMessage(
    /// The answer.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry assistant"));
    let article = article.child(prose_of(store, index, row)).child(move || {
        row.head.track();
        store
            .entry(index, ending)
            .flatten()
            .map(|words| el("span").class("tag").child(glyph(Icon::Stop)).text(words.text()))
    });
    let phase = memo(move || {
        row.head.track();
        store.entry(index, phase).flatten().unwrap_or_default()
    });
    article
        .child(move || fate_tag(store, index, row))
        .child(move || phase.with(|phase| (!phase.is_empty()).then(|| el("span").class("tag").text(phase))))
}

/// Thoughts: visible while they stream, then folded to one line.
#[component(transparent)]
pub fn Reasoning(
    /// The thoughts.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry think"));
    debug_assert!(store.entry(index, |entry| entry.kind == Kind::Reasoning).unwrap_or(true));
    let open = memo(move || {
        row.head.track();
        store.entry(index, |entry| entry.state == EntryState::Streaming).unwrap_or(false)
    });
    let what = el("span").class("what").text(move || {
        row.head.track();
        store.entry(index, thought).unwrap_or_default()
    });
    let end = el("span").class("end");
    let body = Box::new(move || prose_of(store, index, row));
    article.child(
        Fold { store, index, open, on_paper: true, class: "", icon: Icon::Thought, what, end, body }.show(),
    )
}

/// Fills `host` with pieces that are updated when the signals they read change. The nodes are kept while the
/// pieces stay equal, and while they are being pressed.
pub fn live_pieces(host: El, pieces: Box<dyn Fn() -> Vec<Piece>>) -> El {
    let place = host.clone();
    let shown = RefCell::new(Vec::new());
    render_effect(move || {
        if press_guard::is_pressed_in(std::iter::once(place.element())) {
            return;
        }
        let pieces = pieces();
        let mut shown = shown.borrow_mut();
        if *shown == pieces {
            return;
        }
        place.element().set_text_content(None);
        for piece in &pieces {
            let place = place.clone();
            let _ = match piece {
                Piece::Text(text) => exact(place, text),
                Piece::Element(tag, "", text) => place.child(exact(el(tag), text)),
                Piece::Element(tag, class, text) => place.child(exact(el(tag).class(class), text)),
            };
        }
        *shown = pieces;
    });
    host
}

/// A one-line summary that opens. Its body is built when it opens and removed when it closes.
pub struct Fold {
    /// Keeps the reader's choice to open or fold it.
    pub store: Store,
    /// The entry's index.
    pub index: usize,
    /// Whether it is open, unless the reader chose otherwise.
    pub open: Memo<bool>,
    /// Whether it is open on paper, where nobody can unfold it.
    pub on_paper: bool,
    /// The class of the `details` element; empty for thoughts.
    pub class: &'static str,
    /// The line's icon.
    pub icon: Icon,
    /// What happened, in words.
    pub what: El,
    /// State and duration.
    pub end: El,
    /// Builds the body.
    pub body: Box<dyn Fn() -> El>,
}

impl Fold {
    /// The element.
    pub fn show(self) -> El {
        let Self { store, index, open, on_paper, class, icon, what, end, body } = self;
        let chosen = RwSignal::new(0_u32);
        let shown = memo(move || {
            chosen.track();
            let by_itself = open.get();
            (on_paper && is_printing()) || store.rows().fold(index).unwrap_or(by_itself)
        });
        // The browser would toggle it by itself. The state decides instead, so that both always agree.
        let summary = el("summary").class("row").child(glyph(icon)).child(what).child(end);
        press_guard::toggle(summary.element(), shown, move |event, open| {
            event.prevent_default();
            store.rows().set_fold(index, open);
            chosen.update(|times| *times = times.wrapping_add(1));
        });
        el("details")
            .class(class)
            .attr("open", move || shown.get())
            .child(summary)
            .child(move || shown.get().then(&body))
    }
}

/// The clock of everything that a person sees of Pilothouse: `gateway/app/` and `gateway/src/http/first_screen.js` have the same.
const CLOCK: &str = r#"{"timeStyle":"short"}"#;
const CLOCK_AND_DAY: &str = r#"{"month":"short","day":"numeric","hour":"numeric","minute":"2-digit"}"#;

/// Hours and minutes of a time in milliseconds, in the reader's time zone, as the page's language writes them where the reader
/// is: `16:04`, `4:04 PM`. Empty if it is invalid. The first call takes 15 ms, so `event_log` makes one in idle time.
pub fn clock(at: i64) -> String {
    thread_local! {
        // Making a formatter takes longer than everything else in a row.
        static FORMAT: js_sys::Function = formatter(CLOCK);
    }
    FORMAT.with(|format| formatted(format, at))
}

/// The same for a time that may be days ago, with the day unless it is today.
pub fn moment(at: i64) -> String {
    let day = |date: js_sys::Date| date.to_date_string();
    if day(js_sys::Date::new_0()) == day(js_sys::Date::new(&(at as f64).into())) {
        return clock(at);
    }
    formatted(&formatter(CLOCK_AND_DAY), at)
}

/// What formats times so, in the page's language.
fn formatter(options: &str) -> js_sys::Function {
    let language = i18n::current().map_or("en", |language| language.tag);
    // The reader's own kind of it: `en-GB`.
    let is_kind = |tag: &String| tag.split('-').next() == Some(language);
    let kinds = window().navigator().languages().iter().filter_map(|tag| tag.as_string()).find(is_kind);
    let tags = js_sys::Array::of1(&kinds.as_deref().unwrap_or(language).into());
    // They are valid JSON, and an object.
    let options = js_sys::JSON::parse(options).unwrap_or_default();
    js_sys::Intl::DateTimeFormat::new(&tags, options.unchecked_ref()).format()
}

fn formatted(format: &js_sys::Function, at: i64) -> String {
    let said = format.call1(&JsValue::UNDEFINED, &(at as f64).into());
    // Throws for an invalid time, which an event may contain.
    said.ok().and_then(|said| said.as_string()).unwrap_or_default()
}
