//! Whether somebody is near the board: has just pointed, typed, scrolled or touched there. What would move by
//! itself waits until nobody is.

use std::cell::Cell;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions};
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::BoardView;
use crate::ui::elements::builder::El;

/// How long somebody may still be reading after the last input, in milliseconds.
const READING: f64 = 20_000.0;

/// The events that count as input.
const SIGNS: [&str; 5] = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"];

/// Tracks whether somebody is near, as long as the owner lives.
pub(super) fn watch(main: El, view: BoardView) -> El {
    let last = Rc::new(Cell::new(0.0));
    let timer = StoredValue::new_local(None::<Timeout>);
    let place = main.element().clone();
    let listen = |name: &'static str| {
        let last = Rc::clone(&last);
        let options = EventListenerOptions { passive: true, ..EventListenerOptions::run_in_capture_phase() };
        EventListener::new_with_options(&place, name, options, move |_| {
            last.set(js_sys::Date::now());
            if view.near.try_get_untracked() == Some(false) {
                view.near.set(true);
                wait(view, timer, Rc::clone(&last));
            }
        })
    };
    StoredValue::new_local(SIGNS.map(listen));
    let page = document();
    let hidden = EventListener::new(&page.clone(), "visibilitychange", move |_| {
        if page.hidden() {
            timer.try_set_value(None);
            view.near.try_set(false);
            // The pointer may be elsewhere when the page is visible again.
            view.pointed.try_set(false);
        }
    });
    StoredValue::new_local(hidden);
    main
}

/// Checks again when the last input would be old enough.
fn wait(view: BoardView, timer: StoredValue<Option<Timeout>, LocalStorage>, last: Rc<Cell<f64>>) {
    let left = (last.get() + READING - js_sys::Date::now()).clamp(0.0, READING);
    let look = move || {
        // A clock that was set back since then would keep somebody here for hours.
        if (js_sys::Date::now() - last.get()).abs() < READING {
            wait(view, timer, last);
        } else {
            view.near.try_set(false);
        }
    };
    timer.try_set_value(Some(Timeout::new(left as u32 + 1, look)));
}

/// Whether a click is the later half of a double click: the first half may have moved its target there.
pub(super) fn is_second_click(event: &web_sys::Event) -> bool {
    event.dyn_ref::<web_sys::UiEvent>().is_some_and(|event| event.detail() > 1)
}
