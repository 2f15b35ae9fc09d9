//! Shows a few words at a button for a moment: the outcome of a press.

use gloo_timers::future::TimeoutFuture;
use wasm_bindgen_futures::spawn_local;
use web_sys::Element;

/// Milliseconds for which the words stay.
const SHOWN: u32 = 1_600;

/// The attribute that has the words; the style sheet shows it.
const SAID: &str = "data-said";

/// Shows `words` at `button` for 1.6 seconds. It is not announced to screen readers.
pub fn say_at(button: &Element, words: &str) {
    // Fails for invalid names only.
    let _ = button.set_attribute(SAID, words);
    let button = button.clone();
    spawn_local(async move {
        TimeoutFuture::new(SHOWN).await;
        unsay(&button);
    });
}

/// Removes the words, if there are any.
pub fn unsay(button: &Element) {
    let _ = button.remove_attribute(SAID);
}
