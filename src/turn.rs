//! Gives the browser its turn in the middle of long work: what comes after is a task of its own. Refuses timers, which
//! nested wait 4 ms each, and a second or more in a hidden tab.

use std::cell::RefCell;
use std::collections::VecDeque;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{MessageChannel, MessagePort};

/// Milliseconds of work before the browser has its turn.
pub const SLICE: f64 = 8.0;

thread_local! {
    static PORT: RefCell<Option<MessagePort>> = const { RefCell::new(None) };
    static WAITING: RefCell<VecDeque<Function>> = const { RefCell::new(VecDeque::new()) };
}

/// Goes on after whatever the browser has to do.
pub async fn next() {
    let promise = Promise::new(&mut |resolve, _| {
        WAITING.with_borrow_mut(|waiting| waiting.push_back(resolve));
        let posted = PORT.with_borrow_mut(|port| {
            if port.is_none() {
                *port = open();
            }
            port.as_ref().is_some_and(|port| port.post_message(&JsValue::UNDEFINED).is_ok())
        });
        if !posted {
            call_next();
        }
    });
    // It is only ever resolved.
    let _ = JsFuture::from(promise).await;
}

/// Milliseconds of a clock that only goes forward.
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
    if let Some(resolve) = WAITING.with_borrow_mut(VecDeque::pop_front) {
        // A promise's own function does not throw.
        let _ = resolve.call0(&JsValue::UNDEFINED);
    }
}
