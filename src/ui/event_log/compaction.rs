//! Makes the live session's log smaller in the time that the browser has left, after new input has been read.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::IdleDeadline;

use crate::client::yield_to_browser;
use crate::core::session::log::Log;
use crate::store::Store;
use crate::ui::elements::reactive::render_effect;

/// Milliseconds of idle time that must be left for another piece.
const MIN_IDLE_MS: f64 = 2.0;
/// Milliseconds between two pieces where the browser has no idle callback.
const PAUSE: u32 = 12;

struct Compaction {
    store: Store,
    due: RefCell<CompactionSchedule>,
    when_idle: Closure<dyn FnMut(IdleDeadline)>,
}

/// What is scheduled.
enum CompactionSchedule {
    Nothing,
    Idle(u32),
    Timer { _timer: Timeout },
    Goes,
}

/// Makes the live session's log smaller, as long as the owner lives.
pub fn keep_compressed(store: Store) {
    // A fault of the program may have stopped the session in the middle of its work.
    if let Some(session) = store.live_session()
        && let Ok(mut session) = session.try_borrow_mut()
        && let Some(log) = session.log_mut()
    {
        log.compact_with(Log::compact);
    }
    let compaction = Rc::new_cyclic(|weak: &Weak<Compaction>| {
        let weak = Weak::clone(weak);
        let when_idle = Closure::new(move |deadline: IdleDeadline| {
            if let Some(compaction) = weak.upgrade() {
                compaction.compress_next(Some(deadline));
            }
        });
        Compaction { store, due: RefCell::new(CompactionSchedule::Nothing), when_idle }
    });
    render_effect(move || {
        store.track_input();
        if !store.reading.get() {
            compaction.schedule();
        }
    });
}

impl Compaction {
    fn schedule(self: &Rc<Self>) {
        let can_compact = self
            .store
            .live_session()
            .is_some_and(|session| session.borrow().log().is_some_and(Log::can_compact));
        if !can_compact || !matches!(*self.due.borrow(), CompactionSchedule::Nothing) {
            return;
        }
        let asked = window().request_idle_callback(self.when_idle.as_ref().unchecked_ref());
        let due = if let Ok(number) = asked {
            CompactionSchedule::Idle(number)
        } else {
            // Safari has no such callback.
            let weak = Rc::downgrade(self);
            let go_on = move || {
                if let Some(compaction) = weak.upgrade() {
                    compaction.compress_next(None);
                }
            };
            CompactionSchedule::Timer { _timer: Timeout::new(PAUSE, go_on) }
        };
        self.due.replace(due);
    }

    /// Makes one piece smaller, and more of them as long as there is time.
    fn compress_next(self: &Rc<Self>, deadline: Option<IdleDeadline>) {
        self.due.replace(CompactionSchedule::Goes);
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            // Idle time may last 50 ms, and a key pressed in it must not wait for its end.
            while weak.upgrade().is_some_and(|compaction| compaction.slice(deadline.as_ref())) {
                yield_to_browser::next().await;
            }
        });
    }

    /// Works for one slice; true if there is time for more.
    fn slice(self: &Rc<Self>, deadline: Option<&IdleDeadline>) -> bool {
        let there_is_time = || deadline.is_some_and(|deadline| deadline.time_remaining() > MIN_IDLE_MS);
        let end = yield_to_browser::now() + yield_to_browser::SLICE;
        // New input is read first.
        let session = self.store.live_session().filter(|_| !self.store.reading.get_untracked());
        if let Some(session) = &session {
            // A fault of the program may have stopped the session in the middle of its work.
            let compact = || {
                session.try_borrow_mut().is_ok_and(|mut session| session.log_mut().is_some_and(Log::compact))
            };
            while compact() && there_is_time() {
                if yield_to_browser::now() >= end {
                    return true;
                }
            }
        }
        self.due.replace(CompactionSchedule::Nothing);
        if session.is_some() {
            self.schedule();
        }
        false
    }
}

impl Drop for Compaction {
    fn drop(&mut self) {
        if let CompactionSchedule::Idle(number) = *self.due.borrow() {
            window().cancel_idle_callback(number);
        }
    }
}
