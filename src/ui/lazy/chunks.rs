//! Fetches the chunks of the program, each once for the page, and runs the effects that wait for them.

#![allow(
    unsafe_code,
    reason = "wasm_split declares the functions at which the wasm is cut as imports and exports"
)]
#![allow(clippy::unnecessary_wraps, reason = "the macro adds the failing: a chunk may not come")]

use std::cell::{Cell, OnceCell};
use std::thread::LocalKey;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{
    Attention, Coming, Composer, Details, Edits, Find, Gateway, Language, Lens, Log, Panel, Questions,
    Requests, Tools, Words,
};

/// Milliseconds before a chunk that did not come is asked for again. Doubled each time, up to the longest.
const RETRY: u32 = 1_000;
const LONGEST: u32 = 30_000;
/// Milliseconds between two looks whether the line is free.
const LOOK: u32 = 10;

/// When a chunk is fetched: at once, or when nothing of a higher priority is being fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Priority {
    /// At once: rows and requests, and what somebody asked for.
    Now,
    /// What makes texts easier to read that are there already.
    Soon,
    /// What can wait until the session has been read.
    Later,
}

#[wasm_split(words, fallible)]
fn load_words() -> Result<&'static Words, SplitLoaderError> {
    Ok(super::words_table())
}

#[wasm_split(details, fallible)]
fn load_details() -> Result<&'static Details, SplitLoaderError> {
    Ok(super::details_table())
}

#[wasm_split(gateway, fallible)]
fn load_gateway() -> Result<&'static Gateway, SplitLoaderError> {
    Ok(super::gateway_table())
}

#[wasm_split(attention, fallible)]
fn load_attention() -> Result<&'static Attention, SplitLoaderError> {
    Ok(super::attention_table())
}

#[wasm_split(requests, fallible)]
fn load_requests() -> Result<&'static Requests, SplitLoaderError> {
    Ok(super::requests_table())
}

#[wasm_split(questions, fallible)]
fn load_questions() -> Result<&'static Questions, SplitLoaderError> {
    Ok(super::questions_table())
}

#[wasm_split(tools, fallible)]
fn load_tools() -> Result<&'static Tools, SplitLoaderError> {
    Ok(super::tools_table())
}

#[wasm_split(edits, fallible)]
fn load_edits() -> Result<&'static Edits, SplitLoaderError> {
    Ok(super::edits_table())
}

#[wasm_split(panel, fallible)]
fn load_panel() -> Result<&'static Panel, SplitLoaderError> {
    Ok(super::panel_table())
}

#[wasm_split(composer, fallible)]
fn load_composer() -> Result<&'static Composer, SplitLoaderError> {
    Ok(super::composer_table())
}

#[wasm_split(lens, fallible)]
fn load_lens() -> Result<&'static Lens, SplitLoaderError> {
    Ok(super::lens_table())
}

#[wasm_split(find, fallible)]
fn load_find() -> Result<&'static Find, SplitLoaderError> {
    Ok(super::find_table())
}

#[wasm_split(log, fallible)]
fn load_log() -> Result<&'static Log, SplitLoaderError> {
    Ok(super::log_table())
}

#[wasm_split(german, fallible)]
fn load_german() -> Result<&'static Language, SplitLoaderError> {
    Ok(super::german())
}

#[wasm_split(japanese, fallible)]
fn load_japanese() -> Result<&'static Language, SplitLoaderError> {
    Ok(super::japanese())
}

#[wasm_split(arabic, fallible)]
fn load_arabic() -> Result<&'static Language, SplitLoaderError> {
    Ok(super::arabic())
}

/// The texts of a language. `None` for English, which is in the first file, for languages that are not supported, and where
/// the file did not come.
pub async fn language(tag: &str) -> Option<&'static Language> {
    // The loader has reported the failure on the console.
    match tag {
        "de" => load_german().await.ok(),
        "ja" => load_japanese().await.ok(),
        "ar" => load_arabic().await.ok(),
        _ => None,
    }
}

/// Markdown. If it is not here yet it is fetched, and the calling effect runs again when it has come. Until then texts are
/// shown as they are, so rows and requests come first.
pub fn words() -> Result<&'static Words, Coming> {
    ready(&WORDS, load_words, Priority::Soon)
}

/// What the rows and the page have beside their words; fetched at once.
pub fn details() -> Result<&'static Details, Coming> {
    ready(&DETAILS, load_details, Priority::Now)
}

/// What concerns the gateway itself; fetched at once.
pub fn gateway() -> Result<&'static Gateway, Coming> {
    ready(&GATEWAY, load_gateway, Priority::Now)
}

/// What tells of the session outside of the page; fetched when nothing else is being fetched.
pub fn attention() -> Result<&'static Attention, Coming> {
    ready(&ATTENTION, load_attention, Priority::Later)
}

/// Permissions, and the line that is left of any request; fetched at once.
pub fn requests() -> Result<&'static Requests, Coming> {
    ready(&REQUESTS, load_requests, Priority::Now)
}

/// The cards of everything that is asked beside permissions; fetched at once.
pub fn questions() -> Result<&'static Questions, Coming> {
    ready(&QUESTIONS, load_questions, Priority::Now)
}

/// The inside of open tool cards; fetched when nothing that is read or answered first is being fetched.
pub fn tools() -> Result<&'static Tools, Coming> {
    ready(&TOOLS, load_tools, Priority::Later)
}

/// Edits as diffs; fetched as the composer is.
pub fn edits() -> Result<&'static Edits, Coming> {
    ready(&EDITS, load_edits, Priority::Later)
}

/// The panel; fetched at once.
pub fn panel() -> Result<&'static Panel, Coming> {
    ready(&PANEL, load_panel, Priority::Now)
}

/// The composer; fetched when nothing else is being fetched.
pub fn composer() -> Result<&'static Composer, Coming> {
    ready(&COMPOSER, load_composer, Priority::Later)
}

/// The model lens; fetched at once.
pub fn lens() -> Result<&'static Lens, Coming> {
    ready(&LENS, load_lens, Priority::Now)
}

/// Search, help, export; fetched at once.
pub fn find() -> Result<&'static Find, Coming> {
    ready(&FIND, load_find, Priority::Now)
}

/// Runs `run` with search, help and export once they have come. Where they don't come the loader reports it on the console.
pub fn with_find(run: impl FnOnce(&'static Find) + 'static) {
    spawn_local(async move {
        if let Ok(find) = load_find().await {
            run(find);
        }
    });
}

/// Event log, inspector, time travel, files; fetched at once.
pub fn log() -> Result<&'static Log, Coming> {
    ready(&LOG, load_log, Priority::Now)
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
    untrack(|| _ = (details(), requests(), words()));
    spawn_local(async {
        line_is_free(Priority::Later).await;
        keep(&QUESTIONS, load_questions().await);
        keep(&TOOLS, load_tools().await);
        keep(&EDITS, load_edits().await);
    });
}

/// Makes a chunk that came ahead ready at once: a page that is being printed can't wait. One that did not come is fetched again
/// when it is needed.
fn keep<T>(chunk: &'static LocalKey<Chunk<T>>, loaded: Result<&'static T, SplitLoaderError>) {
    if let Ok(table) = loaded {
        chunk.with(|chunk| chunk.table.set(Some(table)));
    }
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

thread_local! {
    static WORDS: Chunk<Words> = const { Chunk::new() };
    static DETAILS: Chunk<Details> = const { Chunk::new() };
    static GATEWAY: Chunk<Gateway> = const { Chunk::new() };
    static ATTENTION: Chunk<Attention> = const { Chunk::new() };
    static REQUESTS: Chunk<Requests> = const { Chunk::new() };
    static QUESTIONS: Chunk<Questions> = const { Chunk::new() };
    static TOOLS: Chunk<Tools> = const { Chunk::new() };
    static EDITS: Chunk<Edits> = const { Chunk::new() };
    static PANEL: Chunk<Panel> = const { Chunk::new() };
    static COMPOSER: Chunk<Composer> = const { Chunk::new() };
    static FIND: Chunk<Find> = const { Chunk::new() };
    static LENS: Chunk<Lens> = const { Chunk::new() };
    static LOG: Chunk<Log> = const { Chunk::new() };
    /// How many chunks of the priorities `Now` and `Soon` are asked for and have not come.
    static UNDER_WAY: [Cell<usize>; 2] = const { [Cell::new(0), Cell::new(0)] };
}

/// A chunk and the effects that wait for it. It outlives every element.
struct Chunk<T: 'static> {
    table: Cell<Option<&'static T>>,
    /// Set once the fetch has begun.
    coming: OnceCell<ArcRwSignal<Coming>>,
}

impl<T> Chunk<T> {
    const fn new() -> Self {
        Self { table: Cell::new(None), coming: OnceCell::new() }
    }
}

fn ready<T, F>(
    chunk: &'static LocalKey<Chunk<T>>,
    load: fn() -> F,
    priority: Priority,
) -> Result<&'static T, Coming>
where
    F: Future<Output = Result<&'static T, SplitLoaderError>> + 'static,
{
    chunk.with(|known| {
        known.table.get().ok_or_else(|| {
            let coming = known.coming.get_or_init(|| {
                under_way(priority, |count| count + 1);
                spawn_local(fetch(chunk, load, priority));
                ArcRwSignal::new(Coming::Fetched)
            });
            coming.get()
        })
    })
}

async fn fetch<T, F>(chunk: &'static LocalKey<Chunk<T>>, load: fn() -> F, priority: Priority)
where
    F: Future<Output = Result<&'static T, SplitLoaderError>> + 'static,
{
    line_is_free(priority).await;
    let mut pause = RETRY;
    let mut first = true;
    let table = loop {
        let loaded = load().await;
        // Nothing waits for one that failed.
        if std::mem::take(&mut first) {
            under_way(priority, |count| count - 1);
        }
        // The loader has reported the failure on the console.
        match loaded {
            Ok(table) => break table,
            Err(_) => set(chunk, Coming::Failed),
        }
        TimeoutFuture::new(pause).await;
        pause = (pause * 2).min(LONGEST);
    };
    chunk.with(|chunk| chunk.table.set(Some(table)));
    // The effects that run again find the table.
    set(chunk, Coming::Fetched);
}

/// Resolves when nothing of a higher priority is under way. What one change of the session needs is asked for in one turn, so
/// the first look comes after it.
async fn line_is_free(priority: Priority) {
    if priority == Priority::Now {
        return;
    }
    TimeoutFuture::new(0).await;
    while UNDER_WAY.with(|counts| counts.iter().take(priority as usize).any(|count| count.get() > 0)) {
        TimeoutFuture::new(LOOK).await;
    }
}

fn under_way(priority: Priority, change: impl FnOnce(usize) -> usize) {
    UNDER_WAY.with(|counts| {
        if let Some(count) = counts.get(priority as usize) {
            count.set(change(count.get()));
        }
    });
}

/// Runs the effects again that wait for a chunk.
fn set<T>(chunk: &'static LocalKey<Chunk<T>>, state: Coming) {
    let coming = chunk.with(|chunk| chunk.coming.get().cloned());
    if let Some(coming) = coming {
        coming.set(state);
    }
}
