//! Provides a gateway's sessions to a board in a host's own page.

use leptos::prelude::*;

use super::{board, chunks};
use crate::client::live_board::LiveBoard;
use crate::core::connection::Attributes;

/// Provides a gateway's sessions to a [`Board`](crate::ui::Board) inside of it. It has no element of its own.
///
/// The source is read once. To show another one, make the provider anew.
///
/// ```
/// # use leptos::prelude::*;
/// # use pilothouse::ui::{Board, BoardProvider};
/// # #[component]
/// # fn Page() -> impl IntoView {
/// view! {
///     <BoardProvider src="http://127.0.0.1:7878/" on_open=|id: String| id == "shown elsewhere">
///         <main style="block-size: 100vh"><Board/></main>
///     </BoardProvider>
/// }
/// # }
/// ```
#[component]
pub fn BoardProvider(
    /// A gateway's base address, as the attribute `src` of `<pilot-house-board>`; the page's own server if absent.
    #[prop(optional, into)]
    src: Option<String>,
    /// What the server wants as `Authorization: Bearer`.
    #[prop(optional, into)]
    token: Option<String>,
    /// Watch only: requests have no buttons, and no session can be made.
    #[prop(optional)]
    readonly: bool,
    /// Called with a session's id before it opens beside the board. Returns whether the host shows it elsewhere; then it
    /// does not open.
    #[prop(optional, into)]
    on_open: Option<Callback<(String,), bool>>,
    /// What has the board.
    children: Children,
) -> impl IntoView {
    chunks::register();
    let live = LiveBoard::of_page(readonly, on_open);
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    live.connect(&Attributes {
        src: src.as_deref(),
        token: token.as_deref(),
        page: &base,
        ..Attributes::default()
    });
    chunks::fetch_ahead();
    board::provide(live.store, false, move |name| match name {
        "src" => src.clone(),
        "token" => token.clone(),
        _ => None,
    });
    let live = StoredValue::new_local(live);
    on_cleanup(move || {
        live.try_with_value(LiveBoard::close);
    });
    children()
}
