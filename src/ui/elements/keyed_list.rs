//! A keyed list: elements are added and removed one by one, each with its own owner.

use std::collections::VecDeque;

use web_sys::Element;

use super::builder::El;
use super::focus::{focus, focused_in};
use super::reactive::render_effect;
use leptos::prelude::*;

/// The key of an element: a generation, and a number in it.
type ElementKey = (u32, usize);

/// An element of the list. Its listeners and effects are dropped with its owner.
struct ListItem {
    key: ElementKey,
    element: Element,
    _owner: Owner,
}

impl Drop for ListItem {
    fn drop(&mut self) {
        self.element.remove();
    }
}

impl El {
    /// Adds an element for each key, in their order. A key that stays keeps its element.
    pub fn for_each(
        self,
        keys: impl Fn() -> Vec<ElementKey> + 'static,
        build: impl Fn(ElementKey) -> El + 'static,
    ) -> Self {
        live_list(self, Box::new(keys), Box::new(build))
    }
}

fn live_list(place: El, keys: Box<dyn Fn() -> Vec<ElementKey>>, build: Box<dyn Fn(ElementKey) -> El>) -> El {
    let anchor = document().create_comment("");
    // Fails only if a node would contain itself, here and below.
    let _ = place.element().append_child(&anchor);
    let parent = place.element().clone();
    let shown = StoredValue::new_local(VecDeque::<ListItem>::new());
    render_effect(move || {
        let keys = keys();
        let Some(mut old) = shown.try_update_value(std::mem::take) else {
            return;
        };
        let stays = |item: &ListItem| keys.contains(&item.key);
        // If the focused element is about to be removed, the list gets the focus, so that keyboard users can
        // go on from there.
        if let Some(focused) = focused_in(&parent)
            && old.iter().any(|item| !stays(item) && item.element.contains(Some(&focused)))
            && let Some(place) = parent.closest("[tabindex]").ok().flatten()
        {
            focus(&place, false);
        }
        old.retain(stays);
        let mut fresh = VecDeque::with_capacity(keys.len());
        for key in keys {
            let at = old.iter().position(|item| item.key == key);
            let item = at.and_then(|at| old.remove(at)).unwrap_or_else(|| {
                let owner = detached_owner();
                let element = owner.with(|| untrack(|| build(key))).element().clone();
                ListItem { key, element, _owner: owner }
            });
            if at != Some(0) {
                let before = old.front().map_or_else(|| anchor.as_ref(), |next| next.element.as_ref());
                let _ = parent.insert_before(&item.element, Some(before));
            }
            fresh.push_back(item);
        }
        shown.set_value(fresh);
    });
    place
}

/// An owner without a lasting parent. A parent that lives on would keep an entry for each child that it ever
/// had.
pub fn detached_owner() -> Owner {
    Owner::new().with(Owner::new)
}
