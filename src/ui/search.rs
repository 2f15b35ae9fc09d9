//! The chunk `find`, loaded on first use: search, filter, export, copy and help.

pub mod bar;
pub mod copy_entry;
mod export_menu;
mod filter;
pub mod help_sheet;
mod highlights;
mod offscreen_matches;
mod ranges;
mod survey;
