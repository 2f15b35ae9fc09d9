//! The chunks of the program that are fetched when they are needed: markdown, cards, the composer, the panel and others.
//!
//! A chunk is a table of functions. Views ask for the table, show what they can without it, and run again when it has
//! arrived. What is in a table, and where a chunk comes from, is in [`super::chunks`], which knows all rooms; this module
//! knows none, so that every room can ask for chunks of others.

use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::OnceLock;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Document, Element};

use super::elements::builder::{El, el};
use crate::core::i18n::words::connection;
use crate::core::model::tool_call::ToolCall;
use crate::core::text::diff::Diff;
use crate::core::view_model::notifications::Fact;
use crate::core::view_model::tool_summary::{EditSummary, ToolFamily};
use crate::core::{Entry, State};
use crate::store::{RowSignals, Store};

/// Milliseconds before a chunk that did not come is asked for again. Doubled each time, up to the longest.
const RETRY: u32 = 1_000;
const LONGEST: u32 = 30_000;
/// Milliseconds between two looks whether the line is free.
const PRIORITY_CHECK_MS: u32 = 10;

/// Where a text on the page comes from: what is far from the reader is not in the document, and made again from there.
pub trait TextSource {
    /// Hands out the text as it is now.
    fn read(&self, see: &mut dyn FnMut(&str));
    /// Whether all of it has to be in the document, as on paper.
    fn whole(&self) -> bool;
}

/// A text on the page that grows.
pub trait GrowingText {
    /// Shows the whole text so far; `done` says that no more is to come.
    fn update(&mut self, text: &str, done: bool);
    /// As `update`, for a text that is known to begin with the one shown.
    fn append(&mut self, whole: &str);
    /// Bytes shown.
    fn shown(&self) -> usize;
    /// Whether all of it has to be in the document has changed.
    fn look(&mut self) {}
}

/// Makes a text in an element; with where it comes from, only what is near the reader is in the document.
pub type MakeProse = fn(&Document, &Element, Option<Rc<dyn TextSource>>) -> Box<dyn GrowingText>;

/// A text that is shown as markdown with everything marked that would not be seen.
pub struct MarkedText {
    /// Its source has something unseen that its blocks don't show.
    pub lost: bool,
    /// Its buttons work as long as this is there.
    pub buttons: Box<dyn Any>,
}

/// What the chunk `words` makes.
pub struct WordsTable {
    /// A markdown text, in an element whose children it owns.
    pub prose: MakeProse,
    /// A whole text that is to be approved, in an empty element.
    pub exact: fn(&Document, &Element, &str) -> MarkedText,
}

/// What the chunk `details` makes: what the rows and the page have beside their words, in nearly every session.
pub struct DetailsTable {
    /// Fills the article of a notice, a milestone or a sub-agent.
    pub line: fn(El, Store, usize, RowSignals),
    /// The line over tool calls that run together.
    pub parallel_calls: fn(Store, usize, RowSignals) -> El,
    /// The buttons of an entry.
    pub actions: fn(Store, usize) -> Option<El>,
    /// What a search found, for the line of its call.
    pub found: fn(&Entry) -> Option<String>,
    /// A call with its arguments as far as they are written.
    pub written: fn(&ToolCall) -> Option<ToolCall>,
    /// Runs the action of a key, if it has one here. Takes the page's root element.
    pub press: fn(Store, &Element, &web_sys::Event),
    /// Says in the page, if that has hidden characters, what was selected in it and copied. Takes the page's root element.
    pub copied: fn(Store, &Element),
}

/// What the chunk `attention` makes.
pub struct AttentionTable {
    /// Tells of the session in the tab's title, by notifications and on the panel's button, moves the focus to what opens
    /// at the side, and keeps the page above an on-screen keyboard.
    pub attend: fn(&El, Store),
    /// Announces what happens to screen readers.
    pub announce: fn(Store),
}

/// What the chunk `requests` makes: permissions, and the line that is left of any request.
pub struct RequestsTable {
    /// The content of a request's article. Subscribes to the request.
    pub request: fn(Store, usize, RowSignals) -> Vec<El>,
}

/// What the chunk `tools` makes: the inside of open tool cards, and everything else that shows raw data.
pub struct ToolsTable {
    /// Fills the article of a custom notification or of an event without a view of its own.
    pub facts: fn(El, Store, usize, RowSignals),
    /// The inside of an open tool card.
    pub tool_body: fn(Store, usize, RowSignals, ToolFamily) -> El,
}

/// What the chunk `edits` finds out.
pub struct EditsTable {
    /// How many lines an edit adds and removes, for the line of its call.
    pub summary: fn(&ToolCall) -> Option<EditSummary>,
}

/// What the chunk `diffs` makes.
pub struct DiffsTable {
    /// The body of an edit's card.
    pub edit_body: fn(El, Store, usize, RowSignals) -> El,
    /// All of a change that is to be approved, under its file's name.
    pub whole_diff: fn(El, Rc<Diff>) -> El,
}

/// What the chunk `panel` makes.
pub struct PanelTable {
    /// What stands under the panel's title.
    pub view: fn(Store) -> El,
    /// What the tray lists.
    pub facts: fn(&State) -> Vec<Fact>,
}

/// What the chunk `lens` makes.
pub struct LensTable {
    /// The model's view beside the timeline.
    pub panel: fn(Store) -> El,
    /// The mark of an entry, which is given as an element too.
    pub mark: fn(Store, usize, RowSignals, El) -> El,
}

/// What the chunk `search` makes.
pub struct SearchTable {
    /// The search bar.
    pub bar: fn(Store) -> El,
    /// The help sheet.
    pub help: fn(Store) -> El,
    /// Copies something of an entry, and says so, also at the button.
    pub copy: fn(Store, usize, CopiedPart, &Element),
}

/// What of an entry is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopiedPart {
    /// What it says: a message's Markdown, a tool's result.
    Words,
    /// The command that a shell runs.
    Command,
    /// What a person answered to a request that ended before the answer arrived, or wrote there and did not send.
    Answer,
}

/// What the chunk `event_log` makes.
pub struct EventLogTable {
    /// The event log, at the side.
    pub events: fn(Store) -> El,
    /// The raw events of an entry, at the side.
    pub inspector: fn(Store, usize) -> El,
    /// The scrubber, at the foot.
    pub travel: fn(Store) -> El,
    /// What says that the past, or a file, is shown.
    pub strip: fn(Store) -> El,
    /// A button that picks a file.
    pub picker: fn(Store) -> El,
    /// Looks after the page: takes files that are dropped, leads from entries to raw events, makes the log smaller.
    pub attend: fn(&El, Store),
}

/// What the chunk `composer` makes.
pub struct ComposerTable {
    /// The composer with the queue; with children, these instead.
    pub composer: fn(Store, Option<ChildrenFn>) -> El,
}

/// Why a chunk is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unavailable {
    /// It is on its way.
    Fetching,
    /// It did not come; it is asked for again.
    Failed,
}

impl Unavailable {
    /// What stands in its place.
    pub fn view(self) -> El {
        let words = match self {
            Self::Fetching => connection::LOADING,
            Self::Failed => connection::PART_FAILED,
        };
        el("p").class("hint").attr("role", "status").text(words.text())
    }
}

/// When a chunk is fetched: at once, or when nothing of a higher priority is being fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// At once: rows and requests, and what somebody asked for.
    Now,
    /// What makes texts easier to read that are there already.
    Soon,
    /// What can wait until the session has been read.
    Later,
}

/// A chunk did not come. The loader has reported the failure on the console.
#[derive(Debug, Clone, Copy)]
pub struct NotLoaded;

/// A chunk's table of functions. [`Chunk`] knows its type.
pub type Table = &'static (dyn Any + Send + Sync);

/// A chunk that is here, or that comes.
pub enum Loading {
    /// It is part of the first file.
    Loaded(Table),
    /// It is being fetched.
    Fetching(Pin<Box<dyn Future<Output = Result<Table, NotLoaded>>>>),
}

impl Loading {
    /// The table, once it has come.
    pub async fn table(self) -> Result<Table, NotLoaded> {
        match self {
            Self::Loaded(table) => Ok(table),
            Self::Fetching(coming) => coming.await,
        }
    }
}

/// Fetches a chunk.
pub type Loader = fn() -> Loading;

/// A chunk whose table is a `T`. It outlives every element.
pub struct Chunk<T> {
    state: ChunkState,
    table: PhantomData<fn() -> T>,
}

/// How a chunk is fetched, and the effects that wait for it. It does not know the table's type, so there is one copy of its code.
struct ChunkState {
    priority: Priority,
    loader: OnceLock<Loader>,
    table: OnceLock<Table>,
    /// Set once the fetch has begun.
    coming: OnceLock<ArcRwSignal<Unavailable>>,
}

impl<T> Chunk<T> {
    /// A chunk that nobody has asked for.
    pub const fn new(priority: Priority) -> Self {
        let state =
            ChunkState { priority, loader: OnceLock::new(), table: OnceLock::new(), coming: OnceLock::new() };
        Self { state, table: PhantomData }
    }
}

/// Markdown. Until it is here texts are shown as they are, so rows and requests come first.
pub static WORDS: Chunk<WordsTable> = Chunk::new(Priority::Soon);
/// What the rows and the page have beside their words.
pub static DETAILS: Chunk<DetailsTable> = Chunk::new(Priority::Now);
/// What tells of the session outside of the page.
pub static ATTENTION: Chunk<AttentionTable> = Chunk::new(Priority::Later);
/// Permissions, and the line that is left of any request.
pub static REQUESTS: Chunk<RequestsTable> = Chunk::new(Priority::Now);
/// The inside of open tool cards.
pub static TOOLS: Chunk<ToolsTable> = Chunk::new(Priority::Later);
/// What an edit adds and removes.
pub static EDITS: Chunk<EditsTable> = Chunk::new(Priority::Later);
/// Edits as diffs.
pub static DIFFS: Chunk<DiffsTable> = Chunk::new(Priority::Later);
/// The panel.
pub static PANEL: Chunk<PanelTable> = Chunk::new(Priority::Now);
/// The composer.
pub static COMPOSER: Chunk<ComposerTable> = Chunk::new(Priority::Later);
/// Search, help, export.
pub static SEARCH: Chunk<SearchTable> = Chunk::new(Priority::Now);
/// The model lens.
pub static LENS: Chunk<LensTable> = Chunk::new(Priority::Now);
/// Event log, inspector, time travel, files.
pub static EVENT_LOG: Chunk<EventLogTable> = Chunk::new(Priority::Now);

thread_local! {
    /// How many chunks of the priorities `Now` and `Soon` are asked for and have not come.
    static UNDER_WAY: [Cell<usize>; 2] = const { [Cell::new(0), Cell::new(0)] };
}

impl<T: 'static> Chunk<T> {
    /// Says how the chunk is fetched. To be called for every chunk before the first view is made.
    pub fn register(&self, loader: Loader) {
        // Each further page has the same.
        let _ = self.state.loader.set(loader);
    }

    /// The table. If it is not here yet it is fetched, and the calling effect runs again when it has come.
    // Else it would be copied to every caller.
    #[inline(never)]
    pub fn ready(&'static self) -> Result<&'static T, Unavailable> {
        self.state.ready()?.downcast_ref().ok_or(Unavailable::Failed)
    }

    /// Runs `run` with the table once it has come. Where it does not come nothing runs.
    pub fn with(&'static self, run: impl FnOnce(&'static T) + 'static) {
        self.state.with(Box::new(move |table| {
            if let Some(table) = table.downcast_ref() {
                run(table);
            }
        }));
    }

    /// Fetches the chunk ahead, so that it is ready at once when it is needed: a page that is being printed can't wait. One
    /// that does not come is fetched again when it is needed.
    pub fn fetch_ahead(&'static self) -> impl Future<Output = ()> {
        self.state.fetch_ahead()
    }
}

impl ChunkState {
    fn ready(&'static self) -> Result<Table, Unavailable> {
        if let Some(table) = self.table.get() {
            return Ok(*table);
        }
        let coming = match self.coming.get() {
            Some(coming) => coming,
            None => match self.load() {
                Some(Loading::Loaded(table)) => return Ok(*self.table.get_or_init(|| table)),
                Some(Loading::Fetching(first)) => {
                    change_fetch_count(self.priority, |count| count + 1);
                    spawn_local(self.fetch(first));
                    self.coming.get_or_init(|| ArcRwSignal::new(Unavailable::Fetching))
                }
                None => return Err(Unavailable::Failed),
            },
        };
        Err(coming.get())
    }

    fn with(&'static self, run: Box<dyn FnOnce(Table)>) {
        spawn_local(async move {
            if let Ok(table) = self.loaded().await {
                run(table);
            }
        });
    }

    async fn fetch_ahead(&'static self) {
        if let Ok(table) = self.loaded().await {
            self.table.get_or_init(|| table);
        }
    }

    fn load(&self) -> Option<Loading> {
        let loader = self.loader.get();
        if loader.is_none() {
            leptos::logging::error!("Pilothouse: a chunk of the program is not registered");
        }
        loader.map(|loader| loader())
    }

    async fn loaded(&self) -> Result<Table, NotLoaded> {
        match self.table.get() {
            Some(table) => Ok(*table),
            None => self.load().ok_or(NotLoaded)?.table().await,
        }
    }

    async fn fetch(&'static self, first: Pin<Box<dyn Future<Output = Result<Table, NotLoaded>>>>) {
        wait_for_higher_priorities(self.priority).await;
        let mut loaded = first.await;
        // Nothing waits for one that failed.
        change_fetch_count(self.priority, |count| count - 1);
        let mut pause = RETRY;
        let table = loop {
            match loaded {
                Ok(table) => break table,
                Err(NotLoaded) => self.set(Unavailable::Failed),
            }
            TimeoutFuture::new(pause).await;
            pause = (pause * 2).min(LONGEST);
            loaded = self.loaded().await;
        };
        self.table.get_or_init(|| table);
        // The effects that run again find the table.
        self.set(Unavailable::Fetching);
    }

    /// Runs the effects again that wait for the chunk.
    fn set(&self, state: Unavailable) {
        if let Some(coming) = self.coming.get() {
            coming.set(state);
        }
    }
}

/// Resolves when nothing of a higher priority is under way. What one change of the session needs is asked for in one turn, so
/// the first look comes after it.
pub async fn wait_for_higher_priorities(priority: Priority) {
    if priority == Priority::Now {
        return;
    }
    TimeoutFuture::new(0).await;
    while UNDER_WAY.with(|counts| counts.iter().take(priority as usize).any(|count| count.get() > 0)) {
        TimeoutFuture::new(PRIORITY_CHECK_MS).await;
    }
}

/// Whether `navigator.connection` says that the line is slower than 4G, or that the person saves data. Where the browser has
/// no such object, nothing is known and nothing saved.
pub fn saves_data() -> bool {
    let get = |object: &wasm_bindgen::JsValue, name: &str| js_sys::Reflect::get(object, &name.into()).ok();
    let connection = web_sys::window().and_then(|window| get(&window.navigator(), "connection"));
    let Some(connection) = connection.filter(wasm_bindgen::JsValue::is_object) else { return false };
    let saves = get(&connection, "saveData").is_some_and(|saves| saves.is_truthy());
    let kind = get(&connection, "effectiveType").and_then(|kind| kind.as_string());
    saves || kind.is_some_and(|kind| kind != "4g")
}

fn change_fetch_count(priority: Priority, change: impl FnOnce(usize) -> usize) {
    UNDER_WAY.with(|counts| {
        if let Some(count) = counts.get(priority as usize) {
            count.set(change(count.get()));
        }
    });
}
