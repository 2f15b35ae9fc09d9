//! What people see: DOM elements over the store, a few Leptos components around them, and plain DOM where
//! things change fast. HTML is never made from strings.

pub mod board;
pub mod composer;
pub mod elements;
pub mod event_log;
pub mod lazy;
pub mod lens;
pub mod message;
pub mod panel;
pub mod requests;
pub mod search;
pub mod shell;
pub mod timeline;
pub mod tools;
