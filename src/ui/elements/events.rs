//! Listeners that are removed with the owner under which they were added.

use gloo_events::{EventListener, EventListenerOptions};
use web_sys::{Element, Event};

use super::reactive::keep_with_owner;

/// Adds a listener that is removed with the current owner, and that may prevent what the browser does by itself.
// With a boxed closure: compiled once, not once per closure.
pub fn listen(element: &Element, event: &'static str, handler: Box<dyn FnMut(&Event)>) {
    let options = EventListenerOptions::enable_prevent_default();
    keep_with_owner(EventListener::new_with_options(element, event, options, handler));
}
