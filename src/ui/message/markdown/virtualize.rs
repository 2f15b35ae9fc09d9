//! Keeps only those parts of a long text in the document that are near the reader or in use.
//!
//! The others are empty elements of the same height. What the reader sees does not move. Texts of usual
//! length are not affected.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::request_animation_frame;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry, ResizeObserverSize};

use super::in_use;
use super::part::Part;
use super::{AWAY, BRING, Closed, Inner, sum};
use crate::core::view_model::heights::Heights;
use crate::ui::lazy::Source;

/// Bytes up to which a text is in the document as a whole.
pub(super) const LONG: usize = 48 * 1024;
/// Distances from the viewport, in viewport heights: parts nearer than `NEAR` are rendered, those beyond
/// `KEEP` removed.
const NEAR: f64 = 1.0;
const KEEP: f64 = 2.0;
/// Fraction of the viewport height that the reader may scroll before the parts are checked again.
const STEP: f64 = 0.25;
/// Pixels around the viewport in which parts are rendered at once, all of them in one frame.
const SHOWN_MARGIN: f64 = 120.0;
/// Most parts that are removed per frame.
const AT_ONCE: usize = 4;
/// Frames within which a new text has to be on the page.
const TRIES: u32 = 3;
/// Pixels from the end within which the timeline follows new entries.
const NEAR_END: i32 = 24;
/// Attribute of a part: its number.
pub(super) const NUMBER: &str = "data-part";

/// The state of a long text's parts.
pub(super) struct VirtualParts {
    pub(super) source: Rc<dyn Source>,
    /// Heights of the closed parts.
    pub(super) heights: Heights,
    /// Numbers of the closed parts that are in the document.
    pub(super) there: Vec<usize>,
    watch: Option<Watch>,
    tries: u32,
    /// A frame has been requested.
    scheduled: bool,
    /// Scroll position and viewport height at which everything near was last rendered.
    looked: Option<(f64, f64)>,
}

/// The observer and listeners that follow the reader's position.
struct Watch {
    scroller: Element,
    observer: ResizeObserver,
    _resized: Closure<dyn FnMut(js_sys::Array)>,
    _listeners: [EventListener; 4],
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The viewport, from the top of the text, in pixels.
struct Viewport {
    top: f64,
    height: f64,
    /// The reader is in this row, so height changes above the viewport move what they see.
    within: bool,
}

impl VirtualParts {
    pub(super) fn new(source: Rc<dyn Source>) -> Self {
        let (heights, there) = (Heights::default(), Vec::new());
        Self { source, heights, there, watch: None, tries: 0, scheduled: false, looked: None }
    }

    /// Removes the parts from `kept` on.
    pub(super) fn truncate(&mut self, kept: usize) {
        self.looked = None;
        self.heights.truncate(kept);
        self.there.retain(|part| *part < kept);
    }

    /// Adds a closed part with an estimated height; the observer reports the real one.
    pub(super) fn push(&mut self, element: &Element, length: usize) {
        let number = self.heights.len();
        self.heights.push(length as f64 * 0.36);
        self.there.push(number);
        self.observe(element, number);
    }

    fn observe(&self, element: &Element, number: usize) {
        // Fails only for invalid names.
        let _ = element.set_attribute(NUMBER, &number.to_string());
        if let Some(watch) = &self.watch {
            watch.observer.observe(element);
        }
    }
}

/// Starts to follow the reader's position, once a text is long and in the document. Returns false if that is
/// to be tried again in the next frame.
pub(super) fn watch(inner: &Rc<RefCell<Inner>>) -> bool {
    let mut own = inner.borrow_mut();
    let Inner { host, closed, virtual_parts, .. } = &mut *own;
    let Some(virtual_parts) = virtual_parts.as_mut().filter(|virtual_parts| virtual_parts.watch.is_none())
    else {
        return true;
    };
    let Some(scroller) = host.closest("[data-scroller]").ok().flatten() else {
        // A row is filled before it is put into the page. Outside of a scroller there is no position to
        // follow.
        virtual_parts.tries += 1;
        return virtual_parts.tries > TRIES;
    };
    let weak = Rc::downgrade(inner);
    let look = move |always: bool| {
        if let Some(inner) = weak.upgrade()
            && (always || inner.try_borrow().is_ok_and(|inner| inner.has_moved()))
        {
            look(&inner);
        }
    };
    let weak = Rc::downgrade(inner);
    let resized = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
        if let Some(inner) = weak.upgrade() {
            // If heights of parts were reported, no parts are rendered now: theirs would have to be reported
            // in the same frame.
            let parts = inner.try_borrow_mut().is_ok_and(|mut inner| inner.measured(&entries));
            look_at(&inner, !parts);
        }
    });
    let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) else { return true };
    observer.observe(&scroller);
    for part in virtual_parts.there.iter().filter_map(|number| closed.get(*number)) {
        if part.element != *host {
            observer.observe(&part.element);
        }
    }
    let weak = Rc::downgrade(inner);
    let bring = move |event: &web_sys::Event| {
        let part = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let number = part.and_then(|part| part.get_attribute(NUMBER)?.parse().ok());
        if let (Some(number), Some(inner)) = (number, weak.upgrade())
            && let Ok(mut inner) = inner.try_borrow_mut()
        {
            inner.make(number);
        }
    };
    let weak = Rc::downgrade(inner);
    let copied = move |_: &web_sys::Event| {
        if let Some(inner) = weak.upgrade()
            && let Ok(mut inner) = inner.try_borrow_mut()
        {
            inner.make_selected();
        }
    };
    let passive = EventListenerOptions { passive: true, ..EventListenerOptions::run_in_capture_phase() };
    let listeners = [
        // These two do not bubble.
        EventListener::new_with_options(&scroller, "scroll", passive, {
            let look = look.clone();
            move |_| look(false)
        }),
        EventListener::new_with_options(host, BRING, EventListenerOptions::run_in_capture_phase(), bring),
        // What is selected has to be in the document, and what is no longer selected need not.
        EventListener::new(&leptos::prelude::document(), "selectionchange", move |_| look(true)),
        // The browser copies what is in the document when all listeners have run.
        EventListener::new_with_options(
            &leptos::prelude::document(),
            "copy",
            EventListenerOptions::run_in_capture_phase(),
            copied,
        ),
    ];
    virtual_parts.watch = Some(Watch { scroller, observer, _resized: resized, _listeners: listeners });
    true
}

/// Renders what is near the reader and removes what is far; continues in the next frame if there is more to
/// do.
pub(super) fn look(inner: &Rc<RefCell<Inner>>) {
    look_at(inner, true);
}

fn look_at(inner: &Rc<RefCell<Inner>>, may_make: bool) {
    let more = inner.try_borrow_mut().is_ok_and(|mut inner| {
        let more = inner.look(may_make);
        more && inner
            .virtual_parts
            .as_mut()
            .is_some_and(|virtual_parts| !std::mem::replace(&mut virtual_parts.scheduled, true))
    });
    if more {
        let again: Weak<RefCell<Inner>> = Rc::downgrade(inner);
        request_animation_frame(move || {
            if let Some(inner) = again.upgrade() {
                if let Some(virtual_parts) = &mut inner.borrow_mut().virtual_parts {
                    virtual_parts.scheduled = false;
                }
                look(&inner);
            }
        });
    }
}

impl Inner {
    /// Whether the reader has scrolled far enough for another look. They move a few lines with each frame in
    /// which text arrives.
    fn has_moved(&self) -> bool {
        let Some(virtual_parts) = &self.virtual_parts else { return false };
        let (Some(watch), Some((top, height))) = (&virtual_parts.watch, virtual_parts.looked) else {
            return true;
        };
        (f64::from(watch.scroller.scroll_top()) - top).abs() > height * STEP
    }

    fn viewport(&self) -> Option<Viewport> {
        let scroller = &self.virtual_parts.as_ref()?.watch.as_ref()?.scroller;
        let height = f64::from(scroller.client_height());
        if height <= 0.0 || !self.host.is_connected() {
            return None;
        }
        let from = scroller.get_bounding_client_rect().top();
        let top = from - self.host.get_bounding_client_rect().top();
        let row = self.host.closest("[data-row]").ok().flatten().map(|row| row.get_bounding_client_rect());
        let within = row.is_none_or(|row| row.top() <= from && row.bottom() > from);
        Some(Viewport { top, height, within })
    }

    /// Stores reported heights, and corrects the scroll position for changes above the reader. Returns
    /// whether some were heights of parts.
    fn measured(&mut self, entries: &js_sys::Array) -> bool {
        let Some(viewport) = self.viewport() else { return false };
        let Self { closed, virtual_parts, .. } = self;
        let Some(virtual_parts) = virtual_parts else { return false };
        let anchor = virtual_parts.heights.row_at(viewport.top);
        let (mut moved, mut some) = (0.0, false);
        for entry in entries.iter() {
            let entry: ResizeObserverEntry = entry.unchecked_into();
            let number = entry.target().get_attribute(NUMBER).and_then(|number| number.parse::<usize>().ok());
            let Some(number) = number.filter(|number| virtual_parts.there.contains(number)) else { continue };
            let Some(part) = closed.get_mut(number) else { continue };
            let Ok(size) = entry.border_box_size().get(0).dyn_into::<ResizeObserverSize>() else { continue };
            some = true;
            let growth = virtual_parts.heights.set(number, size.block_size());
            if std::mem::replace(&mut part.measured, true) && number < anchor {
                moved += growth;
            }
        }
        let Some(watch) = &virtual_parts.watch else { return some };
        let scroller = &watch.scroller;
        let top = scroller.scroll_top();
        let at_end = scroller.scroll_height() - scroller.client_height() - top <= NEAR_END;
        if moved.abs() >= 0.5 && viewport.within && viewport.top > 0.0 && !at_end {
            scroller.set_scroll_top((f64::from(top) + moved).round() as i32);
        }
        some
    }

    /// Renders parts, if `may_make` is true, and removes others. Returns whether there is more to do in the
    /// next frame.
    fn look(&mut self, may_make: bool) -> bool {
        if self.begins < LONG {
            return false;
        }
        if self.virtual_parts.as_ref().is_some_and(|virtual_parts| virtual_parts.source.whole()) {
            for number in 0..self.closed.len() {
                self.make(number);
            }
            return false;
        }
        let Some(viewport) = self.viewport() else { return false };
        self.measure_first();
        let Some(virtual_parts) = &self.virtual_parts else { return false };
        let window = |margin: f64| virtual_parts.heights.window(viewport.top, viewport.height, margin);
        let (shown, near) = (window(SHOWN_MARGIN), window(viewport.height * NEAR));
        let keep = window(viewport.height * KEEP);
        let away = |number: &usize| !virtual_parts.there.contains(number);
        let at_once: Vec<usize> = (shown.0..shown.1).filter(away).collect();
        let mut soon: Vec<usize> =
            (near.0..near.1).filter(|number| away(number) && !(shown.0..shown.1).contains(number)).collect();
        let held = in_use::InUse::by(&self.host);
        if held.some_selected() {
            let gone = (0..self.closed.len()).filter(away);
            let selected =
                |number: &usize| self.closed.get(*number).is_some_and(|part| held.selects(&part.element));
            soon.extend(gone.filter(selected).take(2));
        }
        let leaving = |number: &&usize| {
            !(keep.0..keep.1).contains(*number)
                && self
                    .closed
                    .get(**number)
                    .is_some_and(|part| part.measured && !self.holds(&held, **number, part))
        };
        let mut leave: Vec<usize> =
            virtual_parts.there.iter().filter(leaving).take(AT_ONCE + 1).copied().collect();
        let wanted = if may_make { soon.len() > 1 } else { !(soon.is_empty() && at_once.is_empty()) };
        let more = leave.len() > AT_ONCE || wanted;
        leave.truncate(AT_ONCE);
        let at = virtual_parts
            .watch
            .as_ref()
            .map(|watch| (f64::from(watch.scroller.scroll_top()), viewport.height));
        if let Some(virtual_parts) = &mut self.virtual_parts {
            virtual_parts.looked = at.filter(|_| !more);
        }
        for number in at_once.into_iter().chain(soon.into_iter().take(1)).filter(|_| may_make) {
            self.make(number);
        }
        for number in leave {
            self.give_up(number);
        }
        more
    }

    /// Renders every part that the selection touches.
    fn make_selected(&mut self) {
        let held = in_use::InUse::by(&self.host);
        if held.some_selected() {
            for number in 0..self.closed.len() {
                if self.closed.get(number).is_some_and(|part| held.selects(&part.element)) {
                    self.make(number);
                }
            }
        }
    }

    /// Measures the first part, which has no element of its own until it is removed.
    fn measure_first(&mut self) {
        if self.closed.first().is_none_or(|first| first.element != self.host) {
            return;
        }
        let height =
            self.second().get_bounding_client_rect().top() - self.host.get_bounding_client_rect().top();
        if let Some(virtual_parts) = &mut self.virtual_parts {
            virtual_parts.heights.set(0, height);
        }
        if let Some(first) = self.closed.first_mut() {
            first.measured = true;
        }
    }

    /// The element after the first part.
    fn second(&self) -> Element {
        self.closed.get(1).map_or_else(|| self.part.element(), |part| &part.element).clone()
    }

    fn holds(&self, held: &in_use::InUse, number: usize, part: &Closed) -> bool {
        if part.element == self.host {
            return held.before(&self.host, Some(&self.second()));
        }
        // One long piece of code has few elements and takes long to render, so it is kept.
        let from = self.from(number);
        (part.end - from > LONG && part.element.child_element_count() == 1) || held.part(&part.element)
    }

    fn from(&self, number: usize) -> usize {
        number.checked_sub(1).and_then(|before| self.closed.get(before)).map_or(0, |before| before.end)
    }

    /// Renders a part into its placeholder.
    pub(super) fn make(&mut self, number: usize) {
        let from = self.from(number);
        let Some(part) = self.closed.get(number) else { return };
        let Some(virtual_parts) =
            self.virtual_parts.as_mut().filter(|virtual_parts| !virtual_parts.there.contains(&number))
        else {
            return;
        };
        let mut words = None;
        virtual_parts.source.read(&mut |text| {
            words = text.get(from..part.end).filter(|words| sum(words) == part.sum).map(str::to_owned);
        });
        // The text is about to be replaced.
        let Some(words) = words else { return };
        let element = part.element.clone();
        // These fail only for invalid names.
        let _ = element.remove_attribute("style");
        let _ = element.remove_attribute(AWAY);
        let mut made = Part::new(element.clone(), part.lead.clone());
        made.extend(&self.document, &words);
        made.close(&self.document, words.len());
        virtual_parts.there.push(number);
        virtual_parts.observe(&element, number);
    }

    /// Removes the content of a part, leaving a placeholder of the same height.
    fn give_up(&mut self, number: usize) {
        let (from, second) = (self.from(number), self.second());
        let Some(virtual_parts) = &mut self.virtual_parts else { return };
        let (Some(part), Some(height)) = (self.closed.get_mut(number), virtual_parts.heights.own(number))
        else {
            return;
        };
        if part.element == self.host {
            let Some(own) = super::part::before(&self.document, &self.host) else { return };
            while let Some(block) = own.next_sibling().filter(|block| *block != *second) {
                let _ = self.host.remove_child(&block);
            }
            let _ = own.set_attribute(NUMBER, "0");
            part.element = own;
        } else {
            if let Some(watch) = &virtual_parts.watch {
                watch.observer.unobserve(&part.element);
            }
            part.element.set_text_content(None);
        }
        virtual_parts.there.retain(|there| *there != number);
        super::part::stand_in(&part.element, from..part.end, height);
    }
}
