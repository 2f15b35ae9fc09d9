//! What people see, as Leptos components. Take all of a session's page or single parts, and lay them out yourself:
//!
//! ```
//! use leptos::prelude::*;
//! use pilothouse::ui::{Composer, EntryHandle, RequestCard, SessionProvider, StatusBar, Timeline, ToolBody, use_session};
//!
//! #[component]
//! fn Agent() -> impl IntoView {
//!     view! {
//!         <SessionProvider src="http://127.0.0.1:7878/">
//!             <StatusBar/>
//!             <main style="block-size: 70vh">
//!                 <Timeline requests_elsewhere=true>
//!                     <ToolBody slot name="tide_table" let:call>
//!                         <TideTable call/>
//!                     </ToolBody>
//!                 </Timeline>
//!             </main>
//!             <Asked/>
//!             <Composer/>
//!         </SessionProvider>
//!     }
//! }
//!
//! #[component]
//! fn TideTable(call: EntryHandle) -> impl IntoView {
//!     view! { <pre>{move || call.result()}</pre> }
//! }
//!
//! #[component]
//! fn Asked() -> impl IntoView {
//!     let store = use_session().store();
//!     view! {
//!         <For each=move || store.open_requests() key=String::clone let:id>
//!             <RequestCard id/>
//!         </For>
//!     }
//! }
//! ```
//!
//! [`SessionProvider`] connects and provides the session. Parts of a page ([`Timeline`], [`Composer`], [`Panel`], …) find
//! it by context, and bring their styles in a shadow root. Parts of a timeline ([`ToolCard`], [`Notice`], …) stand in it,
//! or in [`Framed`]. Parts of a composer ([`ComposerInput`], [`ComposerSend`], [`QueueList`], …) stand in a [`Composer`].
//! The slots [`ToolBody`], [`MessageActions`], [`RequestSubject`], [`NoticeBody`] and [`EmptyState`] take a host's own
//! views. [`BoardProvider`] and [`Board`] show all sessions of a gateway. `examples/leptos` is a page like that.
//!
//! Inside, elements come from the builder in [`elements`], and plain DOM code shows what changes fast
//! (`docs/design/rendering.md`). HTML is never made from strings.

#![allow(clippy::needless_pass_by_value, reason = "a component owns its props")]

pub mod board;
pub mod board_provider;
pub mod chunks;
pub mod composer;
pub mod elements;
pub mod event_log;
pub mod host_options;
pub mod lazy;
pub mod lens;
pub mod message;
pub mod panel;
pub mod renderers;
pub mod requests;
pub mod search;
pub mod session;
pub mod session_provider;
pub mod shell;
pub mod shortcuts;
pub mod slots;
pub mod timeline;
pub mod tools;

// A component and its props, which `view!` needs beside it.
pub use crate::store::{EntryHandle, Store};
pub use board::tile::{BoardTile, BoardTileProps};
pub use board::{Board, BoardContext, BoardProps};
pub use board_provider::{BoardProvider, BoardProviderProps};
pub use composer::{
    Composer, ComposerInput, ComposerInputProps, ComposerNotes, ComposerOptions, ComposerProps, ComposerSend,
    ComposerSuggestions, QueueList,
};
pub use lens::ModelLens;
pub use message::{
    AssistantMessage, AssistantMessageProps, Reasoning, ReasoningProps, UserMessage, UserMessageProps,
};
pub use panel::{PanelSection, PanelSectionProps};
pub use requests::{
    ConfirmationCard, ConfirmationCardProps, FormCard, FormCardProps, PermissionCard, PermissionCardProps,
    PlanCard, PlanCardProps, QuestionCard, QuestionCardProps, RequestCard, RequestCardProps, WaitingList,
};
pub use search::{HelpSheet, SearchBar};
pub use session::{Framed, FramedProps, SessionContext, use_session};
pub use session_provider::{SessionProvider, SessionProviderProps};
pub use shell::app::{Announcer, App, AppProps};
pub use shell::side_views::{
    ElsewhereStrip, EventLog, Inspector, InspectorProps, Panel, SideView, TimeTravelBar,
};
pub use shell::states::{ConnectionStrip, EmptyScreen, GatewayStrip};
pub use shell::status_bar::StatusBar;
pub use slots::{EmptyState, EntryView, MessageActions, NoticeBody, RequestSubject, ToolBody};
pub use timeline::lane::{SubagentLane, SubagentLaneProps};
pub use timeline::notice::{Milestone, MilestoneProps, Notice, NoticeProps};
pub use timeline::{Timeline, TimelineProps};
pub use tools::tool_card::{ToolCard, ToolCardProps};
