//! The header's buttons: what can be opened beside the timeline. Refuses to open anything itself; the desk does.

use leptos::prelude::*;

use super::desk::Aside;
use super::dom::{El, div, el, glyph};
use super::icons::Icon;
use crate::store::Store;

/// The buttons.
pub fn toolbar(store: Store) -> El {
    let desk = store.desk;
    div("toolbar")
        .attr("role", "group")
        .attr("aria-label", "Views")
        .child(switch(Icon::Search, "Search", desk.finder))
        .child(switch(Icon::Lens, "What the model sees", desk.lens).attr("data-model-lens", ""))
        .child(aside(store, Icon::Braces, "Event log", Aside::Log))
        .child(switch(Icon::Clock, "Time travel", desk.travel))
        .child(aside(store, Icon::Panel, "Panel", Aside::Panel))
}

fn switch(icon: Icon, name: &'static str, on: RwSignal<bool>) -> El {
    pressed(button(icon, name).on("click", move |_| on.update(|on| *on = !*on)), move || on.get())
}

fn aside(store: Store, icon: Icon, name: &'static str, aside: Aside) -> El {
    let desk = store.desk;
    let open = move || desk.aside.get() == Some(aside);
    pressed(button(icon, name).on("click", move |_| desk.toggle_aside(aside)), open)
}

fn button(icon: Icon, name: &'static str) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", name)
        .attr("title", name)
        .child(glyph(icon))
}

fn pressed(button: El, on: impl Fn() -> bool + 'static) -> El {
    button.live_attr("aria-pressed", move || Some(if on() { "true" } else { "false" }.to_owned()))
}
