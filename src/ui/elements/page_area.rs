//! Whether an element is a page of its own.

use wasm_bindgen::JsValue;
use web_sys::Element;

/// Whether the element fills the window. Then the tab's title and icon belong to it, and it need not share
/// the room.
pub fn fills_page(element: &Element) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let inner = |size: Result<JsValue, JsValue>| size.ok().and_then(|size| size.as_f64()).unwrap_or(f64::MAX);
    let place = element.get_bounding_client_rect();
    place.width() >= inner(window.inner_width()) * 0.95
        && place.height() >= inner(window.inner_height()) * 0.9
}
