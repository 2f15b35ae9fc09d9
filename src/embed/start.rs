//! Starts the program: loads the page's language, then registers the elements.

use std::cell::RefCell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::define_elements;
use crate::core::i18n;
use crate::ui::chunks;
use crate::ui::shell::locale;

#[cfg(feature = "split")]
#[wasm_bindgen(raw_module = "./__wasm_split.js")]
extern "C" {
    /// Gives the loader of the chunks what they link to: the program's memory, table and functions.
    #[wasm_bindgen(js_name = provide)]
    fn provide(exports: &JsValue);
}

thread_local! {
    static STARTED: RefCell<Option<Promise>> = const { RefCell::new(None) };
}

/// Starts the program: at once in English, otherwise when the words of the page's language have been loaded.
pub fn start() {
    console_error_panic_hook::set_once();
    #[cfg(feature = "split")]
    provide(&wasm_bindgen::exports());
    match locale::chosen() {
        None => define_elements(),
        Some(tag) => {
            let started = future_to_promise(async move {
                // If it does not come, the page stays in English.
                i18n::set(chunks::language(tag).await);
                define_elements();
                Ok(JsValue::UNDEFINED)
            });
            STARTED.replace(Some(started));
        }
    }
}

/// Resolves when the elements are registered.
#[wasm_bindgen]
pub fn ready() -> Promise {
    STARTED.with_borrow(Clone::clone).unwrap_or_else(|| Promise::resolve(&JsValue::UNDEFINED))
}
