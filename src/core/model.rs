//! What is known of a session: its entries, tool calls, requests, queue, what the model sees, usage; and of many sessions, the
//! board.

pub mod agent_option;
pub mod agents;
pub mod answer;
pub mod board;
pub mod custom;
pub mod entry;
pub mod health;
pub mod machines;
pub mod model_context;
pub mod outbox;
pub(crate) mod platform_chat;
pub mod queue;
pub mod reference;
pub mod request;
pub mod shared_map;
pub mod state;
pub mod telemetry;
pub mod tool_call;
pub mod usage;
pub mod watchers;
pub mod work;
pub mod writers;
