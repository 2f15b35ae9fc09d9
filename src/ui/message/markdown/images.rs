//! Images in a text: where one would come from, and the image itself once a reader asks for it. Nothing is
//! fetched before.

use std::cell::RefCell;
use std::collections::HashMap;

use wasm_bindgen::JsCast;
use web_sys::{Document, Element as Shown, Event, HtmlImageElement};

use crate::core::i18n::words::prose;
use crate::core::text::markdown::{Element, Node};
use crate::ui::elements::page_policy::open_blocked_image_in_tab;

use super::dom::insert;

/// Most images that are remembered; then all are forgotten, and have to be asked for again.
const KEPT: usize = 500;

thread_local! {
    /// The images that a reader asked for, as (width, height) in pixels once known. A row that is rendered
    /// again shows them again, with the same height.
    static ASKED: RefCell<HashMap<String, (u32, u32)>> = RefCell::default();
}

/// Fills an empty element with the image's name and a button that loads it; or with the image, if it was
/// asked for before.
pub(super) fn fill(document: &Document, shown: &Shown, element: &Element, src: &str, host: Option<&str>) {
    let alt: String = element.children.iter().map(Node::text).collect();
    let set = |name: &str, value: &str| {
        let _ = shown.set_attribute(name, value);
    };
    set("data-alt", &alt);
    let inside = ["png", "jpeg", "gif", "webp"].iter().any(|kind| {
        src.strip_prefix("data:image/")
            .and_then(|rest| rest.strip_prefix(kind))
            .is_some_and(|rest| rest.starts_with([';', ',']))
    });
    if !inside && host.is_none() {
        // A file in the agent's workspace, or an address that must not be fetched: only its name is shown.
        return name(document, shown, &alt, None);
    }
    set("data-src", src);
    if ASKED.with_borrow(|asked| asked.contains_key(src)) {
        load(document, shown);
    } else {
        name(document, shown, &alt, Some(host.unwrap_or_default()));
    }
}

/// `from` is the host of an image that can be loaded, empty for a data URL, and `None` if it can't be loaded.
fn name(document: &Document, shown: &Shown, alt: &str, from: Option<&str>) {
    let words = if alt.trim().is_empty() {
        prose::IMAGE.text().to_owned()
    } else {
        prose::IMAGE_NAMED.with(&[("alt", alt.into())])
    };
    insert(shown, Some(&document.create_text_node(&words)), None);
    let Some(from) = from else { return };
    if let Ok(button) = document.create_element("button") {
        let does = if from.is_empty() {
            prose::SHOW.text().to_owned()
        } else {
            prose::LOAD_FROM.with(&[("host", from.into())])
        };
        let _ = button.set_attribute("type", "button");
        let _ = button.set_attribute("class", "load");
        if !alt.is_empty() {
            let name = prose::DOES_TO.with(&[("does", (&does).into()), ("alt", alt.into())]);
            let _ = button.set_attribute("aria-label", &name);
        }
        button.set_text_content(Some(&does));
        insert(shown, Some(&button), None);
    }
}

/// Loads the image that a button was pressed for.
pub(super) fn load_pressed(button: &Shown) {
    let shown = button.parent_element();
    let (Some(shown), Some(document)) = (shown, button.owner_document()) else {
        return;
    };
    if let Some(src) = shown.get_attribute("data-src") {
        if open_blocked_image_in_tab(button, &src) {
            return;
        }
        ASKED.with_borrow_mut(|asked| {
            if asked.len() >= KEPT {
                asked.clear();
            }
            asked.entry(src).or_default();
        });
        load(&document, &shown);
    }
}

fn load(document: &Document, shown: &Shown) {
    let (Some(src), Ok(image)) = (shown.get_attribute("data-src"), document.create_element("img")) else {
        return;
    };
    let set = |name: &str, value: &str| {
        let _ = image.set_attribute(name, value);
    };
    set("alt", &shown.get_attribute("data-alt").unwrap_or_default());
    set("referrerpolicy", "no-referrer");
    set("decoding", "async");
    let (width, height) = ASKED.with_borrow(|asked| asked.get(&src).copied().unwrap_or_default());
    if width > 0 && height > 0 {
        set("width", &width.to_string());
        set("height", &height.to_string());
    }
    set("src", &src);
    shown.set_text_content(None);
    let _ = shown.set_attribute("data-drawn", "");
    insert(shown, Some(&image), None);
}

/// Handles the `load` and `error` events of images.
pub(super) fn arrived(event: &Event) {
    let image = event.target().and_then(|target| target.dyn_into::<HtmlImageElement>().ok());
    let Some((image, shown)) = image.and_then(|image| {
        let shown = image.parent_element().filter(|shown| shown.class_name() == "image")?;
        Some((image, shown))
    }) else {
        return;
    };
    let src = shown.get_attribute("data-src").unwrap_or_default();
    if event.type_() == "load" {
        let size = (image.natural_width(), image.natural_height());
        ASKED.with_borrow_mut(|asked| asked.insert(src, size));
        return;
    }
    ASKED.with_borrow_mut(|asked| asked.remove(&src));
    let (Some(document), Some(host)) = (shown.owner_document(), shown.get_attribute("data-host")) else {
        return;
    };
    shown.set_text_content(None);
    let _ = shown.remove_attribute("data-drawn");
    name(&document, &shown, &shown.get_attribute("data-alt").unwrap_or_default(), Some(&host));
    insert(&shown, Some(&document.create_text_node(prose::NOT_LOADED.text())), None);
}
