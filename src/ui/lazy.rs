//! The chunks of the program that are fetched when they are needed: markdown, cards, the composer, the panel and others.
//!
//! With the feature `split` the linker's output is split at the functions marked with `wasm_split`: what only they
//! reach comes in a file of its own, over the same memory, when it is first needed. Without the feature (`trunk serve`,
//! `cargo xtask serve`, tests) everything is in one file. A chunk is a table of functions. Views ask for the table, show
//! what they can without it, and run again when it has arrived.

#[cfg(feature = "split")]
mod chunks;

use std::any::Any;
use std::rc::Rc;

use leptos::prelude::RwSignal;
use serde_json::Value;
use web_sys::{Document, Element};

use super::elements::builder::{El, el};
use super::elements::styles;
use super::elements::styles::{Rules, sheet};
use super::lens;
use super::message::markdown::{Prose, exact};
use super::requests::{Draw, question_card, request_card, waiting};
use super::search::{bar, copy_entry, help_sheet};
use super::shell::health::health;
use super::shell::locale;
use super::shell::sign_in::{Way, sign_in};
use super::timeline::actions::actions;
use super::timeline::notice::{facts, line};
use super::timeline::parallel_calls::together;
use super::tools::tool_body::{At, edit_body, found_in_short, tool_body, written_so_far};
use super::tools::tool_summary::{Edit, Family};
use crate::client::store::{Row, Store};
use crate::core::Entry;
use crate::core::i18n::Language;
use crate::core::i18n::words::connection;
use crate::core::model::tool_call::ToolCall;
use crate::core::view_model::tool_details;

/// Where a text on the page comes from: what is far from the reader is not in the document, and made again from there.
pub trait Source {
    /// Hands out the text as it is now.
    fn read(&self, see: &mut dyn FnMut(&str));
    /// Whether all of it has to be in the document, as on paper.
    fn whole(&self) -> bool;
}

/// A text on the page that grows.
pub trait Growing {
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
pub type MakeProse = fn(&Document, &Element, Option<Rc<dyn Source>>) -> Box<dyn Growing>;

/// A text that is shown as markdown with everything marked that would not be seen.
pub struct Marked {
    /// Its source has something unseen that its blocks don't show.
    pub lost: bool,
    /// Its buttons work as long as this is there.
    pub buttons: Box<dyn Any>,
}

/// What the chunk `words` makes.
pub struct Words {
    /// A markdown text, in an element whose children it owns.
    pub prose: MakeProse,
    /// A whole text that is to be approved, in an empty element.
    pub exact: fn(&Document, &Element, &str) -> Marked,
}

/// What the chunk `details` makes: what the rows and the page have beside their words, in nearly every session.
pub struct Details {
    /// Fills the article of a notice, a milestone or a sub-agent.
    pub line: fn(El, Store, usize, Row),
    /// The line over tool calls that run together.
    pub together: fn(Store, usize, Row) -> El,
    /// The buttons of an entry.
    pub actions: fn(Store, usize) -> Option<El>,
    /// What a search found, for the line of its call.
    pub found: fn(&Entry) -> Option<String>,
    /// A call with its arguments as far as they are written.
    pub written: fn(&ToolCall) -> Option<ToolCall>,
}

/// What the chunk `gateway` makes: what concerns the gateway itself.
pub struct Gateway {
    /// The form that signs somebody in.
    pub sign_in: fn(Rc<dyn Way>) -> El,
    /// The notices about its own health.
    pub health: fn(RwSignal<Option<Value>>) -> El,
}

/// What the chunk `attention` makes.
pub struct Attention {
    /// Tells of the session in the tab's title, by notifications and on the panel's button, and moves the focus to what opens
    /// at the side.
    pub attend: fn(&El, Store),
}

/// What the chunk `requests` makes: permissions, and the line that is left of any request.
pub struct Requests {
    /// The content of a request's article. Subscribes to the request.
    pub request: fn(Store, usize, Row) -> Vec<El>,
}

/// What the chunk `questions` makes: the cards of everything that is asked beside permissions.
pub struct Questions {
    /// The card of an open request.
    pub card: Draw,
    /// The list of everything that waits for a person.
    pub waiting: fn(Store) -> El,
}

/// What the chunk `tools` makes: the inside of open tool cards, and everything else that shows data as it came.
pub struct Tools {
    /// Fills the article of a custom notification or of an event without a view of its own.
    pub facts: fn(El, Store, usize, Row),
    /// The inside of an open tool card.
    pub tool_body: fn(Store, usize, Row, Family) -> El,
}

/// What the chunk `edits` makes.
pub struct Edits {
    /// How many lines an edit adds and removes, for the line of its call.
    pub summary: fn(&ToolCall) -> Option<Edit>,
    /// The body of an edit's card.
    pub body: fn(El, At) -> El,
}

/// What the chunk `panel` makes.
pub struct Panel {
    /// What stands under the panel's title.
    pub view: fn(Store) -> El,
}

/// What the chunk `lens` makes.
pub struct Lens {
    /// The model's view beside the timeline.
    pub panel: fn(Store) -> El,
    /// The mark of an entry, which is given as an element too.
    pub mark: fn(Store, usize, Row, El) -> El,
}

/// What the chunk `find` makes.
pub struct Find {
    /// The search bar.
    pub bar: fn(Store) -> El,
    /// The help sheet.
    pub help: fn(Store) -> El,
    /// Copies something of an entry, and says so, also at the button.
    pub copy: fn(Store, usize, Copied, &Element),
}

/// What of an entry is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// What it says: a message's Markdown, a tool's result.
    Words,
    /// What a shell was told to run.
    Command,
    /// What a person answered to a request that ended before the answer arrived.
    Answer,
}

/// What the chunk `log` makes.
pub struct Log {
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
pub struct Composer {
    /// The composer with the queue.
    pub composer: fn(Store) -> El,
}

/// Why a chunk is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coming {
    /// It is on its way.
    Fetched,
    /// It did not come; it is asked for again.
    Failed,
}

impl Coming {
    /// What stands in its place.
    pub fn view(self) -> El {
        let words = match self {
            Self::Fetched => connection::LOADING,
            Self::Failed => connection::PART_FAILED,
        };
        el("p").class("hint").attr("role", "status").text(words.text())
    }
}

/// The rules of what every view contains. Whichever chunk comes first brings them.
pub const INSIDES: Rules = (3, sheet!("insides"));
/// The rules of what messages and cards contain. The chunks that draw these bring all of them.
const CONTENT: [Rules; 6] = [
    INSIDES,
    (4, sheet!("prose")),
    (5, sheet!("tools")),
    (6, sheet!("leaves")),
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
        Details { line, together, actions, found: found_in_short, written: written_so_far };
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
    static ATTENTION: Attention = Attention { attend: super::panel::attend };
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
    styles::add(&[INSIDES, (11, sheet!("panel"))]);
    &PANEL
}

fn lens_table() -> &'static Lens {
    static LENS: Lens = Lens { panel: lens::panel, mark: lens::mark };
    styles::add(&[INSIDES, (12, sheet!("lens"))]);
    &LENS
}

fn find_table() -> &'static Find {
    static FIND: Find = Find { bar: bar::bar, help: help_sheet::help, copy: copy_entry::copy };
    styles::add(&[INSIDES, (13, sheet!("find"))]);
    &FIND
}

fn composer_table() -> &'static Composer {
    static STEER: Composer = Composer { composer: super::composer::composer };
    styles::add(&[INSIDES, (16, sheet!("composer"))]);
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

fn log_table() -> &'static Log {
    use super::event_log;
    static LOG: Log = Log {
        events: event_log::event_log,
        inspector: event_log::inspector,
        travel: event_log::travel_bar,
        strip: event_log::strip,
        picker: event_log::file_button,
        attend: event_log::attend,
    };
    styles::add(&[INSIDES, (15, sheet!("log"))]);
    &LOG
}

#[cfg(feature = "split")]
pub use chunks::{
    attention, composer, details, edits, fetch_ahead, find, gateway, language, lens, log, panel, questions,
    requests, tools, with_find, words,
};

#[cfg(not(feature = "split"))]
pub use whole::{
    attention, composer, details, edits, fetch_ahead, find, gateway, language, lens, log, panel, questions,
    requests, tools, with_find, words,
};

/// Everything is here already.
#[cfg(not(feature = "split"))]
mod whole {
    use super::{
        Attention, Coming, Composer, Details, Edits, Find, Gateway, Language, Lens, Log, Panel, Questions,
        Requests, Tools, Words,
    };

    /// Markdown.
    pub fn words() -> Result<&'static Words, Coming> {
        Ok(super::words_table())
    }

    /// What the rows and the page have beside their words.
    pub fn details() -> Result<&'static Details, Coming> {
        Ok(super::details_table())
    }

    /// What concerns the gateway itself.
    pub fn gateway() -> Result<&'static Gateway, Coming> {
        Ok(super::gateway_table())
    }

    /// What tells of the session outside of the page.
    pub fn attention() -> Result<&'static Attention, Coming> {
        Ok(super::attention_table())
    }

    /// Permissions, and the line that is left of any request.
    pub fn requests() -> Result<&'static Requests, Coming> {
        Ok(super::requests_table())
    }

    /// The cards of everything that is asked beside permissions.
    pub fn questions() -> Result<&'static Questions, Coming> {
        Ok(super::questions_table())
    }

    /// The inside of open tool cards.
    pub fn tools() -> Result<&'static Tools, Coming> {
        Ok(super::tools_table())
    }

    /// Edits as diffs.
    pub fn edits() -> Result<&'static Edits, Coming> {
        Ok(super::edits_table())
    }

    /// The panel.
    pub fn panel() -> Result<&'static Panel, Coming> {
        Ok(super::panel_table())
    }

    /// The composer.
    pub fn composer() -> Result<&'static Composer, Coming> {
        Ok(super::composer_table())
    }

    /// The model lens.
    pub fn lens() -> Result<&'static Lens, Coming> {
        Ok(super::lens_table())
    }

    /// Search, help, export.
    pub fn find() -> Result<&'static Find, Coming> {
        Ok(super::find_table())
    }

    /// Does something with them once they are here.
    pub fn with_find(run: impl FnOnce(&'static Find) + 'static) {
        run(super::find_table());
    }

    /// The words of a language; none of English, which is here, and of those that there are not.
    #[allow(clippy::unused_async, reason = "as the one that fetches")]
    pub async fn language(tag: &str) -> Option<&'static Language> {
        match tag {
            "de" => Some(super::german()),
            "ja" => Some(super::japanese()),
            "ar" => Some(super::arabic()),
            _ => None,
        }
    }

    /// Event log, inspector, time travel, files.
    pub fn log() -> Result<&'static Log, Coming> {
        Ok(super::log_table())
    }

    /// Fetches what nearly every session needs, before it is needed.
    pub fn fetch_ahead() {}
}
