//! The clipboard, and a button that copies a text and shows whether that worked.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::builder::{El, el};
use crate::core::i18n::Word;
use crate::core::i18n::words::cards;
use crate::core::text::hidden::has_hidden;

/// A small button; `name` tells screen readers what it copies.
pub fn copy_button(name: Word, text: impl Fn() -> String + 'static) -> El {
    let label = RwSignal::new(cards::COPY);
    let back = move |_: &web_sys::Event| {
        if label.get_untracked() != cards::COPY {
            label.set(cards::COPY);
        }
    };
    el("button")
        .class("quiet-btn")
        .attr("type", "button")
        .attr("title", name.text())
        .on("click", move |_| {
            let text = text();
            spawn_local(async move {
                let written = to_clipboard(&text).await;
                // The card may have been removed in the meantime.
                label.try_set(if written { copied_label(&text) } else { cards::NOT_ALLOWED });
            });
        })
        // The label is reset when the pointer or the focus leaves, which needs no timer.
        .on("pointerleave", back)
        .on("blur", back)
        .child(el("span").attr("role", "status").text(move || label.get().text().to_owned()))
        .child(el("span").class("sr").text(cards::WHAT_IS_COPIED.with(&[("what", name.text().into())])))
}

/// What to say when a text was copied. Hidden characters go with it, and nobody would see them.
pub fn copied_label(text: &str) -> Word {
    if has_hidden(text) { cards::COPIED_HIDDEN } else { cards::COPIED }
}

/// Writes a text to the clipboard. Returns false if the browser does not allow it.
pub async fn to_clipboard(text: &str) -> bool {
    match clipboard() {
        Some(clipboard) => JsFuture::from(clipboard.write_text(text)).await.is_ok(),
        None => false,
    }
}

/// `None` on pages that are not served securely. The typed getter would return `undefined` as a `Clipboard`
/// there.
fn clipboard() -> Option<web_sys::Clipboard> {
    let navigator = web_sys::window()?.navigator();
    let clipboard = js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).ok()?;
    if clipboard.is_undefined() || clipboard.is_null() { None } else { Some(clipboard.unchecked_into()) }
}
