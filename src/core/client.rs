//! What a page does about its session, as data: time, input and answers come in, and what to do comes out.

mod announcements;
pub mod connection;
mod permission_checks;
mod request_error;

pub use announcements::{Announcement, Announcements, Next, Topic};
pub use connection::Connection;
pub use permission_checks::{Asked, Findings, PermissionChecks};
pub use request_error::RequestError;
