//! Where the builder of `dom` and Leptos meet: an element as a view, a view in an element, memos that end with their owner.
//! Refuses to be rendered anywhere but in a browser.

use leptos::attr::Attribute;
use leptos::attr::any_attribute::AnyAttribute;
use leptos::prelude::*;
use leptos::reactive::graph::ToAnySubscriber;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Position, PositionState};
use web_sys::Element;

use super::dom::{El, goes_with_owner};

/// An element from the builder, for where Leptos wants a view.
pub struct Built(StoredValue<Element, LocalStorage>);

impl Built {
    /// Must be made under the owner that the element's listeners and effects have.
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
            // An element that is nowhere can't be replaced, and then nothing is shown of it either.
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

/// Puts a Leptos view at the end of an element, as long as the owner lives.
pub fn put_view<V: Render<State: 'static>>(place: &El, view: V) {
    let mut state = view.build();
    state.mount(place.element(), None);
    StoredValue::new_local(state);
}

/// Whether something is so, for those who need to know only when that changes.
pub fn flag(is: impl Fn() -> bool + Send + Sync + 'static) -> Memo<bool> {
    memo_of_flag(Box::new(is))
}

/// Words, for those who need to know only when they change.
pub fn words(said: impl Fn() -> String + Send + Sync + 'static) -> Memo<String> {
    memo_of_words(Box::new(said))
}

fn memo_of_flag(is: Box<dyn Fn() -> bool + Send + Sync>) -> Memo<bool> {
    derived(is)
}

fn memo_of_words(said: Box<dyn Fn() -> String + Send + Sync>) -> Memo<String> {
    derived(said)
}

/// What is made of other things, anew when they change, and told on when it is not as it was.
pub fn derived<T: PartialEq + Send + Sync + 'static>(of: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    let memo = ArcMemo::new(move |_| of());
    goes_with_owner(memo.to_any_subscriber());
    memo.into()
}
