//! A windowed list of lines that have numbers as names: only those near the viewport are in the document.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::{Rc, Weak};

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, ResizeObserver, ResizeObserverEntry};

use crate::core::i18n::words::lens;
use crate::core::view_model::heights::Heights;
use crate::ui::elements::builder::{El, div};
use crate::ui::elements::keyed_list::alone;

/// Pixels that are rendered above and below the viewport.
const MARGIN: f64 = 480.0;

type Make = Box<dyn Fn(usize) -> Option<El>>;
type Moved = Box<dyn Fn(bool)>;
type Resized = Closure<dyn FnMut(js_sys::Array)>;

/// The list. Cheap to copy.
#[derive(Clone)]
pub struct List(Rc<Inner>);

struct Inner {
    scroller: El,
    above: El,
    below: El,
    make: RefCell<Option<Make>>,
    moved: RefCell<Option<Moved>>,
    names: RefCell<Vec<u64>>,
    heights: RefCell<Heights>,
    /// Heights that were measured, by name: they stay valid when the order changes.
    known: RefCell<HashMap<u64, f64>>,
    shown: RefCell<HashMap<u64, Shown>>,
    viewport: Cell<f64>,
    /// The scroll position that was set from here: its scroll event is not the reader's.
    own: Cell<f64>,
    observer: RefCell<Option<(ResizeObserver, Resized)>>,
}

struct Shown {
    owner: Owner,
    element: Element,
    nth: usize,
}

impl List {
    /// An empty list.
    pub fn new() -> Self {
        let scroller = div("lens-list")
            .attr("tabindex", "0")
            .attr("role", "feed")
            .attr("aria-label", lens::LIST.text())
            .attr("data-lens-scroller", "");
        let (above, below) = (div("spacer"), div("spacer"));
        let scroller = scroller.child(above.clone()).child(below.clone());
        Self(Rc::new(Inner {
            scroller,
            above,
            below,
            make: RefCell::default(),
            moved: RefCell::default(),
            names: RefCell::default(),
            heights: RefCell::default(),
            known: RefCell::default(),
            shown: RefCell::default(),
            viewport: Cell::new(800.0),
            own: Cell::new(-1.0),
            observer: RefCell::default(),
        }))
    }

    /// The list's element.
    pub fn place(&self) -> El {
        self.0.scroller.clone()
    }

    /// Sets what makes lines, and what is called after movement: with true if the reader
    /// scrolled, false if heights changed.
    pub fn connect(&self, make: Make, moved: Moved) {
        self.0.make.replace(Some(make));
        self.0.moved.replace(Some(moved));
        let weak = Rc::downgrade(&self.0);
        // The listener lives as long as the owner, like everything that `on` adds.
        let _ = self.place().on("scroll", move |_| with(&weak, Inner::scrolled));
        let weak = Rc::downgrade(&self.0);
        let resized = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries| {
            with(&weak, |inner| inner.resized(&entries));
        });
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(self.0.element());
            self.0.observer.replace(Some((observer, resized)));
        }
        let list = StoredValue::new_local(self.clone());
        on_cleanup(move || {
            list.try_with_value(|list| {
                if let Some((observer, _)) = list.0.observer.take() {
                    observer.disconnect();
                }
                // A line's effects stop with its owner.
                list.0.shown.take();
            });
        });
    }

    /// Sets the lines by their names, with an estimate of each height in pixels. What
    /// was on screen stays there.
    pub fn set(&self, names: Vec<u64>, estimate: &dyn Fn(usize) -> f64) {
        self.0.set(names, estimate);
    }

    /// Scrolls so that a place (a line with a fraction) is on the reading line.
    pub fn scroll_to(&self, at: f64) {
        let top = self.0.heights.borrow().top_for(at, self.0.viewport.get());
        self.0.scroll(top);
    }

    /// The place on the reading line.
    pub fn at(&self) -> f64 {
        self.0.heights.borrow().reading(self.0.top(), self.0.viewport.get())
    }

    /// Pixels below the viewport.
    pub fn left_below(&self) -> f64 {
        (self.0.heights.borrow().total() - self.0.viewport.get() - self.0.top()).max(0.0)
    }

    /// Scrolls to the end.
    pub fn to_end(&self) {
        let total = self.0.heights.borrow().total();
        self.0.scroll((total - self.0.viewport.get()).max(0.0));
    }

    /// Scrolls a line into view and gives it the focus.
    pub fn focus(&self, nth: usize) {
        let inner = &self.0;
        if nth >= inner.names.borrow().len() {
            return;
        }
        let (top, height) = {
            let heights = inner.heights.borrow();
            (heights.before(nth), heights.get(nth))
        };
        let (now, viewport) = (inner.top(), inner.viewport.get());
        if top < now || top + height.min(viewport) > now + viewport {
            inner.scroll((top - 12.0).max(0.0));
        }
        let name = inner.names.borrow().get(nth).copied();
        let shown = inner.shown.borrow();
        let line = name.and_then(|name| shown.get(&name)).map(|shown| shown.element.clone());
        drop(shown);
        if let Some(line) = line.and_then(|line| line.dyn_into::<HtmlElement>().ok()) {
            // A focus that fails leaves the focus where it is, which is no harm.
            let _ = line.focus();
        }
    }

    /// Removes a line's element, so that it is made anew with the next rendering.
    pub fn forget(&self, name: u64) {
        let gone = self.0.shown.borrow_mut().remove(&name);
        if let Some(gone) = gone {
            self.0.observing(|observer| observer.unobserve(&gone.element));
            gone.element.remove();
            gone.owner.cleanup();
        }
    }

    /// Gives the focus back to the first button of a line that was made anew.
    pub fn press_again(&self, nth: usize) {
        let name = self.0.names.borrow().get(nth).copied();
        let line = name.and_then(|name| self.0.shown.borrow().get(&name).map(|shown| shown.element.clone()));
        let button = line.and_then(|line| line.query_selector("button").ok().flatten());
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            // A focus that fails does no harm.
            let _ = button.focus();
        }
    }

    /// Gives the list itself the focus.
    pub fn take_focus(&self) {
        if let Some(element) = self.0.element().dyn_ref::<HtmlElement>() {
            // A focus that fails does no harm.
            let _ = element.focus();
        }
    }
}

fn with(inner: &Weak<Inner>, run: impl FnOnce(&Inner)) {
    if let Some(inner) = inner.upgrade() {
        run(&inner);
    }
}

impl Inner {
    fn element(&self) -> &Element {
        self.scroller.element()
    }

    fn top(&self) -> f64 {
        f64::from(self.element().scroll_top())
    }

    fn report_scroll(&self, by_reader: bool) {
        if let Some(moved) = self.moved.borrow().as_ref() {
            moved(by_reader);
        }
    }

    fn scrolled(&self) {
        // The event comes a frame later. By then the list may have lost its layout.
        if self.element().client_height() == 0 {
            return;
        }
        let top = self.top();
        let own = (top - self.own.get()).abs() < 2.0;
        self.choose(top);
        if !own {
            self.own.set(-1.0);
            self.report_scroll(true);
        }
    }

    fn scroll(&self, top: f64) {
        self.choose(top);
        let whole = top.round();
        if (self.top() - whole).abs() >= 1.0 {
            self.own.set(whole);
            self.element().set_scroll_top(whole as i32);
        }
    }

    fn set(&self, names: Vec<u64>, estimate: &dyn Fn(usize) -> f64) {
        let top = self.top();
        let anchor = {
            let heights = self.heights.borrow();
            let row = heights.row_at(top);
            self.names.borrow().get(row).map(|name| (*name, top - heights.before(row)))
        };
        let known = self.known.borrow();
        let height = |(nth, name): (usize, &u64)| known.get(name).copied().unwrap_or_else(|| estimate(nth));
        let grown = names.starts_with(&self.names.borrow());
        let top = {
            let mut heights = self.heights.borrow_mut();
            if !grown {
                *heights = Heights::default();
            }
            for line in names.iter().enumerate().skip(heights.len()) {
                heights.push(height(line));
            }
            let place = anchor.filter(|_| !grown).and_then(|(name, within)| {
                let nth = names.iter().position(|other| *other == name)?;
                Some(heights.before(nth) + within)
            });
            place.unwrap_or(top)
        };
        drop(known);
        self.names.replace(names);
        self.scroll(top);
    }

    /// Puts the lines near the viewport into the document, and takes the others out.
    fn choose(&self, top: f64) {
        let (first, last, above, below) = {
            let heights = self.heights.borrow();
            let (first, last) = heights.window(top, self.viewport.get(), MARGIN);
            (first, last, heights.before(first), heights.total() - heights.before(last))
        };
        let names = self.names.borrow().get(first..last).map(<[u64]>::to_vec).unwrap_or_default();
        let focused = |element: &Element| element.matches(":focus-within").unwrap_or(false);
        let gone =
            |(name, shown): (&u64, &Shown)| (!names.contains(name)).then(|| (*name, shown.element.clone()));
        let gone: Vec<_> = self.shown.borrow().iter().filter_map(gone).collect();
        for (name, element) in gone {
            // Keys then go on from the list, and not from the page's start.
            if focused(&element)
                && let Some(list) = self.element().dyn_ref::<HtmlElement>()
            {
                let _ = list.focus();
            }
            element.remove();
            if let Some(shown) = self.shown.borrow_mut().remove(&name) {
                self.observing(|observer| observer.unobserve(&shown.element));
                shown.owner.cleanup();
            }
        }
        let mut next = self.above.element().next_element_sibling();
        for (nth, name) in (first..last).zip(names) {
            let Some(element) = self.line(nth, name) else { continue };
            if next.as_ref() == Some(&element) {
                next = element.next_element_sibling();
            } else {
                // The next line is a child of the list, or there is none: this can't fail.
                let _ = self.element().insert_before(&element, next.as_deref());
            }
        }
        space(&self.above, above);
        space(&self.below, below);
    }

    fn line(&self, nth: usize, name: u64) -> Option<Element> {
        if let Some(shown) = self.shown.borrow_mut().get_mut(&name) {
            if shown.nth != nth {
                shown.nth = nth;
                number(&shown.element, nth);
            }
            return Some(shown.element.clone());
        }
        let owner = alone();
        let make = self.make.borrow();
        let element = owner.with(|| untrack(|| make.as_ref().and_then(|make| make(nth))))?.element().clone();
        number(&element, nth);
        self.observing(|observer| observer.observe(&element));
        self.shown.borrow_mut().insert(name, Shown { owner, element: element.clone(), nth });
        Some(element)
    }

    fn observing(&self, act: impl FnOnce(&ResizeObserver)) {
        if let Some((observer, _)) = self.observer.borrow().as_ref() {
            act(observer);
        }
    }

    fn resized(&self, entries: &js_sys::Array) {
        let top = self.top();
        let mut moved = 0.0;
        for entry in entries.iter() {
            let entry: ResizeObserverEntry = entry.unchecked_into();
            let target = entry.target();
            let height = target.get_bounding_client_rect().height();
            if target == *self.element() {
                self.viewport.set(f64::from(self.element().client_height()));
                continue;
            }
            let nth = target.get_attribute("data-line").and_then(|nth| nth.parse::<usize>().ok());
            let name = nth.and_then(|nth| self.names.borrow().get(nth).copied());
            if let (Some(nth), Some(name)) = (nth, name) {
                self.known.borrow_mut().insert(name, height);
                let mut heights = self.heights.borrow_mut();
                let above = heights.before(nth) + heights.get(nth) <= top;
                let growth = heights.set(nth, height);
                moved += if above { growth } else { 0.0 };
            }
        }
        self.scroll(top + moved);
        self.report_scroll(false);
    }
}

fn number(element: &Element, nth: usize) {
    // Fails for invalid names only.
    let _ = element.set_attribute("data-line", &nth.to_string());
}

fn space(spacer: &El, height: f64) {
    if let Some(spacer) = spacer.element().dyn_ref::<HtmlElement>() {
        // Fails for invalid values only.
        let _ = spacer.style().set_property("block-size", &format!("{}px", height.round() as i64));
    }
}
