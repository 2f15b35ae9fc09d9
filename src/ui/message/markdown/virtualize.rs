//! Keeps only those parts of a long text in the document that are near the reader or in use.
//!
//! The others are empty elements of the same height. What the reader sees does not move. Texts of usual
//! length are not affected. Which parts these are is decided in `core::view_model::long_text`.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo_events::{EventListener, EventListenerOptions};
use leptos::prelude::request_animation_frame;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry, ResizeObserverSize};

use super::in_use;
use super::part::Part;
use super::{AWAY, BRING, ProseState, sum};
use crate::core::view_model::long_text::{TextParts, Uses, Viewport};
use crate::ui::lazy::Source;

/// Bytes up to which a text is in the document as a whole.
pub(super) const LONG: usize = 48 * 1024;
/// Frames within which a new text has to be on the page.
const TRIES: u32 = 3;
/// Pixels from the end within which the timeline follows new entries.
const NEAR_END: i32 = 24;
/// Attribute of a part: its number.
pub(super) const NUMBER: &str = "data-part";

/// The parts of a long text and the observers that follow the reader.
pub(super) struct VirtualParts {
    pub(super) source: Rc<dyn Source>,
    pub(super) parts: TextParts,
    watch: Option<Watch>,
    tries: u32,
    /// A frame has been requested.
    scheduled: bool,
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

impl VirtualParts {
    pub(super) fn new(source: Rc<dyn Source>) -> Self {
        Self { source, parts: TextParts::default(), watch: None, tries: 0, scheduled: false }
    }

    /// Adds a closed part of so many bytes; the observer reports its height.
    pub(super) fn push(&mut self, element: &Element, length: usize) {
        let number = self.parts.push(length);
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
pub(super) fn watch(inner: &Rc<RefCell<ProseState>>) -> bool {
    let mut own = inner.borrow_mut();
    let ProseState { host, closed, virtual_parts, .. } = &mut *own;
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
    for part in virtual_parts.parts.present().filter_map(|number| closed.get(number)) {
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
pub(super) fn look(inner: &Rc<RefCell<ProseState>>) {
    look_at(inner, true);
}

fn look_at(inner: &Rc<RefCell<ProseState>>, may_make: bool) {
    let more = inner.try_borrow_mut().is_ok_and(|mut inner| {
        let more = inner.look(may_make);
        more && inner
            .virtual_parts
            .as_mut()
            .is_some_and(|virtual_parts| !std::mem::replace(&mut virtual_parts.scheduled, true))
    });
    if more {
        let again: Weak<RefCell<ProseState>> = Rc::downgrade(inner);
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

impl ProseState {
    fn has_moved(&self) -> bool {
        let Some(virtual_parts) = &self.virtual_parts else { return false };
        let scrolled = virtual_parts.watch.as_ref().map(|watch| f64::from(watch.scroller.scroll_top()));
        scrolled.is_none_or(|scrolled| virtual_parts.parts.has_moved(scrolled))
    }

    fn viewport(&self) -> Option<Viewport> {
        let scroller = &self.virtual_parts.as_ref()?.watch.as_ref()?.scroller;
        let client_height = scroller.client_height();
        if client_height <= 0 || !self.host.is_connected() {
            return None;
        }
        let from = scroller.get_bounding_client_rect().top();
        let top = from - self.host.get_bounding_client_rect().top();
        let row = self.host.closest("[data-row]").ok().flatten().map(|row| row.get_bounding_client_rect());
        let is_within = row.is_none_or(|row| row.top() <= from && row.bottom() > from);
        let scroll_top = scroller.scroll_top();
        let is_at_end = scroller.scroll_height() - client_height - scroll_top <= NEAR_END;
        Some(Viewport {
            top,
            height: client_height.into(),
            scrolled: scroll_top.into(),
            is_within,
            is_at_end,
        })
    }

    /// Takes reported heights, and corrects the scroll position for changes above the reader. Returns
    /// whether some were heights of parts.
    fn measured(&mut self, entries: &js_sys::Array) -> bool {
        let Some(viewport) = self.viewport() else { return false };
        let Some(virtual_parts) = &mut self.virtual_parts else { return false };
        let heights = entries.iter().filter_map(|entry| {
            let entry: ResizeObserverEntry = entry.unchecked_into();
            let number = entry.target().get_attribute(NUMBER)?.parse::<usize>().ok()?;
            let size = entry.border_box_size().get(0).dyn_into::<ResizeObserverSize>().ok()?;
            Some((number, size.block_size()))
        });
        let moved = virtual_parts.parts.measure_all(viewport, heights);
        if let (Some(watch), Some(moved)) = (&virtual_parts.watch, moved.filter(|moved| *moved != 0.0)) {
            watch.scroller.set_scroll_top((viewport.scrolled + moved).round() as i32);
        }
        moved.is_some()
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
        let Some(mut virtual_parts) = self.virtual_parts.take() else { return false };
        let uses = InText { held: in_use::InUse::by(&self.host), text: self };
        let changes = virtual_parts.parts.look(viewport, may_make, &uses);
        self.virtual_parts = Some(virtual_parts);
        for number in changes.make {
            self.make(number);
        }
        for number in changes.remove {
            self.remove(number);
        }
        changes.has_more
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
            virtual_parts.parts.measure(0, height);
        }
    }

    /// The element after the first part.
    fn second(&self) -> Element {
        self.closed.get(1).map_or_else(|| self.part.element(), |part| &part.element).clone()
    }

    fn from(&self, number: usize) -> usize {
        number.checked_sub(1).and_then(|before| self.closed.get(before)).map_or(0, |before| before.end)
    }

    /// Renders a part into its placeholder.
    pub(super) fn make(&mut self, number: usize) {
        let from = self.from(number);
        let Some(part) = self.closed.get(number) else { return };
        let Some(virtual_parts) =
            self.virtual_parts.as_mut().filter(|virtual_parts| !virtual_parts.parts.is_present(number))
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
        virtual_parts.parts.set_present(number, true);
        virtual_parts.observe(&element, number);
    }

    /// Removes the content of a part, leaving a placeholder of the same height.
    fn remove(&mut self, number: usize) {
        let (from, second) = (self.from(number), self.second());
        let Some(virtual_parts) = &mut self.virtual_parts else { return };
        let (Some(part), Some(height)) = (self.closed.get_mut(number), virtual_parts.parts.height(number))
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
        virtual_parts.parts.set_present(number, false);
        super::part::stand_in(&part.element, from..part.end, height);
    }
}

/// What keeps parts of a text in the document.
struct InText<'a> {
    held: in_use::InUse,
    text: &'a ProseState,
}

impl Uses for InText<'_> {
    fn any_selected(&self) -> bool {
        self.held.some_selected()
    }

    fn is_selected(&self, number: usize) -> bool {
        self.text.closed.get(number).is_some_and(|part| self.held.selects(&part.element))
    }

    fn is_in_use(&self, number: usize) -> bool {
        let Self { held, text } = self;
        let Some(part) = text.closed.get(number) else { return false };
        if part.element == text.host {
            return held.before(&text.host, Some(&text.second()));
        }
        // One long piece of code has few elements and takes long to render, so it is kept.
        let is_code = part.end - text.from(number) > LONG && part.element.child_element_count() == 1;
        is_code || held.part(&part.element)
    }
}
