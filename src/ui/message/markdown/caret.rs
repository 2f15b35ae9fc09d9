//! Decides when the caret after the last word pulses: while no text arrives. The style sheet draws it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use web_sys::Element;

/// Milliseconds without new text after which the caret pulses.
const STILL: u32 = 600;
/// Attribute of an unfinished text to which nothing has been added for a while.
const RESTS: &str = "data-rests";

/// The caret of one text. Each new block has it anew, and an animation that begins with each block of a fast
/// answer takes a tenth of all its time.
pub(super) struct Caret {
    host: Element,
    came: Cell<bool>,
    timer: RefCell<Option<Timeout>>,
}

impl Caret {
    pub(super) fn new(host: &Element) -> Rc<Self> {
        Rc::new(Self { host: host.clone(), came: Cell::new(false), timer: RefCell::default() })
    }

    /// Text has arrived.
    pub(super) fn goes_on(self: &Rc<Self>) {
        self.came.set(true);
        if self.timer.borrow().is_none() {
            self.stop();
            self.wait();
        }
    }

    /// Stops the timer and the pulsing.
    pub(super) fn stop(&self) {
        self.timer.replace(None);
        // Does not fail.
        let _ = self.host.remove_attribute(RESTS);
    }

    fn wait(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(STILL, move || {
            let Some(caret) = weak.upgrade() else { return };
            caret.timer.replace(None);
            if caret.came.replace(false) {
                caret.wait();
            } else {
                // Fails only for invalid names.
                let _ = caret.host.set_attribute(RESTS, "");
            }
        });
        self.timer.replace(Some(timer));
    }
}
