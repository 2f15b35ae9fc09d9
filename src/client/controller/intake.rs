//! Reads input that a page hands over; [`intake`] decides when. Large input is read in slices, so that the page stays
//! responsive.

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
use crate::core::client::intake;
use crate::core::client::intake::Next;

/// The buffer for pieces stays between calls only up to this size.
const SMALL_INPUT: usize = 16 << 10;
/// Memory reserved before a slice: growing it by 64 KiB at a time, as the allocator does,
/// takes longer than the reading.
const ROOM: usize = 4 << 20;

/// Input that has arrived and waits to be read.
#[derive(Default)]
pub(super) struct Intake {
    policy: RefCell<intake::Intake>,
    waiting: RefCell<VecDeque<InputChunk>>,
    /// The buffer for the piece being read. It is reused because it then stays in the processor's cache and
    /// leaves no holes between what is stored for long.
    room: RefCell<Vec<u8>>,
    running: Cell<bool>,
}

impl Intake {
    /// True while input waits to be read.
    pub(super) fn is_busy(&self) -> bool {
        self.policy.borrow().is_busy()
    }

    /// A new frame begins.
    pub(super) fn frame_began(&self) {
        self.policy.borrow_mut().frame_began();
    }

    fn next(&self) -> Next {
        self.policy.borrow_mut().next(yield_to_browser::now())
    }

    /// Reserves memory and frees it at once: the allocator keeps it in one piece. Input that
    /// waits in small amounts needs none, since its own data would lie between two reservations
    /// and each would take new memory.
    fn make_room(&self) {
        if self.policy.borrow().waiting() as usize > ROOM {
            let mut room = Vec::<u8>::new();
            // If there is no more memory, the code that needs it reports that.
            let _ = room.try_reserve_exact(ROOM);
            std::hint::black_box(&room);
        }
    }
}

impl Controller {
    /// Takes a chunk of a stream; `whole` feeds an object that is itself a record. Returns the records
    /// accepted, which are none yet for input that is read in slices.
    pub fn take(self: &Rc<Self>, chunk: &JsValue, whole: Whole) -> usize {
        let intake = &self.intake;
        let mut chunk = InputChunk::of(chunk, whole);
        let first = !intake.is_busy();
        if intake.policy.borrow_mut().takes_at_once(chunk.length()) {
            return self.feed(|session| {
                let mut records = 0;
                let mut room = intake.room.take();
                while let Some((_, more)) = chunk.feed(session, &mut room) {
                    records += more;
                }
                if room.len() <= SMALL_INPUT {
                    intake.room.replace(room);
                }
                records
            });
        }
        intake.waiting.borrow_mut().push_back(chunk);
        if first {
            self.set_reading(true);
        }
        if !intake.running.replace(true) {
            intake.policy.borrow_mut().began(yield_to_browser::now());
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
        self.intake.policy.borrow_mut().slice_began(yield_to_browser::now());
        self.intake.make_room();
        loop {
            match self.intake.next() {
                Next::Piece => self.read_piece(),
                Next::Pause { show } => {
                    if show {
                        self.schedule();
                    }
                    return true;
                }
                Next::End => break,
            }
        }
        self.intake.running.set(false);
        self.intake.room.take();
        self.all_read();
        false
    }

    fn read_piece(&self) {
        let mut waiting = self.intake.waiting.borrow_mut();
        let mut session = self.session.borrow_mut();
        let read = waiting
            .front_mut()
            .and_then(|first| first.feed(&mut session, &mut self.intake.room.borrow_mut()));
        if let Some(log) = session.log_mut() {
            log.compact_if_large();
        }
        let mut policy = self.intake.policy.borrow_mut();
        match read {
            Some((length, _)) => policy.was_read(length),
            None => policy.chunk_ended(waiting.pop_front().map_or(0, |ended| ended.length())),
        }
    }

    /// Reads everything that waits, now: it is about to be looked at, or newer input must follow it.
    pub fn read_all(self: &Rc<Self>) {
        if self.intake.is_busy() {
            while self.intake.is_busy() {
                self.read_piece();
            }
            self.all_read();
        }
    }

    fn all_read(self: &Rc<Self>) {
        self.schedule();
        if !self.has_work() {
            self.set_reading(false);
        }
    }

    /// Drops the input that waits to be read.
    pub(super) fn forget_unread(&self) {
        self.intake.waiting.borrow_mut().clear();
        self.intake.policy.borrow_mut().clear();
        self.set_reading(false);
    }

    pub(super) fn set_reading(&self, reading: bool) {
        // The views may have gone before the controller.
        if reading || self.store.reading.try_get_untracked() == Some(true) {
            self.store.reading.set(reading);
            self.host.reading(reading);
        }
    }
}
