//! The list of everything that waits for a person: what is asked, by whom, since when, and a link to each.
//! One answer is offered for permissions that were seen and have no warnings.

use crate::core::i18n;
use crate::core::view_model::permission_card::{is_plain, may_be_allowed_together};
use gloo_timers::callback::{Interval, Timeout};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::card::exact;
use crate::core::State;
use crate::core::i18n::words::{page, requests};
use crate::core::model::answer::Answer;
use crate::core::model::request::{RequestKind, RequestStage};
use crate::core::model::state::Section;
use crate::core::text::review_marks::TextKind;
use crate::core::view_model::agent_name;
use crate::core::view_model::entry_words::{request_name, text};
use crate::core::view_model::icon::Icon;
use crate::core::view_model::permission_line::permission;
use crate::store::Store;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::page_visibility::is_visible;
use crate::ui::elements::reactive::{keep_with_owner, memo, render_effect};

/// Same as on a card: what has just appeared takes no press for this many milliseconds.
const ARMING: u32 = 400;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    row: usize,
    id: String,
    icon: Icon,
    kind: &'static str,
    what: String,
    agent: Option<String>,
    /// When it was asked, in milliseconds since 1970.
    since: Option<i64>,
    /// It may be allowed together with others: a waiting permission without warnings.
    plain: bool,
    /// Nothing about it needs care.
    harmless: bool,
    /// Somebody has seen all of it.
    seen: bool,
}

/// How many characters of a request a line shows; its card shows all.
const WHAT: usize = 120;

fn lines(state: &State, seen: &[String]) -> Vec<Line> {
    let line = |row: &usize| {
        let entry = state.entry(*row)?;
        let request = entry.request()?;
        let line = permission(&request.details, state.info.cwd.as_deref())
            .filter(|_| request.kind == RequestKind::Permission);
        let text = match line {
            Some((word, object)) => word.with(&[("object", (&object).into())]).into(),
            None => text(entry),
        };
        let what = text.trim().lines().next().unwrap_or_default();
        let mut short: String = what.chars().take(WHAT).collect();
        if short.len() < text.trim().len() {
            short.push('…');
        }
        Some(Line {
            row: *row,
            id: entry.id.clone(),
            icon: icon(request.kind),
            kind: request_name(request.kind).text(),
            what: short,
            agent: state
                .asker(*row)
                .map(|asker| agent_name::shown(&asker.name.unwrap_or_default()).to_owned()),
            since: entry.at,
            plain: request.stage == RequestStage::Waiting && may_be_allowed_together(state, request),
            harmless: is_plain(state, request),
            seen: seen.contains(&entry.id),
        })
    };
    state.open_requests.iter().filter_map(line).collect()
}

fn icon(kind: RequestKind) -> Icon {
    match kind {
        RequestKind::Permission => Icon::Shield,
        RequestKind::UserInput | RequestKind::Confirmation => Icon::Question,
        RequestKind::Elicitation | RequestKind::ExitPlanMode => Icon::List,
        RequestKind::ExternalTool => Icon::Plug,
        RequestKind::QueuedCommand | RequestKind::Command => Icon::Terminal,
        RequestKind::AutoModeSwitch => Icon::Info,
        RequestKind::SessionLimits => Icon::Warning,
        RequestKind::McpOauth => Icon::Globe,
        RequestKind::Sampling => Icon::Spark,
    }
}

/// The list, open. It takes the focus, since somebody has asked for it, and gives it back.
pub fn waiting(store: Store) -> El {
    let view_state = store.view_state;
    let all = memo(move || {
        let seen = view_state.seen_requests.get();
        store.section(Section::Pending, |state| lines(state, &seen)).unwrap_or_default()
    });
    let now = RwSignal::new(js_sys::Date::now());
    let (ticking, seen) = (StoredValue::new_local(None::<Interval>), is_visible());
    render_effect(move || {
        now.set(js_sys::Date::now());
        ticking.set_value(seen.get().then(|| Interval::new(1_000, move || now.set(js_sys::Date::now()))));
    });
    let close = move || view_state.waiting.set(false);
    let title = move || {
        let n = all.with(Vec::len);
        if n == 0 {
            requests::NOTHING_WAITS.text().to_owned()
        } else {
            let words = if store.readonly.get() { page::REQUESTS_WAIT_READ_ONLY } else { requests::WAITING };
            words.with(&[("n", n.into())])
        }
    };
    let shut = el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", requests::CLOSE_LIST.text())
        .child(glyph(Icon::Cross))
        .on("click", move |_| close());
    let head = el("header").child(el("h2").attr("id", "ph-waiting").text(title)).child(shut);
    let list =
        el("ol").child(move || all.get().into_iter().map(|line| item(store, line, now)).collect::<Vec<_>>());
    let panel = el("section")
        .class("waiting")
        .attr("part", "waiting")
        .attr("role", "region")
        .attr("tabindex", "-1")
        .attr("data-waiting", "")
        .attr("aria-labelledby", "ph-waiting")
        .child(head)
        .child(list)
        .child(move || all_at_once(store, &all.get()));
    let element: HtmlElement = panel.element().clone().unchecked_into();
    request_animation_frame(move || {
        // A focus that fails leaves the focus where it is, which is no harm.
        let first = element.query_selector("button.go").ok().flatten();
        let _ = first.and_then(|first| first.dyn_into().ok()).unwrap_or(element).focus();
    });
    panel.on("keydown", move |event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
            event.stop_propagation();
            close();
            back(store);
        }
    })
}

/// Gives the focus back: to the first request that waits, if there is one.
fn back(store: Store) {
    let row = store.read(|state| state.open_requests.first().copied()).flatten();
    if let Some(row) = row {
        store.view_state.go_to(row);
    }
}

fn item(store: Store, line: Line, now: RwSignal<f64>) -> El {
    let Line { row, since, .. } = line;
    let age = move || {
        let age = since.map(|since| (now.get() as i64 - since).max(0) / 1000 * 1000);
        age.map(i18n::duration).unwrap_or_default()
    };
    let note = match (line.plain, line.seen) {
        (true, false) => Some(requests::NOT_SEEN),
        (false, _) if line.icon == Icon::Shield && !line.harmless => Some(requests::HEED),
        _ => None,
    };
    let agent =
        line.agent.map(|agent| exact(el("span").class("tag").attr("dir", "auto"), &agent, TextKind::Line));
    let facts = el("span").class("facts-line").child(el("span").text(line.kind)).child(agent);
    let facts = facts.child(el("span").class("age").text(age));
    let facts = facts.child(note.map(|note| el("span").class("note").text(note.text())));
    let what = el("span").class("what").attr("dir", "auto").attr("translate", "no");
    let what = exact(what, &line.what, TextKind::Line);
    let button = el("button")
        .attr("type", "button")
        .class("go")
        .attr("data-go", &line.id)
        .child(glyph(line.icon))
        .child(what)
        .child(facts)
        .on("click", move |_| store.view_state.go_to(row));
    el("li").child(button)
}

/// One answer for several permissions: those that were seen from the first line to the last and have no
/// warnings. It shows how many and is rebuilt with the number, so it is not armed at once.
fn all_at_once(store: Store, all: &[Line]) -> Vec<El> {
    let waiting = all.iter().filter(|line| line.plain).count();
    if waiting < 2 || store.cannot_answer() {
        return Vec::new();
    }
    let ready: Vec<String> =
        all.iter().filter(|line| line.plain && line.seen).map(|line| line.id.clone()).collect();
    if ready.len() < 2 {
        return vec![el("p").class("hint").text(requests::LOOK_FIRST.text())];
    }
    let armed = RwSignal::new(false);
    keep_with_owner(Timeout::new(ARMING, move || _ = armed.try_set(true)));
    let words = requests::ALLOW_ALL_SEEN.with(&[("n", ready.len().into())]);
    let button = el("button")
        .attr("type", "button")
        .class("btn")
        .attr("part", "button")
        .attr("data-answer-all", "approve-once")
        .attr("aria-disabled", move || (!armed.get() || store.is_cut_off()).then(|| "true".to_owned()))
        .text(&words)
        .on("click", move |_| {
            if armed.get_untracked() && !untrack(|| store.is_cut_off()) {
                armed.set(false);
                for id in &ready {
                    store.answer(id, &Answer::ApproveOnce);
                }
            }
        });
    vec![div("answers").child(button)]
}
