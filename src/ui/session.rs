//! The session that components show: who provides it, and how they find it.

use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::elements::builder::{El, Elements, div};
use super::elements::focus_ring;
use super::elements::frame::frame;
use super::elements::live::{BuildElements, Live};
use super::elements::press_guard;
use super::{lazy, shortcuts};
use crate::core::i18n;
use crate::store::Store;

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

/// Provides a session to components that a host lays out.
pub(in crate::ui) fn provide_to_host(store: Store) {
    provide_context(SessionContext { store, in_page: false });
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
        self.frame(style, "ph", Rc::new(move || make(store).all()))
    }

    /// The elements of a part of the composer, made once. In a host's own page it takes the room that it needs, and its
    /// menus reach beyond that.
    pub(in crate::ui) fn framed_part(self, make: impl Fn() -> El + 'static) -> Live {
        self.frame(
            "block-size: auto; contain: none",
            "ph composer-part",
            Rc::new(move || vec![untrack(&make)]),
        )
    }

    /// Not generic: compiled once, not once per component.
    fn frame(self, style: &'static str, class: &'static str, make: BuildElements) -> Live {
        if self.in_page {
            return Live::of(make);
        }
        let store = self.store;
        frame(style, &[], || {
            provide(store);
            page(class, store).child(move || make())
        })
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

/// The root of a page of ours: its language, its keys, what tracks presses, and the announcement of copies.
pub(in crate::ui) fn page(class: &str, store: Store) -> El {
    let page = shortcuts::listen(in_language(div(class)), store);
    press_guard::watch(page.element());
    focus_ring::watch(page.element());
    page.on("copy", move |event| {
        let page = event.current_target().and_then(|page| page.dyn_into::<Element>().ok());
        if let (Some(page), Ok(details)) = (page, untrack(|| lazy::DETAILS.ready())) {
            (details.copied)(store, &page);
        }
    })
}

/// Sets the language and direction of an element.
pub(in crate::ui) fn in_language(page: El) -> El {
    let spoken = i18n::current();
    // Without words in the host's language the page is in English, so the host's direction is not used.
    let direction = spoken.map(|language| if language.right_to_left { "rtl" } else { "ltr" });
    page.attr("lang", spoken.map_or("en", |language| language.tag)).attr("dir", direction)
}
