//! A button with a menu. A click or an arrow key opens it; Escape, or the focus going elsewhere, closes it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, FocusEvent, HtmlElement, KeyboardEvent, Node};

use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;

/// One line of a menu.
pub(super) struct Item {
    icon: Option<Icon>,
    name: String,
    tells: String,
    chosen: Option<bool>,
    heading: bool,
    act: Box<dyn Fn()>,
}

impl Item {
    /// A line that does something.
    pub(super) fn new(icon: Icon, name: &str, tells: &str, act: impl Fn() + 'static) -> Self {
        let (name, tells) = (name.to_owned(), tells.to_owned());
        Self { icon: Some(icon), name, tells, chosen: None, heading: false, act: Box::new(act) }
    }

    /// A line for one of several choices.
    pub(super) fn choice(chosen: bool, name: String, tells: String, act: impl Fn() + 'static) -> Self {
        Self { icon: None, name, tells, chosen: Some(chosen), heading: false, act: Box::new(act) }
    }

    /// A heading for the lines below it.
    pub(super) fn heading(name: &str) -> Self {
        let name = name.to_owned();
        Self { icon: None, name, tells: String::new(), chosen: None, heading: true, act: Box::new(|| ()) }
    }
}

/// A button and its menu, which is rebuilt whenever it is opened or what it reads changes.
pub(super) fn menu(
    button: El,
    name: &'static str,
    open: RwSignal<bool>,
    items: impl Fn() -> Vec<Item> + 'static,
) -> El {
    let opener: HtmlElement = button.element().clone().unchecked_into();
    let button = button
        .attr("aria-haspopup", "menu")
        .attr("aria-expanded", move || Some(open.get().to_string()))
        .on("click", move |_| open.update(|open| *open = !*open))
        .on("keydown", move |event| {
            let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key).unwrap_or_default();
            if matches!(key.as_str(), "ArrowUp" | "ArrowDown") {
                event.prevent_default();
                event.stop_propagation();
                open.set(true);
            }
        });
    let items: std::rc::Rc<dyn Fn() -> Vec<Item>> = std::rc::Rc::new(items);
    let place = div("composer-menu").child(button);
    let frame = place.element().clone();
    place
        .on("focusout", move |event| {
            let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
            let to = to.and_then(|to| to.dyn_into::<Node>().ok());
            // Without a target the focus is nowhere, as after a click on nothing.
            if open.get_untracked() && !frame.contains(to.as_ref()) {
                open.set(false);
            }
        })
        .child(move || {
            let (items, opener) = (items.clone(), opener.clone());
            open.get().then(move || list(name, open, opener, items))
        })
}

fn list(
    name: &'static str,
    open: RwSignal<bool>,
    opener: HtmlElement,
    items: std::rc::Rc<dyn Fn() -> Vec<Item>>,
) -> El {
    let back = opener.clone();
    let list = div("menu-list").attr("role", "menu").attr("aria-label", name);
    let place = list.element().clone();
    let first = place.clone();
    // At once, not with the next frame: a key before that would go to the button and close the menu again.
    spawn_local(async move {
        let chosen = first.query_selector("[aria-checked='true']").ok().flatten();
        focus(chosen.or_else(|| lines(&first).into_iter().next()));
    });
    list.child(move || items().into_iter().map(|item| line(item, open, opener.clone())).collect::<Vec<_>>())
        .on("keydown", move |event| {
            let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
            // Keys pressed in the menu are not the page's shortcuts.
            event.stop_propagation();
            let all = lines(&place);
            let here = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let at = all.iter().position(|line| Some(line) == here.as_ref());
            let to = match event.key().as_str() {
                "ArrowDown" => at.map_or(0, |at| (at + 1) % all.len().max(1)),
                "ArrowUp" => at.map_or(0, |at| (at + all.len().max(1) - 1) % all.len().max(1)),
                "Home" => 0,
                "End" => all.len().saturating_sub(1),
                "Escape" => {
                    event.prevent_default();
                    open.set(false);
                    focus(Some(back.clone().into()));
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            focus(all.into_iter().nth(to));
        })
}

fn line(item: Item, open: RwSignal<bool>, opener: HtmlElement) -> El {
    let Item { icon, name, tells, chosen, heading, act } = item;
    if heading {
        return div("menu-head").attr("role", "presentation").text(&name);
    }
    let role = if chosen.is_some() { "menuitemradio" } else { "menuitem" };
    let icon = match chosen {
        Some(true) => Some(Icon::Check),
        Some(false) => None,
        None => icon,
    };
    let line = el("button")
        .attr("type", "button")
        .class("menu-line")
        .attr("role", role)
        .attr("tabindex", "-1")
        .child(icon.map_or_else(|| el("span"), glyph))
        .child(el("b").text(&name))
        .child((!tells.is_empty()).then(|| el("small").text(&tells)))
        .on("click", move |_| {
            focus(Some(opener.clone().into()));
            open.set(false);
            act();
        });
    match chosen {
        Some(chosen) => line.attr("aria-checked", if chosen { "true" } else { "false" }),
        None => line,
    }
}

fn lines(list: &Element) -> Vec<Element> {
    let Ok(found) = list.query_selector_all(".menu-line") else { return Vec::new() };
    (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
}

fn focus(line: Option<Element>) {
    if let Some(line) = line.and_then(|line| line.dyn_into::<HtmlElement>().ok()) {
        // A focus that fails leaves the focus where it is, which is no harm.
        let _ = line.focus();
    }
}
