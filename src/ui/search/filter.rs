//! The chips that show only some kinds of entries, and the line that says that rows are hidden.

use leptos::prelude::*;

use super::survey::Seek;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::search;
use crate::core::view_model::search::{Class, Classes};
use crate::ui::elements::builder::El;
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::live_text::LiveText;
use crate::ui::elements::reactive::memo;

/// The chips. A kind that the session does not have is left out.
#[component]
pub fn Chips(
    /// The search that they are for.
    seek: Seek,
) -> impl IntoView {
    let chip = |class: Class| {
        let on = memo(move || seek.wanted.get().has(class));
        let is_unused = move || !on.get() && seek.count(class) == 0;
        view! {
            <button
                type="button"
                class="chip pick"
                part="button"
                aria-pressed=LiveAttribute::new(move || on.get().to_string())
                hidden=LiveAttribute::new(is_unused)
                on:click=move |_| seek.show_only(seek.wanted.get_untracked().toggled(class))
            >
                {class.name()}
                <span class="count">{LiveText::new(move || grouped(seek.count(class)))}</span>
            </button>
        }
    };
    view! {
        <div class="kinds" role="group" aria-label=search::SHOW_ONLY.text()>
            {Class::ALL.map(chip).collect_view()}
        </div>
    }
}

/// Says how many rows are hidden, with a button that shows all.
#[component]
pub fn Hiding(
    /// The search that hides them.
    seek: Seek,
) -> impl IntoView {
    let on = memo(move || !seek.wanted.get().is_empty());
    let words = move || {
        let (visible, all) = seek.visible();
        match all.saturating_sub(visible) {
            0 => search::FILTER_PASSED.with(&[("all", all.into())]),
            hidden => search::FILTER_HIDES.with(&[("all", all.into()), ("hidden", hidden.into())]),
        }
    };
    let line = move || {
        view! {
            <p>
                {LiveText::new(words)}
                " "
                <button
                    type="button"
                    class="btn small"
                    part="button"
                    on:click=move |_| seek.show_only(Classes::default())
                >
                    {search::SHOW_ALL.text()}
                </button>
            </p>
        }
    };
    view! { <div class="hiding">{Live::new(move || on.get().then(|| El::of(line())))}</div> }
}
