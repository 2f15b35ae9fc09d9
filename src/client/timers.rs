//! Timers of the browser, each known by what it is for.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;

/// The timers of one owner. They end with it.
pub(super) struct Timers<T> {
    running: RefCell<Vec<(T, u32, Timeout)>>,
    last: Cell<u32>,
}

impl<T: Copy + PartialEq + 'static> Timers<T> {
    /// None runs.
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self { running: RefCell::default(), last: Cell::new(0) })
    }

    /// Sets a timer, or sets it anew. `ended` is called when it has run out.
    pub(super) fn set(self: &Rc<Self>, timer: T, delay_ms: u64, ended: impl FnOnce() + 'static) {
        let delay_ms = u32::try_from(delay_ms).unwrap_or(u32::MAX).min(i32::MAX as u32);
        let number = self.last.get().wrapping_add(1);
        self.last.set(number);
        let weak = Rc::downgrade(self);
        let timeout = Timeout::new(delay_ms, move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if weak.upgrade().is_some_and(|timers| timers.end(number)) {
                    ended();
                }
            });
        });
        self.cancel(timer);
        self.running.borrow_mut().push((timer, number, timeout));
    }

    /// Cancels a timer, if it runs.
    pub(super) fn cancel(&self, timer: T) {
        self.running.borrow_mut().retain(|(set, ..)| *set != timer);
    }

    /// Cancels all timers.
    pub(super) fn clear(&self) {
        self.running.borrow_mut().clear();
    }

    /// Forgets a timer that has run out. False if it is not set any more.
    fn end(&self, number: u32) -> bool {
        let mut running = self.running.borrow_mut();
        let before = running.len();
        running.retain(|(_, set, _)| *set != number);
        running.len() < before
    }
}
