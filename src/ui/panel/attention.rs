//! Shows the session's state outside of its page: in the tab's title and icon, and by what the reader has
//! switched on. On somebody else's page this needs the host's attribute `attention`.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, ShadowRoot};

use super::notification_settings;
use crate::client::attention;
use crate::core::State;
use crate::core::client::attention::{Attention, Need, Notification, notification};
use crate::store::Store;
use crate::ui::elements::builder::El;
use crate::ui::elements::page_area::fills_page;
use crate::ui::elements::reactive::render_effect;

thread_local! {
    /// The tab's icon while it is marked, and its address before that.
    static ICON: RefCell<Option<(Element, Option<String>)>> = const { RefCell::new(None) };
}

/// Watches a session, as long as the owner lives.
pub(super) fn watch(page: &El, store: Store) {
    let element = page.element().clone();
    let before = StoredValue::new("");
    let number = attention::register();
    render_effect(move || {
        // The live session's status, whatever is shown.
        let status = store.live(State::status).unwrap_or("");
        let old = before.get_value();
        if old == status {
            return;
        }
        before.set_value(status);
        let allowed = allowed(&element);
        let need = if allowed { Need::of(status) } else { Need::Nothing };
        show_icon(attention::change(|attention| attention.session(number, need)));
        if allowed {
            untrack(|| notify(store, old));
        }
    });
    on_cleanup(move || show_icon(attention::change(|attention: &mut Attention| attention.leave(number))));
}

fn allowed(element: &Element) -> bool {
    let node: &Node = element;
    let root = node.get_root_node().dyn_into::<ShadowRoot>().ok();
    root.is_some_and(|root| root.host().has_attribute("attention")) || fills_page(element)
}

/// Notifies a reader who is not looking: a person is needed, or the work is done.
fn notify(store: Store, before: &str) {
    if !document().hidden() || !notification_settings::any_enabled() {
        return;
    }
    let (newest, reached) = store.progress.get_untracked();
    let is_readonly = store.readonly.get_untracked();
    let news = store.live(|state| notification(before, state, is_readonly, reached >= newest));
    if let Some(Notification { title, words }) = news.flatten() {
        notification_settings::notify(&title, &words);
    }
}

/// Marks the tab's icon with what is needed.
fn show_icon(need: Need) {
    let colour = match need {
        Need::Nothing => return restore_icon(),
        Need::Running => "386fc4",
        Need::Person => "b4690e",
    };
    ICON.with_borrow_mut(|icon| {
        if icon.is_none() {
            let known = document().query_selector("link[rel~=icon]").ok().flatten();
            *icon = known.map(|link| (link.clone(), link.get_attribute("href"))).or_else(|| {
                let link = document().create_element("link").ok()?;
                link.set_attribute("rel", "icon").ok()?;
                document().head()?.append_child(&link).ok()?;
                Some((link, None))
            });
        }
        if let Some((link, _)) = icon {
            let drawing = format!(
                "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
                 %3Cpath d='M2 14V7l6-5 6 5v7zM6 14v-4h4v4' fill='none' stroke='%23386fc4' stroke-width='1.5' \
                 stroke-linejoin='round'/%3E%3Ccircle cx='11.5' cy='4.5' r='4.5' fill='%23{colour}'/%3E%3C/svg%3E"
            );
            // Fails for invalid names only.
            let _ = link.set_attribute("href", &drawing);
        }
    });
}

fn restore_icon() {
    if let Some((link, href)) = ICON.take() {
        match href {
            // Fails for invalid names only.
            Some(href) => _ = link.set_attribute("href", &href),
            None => link.remove(),
        }
    }
}
