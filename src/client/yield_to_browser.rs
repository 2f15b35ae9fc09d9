//! Yields to the browser in the middle of long work, by a message to itself. Nested timers would wait 4 ms
//! each, and a second or more in a hidden tab.

use std::cell::RefCell;
use std::collections::VecDeque;

use futures_channel::oneshot;
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort};

pub use crate::core::client::intake::{COMMIT_MS as COMMIT, SLICE_MS as SLICE};

thread_local! {
    static PORT: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    /// The tasks that wait for their turn. Not promises, which would cost two JavaScript functions each time.
    static WAITING: RefCell<VecDeque<oneshot::Sender<()>>> = const { RefCell::new(VecDeque::new()) };
}

/// Yields: continues as a new task, after whatever the browser has to do.
pub async fn next() {
    let (sender, turn) = oneshot::channel();
    WAITING.with_borrow_mut(|waiting| waiting.push_back(sender));
    let posted = PORT.with_borrow_mut(|port| {
        if port.is_none() {
            *port = open();
        }
        port.as_ref().is_some_and(|port| port.post_message(&JsValue::UNDEFINED).is_ok())
    });
    if !posted {
        call_next();
    }
    // Every task has its turn.
    let _ = turn.await;
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
        // The task may have gone.
        let _ = waiting.send(());
    }
}
