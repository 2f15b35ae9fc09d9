//! Search, filter, export, copy and help: what comes in the chunk `find`, when it is first asked for. Refuses to know
//! when that is.

mod away;
pub mod bar;
pub mod copy;
mod filter;
pub mod help;
mod marks;
mod places;
mod save;
mod seek;
