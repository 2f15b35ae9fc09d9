//! Provides a session to the components of a host's own page.

use leptos::prelude::*;

use super::{chunks, session};
use crate::client::live_session::LiveSession;
use crate::core::connection::Attributes;

/// Provides a session to the components inside of it: it connects to a gateway or a stream of events, or reads a
/// recording. It has no element of its own.
///
/// The source is read once. To show another one, make the provider anew.
///
/// ```
/// # use leptos::prelude::*;
/// # use pilothouse::ui::{Composer, SessionProvider, Timeline};
/// # #[component]
/// # fn Page() -> impl IntoView {
/// view! {
///     <SessionProvider src="http://127.0.0.1:7878/" session="a1b2">
///         <main style="block-size: 80vh"><Timeline/></main>
///         <Composer/>
///     </SessionProvider>
/// }
/// # }
/// ```
#[component]
pub fn SessionProvider(
    /// A gateway's base address, or a stream's full one, as the attribute `src` of `<pilot-house>`; the page's own
    /// server if absent.
    #[prop(optional, into)]
    src: Option<String>,
    /// The session's id; the gateway's first session if absent.
    #[prop(optional, into)]
    session: Option<String>,
    /// `auto`, `ws`, `sse` or `none`.
    #[prop(optional, into)]
    transport: Option<String>,
    /// What the server wants as `Authorization: Bearer`.
    #[prop(optional, into)]
    token: Option<String>,
    /// Where answers are posted if events come by server-sent events from a full address.
    #[prop(optional, into)]
    answer_url: Option<String>,
    /// What the host at `answer_url` takes beside answers: `runtime` or `platform`.
    #[prop(optional, into)]
    protocol: Option<String>,
    /// The bytes of a JSONL log, instead of a connection.
    #[prop(optional)]
    recording: Option<Vec<u8>>,
    /// Watch only: requests have no buttons, and there is no composer.
    #[prop(optional)]
    readonly: bool,
    /// What shows the session.
    children: Children,
) -> impl IntoView {
    chunks::register();
    let live = LiveSession::of_page(readonly);
    let base = document().base_uri().ok().flatten().unwrap_or_default();
    let none = recording.as_ref().map(|_| "none");
    live.connect(&Attributes {
        src: src.as_deref(),
        session: session.as_deref(),
        transport: none.or(transport.as_deref()),
        token: token.as_deref(),
        answer_url: answer_url.as_deref(),
        protocol: protocol.as_deref(),
        host_transport: false,
        page: &base,
    });
    if let Some(recording) = recording {
        live.read(recording);
    }
    chunks::fetch_ahead();
    session::provide_to_host(live.store);
    let live = StoredValue::new_local(live);
    on_cleanup(move || {
        live.try_with_value(LiveSession::close);
    });
    children()
}
