//! Shows in the tab's title how many sessions wait. On somebody else's page this needs the
//! host's attribute `attention`.

use leptos::prelude::*;

use crate::client::attention;
use crate::core::client::attention::Attention;
use crate::core::model::board::Board;
use crate::store::board::BoardStore;
use crate::ui::elements::reactive::{memo, render_effect};

/// Follows the board, as long as the owner lives. The store's `attention` says whether the title may change.
pub(super) fn follow_waiting(store: BoardStore) {
    let waiting = memo(move || store.all(Board::waiting).unwrap_or(0));
    let number = attention::register();
    render_effect(move || {
        let waiting = waiting.get();
        if store.attention.get() {
            attention::change(|attention| attention.board(number, waiting));
        }
    });
    on_cleanup(move || _ = attention::change(|attention: &mut Attention| attention.leave(number)));
}
