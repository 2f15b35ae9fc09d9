//! A builder for elements in Leptos' words: a text, an attribute or a child may be a closure, which is called again
//! when the signals that it reads change.
//!
//! Leptos generates a type and machine code for every view, which is fast but costs 300 KB for two hundred small
//! views. What comes by the hundred is built here instead, on Leptos' signals, effects and owners. Listeners and
//! effects made under an owner are dropped with it.
//!
//! ```
//! # use leptos::prelude::*;
//! # use pilothouse::ui::elements::builder::{El, div, el};
//! # fn counter() -> El {
//! let count = RwSignal::new(0);
//! div("counter")
//!     .attr("data-any", move || count.get() > 0)
//!     .child(el("button").text("more").on("click", move |_| count.update(|count| *count += 1)))
//!     .child(move || (count.get() > 9).then(|| el("b").text("many")))
//!     .text(move || count.get().to_string())
//! # }
//! ```

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Comment, Document, Element, Event, HtmlElement, Node};

use super::events::listen;
use super::focus::{focused_in, transfer_focus};
use super::reactive::{keep_with_owner, render_effect};
use super::{live_text, press_guard};

const SVG: &str = "http://www.w3.org/2000/svg";

/// An element under construction. It is a Leptos view, too: `view! { <p>{element}</p> }`.
#[derive(Clone)]
#[must_use = "an element that is not put anywhere shows nothing"]
pub struct El(Element);

/// A new element. Code and keys are not translated by browsers: a command that is read is the command that runs.
pub fn el(tag: &str) -> El {
    let element = El(make(|document| document.create_element(tag)));
    if matches!(tag, "code" | "kbd") { element.attr("translate", "no") } else { element }
}

/// A new element with a class.
pub fn div(class: &str) -> El {
    el("div").class(class)
}

/// An icon, hidden from screen readers: the text beside it says the same.
pub fn glyph(icon: crate::core::view_model::icon::Icon) -> El {
    copy_of(icon.path(), &|| {
        let svg = |tag: &str| El(make(|document| document.create_element_ns(Some(SVG), tag)));
        let path = svg("path").attr("d", icon.path());
        svg("svg").attr("class", "i").attr("viewBox", "0 0 16 16").attr("aria-hidden", "true").child(path)
    })
}

thread_local! {
    static MODELS: RefCell<Vec<(&'static str, Element)>> = const { RefCell::new(Vec::new()) };
}

/// A deep clone of the element first made under this name: one browser call instead of one per node and
/// attribute. The element may not have listeners or effects, since those are not cloned. The name is compared
/// by address.
pub fn copy_of(name: &'static str, make: &dyn Fn() -> El) -> El {
    let known = MODELS.with_borrow(|models| {
        let known = models.iter().find(|(known, _)| std::ptr::eq(*known, name));
        known.map(|(_, model)| model.clone())
    });
    let model = known.unwrap_or_else(|| {
        let model = make().0;
        MODELS.with_borrow_mut(|models| models.push((name, model.clone())));
        model
    });
    // Cloning an element does not fail in practice.
    model.clone_node_with_deep(true).map_or_else(|_| make(), |copy| El(copy.unchecked_into()))
}

fn make(create: impl FnOnce(&Document) -> Result<Element, wasm_bindgen::JsValue>) -> Element {
    // A document can create any element with a valid name, and all names are literals.
    create(&document()).unwrap_or_else(|error| wasm_bindgen::throw_val(error))
}

/// What [`El::text`] takes: a text, or a closure that returns one.
pub trait TextValue {
    /// Adds the text to the end of the element.
    fn add_to(self, element: &El);
}

impl TextValue for &str {
    fn add_to(self, element: &El) {
        append_node(&element.0, &document().create_text_node(self));
    }
}

impl TextValue for &String {
    fn add_to(self, element: &El) {
        self.as_str().add_to(element);
    }
}

impl TextValue for String {
    fn add_to(self, element: &El) {
        self.as_str().add_to(element);
    }
}

impl<F, T> TextValue for F
where
    F: Fn() -> T + 'static,
    T: Into<String>,
{
    fn add_to(self, element: &El) {
        element.live_text(Box::new(move || self().into()));
    }
}

/// The value of an attribute: a text; none, which removes it; or a flag, which sets or removes it.
pub trait AttributeText {
    /// The text, or none for an attribute that is not there.
    fn text(&self) -> Option<&str>;
}

impl AttributeText for &str {
    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl AttributeText for &String {
    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl AttributeText for String {
    fn text(&self) -> Option<&str> {
        Some(self)
    }
}

impl AttributeText for bool {
    fn text(&self) -> Option<&str> {
        self.then_some("")
    }
}

impl<T: AttributeText> AttributeText for Option<T> {
    fn text(&self) -> Option<&str> {
        self.as_ref().and_then(T::text)
    }
}

/// What [`El::attr`] takes: the value of an attribute, or a closure that returns one.
pub trait AttributeValue {
    /// Sets or removes the attribute.
    fn set_on(self, element: &El, name: &'static str);
}

/// Values that don't change.
macro_rules! fixed {
    ($($value:ty),*) => {$(
        impl AttributeValue for $value {
            fn set_on(self, element: &El, name: &'static str) {
                set(&element.0, name, self.text());
            }
        }
    )*};
}

fixed!(&str, &String, String, bool, Option<&str>, Option<&String>, Option<String>);

impl<F, T> AttributeValue for F
where
    F: Fn() -> T + 'static,
    T: AttributeText,
{
    fn set_on(self, element: &El, name: &'static str) {
        element.live_attributes(vec![name], Box::new(move || vec![self().text().map(str::to_owned)]));
    }
}

/// Elements: one, one or none, or several.
pub trait Elements {
    /// All of them.
    fn all(self) -> Vec<El>;
}

impl Elements for El {
    fn all(self) -> Vec<El> {
        vec![self]
    }
}

impl Elements for Option<El> {
    fn all(self) -> Vec<El> {
        self.into_iter().collect()
    }
}

impl Elements for Vec<El> {
    fn all(self) -> Vec<El> {
        self
    }
}

/// What [`El::child`] takes: elements, or a closure that returns them.
pub trait Child {
    /// Adds them to the end of the element.
    fn add_to(self, element: &El);
}

impl Child for El {
    fn add_to(self, element: &El) {
        append(&element.0, &self);
    }
}

impl Child for Option<El> {
    fn add_to(self, element: &El) {
        if let Some(child) = self {
            append(&element.0, &child);
        }
    }
}

impl Child for Vec<El> {
    fn add_to(self, element: &El) {
        for child in &self {
            append(&element.0, child);
        }
    }
}

impl<F, T> Child for F
where
    F: Fn() -> T + 'static,
    T: Elements,
{
    fn add_to(self, element: &El) {
        element.live_children(Box::new(move || self().all()));
    }
}

impl From<Element> for El {
    fn from(element: Element) -> Self {
        Self(element)
    }
}

impl El {
    /// Sets the class.
    pub fn class(self, class: &str) -> Self {
        set(&self.0, "class", Some(class));
        self
    }

    /// Sets an attribute: `&str` or `String`; `Option`, whose `None` removes it; `bool`, which sets it without a
    /// value or removes it; or a closure that returns one of these and is called again when the signals that it
    /// reads change.
    pub fn attr(self, name: &'static str, value: impl AttributeValue) -> Self {
        value.set_on(&self, name);
        self
    }

    /// Sets several attributes by one closure, with one effect; `None` removes one.
    pub fn attrs<const N: usize>(
        self,
        names: [&'static str; N],
        values: impl Fn() -> [Option<String>; N] + 'static,
    ) -> Self {
        self.live_attributes(names.to_vec(), Box::new(move || values().to_vec()));
        self
    }

    /// Adds text: `&str`, `String`, or a closure that is called again when the signals that it reads change.
    pub fn text(self, text: impl TextValue) -> Self {
        text.add_to(&self);
        self
    }

    /// Adds elements: an `El`, an `Option<El>`, a `Vec<El>`, or a closure that returns one of these.
    ///
    /// What a closure returns is rebuilt, with everything under it, when the signals that the closure reads change.
    /// A rebuild waits while one of the elements is being pressed.
    pub fn child(self, child: impl Child) -> Self {
        child.add_to(&self);
        self
    }

    /// Adds a Leptos view. It is unmounted with the current owner.
    pub fn view<V: Render<State: 'static>>(self, view: V) -> Self {
        let mut state = view.build();
        state.mount(&self.0, None);
        keep_with_owner(state);
        self
    }

    /// Adds a listener that is removed with the current owner.
    pub fn on(self, event: &'static str, handler: impl FnMut(&Event) + 'static) -> Self {
        listen(&self.0, event, Box::new(handler));
        self
    }

    /// The element itself.
    pub fn element(&self) -> &Element {
        &self.0
    }

    // With boxed closures: compiled once, not once per closure.

    fn live_text(&self, text: Box<dyn Fn() -> String>) {
        let node = document().create_text_node("");
        append_node(&self.0, &node);
        live_text::follow(node, self.0.clone(), text);
    }

    fn live_attributes(&self, names: Vec<&'static str>, values: Box<dyn Fn() -> Vec<Option<String>>>) {
        let element = self.0.clone();
        let last = RefCell::new(vec![None; names.len()]);
        render_effect(move || {
            let fresh = values();
            let mut last = last.borrow_mut();
            for ((name, value), before) in names.iter().zip(&fresh).zip(last.iter()) {
                // Comparing with the last values avoids reading the DOM and needless writes.
                if value != before {
                    set(&element, name, value.as_deref());
                }
            }
            *last = fresh;
        });
    }

    fn live_children(&self, build: Box<dyn Fn() -> Vec<Self>>) {
        let anchor = document().create_comment("");
        append_node(&self.0, &anchor);
        live_elements(anchor, build);
    }
}

/// Puts the elements that `build` returns before the anchor, and replaces them when the signals change that it reads.
/// Returns those that are there now.
pub(super) fn live_elements(
    anchor: Comment,
    build: Box<dyn Fn() -> Vec<El>>,
) -> StoredValue<Vec<Element>, LocalStorage> {
    let present = StoredValue::new_local(Vec::<Element>::new());
    // A separate owner: the effect's own one is cleaned up before `press_guard::is_pressed_in` is asked, but then the old
    // children may have to stay.
    let owner = Owner::new();
    render_effect(move || {
        if present.try_with_value(|present| press_guard::is_pressed_in(present.iter())) == Some(true) {
            return;
        }
        let fresh = owner.with_cleanup(&build);
        present.update_value(|present| {
            let parent = anchor.parent_element();
            // See `focus::focus`. If the focus is inside, the new children are inserted before the old ones are removed: a
            // layout in between must not be lower than before, or the timeline scrolls as if the reader had left
            // its end.
            let focused = parent.as_ref().and_then(focused_in);
            if focused.is_none() {
                present.drain(..).for_each(|old| old.remove());
            }
            if let Some(parent) = parent {
                for new in &fresh {
                    // The anchor is a child of `parent`, so this can't fail.
                    let _ = parent.insert_before(&new.0, Some(&anchor));
                }
            }
            let fresh: Vec<Element> = fresh.into_iter().map(|new| new.0).collect();
            if let Some(focused) = focused {
                transfer_focus(&focused, present, &fresh);
            }
            for old in std::mem::replace(present, fresh) {
                if !present.contains(&old) {
                    old.remove();
                }
            }
        });
    });
    present
}

/// Appends an element to one that was made before, here or elsewhere.
pub fn append(parent: &Element, child: &El) {
    append_node(parent, &child.0);
}

fn append_node(parent: &Element, child: &Node) {
    // Fails only if a node would contain itself.
    let _ = parent.append_child(child);
}

pub(super) fn set(element: &Element, name: &str, value: Option<&str>) {
    if name == "style" {
        // As an attribute it would need `unsafe-inline` in a page's policy.
        return HtmlElement::style(element.unchecked_ref()).set_css_text(value.unwrap_or_default());
    }
    // Fails only for invalid names, and all names are literals.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}
