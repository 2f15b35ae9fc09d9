//! The session that is open beside the board, or over it where there is no room, with its address in the
//! browser's history. `<pilot-house>` renders it.

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, KeyboardEvent};

use super::recent_activity::is_second_click;
use super::{BoardView, keys};
use crate::core::i18n::words::board as words;
use crate::core::model::board::{Board, Grouping, SessionFilter, SessionSource, Status, groups};
use crate::core::view_model::board_row::{self, SESSION_HASH, address};
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::reactive::{memo, render_effect};

/// Adds the pane with the open session to the page.
pub(super) fn pane(page: El, view: BoardView) -> El {
    if view.history {
        keep_history(view);
    }
    let element = page.element().clone();
    let before = StoredValue::new(None::<String>);
    render_effect(move || {
        let open = view.store.open.get();
        let was = before.get_value();
        before.set_value(open.clone());
        if was == open {
            return;
        }
        let element = element.clone();
        // What is opened gets the focus, and gives it back when it is closed.
        request_animation_frame(move || {
            let to = match (&open, was) {
                (Some(_), _) => element.query_selector(".pane").ok().flatten(),
                (None, Some(was)) => keys::root_of(&element).and_then(|root| keys::open_control(&root, &was)),
                (None, None) => None,
            };
            keys::focus(to);
        });
    });
    page.child(move || view.store.open.get().map(|id| untrack(|| frame(view, &id))))
}

fn frame(view: BoardView, id: &str) -> El {
    let store = view.store;
    let own = id.to_owned();
    let title = memo(move || {
        let title = |board: &Board| board.get(&own).map(board_row::title);
        store.all(title).flatten().unwrap_or_else(|| words::UNTITLED.text().to_owned())
    });
    let own = id.to_owned();
    let closes = memo(move || store.can("close"));
    let trouble = RwSignal::new(None::<String>);
    let end = move || closes.get().then(|| untrack(|| end_button(view, &own, title, trouble)));
    let warning = move || {
        trouble.get().map(|words| el("span").class("board-trouble").attr("role", "alert").text(&words))
    };
    let own = id.to_owned();
    let buttons = move || {
        let (back, next) = untrack(|| (back_button(view), next_button(view, &own)));
        (back, end.clone(), next)
    };
    // Only what a gateway can never do has no place here: each button stays where it is while others come and go.
    let beside = buttons.clone();
    let bar = move || {
        (!view.narrow.get()).then(|| {
            let (back, end, next) = beside();
            el("header").class("pane-bar").child(back).child(next).child(end)
        })
    };
    // Where there is little room, the session's own header has them.
    let inside = move || {
        if !view.narrow.get() {
            return Vec::new();
        }
        let (back, end, next) = buttons();
        let menu = div("pane-menu").attr("slot", "menu").child(end);
        vec![back.attr("slot", "header-start"), next.attr("slot", "header"), menu]
    };
    el("section")
        .class("pane")
        .attr("tabindex", "-1")
        .attr("aria-label", move || Some(words::SESSION.with(&[("title", (&title.get()).into())])))
        .on("keydown", move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>().filter(|event| event.key() == "Escape") else {
                return;
            };
            // The session has its own uses for the key.
            let inside = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let inside = inside.is_some_and(|inside| inside.local_name() == "pilot-house");
            if !inside && !event.default_prevented() {
                event.prevent_default();
                close(view);
            }
        })
        .child(bar)
        .child(div("pane-trouble").child(warning))
        .child(session(view, id).child(inside))
}

fn back_button(view: BoardView) -> El {
    button("btn pane-back")
        .attr("data-back", "")
        .attr("title", words::BACK.text())
        .on("click", move |_| close(view))
        .child(glyph(Icon::Chevron))
        .child(el("span").text(words::BACK.text()))
}

/// The button that opens the next session that waits.
fn next_button(view: BoardView, id: &str) -> El {
    let store = view.store;
    let id = id.to_owned();
    let next = memo(move || store.all(|board| next_waiting(board, &id)).flatten());
    button("btn pane-next")
        .attr("data-next", "")
        .attr("title", words::NEXT.text())
        .attr("data-reserved", move || next.with(Option::is_none))
        .on("click", move |_| {
            if let Some(id) = next.get_untracked() {
                store.open_session(&id);
            }
        })
        .child(glyph(Icon::ArrowDown))
        .child(el("span").text(words::NEXT.text()))
}

/// The session's element, connected like the board.
fn session(view: BoardView, id: &str) -> El {
    let session = el("pilot-house").attr("session", id).attr("part", "session");
    let session = ["src", "token", "theme", "lang", "allow"].into_iter().fold(session, |session, name| {
        match view.attributes.with_value(|attributes| attributes(name)) {
            Some(value) => session.attr(name, &value),
            None => session,
        }
    });
    let is_made = view.made.with_untracked(|made| made.as_deref() == Some(id));
    view.made.set(None);
    session.attr("data-write", is_made).attr("readonly", move || view.store.readonly.get())
}

/// The most urgent session that waits, other than this one.
fn next_waiting(board: &Board, id: &str) -> Option<String> {
    let waiting = SessionFilter { status: Some(Status::Waiting), ..SessionFilter::default() };
    let all = groups(board.sessions(), &waiting, Grouping::None);
    all.into_iter().flat_map(|group| group.ids).find(|other| other != id)
}

fn button(class: &str) -> El {
    el("button").class(class).attr("type", "button").attr("part", "button")
}

/// The button that ends the session in the runtime; the first press only asks, with the session's name. `trouble` is why
/// that failed: until the button is pressed again, or the session has ended in another way.
fn end_button(view: BoardView, id: &str, title: Memo<String>, trouble: RwSignal<Option<String>>) -> El {
    let sure = RwSignal::new(false);
    let own = id.to_owned();
    let live = memo(move || {
        let live = |board: &Board| board.get(&own).map(|session| session.source == SessionSource::Live);
        view.store.all(live).flatten() == Some(true)
    });
    render_effect(move || {
        if !live.get() {
            sure.set(false);
            trouble.set(None);
        }
    });
    let id = id.to_owned();
    let press = move || {
        trouble.set(None);
        if !sure.get_untracked() {
            sure.set(true);
            return;
        }
        let Some(sent) = view.store.call("pilothouse.close", serde_json::json!({ "sessionId": id })) else {
            return sure.set(false);
        };
        spawn_local(async move {
            let done = sent.await.map_err(|failure| failure.words);
            match done {
                Ok(_) => close(view),
                Err(why) => {
                    sure.try_set(false);
                    trouble.try_set(Some(words::CLOSE_FAILED.with(&[("why", (&why).into())])));
                }
            }
        });
    };
    let words = move || {
        if sure.get() {
            words::CLOSE_SURE.with(&[("title", (&title.get()).into())])
        } else {
            words::CLOSE_SESSION.text().to_owned()
        }
    };
    button("btn")
        .attr("data-end", "")
        .attr("data-sure", move || sure.get())
        .attr("data-reserved", move || !live.get())
        .child(glyph(Icon::Cross))
        .child(el("span").attr("dir", "auto").text(words))
        .on("click", move |event| {
            // The first press leaves a menu open that the button stands in. A hasty double click only asks.
            let is_hasty = is_second_click(event);
            if is_hasty || !sure.get_untracked() {
                event.stop_propagation();
            }
            if !is_hasty {
                press();
            }
        })
        .on("blur", move |_| _ = sure.try_set(false))
}

fn close(view: BoardView) {
    view.store.open.set(None);
}

/// Keeps the open session in the address: the browser's back button closes it, a link opens it.
fn keep_history(view: BoardView) {
    let open = view.store.open;
    let Some(window) = web_sys::window() else { return };
    open.set(session_in_address());
    StoredValue::new_local(EventListener::new(&window, "popstate", move |_| {
        let addressed = session_in_address();
        if open.try_get_untracked() != Some(addressed.clone()) {
            open.try_set(addressed);
        }
    }));
    // True while the previous entry in the history is the board.
    let ours = StoredValue::new(false);
    render_effect(move || {
        let open = open.get();
        if open == session_in_address() {
            ours.set_value(ours.get_value() && open.is_some());
            return;
        }
        let Some(history) = web_sys::window().and_then(|window| window.history().ok()) else { return };
        let null = wasm_bindgen::JsValue::NULL;
        // A history that refuses (too many changes a second) leaves the address as it was, which does no harm.
        let _ = match open {
            Some(id) if session_in_address().is_some() => {
                history.replace_state_with_url(&null, "", Some(&address(&id)))
            }
            Some(id) => {
                ours.set_value(true);
                history.push_state_with_url(&null, "", Some(&address(&id)))
            }
            None if ours.get_value() => {
                ours.set_value(false);
                history.back()
            }
            None => history.replace_state_with_url(&null, "", Some(&board_address())),
        };
    });
}

/// The session in the address.
fn session_in_address() -> Option<String> {
    let hash = web_sys::window()?.location().hash().ok()?;
    let id = js_sys::decode_uri_component(hash.strip_prefix(SESSION_HASH)?).ok()?;
    Some(String::from(id)).filter(|id| !id.is_empty())
}

/// The page's address without a session.
fn board_address() -> String {
    let location = web_sys::window().map(|window| window.location());
    let part = |read: fn(&web_sys::Location) -> Result<String, wasm_bindgen::JsValue>| {
        location.as_ref().and_then(|location| read(location).ok()).unwrap_or_default()
    };
    format!("{}{}", part(web_sys::Location::pathname), part(web_sys::Location::search))
}
