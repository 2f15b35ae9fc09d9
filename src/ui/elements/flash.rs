//! Shows a few words at an element for a moment: the outcome of a press, or of copying.

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// Milliseconds for which the words stay.
const SHOWN: u32 = 1_600;

/// The attribute that has the words; the style sheet shows it.
const FLASH: &str = "data-flash";

/// Shows `words` at a button or a page for 1.6 seconds. It is not announced to screen readers.
pub fn flash(element: &Element, words: &str) {
    // Fails for invalid names only.
    let _ = element.set_attribute(FLASH, words);
    let element = element.clone();
    spawn_local(async move {
        TimeoutFuture::new(SHOWN).await;
        clear_flash(&element);
    });
}

/// Removes the words, if there are any.
pub fn clear_flash(element: &Element) {
    let _ = element.remove_attribute(FLASH);
}
