//! The header's buttons for views; on narrow screens they are in one menu.

use leptos::html::Button;
use leptos::prelude::*;
use web_sys::KeyboardEvent;

use crate::client::store::Store;
use crate::client::store::view_state::{Aside, ViewState};
use crate::core::i18n::Word;
use crate::core::i18n::words::page;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::reactive::memo;

/// The buttons. Where the header is narrow, the style sheet makes a menu of the same elements.
#[component(transparent)]
pub fn Toolbar(
    /// The session's store.
    store: Store,
) -> El {
    let view_state = store.view_state;
    let menu = view_state.menu;
    let opener: NodeRef<Button> = NodeRef::new();
    let escape = move |event: KeyboardEvent| {
        if event.key() == "Escape" && menu.get_untracked() {
            event.stop_propagation();
            menu.set(false);
            // If this fails, the focus stays where it is, which does no harm.
            let _ = opener.get_untracked().map(|opener| opener.focus());
        }
    };
    // The number in the mark is part of the accessible name.
    let name = move || match view_state.failed.get() {
        Some(failed) => format!("{}: {}", page::MENU.text(), failed.name),
        None => page::MENU.text().to_owned(),
    };
    let travelling = store.travelling();
    let is_on = |on: RwSignal<bool>| memo(move || on.get());
    let toggle = |on: RwSignal<bool>| Callback::new(move |()| on.update(|on| *on = !*on));
    El::of(view! {
        <div class="views" on:keydown=escape>
            <button
                type="button"
                class="btn bare menu"
                part="button"
                aria-label=LiveAttribute::new(name)
                title=page::MENU.text()
                aria-controls="views"
                aria-expanded=LiveAttribute::new(move || menu.get().to_string())
                node_ref=opener
                on:click=move |_| menu.update(|open| *open = !*open)
            >
                {glyph(Icon::Menu)}
                <FailureMark view_state/>
            </button>
            <div
                class="toolbar"
                id="views"
                role="group"
                aria-label=page::VIEWS.text()
                data-open=LiveAttribute::new(move || menu.get())
                on:click=move |_| menu.set(false)
            >
                <ViewButton icon=Icon::Search name=page::SEARCH is_on=is_on(view_state.finder) on_press=toggle(view_state.finder)/>
                <ViewButton
                    icon=Icon::Lens
                    name=page::LENS
                    is_on=is_on(view_state.lens)
                    on_press=toggle(view_state.lens)
                    opens_lens=true
                />
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
    /// Its button gets the focus when the lens closes.
    #[prop(optional)]
    opens_lens: bool,
) -> El {
    El::of(view! {
        <button
            type="button"
            class="btn bare"
            part="button"
            aria-label=name.text()
            title=name.text()
            data-model-lens=opens_lens.then_some("")
            aria-pressed=LiveAttribute::new(move || is_on.get().to_string())
            on:click=move |_| on_press.run(())
        >
            {glyph(icon)}
            <span class="label">{name.text()}</span>
        </button>
    })
}

/// The panel's button. Until the reader looks, its name says what failed quietly.
#[component(transparent)]
fn PanelButton(view_state: ViewState) -> El {
    let name =
        move || view_state.failed.get().map_or_else(|| page::PANEL.text().to_owned(), |failed| failed.name);
    let newest = move || view_state.failed.get().map(|failed| failed.newest);
    let is_on = move || (view_state.aside.get() == Some(Aside::Panel)).to_string();
    El::of(view! {
        <button
            type="button"
            class="btn bare"
            part="button"
            aria-label=LiveAttribute::new(name)
            title=LiveAttribute::new(move || newest().unwrap_or_else(name))
            aria-description=LiveAttribute::new(newest)
            aria-pressed=LiveAttribute::new(is_on)
            on:click=move |_| view_state.toggle_aside(Aside::Panel)
        >
            {glyph(Icon::Panel)}
            <span class="label">{page::PANEL.text()}</span>
            <FailureMark view_state/>
        </button>
    })
}

/// How much failed quietly since the reader looked.
#[component(transparent)]
fn FailureMark(view_state: ViewState) -> Live {
    Live::new(move || view_state.failed.get().map(|failed| el("span").class("mark").text(&failed.count)))
}
