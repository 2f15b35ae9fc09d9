//! Words: a person's message, the model's answer, the model's thoughts; and the line that opens. Refuses tools and
//! notices.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use super::built::{flag, words};
use super::dom::{El, div, el, follow, glyph};
use super::icons::Icon;
use super::lazy::{self, Source};
use super::press;
use super::references::references;
use super::text::Written;
use crate::core::change::Section;
use crate::core::entry::Body;
use crate::core::language;
use crate::core::language::words::timeline;
use crate::core::words::{fate, runtime_word};
use crate::core::{Entry, EntryState, Kind, time};
use crate::store::{Row, Store};

/// The text of an entry.
struct Text {
    store: Store,
    index: usize,
}

impl Source for Text {
    fn read(&self, see: &mut dyn FnMut(&str)) {
        untrack(|| self.store.entry(self.index, |entry| see(&entry.text)));
    }

    fn whole(&self) -> bool {
        untrack(|| self.store.printing())
    }
}

/// An entry's text as prose, up to date for as long as the owner lives.
/// An append costs what it adds; everything shown before stays the same nodes.
pub fn prose_of(store: Store, index: usize, row: Row) -> El {
    let host = div("prose");
    let shown = RefCell::new(Written::of(&document(), host.element(), Rc::new(Text { store, index })));
    let (last, printed) = (Cell::new(None), Cell::new(false));
    follow(Box::new(move || {
        row.head.track();
        let printing = store.printing();
        if printed.replace(printing) != printing {
            shown.borrow_mut().look();
        }
        let text = row.text.get();
        let formatted = lazy::words().is_ok();
        store.entry(index, |entry| {
            let done = entry.state != EntryState::Streaming;
            // Whatever else changed of the entry, a long text is not compared again.
            if last.replace(Some((text, done, formatted))) != Some((text, done, formatted)) {
                shown.borrow_mut().show(&entry.text, done);
            }
        });
    }));
    host
}

/// A person's message.
pub fn user_message(article: El, store: Store, index: usize, row: Row) -> El {
    let who = store.read(|state| {
        let entry = state.entry(index)?;
        let agent = entry.agent_id.as_ref()?;
        let task = entry.parent_tool_call_id.as_deref().and_then(|id| state.subagent_place(id));
        let name = task.and_then(|place| match &state.entry(place)?.body {
            Body::Subagent(subagent) => Some(subagent.title().to_owned()),
            _ => None,
        });
        Some(timeline::TASK_FOR.with(&[("name", name.as_ref().unwrap_or(agent).into())]))
    });
    let sender = store.entry(index, |entry| match &entry.body {
        Body::User(message) => message.source.as_deref().and_then(sender),
        _ => None,
    });
    let who = who.flatten().or(sender.flatten()).unwrap_or_else(|| timeline::YOU.text().to_owned());
    let at = store.entry(index, |entry| entry.at).flatten().map(clock);
    let tag = store.entry(index, |entry| match &entry.body {
        Body::User(message) => match message.delivery.as_deref() {
            Some("steering") => Some(timeline::STEERING),
            Some("queued") => Some(timeline::WAS_QUEUED),
            _ => None,
        },
        _ => None,
    });
    let chips = store.entry(index, |entry| match &entry.body {
        Body::User(message) => message.attachments.clone(),
        _ => Vec::new(),
    });
    let chips = chips.unwrap_or_default();
    let meta = div("meta")
        .child(el("b").text(&who))
        .maybe(tag.flatten().map(|tag| el("span").class("tag").child(glyph(Icon::Queue)).text(tag.text())))
        .part_if(move || fate_tag(store, index, row))
        .maybe(at.map(|at| el("time").text(&at)));
    let chip = |name: &String| el("li").class("chip").child(glyph(Icon::File)).text(name);
    let chips =
        (!chips.is_empty()).then(|| el("ul").class("chips").children(chips.iter().map(chip).collect()));
    let inside =
        div("msg").child(glyph(Icon::User)).child(meta).child(prose_of(store, index, row)).maybe(chips);
    let along = store.entry(index, |entry| match &entry.body {
        Body::User(message) => references(&message.references),
        _ => None,
    });
    let inside = inside.maybe(along.flatten());
    let turn = words(move || turn(store, index, row).unwrap_or_default());
    article.child(inside).part_if(move || {
        let some = turn.with(|turn| !turn.is_empty());
        some.then(|| el("p").class("turn").live_text(move || turn.get()))
    })
}

/// Says of what the session has gone back behind that it does not count any more.
pub fn fate_tag(store: Store, index: usize, row: Row) -> Option<El> {
    row.head.track();
    let fate = store.entry(index, fate).flatten()?;
    Some(el("span").class("tag").attr("title", timeline::REWOUND_TELLS.text()).text(fate.text()))
}

/// What was done for a message, while it is done and after.
fn turn(store: Store, index: usize, row: Row) -> Option<String> {
    row.head.track();
    let work = store.entry(index, |entry| match &entry.body {
        Body::User(message) => message.work,
        _ => None,
    });
    let work = work.flatten()?;
    // Event time, as in the header: a replayed session took as long as it took.
    let now = if work.works {
        store.section(Section::Session, |state| state.info.last_event_at).flatten()
    } else {
        None
    };
    work.words(now)
}

/// Whose message it is that no person typed.
fn sender(source: &str) -> Option<String> {
    if let Some(number) = source.strip_prefix("schedule-") {
        return Some(timeline::SCHEDULE.with(&[("number", number.into())]));
    }
    if source.starts_with("agent-") {
        return Some(timeline::ANOTHER_AGENT.text().to_owned());
    }
    source.strip_prefix("skill-").map(|skill| timeline::SKILL.with(&[("name", skill.into())]))
}

/// The model's answer: no box, just words.
pub fn assistant_message(article: El, store: Store, index: usize, row: Row) -> El {
    let article = article.child(prose_of(store, index, row)).part_if(move || {
        row.head.track();
        store
            .entry(index, |entry| match (entry.state, entry.text.is_empty()) {
                (EntryState::Interrupted, _) => Some(timeline::INTERRUPTED),
                (EntryState::Done, true) => Some(timeline::EMPTY_REPLY),
                _ => None,
            })
            .flatten()
            .map(|words| el("span").class("tag").child(glyph(Icon::Stop)).text(words.text()))
    });
    let phase = words(move || {
        row.head.track();
        store.entry(index, phase).flatten().unwrap_or_default()
    });
    article
        .part_if(move || fate_tag(store, index, row))
        .part_if(move || phase.with(|phase| (!phase.is_empty()).then(|| el("span").class("tag").text(phase))))
}

/// Of a model that speaks in phases, which one this is.
fn phase(entry: &Entry) -> Option<String> {
    let Body::Assistant { phase: Some(phase), .. } = &entry.body else { return None };
    Some(timeline::PHASE.with(&[("phase", (&runtime_word(phase)).into())]))
}

/// Thoughts: visible while they stream, then folded to one line.
pub fn reasoning(article: El, store: Store, index: usize, row: Row) -> El {
    debug_assert!(store.entry(index, |entry| entry.kind == Kind::Reasoning).unwrap_or(true));
    let open = flag(move || {
        row.head.track();
        store.entry(index, |entry| entry.state == EntryState::Streaming).unwrap_or(false)
    });
    let what = el("span").class("what").live_text(move || {
        row.head.track();
        store
            .entry(index, |entry| match (entry.state, &entry.body) {
                (EntryState::Streaming, _) => timeline::THINKING.text().to_owned(),
                (EntryState::Interrupted, _) => timeline::THOUGHT_INTERRUPTED.text().to_owned(),
                (_, Body::Reasoning { duration: Some(millis) }) => {
                    timeline::THOUGHT_FOR.with(&[("time", (&time::duration(*millis)).into())])
                }
                _ => timeline::THOUGHT.text().to_owned(),
            })
            .unwrap_or_default()
    });
    let end = el("span").class("end");
    let body = Box::new(move || prose_of(store, index, row));
    article.child(Fold { store, index, open, class: "", icon: Icon::Thought, what, end, body }.show())
}

/// Some words of a summary line.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// As they are.
    Text(String),
    /// Of an element with a class, if it is not empty.
    Element(&'static str, &'static str, String),
}

impl Piece {
    /// Plain text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Something exact: a command, a path.
    pub fn code(text: String) -> Self {
        Self::Element("code", "", text)
    }

    /// Words that look different.
    pub fn span(class: &'static str, text: String) -> Self {
        Self::Element("span", class, text)
    }
}

/// An element whose words follow what they are read from, and stay the same nodes while they stay the same words.
pub fn said(host: El, say: Box<dyn Fn() -> Vec<Piece>>) -> El {
    let place = host.clone();
    let shown = RefCell::new(Vec::new());
    follow(Box::new(move || {
        if press::holds(std::iter::once(place.element())) {
            return;
        }
        let pieces = say();
        let mut shown = shown.borrow_mut();
        if *shown == pieces {
            return;
        }
        place.element().set_text_content(None);
        for piece in &pieces {
            let place = place.clone();
            let _ = match piece {
                Piece::Text(text) => place.text(text),
                Piece::Element(tag, "", text) => place.child(el(tag).text(text)),
                Piece::Element(tag, class, text) => place.child(el(tag).class(class).text(text)),
            };
        }
        *shown = pieces;
    }));
    host
}

/// A one-line summary that opens: its body is made when it is opened and taken away when it is closed.
pub struct Fold {
    /// Where the reader's choice is kept.
    pub store: Store,
    /// The entry's place.
    pub index: usize,
    /// Whether it is open by itself.
    pub open: Memo<bool>,
    /// The class of the frame.
    pub class: &'static str,
    /// The line's icon.
    pub icon: Icon,
    /// What happened, in words.
    pub what: El,
    /// State and duration.
    pub end: El,
    /// What it shows when open.
    pub body: Box<dyn Fn() -> El>,
}

impl Fold {
    /// The element.
    pub fn show(self) -> El {
        let Self { store, index, open, class, icon, what, end, body } = self;
        let chosen = RwSignal::new(0_u32);
        let shown = flag(move || {
            chosen.track();
            let by_itself = open.get();
            // Paper can't be unfolded. Thoughts have no class: they stay a line.
            (!class.is_empty() && store.printing()) || store.fold_seen(index).unwrap_or(by_itself)
        });
        // The browser would toggle it by itself; the state decides instead, so that both always agree.
        let summary = el("summary").class("row").child(glyph(icon)).child(what).child(end);
        let summary = press::toggle(summary, shown, move |event, open| {
            event.prevent_default();
            store.set_fold(index, open);
            chosen.update(|times| *times = times.wrapping_add(1));
        });
        el("details")
            .class(class)
            .live_flag("open", move || shown.get())
            .child(summary)
            .part_if(move || shown.get().then(&body))
    }
}

/// As short in every language: it stands beside names.
const CLOCK: &str = r#"{"hour":"2-digit","minute":"2-digit","hourCycle":"h23"}"#;

/// Hours and minutes of an event, in the reader's own time zone. The first time takes 15 ms: `log` asks ahead.
pub fn clock(at: i64) -> String {
    thread_local! {
        // Making one takes longer than everything else in a row.
        static FORMAT: js_sys::Function = {
            let tags = js_sys::Array::new();
            if let Some(language) = language::current() {
                tags.push(&language.tag.into());
            }
            // It is JSON, and so an object.
            let options = js_sys::JSON::parse(CLOCK).unwrap_or_default();
            js_sys::Intl::DateTimeFormat::new(&tags, options.unchecked_ref()).format()
        };
    }
    let said = FORMAT.with(|format| format.call1(&JsValue::UNDEFINED, &(at as f64).into()));
    // It throws for what is no time, which an event may claim.
    said.ok().and_then(|said| said.as_string()).unwrap_or_default()
}
