//! Elements in a `view!` that are made anew when what they read changes, as those of a closure given to `El::child`.

use std::rc::Rc;

use leptos::attr::Attribute;
use leptos::attr::any_attribute::AnyAttribute;
use leptos::prelude::*;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Position, PositionState};
use web_sys::{Comment, Element, Node};

use super::builder::{El, Elements, live_elements};

/// Elements as a Leptos view: they are rebuilt, with everything under them, when the signals change that the closure
/// reads. Unlike those of a closure in `view!`, they wait while one of them is being pressed, and keep the focus.
pub struct Live(StoredValue<Make, LocalStorage>);

pub(in crate::ui) type Make = Rc<dyn Fn() -> Vec<El>>;

impl Live {
    /// The elements that the closure returns.
    pub fn new<T: Elements>(make: impl Fn() -> T + 'static) -> Self {
        Self::of(Rc::new(move || make().all()))
    }

    /// The same, for a closure that is boxed already.
    pub(in crate::ui) fn of(make: Make) -> Self {
        Self(StoredValue::new_local(make))
    }
}

/// Elements in the document, before their anchor.
pub struct Mounted {
    anchor: Comment,
    shown: StoredValue<Vec<Element>, LocalStorage>,
}

impl Mounted {
    fn shown(&self) -> Vec<Element> {
        self.shown.try_get_value().unwrap_or_default()
    }
}

impl Mountable for Mounted {
    fn unmount(&mut self) {
        for element in self.shown() {
            element.remove();
        }
        self.anchor.remove();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        // Fails only if a node would contain itself, here and below.
        let _ = parent.insert_before(&self.anchor, marker);
        for element in self.shown() {
            let _ = parent.insert_before(&element, Some(&self.anchor));
        }
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let first = self.shown().into_iter().next().map_or_else(|| (*self.anchor).clone().into(), Node::from);
        let parent = self.anchor.parent_element();
        parent.is_some_and(|parent| {
            child.mount(&parent, Some(&first));
            true
        })
    }

    fn elements(&self) -> Vec<Element> {
        self.shown()
    }
}

impl Render for Live {
    type State = Mounted;

    fn build(self) -> Self::State {
        let anchor = document().create_comment("");
        let make = self.0.try_get_value();
        let make = move || make.as_ref().map(|make| make()).unwrap_or_default();
        Mounted { shown: live_elements(anchor.clone(), Box::new(make)), anchor }
    }

    fn rebuild(self, state: &mut Self::State) {
        let mut fresh = self.build();
        state.insert_before_this(&mut fresh);
        state.unmount();
        *state = fresh;
    }
}

impl AddAnyAttr for Live {
    type Output<NewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, _: NewAttr) -> Self {
        self
    }
}

impl RenderHtml for Live {
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
