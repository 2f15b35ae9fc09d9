//! A browser's WebSocket: what it brings becomes inputs.

use std::rc::Rc;

use gloo_events::EventListener;
use js_sys::{ArrayBuffer, JsString, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{BinaryType, CloseEvent, Event, MessageEvent};

use super::Inbox;
use super::fetch::text_of;
use super::text_frames::TextFrames;
use crate::core::client::connection::{CarrierNews, Input};
use crate::core::connection::Failure;

/// One socket with its listeners.
pub(super) struct Socket {
    socket: web_sys::WebSocket,
    _listeners: [EventListener; 3],
}

impl Socket {
    /// Opens a socket. It is the carrier with this number.
    pub(super) fn open(number: u32, url: &str, inbox: &Inbox) -> Result<Self, Failure> {
        let socket = web_sys::WebSocket::new(url).map_err(|error| Failure::BadAddress(text_of(&error)))?;
        socket.set_binary_type(BinaryType::Arraybuffer);
        let listeners = [
            on_open(&socket, number, Rc::clone(inbox)),
            on_message(&socket, number, Rc::clone(inbox)),
            on_close(&socket, number, Rc::clone(inbox)),
        ];
        Ok(Self { socket, _listeners: listeners })
    }

    /// Sends a message; false if it could not be sent.
    pub(super) fn send(&self, message: &str) -> bool {
        // A socket that is closing accepts messages and silently loses them.
        self.socket.ready_state() == web_sys::WebSocket::OPEN && self.socket.send_with_str(message).is_ok()
    }

    /// Closes the socket. `quietly`: browsers warn on the host's console if one is closed before it is open, so this one
    /// is closed once it is.
    pub(super) fn close(&self, quietly: bool) {
        if quietly && self.socket.ready_state() == web_sys::WebSocket::CONNECTING {
            spawn_local(close_when_open(self.socket.clone()));
        } else {
            let _ = self.socket.close();
        }
    }
}

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

fn on_open(socket: &web_sys::WebSocket, number: u32, inbox: Inbox) -> EventListener {
    EventListener::once(socket, "open", move |_: &Event| {
        inbox(Input::Carrier(number, CarrierNews::SocketOpened));
    })
}

fn on_message(socket: &web_sys::WebSocket, number: u32, inbox: Inbox) -> EventListener {
    let texts = TextFrames::new();
    EventListener::new(socket, "message", move |event: &Event| {
        let Some(event) = event.dyn_ref::<MessageEvent>() else {
            return;
        };
        let data = event.data();
        let take = |bytes: &[u8]| inbox(Input::Carrier(number, CarrierNews::Message(bytes, None)));
        if let Some(text) = data.dyn_ref::<JsString>() {
            texts.read(text, take);
        } else if let Some(buffer) = data.dyn_ref::<ArrayBuffer>() {
            take(&Uint8Array::new(buffer).to_vec());
        }
    })
}

fn on_close(socket: &web_sys::WebSocket, number: u32, inbox: Inbox) -> EventListener {
    EventListener::once(socket, "close", move |event: &Event| {
        let (code, reason) = match event.dyn_ref::<CloseEvent>() {
            Some(event) => (event.code(), event.reason()),
            None => (1006, String::new()),
        };
        inbox(Input::Carrier(number, CarrierNews::SocketClosed { code, reason }));
    })
}
