//! Who is signed in at the gateway, and the button that signs out.

use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::client::account;
use crate::core::i18n::words::panel;
use crate::store::Store;
use crate::ui::elements::builder::El;
use crate::ui::elements::live::Live;

/// The row; nothing while it is not known that somebody has signed in.
#[component]
pub(super) fn AccountRow(
    /// The session's store.
    store: Store,
) -> impl IntoView {
    let known = RwSignal::new(None);
    let server = store.server().address.get_untracked();
    spawn_local(async move {
        let account = account::account(server).await;
        // The panel may be closed by now.
        known.try_set(account);
    });
    let row = |account: account::Account| {
        let words = match &account.name {
            Some(name) => panel::SIGNED_IN_AS.with(&[("name", name.into())]),
            None => panel::SIGNED_IN.text().to_owned(),
        };
        El::of(view! {
            <div class="account">
                <span>{words}</span>
                <button type="button" class="btn small" part="button" on:click=|_| spawn_local(account::sign_out())>
                    {panel::SIGN_OUT.text()}
                </button>
            </div>
        })
    };
    Live::new(move || known.get().map(row))
}
