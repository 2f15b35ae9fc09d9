//! Keeps a page above an on-screen keyboard that covers it instead of making it smaller.

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, EventTarget, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::ui::elements::builder::El;
use crate::ui::elements::focus::focused_in;
use crate::ui::elements::reactive::keep_with_owner;

/// Less than this many pixels out of sight are a browser's bar that folds.
const MIN_COVERED_PIXELS: f64 = 60.0;

/// Follows what is visible of the window until the owner is dropped: the page ends where a keyboard begins.
pub fn follow(page: &El) {
    let get = |of: &JsValue, name: &str| js_sys::Reflect::get(of, &JsValue::from_str(name)).ok();
    let window: JsValue = window().into();
    let visible = get(&window, "visualViewport").and_then(|visible| visible.dyn_into::<EventTarget>().ok());
    let Some(visible) = visible else { return };
    let page: HtmlElement = page.element().clone().unchecked_into();
    let number = move |of: &JsValue, name: &str| get(of, name)?.as_f64();
    let fit = {
        let visible: JsValue = visible.clone().into();
        move |resized: bool| {
            let read = |of: &JsValue, name: &str| number(of, name).unwrap_or(0.0);
            // Safari on iOS 26 makes `innerHeight` smaller with the keyboard, and the page not.
            let laid_out = document().document_element().map_or(0, |root| root.client_height());
            let window = read(&window, "innerHeight").max(f64::from(laid_out));
            let height = read(&visible, "height");
            // On a zoomed page less is visible than there is, but that is not a keyboard.
            let keyboard =
                number(&visible, "scale").unwrap_or(1.0) <= 1.01 && window - height > MIN_COVERED_PIXELS;
            let covered =
                covered_pixels(&page, window, read(&visible, "offsetTop") + height).filter(|_| keyboard);
            // Fails only for names and properties that can't be written, here and below.
            let _ = page.toggle_attribute_with_force("data-keyboard", covered.is_some());
            let space = covered.map(|pixels| format!("{pixels:.0}px")).unwrap_or_default();
            let _ = page.style().set_property("padding-block-end", &space);
            if let Some(field) = focused_in(&page).filter(|_| covered.is_some() && resized) {
                show(&field);
            }
        }
    };
    let listeners = ["resize", "scroll"].map(|event| {
        let fit = fit.clone();
        EventListener::new(&visible, event, move |_| fit(event == "resize"))
    });
    keep_with_owner(listeners);
    // Only now is it in the document. The keyboard may be there already.
    request_animation_frame(move || fit(true));
}

/// How many pixels of a page are below a line of the window. `None` if there are none, or if the page reaches out of
/// the window: then the page around it scrolls, and browsers scroll to the field with the focus.
fn covered_pixels(page: &Element, window: f64, line: f64) -> Option<f64> {
    let place = page.get_bounding_client_rect();
    let is_inside = place.top() >= -1.0 && place.bottom() <= window + 1.0;
    let covered = place.bottom() - line;
    (is_inside && covered >= 1.0 && covered < place.height()).then_some(covered)
}

/// Scrolls to the buttons that belong to a field, then to the field, which counts if both do not fit.
fn show(field: &Element) {
    let card = field.closest("[data-request-id]").ok().flatten();
    let buttons = card.and_then(|card| card.query_selector_all(".answers").ok());
    let buttons = buttons.and_then(|all| all.item(all.length().checked_sub(1)?)?.dyn_into::<Element>().ok());
    let nearest = ScrollIntoViewOptions::new();
    nearest.set_block(ScrollLogicalPosition::Nearest);
    for place in buttons.iter().chain([field]) {
        place.scroll_into_view_with_scroll_into_view_options(&nearest);
    }
}
