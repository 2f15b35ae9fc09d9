//! Follows the width of an element.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

/// Sets `is_wide` to whether the element is at least `threshold` CSS pixels wide, until the current owner is dropped.
pub fn watch_width(element: &Element, threshold: i32, is_wide: RwSignal<bool>) {
    let watched = element.clone();
    let callback = Closure::<dyn FnMut()>::new(move || {
        let wide = watched.client_width() >= threshold;
        if is_wide.get_untracked() != wide {
            is_wide.set(wide);
        }
    });
    if let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) {
        observer.observe(element);
        let observing = StoredValue::new_local((observer, callback));
        on_cleanup(move || {
            observing.try_with_value(|(observer, _)| observer.disconnect());
        });
    }
}
