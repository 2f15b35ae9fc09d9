//! A button with an icon instead of a text.

use leptos::prelude::*;

use super::builder::{El, glyph};
use super::live::LiveAttribute;
use crate::core::i18n::Word;
use crate::core::view_model::icon::Icon;

/// The button. Its name is what screen readers say, and its tooltip.
#[component(transparent)]
pub fn IconButton(
    /// The icon.
    icon: Icon,
    /// The name.
    name: Word,
    /// The class.
    #[prop(default = "btn bare")]
    class: &'static str,
    /// Whether it can't be pressed now.
    #[prop(optional)]
    off: Option<Memo<bool>>,
    /// Called when it is pressed.
    on_press: Callback<()>,
) -> El {
    El::of(view! {
        <button
            type="button"
            class=class
            part="button"
            aria-label=name.text()
            title=name.text()
            disabled=off.map(|off| LiveAttribute::new(move || off.get()))
            on:click=move |_| on_press.run(())
        >
            {glyph(icon)}
        </button>
    })
}
