//! An icon as an SVG element. Refuses to name icons; `icons` does.

use leptos::prelude::*;

use super::icons::Icon;

/// An icon that says nothing to screen readers: the words beside it do.
#[component]
pub fn Glyph(
    /// Which one.
    icon: Icon,
) -> impl IntoView {
    view! {
        <svg class="i" viewBox="0 0 16 16" aria-hidden="true">
            <path d=icon.path()></path>
        </svg>
    }
}
