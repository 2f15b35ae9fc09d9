//! Measures which parts of a card are in view, and leads to those that were not. What counts is decided in
//! `core/view_model/read_through.rs`.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use gloo_events::{EventListener, EventListenerOptions, EventListenerPhase};
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{
    DomRect, DomRectReadOnly, Element, HtmlElement, IntersectionObserver, IntersectionObserverEntry,
    IntersectionObserverInit, KeyboardEvent, MutationObserver, MutationObserverInit, Node, ResizeObserver,
};

use super::answer_controls::{AnswerControls, keep_focus};
use crate::client::announcer::announce_outcome;
use crate::core::i18n::words::requests;
use crate::core::model::request::Request;
use crate::core::view_model::read_through::{Glimpse, Piece, ReadThrough, Steadiness};

/// The height of a line of a card in pixels, to tell how many are left.
const LINE: f64 = 20.0;
/// Pixels of what was seen already that stay above what is shown next.
const ABOVE: f64 = 28.0;
/// Pixels at a side of a card without text. If more is hidden, the lines are cut and none counts as in view.
const PADDING: f64 = 12.0;
/// What is one thing for the eye, whatever is in it.
const PICTURES: &str = "img, canvas, video, iframe, object, embed, input, textarea, select";
/// What a picture counts as in the text of a card.
const PICTURE: [u16; 16] = [0xfffc; 16];
/// What need not be read: it is not there, or repeats what the card shows.
const LEFT_OUT: &str = "details, svg, [hidden], script, style";
/// The height of a card's question and of what is asked for, in pixels, if both are short.
const HEAD: f64 = 88.0;
/// Where a card has what must be read.
const TO_READ: [&str; 2] = [".request-head", ".request-body"];
/// The card has moved since the browser looked if it is so many pixels elsewhere: browsers round positions.
const MOVED: f64 = 0.5;
/// A text has at most so many collapsed spaces in a row; those have no place of their own.
const SPACES: usize = 64;

/// The card of one request, and what of its text is where.
pub struct Reading {
    controls: AnswerControls,
    section: Element,
    range: web_sys::Range,
    observer: RefCell<Option<IntersectionObserver>>,
    nodes: RefCell<Vec<Node>>,
    pieces: RefCell<Vec<Piece>>,
    steadiness: RefCell<Steadiness>,
    /// The card's width and height when its pieces were measured.
    size: Cell<(f64, f64)>,
    /// The card was seen in part, so that opening it is a change; `None` before it has stood in view.
    sealed: Cell<Option<bool>>,
    early: Cell<bool>,
}

impl Reading {
    /// Measures anew where the texts are, and asks the browser what is in view.
    fn lay_out(&self) {
        let mut text = Vec::new();
        self.nodes.take();
        self.pieces.take();
        self.steadiness.borrow_mut().start_again();
        let card = self.section.get_bounding_client_rect();
        self.size.set((card.width(), card.height()));
        // Without a layout, as in a panel that is not shown, nothing has a place.
        if card.height() <= 0.0 {
            return;
        }
        for root in TO_READ {
            if let Some(root) = self.section.query_selector(root).ok().flatten() {
                self.gather(&root, card.top(), &mut text);
            }
        }
        self.update(|read| read.show(text));
        self.look_again();
    }

    /// Adds the texts and pictures of an element in their order.
    fn gather(&self, element: &Element, top: f64, text: &mut Vec<u16>) {
        let mut next = element.first_child();
        while let Some(node) = next {
            next = node.next_sibling();
            let start = text.len();
            let rect = match node.dyn_ref::<Element>() {
                Some(element) if is_left_out(element) => continue,
                Some(element) if is_picture(element) => {
                    text.extend(PICTURE);
                    element.get_bounding_client_rect()
                }
                Some(element) => {
                    self.gather(element, top, text);
                    continue;
                }
                None => {
                    let words = node.node_value().unwrap_or_default();
                    if node.node_type() != Node::TEXT_NODE || words.trim().is_empty() {
                        continue;
                    }
                    text.extend(words.encode_utf16());
                    // Fails only for a node that is in no document.
                    let _ = self.range.select_node_contents(&node);
                    self.range.get_bounding_client_rect()
                }
            };
            if rect.height() <= 0.0 {
                text.truncate(start);
                continue;
            }
            let edges = rect.top() - top..rect.bottom() - top;
            self.pieces.borrow_mut().push(Piece { units: start..text.len(), edges });
            self.nodes.borrow_mut().push(node);
        }
    }

    /// The edges of one unit of a piece, on the screen.
    fn edges(&self, piece: usize, unit: usize) -> Option<Range<f64>> {
        let nodes = self.nodes.borrow();
        let node = nodes.get(piece)?;
        if let Some(picture) = node.dyn_ref::<Element>() {
            let rect = picture.get_bounding_client_rect();
            let slice = rect.height() / PICTURE.len() as f64;
            let top = rect.top() + slice * unit as f64;
            return Some(top..top + slice);
        }
        let length = self.pieces.borrow().get(piece)?.units.len();
        let around = (unit.saturating_sub(SPACES)..=unit).rev().chain(unit + 1..length);
        around
            .map(|unit| self.letter(node, unit as u32))
            .find(|rect| rect.height() > 0.0)
            .map(|rect| edges(&rect))
    }

    fn letter(&self, node: &Node, unit: u32) -> DomRect {
        // Fails only for a place that is not in the text.
        let _ = self.range.set_start(node, unit).and_then(|()| self.range.set_end(node, unit + 1));
        self.range.get_bounding_client_rect()
    }

    /// Asks the browser what is in view, which it tells after the next layout.
    fn look_again(&self) {
        if let Some(observer) = self.observer.borrow().as_ref() {
            observer.unobserve(&self.section);
            observer.observe(&self.section);
        }
    }

    /// The browser has told what is in view of the card.
    fn looked(&self, entry: &IntersectionObserverEntry) {
        let visible = is_visible(&self.section);
        if visible {
            self.controls.uncover(self.early.get());
        }
        if entry.is_intersecting() && visible {
            self.controls.on_screen(self.early.get());
        }
        self.early.set(false);
        let (card, then) = (self.section.get_bounding_client_rect(), entry.bounding_client_rect());
        if (card.width(), card.height()) != self.size.get() {
            return self.lay_out();
        }
        if (card.top() - then.top()).abs() > MOVED {
            return self.look_again();
        }
        let (view, sides) = in_sight(&entry.intersection_rect());
        self.arrange(&card, &view);
        let cut = sides.start > card.left() + PADDING || sides.end < card.right() - PADDING;
        let buttons = self.dock().map(|dock| dock.children());
        let buttons = buttons.iter().flat_map(|all| (0..all.length()).filter_map(|nth| all.item(nth)));
        let over = buttons.filter(is_visible).chain(self.foot()).map(|over| over.get_bounding_client_rect());
        let below = over.filter(|over| over.height() > 0.0).map(|over| over.top()).fold(view.end, f64::min);
        if entry.is_intersecting() && !cut && visible {
            let top = card.top();
            let now = Glimpse { top, view: view.start - top..below - top };
            let (stands, at_rest) = self.steadiness.borrow_mut().look(now);
            if let Some(view) = &stands {
                self.read(top, view);
            }
            if !at_rest {
                self.look_again();
            }
            if stands.is_none() && self.sealed.get().is_none() {
                return;
            }
        } else {
            self.steadiness.borrow_mut().start_again();
        }
        self.report();
    }

    /// What stands between these edges has been in view. The card's upper edge is at `top` on the screen.
    fn read(&self, top: f64, view: &Range<f64>) {
        let pieces = self.pieces.borrow();
        let edges = |piece: usize, unit: usize| {
            let edges = self.edges(piece, unit).unwrap_or(f64::NEG_INFINITY..f64::INFINITY);
            edges.start - top..edges.end - top
        };
        self.update(|read| read.look(&pieces, view, edges));
    }

    /// Says whether all was in view, and how much is left.
    fn report(&self) {
        let pieces = self.pieces.borrow();
        let (mut left, id) = (0, self.controls.id());
        self.update(|read| left = read.lines_left(&pieces, LINE));
        let seen = self.controls.store().view_state.seen_requests;
        let known = seen.with_untracked(|seen| seen.contains(&id));
        if left > 0 && known {
            seen.update(|seen| seen.retain(|seen| *seen != id));
        } else if left == 0 && !known {
            seen.update(|seen| seen.push(id));
        }
        if left == 0 && self.sealed.get() == Some(true) {
            // The press that showed the last of it must not allow it.
            self.controls.unsettle();
            if untrack(|| self.controls.is_tall()) {
                announce_outcome(self.controls.store().view_state.announcement, requests::ALL_SEEN.text());
            }
            if let Some(line) = self.section.query_selector(".seal").ok().flatten() {
                hand_over(&line, &self.section);
            }
        }
        self.sealed.set(Some(left > 0));
        self.controls.set_left(left);
    }

    /// Notes what the styles depend on: whether the card is higher than the view, goes on below it, and has a foot that would take
    /// too much of it; and how much of the view's end the foot takes.
    fn arrange(&self, card: &DomRect, view: &Range<f64>) {
        let scroller = self.scroller();
        let room = scroller.map_or_else(window_height, |scroller| f64::from(scroller.client_height()));
        let foot = self.foot().map(|foot| foot.get_bounding_client_rect());
        // A card of which nothing is in view has no view that it could go on below.
        let goes_on = view.start < view.end && card.bottom() > view.end + 1.0 && card.top() < view.end;
        self.controls.set_tall(card.height() > room);
        let is_loose = |foot: &DomRect| {
            // Answers over their own question would seem to be those of the card above.
            let covers_head = goes_on && view.end - card.top() < foot.height() + HEAD;
            foot.height() > room / 2.0 || covers_head
        };
        for (name, on) in
            [("data-goes-on", goes_on), ("data-loose-foot", foot.as_ref().is_some_and(is_loose))]
        {
            // Fails for invalid names only.
            let _ = self.section.toggle_attribute_with_force(name, on);
        }
        if let Some((foot, dock)) = foot.zip(self.dock()).filter(|_| goes_on) {
            let answers = (view.end - foot.top()).max(0.0).round();
            // Fails only for a property that can't be written.
            let _ = dock.style().set_property("--_answers", &format!("{answers}px"));
        }
    }

    /// Scrolls to what has not been in view yet.
    pub fn show_rest(&self) {
        // Where nothing is left to scroll, what was over it may be gone.
        self.look_again();
        let mut next = None;
        self.update(|read| next = read.next());
        let Some(next) = next else { return };
        let piece = self.pieces.borrow().iter().position(|piece| piece.units.contains(&next));
        let start = piece.and_then(|piece| Some(self.pieces.borrow().get(piece)?.units.start));
        let Some((piece, start)) = piece.zip(start) else { return };
        let top = || self.edges(piece, next - start).map(|edges| edges.start);
        let Some(place) = top() else { return };
        if let Some(scroller) = self.scroller() {
            let room = f64::from(scroller.client_height());
            let by = place - scroller.get_bounding_client_rect().top() - ABOVE.min(room / 4.0);
            scroller.set_scroll_top(scroller.scroll_top() + by.round() as i32);
        }
        // The page around it may be scrolled, too.
        let Some(place) = top().filter(|top| *top < 0.0 || *top > window_height() - ABOVE) else { return };
        window().scroll_by_with_x_and_y(0.0, place - ABOVE);
    }

    fn foot(&self) -> Option<Element> {
        self.section.query_selector(".request-foot").ok().flatten()
    }

    /// The buttons that lie over the end of the view.
    fn dock(&self) -> Option<HtmlElement> {
        let dock = self.scroller()?.next_element_sibling()?.dyn_into::<HtmlElement>().ok()?;
        dock.matches(".dock").unwrap_or(false).then_some(dock)
    }

    fn scroller(&self) -> Option<Element> {
        self.section.closest("[data-scroller]").ok().flatten()
    }

    /// What has been in view outlives the card, which leaves the document when it is scrolled away.
    fn update(&self, update: impl FnOnce(&mut ReadThrough)) {
        let id = self.controls.id();
        self.controls.store().view_state.read_through.update_value(|all| {
            if let Some((_, read)) = all.iter_mut().find(|(of, _)| *of == id) {
                return update(read);
            }
            let mut read = ReadThrough::default();
            update(&mut read);
            all.push((id, read));
        });
    }
}

fn edges(rect: &DomRectReadOnly) -> Range<f64> {
    rect.top()..rect.bottom()
}

/// The height and the width of what is in sight of this: a keyboard on the screen or a zoom by fingers hides the rest.
fn in_sight(part: &DomRectReadOnly) -> (Range<f64>, Range<f64>) {
    let (height, width) = (edges(part), part.left()..part.right());
    let Some(seen) = window().visual_viewport() else { return (height, width) };
    let (top, left) = (seen.offset_top(), seen.offset_left());
    let height = height.start.max(top)..height.end.min(top + seen.height());
    (height, width.start.max(left)..width.end.min(left + seen.width()))
}

fn window_height() -> f64 {
    window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default()
}

/// A lens or a sheet over the timeline hides it, and so does the first screen that came with the page.
fn is_visible(element: &Element) -> bool {
    let style = window().get_computed_style(element).ok().flatten();
    style.and_then(|style| style.get_property_value("visibility").ok()).as_deref() == Some("visible")
}

fn is_left_out(element: &Element) -> bool {
    // What is there for screen readers alone is a pixel wide. What has no box may still have children with boxes.
    let for_readers = || {
        let rect = element.get_bounding_client_rect();
        rect.width() <= 1.0 && rect.height() <= 1.0 && element.get_client_rects().length() > 0
    };
    element.matches(LEFT_OUT) == Ok(true) || for_readers()
}

fn is_picture(element: &Element) -> bool {
    element.matches(PICTURES) == Ok(true) || element.shadow_root().is_some()
}

/// If the focus is in what goes away, the card gets it.
fn hand_over(line: &Element, section: &Element) {
    if crate::ui::elements::focus::focused_in(line).is_some() {
        keep_focus(section);
    }
}

/// What tells of a change of the layout or of the view, as long as the card is there.
struct Watching {
    observers: (IntersectionObserver, ResizeObserver, MutationObserver),
    _looked: Closure<dyn FnMut(Array)>,
    _changed: Closure<dyn FnMut()>,
    listeners: RefCell<Vec<EventListener>>,
}

/// Measures what is in view of a card, as long as the owner lives.
pub fn watch(controls: AnswerControls, section: &Element) {
    let Ok(range) = document().create_range() else { return };
    let reading = Rc::new(Reading {
        controls,
        section: section.clone(),
        range,
        observer: RefCell::default(),
        nodes: RefCell::default(),
        pieces: RefCell::default(),
        steadiness: RefCell::default(),
        size: Cell::default(),
        sealed: Cell::new(None),
        early: Cell::new(true),
    });
    let rest = Rc::downgrade(&reading);
    controls.set_show_rest(Rc::new(move || _ = rest.upgrade().map(|reading| reading.show_rest())));
    let (looking, laying_out) = (Rc::clone(&reading), Rc::clone(&reading));
    let looked = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
        if let Some(entry) = entries.iter().last() {
            looking.looked(&entry.unchecked_into());
        }
    });
    let changed = Closure::<dyn FnMut()>::new(move || laying_out.lay_out());
    // The page around an iframe scrolls without an event in it.
    let steps = (0..=20).map(|step| JsValue::from(f64::from(step) / 20.0)).collect::<Array>();
    let options = IntersectionObserverInit::new();
    options.set_threshold(&steps);
    let Ok(seen) = IntersectionObserver::new_with_options(looked.as_ref().unchecked_ref(), &options) else {
        return;
    };
    let Ok(sizes) = ResizeObserver::new(changed.as_ref().unchecked_ref()) else { return };
    let Ok(texts) = MutationObserver::new(changed.as_ref().unchecked_ref()) else { return };
    let all = MutationObserverInit::new();
    all.set_child_list(true);
    all.set_character_data(true);
    all.set_subtree(true);
    for part in TO_READ {
        if let Some(part) = section.query_selector(part).ok().flatten() {
            // Fails only if nothing is to be observed.
            let _ = texts.observe_with_options(&part, &all);
        }
    }
    sizes.observe(section);
    reading.observer.replace(Some(seen.clone()));
    let watching = Rc::new(Watching {
        observers: (seen, sizes, texts),
        _looked: looked,
        _changed: changed,
        listeners: RefCell::default(),
    });
    // Only then is it in the document.
    let later = Rc::downgrade(&watching);
    request_animation_frame(move || {
        let Some(watching) = later.upgrade() else { return };
        if let Some(scroller) = reading.scroller() {
            watching.observers.1.observe(&scroller);
        }
        watching.listeners.replace(listen(&reading));
    });
    let watching = StoredValue::new_local(watching);
    on_cleanup(move || {
        watching.try_with_value(|watching| {
            let (seen, sizes, texts) = &watching.observers;
            seen.disconnect();
            // Entries that are queued outlive `disconnect`: Firefox would still call the callback with them.
            seen.take_records();
            sizes.disconnect();
            texts.disconnect();
        });
        forget_if_over(controls);
    });
}

/// What is known of a request that nobody can answer any more is of no use.
fn forget_if_over(controls: AnswerControls) {
    let (store, id) = (controls.store(), controls.id());
    let over =
        store.entry(controls.index(), |entry| entry.request().is_some_and(|request| !Request::open(request)));
    if over == Some(true) {
        store.view_state.read_through.try_update_value(|all| all.retain(|(of, _)| *of != id));
    }
}

fn listen(reading: &Rc<Reading>) -> Vec<EventListener> {
    let phase = EventListenerOptions { phase: EventListenerPhase::Capture, passive: true };
    let again = |target: &web_sys::EventTarget, event: &'static str| {
        let reading = Rc::clone(reading);
        EventListener::new_with_options(target, event, phase, move |_| reading.look_again())
    };
    // A scroll event within a shadow tree does not leave it.
    let mut all = vec![again(&reading.section.get_root_node(), "scroll"), again(&window(), "scroll")];
    if let Some(seen) = window().visual_viewport() {
        all.extend(["resize", "scroll"].map(|event| again(&seen, event)));
    }
    let pages = Rc::clone(reading);
    let keys = EventListenerOptions { phase: EventListenerPhase::Bubble, passive: false };
    all.push(EventListener::new_with_options(&reading.section, "keydown", keys, move |event| {
        if event.dyn_ref::<KeyboardEvent>().is_some_and(goes_on) && pages.controls.left_now() > 0 {
            event.prevent_default();
            event.stop_propagation();
            pages.show_rest();
        }
    }));
    all
}

/// Whether a key shows the next page. A whole page would leave out what is under the foot.
fn goes_on(event: &KeyboardEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let is = |what: &str| target.as_ref().is_some_and(|target| target.matches(what) == Ok(true));
    let modified = event.shift_key() || event.ctrl_key() || event.alt_key() || event.meta_key();
    match event.key().as_str() {
        _ if modified => false,
        "PageDown" => !is("textarea, select"),
        " " => !is("input, textarea, select, button, summary, a"),
        _ => false,
    }
}
