//! A shadow root in a host's own page, so that its styles and ours don't meet.

use leptos::prelude::*;
use web_sys::{ShadowRootInit, ShadowRootMode};

use super::builder::{El, el};
use super::live::Live;
use super::reactive::keep_with_owner;
use super::styles;
use super::styles::Rules;

/// An element with a shadow root that has our styles and `rules`. `style` is the element's; `page` makes what is in the
/// root, under an owner of its own.
pub fn frame(style: &'static str, rules: &[Rules], page: impl FnOnce() -> El) -> Live {
    let host = el("div").attr("style", style);
    if let Ok(root) = host.element().attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)) {
        styles::adopt(&root);
        styles::add(rules);
        let owner = Owner::new();
        let page = owner.with(page);
        keep_with_owner(owner);
        // Fails only if a node would contain itself.
        let _ = root.append_child(page.element());
    }
    Live::new(move || host.clone())
}
