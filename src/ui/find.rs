//! The chunk `find`, loaded on first use: search, filter, export, copy and help.

mod away;
pub mod bar;
pub mod copy;
mod filter;
pub mod help;
mod marks;
mod places;
mod save;
mod seek;
