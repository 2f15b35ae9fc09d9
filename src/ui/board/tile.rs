//! One session in a tile or a row: what it is, what it does, whether it waits. Lines with nothing to say stay
//! empty, so that all tiles are equally high while nobody answers in them.

use std::sync::atomic::{AtomicUsize, Ordering};

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, MouseEvent};

use super::recent_activity::is_second_click;
use super::requests;
use super::{BoardView, keys};
use crate::core::i18n::words::{board as words, page};
use crate::core::model::board::Summary;
use crate::core::view_model::board_row::{self, TileAction, TilePlace};
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::exact::live_exact;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::message::moment;

/// Numbers the ids of elements, which must differ between two boards.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// A session as a tile or a row: what it is, what it does, whether it waits; its open requests can be answered in it.
#[component(transparent)]
pub fn BoardTile(
    /// The board's state.
    view: BoardView,
    /// The session's id.
    #[prop(into)]
    id: String,
) -> El {
    let id = id.as_str();
    let store = view.store;
    let tick = store.subscribe(id);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let named = |part: &str| format!("ph-tile-{number}-{part}");
    let own = id.to_owned();
    // A session that is gone is shown as it was, until its tile may go.
    let known = Memo::new(move |before: Option<&Summary>| {
        tick.track();
        store.session(&own, Clone::clone).or_else(|| before.cloned()).unwrap_or_default()
    });
    let own = id.to_owned();
    let is_removed = memo(move || {
        tick.track();
        store.session(&own, |_| ()).is_none()
    });
    let own = id.to_owned();
    let chosen = memo(move || view.answering.with(|answering| answering.contains(&own)));
    let own = id.to_owned();
    let open = memo(move || store.open.with(|open| open.as_deref() == Some(&own)));
    let short = memo(move || known.with(board_row::asks_little));
    let cards = Cards { chosen, offered: offer_cards(view, known, short), open };
    let answering = memo(move || chosen.get() || view.beside.get() && cards.by_itself());
    let status = memo(move || known.with(Summary::shown_status));
    let word = memo(move || known.with(|known| board_row::word(known, store.readonly.get()).text()));
    let word = move || word.get().to_owned();
    let top = div("tile-top")
        .child(el("span").class("dot"))
        .child(el("span").class("word").attr("id", named("word")).text(word))
        .child(el("span").class("tile-age").text(move || age(view, known)));
    let title = memo(move || known.with(board_row::title));
    let opener = open_control(view, id)
        .attr("aria-describedby", format!("{} {}", named("word"), named("doing")))
        .attr("aria-current", move || open.get().then(|| "true".to_owned()))
        .child(live_exact(el("span").attr("dir", "auto"), title));
    let machine =
        memo(move || known.with(|known| board_row::machine_and_agent(known, view.named.get(), moment)));
    let away = memo(move || known.with(|known| known.away().is_some()));
    let machine_host = el("span")
        .class("tile-machine")
        // The sentence has the page's direction, a name its own.
        .attr("dir", move || (!away.get()).then_some("auto"))
        .attr("translate", "no")
        .attr("title", move || Some(machine.get()).filter(|words| !words.is_empty()));
    let machine = live_exact(machine_host, machine);
    let place = el("span").attr("dir", "auto").attr("title", move || known.with(|known| known.cwd.clone()));
    let place = live_exact(place, memo(move || known.with(board_row::place)));
    let model = memo(move || known.with(|known| known.model.clone()).unwrap_or_default());
    let model = el("span").class("tile-model").text(move || model.get());
    // In the list beside a session the word stands in this line. Screen readers have it from the line above.
    let line_word = el("span").class("tile-word").attr("aria-hidden", "true").text(word);
    let place = el("p").class("tile-place").child(line_word).child(place).child(model);
    let asked =
        memo(move || known.with(board_row::request).filter(|_| !is_removed.get()).unwrap_or_default());
    let doing_words =
        memo(
            move || {
                if is_removed.get() { words::GONE.text().to_owned() } else { known.with(board_row::activity) }
            },
        );
    let doing = el("p")
        .class("tile-doing")
        .attr("id", named("doing"))
        .attr("title", move || Some(doing_words.get()).filter(|doing| !doing.is_empty()))
        .child(live_exact(el("span"), asked))
        // A path or a command may have the other direction.
        .child(live_exact(el("bdi").attr("translate", "no"), doing_words));
    let own = id.to_owned();
    let folded = StoredValue::new(id.to_owned());
    let fold = move || {
        if let Some(id) = folded.try_get_value() {
            view.answering.try_update(|answering| answering.remove(&id));
            cards.offered.try_set(false);
        }
    };
    let asks = move || answering.get().then(|| untrack(|| requests::request_cards(view, &own, fold)));
    let says = move || {
        !answering.get()
            && (asked.with(|asked| !asked.is_empty()) || doing_words.with(|doing| !doing.is_empty()))
    };
    let li = el("li")
        .class("tile")
        .attr("part", "tile")
        .attr("data-session", id)
        .attr("data-status", move || status.get().word())
        .attr("data-answering", move || answering.get())
        .attr("data-says", says)
        .attr("data-gone", move || is_removed.get())
        .attr("data-current", move || open.get())
        .attr("data-away", move || away.get())
        .child(top)
        .child(opener)
        .child(machine)
        .child(place)
        .child(doing)
        .child(footer(view, id, known, short, cards))
        .child(asks);
    keep_focus(&li, known, answering);
    li
}

/// What opens the session: a link where it has an address, so that it can also be opened in another tab.
fn open_control(view: BoardView, id: &str) -> El {
    let tile = if view.history {
        el("a").attr("href", board_row::address(id))
    } else {
        el("button").attr("type", "button")
    };
    let id = id.to_owned();
    tile.class("tile-open").attr("data-opener", "").attr("tabindex", "-1").on("click", move |event| {
        let elsewhere = |event: &MouseEvent| event.ctrl_key() || event.meta_key() || event.shift_key();
        if !event.dyn_ref::<MouseEvent>().is_some_and(elsewhere) {
            event.prevent_default();
            if !is_second_click(event) {
                view.store.open_session(&id);
            }
        }
    })
}

fn age(view: BoardView, known: Memo<Summary>) -> String {
    known.with(|known| board_row::since(known, view.beside.get(), |at| view.ages.since(at)))
}

/// Context, mode, cost, and the buttons.
fn footer(view: BoardView, id: &str, known: Memo<Summary>, short: Memo<bool>, cards: Cards) -> El {
    let full = memo(move || known.with(Summary::context_percent));
    let ring = move || {
        let full = full.get()?;
        let ring = el("span").class("ring").attr("style", format!("--_v:{full}"));
        let ring = if full >= board_row::NEARLY_FULL { ring.attr("data-level", "high") } else { ring };
        let words = page::CONTEXT_FULL.with(&[("n", full.into())]);
        let percent = page::PERCENT.with(&[("n", full.into())]);
        let share = el("span").class("tile-context").attr("title", &words).child(ring);
        Some(
            share
                .child(el("span").class("sr-only").text(&words))
                .child(el("span").attr("aria-hidden", "true").text(&percent)),
        )
    };
    let facts = memo(move || known.with(board_row::facts));
    let facts = el("span").class("tile-facts").text(move || facts.get());
    div("tile-foot")
        .child(ring)
        .child(facts)
        .child(source(view, known))
        .child(action(view, id, known, short, cards))
}

/// The source of a session that is not live. On servers where none ever is, it is not shown.
fn source(view: BoardView, known: Memo<Summary>) -> impl Fn() -> Option<El> + 'static {
    let has_live = memo(move || !view.store.capabilities.with(Vec::is_empty));
    let source = memo(move || known.with(|known| board_row::source(known, has_live.get())));
    move || source.get().map(|word| el("span").class("tag").text(word.text()))
}

/// A button to answer here, or a hint where to answer; for a stored session, a button to resume it. In the list beside a
/// session, what is short has its cards, the rest a button that opens its session.
fn action(
    view: BoardView,
    id: &str,
    known: Memo<Summary>,
    short: Memo<bool>,
    cards: Cards,
) -> impl Fn() -> Option<El> + 'static {
    let store = view.store;
    let action = memo(move || {
        let place = TilePlace {
            readonly: store.readonly.get(),
            beside: view.beside.get(),
            is_open: cards.open.get(),
            has_cards: cards.by_itself(),
            resumes: store.can("resume"),
        };
        known.with(|known| board_row::action(known, short.get(), place))
    });
    let id = id.to_owned();
    move || {
        let waiting = match action.get()? {
            TileAction::Resume => return Some(resume(view, &id, known)),
            TileAction::Open => return Some(open_button(view, &id)),
            TileAction::OpenToAnswer => {
                return Some(el("span").class("hint").text(words::OPEN_TO_ANSWER.text()));
            }
            TileAction::Answer(waiting) => waiting,
        };
        let own = id.clone();
        let words = words::ANSWER.with(&[("n", waiting.into())]);
        let chosen = cards.chosen;
        let button = button("btn tile-answer")
            .attr("data-answer-here", "")
            .attr("aria-expanded", move || Some(chosen.get().to_string()))
            .text(move || if chosen.get() { words::HIDE.text().to_owned() } else { words.clone() });
        Some(button.on("click", move |event| {
            if is_second_click(event) {
                return;
            }
            view.answering.update(|answering| {
                if !answering.remove(&own) {
                    answering.insert(own.clone());
                }
            });
        }))
    }
}

/// Opens a session whose request is too tall for the list.
fn open_button(view: BoardView, id: &str) -> El {
    let id = id.to_owned();
    let button = button("btn").attr("data-open-here", "").attr("title", words::OPEN_TO_ANSWER.text());
    button.text(words::OPEN.text()).on("click", move |event| {
        if !is_second_click(event) {
            view.store.open_session(&id);
        }
    })
}

/// Why a tile has its cards.
#[derive(Clone, Copy)]
struct Cards {
    /// A person wants to answer in the tile.
    chosen: Memo<bool>,
    /// The list beside a session shows them by itself.
    offered: RwSignal<bool>,
    /// Its session is the open one.
    open: Memo<bool>,
}

impl Cards {
    /// The list shows them, though nobody asked for them. What the open session asks stands there. Subscribes.
    fn by_itself(self) -> bool {
        self.offered.get() && !self.chosen.get() && !self.open.get()
    }
}

/// Whether the list beside a session shows the cards of a tile by itself: it does so for what is short, but begins and ends
/// only while nobody is near, since all that is below would move. A person's own doing counts at once.
fn offer_cards(view: BoardView, known: Memo<Summary>, short: Memo<bool>) -> RwSignal<bool> {
    let offered = RwSignal::new(false);
    let over = memo(move || known.with(|known| known.requests.is_empty()));
    let before = StoredValue::new((view.beside.get_untracked(), view.sort.get_untracked()));
    render_effect(move || {
        let choices = (view.beside.get(), view.sort.get());
        let by_person = before.get_value() != choices;
        before.set_value(choices);
        let (beside, _) = choices;
        let may_move = by_person || !view.is_used();
        let wanted = beside && short.get() && !view.store.readonly.get();
        // Cards of requests that are over fold by themselves, so that their outcome can be read.
        let keeps = beside && offered.get_untracked() && over.get();
        if (may_move || !beside) && !keeps && offered.get_untracked() != wanted {
            offered.set(wanted);
        }
    });
    offered
}

fn button(class: &str) -> El {
    el("button").class(class).attr("type", "button").attr("part", "button")
}

fn resume(view: BoardView, id: &str, known: Memo<Summary>) -> El {
    let trouble = RwSignal::new(None::<String>);
    let sending = RwSignal::new(false);
    let id = id.to_owned();
    let away = memo(move || known.with(|known| known.away().is_some()));
    let is_off = move || sending.get() || away.get();
    let button = button("btn").attr("disabled", is_off).text(words::RESUME.text());
    let button = button.on("click", move |_| {
        let Some(sent) = view.store.call("pilothouse.resume", serde_json::json!({ "sessionId": id })) else {
            return;
        };
        sending.set(true);
        let id = id.clone();
        spawn_local(async move {
            let done = sent.await.map_err(|failure| failure.words);
            sending.try_set(false);
            match done {
                Ok(_) => view.store.open_session(&id),
                Err(why) => _ = trouble.try_set(Some(words::RESUME_FAILED.with(&[("why", (&why).into())]))),
            }
        });
    });
    let warning = move || {
        let words = trouble.get()?;
        Some(el("span").class("board-trouble").attr("role", "alert").child(glyph(Icon::Error)).text(&words))
    };
    div("tile-do").child(warning).child(button)
}

/// When what had the focus in a tile is removed, because a request is over or the tile folds, the tile has the focus.
/// A card that is answered gives it to the next one by itself.
fn keep_focus(li: &El, known: Memo<Summary>, answering: Memo<bool>) {
    let tile = li.element().clone();
    let inside = StoredValue::new(false);
    let _listening = li.clone().on("focusin", move |_| inside.set_value(true)).on("focusout", move |event| {
        // If the focused element was removed, the focus has no new target.
        let to = event.dyn_ref::<web_sys::FocusEvent>().and_then(web_sys::FocusEvent::related_target);
        if to.is_some() {
            inside.set_value(false);
        }
    });
    let asked = memo(move || known.with(|known| known.requests.len()));
    render_effect(move || {
        asked.track();
        answering.track();
        if !inside.get_value() {
            return;
        }
        let tile = tile.clone();
        request_animation_frame(move || {
            if let Some(root) = keys::root_of(&tile)
                && root.active_element().is_none()
            {
                let opener: Option<Element> = tile.query_selector(keys::OPENER).ok().flatten();
                keys::focus(opener);
            }
        });
    });
}
