//! The one-line header: what the agent is doing, for how long, where, with which model, and how full its
//! context is.
//!
//! Connection trouble is shown by the strip in `states`.

use leptos::prelude::*;

use super::clock::Clock;
use super::toolbar::Toolbar;
use crate::client::store::Store;
use crate::core::State;
use crate::core::connection::ConnectionState;
use crate::core::i18n::format::{count, unmarked};
use crate::core::i18n::words::{composer, page};
use crate::core::i18n::{Value, Word};
use crate::core::model::change::Section;
use crate::core::model::usage::Usage;
use crate::core::view_model::snapshot;
use crate::core::view_model::status_line::{self, context_percent};
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::reactive::memo;
use crate::ui::session::use_session;

/// The header.
#[component(transparent)]
pub fn StatusBar() -> Live {
    use_session().framed("", status_bar)
}

fn status_bar(store: Store) -> El {
    // Empty before the first event.
    let status = memo(move || {
        let _ = store.section(Section::Pending, |_| ());
        if !store.begun.get() {
            return String::new();
        }
        store.section(Section::Session, State::standing).unwrap_or("idle").to_owned()
    });
    let word = move || {
        let word = store
            .connection
            .with(|(state, _)| status_line::status(&status.get(), state, store.readonly.get()));
        word.text().to_owned()
    };
    let status_name = move || Some(status.get()).filter(|status| !status.is_empty());
    let clock = Clock::new(store, status);
    let elapsed = memo(move || {
        let took = store.section(Section::Session, |state| state.info.running_for()).flatten();
        status_line::elapsed(took, clock.quiet())
    });
    let replaying = move || matches!(store.connection.get().0, ConnectionState::Replaying);
    let read_only = memo(move || store.readonly.get());
    let allows_all = memo(move || {
        let mode = |state: &State| state.info.permission_mode.as_deref() == Some("allow-all");
        store.section(Section::Session, mode).unwrap_or(false)
    });
    let phrase = |read| memo(move || unmarked(&session_text(store, read)));
    El::of(view! {
        <header class="bar" part="header" data-status=LiveAttribute::new(status_name)>
            {el("span").class("dot")}
            <div class="bar-lines">
                {el("span").class("word").text(word)}
                <Phrase class="session-title" text=phrase(snapshot::title)/>
                <Phrase class="intent" text=phrase(status_line::intent)/>
                <QueueCount store/>
                <Fact class="fact quiet" text=memo(move || status_line::quiet(clock.quiet()))/>
            </div>
            <Tag when=memo(replaying) class="tag" icon=Icon::Clock word=page::NO_SERVER tip=page::NO_SERVER/>
            <Tag when=read_only class="tag" icon=Icon::Lock word=page::READ_ONLY tip=page::READ_ONLY/>
            <Tag when=allows_all class="chip allows" icon=Icon::Warning word=page::ALLOWS_ALL tip=page::ALLOWS_ALL_TIP/>
            <div class="bar-facts">
                <Fact class="fact elapsed" text=elapsed/>
                <Fact class="fact bytes" text=text_of(store, status_line::arriving)/>
                <Fact class="fact mode" text=text_of(store, status_line::mode)/>
                <Fact class="fact model" text=text_of(store, status_line::model)/>
                <Fact class="fact place" text=text_of(store, status_line::directory)/>
            </div>
            <ContextMeter store/>
            {el("slot").attr("name", "header")}
            <Toolbar store/>
        </header>
    })
}

/// A text from the session section of the state; empty if there is none. Subscribes.
fn session_text(store: Store, read: fn(&State) -> Option<String>) -> String {
    store.section(Section::Session, read).flatten().unwrap_or_default()
}

fn text_of(store: Store, read: fn(&State) -> Option<String>) -> Memo<String> {
    memo(move || session_text(store, read))
}

/// A text that is cut where it does not fit; the tooltip has all of it.
#[component(transparent)]
fn Phrase(class: &'static str, text: Memo<String>) -> El {
    let span = el("span").class(class);
    span.attr("title", move || Some(text.get()).filter(|text| !text.is_empty())).text(move || text.get())
}

/// A text that is there while it is not empty.
#[component(transparent)]
fn Fact(class: &'static str, text: Memo<String>) -> Live {
    Live::new(move || text.with(|text| (!text.is_empty()).then(|| el("span").class(class).text(text))))
}

/// An icon with a word, while `when` is true.
#[component(transparent)]
fn Tag(
    when: Memo<bool>,
    class: &'static str,
    icon: Icon,
    word: Word,
    /// The tooltip.
    tip: Word,
) -> Live {
    let tag = move || {
        let tag = el("span").class(class).attr("title", tip.text());
        tag.child(glyph(icon)).child(el("span").text(word.text()))
    };
    Live::new(move || when.get().then(tag))
}

/// How many messages are queued or, if the server does not list them, how often the queue changed. Hidden
/// while there is nothing to show.
#[component(transparent)]
fn QueueCount(store: Store) -> El {
    let length = move || store.section(Section::Queue, status_line::queued).flatten();
    let changed = move || store.section(Section::Queue, |state| state.queue.changed).unwrap_or_default();
    let is_listed = memo(move || length().is_some());
    let number = move || match (length(), changed()) {
        (None, 1..) => String::new(),
        (length, _) => length.unwrap_or(0).to_string(),
    };
    let tip = move || length().map(|n| page::QUEUE_WAITS.with(&[("n", n.into())]));
    let words = move || match length() {
        Some(n) => count(i64::try_from(n).unwrap_or(i64::MAX)),
        None => page::QUEUE_CHANGED.with(&[("n", changed().into())]),
    };
    el("span")
        .class("chip")
        .attr("data-queue-count", number)
        .attr("title", tip)
        .child(glyph(Icon::Queue))
        .text(words)
        .child(move || is_listed.get().then(|| el("span").text(page::QUEUED.text())))
}

/// The context window as a ring, with figures on request; there once its use is known.
#[component(transparent)]
fn ContextMeter(store: Store) -> Live {
    let full = move || store.section(Section::Usage, |state| context_percent(&state.usage)).flatten();
    let known = memo(move || full().is_some());
    let percent = memo(move || full().unwrap_or(0).to_string());
    Live::new(move || known.get().then(|| meter(store, percent)))
}

fn meter(store: Store, percent: Memo<String>) -> El {
    let number = move || percent.with(|percent| percent.parse::<i64>()).unwrap_or(0);
    let words = move |word: Word| word.with(&[("n", number().into())]);
    let ring = el("span")
        .class("ring")
        .attr("style", move || format!("--_v:{}", percent.get()))
        .attr("data-level", move || (number() >= 80).then_some("high"));
    let usage = move |words: fn(&Usage) -> String| {
        move || store.section(Section::Usage, |state| words(&state.usage)).unwrap_or_default()
    };
    let context = |usage: &Usage| {
        let (tokens, limit) = (usage.context_tokens.unwrap_or(0), usage.context_limit.unwrap_or(0));
        page::CONTEXT_TOKENS.with(&[("tokens", Value::Count(tokens)), ("limit", Value::Count(limit))])
    };
    let read = move || {
        let tokens = store.section(Section::Usage, |state| state.usage.input_tokens).unwrap_or_default();
        let calls = store.section(Section::Session, |state| state.llm_calls).unwrap_or_default();
        let calls = Value::Count(i64::try_from(calls).unwrap_or(i64::MAX));
        page::READ_TOKENS.with(&[("tokens", Value::Count(tokens)), ("calls", calls)])
    };
    let written = |usage: &Usage| page::WRITTEN_TOKENS.with(&[("n", Value::Count(usage.output_tokens))]);
    let permissions = |state: &State| {
        let mode = state.info.permission_mode.as_deref()?;
        Some(composer::PERMISSION_NAME.with(&[("mode", mode.into())]))
    };
    let connection = move || {
        let state = store.connection.get().0;
        page::CONNECTION_STATE.with(&[("state", state.word().into())])
    };
    let summary = el("summary")
        .attr("aria-label", move || words(page::CONTEXT_FULL))
        .child(ring)
        .child(el("span").text(move || words(page::PERCENT)));
    let facts = el("dl").class("facts pop");
    let facts = facts.child(el("dt").text(page::CONTEXT.text())).child(el("dd").text(usage(context)));
    let facts = facts.child(el("dt").text(page::READ.text())).child(el("dd").text(read));
    let facts = facts.child(el("dt").text(page::WRITTEN.text())).child(el("dd").text(usage(written)));
    let facts = detail(facts, page::MODEL, text_of(store, |state| state.info.model.clone()));
    let facts = detail(facts, page::MODE, text_of(store, status_line::mode));
    let facts = detail(facts, page::PERMISSIONS, text_of(store, permissions));
    let facts = detail(facts, page::DIRECTORY, text_of(store, |state| state.info.cwd.clone()));
    let facts = detail(facts, page::REPOSITORY, text_of(store, |state| state.info.repository.clone()));
    let facts = detail(facts, page::REPOSITORY_ROOT, text_of(store, |state| state.info.git_root.clone()));
    let facts = detail(facts, page::BRANCH, text_of(store, |state| state.info.branch.clone()));
    let facts = facts.child(el("dt").text(page::CONNECTION.text())).child(el("dd").text(connection));
    el("details").class("meter").child(summary).child(facts)
}

/// Adds a name with a value, while there is a value.
fn detail(facts: El, name: Word, text: Memo<String>) -> El {
    facts.child(move || {
        let text = text.get();
        if text.is_empty() { Vec::new() } else { vec![el("dt").text(name.text()), el("dd").text(&text)] }
    })
}
