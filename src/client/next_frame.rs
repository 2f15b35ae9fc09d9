//! Calls a function in the next animation frame. Hidden tabs get none, so a timer calls it there.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use wasm_bindgen::prelude::*;

/// After so many milliseconds without an animation frame the timer calls.
const HIDDEN_MS: u32 = 250;

/// Calls one function, as often as that is asked for.
pub(super) struct NextFrame {
    call: Box<dyn Fn()>,
    in_frame: Closure<dyn FnMut()>,
    /// The frame that was asked for.
    frame: Cell<Option<i32>>,
    timer: RefCell<Option<Timeout>>,
    /// The frame that was still pending when the timer ran out.
    overdue: Cell<Option<i32>>,
}

impl NextFrame {
    /// Nothing is asked for yet.
    pub(super) fn new(call: impl Fn() + 'static) -> Rc<Self> {
        Rc::new_cyclic(|weak: &Weak<Self>| {
            let weak = Weak::clone(weak);
            let in_frame = Closure::new(move || {
                if let Some(this) = weak.upgrade() {
                    this.frame.set(None);
                    (this.call)();
                }
            });
            let (frame, overdue) = (Cell::default(), Cell::default());
            Self { call: Box::new(call), in_frame, frame, timer: RefCell::default(), overdue }
        })
    }

    /// Asks for the next frame, if that was not done yet.
    pub(super) fn request(self: &Rc<Self>) {
        if let Some(window) = web_sys::window().filter(|_| self.frame.get().is_none()) {
            self.frame.set(window.request_animation_frame(self.in_frame.as_ref().unchecked_ref()).ok());
            self.watch();
        }
    }

    /// Uses one timer for many frames: setting and clearing one per frame costs more than
    /// reducing what comes in between.
    fn watch(self: &Rc<Self>) {
        if self.timer.borrow().is_some() {
            return;
        }
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(HIDDEN_MS, move || {
            let Some(this) = weak.upgrade() else { return };
            this.timer.replace(None);
            let frame = this.frame.get();
            let seen = !leptos::prelude::document().hidden();
            if frame.is_some() && seen && this.overdue.replace(frame) != frame {
                this.watch();
            } else {
                (this.call)();
            }
        });
        self.timer.replace(Some(timer));
    }

    /// The frame is not needed any more.
    pub(super) fn cancel(&self) {
        if let (Some(frame), Some(window)) = (self.frame.take(), web_sys::window()) {
            // Fails only if the frame has run already, which does no harm.
            let _ = window.cancel_animation_frame(frame);
        }
    }

    /// Calls no more.
    pub(super) fn stop(&self) {
        self.cancel();
        self.timer.replace(None);
    }
}
