//! What a page tells of itself and of the network: seen or hidden, frozen, restored, offline.

use std::rc::Rc;

use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::Inbox;
use crate::core::client::connection::Input;
use crate::core::connection::WakeSign;

/// Whether nobody sees the page.
pub(super) fn is_hidden() -> bool {
    web_sys::window().and_then(|window| window.document()).is_some_and(|page| page.hidden())
}

/// Listens to the page's events, for as long as the listeners exist.
pub(super) fn listen(inbox: &Inbox) -> Vec<EventListener> {
    let Some(window) = web_sys::window() else {
        return Vec::new();
    };
    let listen =
        |target: &web_sys::EventTarget, name: &'static str, input: fn(&JsValue) -> Input<'static>| {
            let inbox = Rc::clone(inbox);
            EventListener::new(target, name, move |event| {
                let (inbox, event) = (Rc::clone(&inbox), JsValue::from(event));
                // Deferred, because the input may drop this listener.
                spawn_local(async move { inbox(input(&event)) });
            })
        };
    let mut listeners = vec![
        listen(&window, "online", |_| Input::Wake(WakeSign::Online)),
        listen(&window, "offline", |_| Input::Offline),
        listen(&window, "focus", |_| Input::Wake(WakeSign::Focused)),
        listen(&window, "pageshow", |event| {
            let persisted = js_sys::Reflect::get(event, &"persisted".into());
            let restored = persisted.is_ok_and(|persisted| persisted.is_truthy());
            Input::Wake(if restored { WakeSign::Restored } else { WakeSign::Focused })
        }),
    ];
    if let Some(document) = window.document() {
        listeners.push(listen(&document, "visibilitychange", |_| Input::Hidden(is_hidden())));
        listeners.push(listen(&document, "resume", |_| Input::Wake(WakeSign::Thawed)));
    }
    listeners
}
