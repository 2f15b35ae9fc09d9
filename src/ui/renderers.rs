//! Views that a host's page makes with functions of its own, for tool calls, requests, custom notifications and
//! code. `registerRenderer` in `www/package/start.js` says how hosts register them.
//!
//! What a renderer makes is shown by `www/hosted.js`. A renderer that throws is reported, and the built-in view stays.

use std::cell::RefCell;

use js_sys::{Array, Function};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Element;

use crate::client::js::to_js;
use crate::core::view_model::snapshot;
use crate::store::EntryHandle;
use crate::ui::elements::builder::{El, div};
use crate::ui::elements::reactive::render_effect;

#[wasm_bindgen(module = "/www/hosted.js")]
extern "C" {
    /// A place for one view of a host's.
    type Hosted;
    #[wasm_bindgen(constructor)]
    fn new(place: &Element) -> Hosted;
    #[wasm_bindgen(method)]
    fn show(this: &Hosted, render: &Function, data: &JsValue, context: &JsValue) -> bool;
    #[wasm_bindgen(method)]
    fn clear(this: &Hosted);
    /// What a predicate of the host's says; `otherwise` if it throws, which is reported.
    pub fn matches(predicate: &Function, data: &JsValue, otherwise: bool) -> bool;
    /// Reports an error of the host's code to the page.
    pub fn report(error: &JsValue);
}

/// A host's renderer.
pub struct HostRenderer {
    /// What it is for: `tool`, `request`, `notification` or `code`.
    pub kind: String,
    /// `matches(data)` says whether it is for this one.
    pub matches: Function,
    /// `render(data, context)` makes the view.
    pub render: Function,
}

thread_local! {
    static RENDERERS: RefCell<Vec<(u32, HostRenderer)>> = const { RefCell::new(Vec::new()) };
    static CHANGED: ArcRwSignal<u32> = ArcRwSignal::new(0);
}

/// Adds a renderer, ahead of older ones. Returns the number to unregister it with.
pub fn register(renderer: HostRenderer) -> u32 {
    let number = CHANGED.with(ArcRwSignal::get_untracked);
    RENDERERS.with_borrow_mut(|all| all.insert(0, (number, renderer)));
    CHANGED.with(|changed| changed.update(|times| *times = times.wrapping_add(1)));
    number
}

/// Removes a renderer.
pub fn unregister(number: u32) {
    RENDERERS.with_borrow_mut(|all| all.retain(|(other, _)| *other != number));
    CHANGED.with(|changed| changed.update(|times| *times = times.wrapping_add(1)));
}

/// The predicates and renderers of a kind, the newest first. Subscribes to registrations.
fn all_of(kind: &str) -> Vec<(Function, Function)> {
    CHANGED.with(ArcRwSignal::track);
    RENDERERS.with_borrow(|all| {
        let of_kind = all.iter().filter(|(_, renderer)| renderer.kind == kind);
        of_kind.map(|(_, renderer)| (renderer.matches.clone(), renderer.render.clone())).collect()
    })
}

/// The renderers for code as pairs, for `www/extras.js`.
pub(in crate::ui) fn of_code() -> Array {
    let pairs = untrack(|| all_of("code"));
    pairs.into_iter().map(|(matches, render)| Array::of2(&matches, &render)).collect()
}

/// The newest renderer for this data, which is made only if there is a renderer of the kind. Subscribes to
/// registrations, and to what `data` reads.
fn find<T>(
    kind: &str,
    data: impl FnOnce() -> Option<T>,
    of: impl Fn(&T) -> &JsValue,
) -> Option<(Function, T)> {
    let all = all_of(kind);
    let data = if all.is_empty() { None } else { data() }?;
    let (_, render) = all.into_iter().find(|(predicate, _)| matches(predicate, of(&data), false))?;
    Some((render, data))
}

/// Whether a renderer is for this entry. Subscribes to registrations, and to the entry's head.
pub(in crate::ui) fn renders(kind: &str, entry: EntryHandle) -> bool {
    let data = || {
        entry.row.head.track();
        data_of(entry)
    };
    find(kind, data, |data| data).is_some()
}

/// An entry, as in `timeline[]` of a snapshot.
pub(in crate::ui) fn data_of(EntryHandle { store, index, .. }: EntryHandle) -> Option<JsValue> {
    store.entry(index, |entry| to_js(&snapshot::entry(entry)))
}

/// A place for a host's view of an entry; `shown` says whether there is one.
pub(in crate::ui) fn entry_view(kind: &'static str, entry: EntryHandle, shown: RwSignal<bool>) -> El {
    let data = move || {
        entry.row.head.track();
        entry.row.text.track();
        Some((data_of(entry)?, JsValue::UNDEFINED))
    };
    view(kind, move || find(kind, data, |(data, _)| data), shown)
}

/// A place for a host's view. `made` returns the renderer, and what it gets.
pub(in crate::ui) fn view(
    kind: &'static str,
    made: impl Fn() -> Option<(Function, (JsValue, JsValue))> + 'static,
    shown: RwSignal<bool>,
) -> El {
    let place = div("hosted").attr("data-renderer", kind).attr("hidden", move || !shown.get());
    let hosted = StoredValue::new_local(Hosted::new(place.element()));
    render_effect(move || {
        let made = made();
        let made_one = hosted.try_with_value(|hosted| {
            if let Some((render, (data, context))) = &made {
                hosted.show(render, data, context)
            } else {
                hosted.clear();
                false
            }
        });
        shown.set(made_one.unwrap_or(false));
    });
    on_cleanup(move || _ = hosted.try_with_value(Hosted::clear));
    place
}

/// The renderer for a custom notification. It decides by `context`, and gets the payload first.
pub(in crate::ui) fn of_notification(
    data: impl FnOnce() -> Option<(JsValue, JsValue)>,
) -> Option<(Function, (JsValue, JsValue))> {
    find("notification", data, |(_, context)| context)
}
