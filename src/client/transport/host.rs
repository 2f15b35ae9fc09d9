//! The carrier over a transport that the page brings: an object with a function `connect`. The page's code may
//! throw anywhere, which is reported and does no other harm.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{ArrayBuffer, JSON, JsString, Object, Reflect, TypeError, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use super::Inbox;
use super::fetch::text_of;
use super::text_frames::TextFrames;
use crate::client::js::{from_js, function, settle, to_js};
use crate::core::client::connection::{CarrierNews, HostOptions, Input, Thrown};
use crate::core::connection::Failure;

#[wasm_bindgen]
extern "C" {
    /// The object that a page sets as `transport`.
    #[derive(Debug, Clone)]
    pub type HostTransport;

    #[wasm_bindgen(method, catch)]
    fn connect(this: &HostTransport, options: &Object) -> Result<JsValue, JsValue>;
}

/// What a page brings to a connection, beside what its attributes say.
#[derive(Debug, Clone, Default)]
pub struct HostParts {
    /// Carries everything, in place of a WebSocket and of requests.
    pub transport: Option<HostTransport>,
    /// The object whose property `auth` gives credentials.
    pub auth: Option<JsValue>,
}

impl HostParts {
    /// What an element has in its properties `transport` and `auth`.
    pub fn of(element: &JsValue) -> Self {
        let transport = Reflect::get(element, &"transport".into()).ok().filter(JsValue::is_object);
        Self { transport: transport.map(JsCast::unchecked_into), auth: Some(element.clone()) }
    }
}

/// One connection that the page has made, or makes.
pub(super) struct HostCarrier(Rc<OpeningConnection>);

struct OpeningConnection {
    number: u32,
    inbox: Inbox,
    abort: AbortController,
    texts: TextFrames,
    closed: Cell<bool>,
    /// What `connect` gave.
    connection: RefCell<Option<JsValue>>,
}

impl HostCarrier {
    /// Calls `connect` right after the current task. The connection is the carrier with this number.
    pub(super) fn open(
        number: u32,
        transport: &HostTransport,
        options: HostOptions,
        inbox: &Inbox,
    ) -> Result<Self, Failure> {
        let abort = AbortController::new().map_err(|_| Failure::Network)?;
        let opening = Rc::new(OpeningConnection {
            number,
            inbox: Rc::clone(inbox),
            abort,
            texts: TextFrames::new(),
            closed: Cell::new(false),
            connection: RefCell::default(),
        });
        let weak = Rc::downgrade(&opening);
        let receive = Closure::<dyn Fn(JsValue, JsValue) -> Result<(), JsValue>>::new(move |frame, seq| {
            weak.upgrade().map_or(Ok(()), |opening: Rc<OpeningConnection>| opening.receive(frame, &seq))
        });
        let weak = Rc::downgrade(&opening);
        let closed = Closure::<dyn Fn(JsValue)>::new(move |reason: JsValue| {
            let weak = weak.clone();
            // Deferred, because the page may call it from inside of anything.
            spawn_local(async move {
                if let Some(opening) = weak.upgrade() {
                    opening.ended(&reason);
                }
            });
        });
        let asked = Object::new();
        for (name, value) in [
            ("after", options.after.map_or(JsValue::NULL, |seq| (seq as f64).into())),
            ("session", options.session.map_or(JsValue::NULL, JsValue::from)),
            ("token", options.token.map_or(JsValue::NULL, JsValue::from)),
            ("signal", opening.abort.signal().into()),
            ("receive", receive.into_js_value()),
            ("closed", closed.into_js_value()),
        ] {
            // A new object takes every property.
            let _ = Reflect::set(&asked, &name.into(), &value);
        }
        let (opened, transport) = (Rc::clone(&opening), transport.clone());
        spawn_local(async move {
            match settle(transport.connect(&asked)).await {
                Ok(connection) if !opened.closed.get() => opened.opened(connection),
                Ok(connection) => end(&opened.inbox, &connection),
                Err(error) => opened.ended(&error),
            }
        });
        Ok(Self(opening))
    }

    /// Has the page's connection carry out a request.
    pub(super) fn request(&self, id: u64, method: &str, params: &Value) {
        let connection = self.0.connection.borrow().clone().unwrap_or_default();
        let (method, params) = (JsValue::from_str(method), to_js(params));
        let inbox = Rc::clone(&self.0.inbox);
        // Deferred, because the page's code may do anything, and nothing may be borrowed here then.
        spawn_local(async move {
            let outcome = match function(&connection, "request") {
                Some(request) => match settle(request.call2(&connection, &method, &params)).await {
                    Ok(result) => Ok(from_js(&result)),
                    Err(error) => Err(Some(thrown_error(&error))),
                },
                None => Err(None),
            };
            inbox(Input::HostAnswered(id, outcome));
        });
    }

    /// Closes the connection, or stops opening it.
    pub(super) fn close(&self) {
        self.0.closed.set(true);
        self.0.abort.abort();
        if let Some(connection) = self.0.connection.take() {
            end(&self.0.inbox, &connection);
        }
    }
}

impl OpeningConnection {
    fn opened(&self, connection: JsValue) {
        let field = |name: &str| Reflect::get(&connection, &name.into()).unwrap_or_default();
        let news = CarrierNews::HostOpened {
            session: field("sessionId").as_string(),
            newest: field("seq").as_f64().map(|seq| seq as u64),
            role: field("role").as_string(),
            answers: function(&connection, "request").is_some(),
        };
        self.connection.replace(Some(connection));
        (self.inbox)(Input::Carrier(self.number, news));
    }

    fn ended(&self, reason: &JsValue) {
        let reason = (!reason.is_undefined() && !reason.is_null()).then(|| thrown_error(reason));
        (self.inbox)(Input::Carrier(self.number, CarrierNews::HostEnded(reason)));
    }

    /// Takes a frame from the page. Anything else is an error of its caller.
    fn receive(&self, frame: JsValue, seq: &JsValue) -> Result<(), JsValue> {
        let seq = seq.as_f64().map(|seq| seq as u64);
        let take = |bytes: &[u8]| (self.inbox)(Input::Carrier(self.number, CarrierNews::Message(bytes, seq)));
        match frame.dyn_into::<JsString>() {
            Ok(text) => self.texts.read(&text, take),
            Err(bytes) if bytes.is_instance_of::<Uint8Array>() => {
                take(&bytes.unchecked_into::<Uint8Array>().to_vec());
            }
            Err(buffer) if buffer.is_instance_of::<ArrayBuffer>() => take(&Uint8Array::new(&buffer).to_vec()),
            Err(message) if message.is_object() => self.texts.read(&JSON::stringify(&message)?, take),
            Err(_) => return Err(TypeError::new("receive(frame): a string, bytes or an object").into()),
        }
        Ok(())
    }
}

/// Calls `close` of a connection.
fn end(inbox: &Inbox, connection: &JsValue) {
    if let Some(close) = function(connection, "close")
        && let Err(error) = close.call0(connection)
    {
        inbox(Input::HostError(text_of(&error)));
    }
}

/// What the page's code has thrown.
fn thrown_error(error: &JsValue) -> Thrown {
    let code = Reflect::get(error, &"code".into()).ok().and_then(|code| code.as_f64());
    Thrown { code, message: text_of(error) }
}
