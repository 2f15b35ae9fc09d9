//! What other pages use: the custom elements and the JavaScript `Session`.

mod board;
mod element;
mod fault;
mod host_options;
mod js_session;
mod js_values;
mod start;

pub use element::define_elements;
pub use js_session::Session;
pub use start::{ready, start};
