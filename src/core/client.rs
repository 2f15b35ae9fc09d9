//! What a page does about its session, as data: time and answers come in, and what to do comes out.

mod announcements;
mod permission_checks;

pub use announcements::{Announcement, Announcements, Next, Topic};
pub use permission_checks::{Asked, Findings, PermissionChecks};
