//! The builder's element as a Leptos view: `view! { <p>{element}</p> }`; and the other way round, the element of a view.
//! Client-side rendering only.

use leptos::attr::Attribute;
use leptos::attr::any_attribute::IntoAnyAttribute;
use leptos::prelude::*;
use web_sys::Element;

use super::builder::{El, div};
use super::reactive::keep;

impl El {
    /// The element of a view that has one root. What the view follows ends with the current owner.
    pub fn of<V: Render<State: 'static>>(view: V) -> Self {
        let state = view.build();
        let root = state.elements().into_iter().next();
        keep(state);
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
        keep(attribute.into_any_attr().build(self.element()));
        self
    }
}

/// What Leptos asks of every view for rendering on a server, for one that is only rendered in a browser.
macro_rules! rendered_in_browsers {
    ($view:ty) => {
        impl leptos::prelude::RenderHtml for $view {
            type AsyncOutput = Self;
            type Owned = Self;

            const MIN_LENGTH: usize = 0;

            fn dry_resolve(&mut self) {}

            async fn resolve(self) -> Self {
                self
            }

            fn to_html_with_buf(
                self,
                _: &mut String,
                _: &mut leptos::tachys::view::Position,
                _: bool,
                _: bool,
                _: Vec<leptos::attr::any_attribute::AnyAttribute>,
            ) {
            }

            fn hydrate<const FROM_SERVER: bool>(
                self,
                _: &leptos::tachys::hydration::Cursor,
                _: &leptos::tachys::view::PositionState,
            ) -> Self::State {
                leptos::prelude::Render::build(self)
            }

            fn into_owned(self) -> Self {
                self
            }
        }
    };
}
pub(super) use rendered_in_browsers;

rendered_in_browsers!(El);
