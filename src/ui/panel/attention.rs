//! Shows the session's state outside of its page: in the tab's title and icon, and by what the reader has
//! switched on. On somebody else's page this needs the host's attribute `attention`.

use std::cell::RefCell;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node, ShadowRoot};

use super::notification_settings;
use crate::client::store::Store;
use crate::core::State;
use crate::core::i18n::words::{page, panel};
use crate::core::view_model::entry_words::text;
use crate::ui::elements::builder::El;
use crate::ui::elements::page_area::fills_page;
use crate::ui::elements::reactive::render_effect;

/// How much a session needs to be looked at; the highest on the page counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Want {
    Nothing,
    Running,
    Person,
}

/// What the sessions on the page need, and what the tab was like before.
struct Tab {
    wants: Vec<(u32, Want)>,
    marked: bool,
    icon: Option<(Element, Option<String>)>,
}

thread_local! {
    static TAB: RefCell<Tab> = const { RefCell::new(Tab { wants: Vec::new(), marked: false, icon: None }) };
}

/// Watches a session, as long as the owner lives.
pub(super) fn watch(page: &El, store: Store) {
    let element = page.element().clone();
    let before = StoredValue::new("");
    let id = TAB.with_borrow(|tab| tab.wants.iter().map(|(id, _)| id + 1).max().unwrap_or(0));
    set(id, Want::Nothing);
    render_effect(move || {
        // The live session's status, whatever is shown.
        let status = store.live(State::status).unwrap_or("");
        let old = before.get_value();
        if old == status {
            return;
        }
        before.set_value(status);
        let allowed = allowed(&element);
        let want = match status {
            "waiting" if allowed => Want::Person,
            "running" if allowed => Want::Running,
            _ => Want::Nothing,
        };
        set(id, want);
        if allowed {
            untrack(|| notify(store, old, status));
        }
    });
    on_cleanup(move || remove(id));
}

fn allowed(element: &Element) -> bool {
    let node: &Node = element;
    let root = node.get_root_node().dyn_into::<ShadowRoot>().ok();
    root.is_some_and(|root| root.host().has_attribute("attention")) || fills_page(element)
}

/// Notifies a reader who is not looking: a person is needed, or the work is done. What happened before the
/// page was loaded is not reported.
fn notify(store: Store, before: &str, status: &str) {
    let (newest, reached) = store.progress.get_untracked();
    let title = match (before, status) {
        (_, "waiting") if store.readonly.get_untracked() => page::WAITING_READ_ONLY,
        (_, "waiting") => panel::TOLD_NEEDED,
        ("running" | "waiting", "idle") => panel::TOLD_DONE,
        ("running" | "waiting", "error") => panel::TOLD_FAILED,
        _ => return,
    };
    if before.is_empty() || reached < newest || !document().hidden() || !notification_settings::any() {
        return;
    }
    let words = store.live(|state| {
        let asked = state.open_requests.first().and_then(|place| state.entry(*place));
        let words = asked
            .map(|entry| text(entry).into_owned())
            .or_else(|| crate::core::view_model::snapshot::title(state));
        words.unwrap_or_default().chars().take(200).collect::<String>()
    });
    notification_settings::notify(title.text(), &words.unwrap_or_default());
}

fn set(id: u32, want: Want) {
    TAB.with_borrow_mut(|tab| {
        match tab.wants.iter_mut().find(|(other, _)| *other == id) {
            Some((_, wanted)) => *wanted = want,
            None => tab.wants.push((id, want)),
        }
        tab.show();
    });
}

fn remove(id: u32) {
    TAB.with_borrow_mut(|tab| {
        tab.wants.retain(|(other, _)| *other != id);
        tab.show();
    });
}

impl Tab {
    fn show(&mut self) {
        let want = self.wants.iter().map(|(_, want)| *want).max().unwrap_or(Want::Nothing);
        let (mark, colour) = match want {
            Want::Nothing => return self.restore(),
            Want::Running => ("● ", "386fc4"),
            Want::Person => ("! ", "b4690e"),
        };
        let document = document();
        // The page may have changed its title since the last mark.
        document.set_title(&format!("{mark}{}", plain(&document.title())));
        self.marked = true;
        self.badge(colour);
    }

    fn badge(&mut self, colour: &str) {
        if self.icon.is_none() {
            let known = document().query_selector("link[rel~=icon]").ok().flatten();
            self.icon = known.map(|link| (link.clone(), link.get_attribute("href"))).or_else(|| {
                let link = document().create_element("link").ok()?;
                link.set_attribute("rel", "icon").ok()?;
                document().head()?.append_child(&link).ok()?;
                Some((link, None))
            });
        }
        if let Some((link, _)) = &self.icon {
            let drawing = format!(
                "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
                 %3Cpath d='M2 14V7l6-5 6 5v7zM6 14v-4h4v4' fill='none' stroke='%23386fc4' stroke-width='1.5' \
                 stroke-linejoin='round'/%3E%3Ccircle cx='11.5' cy='4.5' r='4.5' fill='%23{colour}'/%3E%3C/svg%3E"
            );
            // Fails for invalid names only.
            let _ = link.set_attribute("href", &drawing);
        }
    }

    fn restore(&mut self) {
        if std::mem::take(&mut self.marked) {
            let title = document().title();
            document().set_title(plain(&title));
        }
        if let Some((link, href)) = self.icon.take() {
            match href {
                // Fails for invalid names only.
                Some(href) => _ = link.set_attribute("href", &href),
                None => link.remove(),
            }
        }
    }
}

/// A title without our mark.
fn plain(title: &str) -> &str {
    title.strip_prefix("● ").or_else(|| title.strip_prefix("! ")).unwrap_or(title)
}
