//! Keeps an element that is being pressed in the document until the press is over.
//!
//! A click is lost if its element is replaced between pointer down and pointer up.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, PointerEvent, UiEvent};

use super::events::listen;

/// The current or last press by a primary button, a finger or a pen.
struct Press {
    number: u32,
    /// The time stamp of its `pointerdown` event, as bits.
    began: u64,
    /// The pressed elements, one per page, since a page can be inside another one. Empty once the press is
    /// over.
    targets: Vec<Element>,
    /// Notified when the press is over.
    over: ArcTrigger,
    _ends: [EventListener; 5],
}

thread_local! {
    static PRESS: RefCell<Option<Press>> = const { RefCell::new(None) };
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static AFTER: Cell<Option<Timeout>> = const { Cell::new(None) };
}

/// Window events that end a press. Behind a context menu or a browser dialog there is no `pointerup`.
const ENDS: [&str; 5] = ["click", "pointerup", "pointercancel", "contextmenu", "blur"];

/// Tracks presses inside a page.
pub fn watch(page: &Element) {
    let press = |event: &Event| {
        let Some(pointer) = event.dyn_ref::<PointerEvent>() else { return };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        // Request cards are exempt: they must show at once that a request is over, so that nobody answers it
        // any more.
        let target = target.filter(|target| !matches!(target.closest("[data-request-id]"), Ok(Some(_))));
        if let Some(target) = target.filter(|_| pointer.is_primary() && pointer.button() == 0) {
            begin(target, event.time_stamp().to_bits());
        }
    };
    listen(page, "pointerdown", Box::new(press));
}

fn begin(target: Element, began: u64) {
    let target = PRESS.with_borrow_mut(|press| match press.as_mut().filter(|press| press.began == began) {
        Some(press) => {
            press.targets.push(target);
            None
        }
        None => Some(target),
    });
    let Some(target) = target else { return };
    let number = NUMBER.get().wrapping_add(1);
    NUMBER.set(number);
    let ends = ENDS.map(|name| {
        EventListener::once(&window(), name, move |_| {
            if name == "click" {
                end(number);
            } else {
                // The click comes after the `pointerup`, but before the next task.
                AFTER.set(Some(Timeout::new(0, move || end(number))));
            }
        })
    });
    let press = Press { number, began, targets: vec![target], over: ArcTrigger::new(), _ends: ends };
    if let Some(before) = PRESS.replace(Some(press)) {
        before.over.notify();
    }
}

fn end(number: u32) {
    let over = PRESS.with_borrow_mut(|press| {
        let press = press.as_mut().filter(|press| press.number == number)?;
        press.targets.clear();
        Some(press.over.clone())
    });
    if let Some(over) = over {
        over.notify();
    }
}

/// Makes a control toggle `open`, based on the value at pointer down. Otherwise the click would undo what
/// opened or closed automatically between pointer down and click.
pub fn toggle(control: &Element, open: Memo<bool>, mut set: impl FnMut(&Event, bool) + 'static) {
    let seen = Rc::new(Cell::new(None));
    let noted = Rc::clone(&seen);
    listen(control, "pointerdown", Box::new(move |_| noted.set(Some(open.get_untracked()))));
    let click = move |event: &Event| {
        // The value seen last may be from a press that ended elsewhere.
        let noted = seen.take().filter(|_| is_pointer_click(event));
        let was_open = noted.unwrap_or_else(|| open.get_untracked());
        set(event, !was_open);
    };
    listen(control, "click", Box::new(click));
}

/// Whether a click is a pointer's. Those of keys have no pointer down.
pub fn is_pointer_click(click: &Event) -> bool {
    click.dyn_ref::<UiEvent>().is_some_and(|click| click.detail() > 0)
}

/// Whether something in one of these elements is being pressed. If so, the calling effect runs again when
/// that is over.
pub fn is_pressed_in<'a>(mut elements: impl Iterator<Item = &'a Element>) -> bool {
    let over = PRESS.with_borrow(|press| {
        let press = press.as_ref()?;
        let pressed = |element: &Element| press.targets.iter().any(|target| element.contains(Some(target)));
        elements.any(pressed).then(|| press.over.clone())
    });
    over.is_some_and(|over| {
        over.track();
        true
    })
}
