//! Copies a part of an entry as plain text, with a fallback for pages without access to the clipboard.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement, HtmlTextAreaElement};

use crate::client::announcer::announce_outcome;
use crate::client::drafts::Drafts;
use crate::core::export;
use crate::core::i18n::words::search;
use crate::core::model::request::RequestStage;
use crate::core::view_model::tool_details;
use crate::store::Store;
use crate::ui::elements::copy_button::{copied_label, to_clipboard};
use crate::ui::elements::flash::flash;
use crate::ui::lazy::CopiedPart;

/// Copies a part of an entry, announces the outcome, and shows it at the button.
pub fn copy(store: Store, index: usize, what: CopiedPart, button: &Element) {
    let text = store.entry(index, |entry| match (what, entry.tool()) {
        (CopiedPart::Command, Some(call)) => tool_details::command(call).unwrap_or_default().to_owned(),
        _ => match entry.request().map(|request| &request.stage) {
            Some(RequestStage::Stale { reply: Some(reply), .. }) if what == CopiedPart::Answer => {
                reply.words().into_owned()
            }
            Some(_) if what == CopiedPart::Answer => {
                Drafts(store).unsent_words(&entry.id).unwrap_or_default()
            }
            _ => export::copied(entry),
        },
    });
    let (text, button) = (text.unwrap_or_default(), button.clone());
    spawn_local(async move {
        let words = if text.is_empty() {
            search::NOTHING_TO_COPY
        } else if to_clipboard(&text).await || copy_by_selection(&text, &button) == Some(true) {
            copied_label(&text)
        } else {
            search::NOT_COPIED
        };
        let words = words.text();
        announce_outcome(store.view_state.announcement, words);
        flash(&button, words);
    });
}

/// The fallback for pages on plain HTTP: a text field that is selected and copied.
fn copy_by_selection(text: &str, button: &Element) -> Option<bool> {
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
