//! Building blocks that views share: the element builder, lists, icons, styles, selecting, copying, printing.

mod browser_only;
pub mod builder;
pub mod copy_button;
pub mod events;
pub mod exact;
pub mod flash;
pub mod focus;
pub mod focus_ring;
pub mod frame;
pub mod icon_button;

pub mod into_view;
pub mod json_tree;
pub mod keyed_list;
pub mod live;
pub mod live_text;
pub(crate) mod long_text;
pub mod page_area;
pub mod page_policy;
pub mod page_visibility;
pub mod press_guard;
pub mod print;
pub mod reactive;
pub mod selection;
pub mod styles;
pub mod width;
pub mod windowed_list;
