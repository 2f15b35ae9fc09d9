//! The browser's side without views: transports, the controller of a session, and the store that views
//! subscribe to.

pub mod announcer;
pub mod attention;
pub mod controller;
mod effect_queue;
pub mod js;
pub mod live_board;
pub mod live_session;
mod next_frame;
mod page;
mod pending;
pub mod printing;
pub mod storage;
pub mod store;
mod timers;
pub mod transport;
pub mod yield_to_browser;
