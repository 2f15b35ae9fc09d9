//! What a page does about its session, as data: time and answers come in, and what to do comes out.

mod permission_checks;

pub use permission_checks::{Asked, Findings, PermissionChecks};
