//! The language of the page, and the browser's number formats for it.
//!
//! There is one language for the whole page, chosen when the program starts: rows read their words once. The state
//! knows no language. The texts themselves are in `core::i18n`.

use std::cell::OnceCell;

use js_sys::{Array, Intl, Object, Reflect};
use wasm_bindgen::JsValue;

use crate::core::i18n;
use crate::core::i18n::{Language, translations};

/// German.
pub static GERMAN: Language =
    Language { tag: "de", right_to_left: false, words: translations::GERMAN, plural, figure: format_number };

/// Japanese.
pub static JAPANESE: Language = Language {
    tag: "ja",
    right_to_left: false,
    words: translations::JAPANESE,
    plural,
    figure: format_number,
};

/// Arabic.
pub static ARABIC: Language =
    Language { tag: "ar", right_to_left: true, words: translations::ARABIC, plural, figure: format_number };

/// The languages besides English that there are translations for.
const TAGS: [&str; 3] = ["ar", "de", "ja"];

const ENGLISH: &str = "en";

/// The language of the first element in the document, by the nearest `lang` attribute. Without one, or if it
/// is empty, the browser's languages are used. `None` for English and for languages without a translation.
pub fn preferred_language() -> Option<&'static str> {
    // Node.js has no `window`.
    let document = web_sys::window()?.document()?;
    let element = document
        .query_selector("pilot-house, pilot-house-board")
        .ok()
        .flatten()
        .or_else(|| document.document_element());
    let tag = element.and_then(|element| element.closest("[lang]").ok().flatten()?.get_attribute("lang"));
    if let Some(tag) = tag.filter(|tag| !tag.is_empty()) {
        return supported_language(&tag).filter(|tag| *tag != ENGLISH);
    }
    let wanted = web_sys::window()?.navigator().languages();
    wanted.iter().find_map(|tag| supported_language(&tag.as_string()?)).filter(|tag| *tag != ENGLISH)
}

/// The tag of a language, if there are texts for it; English included.
fn supported_language(tag: &str) -> Option<&'static str> {
    let first = tag.split(['-', '_']).next().unwrap_or_default();
    TAGS.into_iter().chain([ENGLISH]).find(|of| first.eq_ignore_ascii_case(of))
}

struct Formats {
    plural: Intl::PluralRules,
    whole: js_sys::Function,
    fraction: js_sys::Function,
}

thread_local! {
    static FORMATS: OnceCell<Formats> = const { OnceCell::new() };
}

fn with_formats<R>(read: impl FnOnce(&Formats) -> R) -> R {
    FORMATS.with(|formats| read(formats.get_or_init(create_formats)))
}

fn create_formats() -> Formats {
    let tag = i18n::current().map_or("en", |language| language.tag);
    let locales = Array::of1(&tag.into());
    let number = |digits: u8| {
        let options = Object::new();
        // Setting a property of a plain object does not fail.
        let _ = Reflect::set(&options, &"maximumFractionDigits".into(), &digits.into());
        Intl::NumberFormat::new(&locales, &options).format()
    };
    Formats {
        plural: Intl::PluralRules::new(&locales, &Object::new()),
        whole: number(0),
        fraction: number(2),
    }
}

fn plural(number: i64) -> String {
    with_formats(|formats| formats.plural.select(number as f64).into())
}

fn format_number(number: f64, digits: u8) -> String {
    let text = with_formats(|formats| {
        let format = if digits == 0 { &formats.whole } else { &formats.fraction };
        format.call1(&JsValue::NULL, &number.into())
    });
    text.ok().and_then(|text| text.as_string()).unwrap_or_default()
}
