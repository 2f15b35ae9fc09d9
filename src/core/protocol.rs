//! The vocabulary of the wire: kinds of events, requests and their answers, commands and errors.

pub mod call;
pub mod catalogue;
pub mod command_notice;
pub mod error;
pub mod event_kind;
pub mod form;
pub mod request;

pub use error::ErrorReason;
pub use event_kind::EventKind;
pub use request::RequestKind;
