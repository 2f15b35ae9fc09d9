//! The properties by which a host's page adds to the views.

use std::rc::Rc;

use js_sys::Function;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};

use crate::client::js::to_js;
use crate::core::view_model::snapshot;
use crate::store::Store;
use crate::ui::renderers;

/// Sets one property.
pub(super) fn set(store: Store, name: &str, value: JsValue) {
    let options = store.host_options();
    let option = match name {
        "suggestions" => options.suggestions,
        "commands" => options.commands,
        "completions" => options.completions,
        "entryActions" => options.entry_actions,
        _ => return filter(store, value),
    };
    option.set(value);
}

/// Shows only the entries for which a function says so; all for anything else.
fn filter(store: Store, value: JsValue) {
    let filter = value.dyn_into::<Function>().ok().map(|shows| {
        Rc::new(move |row| {
            let entry = store.entry(row, |entry| to_js(&snapshot::entry(entry)));
            // An entry that the filter fails for is shown.
            entry.is_none_or(|entry| renderers::matches(&shows, &entry, true))
        }) as Rc<dyn Fn(usize) -> bool>
    });
    store.rows().set_host_filter(filter);
}
