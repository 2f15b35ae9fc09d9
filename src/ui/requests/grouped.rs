//! Shows permissions of one kind that wait together as one card: the place of each in
//! it, and one answer for all.

use leptos::prelude::*;

use super::answer_controls::{AnswerControls, keep_focus};
use super::permission::line;
use super::read_guard::guard;
use crate::core::State;
use crate::core::i18n::words::requests;
use crate::core::model::answer::Answer;
use crate::core::model::change::Section;
use crate::core::model::request::{Request, RequestKind, RequestStage};
use crate::core::view_model::approval::{scope, subject};
use crate::store::{RowSignals, Store};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;

/// The place of a request in a card that it shares with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// Which of them it is: `first`, `middle` or `last`.
    pub place: &'static str,
    /// All that are open are single lines.
    lines: bool,
    /// How many can be answered.
    open: usize,
    /// How many wait, and may be allowed together once they have been seen.
    plain: usize,
    /// Those that have been seen, by id.
    ready: Vec<String>,
}

/// How many requests before and after one are looked at. Each card in view looks at its own, with every change: thousands of
/// requests at once would stop the page.
const MOST: usize = 50;

/// Whether a permission has no warnings, and no policy that requires a person: it may
/// then be allowed with others.
pub fn is_plain(state: &State, request: &Request) -> bool {
    request.kind == RequestKind::Permission && {
        let subject = subject(request, state.info.cwd.as_deref());
        let managed = request.permission().and_then(|whole| whole.get("managedApprovalRequired")?.as_bool());
        subject.cautions.is_empty() && managed != Some(true)
    }
}

/// The place of a request in a shared card, as long as one of those in it is open.
pub fn shared(store: Store, index: usize) -> Memo<Option<Shared>> {
    memo(move || {
        let seen = store.view_state.seen_requests;
        let any = |state: &State| !state.open_requests.is_empty();
        if store.section(Section::Pending, any) != Some(true) {
            return None;
        }
        store.rows().track();
        store.read(|state| share(store, state, index, &seen.get())).flatten()
    })
}

fn share(store: Store, state: &State, index: usize, seen: &[String]) -> Option<Shared> {
    let kind = |place: usize| {
        let entry = state.entry(place)?;
        Some((scope::permission_kind(entry.request()?)?, entry.agent_id.as_deref()))
    };
    let asked = kind(index)?;
    // Rows that are hidden in the timeline do not separate requests.
    let shows = |place: &usize| !store.rows().is_hidden(*place);
    let alike = |place: &usize| kind(*place) == Some(asked);
    let before = (0..index).rev().filter(shows).take_while(alike).take(MOST);
    let after = (index + 1..state.entries.len()).filter(shows).take_while(alike).take(MOST);
    let mut places: Vec<usize> = before.collect();
    places.reverse();
    places.push(index);
    places.extend(after);
    if places.len() < 2 {
        return None;
    }
    // A request with a warning stands alone, and separates those around it.
    let request = |place: usize| state.entry(place).and_then(|entry| entry.request());
    let is_plain = |place: &usize| request(*place).is_some_and(|request| is_plain(state, request));
    let run = places.split(|place| !is_plain(place)).find(|run| run.contains(&index))?;
    let open: Vec<usize> =
        run.iter().copied().filter(|place| request(*place).is_some_and(Request::open)).collect();
    let (first, last) = (*run.first()?, *run.last()?);
    if first == last || open.is_empty() {
        return None;
    }
    let cwd = state.info.cwd.as_deref();
    let is_line =
        |place: &usize| request(*place).is_some_and(|asked| line(asked, &subject(asked, cwd)).is_some());
    let waiting =
        |place: &&usize| request(**place).is_some_and(|request| request.stage == RequestStage::Waiting);
    let ids = open.iter().filter(waiting).filter_map(|place| state.entry(*place)).map(|entry| &entry.id);
    Some(Shared {
        place: if index == first {
            "first"
        } else if index == last {
            "last"
        } else {
            "middle"
        },
        lines: open.iter().all(is_line),
        open: open.len(),
        plain: ids.clone().count(),
        ready: ids.filter(|id| seen.contains(id)).cloned().collect(),
    })
}

/// The head of a shared card. Every request in one has it, because it marks the place (`data-card`).
pub fn head(shared: Memo<Option<Shared>>) -> El {
    let title = memo(move || {
        let shared =
            shared.get().filter(|shared| shared.place == "first" && shared.lines && shared.open > 1)?;
        Some(requests::READ_THESE.with(&[("n", shared.open.into())]))
    });
    div("card-head")
        .attr("data-card", move || shared.get().map(|shared| shared.place.to_owned()))
        .attr("data-lines", move || shared.get().is_some_and(|shared| shared.lines && shared.open > 1))
        .child(move || title.get().map(|title| el("h3").text(&title)))
}

/// The foot of a shared card: one answer for all that were seen from the first line to the last.
pub fn foot(store: Store, index: usize, row: RowSignals, shared: Memo<Option<Shared>>) -> El {
    let all = memo(move || {
        let shared = shared.get().filter(|shared| shared.place == "last" && shared.plain > 1)?;
        (!store.cannot_answer() && !store.reading.get()).then_some((shared.plain, shared.ready))
    });
    div("card-foot").child(move || {
        let (plain, ready) = all.get()?;
        if ready.len() < 2 {
            return Some(el("p").class("hint").text(requests::LOOK_FIRST.text()));
        }
        let words = if ready.len() == plain { requests::ALLOW_THESE } else { requests::ALLOW_ALL_SEEN };
        Some(untrack(|| group_answers(store, index, row, &words.with(&[("n", ready.len().into())]), ready)))
    })
}

/// The button for all. It shows how many and is rebuilt with the number, so it is not armed
/// at once, nor after it moved.
fn group_answers(store: Store, index: usize, row: RowSignals, words: &str, ready: Vec<String>) -> El {
    let controls = AnswerControls::new(store, index, row, "grouped".to_owned());
    let place = div("answers request-all").attr("tabindex", "-1");
    let element = place.element().clone();
    let button = el("button")
        .attr("type", "button")
        .class("btn")
        .attr("part", "button")
        .attr("data-answer-all", "approve-once")
        .attr("aria-disabled", move || (!controls.armed()).then(|| "true".to_owned()))
        .text(words)
        .on("click", move |event| {
            if controls.takes(event) {
                controls.unsettle();
                keep_focus(&element);
                for id in &ready {
                    store.answer(id, &Answer::ApproveOnce);
                }
            }
        });
    guard(controls, place.child(button))
}
