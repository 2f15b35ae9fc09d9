//! What is in each chunk of the program, and where the program is split.
//!
//! With the feature `split` the linker's output is split at the functions marked with `wasm_split`: what only they
//! reach comes in a file of its own, over the same memory, when it is first needed. Without the feature (`trunk serve`,
//! `cargo xtask serve`, tests) everything is in one file.

#![cfg_attr(
    feature = "split",
    allow(
        unsafe_code,
        reason = "wasm_split declares the functions at which the wasm is cut as imports and exports"
    )
)]
#![allow(clippy::unnecessary_wraps, reason = "the macro adds the failing: a chunk may not come")]

use leptos::prelude::*;
#[cfg(feature = "split")]
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::composer;
use super::elements::selection::selection_copied;
use super::elements::styles;
use super::elements::styles::{CONTENTS, Rules};
use super::lazy::{
    self, AttentionTable, ComposerTable, DetailsTable, DiffsTable, EditsTable, EventLogTable, LensTable,
    Loading, PanelTable, RequestsTable, SearchTable, Table, ToolsTable, WordsTable,
};
use super::lens;
use super::message::markdown::{Prose, exact};
use super::requests::{QUESTIONS, Questions, question_card, request_card, waiting};
use super::search::{bar, copy_entry, help_sheet};
use super::shell::app::announce_events;
use super::shell::health::health;
use super::shell::locale;
use super::shell::sign_in::sign_in;
use super::shell::states::{GATEWAY, GatewayTable};
use super::shell::watchers::watchers;
use super::shell::{close_gesture, keyboard};
use super::shortcuts::press;
use super::timeline::actions::actions;
use super::timeline::notice::{facts, line};
use super::timeline::parallel_calls::parallel_calls;
use super::tools::tool_body::{edit_body, tool_body, whole_diff};
use crate::client::announcer::announce_outcome;
use crate::core::i18n::{Language, own};
use crate::core::styles as sheets;
use crate::core::view_model::{notifications, search_hits, tool_details};

#[cfg(not(feature = "split"))]
type SplitLoaderError = std::convert::Infallible;

/// The chunk of one of the functions below.
#[cfg(feature = "split")]
macro_rules! loading {
    ($load:ident) => {
        Loading::Fetching(Box::pin(async { $load().await.map_err(|_| lazy::NotLoaded) }))
    };
}

#[cfg(not(feature = "split"))]
macro_rules! loading {
    ($load:ident) => {
        match $load() {
            Ok(table) => Loading::Loaded(table),
        }
    };
}

#[cfg_attr(feature = "split", wasm_split(words, fallible))]
fn load_words() -> Result<Table, SplitLoaderError> {
    static WORDS: WordsTable =
        WordsTable { prose: |document, host, source| Box::new(Prose::of(document, host, source)), exact };
    styles::add(&CONTENT);
    Ok(&WORDS)
}

#[cfg_attr(feature = "split", wasm_split(details, fallible))]
fn load_details() -> Result<Table, SplitLoaderError> {
    static DETAILS: DetailsTable = DetailsTable {
        line,
        parallel_calls,
        actions,
        found: search_hits::found,
        written: tool_details::partial_call,
        press,
        copied: |store, page| {
            selection_copied(page, |words| announce_outcome(store.view_state.announcement, words));
        },
    };
    styles::add(&CONTENT);
    Ok(&DETAILS)
}

#[cfg_attr(feature = "split", wasm_split(gateway, fallible))]
fn load_gateway() -> Result<Table, SplitLoaderError> {
    static GATEWAY: GatewayTable = GatewayTable { sign_in, health, watchers };
    styles::add(&CONTENT);
    Ok(&GATEWAY)
}

#[cfg_attr(feature = "split", wasm_split(attention, fallible))]
fn load_attention() -> Result<Table, SplitLoaderError> {
    static ATTENTION: AttentionTable = AttentionTable {
        attend: |page, store| {
            super::panel::attach_page_features(page, store);
            keyboard::follow(page);
            close_gesture::follow(page, store);
        },
        announce: announce_events,
    };
    styles::add(&[(17, sheets::ATTENTION)]);
    Ok(&ATTENTION)
}

#[cfg_attr(feature = "split", wasm_split(requests, fallible))]
fn load_requests() -> Result<Table, SplitLoaderError> {
    static REQUESTS: RequestsTable = RequestsTable { request: request_card };
    styles::add(&CONTENT);
    styles::add(&[REQUEST_CARDS]);
    Ok(&REQUESTS)
}

#[cfg_attr(feature = "split", wasm_split(questions, fallible))]
fn load_questions() -> Result<Table, SplitLoaderError> {
    static QUESTIONS: Questions = Questions { card: question_card, waiting };
    styles::add(&CONTENT);
    styles::add(&[REQUEST_CARDS]);
    Ok(&QUESTIONS)
}

#[cfg_attr(feature = "split", wasm_split(tools, fallible))]
fn load_tools() -> Result<Table, SplitLoaderError> {
    static TOOLS: ToolsTable = ToolsTable { facts, tool_body };
    styles::add(&CONTENT);
    Ok(&TOOLS)
}

#[cfg_attr(feature = "split", wasm_split(edits, fallible))]
fn load_edits() -> Result<Table, SplitLoaderError> {
    static EDITS: EditsTable = EditsTable { summary: tool_details::edit };
    Ok(&EDITS)
}

#[cfg_attr(feature = "split", wasm_split(diffs, fallible))]
fn load_diffs() -> Result<Table, SplitLoaderError> {
    static DIFFS: DiffsTable = DiffsTable { edit_body, whole_diff };
    styles::add(&CONTENT);
    Ok(&DIFFS)
}

#[cfg_attr(feature = "split", wasm_split(panel, fallible))]
fn load_panel() -> Result<Table, SplitLoaderError> {
    static PANEL: PanelTable = PanelTable { view: super::panel::panel, facts: notifications::facts };
    styles::add(&[CONTENTS, (11, sheets::PANEL)]);
    Ok(&PANEL)
}

#[cfg_attr(feature = "split", wasm_split(composer, fallible))]
fn load_composer() -> Result<Table, SplitLoaderError> {
    static STEER: ComposerTable = ComposerTable { composer: composer::composer };
    styles::add(&[CONTENTS, (16, sheets::COMPOSER)]);
    Ok(&STEER)
}

#[cfg_attr(feature = "split", wasm_split(composer_actions, fallible))]
fn load_composer_actions() -> Result<Table, SplitLoaderError> {
    styles::add(&[(18, sheets::COMPOSER_ACTIONS)]);
    Ok(&composer::ACTIONS_TABLE)
}

#[cfg_attr(feature = "split", wasm_split(lens, fallible))]
fn load_lens() -> Result<Table, SplitLoaderError> {
    static LENS: LensTable = LensTable { panel: lens::panel, mark: lens::mark };
    styles::add(&[CONTENTS, (12, sheets::LENS)]);
    Ok(&LENS)
}

#[cfg_attr(feature = "split", wasm_split(search, fallible))]
fn load_search() -> Result<Table, SplitLoaderError> {
    static SEARCH: SearchTable =
        SearchTable { bar: bar::bar, help: help_sheet::help, copy: copy_entry::copy };
    styles::add(&[CONTENTS, (13, sheets::SEARCH)]);
    Ok(&SEARCH)
}

#[cfg_attr(feature = "split", wasm_split(event_log, fallible))]
fn load_event_log() -> Result<Table, SplitLoaderError> {
    use super::event_log;
    static EVENT_LOG: EventLogTable = EventLogTable {
        events: event_log::event_log,
        inspector: event_log::inspector,
        travel: event_log::travel_bar,
        strip: event_log::strip,
        picker: event_log::file_button,
        attend: event_log::attach_page_features,
    };
    styles::add(&[CONTENTS, (15, sheets::EVENT_LOG)]);
    Ok(&EVENT_LOG)
}

#[cfg_attr(feature = "split", wasm_split(german, fallible))]
fn load_german() -> Result<Table, SplitLoaderError> {
    Ok(&locale::GERMAN)
}

#[cfg_attr(feature = "split", wasm_split(japanese, fallible))]
fn load_japanese() -> Result<Table, SplitLoaderError> {
    Ok(&locale::JAPANESE)
}

#[cfg_attr(feature = "split", wasm_split(arabic, fallible))]
fn load_arabic() -> Result<Table, SplitLoaderError> {
    Ok(&locale::ARABIC)
}

#[cfg_attr(feature = "split", wasm_split(own_words, fallible))]
fn load_own_words() -> Result<Table, SplitLoaderError> {
    static REPLACE: ReplaceWords = own::with_own_messages;
    Ok(&REPLACE)
}

/// Makes a language that has a host's words.
type ReplaceWords = fn(Option<&'static Language>, &[(String, String)]) -> (Language, Vec<String>);

/// A language with a host's words in it, and what is wrong with some; see [`own::with_own_messages`]. Fails if the code for it did not
/// come.
pub async fn replaced(
    language: Option<&'static Language>,
    files: &[(String, String)],
) -> Result<(Language, Vec<String>), lazy::NotLoaded> {
    let table = loading!(load_own_words).table().await?;
    let replace: &ReplaceWords = table.downcast_ref().ok_or(lazy::NotLoaded)?;
    Ok(replace(language, files))
}

/// The texts of a language. `None` for English, which is in the first file, for languages that are not supported, and where
/// the file did not come.
pub async fn language(tag: &str) -> Option<&'static Language> {
    let loading = match tag {
        "de" => loading!(load_german),
        "ja" => loading!(load_japanese),
        "ar" => loading!(load_arabic),
        _ => return None,
    };
    loading.table().await.ok()?.downcast_ref()
}

/// Tells [`lazy`](mod@lazy) how each chunk is fetched. To be called before the first view is made.
pub fn register() {
    lazy::WORDS.register(|| loading!(load_words));
    lazy::DETAILS.register(|| loading!(load_details));
    GATEWAY.register(|| loading!(load_gateway));
    lazy::ATTENTION.register(|| loading!(load_attention));
    lazy::REQUESTS.register(|| loading!(load_requests));
    QUESTIONS.register(|| loading!(load_questions));
    lazy::TOOLS.register(|| loading!(load_tools));
    lazy::EDITS.register(|| loading!(load_edits));
    lazy::DIFFS.register(|| loading!(load_diffs));
    lazy::PANEL.register(|| loading!(load_panel));
    lazy::COMPOSER.register(|| loading!(load_composer));
    composer::ACTIONS.register(|| loading!(load_composer_actions));
    lazy::LENS.register(|| loading!(load_lens));
    lazy::SEARCH.register(|| loading!(load_search));
    lazy::EVENT_LOG.register(|| loading!(load_event_log));
}

/// Fetches what every session needs and the cards of permissions while the connection is made, and then Markdown: whoever is
/// asked must be able to read and answer, even if the connection has become bad meanwhile. Not where the browser says that
/// the connection is slow or that data is to be saved: there each chunk is fetched when it is needed.
pub fn fetch_ahead() {
    if lazy::saves_data() {
        return;
    }
    // The views that need them ask again.
    untrack(|| _ = (lazy::DETAILS.ready(), lazy::REQUESTS.ready(), lazy::WORDS.ready()));
}

/// The rules of what messages and cards contain. The chunks that draw these bring all of them.
const CONTENT: [Rules; 6] = [
    CONTENTS,
    (4, sheets::PROSE),
    (5, sheets::TOOLS),
    (6, sheets::PROSE_PARTS),
    (8, sheets::CARDS),
    (14, sheets::ACTIONS),
];
const REQUEST_CARDS: Rules = (7, sheets::REQUESTS);
