//! The browser's side without views: carriers, timers, storage, and the controllers that carry out what the core decides.

pub mod account;
pub mod announcer;
pub mod attention;
pub mod controller;
pub mod drafts;
mod effect_queue;
pub mod js;
pub mod live_board;
pub mod live_session;
mod next_frame;
mod page;
mod pending;
pub mod storage;
mod timers;
pub mod transport;
pub mod yield_to_browser;
