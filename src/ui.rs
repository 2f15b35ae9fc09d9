//! What people see: elements over the store, few Leptos components around them, and plain DOM leaves for what changes
//! fast. Refuses carriers, JavaScript hosts, and HTML made of strings.

pub mod app;
pub mod beside;
pub mod built;
pub mod clock;
pub mod copy;
pub mod custom;
pub mod desk;
pub mod diff_view;
pub mod dom;
pub mod entry;
pub mod icons;
pub mod keys;
pub mod lane;
pub mod lazy;
pub mod lens;
pub mod memory;
pub mod message;
pub mod notice;
pub mod panel;
pub mod prose;
pub mod requests;
pub mod side;
pub mod states;
pub mod status_bar;
pub mod styles;
pub mod terminal;
pub mod text;
pub mod timeline;
pub mod tool_body;
pub mod tool_card;
pub mod tool_words;
pub mod toolbar;
pub mod tree;
pub mod window;
