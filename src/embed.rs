//! The way into other people's pages: custom elements and the JavaScript `Session`. Refuses to hold state.

mod board;
mod element;
mod js_session;
mod js_values;
mod start;

pub use element::define_elements;
pub use js_session::Session;
pub use start::{ready, start};
