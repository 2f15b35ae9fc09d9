//! One WebSocket: the subscription, frames in, requests out. It does not reconnect. Browsers can't set
//! headers here, so the token goes into the params of the link's own requests (`pilothouse.sessions`,
//! `pilothouse.subscribe`) as `token`, and never into the address.

use std::cell::Cell;
use std::future::ready;
use std::rc::{Rc, Weak};

use gloo_events::EventListener;
use js_sys::{ArrayBuffer, JsString, Promise, Uint8Array};
use serde_json::{Map, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{BinaryType, CloseEvent, Event, MessageEvent};

use super::fetch::{session_of, text_of};
use super::pending::Pending;
use super::supervisor::{CarrierReports, Cursor};
use super::text_frames::TextFrames;
use super::{Answering, Connection, Frame, RequestError, written};
use crate::core::connection::{Failure, Target};
use crate::core::i18n::words::connection;

/// One socket with its listeners.
pub(super) struct WebSocket {
    wire: Rc<Wire>,
    _listeners: [EventListener; 3],
}

struct Wire {
    socket: web_sys::WebSocket,
    pending: Rc<Pending>,
    was_open: Cell<bool>,
    /// The longest message, in bytes, that the server takes, if it says so.
    limit: Cell<Option<u64>>,
    /// It was left while opening, and closes itself once it is open.
    left: Cell<bool>,
}

impl WebSocket {
    /// Opens the socket and, at a gateway, subscribes to `session` or to the first one.
    pub(super) fn open(
        target: &Target,
        token: Option<String>,
        session: Option<String>,
        cursor: &Cursor,
        line: &CarrierReports,
        pending: Rc<Pending>,
    ) -> Result<Self, Failure> {
        let url = target
            .socket_url()
            .ok_or_else(|| Failure::BadAddress(connection::NO_SOCKET_THERE.text().into()))?;
        let socket = web_sys::WebSocket::new(&url).map_err(|error| Failure::BadAddress(text_of(&error)))?;
        socket.set_binary_type(BinaryType::Arraybuffer);
        let wire = Rc::new(Wire {
            socket,
            pending,
            was_open: Cell::new(false),
            limit: Cell::new(None),
            left: Cell::new(false),
        });
        let hail = Handshake {
            wire: Rc::downgrade(&wire),
            line: line.clone(),
            token,
            session,
            after: cursor.seq,
            version: Cell::default(),
        };
        let listeners = [
            on_open(&wire, hail, target.socket_is_gateway()),
            on_message(&wire, line.clone()),
            on_close(&wire, line.clone()),
        ];
        Ok(Self { wire, _listeners: listeners })
    }
}

impl Connection for WebSocket {
    fn request(&self, method: &str, params: Value) -> Answering {
        self.wire.request(method, &params)
    }

    fn speaks(&self) -> bool {
        true
    }

    fn ping(&self) {
        let id = self.wire.pending.next_id();
        // A socket that can't send reports its end itself.
        let _ = self.wire.socket.send_with_str(&written(id, "pilothouse.ping", None));
    }

    fn close(&self) {
        if !self.wire.left.get() {
            let _ = self.wire.socket.close();
        }
    }

    fn leave(&self) {
        if self.wire.socket.ready_state() == web_sys::WebSocket::CONNECTING {
            self.wire.left.set(true);
            spawn_local(close_when_open(self.wire.socket.clone()));
        } else {
            self.close();
        }
    }
}

impl Drop for WebSocket {
    fn drop(&mut self) {
        self.close();
    }
}

impl Wire {
    fn request(&self, method: &str, params: &Value) -> Answering {
        let id = self.pending.next_id();
        let message = written(id, method, Some(params));
        let length = message.len() as u64;
        // A server that gets more would end the connection, and with it what else is on its way.
        if let Some(limit) = self.limit.get().filter(|limit| length > *limit) {
            return Box::pin(ready(Err(RequestError::TooLong { length, limit })));
        }
        let answer = self.pending.wait(id);
        // A socket that is closing accepts messages and silently loses them.
        let open = self.socket.ready_state() == web_sys::WebSocket::OPEN;
        if !open || self.socket.send_with_str(&message).is_err() {
            self.pending.resolve(id, Err(RequestError::NotConnected));
            return Box::pin(ready(Err(RequestError::NotConnected)));
        }
        Box::pin(answer)
    }
}

/// Closes a socket once it is open. Browsers warn on the host's console if one is closed before that.
async fn close_when_open(socket: web_sys::WebSocket) {
    let mut listeners = Vec::new();
    let settled = Promise::new(&mut |settle, _| {
        listeners.extend(["open", "close"].map(|name| {
            let settle = settle.clone();
            EventListener::once(&socket, name, move |_| _ = settle.call0(&JsValue::NULL))
        }));
    });
    // The promise is never rejected, and a socket that failed is closed already.
    let _ = JsFuture::from(settled).await;
    let _ = socket.close();
}

fn on_open(wire: &Rc<Wire>, hail: Handshake, gateway: bool) -> EventListener {
    let opened = Rc::downgrade(wire);
    EventListener::once(&wire.socket, "open", move |_: &Event| {
        if let Some(wire) = opened.upgrade() {
            wire.was_open.set(true);
        }
        spawn_local(async move {
            if !gateway {
                hail.greet_stream();
            } else if let Err(Some(failure)) = hail.subscribe().await {
                hail.line.failed(&failure);
            }
        });
    })
}

fn on_message(wire: &Rc<Wire>, line: CarrierReports) -> EventListener {
    let texts = TextFrames::new();
    EventListener::new(&wire.socket, "message", move |event: &Event| {
        let Some(event) = event.dyn_ref::<MessageEvent>() else {
            return;
        };
        let data = event.data();
        line.heard();
        if let Some(text) = data.dyn_ref::<JsString>() {
            texts.read(text, |bytes| line.frame(Frame::Bytes(bytes)));
        } else if let Some(buffer) = data.dyn_ref::<ArrayBuffer>() {
            line.frame(Frame::Bytes(&Uint8Array::new(buffer).to_vec()));
        }
    })
}

fn on_close(wire: &Rc<Wire>, line: CarrierReports) -> EventListener {
    let closed = Rc::downgrade(wire);
    EventListener::once(&wire.socket, "close", move |event: &Event| {
        let was_open = closed.upgrade().is_some_and(|wire| wire.was_open.get());
        let failure = match event.dyn_ref::<CloseEvent>() {
            Some(event) if was_open => Failure::Socket { code: event.code(), reason: event.reason() },
            _ => Failure::NeverOpened,
        };
        // Deferred, because the report drops this listener.
        spawn_local(async move { line.failed(&failure) });
    })
}

/// The first messages on a new socket.
struct Handshake {
    wire: Weak<Wire>,
    line: CarrierReports,
    token: Option<String>,
    session: Option<String>,
    after: Option<u64>,
    /// The version of the protocol, as the server said.
    version: Cell<Option<u64>>,
}

impl Handshake {
    /// Subscribes at a gateway, which sends nothing before that. `Err(None)`: the socket was lost meanwhile,
    /// which its own listener reports, or the page shows something else now.
    async fn subscribe(&self) -> Result<(), Option<Failure>> {
        let session = if let Some(session) = self.session.clone() {
            session
        } else {
            let sessions = self.request("pilothouse.sessions", self.params(None, None)).await?;
            if self.line.listed(&sessions) {
                return Err(None);
            }
            session_of(&sessions)?
        };
        let mut newest = self.newest(&session, self.after).await?;
        if self.after.is_some_and(|after| newest.is_some_and(|newest| newest < after)) {
            // The gateway has started over and counts from one again. What came before comes
            // once more and changes nothing.
            self.request("pilothouse.unsubscribe", self.params(Some(&session), None)).await?;
            newest = self.newest(&session, None).await?;
        }
        self.line.opened(&session, newest);
        self.line.protocol(self.version.get());
        Ok(())
    }

    /// Greets a foreign stream, which is open as it is. A named session is mentioned, since the server may
    /// know how to replay it. Its answer does not matter.
    fn greet_stream(&self) {
        let session = self.session.as_deref().unwrap_or_default();
        if let Some(wire) = self.wire.upgrade()
            && !session.is_empty()
        {
            drop(wire.request("pilothouse.subscribe", &self.params(Some(session), self.after)));
        }
        self.line.opened(session, None);
    }

    async fn newest(&self, session: &str, after: Option<u64>) -> Result<Option<u64>, Option<Failure>> {
        let mut params = self.params(Some(session), after);
        if let Some(params) = params.as_object_mut() {
            params.insert("binary".to_owned(), true.into());
        }
        let answer = self.request("pilothouse.subscribe", params).await?;
        self.line.role(answer.get("role").and_then(Value::as_str));
        self.line.health(answer.get("health"));
        if let Some(wire) = self.wire.upgrade() {
            wire.limit.set(answer.get("maxMessageBytes").and_then(Value::as_u64));
        }
        self.version.set(answer.get("protocol").and_then(Value::as_u64));
        Ok(answer.get("seq").and_then(Value::as_u64))
    }

    async fn request(&self, method: &str, params: Value) -> Result<Value, Option<Failure>> {
        let answering = self.wire.upgrade().ok_or(None)?.request(method, &params);
        answering.await.map_err(|error| match error {
            RequestError::Refused { reason, message } => Some(Failure::Refused { reason, message }),
            RequestError::NoAnswer => Some(Failure::Silent),
            _ => None,
        })
    }

    fn params(&self, session: Option<&str>, after: Option<u64>) -> Value {
        let mut params = Map::new();
        let entries = [
            ("sessionId", session.map(Value::from)),
            ("after", after.map(Value::from)),
            ("token", self.token.clone().map(Value::from)),
        ];
        for (key, value) in entries {
            if let Some(value) = value {
                params.insert(key.to_owned(), value);
            }
        }
        Value::Object(params)
    }
}
