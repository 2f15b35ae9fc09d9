//! The bridge between the builder in `dom` and Leptos: elements as Leptos views, views inside elements, and
//! memos that are dropped with their owner.
//!
//! Client-side rendering only.

use leptos::attr::Attribute;
use leptos::attr::any_attribute::AnyAttribute;
use leptos::prelude::*;
use leptos::reactive::graph::ToAnySubscriber;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Position, PositionState};
use web_sys::Element;

use super::builder::{El, goes_with_owner};

/// An element from the builder, as a Leptos view.
pub struct Built(StoredValue<Element, LocalStorage>);

impl Built {
    /// Must be called under the same owner as the element's listeners and effects.
    pub fn new(element: &El) -> Self {
        Self(StoredValue::new_local(element.element().clone()))
    }
}

impl Render for Built {
    type State = Option<Element>;

    fn build(self) -> Self::State {
        self.0.try_get_value()
    }

    fn rebuild(self, state: &mut Self::State) {
        let fresh = self.build();
        if let (Some(old), Some(fresh)) = (&state, &fresh) {
            // An element without a parent can't be replaced; then it is not visible anyway.
            let _ = old.replace_with_with_node_1(fresh);
        }
        *state = fresh;
    }
}

impl AddAnyAttr for Built {
    type Output<NewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, _: NewAttr) -> Self {
        self
    }
}

impl RenderHtml for Built {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self {
        self
    }

    fn to_html_with_buf(self, _: &mut String, _: &mut Position, _: bool, _: bool, _: Vec<AnyAttribute>) {}

    fn hydrate<const FROM_SERVER: bool>(self, _: &Cursor, _: &PositionState) -> Self::State {
        self.build()
    }

    fn into_owned(self) -> Self {
        self
    }
}

/// Appends a Leptos view to an element; it is unmounted with the current owner.
pub fn put_view<V: Render<State: 'static>>(place: &El, view: V) {
    let mut state = view.build();
    state.mount(place.element(), None);
    StoredValue::new_local(state);
}

/// A memo of a condition; subscribers run only when its value changes.
pub fn flag(is: impl Fn() -> bool + Send + Sync + 'static) -> Memo<bool> {
    memo_of_flag(Box::new(is))
}

/// A memo of a text; subscribers run only when the text changes.
pub fn words(said: impl Fn() -> String + Send + Sync + 'static) -> Memo<String> {
    memo_of_words(Box::new(said))
}

fn memo_of_flag(is: Box<dyn Fn() -> bool + Send + Sync>) -> Memo<bool> {
    derived(is)
}

fn memo_of_words(said: Box<dyn Fn() -> String + Send + Sync>) -> Memo<String> {
    derived(said)
}

/// A memo that is dropped with the current owner; subscribers run only when its value changes.
pub fn derived<T: PartialEq + Send + Sync + 'static>(of: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    let memo = ArcMemo::new(move |_| of());
    goes_with_owner(memo.to_any_subscriber());
    memo.into()
}
