//! The lines of an open menu. Arrow keys move among them; Escape closes it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::reactive::memo;

/// Pixels between a list and its button, and above the list.
const GAP: f64 = 16.0;
/// Pixels that a list has at least.
const LEAST: f64 = 120.0;

/// One line of a menu.
pub(super) struct MenuLine {
    face: MenuLineContent,
    act: Box<dyn Fn()>,
}

/// What is seen of a line.
#[derive(Clone, PartialEq)]
struct MenuLineContent {
    icon: Option<Icon>,
    name: String,
    tells: String,
    price: String,
    chosen: Option<bool>,
    heading: bool,
}

impl MenuLine {
    /// A line that does something.
    pub(super) fn new(icon: Icon, name: &str, tells: &str, act: impl Fn() + 'static) -> Self {
        let (name, tells) = (name.to_owned(), tells.to_owned());
        let face = MenuLineContent {
            icon: Some(icon),
            name,
            tells,
            price: String::new(),
            chosen: None,
            heading: false,
        };
        Self { face, act: Box::new(act) }
    }

    /// A line for one of several choices.
    pub(super) fn choice(chosen: bool, name: String, tells: String, act: impl Fn() + 'static) -> Self {
        let face = MenuLineContent {
            icon: None,
            name,
            tells,
            price: String::new(),
            chosen: Some(chosen),
            heading: false,
        };
        Self { face, act: Box::new(act) }
    }

    /// Adds what the choice costs.
    pub(super) fn price(mut self, price: String) -> Self {
        self.face.price = price;
        self
    }

    /// A heading for the lines below it.
    pub(super) fn heading(name: &str) -> Self {
        let name = name.to_owned();
        let (tells, price) = (String::new(), String::new());
        let face = MenuLineContent { icon: None, name, tells, price, chosen: None, heading: true };
        Self { face, act: Box::new(|| ()) }
    }
}

/// The lines that `made` makes. They are made anew only when they look different: events come while somebody chooses.
pub(super) fn list(
    name: &'static str,
    open: RwSignal<bool>,
    opener: HtmlElement,
    made: impl Fn() -> Vec<MenuLine> + Copy + Send + Sync + 'static,
) -> El {
    let faces = memo(move || made().into_iter().map(|item| item.face).collect::<Vec<_>>());
    // By its look: other lines may have come since it was drawn.
    let find = move |face: &MenuLineContent| untrack(made).into_iter().find(|item| item.face == *face);
    let back = opener.clone();
    let list = div("menu-list").attr("role", "menu").attr("aria-label", name);
    let place = list.element().clone();
    let first = place.clone();
    make_room(&list, &opener);
    // At once, not with the next frame: a key before that would go to the button and close the menu again.
    spawn_local(async move {
        let chosen = first.query_selector("[aria-checked='true']").ok().flatten();
        focus(chosen.or_else(|| lines(&first).into_iter().next()));
    });
    list.child(move || {
        faces.get().into_iter().map(|face| line(face, open, opener.clone(), find)).collect::<Vec<_>>()
    })
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

/// Lets the list be as high as there is room above its button on the page.
fn make_room(list: &El, opener: &HtmlElement) {
    let Some(page) = opener.closest(".ph").ok().flatten() else { return };
    let room = opener.get_bounding_client_rect().top() - page.get_bounding_client_rect().top() - GAP;
    // Fails only for a property that can't be written.
    let style = list.element().unchecked_ref::<HtmlElement>().style();
    let _ = style.set_property("--_room", &format!("{}px", room.max(LEAST)));
}

fn line(
    face: MenuLineContent,
    open: RwSignal<bool>,
    opener: HtmlElement,
    find: impl Fn(&MenuLineContent) -> Option<MenuLine> + 'static,
) -> El {
    let MenuLineContent { icon, ref name, ref tells, ref price, chosen, heading } = face;
    if heading {
        return div("menu-head").attr("role", "presentation").text(name);
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
        .child(el("b").text(name))
        .child((!price.is_empty()).then(|| el("span").class("menu-price").text(price)))
        .child((!tells.is_empty()).then(|| el("small").text(tells)))
        .on("click", move |_| {
            let chosen = find(&face);
            focus(Some(opener.clone().into()));
            open.set(false);
            if let Some(item) = chosen {
                (item.act)();
            }
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
        // A focus that fails leaves the focus where it is, which does no harm.
        let _ = line.focus();
    }
}
