//! Shows a few words at a button for a moment: the outcome of a press.

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// Milliseconds for which the words stay.
const SHOWN: u32 = 1_600;

/// The attribute that has the words; the style sheet shows it.
const FLASH: &str = "data-flash";

/// Shows `words` at `button` for 1.6 seconds. It is not announced to screen readers.
pub fn flash(button: &Element, words: &str) {
    // Fails for invalid names only.
    let _ = button.set_attribute(FLASH, words);
    let button = button.clone();
    spawn_local(async move {
        TimeoutFuture::new(SHOWN).await;
        clear_flash(&button);
    });
}

/// Removes the words, if there are any.
pub fn clear_flash(button: &Element) {
    let _ = button.remove_attribute(FLASH);
}
