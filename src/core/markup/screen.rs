//! The first screen of a session: its header, the end of its timeline with every open request whole, and the composer's place. It
//! stands until the page's program has connected and takes its place.

use super::bar::bar;
use super::cards::{self, Cards};
use super::composer::composer;
use super::element::{El, Styles, div, el, glyph};
use super::rows::{Extent, Timeline, article};
use crate::i18n;
use crate::i18n::words::{connection, page};
use crate::model::entry::{Entry, EntryState};
use crate::model::request::Request;
use crate::model::state::State;
use crate::styles;
use crate::view_model::icon::Icon;
use crate::view_model::row_height::estimate;
use crate::view_model::rows::Rows;

/// Pixels of rows: one and a half screens of the largest usual desktop. On a phone the same rows are higher.
const HEIGHT: f64 = 2_100.0;
/// Most rows, of whatever height.
const MOST_ROWS: usize = 200;
/// Bytes of a message that are shown: its end.
const LONGEST: usize = 24 * 1024;

/// The page's style sheets in their order, as far as every screen needs them.
const SHEETS: [&str; 11] = [
    styles::TOKENS,
    styles::CONTROLS,
    styles::TIMELINE,
    styles::CONTENTS,
    styles::PROSE,
    styles::TOOLS,
    styles::PROSE_PARTS,
    styles::REQUESTS,
    styles::CARDS,
    styles::PAGE,
    styles::SIDE_VIEWS,
];

/// Who looks at the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// They may not answer or write.
    pub readonly: bool,
    /// The session takes messages.
    pub takes_messages: bool,
}

impl Reader {
    fn writes(self) -> bool {
        self.takes_messages && !self.readonly
    }
}

/// The screen as HTML, with its style sheets, in the current language. Texts can be read, selected and found, links work, nothing
/// else acts.
pub fn screen(state: &State, reader: Reader) -> String {
    let (mut markup, mut own) = (String::new(), Styles::default());
    page_of(state, reader).write(&mut markup, &mut own);
    let composer = if reader.writes() { styles::COMPOSER } else { "" };
    let last = [composer, styles::FIRST_SCREEN, &own.sheet()];
    let styles: String = SHEETS.into_iter().chain(last).collect();
    // Style sheets are ours, and the properties among them are numbers and colours.
    format!("<style>{styles}</style>{markup}")
}

fn page_of(state: &State, reader: Reader) -> El {
    let language = i18n::current();
    let direction = language.map(|language| if language.right_to_left { "rtl" } else { "ltr" });
    let note = el("p").class("first-note").attr("role", "status").text(page::BEING_LOADED.text());
    // Shown where no script runs.
    let no_script = el("p").class("first-note as-it-stood").text(page::AS_IT_STOOD.text());
    div("ph first-screen")
        .attr("lang", language.map_or("en", |language| language.tag))
        .attr("dir", direction)
        .child(bar(state, reader.readonly))
        .child(timeline(state, reader.readonly))
        .child(div("first-notes").child(note).child(no_script))
        .child(reader.writes().then(|| composer(state)))
        .child(el("template").child(panel()))
}

/// The rows from the end on until the screen is full, and above them the open requests that are not among these.
fn timeline(state: &State, readonly: bool) -> El {
    let rows = Rows::default();
    let mut shown = Vec::new();
    let mut height = 0.0;
    for index in (0..state.entries.len()).rev() {
        if height >= HEIGHT || shown.len() >= MOST_ROWS {
            break;
        }
        if let Some(entry) = state.entry(index).filter(|_| !rows.hides(state, index, false)) {
            shown.push(index);
            // An estimate may be higher than what is left of a long message.
            height += if entry.state == EntryState::Streaming { 0.0 } else { estimate(entry).min(HEIGHT) };
        }
    }
    shown.reverse();
    let first = shown.first().copied().unwrap_or(0);
    let waits = state.open_requests.iter().copied().filter(|row| *row < first);
    let waits: Vec<usize> = waits.collect();
    let is_hidden = |row: usize| rows.hides(state, row, false);
    let cards = Cards { state, readonly, is_hidden: &is_hidden };
    let request = |index: usize, entry: &Entry, asked: &Request| cards::request(cards, index, entry, asked);
    let at = Timeline { state, rows: &rows, extent: Extent::Screen(LONGEST), request: &request };
    let more = |some: bool| some.then(|| el("p").class("hint first-more").text(page::EARLIER_LOADED.text()));
    let between =
        waits.last().is_some_and(|last| (last + 1..first).any(|row| !rows.hides(state, row, false)));
    let earlier = |end: usize| (0..end).rev().take(MOST_ROWS).any(|row| !rows.hides(state, row, false));
    let above = waits.first().copied().unwrap_or(first);
    let column = div("column")
        .attr("role", if shown.is_empty() { "group" } else { "feed" })
        .attr("aria-label", page::TIMELINE.text())
        .attr("part", "timeline")
        .attr("aria-busy", "true")
        .child(more(earlier(above)))
        .child(waits.iter().filter_map(|row| article(at, *row)).collect::<Vec<_>>())
        .child(more(between))
        .child(shown.iter().filter_map(|row| article(at, *row)).collect::<Vec<_>>());
    let scroller = div("first-list").attr("data-scroller", "").attr("tabindex", "0").attr("part", "scroller");
    let empty = || {
        let title = el("h2").text(connection::NOTHING_YET.text());
        let state = div("state").attr("part", "state").child(glyph(Icon::Spark)).child(title);
        state.child(el("p").text(connection::QUIET_WHY.text()))
    };
    scroller.child(column).child(state.entries.is_empty().then(empty))
}

/// The panel, for the script of the page: it opens by itself where there is room.
fn panel() -> El {
    let head = div("aside-head").child(el("h2").text(page::PANEL.text()));
    let body = div("aside-body").child(el("p").class("hint").text(connection::LOADING.text()));
    let aside = el("aside").class("aside").attr("part", "aside").attr("aria-label", page::PANEL.text());
    aside.child(head).child(body)
}
