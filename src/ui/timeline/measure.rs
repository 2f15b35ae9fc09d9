//! Measures the rows, with one `ResizeObserver` for all of them.

use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};

use super::scroller::Scroll;

/// The observer and its callback; disconnected when the list is dropped.
pub(super) struct Observer {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut(js_sys::Array)>,
}

impl Observer {
    pub(super) fn new(observer: ResizeObserver, callback: Closure<dyn FnMut(js_sys::Array)>) -> Self {
        Self { observer, _callback: callback }
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// The handle with which rows register.
#[derive(Clone, Copy)]
pub struct Measure {
    scroll: StoredValue<Scroll, LocalStorage>,
}

impl Measure {
    pub(super) fn new(scroll: StoredValue<Scroll, LocalStorage>) -> Self {
        Self { scroll }
    }

    /// Starts to measure an element.
    pub fn observe(&self, element: &Element) {
        self.scroll.try_with_value(|scroll| {
            if let Some(observer) = &scroll.observer {
                observer.observer.observe(element);
            }
        });
    }

    /// Stops measuring an element.
    pub fn unobserve(&self, element: &Element) {
        self.scroll.try_with_value(|scroll| {
            if let Some(observer) = &scroll.observer {
                observer.observer.unobserve(element);
            }
        });
    }
}
