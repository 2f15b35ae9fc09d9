//! The header's buttons for views; on narrow screens they are in one menu.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use crate::core::State;
use crate::core::i18n::Word;
use crate::core::i18n::words::page;
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::status_line;
use crate::store::Store;
use crate::store::view_state::{SideViewKind, ViewState};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::reactive::memo;

/// The buttons. Where the header is narrow, the style sheet makes a menu of the same elements.
pub fn toolbar(store: Store) -> El {
    let view_state = store.view_state;
    // The number in the mark is part of the accessible name.
    let name = move || match view_state.failed.get() {
        Some(failed) => format!("{}: {}", page::MENU.text(), failed.name),
        None => page::MENU.text().to_owned(),
    };
    let menu = button(Icon::Menu, page::MENU)
        .class("btn bare menu")
        .attr("aria-label", move || Some(name()))
        .attr("aria-controls", "views")
        .attr("aria-expanded", move || Some(view_state.menu.get().to_string()))
        .on("click", move |_| view_state.menu.update(|open| *open = !*open))
        .child(move || failure_mark(view_state));
    let opener = menu.element().clone();
    let views = div("toolbar")
        .attr("id", "views")
        .attr("role", "group")
        .attr("aria-label", page::VIEWS.text())
        .attr("data-open", move || view_state.menu.get())
        .on("click", move |_| view_state.menu.set(false))
        .child(switch(Icon::Search, page::SEARCH, view_state.finder))
        .child(switch(Icon::Lens, page::LENS, view_state.lens).attr("data-model-lens", ""))
        .child(side_view_button(store, Icon::Braces, page::LOG, SideViewKind::Log))
        .child(switch(Icon::Clock, page::TRAVEL, store.history().travelling()))
        .child(panel(store))
        .child(el("slot").attr("name", "menu"))
        .child(about(store));
    div("views").child(menu).child(views).on("keydown", move |event| {
        let escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape");
        if escape && view_state.menu.get_untracked() {
            event.stop_propagation();
            view_state.menu.set(false);
            if let Some(opener) = opener.dyn_ref::<HtmlElement>() {
                // If this fails, the focus stays where it is, which does no harm.
                let _ = opener.focus();
            }
        }
    })
}

/// What the header has no room for where it has a menu: the agent and the model.
fn about(store: Store) -> El {
    let names = |state: &State| {
        let names = [state.info.agent.clone(), status_line::model(state)];
        names.into_iter().flatten().filter(|name| !name.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    let words = memo(move || store.section(Section::Session, names).unwrap_or_default());
    let line = el("p").class("menu-about").attr("dir", "auto").attr("translate", "no");
    line.attr("hidden", move || words.with(String::is_empty)).text(move || words.get())
}

/// The panel's button. Until the reader looks, its name says what failed quietly.
fn panel(store: Store) -> El {
    let view_state = store.view_state;
    let name =
        move || view_state.failed.get().map_or_else(|| page::PANEL.text().to_owned(), |failed| failed.name);
    let newest = move || view_state.failed.get().map(|failed| failed.newest);
    side_view_button(store, Icon::Panel, page::PANEL, SideViewKind::Panel)
        .attr("aria-label", move || Some(name()))
        .attr("title", move || Some(newest().unwrap_or_else(name)))
        .attr("aria-description", newest)
        .child(move || failure_mark(view_state))
}

fn failure_mark(view_state: ViewState) -> Option<El> {
    view_state.failed.get().map(|failed| el("span").class("mark").text(&failed.count))
}

fn switch(icon: Icon, name: Word, on: RwSignal<bool>) -> El {
    pressed(item(icon, name).on("click", move |_| on.update(|on| *on = !*on)), move || on.get())
}

fn side_view_button(store: Store, icon: Icon, name: Word, aside: SideViewKind) -> El {
    let view_state = store.view_state;
    let open = move || view_state.side_view.get() == Some(aside);
    pressed(item(icon, name).on("click", move |_| view_state.toggle_aside(aside)), open)
}

/// A button with a label, which is visible in the menu; elsewhere the name is the tooltip.
fn item(icon: Icon, name: Word) -> El {
    button(icon, name).child(el("span").class("label").text(name.text()))
}

fn button(icon: Icon, name: Word) -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", name.text())
        .attr("title", name.text())
        .child(glyph(icon))
}

fn pressed(button: El, on: impl Fn() -> bool + 'static) -> El {
    button.attr("aria-pressed", move || if on() { "true" } else { "false" })
}
