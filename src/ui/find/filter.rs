//! The chips that show some kinds of entry only, and the line that says so. Refuses to hide anything itself.

use leptos::prelude::*;

use super::seek::Seek;
use crate::core::search::{Class, Classes};
use crate::ui::built::flag;
use crate::ui::dom::{El, div, el};

/// The chips. A kind that the session does not have gets none.
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
            .child(el("span").class("count").live_text(move || seek.count(class).to_string()))
            .on("click", move |_| seek.show_only(seek.wanted.get_untracked().toggled(class)))
    });
    div("kinds").attr("role", "group").attr("aria-label", "Show only").children(chips.into())
}

/// Says that rows are hidden, how many, and how to have them back.
pub fn hiding(seek: Seek) -> El {
    let on = flag(move || !seek.wanted.get().is_empty());
    let said = move || {
        let (kept, all) = seek.kept();
        let entries = if all == 1 { "1 entry".to_owned() } else { format!("{all} entries") };
        match all.saturating_sub(kept) {
            0 => format!("A filter is on. All {entries} pass it."),
            hidden => format!("A filter is on: {hidden} of {entries} hidden."),
        }
    };
    div("hiding").part_if(move || {
        on.get().then(|| {
            let all = el("button").attr("type", "button").class("btn small").attr("part", "button");
            let all = all.text("Show all").on("click", move |_| seek.show_only(Classes::default()));
            el("p").live_text(said).text(" ").child(all)
        })
    })
}
