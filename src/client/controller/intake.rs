//! Reads large input in slices, in the order in which it came, so that the page stays responsive.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::{GetUntracked, Set};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::Controller;
use super::input_chunk::{InputChunk, Whole};
use crate::client::yield_to_browser;

/// Input of this size or less is read at once, if nothing waits before it. In
/// bytes, or UTF-16 units of a text.
pub(super) const AT_ONCE: u32 = 256 << 10;
/// Input is read at once only while no more than this has come since the last frame.
const IN_A_FRAME: u32 = 512 << 10;
/// The buffer for pieces is kept between calls only up to this size.
const KEPT: usize = 16 << 10;
/// No more than this is read in one slice, whatever the clock says.
const IN_A_SLICE: u32 = 2 << 20;
/// Memory reserved before a slice: growing it by 64 KiB at a time, as the allocator does,
/// takes longer than the reading.
const ROOM: usize = 4 << 20;

/// Input that has arrived and waits to be read.
#[derive(Default)]
pub(super) struct Intake {
    waiting: RefCell<VecDeque<InputChunk>>,
    /// Units that are waiting.
    waits: Cell<u32>,
    /// The buffer for the piece being read. It is reused because it then stays in the processor's cache and
    /// leaves no holes between what is kept.
    room: RefCell<Vec<u8>>,
    running: Cell<bool>,
    in_frame: Cell<u32>,
    /// When what was read so far was last shown.
    committed: Cell<f64>,
    /// Whether requests, and the queue, changed without anybody being notified yet.
    untold: Cell<(bool, bool)>,
}

impl Intake {
    /// True while input waits to be read.
    pub(super) fn busy(&self) -> bool {
        !self.waiting.borrow().is_empty()
    }

    /// A new frame begins, and with it the count of what was read in it.
    pub(super) fn frame(&self) {
        self.in_frame.set(0);
    }

    /// True if everything is read and a notification about it is still due.
    pub(super) fn owes(&self) -> bool {
        self.untold.get() != (false, false) && !self.busy()
    }

    /// Reserves memory and frees it at once: the allocator keeps it in one piece. Input that
    /// waits in small amounts needs none, since its own data would lie between two reservations
    /// and each would take new memory.
    fn make_room(&self) {
        if self.waits.get() as usize > ROOM {
            let mut room = Vec::<u8>::new();
            // If there is no more memory, the code that needs it reports that.
            let _ = room.try_reserve_exact(ROOM);
            std::hint::black_box(&room);
        }
    }

    fn clear(&self) {
        self.waiting.borrow_mut().clear();
        self.waits.set(0);
    }
}

impl Controller {
    /// Takes a chunk of a stream; `whole` feeds an object that is itself a record. Returns the records
    /// accepted, which are none yet for input that is read in slices.
    pub fn take(self: &Rc<Self>, chunk: &JsValue, whole: Whole) -> usize {
        let intake = &self.intake;
        let mut waiting = InputChunk::of(chunk, whole);
        let length = waiting.length();
        let in_frame = intake.in_frame.get().saturating_add(length);
        if !intake.busy() && length <= AT_ONCE && in_frame <= IN_A_FRAME {
            intake.in_frame.set(in_frame);
            return self.feed(|session| {
                let mut records = 0;
                let mut room = intake.room.take();
                while let Some((_, more)) = waiting.feed(session, &mut room) {
                    records += more;
                }
                if room.len() <= KEPT {
                    intake.room.replace(room);
                }
                records
            });
        }
        let first = !intake.busy();
        intake.waiting.borrow_mut().push_back(waiting);
        intake.waits.set(intake.waits.get().saturating_add(length));
        if first {
            self.set_reading(true);
        }
        if !intake.running.replace(true) {
            intake.committed.set(yield_to_browser::now());
            let weak = Rc::downgrade(self);
            spawn_local(async move {
                // The caller may have created the element just now, which is enough work for one task.
                TimeoutFuture::new(0).await;
                while weak.upgrade().is_some_and(|controller| controller.slice()) {
                    yield_to_browser::next().await;
                }
            });
        }
        0
    }

    /// Reads for one slice of time; true if there is more.
    fn slice(self: &Rc<Self>) -> bool {
        if self.is_stopped() {
            return false;
        }
        let (end, mut left) = (yield_to_browser::now() + yield_to_browser::SLICE, IN_A_SLICE);
        self.intake.make_room();
        while self.intake.busy() {
            left = left.saturating_sub(self.piece());
            if left == 0 || yield_to_browser::now() >= end {
                break;
            }
        }
        if self.intake.busy() {
            let now = yield_to_browser::now();
            if now >= self.intake.committed.get() + yield_to_browser::COMMIT {
                self.intake.committed.set(now);
                self.schedule();
            }
            return true;
        }
        self.intake.running.set(false);
        self.intake.room.take();
        self.all_read();
        false
    }

    /// Reads the next piece; returns its length.
    fn piece(self: &Rc<Self>) -> u32 {
        let mut waiting = self.intake.waiting.borrow_mut();
        let mut session = self.session.borrow_mut();
        let fed = waiting
            .front_mut()
            .and_then(|first| first.feed(&mut session, &mut self.intake.room.borrow_mut()));
        if let Some(log) = session.log_mut() {
            log.keep_small();
        }
        drop(session);
        if fed.is_none() {
            let gone = waiting.pop_front().map_or(0, |gone| gone.length());
            self.intake.waits.set(self.intake.waits.get().saturating_sub(gone));
        }
        fed.map_or(0, |(length, _)| length)
    }

    /// Reads everything that waits, now: it is about to be looked at, or newer input must come after it.
    pub fn read_all(self: &Rc<Self>) {
        if self.intake.busy() {
            while self.intake.busy() {
                self.piece();
            }
            self.all_read();
        }
    }

    fn all_read(self: &Rc<Self>) {
        self.schedule();
        if !self.due() && self.store.reading.get_untracked() {
            self.set_reading(false);
        }
    }

    /// Drops the input that waits to be read.
    pub fn forget_unread(&self) {
        self.intake.clear();
        self.set_reading(false);
    }

    /// Called after a batch is committed. Returns whether requests, and the queue, changed since the last
    /// notification; `None` while unread input may still change them.
    pub(super) fn read_up_to(&self, requests: bool, queue: bool) -> Option<(bool, bool)> {
        let before = self.intake.untold.take();
        let changed = (before.0 || requests, before.1 || queue);
        if self.intake.busy() {
            self.intake.untold.set(changed);
            return None;
        }
        if self.store.reading.get_untracked() {
            self.set_reading(false);
        }
        Some(changed)
    }

    fn set_reading(&self, reading: bool) {
        self.store.reading.set(reading);
        self.host.reading(reading);
    }
}
