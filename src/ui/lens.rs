//! The model lens: what an agent's model sees, beside the timeline.
//!
//! This module connects the lens with the timeline: which of the two leads when scrolling, and which messages
//! belong to which entries. Messages and marks are rendered by its submodules; `core::view_model::lens` computes the
//! relation.

mod header;
mod message;
mod timeline_marks;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, Node, ShadowRoot};

use super::elements::builder::{El, div};
use super::elements::focus::focus;
use super::elements::live::Live;
use super::elements::reactive::render_effect;
use super::elements::windowed_list::{ListView, Moved};
use super::lazy;
use super::session::use_session;
use crate::core::i18n::words::{lens as words, page};
use crate::core::model::state::Section;
use crate::core::view_model::heights::Heights;
use crate::core::view_model::lens;
use crate::core::view_model::lens::lines::{LensLine, LensLines};
use crate::core::view_model::lens::{Growth, Lens, Spot};
use crate::core::view_model::windowed_list::{Movement, WindowedList};
use crate::store::Store;
use crate::store::lens_view::{LensView, Lit};

use header::LensHeader;
pub use timeline_marks::mark;

/// Pixels from the end that still count as being at the end.
const NEAR_END: f64 = 24.0;

/// The open lens.
struct Panel {
    store: Store,
    view: LensView,
    list: ListView,
    lines: RefCell<LensLines>,
    /// Changes with the lines.
    relisted: RwSignal<u32>,
    /// The agent whose messages the list shows, and how often it has changed. Each agent's messages have their own
    /// serials.
    agent: RefCell<Option<String>>,
    generation: Cell<u32>,
    /// Which parts of messages the reader opened or folded, by the message's serial, for when it is rendered
    /// again.
    open: RefCell<HashMap<(u64, message::Part), bool>>,
    root: Element,
    /// The reader is at the end, so new messages are to be shown.
    at_end: Cell<bool>,
}

/// What the model sees, message by message, beside the timeline; shown while `store.desk.lens` is set.
#[component(transparent)]
pub fn ModelLens() -> Live {
    use_session().framed_live("block-size: 100%", |store| {
        // Another session, or a later moment of this one, gets a new lens: the old one's state would be wrong for it.
        store.rows().epoch();
        store.view_state.lens.get().then(|| match lazy::LENS.ready() {
            Ok(lens) => untrack(|| (lens.panel)(store)),
            Err(coming) => div("lens").child(coming.view()),
        })
    })
}

/// The whole lens.
pub fn panel(store: Store) -> El {
    let view = LensView {
        index: StoredValue::new_local(Lens::default()),
        version: RwSignal::new(0),
        lit: RwSignal::new(Lit::default()),
        show: RwSignal::new(None),
        agent: RwSignal::new(None),
    };
    let scroll_sync = store.view_state.scroll_sync;
    scroll_sync.view.set(Some(view));
    let scroller = div("lens-list")
        .attr("tabindex", "0")
        .attr("role", "feed")
        .attr("aria-label", words::LIST.text())
        .attr("data-lens-scroller", "");
    let list = WindowedList::new(Heights::default(), None);
    let list = ListView::new(scroller.element().clone(), "data-line", list, RwSignal::new(false));
    let root = El::of(view! {
        <div class="lens" role="region" aria-label=page::LENS.text() part="lens">
            <LensHeader store view/>
            {scroller.clone()}
        </div>
    });
    let panel = Rc::new(Panel {
        store,
        view,
        list,
        lines: RefCell::default(),
        relisted: RwSignal::new(0),
        generation: Cell::new(0),
        agent: RefCell::default(),
        open: RefCell::default(),
        root: root.element().clone(),
        at_end: Cell::new(true),
    });
    let root = panel.listen(root);
    panel.connect(scroller);
    let panel = StoredValue::new_local(panel);
    on_cleanup(move || {
        scroll_sync.view.set(None);
        scroll_sync.target.set(f64::NAN);
        panel.try_with_value(|panel| panel.leave());
    });
    root
}

impl Panel {
    /// Sets up the effects: changes of the model context, the timeline's position, and requests from marks to
    /// show a message.
    fn connect(self: &Rc<Self>, scroller: El) {
        let (store, view, scroll_sync) = (self.store, self.view, self.store.view_state.scroll_sync);
        let list = self.list;
        let panel = Rc::downgrade(self);
        list.on_move(move |moved| {
            let by_reader = match moved {
                Moved::Scrolled(movement) => movement != Movement::Still,
                Moved::Resized => false,
                Moved::Chosen => return,
            };
            if let Some(panel) = panel.upgrade().filter(|_| by_reader || moved == Moved::Resized) {
                panel.moved(by_reader);
            }
        });
        let keyed = Rc::downgrade(self);
        let keys = move || keyed.upgrade().map(|panel| panel.keys()).unwrap_or_default();
        let owner = Rc::downgrade(self);
        let make =
            move |serial: usize| owner.upgrade().map_or_else(|| div("m"), |panel| panel.line(serial as u64));
        let scroller = list.rows(scroller, keys, make);
        let _ = scroller.on("scroll", move |_| list.scrolled());
        let panel = Rc::downgrade(self);
        render_effect(move || {
            store.section(Section::ModelContext, |_| ());
            let agent = view.agent.get();
            if let Some(panel) = panel.upgrade() {
                untrack(|| panel.refresh(agent));
            }
        });
        let panel = Rc::downgrade(self);
        render_effect(move || {
            scroll_sync.at.track();
            if let Some(panel) = panel.upgrade() {
                untrack(|| panel.follow_timeline());
            }
        });
        let panel = Rc::downgrade(self);
        render_effect(move || {
            if let (Some((entry, _)), Some(panel)) = (view.show.get(), panel.upgrade()) {
                untrack(|| panel.reveal(entry));
            }
        });
        let panel = Rc::downgrade(self);
        request_animation_frame(move || {
            if let Some(panel) = panel.upgrade() {
                panel.follow_timeline();
                panel.take_lost_focus();
            }
        });
    }

    /// The side that has the pointer or the focus leads; the other one follows its scroll position.
    fn listen(self: &Rc<Self>, root: El) -> El {
        let leads = |panel: &Rc<Self>, lens: bool| {
            let panel = Rc::downgrade(panel);
            move |_: &web_sys::Event| {
                if let Some(panel) = panel.upgrade() {
                    panel.lead(lens);
                }
            }
        };
        let keys = Rc::downgrade(self);
        root.on("pointerenter", leads(self, true))
            .on("wheel", leads(self, true))
            .on("touchstart", leads(self, true))
            .on("focusin", leads(self, true))
            .on("pointerleave", leads(self, false))
            .on("focusout", leads(self, false))
            .on("keydown", move |event| {
                if let (Some(panel), Some(event)) = (keys.upgrade(), event.dyn_ref::<KeyboardEvent>()) {
                    panel.key(event);
                }
            })
    }

    fn lead(&self, lens: bool) {
        let scroll_sync = self.store.view_state.scroll_sync;
        match (lens, self.leads()) {
            (true, false) => scroll_sync.target.set(scroll_sync.at.get_untracked()),
            (false, true) => {
                scroll_sync.target.set(f64::NAN);
                self.view.light(Lit::default());
            }
            _ => {}
        }
    }

    fn leads(&self) -> bool {
        self.store.view_state.scroll_sync.lens_leads()
    }

    /// Updates the list when the model context or the chosen agent changes.
    fn refresh(&self, agent: Option<String>) {
        if *self.agent.borrow() != agent {
            self.agent.borrow_mut().clone_from(&agent);
            self.open.borrow_mut().clear();
            self.generation.set(self.generation.get().wrapping_add(1));
            self.lines.take();
            self.list.update(WindowedList::clear);
            self.relisted.update(|times| *times = times.wrapping_add(1));
        }
        let update = self.view.index.try_update_value(|index| {
            index.choose(agent);
            self.store.read(|state| index.update(state))
        });
        let update = update.flatten().unwrap_or(Growth::Same);
        if update == Growth::Same && self.view.version.get_untracked() > 0 {
            return;
        }
        let stay = self.at_end.get() && self.leads();
        self.relist(update);
        self.view.version.update(|version| *version = version.wrapping_add(1));
        if let Some(end) = self.list.read(WindowedList::end).filter(|_| stay) {
            self.list.to(end);
        } else {
            self.follow_timeline();
        }
    }

    /// Keys of the lines near the viewport. Subscribes.
    fn keys(&self) -> Vec<(u32, usize)> {
        self.relisted.track();
        let (first, last) = self.list.range.get();
        let lines = self.lines.borrow();
        let rendered = lines.list().get(first..last.min(lines.list().len())).unwrap_or_default();
        rendered.iter().map(|line| (self.generation.get(), line.serial() as usize)).collect()
    }

    /// Lists the lines anew, or adds some. What was on screen stays there.
    fn relist(&self, update: Growth) {
        let open = |serial: u64| self.is_open(serial, message::Part::Removal, false);
        let before = self.view.read(self.store, |index, state| {
            let mut lines = self.lines.borrow_mut();
            match update {
                Growth::Appended(from) => {
                    lines.append(index, state, from);
                    None
                }
                _ => Some(std::mem::replace(&mut *lines, LensLines::of(index, state, &open))),
            }
        });
        let lines = self.lines.borrow();
        let estimate = |nth: usize| {
            self.view.read(self.store, |index, state| lines.height(nth, index, state)).unwrap_or(44.0)
        };
        let top = self.list.update(|list| {
            let Some(before) = before.flatten() else {
                for nth in list.len()..lines.list().len() {
                    list.push(estimate(nth), false);
                }
                return None;
            };
            let known = |(nth, line): (usize, &LensLine)| Some((line.serial(), list.heights().own(nth)?));
            let known: HashMap<u64, f64> = before.list().iter().enumerate().filter_map(known).collect();
            let heights = lines.list().iter().enumerate();
            let heights = heights
                .map(|(nth, line)| known.get(&line.serial()).copied().unwrap_or_else(|| estimate(nth)));
            let same = |nth: usize| lines.place_of_serial(before.list().get(nth)?.serial());
            Some(list.replace(heights.collect::<Vec<_>>().into_iter(), same))
        });
        drop(lines);
        self.relisted.update(|times| *times = times.wrapping_add(1));
        if let Some(top) = top.flatten() {
            self.list.to(top);
        }
    }

    /// Scrolls the lens to what the timeline shows, unless the lens leads.
    fn follow_timeline(&self) {
        if self.leads() {
            return;
        }
        let at = self.store.view_state.scroll_sync.at.get_untracked();
        let length = self.store.length.get_untracked();
        let line = self.lines.borrow_mut().line_for(at, length);
        if let Some(top) = self.list.read(|list| list.top_for(line)) {
            self.list.to(top);
        }
    }

    /// Handles a new scroll position of the list, set by the reader or caused by a changed height.
    fn moved(&self, by_reader: bool) {
        let Some((at, left)) = self.list.read(|list| (list.reading(), list.left_below())) else { return };
        self.at_end.set(left <= NEAR_END);
        if self.leads() {
            if by_reader {
                let length = self.store.length.get_untracked();
                let at = self.lines.borrow_mut().entry_for(at, length);
                self.store.view_state.scroll_sync.target.set(at);
            }
        } else if !by_reader {
            self.follow_timeline();
        }
    }

    /// Scrolls to an entry's message and focuses it.
    fn reveal(&self, entry: usize) {
        let spot = self.view.read(self.store, |index, _| index.spot(entry)).flatten();
        if let Some(Spot::Gone(nth, _)) = spot {
            let removal = self.view.read(self.store, |index, state| {
                index.view(state).and_then(|view| view.removals().get(nth)).map(|removal| removal.serial)
            });
            if let Some(serial) = removal.flatten() {
                self.set_open(serial, message::Part::Removal, true);
                self.relist(Growth::Rebuilt);
            }
        }
        let place = spot.and_then(|spot| self.lines.borrow().place_of(spot));
        if let Some(place) = place {
            self.lead(true);
            self.focus(place);
        }
    }

    /// Scrolls a line into view and gives it the focus, at once if it is in the document.
    fn focus(&self, nth: usize) {
        let Some(serial) = self.lines.borrow().list().get(nth).map(LensLine::serial) else { return };
        self.list.bring(nth);
        let root = self.root.clone();
        let line = move || root.query_selector(&format!("[data-serial=\"{serial}\"]")).ok().flatten();
        match line() {
            Some(line) => focus(&line, false),
            None => request_animation_frame(move || {
                if let Some(line) = line() {
                    focus(&line, true);
                }
            }),
        }
    }

    /// Scrolls the timeline to an entry; closes the lens first if it covers the timeline.
    fn go_to(&self, entry: usize) {
        let timeline = self.timeline();
        let hidden = timeline.as_ref().is_none_or(|timeline| !visible(timeline));
        if hidden {
            self.store.view_state.lens.set(false);
        }
        self.lead(false);
        self.store.view_state.go_to(entry);
    }

    fn timeline(&self) -> Option<HtmlElement> {
        let found = self.root.parent_element()?.query_selector("[data-scroller]").ok()??;
        found.dyn_into().ok()
    }

    /// On a narrow screen the lens hides the timeline; a focus inside it moves to the lens.
    fn take_lost_focus(&self) {
        let active = shadow(&self.root).and_then(|root| root.active_element());
        if active.is_none_or(|active| !visible(&active))
            && self.timeline().is_some_and(|own| !visible(&own))
            && let Some(list) = self.list.element()
        {
            focus(&list, false);
        }
    }

    /// When the lens closes, a focus inside it moves to the switch that opens it again.
    fn leave(&self) {
        let Some(root) = shadow(&self.root) else { return };
        let inside = root.active_element().is_some_and(|active| self.root.contains(Some(&active)));
        if inside
            && let Some(switch) = ["[data-model-lens]", ".menu"].iter().find_map(|way| {
                // On a narrow screen the switch is in the header's menu, so the menu's button gets the focus.
                root.query_selector(way)
                    .ok()
                    .flatten()
                    .filter(|way| way.get_bounding_client_rect().width() > 0.0)
            })
            && let Ok(switch) = switch.dyn_into::<HtmlElement>()
        {
            // If this fails, the focus stays where it is, which does no harm.
            let _ = switch.focus();
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        if event.key() == "Escape" {
            event.prevent_default();
            self.store.view_state.lens.set(false);
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let Some(article) = target.as_ref().and_then(|target| target.closest("article").ok().flatten())
        else {
            return;
        };
        // Inside a message the arrow keys scroll its text, and Enter presses its buttons.
        let own = target.as_ref() == Some(&article);
        let step = match event.key().as_str() {
            "ArrowDown" if own => 1,
            "ArrowUp" if own => -1,
            "PageDown" => 1,
            "PageUp" => -1,
            "Enter" if own => {
                let nth = article.get_attribute("data-line").and_then(|nth| nth.parse::<usize>().ok());
                if let Some(entry) = nth.and_then(|nth| self.lines.borrow().entry_of(nth)) {
                    event.prevent_default();
                    self.go_to(entry);
                }
                return;
            }
            _ => return,
        };
        event.prevent_default();
        let nth = article.get_attribute("data-line").and_then(|nth| nth.parse::<usize>().ok());
        if let Some(next) = nth.and_then(|nth| nth.checked_add_signed(step)) {
            self.focus(next);
        }
    }

    fn is_open(&self, serial: u64, part: message::Part, otherwise: bool) -> bool {
        self.open.borrow().get(&(serial, part)).copied().unwrap_or(otherwise)
    }

    fn set_open(&self, serial: u64, part: message::Part, open: bool) {
        self.open.borrow_mut().insert((serial, part), open);
    }

    /// A message and its entries, for highlighting both.
    fn lit_by(&self, spot: Spot) -> Lit {
        let lit = self.view.read(self.store, |index, state| {
            index.find(state, spot).map(|(message, _)| Lit {
                entries: lens::entries(state, message),
                messages: vec![message.serial],
            })
        });
        lit.flatten().unwrap_or_default()
    }
}

fn shadow(element: &Element) -> Option<ShadowRoot> {
    let node: &Node = element;
    node.get_root_node().dyn_into().ok()
}

fn visible(element: &Element) -> bool {
    let style = window().get_computed_style(element).ok().flatten();
    style.and_then(|style| style.get_property_value("visibility").ok()).is_none_or(|word| word == "visible")
}
