//! The chips that show only some kinds of entries, and the line that says that rows are hidden.

use leptos::prelude::*;

use super::survey::Seek;
use crate::core::i18n::words::find;
use crate::core::view_model::format::grouped;
use crate::core::view_model::search::{Class, Classes};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::into_view::flag;

/// The chips. A kind that the session does not have is left out.
pub fn chips(seek: Seek) -> El {
    let chips = Class::ALL.map(|class| {
        let on = flag(move || seek.wanted.get().has(class));
        el("button")
            .attr("type", "button")
            .class("chip pick")
            .attr("part", "button")
            .live_attr("aria-pressed", move || Some(on.get().to_string()))
            .live_flag("hidden", move || !on.get() && seek.count(class) == 0)
            .text(class.name())
            .child(el("span").class("count").live_text(move || grouped(seek.count(class))))
            .on("click", move |_| seek.show_only(seek.wanted.get_untracked().toggled(class)))
    });
    div("kinds").attr("role", "group").attr("aria-label", find::SHOW_ONLY.text()).children(chips.into())
}

/// Says how many rows are hidden, with a button that shows all.
pub fn hiding(seek: Seek) -> El {
    let on = flag(move || !seek.wanted.get().is_empty());
    let said = move || {
        let (kept, all) = seek.kept();
        match all.saturating_sub(kept) {
            0 => find::FILTER_PASSED.with(&[("all", all.into())]),
            hidden => find::FILTER_HIDES.with(&[("all", all.into()), ("hidden", hidden.into())]),
        }
    };
    div("hiding").part_if(move || {
        on.get().then(|| {
            let all = el("button").attr("type", "button").class("btn small").attr("part", "button");
            let all =
                all.text(find::SHOW_ALL.text()).on("click", move |_| seek.show_only(Classes::default()));
            el("p").live_text(said).text(" ").child(all)
        })
    })
}
