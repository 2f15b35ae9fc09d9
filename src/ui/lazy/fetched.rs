//! Fetches the chunks, once for the page, and tells who waits. Refuses to give up: what is needed is tried again.

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

use super::{Cards, Coming, Find, Language, Lens, Log, Panel, Steer, Words};

/// Milliseconds before a chunk that did not come is asked for again; doubled each time, up to the longest.
const AGAIN: u32 = 1_000;
const LONGEST: u32 = 30_000;

#[wasm_split(words, fallible)]
fn load_words() -> Result<&'static Words, SplitLoaderError> {
    Ok(super::words_table())
}

#[wasm_split(cards, fallible)]
fn load_cards() -> Result<&'static Cards, SplitLoaderError> {
    Ok(super::cards_table())
}

#[wasm_split(panel, fallible)]
fn load_panel() -> Result<&'static Panel, SplitLoaderError> {
    Ok(super::panel_table())
}

#[wasm_split(steer, fallible)]
fn load_steer() -> Result<&'static Steer, SplitLoaderError> {
    Ok(super::steer_table())
}

#[wasm_split(lens, fallible)]
fn load_lens() -> Result<&'static Lens, SplitLoaderError> {
    Ok(super::lens_table())
}

#[wasm_split(find, fallible)]
fn load_find() -> Result<&'static Find, SplitLoaderError> {
    Ok(super::find_table())
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

/// The words of a language; none of English, which is here, of those that there are not, and of those that did not
/// come.
pub async fn language(tag: &str) -> Option<&'static Language> {
    // The loader has told the console why it failed.
    match tag {
        "de" => load_german().await.ok(),
        "ja" => load_japanese().await.ok(),
        "ar" => load_arabic().await.ok(),
        _ => None,
    }
}

#[wasm_split(log, fallible)]
fn load_log() -> Result<&'static Log, SplitLoaderError> {
    Ok(super::log_table())
}

/// Markdown, if it is here; else it is fetched, and whoever asked is run again.
pub fn words() -> Result<&'static Words, Coming> {
    ready(&WORDS, load_words)
}

/// The insides of cards; as [`words`].
pub fn cards() -> Result<&'static Cards, Coming> {
    ready(&CARDS, load_cards)
}

/// The panel; as [`words`].
pub fn panel() -> Result<&'static Panel, Coming> {
    ready(&PANEL, load_panel)
}

/// The composer; as [`words`].
pub fn steer() -> Result<&'static Steer, Coming> {
    ready(&STEER, load_steer)
}

/// The model lens; as [`words`].
pub fn lens() -> Result<&'static Lens, Coming> {
    ready(&LENS, load_lens)
}

/// Search, help, export; as [`words`].
pub fn find() -> Result<&'static Find, Coming> {
    ready(&FIND, load_find)
}

/// Does something with them once they are here; if they don't come, the loader tells the console.
pub fn with_find(run: impl FnOnce(&'static Find) + 'static) {
    spawn_local(async move {
        if let Ok(find) = load_find().await {
            run(find);
        }
    });
}

/// Event log, inspector, time travel, files; as [`words`].
pub fn log() -> Result<&'static Log, Coming> {
    ready(&LOG, load_log)
}

/// Fetches what nearly every session needs, before it is needed.
pub fn fetch_ahead() {
    // Who needs them asks again.
    untrack(|| _ = (words(), cards(), panel(), steer()));
}

thread_local! {
    static WORDS: Chunk<Words> = const { Chunk::new() };
    static CARDS: Chunk<Cards> = const { Chunk::new() };
    static PANEL: Chunk<Panel> = const { Chunk::new() };
    static STEER: Chunk<Steer> = const { Chunk::new() };
    static FIND: Chunk<Find> = const { Chunk::new() };
    static LENS: Chunk<Lens> = const { Chunk::new() };
    static LOG: Chunk<Log> = const { Chunk::new() };
}

/// A chunk and who waits for it; outlives every element.
struct Chunk<T: 'static> {
    table: Cell<Option<&'static T>>,
    /// There once the fetch has begun.
    coming: OnceCell<ArcRwSignal<Coming>>,
}

impl<T> Chunk<T> {
    const fn new() -> Self {
        Self { table: Cell::new(None), coming: OnceCell::new() }
    }
}

fn ready<T, F>(chunk: &'static LocalKey<Chunk<T>>, load: fn() -> F) -> Result<&'static T, Coming>
where
    F: Future<Output = Result<&'static T, SplitLoaderError>> + 'static,
{
    chunk.with(|held| {
        held.table.get().ok_or_else(|| {
            let coming = held.coming.get_or_init(|| {
                spawn_local(fetch(chunk, load));
                ArcRwSignal::new(Coming::Fetched)
            });
            coming.get()
        })
    })
}

async fn fetch<T, F>(chunk: &'static LocalKey<Chunk<T>>, load: fn() -> F)
where
    F: Future<Output = Result<&'static T, SplitLoaderError>> + 'static,
{
    let mut pause = AGAIN;
    let table = loop {
        // The loader has told the console why it failed.
        match load().await {
            Ok(table) => break table,
            Err(_) => tell(chunk, Coming::Failed),
        }
        TimeoutFuture::new(pause).await;
        pause = (pause * 2).min(LONGEST);
    };
    chunk.with(|held| held.table.set(Some(table)));
    // Who is run again finds the table.
    tell(chunk, Coming::Fetched);
}

/// Runs those again who wait.
fn tell<T>(chunk: &'static LocalKey<Chunk<T>>, how: Coming) {
    let coming = chunk.with(|held| held.coming.get().cloned());
    if let Some(coming) = coming {
        coming.set(how);
    }
}
