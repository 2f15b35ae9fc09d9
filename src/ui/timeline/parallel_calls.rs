//! The line above parallel calls of one message: how many, in which states, and how long they took. The calls
//! are rows of their own.

use crate::core::i18n;
use leptos::prelude::*;

use crate::core::i18n::Value;
use crate::core::i18n::words::timeline;
use crate::core::model::tool_call::ToolCall;
use crate::core::{Entry, EntryState, State};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::memo;
use crate::ui::message::{Piece, live_pieces};

/// A line that shows the calls that began with this one, or folds them.
pub fn parallel_calls(store: Store, index: usize, row: RowSignals) -> El {
    let open = memo(move || {
        store.rows().track();
        store.rows().parallel_calls_open(index)
    });
    let what = Box::new(move || {
        row.head.track();
        let calls = store.rows().parallel_calls(index).unwrap_or_default();
        let count = i64::try_from(calls.len()).unwrap_or(i64::MAX);
        let names = (!open.get()).then(|| store.read(|state| names(state, &calls))).flatten();
        let title = Piece::Text(timeline::TOGETHER.with(&[("n", Value::Count(count))]));
        [title].into_iter().chain(names.map(|names| Piece::span("quiet", format!(" · {names}")))).collect()
    });
    let end = Box::new(move || {
        row.head.track();
        let calls = store.rows().parallel_calls(index).unwrap_or_default();
        let figures = store.read(|state| figures(state, &calls)).unwrap_or_default();
        vec![Piece::span("dur", figures)]
    });
    let line = el("button")
        .class("row parallel")
        .attr("type", "button")
        .attr("aria-expanded", move || Some(open.get().to_string()))
        .child(glyph(Icon::List))
        .child(live_pieces(el("span").class("what"), what))
        .child(live_pieces(el("span").class("end"), end));
    press_guard::toggle(line.element(), open, move |_, open| {
        store.rows().set_parallel_calls_open(index, open);
    });
    line
}

/// The names of the tools, such as 'grep, view ×2'.
fn names(state: &State, calls: &[usize]) -> String {
    let mut counted: Vec<(&str, i64)> = Vec::new();
    for call in entries(state, calls).filter_map(Entry::tool) {
        match counted.iter_mut().find(|(name, _)| *name == call.name) {
            Some((_, times)) => *times += 1,
            None => counted.push((&call.name, 1)),
        }
    }
    let names = counted.into_iter().map(|(name, times)| match times {
        1 => name.to_owned(),
        _ => format!("{name} {}", timeline::TIMES.with(&[("n", Value::Count(times))])),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// States and duration, such as '1 waiting · 1 running · 1 failed · 1.4 s'; the duration is shown once all
/// have ended.
fn figures(state: &State, calls: &[usize]) -> String {
    let count = |wanted: EntryState, waits: bool| {
        let is = |entry: &&Entry| {
            entry.state == wanted && entry.tool().is_some_and(|call| call.is_waiting == waits)
        };
        let count = entries(state, calls).filter(is).count();
        i64::try_from(count).ok().filter(|count| *count > 0).map(|count| [("n", Value::Count(count))])
    };
    let all_ended = entries(state, calls).all(|entry| entry.tool().is_some_and(ToolCall::ended));
    let duration_ms = all_ended.then(|| time_of(state, calls)).flatten();
    let parts = [
        count(EntryState::Running, true).map(|n| timeline::WAITING_OF_THEM.with(&n)),
        count(EntryState::Running, false).map(|n| timeline::RUNNING_OF_THEM.with(&n)),
        count(EntryState::Failed, false).map(|n| timeline::FAILED_OF_THEM.with(&n)),
        count(EntryState::Denied, false).map(|n| timeline::DENIED_OF_THEM.with(&n)),
        duration_ms.filter(|ms| *ms >= 50).map(i18n::duration),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// From the first start to the last end. If they waited for a person, the time of the longest call: theirs overlap.
fn time_of(state: &State, calls: &[usize]) -> Option<i64> {
    let waited = entries(state, calls).any(|entry| entry.tool().is_some_and(|call| call.waited_ms > 0));
    if waited {
        return entries(state, calls).filter_map(Entry::took).max();
    }
    let begun = entries(state, calls).filter_map(|entry| entry.at).min();
    let ended = entries(state, calls).map(|entry| entry.ended_at).collect::<Option<Vec<_>>>();
    ended.and_then(|ended| ended.into_iter().max()).zip(begun).map(|(end, start)| end - start)
}

fn entries<'a>(state: &'a State, calls: &'a [usize]) -> impl Iterator<Item = &'a Entry> {
    calls.iter().filter_map(|place| state.entry(*place))
}
