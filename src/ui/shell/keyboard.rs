//! Keeps a page above an on-screen keyboard that covers it instead of making it smaller.

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, EventTarget, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::ui::elements::builder::{El, focused_in};
use crate::ui::elements::page_area::fills_page;

/// Less than this many pixels out of sight are a browser's bar that folds.
const LEAST: f64 = 60.0;

/// Follows what is visible of the window until the owner is dropped: the page ends where a keyboard begins.
pub fn follow(page: &El) {
    let get = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &JsValue::from_str(name)).ok();
    let window: JsValue = window().into();
    let Some(seen) = get(&window, "visualViewport").and_then(|seen| seen.dyn_into::<EventTarget>().ok())
    else {
        return;
    };
    let page: HtmlElement = page.element().clone().unchecked_into();
    let number =
        move |of: &JsValue, name: &str| get(of, name).and_then(|value| value.as_f64()).unwrap_or(0.0);
    let fit = {
        let seen: JsValue = seen.clone().into();
        move |resized: bool| {
            let hidden =
                number(&window, "innerHeight") - number(&seen, "height") - number(&seen, "offsetTop");
            // On a zoomed page less is visible than there is, but that is not a keyboard.
            let keyboard = number(&seen, "scale") <= 1.01 && hidden > LEAST && fills_page(&page);
            // Fails only for names and properties that can't be written, here and below.
            let _ = page.toggle_attribute_with_force("data-keyboard", keyboard);
            let space = if keyboard { format!("{}px", hidden as i64) } else { String::new() };
            let _ = page.style().set_property("padding-block-end", &space);
            if let Some(field) = focused_in(&page).filter(|_| keyboard && resized) {
                show(&field);
            }
        }
    };
    let listeners = ["resize", "scroll"].map(|event| {
        let fit = fit.clone();
        EventListener::new(&seen, event, move |_| fit(event == "resize"))
    });
    StoredValue::new_local(listeners);
}

/// Scrolls to the buttons that belong to a field, then to the field, which counts if both do not fit.
fn show(field: &Element) {
    let card = field.closest("[data-request-id]").ok().flatten();
    let buttons = card.and_then(|card| card.query_selector(".answers:last-of-type").ok().flatten());
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    for place in buttons.iter().chain([field]) {
        place.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}
