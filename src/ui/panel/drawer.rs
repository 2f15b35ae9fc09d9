//! How the area at the side behaves: it takes the focus and gives it back, closes when it covers the timeline
//! and somebody works there, and the browser remembers that the panel was closed.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, HtmlElement, Node, ShadowRoot};

use crate::client::storage::{BROWSER, PANEL};
use crate::store::Store;
use crate::store::view_state::SideViewKind;
use crate::ui::elements::builder::El;
use crate::ui::elements::reactive::render_effect;

/// Gives what a person opens the focus, and gives that back on closing. What opened
/// by itself does not take it.
pub(super) fn watch_focus(page: &El, store: Store) {
    let view_state = store.view_state;
    let element = page.element().clone();
    let before = StoredValue::new(None);
    let back = StoredValue::new_local(None::<HtmlElement>);
    render_effect(move || {
        let open = view_state.side_view.get();
        let was_open = before.get_value();
        let by_itself = view_state.opened_automatically.get_untracked() && open == Some(SideViewKind::Panel);
        before.set_value(open);
        if was_open == open {
            return;
        }
        let room = untrack(|| view_state.fits_panel());
        let Some(open) = open else {
            view_state.opened_automatically.set(false);
            let leave = back.try_update_value(Option::take).flatten();
            let inside = |focused: HtmlElement| focused.closest(".aside").ok().flatten().is_some();
            if focused(&element).is_none_or(inside) {
                // A focus that fails leaves the focus where it is, which does no harm.
                let _ = leave.map(|leave| leave.focus());
            }
            if room && was_open == Some(SideViewKind::Panel) {
                BROWSER.set(PANEL, "closed");
            }
            return;
        };
        if by_itself && was_open.is_none() {
            return;
        }
        view_state.opened_automatically.set(false);
        if room && open == SideViewKind::Panel {
            BROWSER.remove(PANEL);
        }
        back.set_value(focused(&element));
        let element = element.clone();
        request_animation_frame(move || {
            let aside = element.query_selector(".aside").ok().flatten();
            if let Some(aside) = aside.and_then(|aside| aside.dyn_into::<HtmlElement>().ok()) {
                // A focus that fails does no harm.
                let _ = aside.focus();
            }
        });
    });
}

/// Closes what covers the timeline as soon as somebody works outside of it.
pub(super) fn dismiss_from_outside(page: &El, store: Store) {
    let view_state = store.view_state;
    let leave = move |target: Option<Element>| {
        let Some(target) = target else { return };
        let inside = |selector: &str| target.closest(selector).ok().flatten().is_some();
        if view_state.menu.get_untracked() && !inside(".views") {
            view_state.menu.set(false);
        }
        if view_state.side_view.get_untracked().is_some()
            && !view_state.wide.get_untracked()
            && !inside(".aside, .bar, .foot, .waiting")
        {
            view_state.side_view.set(None);
        }
    };
    // What a host puts into a slot stands where the slot is.
    let own = page.element().clone();
    let target = move |event: &web_sys::Event| {
        let mut path = event.composed_path().into_iter().filter_map(|on| on.dyn_into::<Element>().ok());
        path.find(|on| own.contains(Some(on)))
    };
    let at_focus = target.clone();
    let page = page.clone().on("pointerdown", move |event| leave(target(event)));
    let _ = page.on("focusin", move |event| {
        // Without a previous target the focus was moved by the page: to a row, or back to where it was.
        let by_hand = event.dyn_ref::<FocusEvent>().is_some_and(|event| event.related_target().is_some());
        if by_hand {
            leave(at_focus(event));
        }
    });
}

/// The element inside the shadow root that has the focus.
fn focused(element: &Element) -> Option<HtmlElement> {
    root(element)?.active_element()?.dyn_into().ok()
}

fn root(element: &Element) -> Option<ShadowRoot> {
    let node: &Node = element;
    node.get_root_node().dyn_into().ok()
}
