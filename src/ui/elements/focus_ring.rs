//! Notes on a page what a person used last, a key or a pointer: a focus ring shows only where a key led.

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::window;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent};

use super::reactive::keep_with_owner;

/// Keeps `data-input` of a page up to date, as long as the owner lives: `key`, `pointer`, or none before the first one. The
/// focus may also come from another page or from the browser's own fields, so the window is what is listened to.
pub fn watch(page: &Element) {
    for name in ["keydown", "pointerdown", "blur"] {
        let page = page.clone();
        let note = move |event: &Event| {
            let used = match name {
                "keydown" if is_modifier(event) => return,
                "keydown" => "key",
                "pointerdown" => "pointer",
                _ => "",
            };
            // Fails for invalid names only.
            let _ = page.set_attribute("data-input", used);
        };
        let options = EventListenerOptions::run_in_capture_phase();
        keep_with_owner(EventListener::new_with_options(&window(), name, options, note));
    }
}

/// A modifier alone leads nowhere: it may belong to a click.
fn is_modifier(event: &Event) -> bool {
    let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key);
    matches!(key.as_deref(), Some("Shift" | "Control" | "Alt" | "Meta"))
}
