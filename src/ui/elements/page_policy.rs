//! What the page around an element allows it to load, as the attribute `allow` says.

use wasm_bindgen::JsCast;
use web_sys::{Element, ShadowRoot};

/// Shows an image from another server in a tab of its own if the page does not allow such images, and returns
/// whether it did. A page's policy can't be read, and asking for an image that it refuses is an error in the console.
pub fn open_blocked_image_in_tab(element: &Element, address: &str) -> bool {
    let elsewhere = address.starts_with("http") && !allows(element, "images");
    if elsewhere && let Some(window) = web_sys::window() {
        // Where the browser blocks the tab, nothing is shown, and nothing is fetched.
        let _ = window.open_with_url_and_target_and_features(address, "_blank", "noopener,noreferrer");
    }
    elsewhere
}

/// Whether the nearest `allow` around the element lists this. Without the attribute, images are allowed.
fn allows(element: &Element, what: &str) -> bool {
    let mut inside = Some(element.clone());
    while let Some(element) = inside {
        if let Ok(Some(holder)) = element.closest("[allow]") {
            let list = holder.get_attribute("allow").unwrap_or_default();
            return list.split_ascii_whitespace().any(|word| word == what);
        }
        inside = element.get_root_node().dyn_ref::<ShadowRoot>().map(ShadowRoot::host);
    }
    what == "images"
}
