//! Texts that change with what they read, in a `view!` and in the builder.

use std::cell::RefCell;

use leptos::attr::Attribute;
use leptos::prelude::*;
use web_sys::{Element, Node, Text};

use super::browser_only::rendered_in_browsers;
use super::reactive::render_effect;

type TextClosure = Box<dyn Fn() -> String>;

/// A text as a Leptos view: `<p>{LiveText::new(move || name.get())}</p>`. Unlike that of a closure in `view!`, it goes on
/// when a browser has translated the page.
pub struct LiveText(StoredValue<Option<TextClosure>, LocalStorage>);

impl LiveText {
    /// The text that the closure returns.
    pub fn new(text: impl Fn() -> String + 'static) -> Self {
        Self(StoredValue::new_local(Some(Box::new(text))))
    }
}

/// A text node; it gets its text once it has a parent.
pub struct MountedText {
    node: Text,
    words: Option<TextClosure>,
}

impl Mountable for MountedText {
    fn unmount(&mut self) {
        self.node.remove();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        // Fails only if a node would contain itself.
        let _ = parent.insert_before(&self.node, marker);
        if let Some(words) = self.words.take() {
            follow(self.node.clone(), parent.clone(), words);
        }
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let parent = self.node.parent_element();
        parent.is_some_and(|parent| {
            child.mount(&parent, Some(&self.node));
            true
        })
    }

    fn elements(&self) -> Vec<Element> {
        Vec::new()
    }
}

impl Render for LiveText {
    type State = MountedText;

    fn build(self) -> Self::State {
        let words = self.0.try_update_value(Option::take).flatten();
        MountedText { node: document().create_text_node(""), words }
    }

    fn rebuild(self, state: &mut Self::State) {
        let mut fresh = self.build();
        state.insert_before_this(&mut fresh);
        state.unmount();
        *state = fresh;
    }
}

impl AddAnyAttr for LiveText {
    type Output<NewAttr: Attribute> = Self;

    fn add_any_attr<NewAttr: Attribute>(self, _: NewAttr) -> Self {
        self
    }
}

rendered_in_browsers!(LiveText);

/// Gives a text node of `parent` its text, until the current owner is dropped.
pub(super) fn follow(node: Text, parent: Element, text: TextClosure) {
    let before = texts_before(&node);
    let last = RefCell::new(String::new());
    render_effect(move || {
        let text = text();
        let mut last = last.borrow_mut();
        if *last == text {
            return;
        }
        if !parent.is_same_node(node.parent_node().as_ref()) {
            restore_text(&parent, &node, before);
        }
        node.set_data(&text);
        *last = text;
    });
}

/// How many texts of an element are before this one.
fn texts_before(node: &Node) -> usize {
    std::iter::successors(node.previous_sibling(), Node::previous_sibling).filter(is_text).count()
}

/// Browsers' translators put a `<font>` with their words in the place of a text.
fn is_text(node: &Node) -> bool {
    node.node_type() == Node::TEXT_NODE || node.node_name() == "FONT"
}

/// Puts a text of an element back into its place, for what stands there now. `before` is the number of texts before it.
fn restore_text(element: &Element, node: &Node, before: usize) {
    let there = std::iter::successors(element.first_child(), Node::next_sibling).filter(is_text).nth(before);
    // Fails only if a node would contain itself.
    let _ = match there {
        Some(there) => element.replace_child(node, &there),
        None => element.append_child(node),
    };
}
