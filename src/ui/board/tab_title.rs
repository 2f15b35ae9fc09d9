//! Shows in the tab's title how many sessions wait. On somebody else's page this needs the
//! host's attribute `attention`.

use leptos::prelude::*;

use crate::client::store::board::BoardStore;
use crate::core::model::board::Board;
use crate::ui::elements::reactive::{memo, render_effect};

/// Follows the board, as long as the owner lives. The store's `attention` says whether the title may change.
pub(super) fn follow_waiting(store: BoardStore) {
    let waiting = memo(move || store.all(Board::waiting).unwrap_or(0));
    render_effect(move || {
        let waiting = waiting.get();
        if store.attention.get() {
            show(waiting);
        }
    });
    on_cleanup(move || {
        if store.attention.try_get_untracked() == Some(true) {
            show(0);
        }
    });
}

fn show(waiting: usize) {
    let before = document().title();
    let plain = plain(&before);
    let title = if waiting == 0 { plain.to_owned() } else { format!("({waiting}) {plain}") };
    if title != before {
        document().set_title(&title);
    }
}

/// A title without our mark.
fn plain(title: &str) -> &str {
    let marked = title.strip_prefix('(').and_then(|rest| rest.split_once(") "));
    marked.filter(|(number, _)| number.parse::<usize>().is_ok()).map_or(title, |(_, rest)| rest)
}
