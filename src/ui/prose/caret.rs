//! Owns when the mark behind the last word pulses: while no words arrive. Refuses to draw it, and a timer where a text rests.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use web_sys::Element;

/// Milliseconds without words after which a text rests.
const STILL: u32 = 600;
/// On a text that goes on, and to which nothing has come for a while.
const RESTS: &str = "data-rests";

/// The mark of one text. Each block has it anew, and an animation that begins with each block of a fast answer takes a
/// tenth of all its time.
pub(super) struct Caret {
    host: Element,
    came: Cell<bool>,
    timer: RefCell<Option<Timeout>>,
}

impl Caret {
    pub(super) fn new(host: &Element) -> Rc<Self> {
        Rc::new(Self { host: host.clone(), came: Cell::new(false), timer: RefCell::default() })
    }

    /// Words came.
    pub(super) fn goes_on(self: &Rc<Self>) {
        self.came.set(true);
        if self.timer.borrow().is_none() {
            self.stop();
            self.wait();
        }
    }

    /// Nothing more is to come.
    pub(super) fn stop(&self) {
        self.timer.replace(None);
        // Fails for nothing.
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
                // Fails for invalid names only.
                let _ = caret.host.set_attribute(RESTS, "");
            }
        });
        self.timer.replace(Some(timer));
    }
}
