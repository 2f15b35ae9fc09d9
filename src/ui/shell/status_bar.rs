//! The one-line header: what the agent is doing, for how long, where, with which model, and how full its
//! context is.
//!
//! Connection trouble is shown by the strip in `states`.

use leptos::prelude::*;

use super::clock::Clock;
use super::states::watchers;
use super::toolbar::toolbar;
use crate::core::State;
use crate::core::connection::ConnectionState;
use crate::core::i18n::format::{count, without_marks};
use crate::core::i18n::words::{board, composer, page, timeline};
use crate::core::i18n::{Value, Word};
use crate::core::model::state::Section;
use crate::core::model::usage::Usage;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::snapshot;
use crate::core::view_model::status_line::{self, context_percent};
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
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
        store.section(Section::Session, State::shown_status).unwrap_or("idle").to_owned()
    });
    let word = move || {
        let word = store
            .connection
            .with(|(state, _)| status_line::status(&status.get(), state, store.readonly.get()));
        word.text().to_owned()
    };
    let title = memo(move || without_marks(&session_text(store, snapshot::title)));
    let intent = memo(move || without_marks(&session_text(store, status_line::intent)));
    let clock = Clock::new(store, status);
    let quiet = memo(move || status_line::silence_note(clock.silent_ms()));
    let elapsed = memo(move || {
        let running_ms = store.section(Section::Session, |state| state.info.running_for()).flatten();
        status_line::elapsed(running_ms, clock.silent_ms())
    });
    let allows_all = memo(move || {
        let mode = |state: &State| state.info.permission_mode.as_deref() == Some("allow-all");
        store.section(Section::Session, mode).unwrap_or(false)
    });
    let replaying = memo(move || matches!(store.connection.get().0, ConnectionState::Replaying));
    let readonly = store.readonly;
    let tag = |icon, word: Word| {
        el("span")
            .class("tag")
            .attr("title", word.text())
            .child(glyph(icon))
            .child(el("span").text(word.text()))
    };
    let bar = el("header")
        .class("bar")
        .attr("part", "header")
        .attr("data-status", move || Some(status.get()).filter(|status| !status.is_empty()));
    // Text that does not fit can be read in the tooltip.
    let phrase = |class: &'static str, text: Memo<String>| {
        let span = el("span").class(class);
        span.attr("title", move || Some(text.get()).filter(|text| !text.is_empty())).text(move || text.get())
    };
    let lines = div("bar-lines")
        .child(el("span").class("word").text(word))
        .child(phrase("session-title", title))
        .child(phrase("intent", intent))
        .child(queue(store));
    let bar = bar
        .child(el("slot").attr("name", "header-start"))
        .child(el("span").class("dot"))
        .child(fact(lines, "fact quiet", quiet))
        .child(move || replaying.get().then(|| tag(Icon::Clock, page::NO_SERVER)))
        .child(move || readonly.get().then(|| tag(Icon::Lock, page::READ_ONLY)))
        .child(move || allows_all.get().then(permission_warning));
    // The agent comes first: it is what is left where there is little room.
    let agent = memo(move || session_text(store, |state| state.info.agent.clone()));
    let facts = fact(div("bar-facts"), "fact by", agent);
    let facts = fact(facts, "fact elapsed", elapsed);
    let facts = fact(facts, "fact bytes", memo(move || session_text(store, status_line::response_size)));
    let facts = fact(facts, "fact mode", memo(move || session_text(store, status_line::mode)));
    let facts = fact(facts, "fact model", memo(move || session_text(store, status_line::model)));
    let facts = fact(facts, "fact place", memo(move || session_text(store, status_line::directory)));
    let own = el("slot").attr("name", "header");
    let list = store.watchers();
    let watched = memo(move || list.with(|watchers| !watchers.is_empty()));
    let watchers = move || watched.get().then(|| watchers(list)).flatten();
    meter(bar.child(facts).child(watchers), store).child(own).child(toolbar(store))
}

/// A text from the session section of the state; empty if there is none. Subscribes.
fn session_text(store: Store, read: fn(&State) -> Option<String>) -> String {
    store.section(Section::Session, read).flatten().unwrap_or_default()
}

/// Adds a text that is shown while it is not empty.
fn fact(bar: El, class: &'static str, text: Memo<String>) -> El {
    bar.child(move || {
        let text = text.get();
        (!text.is_empty()).then(|| el("span").class(class).text(&text))
    })
}

/// A warning, shown while commands and file changes need no permission.
fn permission_warning() -> El {
    let text = el("span").text(page::ALLOWS_ALL.text());
    let tip = page::ALLOWS_ALL_TIP.text();
    el("span").class("chip allows").attr("title", tip).child(glyph(Icon::Warning)).child(text)
}

/// How many messages are queued or, if the server does not list them, how often the queue changed. Hidden
/// while there is nothing to show.
fn queue(store: Store) -> El {
    let known = move || store.section(Section::Queue, status_line::queued).flatten();
    let changed = move || store.section(Section::Queue, |state| state.queue.changed).unwrap_or_default();
    let is_listed = memo(move || known().is_some());
    el("span")
        .class("chip")
        .attr("data-queue-count", move || match (known(), changed()) {
            (None, 1..) => Some(String::new()),
            (known, _) => Some(known.unwrap_or(0).to_string()),
        })
        .attr("title", move || known().map(|n| page::QUEUE_WAITS.with(&[("n", n.into())])))
        .child(glyph(Icon::Queue))
        .text(move || match known() {
            Some(n) => count(i64::try_from(n).unwrap_or(i64::MAX)),
            None => page::QUEUE_CHANGED.with(&[("n", changed().into())]),
        })
        .child(move || is_listed.get().then(|| el("span").text(page::QUEUED.text())))
}

/// The context window as a ring, with figures on request.
fn meter(bar: El, store: Store) -> El {
    let full = move || store.section(Section::Usage, |state| context_percent(&state.usage)).flatten();
    let known = memo(move || full().is_some());
    bar.child(move || known.get().then(|| meter_of(store, Box::new(move || full().unwrap_or(0)))))
}

fn meter_of(store: Store, full: Box<dyn Fn() -> i64 + Send + Sync>) -> El {
    let percent = memo(move || full().to_string());
    let ring = el("span").class("ring").attr("style", move || Some(format!("--_v:{}", percent.get()))).attr(
        "data-level",
        move || {
            let high = percent.with(|percent| percent.parse::<i64>()).is_ok_and(|percent| percent >= 80);
            high.then(|| "high".to_owned())
        },
    );
    let words = move |word: Word| {
        let percent = percent.with(|percent| percent.parse::<i64>()).unwrap_or(0);
        word.with(&[("n", percent.into())])
    };
    let summary = el("summary")
        .attr("aria-label", move || Some(words(page::CONTEXT_FULL)))
        .child(ring)
        .child(el("span").text(move || words(page::PERCENT)));
    let usage = move |tell: fn(&Usage) -> String| {
        store.section(Section::Usage, |state| tell(&state.usage)).unwrap_or_default()
    };
    let calls = move || store.section(Section::Session, |state| state.llm_calls).unwrap_or_default();
    let list = el("dl").class("facts pop");
    let list = list.child(el("dt").text(page::CONTEXT.text())).child(el("dd").text(move || {
        usage(|usage| {
            let (tokens, limit) = (usage.context_tokens.unwrap_or(0), usage.context_limit.unwrap_or(0));
            page::CONTEXT_TOKENS.with(&[("tokens", Value::Count(tokens)), ("limit", Value::Count(limit))])
        })
    }));
    let list = list.child(el("dt").text(page::READ.text())).child(el("dd").text(move || {
        let tokens = store.section(Section::Usage, |state| state.usage.input_tokens).unwrap_or_default();
        if calls() == 0 {
            return timeline::TOKENS.with(&[("n", Value::Count(tokens))]);
        }
        page::READ_TOKENS.with(&[
            ("tokens", Value::Count(tokens)),
            ("calls", Value::Count(i64::try_from(calls()).unwrap_or(i64::MAX))),
        ])
    }));
    let list =
        list.child(el("dt").text(page::WRITTEN.text())).child(el("dd").text(move || {
            usage(|usage| page::WRITTEN_TOKENS.with(&[("n", Value::Count(usage.output_tokens))]))
        }));
    let list = detail(list, store, board::AGENT, |state| state.info.agent.clone());
    let list = detail(list, store, page::MODEL, |state| state.info.model.clone());
    let list = detail(list, store, page::MODE, status_line::mode);
    let list = detail(list, store, page::PERMISSIONS, |state| {
        let mode = state.info.permission_mode.as_deref()?;
        Some(composer::PERMISSION_NAME.with(&[("mode", mode.into())]))
    });
    let list = detail(list, store, page::DIRECTORY, |state| state.info.cwd.clone());
    let list = detail(list, store, page::REPOSITORY, |state| state.info.repository.clone());
    let list = detail(list, store, page::REPOSITORY_ROOT, |state| state.info.git_root.clone());
    let list = detail(list, store, page::BRANCH, |state| state.info.branch.clone());
    let list = list.child(el("dt").text(page::CONNECTION.text())).child(el("dd").text(move || {
        let state = store.connection.get().0;
        page::CONNECTION_STATE.with(&[("state", state.word().into())])
    }));
    el("details").class("meter").child(summary).child(list)
}

/// Adds a name and a value to the list, while there is a value.
fn detail(list: El, store: Store, name: Word, read: fn(&State) -> Option<String>) -> El {
    let value = memo(move || session_text(store, read));
    list.child(move || {
        let value = value.get();
        if value.is_empty() { Vec::new() } else { vec![el("dt").text(name.text()), el("dd").text(&value)] }
    })
}
