//! The builder's element as a Leptos view: `view! { <p>{element}</p> }`; and the other way round, the element of a view.
//! Client-side rendering only.

use leptos::attr::Attribute;
use leptos::attr::any_attribute::IntoAnyAttribute;
use leptos::prelude::*;
use web_sys::Element;

use super::browser_only::rendered_in_browsers;
use super::builder::{El, div};
use super::reactive::keep_with_owner;

impl El {
    /// The element of a view that has one root. What the view follows ends with the current owner.
    pub fn of<V: Render<State: 'static>>(view: V) -> Self {
        let state = view.build();
        let root = state.elements().into_iter().next();
        keep_with_owner(state);
        root.map_or_else(|| div(""), Self::from)
    }
}

impl Render for El {
    type State = Element;

    fn build(self) -> Self::State {
        self.element().clone()
    }

    fn rebuild(self, state: &mut Self::State) {
        let fresh = self.build();
        // An element without a parent can't be replaced; then it is not visible anyway.
        let _ = state.replace_with_with_node_1(&fresh);
        *state = fresh;
    }
}

/// Attributes that a component is given go to its element, and stay until the current owner is dropped.
impl AddAnyAttr for El {
    type Output<NewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, attribute: NewAttr) -> Self {
        keep_with_owner(attribute.into_any_attr().build(self.element()));
        self
    }
}

rendered_in_browsers!(El);
