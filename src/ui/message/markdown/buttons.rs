//! The buttons in a text: copy, wrap, footnotes, images. All of them share a few listeners on the host.

use std::cell::Cell;

use gloo_events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Document, DocumentFragment, Element as Shown, Event, HtmlElement, Node as DomNode};

use super::{images, long_line};
use crate::core::i18n::words::prose;
use crate::ui::elements::copy_button::{copied_label, to_clipboard};

thread_local! {
    /// Whether long lines of code wrap: one choice for all code on the page, as long as it is open.
    static WRAP: Cell<bool> = const { Cell::new(false) };
}

/// The listeners for all buttons in one text.
pub(super) struct Buttons {
    _listeners: [EventListener; 5],
}

impl Buttons {
    /// Listens on the host of the blocks.
    pub(super) fn listen(host: &Shown) -> Self {
        let text = host.clone();
        let click = EventListener::new_with_options(
            host,
            "click",
            EventListenerOptions::enable_prevent_default(),
            move |event| pressed(&text, event),
        );
        // The label is reset when the pointer or the focus leaves, which needs no timer.
        let turned = |event: &Event| {
            if let Some(button) = button_of(event).filter(|button| button.class_name() == "copy")
                && button.text_content().as_deref() != Some(prose::COPY.text())
            {
                button.set_text_content(Some(prose::COPY.text()));
            }
        };
        // These two do not bubble.
        let capture = EventListenerOptions::run_in_capture_phase();
        Self {
            _listeners: [
                click,
                EventListener::new(host, "pointerout", turned),
                EventListener::new(host, "focusout", turned),
                EventListener::new_with_options(host, "load", capture, images::arrived),
                EventListener::new_with_options(host, "error", capture, images::arrived),
            ],
        }
    }
}

/// A button that copies a code block.
pub(super) fn copy(document: &Document) -> Option<Shown> {
    button(document, "copy", prose::COPY.text())
}

/// A button that turns the wrapping of long lines on or off.
pub(super) fn wrap(document: &Document) -> Option<Shown> {
    let wrap = button(document, "wrap", prose::WRAP.text())?;
    wrap.set_attribute("aria-pressed", if WRAP.get() { "true" } else { "false" }).ok()?;
    Some(wrap)
}

/// A button that goes to a footnote.
pub(super) fn reference(document: &Document, label: &str) -> Option<Shown> {
    let reference = button(document, "reference", label)?;
    let name = prose::FOOTNOTE.with(&[("label", label.into())]);
    reference.set_attribute("aria-label", &name).ok()?;
    Some(reference)
}

/// A button that goes from a footnote back to its reference.
pub(super) fn back(document: &Document) -> Option<Shown> {
    let back = button(document, "back", "↩")?;
    back.set_attribute("aria-label", prose::BACK.text()).ok()?;
    Some(back)
}

fn button(document: &Document, class: &str, words: &str) -> Option<Shown> {
    let button = document.create_element("button").ok()?;
    button.set_attribute("type", "button").ok()?;
    button.set_attribute("class", class).ok()?;
    button.set_text_content(Some(words));
    Some(button)
}

fn button_of(event: &Event) -> Option<Shown> {
    event.target()?.dyn_into::<Shown>().ok()?.closest("button").ok()?
}

fn pressed(text: &Shown, event: &Event) {
    let Some(button) = button_of(event) else {
        return;
    };
    match button.class_name().as_str() {
        "copy" => copy_code(button),
        long_line::MORE => long_line::show_more(&button),
        "wrap" => turn_wrap(&button),
        "reference" => go_to_footnote(text, &button),
        "back" => go_back(text, &button),
        "load" => {
            // A badge is an image within a link: loading the image must not follow the link.
            event.prevent_default();
            images::load_pressed(&button);
        }
        _ => {}
    }
}

fn turn_wrap(button: &Shown) {
    let on = !WRAP.get();
    WRAP.set(on);
    // A document or a shadow root: both have `querySelectorAll`.
    let root: DocumentFragment = button.get_root_node().unchecked_into();
    for other in elements(root.query_selector_all("button.wrap").ok()) {
        let _ = other.set_attribute("aria-pressed", if on { "true" } else { "false" });
    }
}

fn go_to_footnote(text: &Shown, reference: &Shown) {
    let label = reference.text_content();
    let notes = elements(own_part(text, reference).query_selector_all(".footnote").ok());
    focus(notes.into_iter().find(|note| note.get_attribute("data-label") == label));
}

fn go_back(text: &Shown, back: &Shown) {
    let note = back.closest(".footnote").ok().flatten();
    let label = note.and_then(|note| note.get_attribute("data-label"));
    let references = elements(own_part(text, back).query_selector_all("button.reference").ok());
    focus(references.into_iter().find(|reference| reference.text_content() == label));
}

/// Where to look for a footnote or reference: another part may have one with the same label.
fn own_part(text: &Shown, within: &Shown) -> Shown {
    within.closest(".prose").ok().flatten().unwrap_or_else(|| text.clone())
}

fn elements(list: Option<web_sys::NodeList>) -> Vec<Shown> {
    let Some(list) = list else {
        return Vec::new();
    };
    (0..list.length()).filter_map(|index| list.item(index)?.dyn_into().ok()).collect()
}

fn focus(element: Option<Shown>) {
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

fn copy_code(button: Shown) {
    let pre = button.closest("pre").ok().flatten();
    let Some(code) = pre.and_then(|pre| pre.last_child()) else {
        return;
    };
    let text = long_line::whole(&code);
    wasm_bindgen_futures::spawn_local(async move {
        let written = to_clipboard(&text).await;
        if !written {
            select(&code);
        }
        let said = if written { copied_label(&text) } else { prose::SELECTED };
        button.set_text_content(Some(said.text()));
    });
}

fn select(code: &DomNode) {
    let selection = web_sys::window().and_then(|window| window.get_selection().ok().flatten());
    if let Some(selection) = selection {
        let _ = selection.select_all_children(code);
    }
}
