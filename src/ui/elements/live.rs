//! What changes in a `view!` with what it reads: elements, which are made anew as those of a closure given to `El::child`,
//! and attributes.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::attr::{Attribute, AttributeValue};
use leptos::prelude::*;
use web_sys::{Comment, Element, Node};

use super::browser_only::rendered_in_browsers;
use super::builder::{AttributeText, El, Elements, live_elements, set};
use super::reactive::render_effect;

/// Elements as a Leptos view: they are rebuilt, with everything under them, when the signals change that the closure
/// reads. Unlike those of a closure in `view!`, they wait while one of them is being pressed, and keep the focus.
pub struct Live(StoredValue<BuildElements, LocalStorage>);

pub(in crate::ui) type BuildElements = Rc<dyn Fn() -> Vec<El>>;

impl Live {
    /// The elements that the closure returns.
    pub fn new<T: Elements>(make: impl Fn() -> T + 'static) -> Self {
        Self::of(Rc::new(move || make().all()))
    }

    /// The same, for a closure that is boxed already.
    pub(in crate::ui) fn of(make: BuildElements) -> Self {
        Self(StoredValue::new_local(make))
    }
}

/// Elements in the document, before their anchor.
pub struct Mounted {
    anchor: Comment,
    present: StoredValue<Vec<Element>, LocalStorage>,
}

impl Mounted {
    fn present(&self) -> Vec<Element> {
        self.present.try_get_value().unwrap_or_default()
    }
}

impl Mountable for Mounted {
    fn unmount(&mut self) {
        for element in self.present() {
            element.remove();
        }
        self.anchor.remove();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        // Fails only if a node would contain itself, here and below.
        let _ = parent.insert_before(&self.anchor, marker);
        for element in self.present() {
            let _ = parent.insert_before(&element, Some(&self.anchor));
        }
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let first =
            self.present().into_iter().next().map_or_else(|| (*self.anchor).clone().into(), Node::from);
        let parent = self.anchor.parent_element();
        parent.is_some_and(|parent| {
            child.mount(&parent, Some(&first));
            true
        })
    }

    fn elements(&self) -> Vec<Element> {
        self.present()
    }
}

impl Render for Live {
    type State = Mounted;

    fn build(self) -> Self::State {
        let anchor = document().create_comment("");
        let make = self.0.try_get_value();
        let make = move || make.as_ref().map(|make| make()).unwrap_or_default();
        Mounted { present: live_elements(anchor.clone(), Box::new(make)), anchor }
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

rendered_in_browsers!(Live);

type Value = Rc<dyn Fn() -> Option<String>>;

/// The value of an attribute: `<p title=LiveAttribute::new(move || name.get())>`. A closure does the same in `view!`, and
/// brings code for each type that it returns.
#[derive(Clone)]
pub struct LiveAttribute(StoredValue<Value, LocalStorage>);

impl LiveAttribute {
    /// The value that the closure returns: a text; a flag, which sets or removes the attribute; or an `Option` of these,
    /// whose `None` removes it.
    pub fn new<T: AttributeText>(value: impl Fn() -> T + 'static) -> Self {
        Self(StoredValue::new_local(Rc::new(move || value().text().map(str::to_owned))))
    }
}

impl AttributeValue for LiveAttribute {
    type State = ();
    type AsyncOutput = Self;
    type Cloneable = Self;
    type CloneableOwned = Self;

    fn html_len(&self) -> usize {
        0
    }

    fn to_html(self, _: &str, _: &mut String) {}

    fn to_template(_: &str, _: &mut String) {}

    fn hydrate<const FROM_SERVER: bool>(self, name: &str, element: &Element) -> Self::State {
        self.build(element, name);
    }

    fn build(self, element: &Element, name: &str) -> Self::State {
        if let Some(value) = self.0.try_get_value() {
            follow(element.clone(), name.to_owned(), value);
        }
    }

    /// The value is what it was.
    fn rebuild(self, _: &str, (): &mut Self::State) {}

    fn into_cloneable(self) -> Self::Cloneable {
        self
    }

    fn into_cloneable_owned(self) -> Self::CloneableOwned {
        self
    }

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self::AsyncOutput {
        self
    }
}

fn follow(element: Element, name: String, value: Value) {
    let last = RefCell::new(None);
    render_effect(move || {
        let fresh = value();
        let mut last = last.borrow_mut();
        if *last != fresh {
            set(&element, &name, fresh.as_deref());
            *last = fresh;
        }
    });
}
