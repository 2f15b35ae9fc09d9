//! Copies a part of an entry as plain text, with a fallback for pages without access to the clipboard.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};

use crate::client::announcer::say;
use crate::client::drafts::Drafts;
use crate::core::export;
use crate::core::i18n::words::search;
use crate::core::model::request::Life;
use crate::core::view_model::tool_details;
use crate::store::Store;
use crate::ui::elements::copy_button::{copied, to_clipboard};
use crate::ui::elements::flash::flash;
use crate::ui::lazy::Copied;

/// Copies a part of an entry, announces the outcome, and shows it at the button.
pub fn copy(store: Store, index: usize, what: Copied, button: &Element) {
    let text = store.entry(index, |entry| match (what, entry.tool()) {
        (Copied::Command, Some(call)) => tool_details::command(call).unwrap_or_default().to_owned(),
        _ => match entry.request().map(|request| &request.life) {
            Some(Life::Stale { reply: Some(reply), .. }) if what == Copied::Answer => {
                reply.words().into_owned()
            }
            Some(_) if what == Copied::Answer => Drafts(store).unsent_words(&entry.id).unwrap_or_default(),
            _ => export::copied(entry),
        },
    });
    let (text, button) = (text.unwrap_or_default(), button.clone());
    spawn_local(async move {
        let words = if text.is_empty() {
            search::NOTHING_TO_COPY
        } else if to_clipboard(&text).await || by_selection(&text, &button) == Some(true) {
            copied(&text)
        } else {
            search::NOT_COPIED
        };
        let words = words.text();
        say(store.view_state.heard, words);
        flash(&button, words);
    });
}

/// The fallback for pages on plain HTTP: a text field that is selected and copied.
fn by_selection(text: &str, button: &Element) -> Option<bool> {
    let document = document();
    let field: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    field.set_value(text);
    HtmlElement::style(&field).set_css_text("position:fixed;opacity:0");
    field.set_attribute("aria-hidden", "true").ok()?;
    document.body()?.append_child(&field).ok()?;
    field.select();
    let command: Option<Function> =
        Reflect::get(&document, &"execCommand".into()).ok().and_then(|command| command.dyn_into().ok());
    let done = command.and_then(|command| command.call1(&document, &"copy".into()).ok());
    field.remove();
    if let Some(button) = button.dyn_ref::<HtmlElement>() {
        // If this fails, the focus stays where it is, which does no harm.
        let _ = button.focus();
    }
    Some(done.is_some_and(|done| done.is_truthy()))
}
