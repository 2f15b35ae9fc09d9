//! The header's buttons for views; on narrow screens they are in one menu.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::client::store::Store;
use crate::client::store::view_state::{Aside, ViewState};
use crate::core::i18n::Word;
use crate::core::i18n::words::page;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::focus::focus;
use crate::ui::elements::icons::Icon;
use crate::ui::elements::live::LiveAttribute;
use crate::ui::elements::reactive::memo;

/// The buttons. Where the header is narrow, the style sheet makes a menu of the same elements.
#[component(transparent)]
pub fn Toolbar(
    /// The session's store.
    store: Store,
) -> El {
    let view_state = store.view_state;
    let (menu, travelling) = (view_state.menu, store.history().travelling());
    let opener = El::of(view! { <MenuButton view_state/> });
    let button = opener.element().clone();
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && menu.get_untracked() {
            event.stop_propagation();
            menu.set(false);
            focus(&button, true);
        }
    };
    let is_on = |on: RwSignal<bool>| memo(move || on.get());
    let toggle = |on: RwSignal<bool>| Callback::new(move |()| on.update(|on| *on = !*on));
    let lens = El::of(view! {
        <ViewButton icon=Icon::Lens name=page::LENS is_on=is_on(view_state.lens) on_press=toggle(view_state.lens)/>
    });
    El::of(view! {
        <div class="views" on:keydown=escape>
            {opener}
            <div
                class="toolbar"
                id="views"
                role="group"
                aria-label=page::VIEWS.text()
                data-open=LiveAttribute::new(move || menu.get())
                on:click=move |_| menu.set(false)
            >
                <ViewButton icon=Icon::Search name=page::SEARCH is_on=is_on(view_state.finder) on_press=toggle(view_state.finder)/>
                {lens.attr("data-model-lens", "")}
                <ViewButton
                    icon=Icon::Braces
                    name=page::LOG
                    is_on=memo(move || view_state.aside.get() == Some(Aside::Log))
                    on_press=Callback::new(move |()| view_state.toggle_aside(Aside::Log))
                />
                <ViewButton icon=Icon::Clock name=page::TRAVEL is_on=is_on(travelling) on_press=toggle(travelling)/>
                <PanelButton view_state/>
            </div>
        </div>
    })
}

/// A button of a view, with a label that is visible in the menu; elsewhere the name is the tooltip.
#[component(transparent)]
fn ViewButton(
    icon: Icon,
    name: Word,
    /// Whether the view is open.
    is_on: Memo<bool>,
    on_press: Callback<()>,
) -> El {
    button(icon, name)
        .attr("aria-pressed", move || is_on.get().to_string())
        .on("click", move |_| on_press.run(()))
        .child(el("span").class("label").text(name.text()))
}

/// The panel's button. Until the reader looks, its name says what failed quietly.
#[component(transparent)]
fn PanelButton(view_state: ViewState) -> El {
    let name =
        move || view_state.failed.get().map_or_else(|| page::PANEL.text().to_owned(), |failed| failed.name);
    let newest = move || view_state.failed.get().map(|failed| failed.newest);
    let is_on = memo(move || view_state.aside.get() == Some(Aside::Panel));
    let on_press = Callback::new(move |()| view_state.toggle_aside(Aside::Panel));
    El::of(view! { <ViewButton icon=Icon::Panel name=page::PANEL is_on on_press/> })
        .attr("aria-label", name)
        .attr("title", move || newest().unwrap_or_else(name))
        .attr("aria-description", newest)
        .child(move || failure_mark(view_state))
}

/// The button of the menu. The number in its mark is part of the accessible name.
#[component(transparent)]
fn MenuButton(view_state: ViewState) -> El {
    let menu = view_state.menu;
    let name = move || match view_state.failed.get() {
        Some(failed) => format!("{}: {}", page::MENU.text(), failed.name),
        None => page::MENU.text().to_owned(),
    };
    button(Icon::Menu, page::MENU)
        .class("btn bare menu")
        .attr("aria-label", name)
        .attr("aria-controls", "views")
        .attr("aria-expanded", move || menu.get().to_string())
        .on("click", move |_| menu.update(|open| *open = !*open))
        .child(move || failure_mark(view_state))
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

/// How much failed quietly since the reader looked.
fn failure_mark(view_state: ViewState) -> Option<El> {
    view_state.failed.get().map(|failed| el("span").class("mark").text(&failed.count))
}
