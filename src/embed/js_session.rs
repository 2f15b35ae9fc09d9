//! The `Session` of the JavaScript API: push, read, subscribe.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::js_values;
use crate::core;
use crate::core::model::state::Change;

/// Called after input has come, or before the session is read.
type InputCallback = Rc<dyn Fn()>;

/// A session that JavaScript and an element may share.
#[derive(Default)]
pub(super) struct SharedJsSession {
    pub(super) session: Rc<RefCell<core::Session>>,
    subscribers: RefCell<Vec<(u32, js_sys::Function)>>,
    next_id: Cell<u32>,
    wake: RefCell<Option<InputCallback>>,
    catch_up: RefCell<Option<InputCallback>>,
}

impl SharedJsSession {
    /// Sets the callback for new input. Changes are then delivered when the driver commits them.
    pub(super) fn on_input(&self, wake: Option<InputCallback>) {
        self.wake.replace(wake);
    }

    /// Sets the callback that reads waiting input before anybody looks or more comes.
    pub(super) fn before_reading(&self, catch_up: InputCallback) {
        self.catch_up.replace(Some(catch_up));
    }

    fn caught_up_session(&self) -> &Rc<RefCell<core::Session>> {
        let catch_up = self.catch_up.borrow().clone();
        if let Some(catch_up) = catch_up {
            catch_up();
        }
        &self.session
    }

    fn input(&self) {
        let wake = self.wake.borrow().clone();
        if let Some(wake) = wake {
            wake();
        } else if !self.subscribers.borrow().is_empty() {
            let changes = self.session.borrow_mut().take_changes();
            self.deliver(&changes);
        }
    }

    /// Calls the subscribers with a batch of changes.
    pub(super) fn deliver(&self, changes: &[Change]) {
        let subscribers = self.subscribers.borrow().clone();
        if subscribers.is_empty() || changes.is_empty() {
            return;
        }
        let described = js_values::changes(self.session.borrow().state(), changes);
        for (_, subscriber) in subscribers {
            if let Err(error) = subscriber.call1(&JsValue::UNDEFINED, &described) {
                // A subscriber's own error is reported to its page and must not stop the others.
                js_sys::global()
                    .dyn_into::<web_sys::Window>()
                    .ok()
                    .and_then(|window| js_sys::Reflect::get(&window, &"reportError".into()).ok())
                    .and_then(|report| report.dyn_into::<js_sys::Function>().ok())
                    .and_then(|report| report.call1(&JsValue::UNDEFINED, &error).ok());
            }
        }
    }
}

/// One session: feed it, read it, subscribe to it.
#[wasm_bindgen]
pub struct Session {
    shared: Rc<SharedJsSession>,
}

#[wasm_bindgen]
impl Session {
    /// A session about which nothing is known yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self { shared: Rc::default() }
    }

    /// Feeds a part of a stream; returns the records accepted. A partial last line waits for the next push.
    pub fn push(&self, chunk: &JsValue) -> usize {
        let records = js_values::push(&mut self.shared.caught_up_session().borrow_mut(), chunk);
        self.shared.input();
        records
    }

    /// Feeds a whole frame; nothing waits for more input.
    #[wasm_bindgen(js_name = pushFrame)]
    pub fn push_frame(&self, frame: &JsValue) -> usize {
        let records = js_values::push_frame(&mut self.shared.caught_up_session().borrow_mut(), frame);
        self.shared.input();
        records
    }

    /// Feeds what was written into the buffer of `textRoom`: a part of a stream, or a whole frame.
    #[wasm_bindgen(js_name = pushWritten, skip_typescript)]
    pub fn push_written(&self, length: usize, frame: bool) -> usize {
        let records =
            js_values::push_written(&mut self.shared.caught_up_session().borrow_mut(), length, frame);
        self.shared.input();
        records
    }

    /// Feeds whole lines of a gateway's history, in which superseded events were left out; `newest` is where it ends, after
    /// its last line. Returns how far the gateway's log was followed.
    #[wasm_bindgen(js_name = pushHistory, skip_typescript)]
    pub fn push_history(&self, lines: &str, newest: Option<f64>) -> f64 {
        let position = {
            let mut session = self.shared.caught_up_session().borrow_mut();
            session.push_history(lines.as_bytes());
            if let Some(newest) = newest {
                session.end_history(newest as u64);
            }
            session.position() as f64
        };
        self.shared.input();
        position
    }

    /// Ends the input: the partial last line counts.
    pub fn end(&self) {
        self.shared.caught_up_session().borrow_mut().end();
        self.shared.input();
    }

    /// Adds a notification from the host, as the runtime's notification helper would: `{level, message, url?,
    /// ephemeral?}`. Returns the id of its entry; nothing without a message.
    pub fn notify(&self, note: &JsValue) -> Option<String> {
        let id = js_values::notify(&mut self.shared.caught_up_session().borrow_mut(), note);
        self.shared.input();
        id
    }

    /// Everything known, as a plain object in the shape of `pilothouse inspect`.
    pub fn snapshot(&self) -> JsValue {
        js_values::plain(&self.shared.caught_up_session().borrow().snapshot())
    }

    /// The method that answers an open request; nothing if it is not open, or not answered by a method.
    #[wasm_bindgen(js_name = answerMethod)]
    pub fn answer_method(&self, request_id: &str) -> Option<String> {
        let session = self.shared.caught_up_session().borrow();
        let state = session.state();
        let request = state.entry(state.request_place(request_id)?)?.request()?;
        if request.open() { request.kind.method().map(str::to_owned) } else { None }
    }

    /// Calls back with every batch of changes; returns a function that unsubscribes.
    pub fn subscribe(&self, subscriber: js_sys::Function) -> JsValue {
        let id = self.shared.next_id.get();
        self.shared.next_id.set(id.wrapping_add(1));
        self.shared.subscribers.borrow_mut().push((id, subscriber));
        let weak = Rc::downgrade(&self.shared);
        Closure::<dyn FnMut()>::new(move || {
            if let Some(shared) = weak.upgrade() {
                shared.subscribers.borrow_mut().retain(|(other, _)| *other != id);
            }
        })
        .into_js_value()
    }
}

impl Session {
    pub(super) fn of(shared: Rc<SharedJsSession>) -> Self {
        Self { shared }
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}
