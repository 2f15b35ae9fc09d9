//! Starts the program: loads the page's language, then registers the elements.

use std::cell::RefCell;
use std::sync::OnceLock;

use js_sys::{Promise, Reflect, Symbol};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::define_elements;
use crate::client::js::from_js;
use crate::core::i18n;
use crate::core::i18n::Language;
use crate::ui::chunks;
use crate::ui::renderers::report;
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
    let (tag, own) = (locale::preferred_language(), own_words());
    if tag.is_none() && own.is_empty() {
        return define_elements();
    }
    let started = future_to_promise(async move {
        // If it does not come, the page stays in English.
        let language = match tag {
            Some(tag) => chunks::language(tag).await,
            None => None,
        };
        i18n::set(language);
        if !own.is_empty() {
            replace_words(language, &own).await;
        }
        define_elements();
        Ok(JsValue::UNDEFINED)
    });
    STARTED.replace(Some(started));
}

/// The host's own words: names of files and their Fluent sources. `www/package/start.js` leaves them on the global object,
/// because nothing else of the program can be reached before it starts. Outside of a page nothing shows them.
fn own_words() -> Vec<(String, String)> {
    if web_sys::window().is_none() {
        return Vec::new();
    }
    let given = Reflect::get(&js_sys::global(), &Symbol::for_("pilothouse.words"));
    let given = given.map(|given| from_js(&given)).unwrap_or_default();
    let files = given.as_object().into_iter().flatten();
    files.filter_map(|(file, source)| Some((file.clone(), source.as_str()?.to_owned()))).collect()
}

/// The page's language with the host's words in it.
static OWN: OnceLock<Language> = OnceLock::new();

/// Sets the language with the host's words in it. What is wrong with them is reported to the page.
async fn replace_words(language: Option<&'static Language>, own: &[(String, String)]) {
    let errors = match chunks::replaced(language, own).await {
        Ok((language, errors)) => {
            i18n::set(Some(OWN.get_or_init(|| language)));
            errors
        }
        Err(_) => vec!["their file was not loaded".to_owned()],
    };
    for error in errors {
        report(&js_sys::Error::new(&format!("pilothouse: your own words: {error}")).into());
    }
}

/// Resolves when the elements are registered.
#[wasm_bindgen]
pub fn ready() -> Promise {
    STARTED.with_borrow(Clone::clone).unwrap_or_else(|| Promise::resolve(&JsValue::UNDEFINED))
}
