//! The head of the board and its tools: filter, groups, and whether tiles or rows are shown.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlSelectElement, KeyboardEvent};

use super::{BoardView, keys};
use crate::core::i18n::Word;
use crate::core::i18n::words::board as words;
use crate::core::model::board::{Board, Grouping, SessionFilter, Status};
use crate::core::view_model::board_head::{self, NewSessionPlace};
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};

/// The title, the counts, the filter and the groups.
#[component(transparent)]
pub(super) fn BoardHead(
    /// The board's state.
    view: BoardView,
) -> El {
    let store = view.store;
    let waiting = memo(move || store.all(Board::waiting).unwrap_or(0));
    let any = memo(move || store.all(|board| !board.sessions().is_empty()).unwrap_or(false));
    let count = memo(move || store.all(board_head::count).unwrap_or_default());
    let title =
        el("h1").text(words::TITLE.text()).child(el("span").class("board-count").text(move || count.get()));
    let words = move || board_head::waiting(waiting.get(), store.readonly.get());
    let waits = el("span").class("board-waits").attr("data-reserved", move || waiting.get() == 0);
    let waits = waits.child(el("span").class("dot")).child(el("span").text(words));
    let bar = el("header").class("board-head").attr("part", "header").child(title).child(waits);
    let menu = el("slot").attr("name", "menu");
    bar.child(tools(view)).child(menu).child(move || if any.get() { filters(view) } else { Vec::new() })
}

fn filters(view: BoardView) -> Vec<El> {
    let store = view.store;
    let field = el("input")
        .class("input board-filter")
        .attr("type", "search")
        .attr("data-filter", "")
        .attr("aria-label", words::FILTER.text())
        .attr("placeholder", words::FILTER.text())
        .attr("autocomplete", "off")
        .attr("spellcheck", "false");
    let cleared = field.element().clone();
    render_effect(move || {
        // The filter may have been cleared from elsewhere.
        if view.filter.with(|filter| filter.words.is_empty())
            && let Some(field) = cleared.dyn_ref::<web_sys::HtmlInputElement>()
            && !field.value().trim().is_empty()
        {
            field.set_value("");
        }
    });
    let field = field
        .on("input", move |event| {
            let typed = event_target_value(event);
            view.filter.update(|filter| filter.set_words(&typed));
        })
        .on("keydown", move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            if event.key() == "Escape" && !view.filter.with_untracked(SessionFilter::is_open) {
                event.prevent_default();
                view.filter.set(SessionFilter::default());
            }
        });
    let status = choice(
        words::STATUS,
        "status",
        move || board_head::statuses(store.readonly.get()),
        move || view.filter.with(|filter| filter.status.map_or("", Status::word).to_owned()),
        move |word| {
            let status = (!word.is_empty()).then(|| Status::of(&word));
            view.filter.update(|filter| filter.status = status);
        },
    );
    let repository = name_choice(
        view,
        NameFilter {
            label: words::REPOSITORY,
            hook: "repository",
            all: board_head::repositories,
            choices: |all, chosen| board_head::name_choices(words::REPOSITORY_ANY, all, chosen),
            chosen: |filter| filter.repository.as_ref(),
            choose: |filter, name| filter.repository = name,
        },
    );
    let machine = name_choice(
        view,
        NameFilter {
            label: words::MACHINE,
            hook: "machine",
            all: board_head::machines,
            choices: |all, chosen| board_head::name_choices(words::MACHINE_ANY, all, chosen),
            chosen: |filter| filter.machine.as_ref(),
            choose: |filter, name| filter.machine = name,
        },
    );
    let agent = name_choice(
        view,
        NameFilter {
            label: words::AGENT,
            hook: "agent",
            all: board_head::agents,
            choices: board_head::agent_choices,
            chosen: |filter| filter.agent.as_ref(),
            choose: |filter, name| filter.agent = name,
        },
    );
    let group = move || {
        let named = view.named.get();
        choice(
            words::GROUP,
            "group",
            move || board_head::groupings(named.machine, named.agent, view.grouping.get_untracked()),
            move || view.grouping.get().word().to_owned(),
            move |word| view.grouping.set(Grouping::of(&word)),
        )
    };
    let rows = icon_only_button(Icon::List, words::AS_LIST)
        .attr("aria-pressed", move || Some(view.as_list.get().to_string()))
        .on("click", move |_| view.as_list.update(|on| *on = !*on));
    let search = div("board-search").child(glyph(Icon::Search)).child(field);
    // In the narrow list beside a session the choices show only while one of them hides something.
    let is_used = |filter: &SessionFilter| {
        let of_place = filter.repository.is_some() || filter.machine.is_some();
        filter.status.is_some() || of_place || filter.agent.is_some()
    };
    let used = move || view.filter.with(is_used);
    let choices = div("board-choices").attr("data-used", used);
    vec![search, choices.child(status).child(repository).child(machine).child(agent).child(group).child(rows)]
}

/// The buttons for a thumb: at the foot where the board is narrow, in the head where it is wide. Each keeps its place
/// while the other one comes and goes.
fn tools(view: BoardView) -> El {
    let store = view.store;
    let waiting = memo(move || store.all(Board::waiting).unwrap_or(0));
    let next = el("button").class("btn board-next").attr("type", "button").attr("part", "button");
    let next = next.attr("data-reserved", move || waiting.get() == 0);
    let next = next.on("click", move |event| _ = keys::next_waiting(view, event));
    let next = next.child(glyph(Icon::ArrowDown)).child(el("span").text(words::NEXT.text()));
    let elsewhere = memo(move || new_session_place(view) != Some(NewSessionPlace::Tools));
    let new = move || {
        let button = || new_button(view, "btn").attr("data-reserved", move || elsewhere.get());
        store.can("create").then(button)
    };
    div("board-tools").child(next).child(new)
}

/// A note that the order has changed, with a button to sort. It lies over the tiles and moves none of them.
#[component(transparent)]
pub(super) fn OrderChanged(
    /// The board's state.
    view: BoardView,
) -> Live {
    Live::new(move || {
        view.outdated.get().then(|| {
            let button = el("button").class("btn small").attr("type", "button").attr("part", "button");
            let button = button.on("click", move |_| view.sort_again()).text(words::SORT_NOW.text());
            let words = el("span").attr("role", "status").text(words::ORDER_CHANGED.text());
            div("board-order").child(words).child(button)
        })
    })
}

/// Where the button for a new session stands. Subscribes.
pub(super) fn new_session_place(view: BoardView) -> Option<NewSessionPlace> {
    let has_sessions = view.store.all(|board| !board.sessions().is_empty()).unwrap_or(false);
    board_head::new_session_place(has_sessions, view.creating.get())
}

/// The button that opens the form for a new session.
pub(super) fn new_button(view: BoardView, class: &str) -> El {
    let button = el("button").class(class).attr("type", "button").attr("part", "button");
    let button = button.attr("data-new", "").on("click", move |_| view.creating.set(true));
    button.child(glyph(Icon::Spark)).child(el("span").text(words::NEW.text()))
}

/// A button that is only an icon.
pub(super) fn icon_only_button(icon: Icon, name: Word) -> El {
    el("button")
        .class("btn bare")
        .attr("type", "button")
        .attr("part", "button")
        .attr("aria-label", name.text())
        .attr("title", name.text())
        .child(glyph(icon))
}

/// Something that can be chosen: its value, and its words.
type Choice = (String, String);

/// A part of the filter that is a name which sessions have.
struct NameFilter {
    label: Word,
    hook: &'static str,
    /// The names of all sessions.
    all: fn(&Board) -> Vec<String>,
    /// What can be chosen of these names while one is chosen.
    choices: fn(Vec<String>, Option<String>) -> Vec<Choice>,
    chosen: fn(&SessionFilter) -> Option<&String>,
    choose: fn(&mut SessionFilter, Option<String>),
}

/// The choice of a name, where sessions have several.
fn name_choice(view: BoardView, part: NameFilter) -> impl Fn() -> Option<El> {
    let NameFilter { label, hook, all, choices, chosen, choose } = part;
    let names = memo(move || view.store.all(all).unwrap_or_default());
    move || {
        (names.with(Vec::len) > 1).then(|| {
            choice(
                label,
                hook,
                move || choices(names.get(), view.filter.with_untracked(|filter| chosen(filter).cloned())),
                move || view.filter.with(|filter| chosen(filter).cloned().unwrap_or_default()),
                move |name| {
                    let name = (!name.is_empty()).then_some(name);
                    view.filter.update(|filter| choose(filter, name));
                },
            )
        })
    }
}

/// A native select.
fn choice(
    name: Word,
    hook: &str,
    options: impl Fn() -> Vec<Choice> + 'static,
    chosen: impl Fn() -> String + 'static,
    choose: impl Fn(String) + 'static,
) -> El {
    let select = el("select").class("input board-choice").attr("data-choice", hook);
    let select = select.attr("aria-label", name.text());
    let select = select.child(move || {
        let option = |(value, words): Choice| el("option").attr("value", &value).text(&words);
        options().into_iter().map(option).collect::<Vec<_>>()
    });
    let element = select.element().clone();
    render_effect(move || {
        let chosen = chosen();
        if let Some(select) = element.dyn_ref::<HtmlSelectElement>()
            && select.value() != chosen
        {
            select.set_value(&chosen);
        }
    });
    select.on("change", move |event| choose(event_target_value(event)))
}
