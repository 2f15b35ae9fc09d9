//! The session that components show: who provides it, and how they find it.

use std::rc::Rc;

use leptos::prelude::*;
use web_sys::{ShadowRootInit, ShadowRootMode};

use super::elements::builder::{El, Elements, div, el};
use super::elements::live::{Live, Make};
use super::elements::{press_guard, styles};
use super::lazy;
use super::shell::shortcuts;
use crate::client::live_session::LiveSession;
use crate::client::store::Store;
use crate::core::connection::Attributes;
use crate::core::i18n;

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
        page: &base,
    });
    if let Some(recording) = recording {
        live.read(recording);
    }
    lazy::fetch_ahead();
    provide_context(SessionContext { store: live.store, in_page: false });
    let live = StoredValue::new_local(live);
    on_cleanup(move || {
        live.try_with_value(LiveSession::close);
    });
    children()
}

/// What components find by context.
#[derive(Clone, Copy)]
pub struct SessionContext {
    store: Store,
    /// They are in the shadow root of a page of ours, which has the styles.
    in_page: bool,
}

/// The session of the nearest provider. Without one it is empty.
pub fn use_session() -> SessionContext {
    use_context().unwrap_or_else(|| {
        leptos::logging::warn!("Pilothouse: a component has no <SessionProvider> around it");
        SessionContext { store: Store::new(Rc::default()), in_page: false }
    })
}

/// Provides a session to components that stand in a page of ours.
pub(in crate::ui) fn provide(store: Store) {
    provide_context(SessionContext { store, in_page: true });
}

impl SessionContext {
    /// The session's store: what views read and subscribe to.
    pub fn store(self) -> Store {
        self.store
    }

    /// The elements of a component, made once. In a host's own page they get a shadow root, so that its styles and
    /// ours don't meet; `style` is that of the element with the shadow root.
    pub(in crate::ui) fn framed<T: Elements>(
        self,
        style: &'static str,
        make: impl Fn(Store) -> T + 'static,
    ) -> Live {
        self.framed_live(style, move |store| untrack(|| make(store)))
    }

    /// The same for elements that are made anew when the signals change that `make` reads.
    pub(in crate::ui) fn framed_live<T: Elements>(
        self,
        style: &'static str,
        make: impl Fn(Store) -> T + 'static,
    ) -> Live {
        let store = self.store;
        self.frame(style, Rc::new(move || make(store).all()))
    }

    /// Not generic: compiled once, not once per component.
    fn frame(self, style: &'static str, make: Make) -> Live {
        if self.in_page {
            return Live::of(make);
        }
        let store = self.store;
        let host = el("div").attr("style", style);
        if let Ok(root) = host.element().attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)) {
            styles::adopt(&root);
            let owner = Owner::new();
            let page = owner.with(|| {
                provide(store);
                page("ph", store).child(move || make())
            });
            StoredValue::new_local(owner);
            // Fails only if a node would contain itself.
            let _ = root.append_child(page.element());
        }
        Live::new(move || host.clone())
    }
}

/// Puts views into a frame that has the styles of rows and cards, for single ones in a page of your own:
/// `<Framed><ToolCard entry/></Framed>`.
#[component(transparent)]
pub fn Framed(
    /// The views.
    children: ChildrenFn,
) -> Live {
    use_session().framed("", move |_| div("framed").view(children()))
}

/// The root of a page of ours: its language, its keys, and what keeps presses.
pub(in crate::ui) fn page(class: &str, store: Store) -> El {
    press_guard::watch(shortcuts::listen(in_language(div(class)), store))
}

/// Sets the language and direction of an element.
pub(in crate::ui) fn in_language(page: El) -> El {
    let spoken = i18n::current();
    // Without words in the host's language the page is in English, so the host's direction is not used.
    let direction = spoken.map(|language| if language.right_to_left { "rtl" } else { "ltr" });
    page.attr("lang", spoken.map_or("en", |language| language.tag)).attr("dir", direction)
}
