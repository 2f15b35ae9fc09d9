//! What views show, derived from the model without a browser: rows, sentences about tool calls, requests and their risks, the
//! status line, the lens, the panel, search, snapshots.

pub mod agent_name;
pub mod approval;
pub mod asked;
pub mod board_row;
pub mod board_summary;
pub mod compose;
pub mod diff_parts;
pub mod entry_words;
pub mod heights;
pub mod icon;
pub mod interrupted_turn;
pub mod lens;
pub mod long_text;
pub mod message_words;
pub mod notice_words;
pub mod notifications;
pub mod outline;
pub mod panel;
pub mod permission_card;
pub mod picture;
pub mod read_through;
pub mod risk;
pub mod row_height;
pub mod rows;
pub mod search;
pub mod search_hits;
pub mod settled_request;
pub mod side_by_side;
pub mod snapshot;
pub mod status_line;
pub mod summary_line;
pub mod timeline_row;
pub mod tool_details;
pub mod tool_summary;
pub mod windowed_list;
