//! A builder for elements with reactive texts, attributes and children, without generics.
//!
//! Leptos generates a type and machine code for every view, which is fast but costs 300 KB for two hundred
//! small views. Cards and lines are built here instead, on Leptos' signals, effects and owners. Listeners and
//! effects made under an owner are dropped with it.

use std::cell::RefCell;

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::*;
use leptos::reactive::graph::{AnySubscriber, Subscriber, ToAnySubscriber};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, FocusOptions, HtmlElement, Node, ShadowRoot};

use super::press_guard;

const SVG: &str = "http://www.w3.org/2000/svg";

/// An element under construction.
#[derive(Clone)]
#[must_use = "an element that is not put anywhere shows nothing"]
pub struct El(Element);

/// A new element.
pub fn el(tag: &str) -> El {
    El(make(|document| document.create_element(tag)))
}

/// A new element with a class.
pub fn div(class: &str) -> El {
    el("div").class(class)
}

/// An icon, hidden from screen readers: the text beside it says the same.
pub fn glyph(icon: super::icons::Icon) -> El {
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

impl El {
    /// Sets the class.
    pub fn class(self, class: &str) -> Self {
        self.attr("class", class)
    }

    /// Sets an attribute.
    pub fn attr(self, name: &str, value: &str) -> Self {
        set(&self.0, name, Some(value));
        self
    }

    /// Sets a boolean attribute if `on` is true, and removes it otherwise.
    pub fn flag(self, name: &str, on: bool) -> Self {
        set(&self.0, name, on.then_some(""));
        self
    }

    /// Adds text.
    pub fn text(self, text: &str) -> Self {
        append(&self.0, &document().create_text_node(text));
        self
    }

    /// Adds an element.
    #[allow(clippy::needless_pass_by_value, reason = "an element is in one place: it is given away")]
    pub fn child(self, child: Self) -> Self {
        append(&self.0, &child.0);
        self
    }

    /// Adds an element, if there is one.
    pub fn maybe(self, child: Option<Self>) -> Self {
        match child {
            Some(child) => self.child(child),
            None => self,
        }
    }

    /// Adds elements.
    #[allow(clippy::needless_pass_by_value, reason = "as above")]
    pub fn children(self, children: Vec<Self>) -> Self {
        for child in &children {
            append(&self.0, &child.0);
        }
        self
    }

    /// Adds a text that is updated when the signals it reads change.
    pub fn live_text(self, text: impl Fn() -> String + 'static) -> Self {
        self.follow_text(Box::new(text))
    }

    /// An attribute that is updated when the signals it reads change; `None` removes it.
    pub fn live_attr(self, name: &'static str, value: impl Fn() -> Option<String> + 'static) -> Self {
        self.follow_attr(name, Box::new(value))
    }

    /// Several attributes updated by one effect; `None` removes one.
    pub fn live_attrs<const N: usize>(
        self,
        names: [&'static str; N],
        values: impl Fn() -> [Option<String>; N] + 'static,
    ) -> Self {
        self.follow_attrs(names.to_vec(), Box::new(move || values().to_vec()))
    }

    /// A boolean attribute that is set while `on` returns true.
    pub fn live_flag(self, name: &'static str, on: impl Fn() -> bool + 'static) -> Self {
        self.follow_attr(name, Box::new(move || on().then(String::new)))
    }

    /// Children that are rebuilt, with everything under them, when the signals that `build` reads change. A
    /// rebuild waits while one of them is being pressed.
    pub fn part(self, build: impl Fn() -> Vec<Self> + 'static) -> Self {
        self.follow_part(Box::new(build))
    }

    /// Like [`El::part`] for at most one element.
    pub fn part_if(self, build: impl Fn() -> Option<Self> + 'static) -> Self {
        self.follow_part(Box::new(move || build().into_iter().collect()))
    }

    /// Adds a listener that is removed with the current owner.
    pub fn on(self, event: &'static str, handler: impl FnMut(&Event) + 'static) -> Self {
        let handler: Box<dyn FnMut(&Event)> = Box::new(handler);
        let options = EventListenerOptions::enable_prevent_default();
        let listener = EventListener::new_with_options(&self.0, event, options, handler);
        StoredValue::new_local(listener);
        self
    }

    // The implementations of the methods above, with boxed closures: compiled once, not once per closure.

    fn follow_text(self, text: Box<dyn Fn() -> String>) -> Self {
        let node = document().create_text_node("");
        append(&self.0, &node);
        follow(Box::new(move || {
            let text = text();
            if node.data() != text {
                node.set_data(&text);
            }
        }));
        self
    }

    fn follow_attr(self, name: &'static str, value: Box<dyn Fn() -> Option<String>>) -> Self {
        self.follow_attrs(vec![name], Box::new(move || vec![value()]))
    }

    fn follow_attrs(self, names: Vec<&'static str>, values: Box<dyn Fn() -> Vec<Option<String>>>) -> Self {
        let element = self.0.clone();
        let last = RefCell::new(vec![None; names.len()]);
        follow(Box::new(move || {
            let fresh = values();
            let mut last = last.borrow_mut();
            for ((name, value), before) in names.iter().zip(&fresh).zip(last.iter()) {
                // Comparing with the last values avoids reading the DOM and needless writes.
                if value != before {
                    set(&element, name, value.as_deref());
                }
            }
            *last = fresh;
        }));
        self
    }

    fn follow_part(self, build: Box<dyn Fn() -> Vec<Self>>) -> Self {
        let anchor = document().create_comment("");
        append(&self.0, &anchor);
        let shown = StoredValue::new_local(Vec::<Element>::new());
        // A separate owner: the effect's own one is cleaned up before `press::holds` is asked, but then the
        // old children may have to stay.
        let owner = Owner::new();
        follow(Box::new(move || {
            if shown.try_with_value(|shown| press_guard::holds(shown.iter())) == Some(true) {
                return;
            }
            let fresh = owner.with_cleanup(&build);
            shown.update_value(|shown| {
                let parent = anchor.parent_element();
                // See `focus`. If the focus is inside, the new children are inserted before the old ones are
                // removed: a layout in between must not be lower than before, or the timeline scrolls as if
                // the reader had left its end.
                let focused = parent.as_ref().is_some_and(|parent| focused_in(parent).is_some());
                if !focused {
                    shown.drain(..).for_each(|old| old.remove());
                }
                if let Some(parent) = parent {
                    for new in &fresh {
                        // The anchor is a child of `parent`, so this can't fail.
                        let _ = parent.insert_before(&new.0, Some(&anchor));
                    }
                }
                let fresh = fresh.into_iter().map(|new| new.0).collect();
                for old in std::mem::replace(shown, fresh) {
                    if !shown.contains(&old) {
                        old.remove();
                    }
                }
            });
        }));
        self
    }

    /// The element itself.
    pub fn element(&self) -> &Element {
        &self.0
    }
}

/// The focused element, if it is inside this element.
pub fn focused_in(element: &Element) -> Option<Element> {
    let root = element.get_root_node().dyn_into::<ShadowRoot>().ok()?;
    root.active_element().filter(|focused| element.contains(Some(focused)))
}

/// Focuses an element, and scrolls to it if `see` is true.
///
/// Move the focus away from an element before removing it: Chromium does a layout in the middle of the
/// removal of a focused element, and adjusts the scroll position for the content missing at that moment.
pub fn focus(element: &Element, see: bool) {
    let options = FocusOptions::new();
    options.set_prevent_scroll(!see);
    // If this fails, the focus stays where it is, which does no harm.
    let _ = element.unchecked_ref::<HtmlElement>().focus_with_options(&options);
}

/// Runs at once and whenever a signal that it read changes, until the current owner is dropped.
pub fn follow(run: Box<dyn Fn()>) {
    let effect = RenderEffect::new(move |_| run());
    goes_with_owner(effect.to_any_subscriber());
    StoredValue::new_local(effect);
}

/// Unsubscribes `reader` from its sources when the current owner is dropped. Leptos would do so only when a
/// source next changes, which may be never: rows come and go by the thousand, and the language stays.
pub fn goes_with_owner(reader: AnySubscriber) {
    on_cleanup(move || reader.clear_sources(&reader));
}

/// Appends an element to one that Leptos made.
pub fn put(parent: &Element, child: &El) {
    append(parent, &child.0);
}

fn append(parent: &Element, child: &Node) {
    // Fails only if a node would contain itself.
    let _ = parent.append_child(child);
}

fn set(element: &Element, name: &str, value: Option<&str>) {
    // Fails only for invalid names, and all names are literals.
    let _ = match value {
        Some(value) => element.set_attribute(name, value),
        None => element.remove_attribute(name),
    };
}
