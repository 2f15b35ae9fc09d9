//! Who else watches the session now, in the header: initials in small round marks.

use leptos::prelude::*;

use crate::core::model::watchers::Watcher;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::watchers::{Mark, marks, sentence};
use crate::ui::elements::builder::{El, el, glyph};

/// The marks; they follow the list. Where the header is narrow, the style sheet shows the number alone.
pub fn watchers(list: RwSignal<Vec<Watcher>>) -> El {
    let words = move || Some(list.with(|list| sentence(list)));
    el("span").class("watchers").attr("role", "img").attr("aria-label", words).attr("title", words).child(
        move || {
            list.with(|list| {
                let number =
                    (list.len() > 1).then(|| mark().class("mark number").text(list.len().to_string()));
                marks(list).iter().map(shown).chain(number).collect::<Vec<_>>()
            })
        },
    )
}

fn mark() -> El {
    el("span").class("mark").attr("aria-hidden", "true")
}

fn shown(what: &Mark) -> El {
    match what {
        Mark::Initials(initials) => mark().attr("translate", "no").text(initials),
        Mark::Person => mark().child(glyph(Icon::User)),
        Mark::Link => mark().child(glyph(Icon::Link)),
        Mark::More(more) => mark().class("mark more").text(format!("+{more}")),
    }
}
