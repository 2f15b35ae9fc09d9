//! The carrier over a transport that the page brings: an object with a function `connect`. The page's code may
//! throw anywhere, which is reported and does no other harm.

use std::cell::RefCell;
use std::future::ready;
use std::rc::Rc;

use js_sys::{ArrayBuffer, JSON, JsString, Object, Reflect, TypeError, Uint8Array};
use serde_json::Value;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::AbortController;

use super::fetch::text_of;
use super::pending::Pending;
use super::supervisor::{CarrierReports, Cursor};
use super::text_frames::TextFrames;
use super::{Answering, Connection, Frame, RequestError, RpcError};
use crate::client::js::{from_js, function, settled, to_js};
use crate::core::connection::Failure;
use crate::core::protocol::ErrorReason;

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
pub(super) struct HostCarrier(Rc<Inner>);

/// A frame and its position.
type Early = (JsValue, Option<u64>);

struct Inner {
    line: CarrierReports,
    pending: Rc<Pending>,
    abort: AbortController,
    texts: TextFrames,
    /// What `connect` gave.
    connection: RefCell<Option<JsValue>>,
    /// What came before `connect` had given it; `None` after that.
    early: RefCell<Option<Vec<Early>>>,
}

impl HostCarrier {
    /// Calls `connect` right after the current task, so that the supervisor has the carrier by then.
    pub(super) fn open(
        transport: &HostTransport,
        session: Option<String>,
        cursor: &Cursor,
        token: Option<String>,
        line: CarrierReports,
        pending: Rc<Pending>,
    ) -> Result<Self, Failure> {
        let abort = AbortController::new().map_err(|_| Failure::Network)?;
        let inner = Rc::new(Inner {
            line,
            pending,
            abort,
            texts: TextFrames::new(),
            connection: RefCell::default(),
            early: RefCell::new(Some(Vec::new())),
        });
        let weak = Rc::downgrade(&inner);
        let receive = Closure::<dyn Fn(JsValue, JsValue) -> Result<(), JsValue>>::new(move |frame, seq| {
            weak.upgrade().map_or(Ok(()), |inner: Rc<Inner>| inner.receive(frame, &seq))
        });
        let line = inner.line.clone();
        let closed = Closure::<dyn Fn(JsValue)>::new(move |reason: JsValue| {
            let line = line.clone();
            // Deferred, because the page may call it from inside of anything.
            spawn_local(async move { line.failed(&ended(&line, &reason)) });
        });
        let options = Object::new();
        for (name, value) in [
            ("after", cursor.seq.map_or(JsValue::NULL, |seq| (seq as f64).into())),
            ("session", session.as_deref().map_or(JsValue::NULL, JsValue::from_str)),
            ("token", token.map_or(JsValue::NULL, JsValue::from)),
            ("signal", inner.abort.signal().into()),
            ("receive", receive.into_js_value()),
            ("closed", closed.into_js_value()),
        ] {
            // A new object takes every property.
            let _ = Reflect::set(&options, &name.into(), &value);
        }
        let (opening, transport) = (Rc::clone(&inner), transport.clone());
        spawn_local(async move {
            match settled(transport.connect(&options)).await {
                Ok(connection) if opening.line.is_current() => opening.opened(connection, session),
                Ok(connection) => end(&opening.line, &connection),
                Err(error) => opening.line.failed(&ended(&opening.line, &error)),
            }
        });
        Ok(Self(inner))
    }
}

impl Connection for HostCarrier {
    fn request(&self, method: &str, params: Value) -> Answering {
        let connection = self.0.connection.borrow().clone();
        let Some(request) = connection.as_ref().and_then(|connection| function(connection, "request")) else {
            return Box::pin(ready(Err(RequestError::NoWayBack)));
        };
        let id = self.0.pending.next_id();
        let answer = self.0.pending.wait(id);
        let (method, inner) = (method.to_owned(), Rc::clone(&self.0));
        // Deferred, because the page's code may do anything, and nothing may be borrowed here then.
        spawn_local(async move {
            let this = connection.unwrap_or_default();
            let params = to_js(&params);
            let outcome = match settled(request.call2(&this, &method.into(), &params)).await {
                Ok(result) => Ok(from_js(&result)),
                Err(error) => Err(refusal(&inner.line, &error)),
            };
            inner.pending.resolve(id, outcome);
        });
        Box::pin(answer)
    }

    fn close(&self) {
        self.0.abort.abort();
        if let Some(connection) = self.0.connection.take() {
            end(&self.0.line, &connection);
        }
    }
}

impl Drop for HostCarrier {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inner {
    fn opened(&self, connection: JsValue, asked: Option<String>) {
        let field = |name: &str| Reflect::get(&connection, &name.into()).unwrap_or_default();
        let session = field("sessionId").as_string().or(asked).unwrap_or_default();
        let newest = field("seq").as_f64().map(|seq| seq as u64);
        let role = field("role").as_string();
        let watches = function(&connection, "request").is_none();
        self.connection.replace(Some(connection));
        self.line.role(if watches { Some("viewer") } else { role.as_deref() });
        self.line.opened(&session, newest);
        for (frame, seq) in self.early.take().unwrap_or_default() {
            self.read(&frame, seq);
        }
    }

    /// Takes a frame from the page. What is no frame is an error of its caller.
    fn receive(&self, frame: JsValue, seq: &JsValue) -> Result<(), JsValue> {
        let frame = match frame.dyn_into::<JsString>() {
            Ok(text) => text.into(),
            Err(bytes) if bytes.is_instance_of::<Uint8Array>() => bytes,
            Err(buffer) if buffer.is_instance_of::<ArrayBuffer>() => Uint8Array::new(&buffer).into(),
            Err(message) if message.is_object() => JSON::stringify(&message)?.into(),
            Err(_) => return Err(TypeError::new("receive(frame): a string, bytes or an object").into()),
        };
        let seq = seq.as_f64().map(|seq| seq as u64);
        if let Some(early) = &mut *self.early.borrow_mut() {
            early.push((frame, seq));
            return Ok(());
        }
        self.read(&frame, seq);
        Ok(())
    }

    fn read(&self, frame: &JsValue, seq: Option<u64>) {
        self.line.heard();
        let take = |bytes: &[u8]| match (seq, std::str::from_utf8(bytes)) {
            (Some(seq), Ok(data)) => {
                self.line.events(Frame::ServerSent { event: "message", data, seq: Some(seq) });
                self.line.passed(&seq.to_string());
            }
            _ => drop(self.line.events(Frame::Bytes(bytes))),
        };
        if let Some(text) = frame.dyn_ref::<JsString>() {
            self.texts.read(text, take);
        } else if let Some(bytes) = frame.dyn_ref::<Uint8Array>() {
            take(&bytes.to_vec());
        }
    }
}

/// Calls `close` of a connection.
fn end(line: &CarrierReports, connection: &JsValue) {
    if let Some(close) = function(connection, "close")
        && let Err(error) = close.call0(connection)
    {
        line.error(&text_of(&error));
    }
}

/// What the page knows of a server's refusal: a negative `code` is JSON-RPC's, one from 400 to 599 is HTTP's. Other
/// codes, such as those of a `DOMException`, say nothing.
enum Code {
    Rpc(i64),
    Http(u16),
}

impl Code {
    fn of(error: &JsValue) -> Option<Self> {
        match Reflect::get(error, &"code".into()).ok()?.as_f64()? {
            code if code < 0.0 => Some(Self::Rpc(code as i64)),
            code @ 400.0..600.0 => Some(Self::Http(code as u16)),
            _ => None,
        }
    }
}

/// How the connection ended, or why there is none.
fn ended(line: &CarrierReports, reason: &JsValue) -> Failure {
    if reason.is_undefined() || reason.is_null() {
        return Failure::Ended;
    }
    let message = text_of(reason);
    match Code::of(reason) {
        Some(Code::Rpc(code)) => Failure::Refused { reason: ErrorReason::parse(code, &message), message },
        Some(Code::Http(status)) => Failure::Http { status, retry_after_ms: None },
        None => {
            line.error(&message);
            Failure::HostCode(message)
        }
    }
}

/// Why a request has no result. Without a code nobody knows whether it was carried out.
fn refusal(line: &CarrierReports, error: &JsValue) -> RequestError {
    let message = text_of(error);
    match Code::of(error) {
        Some(Code::Rpc(code)) => RpcError { code, message }.into(),
        Some(Code::Http(status)) => RequestError::Http(status),
        None => {
            line.error(&message);
            RequestError::Lost
        }
    }
}
