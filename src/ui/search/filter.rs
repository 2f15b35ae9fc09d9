//! The chips that show only some kinds of entries, and the line that says that rows are hidden.

use leptos::prelude::*;

use super::survey::Seek;
use crate::core::i18n::words::find;
use crate::core::view_model::format::grouped;
use crate::core::view_model::search::{Class, Classes};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;

/// The chips. A kind that the session does not have is left out.
pub fn chips(seek: Seek) -> El {
    let chips = Class::ALL.map(|class| {
        let on = memo(move || seek.wanted.get().has(class));
        el("button")
            .attr("type", "button")
            .class("chip pick")
            .attr("part", "button")
            .attr("aria-pressed", move || Some(on.get().to_string()))
            .attr("hidden", move || !on.get() && seek.count(class) == 0)
            .text(class.name())
            .child(el("span").class("count").text(move || grouped(seek.count(class))))
            .on("click", move |_| seek.show_only(seek.wanted.get_untracked().toggled(class)))
    });
    div("kinds").attr("role", "group").attr("aria-label", find::SHOW_ONLY.text()).child(Vec::from(chips))
}

/// Says how many rows are hidden, with a button that shows all.
pub fn hiding(seek: Seek) -> El {
    let on = memo(move || !seek.wanted.get().is_empty());
    let said = move || {
        let (kept, all) = seek.kept();
        match all.saturating_sub(kept) {
            0 => find::FILTER_PASSED.with(&[("all", all.into())]),
            hidden => find::FILTER_HIDES.with(&[("all", all.into()), ("hidden", hidden.into())]),
        }
    };
    div("hiding").child(move || {
        on.get().then(|| {
            let all = el("button").attr("type", "button").class("btn small").attr("part", "button");
            let all =
                all.text(find::SHOW_ALL.text()).on("click", move |_| seek.show_only(Classes::default()));
            el("p").text(said).text(" ").child(all)
        })
    })
}
