//! Puts the tiles into their order, and leaves them where they are while somebody is near: points at one, has
//! the focus in one, answers in one, or has just done something on the board. The core decides the order.

use std::collections::HashMap;

use gloo_events::EventListener;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, FocusEvent, Node, PointerEvent};

use super::states::{empty, no_matches_screen};
use super::tile::{BoardTile, BoardTileProps};
use super::{BoardView, keys};
use crate::core::i18n::words::board as words;
use crate::core::model::agents;
use crate::core::model::board::{Board, Grouping, SessionGroup, Status, groups};
use crate::core::view_model::board_row::status_word;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::keyed_list::detached_owner;
use crate::ui::elements::reactive::{memo, render_effect};

/// A tile on screen. Its listeners and effects stop with its owner.
struct MountedTile {
    element: Element,
    _owner: Owner,
}

impl Drop for MountedTile {
    fn drop(&mut self) {
        self.element.remove();
    }
}

/// A group on screen.
struct MountedGroup {
    key: String,
    section: Element,
    list: Element,
}

impl Drop for MountedGroup {
    fn drop(&mut self) {
        self.section.remove();
    }
}

#[derive(Default)]
struct Arrangement {
    rows: Vec<MountedGroup>,
    tiles: HashMap<String, MountedTile>,
    order: Vec<SessionGroup>,
    grouping: Grouping,
}

/// The area that scrolls: the tiles, or what is shown while there are none.
#[component(transparent)]
pub(super) fn Tiles(
    /// The board's state.
    view: BoardView,
) -> El {
    let store = view.store;
    let nothing = memo(move || store.all(|board| board.sessions().is_empty()).unwrap_or(true));
    let unfit = memo(move || {
        let filter = view.filter.get();
        let fits = |board: &Board| board.sessions().iter().any(|one| filter.matches(one));
        !nothing.get() && !store.all(fits).unwrap_or(true)
    });
    div("board-scroll")
        .attr("data-scroller", "")
        .attr("part", "scroller")
        .child(tiles(view))
        .child(move || nothing.get().then(|| empty(view)))
        .child(move || unfit.get().then(|| no_matches_screen(view)))
}

fn tiles(view: BoardView) -> El {
    let area = div("board-area").attr("part", "tiles");
    let area = area.child(el("p").class("sr-only").attr("id", "ph-board-keys").text(words::KEYS.text()));
    let area = notice_use(area, view);
    let waits = memo(move || view.is_used());
    let shown = StoredValue::new_local(Arrangement::default());
    let root = area.element().clone();
    let asked = StoredValue::new(0_u32);
    let looked = StoredValue::new(None);
    render_effect(move || {
        let (filter, grouping) = (view.filter.get(), view.grouping.get());
        let wanted = view.store.all(|board| groups(board.sessions(), &filter, grouping)).unwrap_or_default();
        let sort = view.sort.get();
        // A person's own change is applied at once; any other waits until nobody is near.
        let look = Some((filter, grouping));
        let by_person = sort != asked.get_value() || look != looked.get_value();
        asked.set_value(sort);
        looked.set_value(look);
        let waits = waits.get() && !by_person;
        let Some(mut now) = shown.try_update_value(std::mem::take) else { return };
        let order = if waits { append_new_sessions(&now.order, &wanted) } else { wanted.clone() };
        let outdated = order != wanted;
        if order != now.order || grouping != now.grouping {
            now.arrange(&root, view, order, grouping);
        }
        shown.set_value(now);
        if view.outdated.get_untracked() != outdated {
            view.outdated.set(outdated);
        }
    });
    area
}

/// The order on screen, with new sessions at the end of their groups: nothing on screen moves or goes.
fn append_new_sessions(order: &[SessionGroup], wanted: &[SessionGroup]) -> Vec<SessionGroup> {
    let mut order = order.to_vec();
    let stands = |order: &[SessionGroup], id: &String| order.iter().any(|group| group.ids.contains(id));
    for group in wanted {
        for id in &group.ids {
            if stands(&order, id) {
                continue;
            }
            match order.iter_mut().find(|known| known.key == group.key) {
                Some(known) => known.ids.push(id.clone()),
                None => order.push(SessionGroup { key: group.key.clone(), ids: vec![id.clone()] }),
            }
        }
    }
    order
}

impl Arrangement {
    fn arrange(&mut self, root: &Element, view: BoardView, order: Vec<SessionGroup>, grouping: Grouping) {
        let focused = keys::root_of(root).and_then(|root| root.active_element());
        let wanted = |id: &String| order.iter().any(|group| group.ids.contains(id));
        self.tiles.retain(|id, _| wanted(id));
        if grouping != self.grouping {
            self.rows.clear();
        }
        self.rows.retain(|row| order.iter().any(|group| group.key == row.key));
        let mut rows: Vec<MountedGroup> = Vec::with_capacity(order.len());
        let mut next = root.first_element_child();
        // The hint about the keys comes first.
        next = next.and_then(|hint| hint.next_element_sibling());
        for group in &order {
            let known = self.rows.iter().position(|row| row.key == group.key);
            let row =
                known.map_or_else(|| mount_group(view, &group.key, grouping), |at| self.rows.swap_remove(at));
            next = insert_before(root, &row.section, next);
            let mut inside = row.list.first_element_child();
            for id in &group.ids {
                let tile = self.tiles.entry(id.clone()).or_insert_with(|| {
                    let owner = detached_owner();
                    let element =
                        owner.with(|| untrack(|| BoardTile(BoardTileProps { view, id: id.clone() })));
                    let element = element.element().clone();
                    MountedTile { element, _owner: owner }
                });
                inside = insert_before(&row.list, &tile.element, inside);
            }
            rows.push(row);
        }
        self.rows = rows;
        (self.order, self.grouping) = (order, grouping);
        set_single_tab_stop(root);
        if let Some(focused) = focused.filter(|focused| focused.is_connected()) {
            let lost = keys::root_of(root).is_some_and(|root| root.active_element().is_none());
            if lost {
                keys::focus(Some(focused));
            }
        }
    }
}

/// Puts an element before `next`, unless it is there; returns what comes after it.
fn insert_before(parent: &Element, element: &Element, next: Option<Element>) -> Option<Element> {
    if next.as_ref() == Some(element) {
        return element.next_element_sibling();
    }
    // Fails only where a node would contain itself.
    let _ = parent.insert_before(element, next.as_ref().map(JsCast::unchecked_ref::<Node>));
    next
}

fn mount_group(view: BoardView, key: &str, grouping: Grouping) -> MountedGroup {
    let name = match grouping {
        Grouping::None => None,
        Grouping::Status => Some(status_word(Status::of(key), view.store.readonly.get()).text().to_owned()),
        Grouping::Repository if key.is_empty() => Some(words::NO_REPOSITORY.text().to_owned()),
        Grouping::Machine | Grouping::Agent if key.is_empty() => None,
        Grouping::Repository | Grouping::Machine => Some(key.to_owned()),
        Grouping::Agent => Some(agents::title(key).to_owned()),
    };
    let list = el("ul").class("tiles").attr("role", "list").attr("aria-describedby", "ph-board-keys");
    let list = list.attr("aria-label", name.as_deref().unwrap_or(words::TITLE.text()));
    let head = name.map(|name| el("h2").attr("dir", "auto").text(&name));
    let section = el("section").class("board-group").child(head).child(list.clone());
    MountedGroup { key: key.to_owned(), section: section.element().clone(), list: list.element().clone() }
}

/// Makes one tile reachable by Tab; the others are reached from there by arrow keys.
fn set_single_tab_stop(root: &Element) {
    let stop = format!("{}[tabindex=\"0\"]", keys::OPENER);
    if root.query_selector(&stop).ok().flatten().is_none()
        && let Some(first) = root.query_selector(keys::OPENER).ok().flatten()
    {
        // Fails for invalid names only.
        let _ = first.set_attribute("tabindex", "0");
    }
}

/// Notes whether somebody has the pointer or the focus here.
fn notice_use(area: El, view: BoardView) -> El {
    let pointed = view.pointed;
    let focused = view.focused;
    let mouse = |event: &web_sys::Event| {
        // A finger does not stay where it was, so it does not count as pointing.
        event.dyn_ref::<PointerEvent>().is_none_or(|event| event.pointer_type() != "touch")
    };
    let root = area.element().clone();
    let area = area
        .on("pointerenter", move |event| {
            if mouse(event) {
                pointed.set(true);
            }
        })
        .on("pointerleave", move |_| pointed.set(false))
        .on("focusin", move |event| {
            focused.set(true);
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let tile = target.and_then(|target| target.closest("[data-session]").ok().flatten());
            if let Some(opener) = tile.and_then(|tile| tile.query_selector(keys::OPENER).ok().flatten()) {
                let stop = format!("{}[tabindex=\"0\"]", keys::OPENER);
                if let Some(before) = root.query_selector(&stop).ok().flatten() {
                    let _ = before.set_attribute("tabindex", "-1"); // fails for invalid names only
                }
                let _ = opener.set_attribute("tabindex", "0");
            }
        });
    let inside = area.element().clone();
    let area = area.on("focusout", move |event| {
        let to = event.dyn_ref::<FocusEvent>().and_then(FocusEvent::related_target);
        let to = to.and_then(|to| to.dyn_into::<Node>().ok());
        if !to.is_some_and(|to| inside.contains(Some(&to))) {
            focused.set(false);
        }
    });
    // If the pointer leaves the window, only the document is notified.
    StoredValue::new_local(EventListener::new(&document(), "pointerleave", move |_| {
        pointed.try_set(false);
    }));
    area
}
