//! Keeps what is being pressed on the page until the press is over: a click on an element that was replaced between
//! its pointer down and its pointer up is lost.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_events::EventListener;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, PointerEvent, UiEvent};

use super::dom::El;

/// A primary button, a finger or a pen that is down, or was.
struct Press {
    number: u32,
    /// When it began, as the event has it.
    began: u64,
    /// What is pressed, in each page that is in another, until the press is over.
    targets: Vec<Element>,
    /// Tells whoever waits for that.
    over: ArcTrigger,
    _ends: [EventListener; 5],
}

thread_local! {
    static PRESS: RefCell<Option<Press>> = const { RefCell::new(None) };
    static NUMBER: Cell<u32> = const { Cell::new(0) };
    static AFTER: Cell<Option<Timeout>> = const { Cell::new(None) };
}

/// Events of the window that end a press: behind a context menu or a dialog of the browser's no pointer up is heard.
const ENDS: [&str; 5] = ["click", "pointerup", "pointercancel", "contextmenu", "blur"];

/// Notices what is pressed inside of a page.
pub fn watch(page: El) -> El {
    page.on("pointerdown", |event| {
        let Some(pointer) = event.dyn_ref::<PointerEvent>() else { return };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        // A request's card shows at once that it is over, also under a pointer: then nobody is to answer it.
        let target = target.filter(|target| !matches!(target.closest("[data-request-id]"), Ok(Some(_))));
        if let Some(target) = target.filter(|_| pointer.is_primary() && pointer.button() == 0) {
            begin(target, event.time_stamp().to_bits());
        }
    })
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
                // The click comes behind the pointer up, and before the next task.
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

/// Has a control open what is closed and close what is open, as it was when the pointer went down: what opens and closes
/// by itself may do so before the click, which would undo it.
pub fn toggle(control: El, open: Memo<bool>, mut set: impl FnMut(&Event, bool) + 'static) -> El {
    let seen = Rc::new(Cell::new(None));
    let noted = Rc::clone(&seen);
    let control = control.on("pointerdown", move |_| noted.set(Some(open.get_untracked())));
    control.on("click", move |event| {
        // By keyboard no pointer goes down, and the last one may have gone elsewhere.
        let by_pointer = event.dyn_ref::<UiEvent>().is_some_and(|event| event.detail() > 0);
        let noted = seen.take().filter(|_| by_pointer);
        let was_open = noted.unwrap_or_else(|| open.get_untracked());
        set(event, !was_open);
    })
}

/// Whether something in one of these elements is being pressed. Whoever asks in an effect is run again when that is over.
pub fn holds<'a>(mut elements: impl Iterator<Item = &'a Element>) -> bool {
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
