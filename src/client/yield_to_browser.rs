//! Yields to the browser in the middle of long work, by a message to itself. Nested timers would wait 4 ms
//! each, and a second or more in a hidden tab.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort};

/// Milliseconds of work before yielding to the browser.
pub const SLICE: f64 = 8.0;

/// Milliseconds between two commits while large input is read.
pub const COMMIT: f64 = 500.0;

/// A task that waits for its turn. Not a promise, which would cost two JavaScript functions each time.
#[derive(Default)]
struct Waiting {
    waker: RefCell<Option<Waker>>,
    over: Cell<bool>,
}

thread_local! {
    static PORT: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    static WAITING: RefCell<VecDeque<Rc<Waiting>>> = const { RefCell::new(VecDeque::new()) };
}

/// Yields: continues as a new task, after whatever the browser has to do.
pub async fn next() {
    let waiting = Rc::<Waiting>::default();
    WAITING.with_borrow_mut(|all| all.push_back(Rc::clone(&waiting)));
    let posted = PORT.with_borrow_mut(|port| {
        if port.is_none() {
            *port = open();
        }
        port.as_ref().is_some_and(|port| port.post_message(&JsValue::UNDEFINED).is_ok())
    });
    if !posted {
        call_next();
    }
    poll_fn(|context| {
        if waiting.over.get() {
            return Poll::Ready(());
        }
        waiting.waker.replace(Some(context.waker().clone()));
        Poll::Pending
    })
    .await;
}

/// Milliseconds of a clock that only goes forward, where the browser has one.
pub fn now() -> f64 {
    let performance = web_sys::window().and_then(|window| window.performance());
    performance.map_or_else(js_sys::Date::now, |performance| performance.now())
}

fn open() -> Option<MessagePort> {
    let channel = MessageChannel::new().ok()?;
    let called = Closure::<dyn FnMut()>::new(call_next).into_js_value();
    channel.port1().set_onmessage(Some(called.unchecked_ref()));
    Some(channel.port2())
}

fn call_next() {
    if let Some(waiting) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        waiting.over.set(true);
        if let Some(waker) = waiting.waker.take() {
            waker.wake();
        }
    }
}
