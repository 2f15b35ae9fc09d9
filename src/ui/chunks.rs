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
use wasm_bindgen_futures::spawn_local;
#[cfg(feature = "split")]
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::elements::styles;
use super::elements::styles::{CONTENTS, Rules, sheet};
use super::lazy::{
    self, Attention, Composer, Details, Edits, EventLog, Lens, Loading, Panel, Priority, Requests, Search,
    Tools, Words,
};
use super::lens;
use super::message::markdown::{Prose, exact};
use super::requests::{QUESTIONS, Questions, question_card, request_card, waiting};
use super::search::{bar, copy_entry, help_sheet};
use super::shell::app::announce_events;
use super::shell::health::health;
use super::shell::keyboard;
use super::shell::locale;
use super::shell::sign_in::sign_in;
use super::shell::states::{GATEWAY, Gateway};
use super::shortcuts::press;
use super::timeline::actions::actions;
use super::timeline::notice::{facts, line};
use super::timeline::parallel_calls::parallel_calls;
use super::tools::tool_body::{edit_body, found_in_short, tool_body, written_so_far};
use crate::core::i18n::{Language, own};
use crate::core::view_model::tool_details;

#[cfg(not(feature = "split"))]
type SplitLoaderError = std::convert::Infallible;

/// The chunk of one of the functions below.
#[cfg(feature = "split")]
macro_rules! loading {
    ($load:ident) => {
        Loading::Coming(Box::pin(async { $load().await.map_err(|_| lazy::NotLoaded) }))
    };
}

#[cfg(not(feature = "split"))]
macro_rules! loading {
    ($load:ident) => {
        match $load() {
            Ok(table) => Loading::Here(table),
        }
    };
}

#[cfg_attr(feature = "split", wasm_split(words, fallible))]
fn load_words() -> Result<&'static Words, SplitLoaderError> {
    Ok(words_table())
}

#[cfg_attr(feature = "split", wasm_split(details, fallible))]
fn load_details() -> Result<&'static Details, SplitLoaderError> {
    Ok(details_table())
}

#[cfg_attr(feature = "split", wasm_split(gateway, fallible))]
fn load_gateway() -> Result<&'static Gateway, SplitLoaderError> {
    Ok(gateway_table())
}

#[cfg_attr(feature = "split", wasm_split(attention, fallible))]
fn load_attention() -> Result<&'static Attention, SplitLoaderError> {
    Ok(attention_table())
}

#[cfg_attr(feature = "split", wasm_split(requests, fallible))]
fn load_requests() -> Result<&'static Requests, SplitLoaderError> {
    Ok(requests_table())
}

#[cfg_attr(feature = "split", wasm_split(questions, fallible))]
fn load_questions() -> Result<&'static Questions, SplitLoaderError> {
    Ok(questions_table())
}

#[cfg_attr(feature = "split", wasm_split(tools, fallible))]
fn load_tools() -> Result<&'static Tools, SplitLoaderError> {
    Ok(tools_table())
}

#[cfg_attr(feature = "split", wasm_split(edits, fallible))]
fn load_edits() -> Result<&'static Edits, SplitLoaderError> {
    Ok(edits_table())
}

#[cfg_attr(feature = "split", wasm_split(panel, fallible))]
fn load_panel() -> Result<&'static Panel, SplitLoaderError> {
    Ok(panel_table())
}

#[cfg_attr(feature = "split", wasm_split(composer, fallible))]
fn load_composer() -> Result<&'static Composer, SplitLoaderError> {
    Ok(composer_table())
}

#[cfg_attr(feature = "split", wasm_split(lens, fallible))]
fn load_lens() -> Result<&'static Lens, SplitLoaderError> {
    Ok(lens_table())
}

#[cfg_attr(feature = "split", wasm_split(search, fallible))]
fn load_search() -> Result<&'static Search, SplitLoaderError> {
    Ok(search_table())
}

#[cfg_attr(feature = "split", wasm_split(event_log, fallible))]
fn load_event_log() -> Result<&'static EventLog, SplitLoaderError> {
    Ok(event_log_table())
}

#[cfg_attr(feature = "split", wasm_split(german, fallible))]
fn load_german() -> Result<&'static Language, SplitLoaderError> {
    Ok(german())
}

#[cfg_attr(feature = "split", wasm_split(japanese, fallible))]
fn load_japanese() -> Result<&'static Language, SplitLoaderError> {
    Ok(japanese())
}

#[cfg_attr(feature = "split", wasm_split(arabic, fallible))]
fn load_arabic() -> Result<&'static Language, SplitLoaderError> {
    Ok(arabic())
}

#[cfg_attr(feature = "split", wasm_split(own_words, fallible))]
fn load_own_words() -> Result<&'static ReplaceWords, SplitLoaderError> {
    Ok(own_words_table())
}

/// Makes a language that has a host's words.
type ReplaceWords = fn(Option<&'static Language>, &[(String, String)]) -> (Language, Vec<String>);

/// A language with a host's words in it, and what is wrong with some; see [`own::replaced`]. Fails if the code for it did not
/// come.
pub async fn replaced(
    language: Option<&'static Language>,
    files: &[(String, String)],
) -> Result<(Language, Vec<String>), lazy::NotLoaded> {
    let replace = match loading!(load_own_words) {
        Loading::Here(replace) => replace,
        Loading::Coming(replace) => replace.await?,
    };
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
    match loading {
        Loading::Here(language) => Some(language),
        Loading::Coming(language) => language.await.ok(),
    }
}

/// Tells [`lazy`](mod@lazy) how each chunk is fetched. To be called before the first view is made.
pub fn register() {
    lazy::register(&lazy::WORDS, || loading!(load_words));
    lazy::register(&lazy::DETAILS, || loading!(load_details));
    lazy::register(&GATEWAY, || loading!(load_gateway));
    lazy::register(&lazy::ATTENTION, || loading!(load_attention));
    lazy::register(&lazy::REQUESTS, || loading!(load_requests));
    lazy::register(&QUESTIONS, || loading!(load_questions));
    lazy::register(&lazy::TOOLS, || loading!(load_tools));
    lazy::register(&lazy::EDITS, || loading!(load_edits));
    lazy::register(&lazy::PANEL, || loading!(load_panel));
    lazy::register(&lazy::COMPOSER, || loading!(load_composer));
    lazy::register(&lazy::LENS, || loading!(load_lens));
    lazy::register(&lazy::SEARCH, || loading!(load_search));
    lazy::register(&lazy::EVENT_LOG, || loading!(load_event_log));
}

/// Fetches what every session needs and the cards of permissions while the connection is made, then Markdown, and then the
/// cards of questions and tools: whoever is asked must be able to read and answer, even if the connection has become bad
/// meanwhile. Not where the browser says that the connection is slow or that data is to be saved: there each chunk is
/// fetched when it is needed.
pub fn fetch_ahead() {
    if saves_data() {
        return;
    }
    // The views that need them ask again.
    untrack(|| _ = (lazy::details(), lazy::requests(), lazy::words()));
    spawn_local(async {
        lazy::line_is_free(Priority::Later).await;
        lazy::fetch_ahead(&QUESTIONS).await;
        lazy::fetch_ahead(&lazy::TOOLS).await;
        lazy::fetch_ahead(&lazy::EDITS).await;
    });
}

/// Whether `navigator.connection` says that the line is slower than 4G, or that the person saves data. Where the browser has
/// no such object, nothing is known and nothing saved.
fn saves_data() -> bool {
    let get = |object: &wasm_bindgen::JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).ok();
    let connection = web_sys::window().and_then(|window| get(&window.navigator(), "connection"));
    let Some(connection) = connection.filter(wasm_bindgen::JsValue::is_object) else { return false };
    let saves = get(&connection, "saveData").is_some_and(|saves| saves.is_truthy());
    let kind = get(&connection, "effectiveType").and_then(|kind| kind.as_string());
    saves || kind.is_some_and(|kind| kind != "4g")
}

/// The rules of what messages and cards contain. The chunks that draw these bring all of them.
const CONTENT: [Rules; 6] = [
    CONTENTS,
    (4, sheet!("prose")),
    (5, sheet!("tools")),
    (6, sheet!("prose_parts")),
    (8, sheet!("cards")),
    (14, sheet!("actions")),
];
const REQUEST_CARDS: Rules = (7, sheet!("requests"));

fn words_table() -> &'static Words {
    static WORDS: Words =
        Words { prose: |document, host, source| Box::new(Prose::of(document, host, source)), exact };
    styles::add(&CONTENT);
    &WORDS
}

fn details_table() -> &'static Details {
    static DETAILS: Details =
        Details { line, parallel_calls, actions, found: found_in_short, written: written_so_far, press };
    styles::add(&CONTENT);
    &DETAILS
}

fn requests_table() -> &'static Requests {
    static REQUESTS: Requests = Requests { request: request_card };
    styles::add(&CONTENT);
    styles::add(&[REQUEST_CARDS]);
    &REQUESTS
}

fn gateway_table() -> &'static Gateway {
    static GATEWAY: Gateway = Gateway { sign_in, health };
    styles::add(&CONTENT);
    &GATEWAY
}

fn attention_table() -> &'static Attention {
    static ATTENTION: Attention = Attention {
        attend: |page, store| {
            super::panel::attend(page, store);
            keyboard::follow(page);
        },
        announce: announce_events,
    };
    styles::add(&[(17, sheet!("attention"))]);
    &ATTENTION
}

fn questions_table() -> &'static Questions {
    static QUESTIONS: Questions = Questions { card: question_card, waiting };
    styles::add(&CONTENT);
    styles::add(&[REQUEST_CARDS]);
    &QUESTIONS
}

fn tools_table() -> &'static Tools {
    static TOOLS: Tools = Tools { facts, tool_body };
    styles::add(&CONTENT);
    &TOOLS
}

fn edits_table() -> &'static Edits {
    static EDITS: Edits = Edits { summary: tool_details::edit, body: edit_body };
    styles::add(&CONTENT);
    &EDITS
}

fn panel_table() -> &'static Panel {
    static PANEL: Panel = Panel { view: super::panel::panel };
    styles::add(&[CONTENTS, (11, sheet!("panel"))]);
    &PANEL
}

fn lens_table() -> &'static Lens {
    static LENS: Lens = Lens { panel: lens::panel, mark: lens::mark };
    styles::add(&[CONTENTS, (12, sheet!("lens"))]);
    &LENS
}

fn search_table() -> &'static Search {
    static SEARCH: Search = Search { bar: bar::bar, help: help_sheet::help, copy: copy_entry::copy };
    styles::add(&[CONTENTS, (13, sheet!("search"))]);
    &SEARCH
}

fn composer_table() -> &'static Composer {
    static STEER: Composer = Composer { composer: super::composer::composer };
    styles::add(&[CONTENTS, (16, sheet!("composer"))]);
    &STEER
}

fn german() -> &'static Language {
    &locale::GERMAN
}

fn japanese() -> &'static Language {
    &locale::JAPANESE
}

fn arabic() -> &'static Language {
    &locale::ARABIC
}

fn own_words_table() -> &'static ReplaceWords {
    static REPLACE: ReplaceWords = own::replaced;
    &REPLACE
}

fn event_log_table() -> &'static EventLog {
    use super::event_log;
    static EVENT_LOG: EventLog = EventLog {
        events: event_log::event_log,
        inspector: event_log::inspector,
        travel: event_log::travel_bar,
        strip: event_log::strip,
        picker: event_log::file_button,
        attend: event_log::attend,
    };
    styles::add(&[CONTENTS, (15, sheet!("event_log"))]);
    &EVENT_LOG
}
