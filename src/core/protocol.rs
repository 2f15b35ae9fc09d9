//! The vocabulary of the wire: kinds of events, requests and their answers, commands and errors.

pub mod call;
pub mod catalogue;
pub mod command_notice;
pub mod error;
pub mod event_kind;
#[cfg(not(target_arch = "wasm32"))]
pub mod events_page;
pub mod form;
pub mod request;

pub use error::ErrorReason;
pub use event_kind::EventKind;
pub use request::RequestKind;
