//! The first screen of the board: its head, and the tiles of the most urgent sessions in the board's own order. It stands until the
//! page's program has connected and takes its place.

use super::cards::{self, Cards};
use super::element::{El, Styles, div, el, exact, glyph};
use crate::i18n;
use crate::i18n::Word;
use crate::i18n::words::{board as words, page};
use crate::model::agents;
use crate::model::board::{Board, Grouping, SessionFilter, Summary, groups};
use crate::model::state::State;
use crate::styles;
use crate::view_model::board_head::{self, agent_choices, name_choices};
use crate::view_model::board_row::{
    self, Age, NEARLY_FULL, Named, TileAction, TilePlace, action, address, age, asks_little,
};
use crate::view_model::icon::Icon;
use crate::wire::time;

/// Most tiles: one and a half screens of the largest usual desktop.
pub const MOST_TILES: usize = 60;

/// The page's style sheets in their order, as far as the board needs them.
const SHEETS: [&str; 8] = [
    styles::TOKENS,
    styles::CONTROLS,
    styles::TIMELINE,
    styles::CONTENTS,
    styles::PAGE,
    styles::SIDE_VIEWS,
    styles::BOARD,
    styles::FIRST_SCREEN,
];
/// Those of cards, before the page's.
const CARD_SHEETS: [&str; 5] =
    [styles::PROSE, styles::TOOLS, styles::PROSE_PARTS, styles::REQUESTS, styles::CARDS];

/// Calls a function with a state that holds the open requests of a summary.
pub type OpenRequests = fn(&Summary, &mut dyn FnMut(&State));

/// Who looks at the board, when, and what it offers.
#[derive(Debug, Clone, Copy)]
pub struct BoardReader<'a> {
    /// They may not answer.
    pub readonly: bool,
    /// What the gateway can do with sessions: `create`, `resume`, `close`.
    pub capabilities: &'a [&'a str],
    /// Milliseconds since 1970.
    pub now: i64,
    /// Gives the state of a session that holds the open requests of a summary: `client::board::session_of`.
    pub requests: OpenRequests,
}

impl BoardReader<'_> {
    fn can(self, what: &str) -> bool {
        !self.readonly && self.capabilities.contains(&what)
    }
}

/// The board as HTML, with its style sheets, in the current language. Texts can be read, selected and found, links to sessions work,
/// nothing else acts. What it is beside an open session is in templates, for the script of the page.
pub fn board(board: &Board, reader: BoardReader<'_>) -> String {
    let (mut markup, mut own) = (String::new(), Styles::default());
    page_of(board, reader).write(&mut markup, &mut own);
    let has_cards = markup.contains("tile-asks");
    let (first, rest) = SHEETS.split_at(4);
    let cards = if has_cards { &CARD_SHEETS[..] } else { &[] };
    let styles: String = first.iter().chain(cards).chain(rest).copied().collect();
    // Style sheets are ours, and the properties among them are numbers and colours.
    format!("<style>{styles}{}</style>{markup}", own.sheet())
}

fn page_of(board: &Board, reader: BoardReader<'_>) -> El {
    let language = i18n::current();
    let direction = language.map(|language| if language.right_to_left { "rtl" } else { "ltr" });
    let note = el("p").class("first-note").attr("role", "status").text(page::BEING_LOADED.text());
    // Shown where no script runs.
    let no_script = el("p").class("first-note as-it-stood").text(words::AS_THEY_STOOD.text());
    let main = el("main")
        .class("board-main")
        .attr("aria-label", words::TITLE.text())
        .child(head(board, reader))
        .child(tiles(board, reader));
    let named = Named::of(board);
    div("ph board first-screen")
        .attr("lang", language.map_or("en", |language| language.tag))
        .attr("dir", direction)
        .attr("data-view", "grid")
        .attr("data-machines", named.any())
        .child(main)
        .child(el("template").class("first-pane").child(pane(reader)))
        .child(div("first-notes").child(note).child(no_script))
}

/// The title, the counts, the buttons, the filter and the groups.
fn head(board: &Board, reader: BoardReader<'_>) -> El {
    let waiting = board.waiting();
    let count = el("span").class("board-count").text(board_head::count(board));
    let waits = el("span").class("board-waits").attr("data-reserved", waiting == 0);
    let waits = waits
        .child(el("span").class("dot"))
        .child(el("span").text(board_head::waiting(waiting, reader.readonly)));
    let next =
        button("btn board-next", Some(Icon::ArrowDown), words::NEXT).attr("data-reserved", waiting == 0);
    let new = reader.can("create").then(|| button("btn", Some(Icon::Spark), words::NEW).attr("data-new", ""));
    let field = el("input")
        .class("input board-filter")
        .attr("type", "search")
        .attr("aria-label", words::FILTER.text())
        .attr("placeholder", words::FILTER.text())
        .attr("disabled", true);
    let repositories = board_head::repositories(board);
    let repository = (repositories.len() > 1).then(|| {
        choice(words::REPOSITORY, "repository", name_choices(words::REPOSITORY_ANY, repositories, None))
    });
    let machines = board_head::machines(board);
    let machine = (machines.len() > 1)
        .then(|| choice(words::MACHINE, "machine", name_choices(words::MACHINE_ANY, machines, None)));
    let agents = board_head::agents(board);
    let agent = (agents.len() > 1).then(|| choice(words::AGENT, "agent", agent_choices(agents, None)));
    let groupings = board_head::groupings(board.names_machines(), board.names_agents(), Grouping::None);
    let rows = el("button")
        .class("btn bare")
        .attr("type", "button")
        .attr("part", "button")
        .attr("disabled", true)
        .attr("aria-label", words::AS_LIST.text())
        .attr("aria-pressed", "false")
        .attr("title", page::BEING_LOADED.text())
        .child(glyph(Icon::List));
    let choices = div("board-choices")
        .child(choice(words::STATUS, "status", board_head::statuses(reader.readonly)))
        .child(repository)
        .child(machine)
        .child(agent)
        .child(choice(words::GROUP, "group", groupings))
        .child(rows);
    el("header")
        .class("board-head")
        .attr("part", "header")
        .child(el("h1").text(words::TITLE.text()).child(count))
        .child(waits)
        .child(div("board-tools").child(next).child(new))
        .child(el("slot").attr("name", "menu"))
        .child(div("board-search").child(glyph(Icon::Search)).child(field))
        .child(choices)
}

fn choice(name: Word, hook: &str, options: Vec<(String, String)>) -> El {
    let option = |(value, words): (String, String)| el("option").attr("value", value).text(words);
    el("select")
        .class("input board-choice")
        .attr("data-choice", hook)
        .attr("aria-label", name.text())
        .attr("disabled", true)
        .child(options.into_iter().map(option).collect::<Vec<_>>())
}

/// A button, which can be pressed once the page is live.
fn button(class: &str, icon: Option<Icon>, name: Word) -> El {
    let button = off(class).child(icon.map(glyph));
    if icon.is_some() { button.child(el("span").text(name.text())) } else { button.text(name.text()) }
}

fn off(class: &str) -> El {
    el("button")
        .class(class)
        .attr("type", "button")
        .attr("part", "button")
        .attr("disabled", true)
        .attr("title", page::BEING_LOADED.text())
}

/// The most urgent sessions.
fn tiles(board: &Board, reader: BoardReader<'_>) -> El {
    let order = groups(board.sessions(), &SessionFilter::default(), Grouping::None);
    let ids = order.iter().flat_map(|group| &group.ids).take(MOST_TILES);
    let shown = ids.filter_map(|id| board.get(id)).enumerate();
    let named = Named::of(board);
    let list = el("ul")
        .class("tiles")
        .attr("role", "list")
        .attr("aria-label", words::TITLE.text())
        .child(shown.map(|(number, known)| tile(number, known, named, reader)).collect::<Vec<_>>());
    let more = board.sessions().len() > MOST_TILES;
    let more = more.then(|| el("p").class("hint first-more").text(words::MORE_LOADED.text()));
    let area = div("board-area")
        .attr("part", "tiles")
        // The name of a group, for the script of the page.
        .attr("data-no-repository", words::NO_REPOSITORY.text())
        .child(el("section").class("board-group").child(list))
        .child(more);
    div("board-scroll").attr("data-scroller", "").attr("part", "scroller").child(area)
}

/// A tile; in a template it is as it stands beside an open session, where it is another one there.
fn tile(number: usize, known: &Summary, named: Named, reader: BoardReader<'_>) -> El {
    let place = TilePlace {
        readonly: reader.readonly,
        beside: false,
        is_open: false,
        has_cards: false,
        resumes: reader.can("resume"),
    };
    let short = !reader.readonly && asks_little(known);
    let machine = || machine_of(known, named);
    let tile = one(number, known, machine(), reader, short, place);
    if known.requests.is_empty() {
        return tile;
    }
    let beside = TilePlace { beside: true, has_cards: short, ..place };
    tile.child(el("template").child(one(number, known, machine(), reader, short, beside)))
}

fn one(
    number: usize,
    known: &Summary,
    machine: El,
    reader: BoardReader<'_>,
    short: bool,
    place: TilePlace,
) -> El {
    let named = |part: &str| format!("ph-first-tile-{number}-{part}");
    let word = board_row::word(known, place.readonly).text();
    let top = div("tile-top")
        .child(el("span").class("dot"))
        .child(el("span").class("word").attr("id", named("word")).text(word))
        .child(age_of(known, place.beside, reader.now));
    let title = exact_line(el("span").attr("dir", "auto"), &board_row::title(known));
    let opener = el("a")
        .attr("href", address(&known.id))
        .class("tile-open")
        .attr("data-opener", "")
        .attr("aria-describedby", format!("{} {}", named("word"), named("doing")))
        .child(title);
    let folder = exact_line(el("span").attr("dir", "auto"), &board_row::place(known));
    let line_word = el("span").class("tile-word").attr("aria-hidden", "true").text(word);
    let folder = el("p")
        .class("tile-place")
        .child(line_word)
        .child(folder.attr("title", known.cwd.clone()))
        .child(el("span").class("tile-model").text(known.model.as_deref().unwrap_or_default()));
    let asked = board_row::request(known).unwrap_or_default();
    let activity = board_row::activity(known);
    let doing = el("p")
        .class("tile-doing")
        .attr("id", named("doing"))
        .attr("title", Some(activity.clone()).filter(|doing| !doing.is_empty()))
        .child(exact_line(el("span"), &asked))
        .child(exact_line(el("bdi").attr("translate", "no"), &activity));
    let cards = (place.beside && place.has_cards).then(|| asks(number, known, reader));
    el("li")
        .class("tile")
        .attr("part", "tile")
        .attr("data-session", &known.id)
        .attr("data-repository", known.repository.clone())
        .attr("data-machine", known.machine.clone())
        .attr("data-agent", known.agent.as_deref().map(|agent| agents::title(agent).to_owned()))
        .attr("data-away", known.away().is_some())
        .attr("data-status", known.shown_status().word())
        .attr("data-answering", cards.is_some())
        .attr("data-says", cards.is_none() && !(asked.is_empty() && activity.is_empty()))
        .child(top)
        .child(opener)
        .child(machine)
        .child(folder)
        .child(doing)
        .child(foot(known, reader, short, place))
        .child(cards)
}

/// A text in a line of its own element, if there is any.
fn exact_line(host: El, text: &str) -> El {
    host.child((!text.is_empty()).then(|| exact(el("span"), text)))
}

/// Stands for a time in words, until an element takes its place.
const TIME: char = '\u{0}';

/// Words with an element for the time in them. A script writes it as the reader's browser does, without one it is as given.
fn with_time(host: El, words: &str, at: i64, time: impl FnOnce(El, &str) -> El) -> El {
    let Some((before, after)) = words.split_once(TIME) else { return exact_line(host, words) };
    let iso = time::iso(at);
    let element = el("time").attr("datetime", &iso);
    exact(host, before).child(time(element, &iso)).text(after)
}

/// The machine of a session and its agent, or since when the machine is away.
fn machine_of(known: &Summary, named: Named) -> El {
    // The sentence has the page's direction, a name its own.
    let direction = known.away().is_none().then_some("auto");
    let host = el("span").class("tile-machine").attr("dir", direction).attr("translate", "no");
    let words = board_row::machine_and_agent(known, named, |_| TIME.to_string());
    let whole = if known.away().is_some() { known.machine.clone() } else { Some(words.clone()) };
    let title = whole.filter(|_| !words.is_empty());
    let since = known.away().and_then(|away| away.since).unwrap_or_default();
    with_time(host.attr("title", title), &words, since, |element, iso| {
        element
            .attr("data-day", true)
            .text(format!("{} UTC", iso.get(..16).unwrap_or_default().replace('T', " ")))
    })
}

/// Since when.
fn age_of(known: &Summary, beside: bool, now: i64) -> El {
    let mut at = None;
    let words = board_row::since(known, beside, |since| {
        let age = age((since, 0), (now, 0));
        at = Some((since, age));
        match age {
            Age::JustNow => words::JUST_NOW.text().to_owned(),
            Age::Ago(..) => TIME.to_string(),
            Age::Yesterday => words::YESTERDAY.with(&[("time", (&TIME.to_string()).into())]),
        }
    });
    let host = el("span").class("tile-age");
    let Some((at, age)) = at else { return host.text(words) };
    with_time(host, &words, at, |element, iso| match age {
        Age::Ago(amount, unit) => element
            .attr("data-ago", amount.to_string())
            .attr("data-unit", unit)
            .text(format!("{} UTC", iso.get(..16).unwrap_or_default().replace('T', " "))),
        _ => element.text(format!("{} UTC", iso.get(11..16).unwrap_or_default())),
    })
}

/// Context, mode, cost, and what can be done once the page is live.
fn foot(known: &Summary, reader: BoardReader<'_>, short: bool, place: TilePlace) -> El {
    let share = known.context_percent().map(|full| {
        let ring = el("span").class("ring").property("--_v", &full.to_string());
        let ring = ring.attr("data-level", (full >= NEARLY_FULL).then_some("high"));
        let words = page::CONTEXT_FULL.with(&[("n", full.into())]);
        let percent = page::PERCENT.with(&[("n", full.into())]);
        el("span")
            .class("tile-context")
            .attr("title", &words)
            .child(ring)
            .child(el("span").class("sr-only").text(&words))
            .child(el("span").attr("aria-hidden", "true").text(percent))
    });
    let source = board_row::source(known, !reader.capabilities.is_empty());
    let action = action(known, short, place).map(|action| match action {
        TileAction::Resume => div("tile-do").child(button("btn", None, words::RESUME)),
        TileAction::Open => button("btn", None, words::OPEN),
        TileAction::OpenToAnswer => el("span").class("hint").text(words::OPEN_TO_ANSWER.text()),
        TileAction::Answer(waiting) => off("btn tile-answer")
            .attr("aria-expanded", "false")
            .text(words::ANSWER.with(&[("n", waiting.into())])),
    });
    div("tile-foot")
        .child(share)
        .child(el("span").class("tile-facts").text(board_row::facts(known)))
        .child(source.map(|word| el("span").class("tag").text(word.text())))
        .child(action)
}

/// The cards of a tile, from the events of its requests, as the live ones.
fn asks(number: usize, known: &Summary, reader: BoardReader<'_>) -> El {
    let mut all = Vec::new();
    (reader.requests)(known, &mut |state| {
        // The first number is that of a page with one session.
        let cards = Cards { state, session: number + 1, readonly: false, is_hidden: &|_| false };
        all.extend((0..state.entries.len()).filter_map(|index| {
            let entry = state.entry(index)?;
            Some(div("tile-request").child(cards::request(cards, index, entry, entry.request()?)))
        }));
    });
    div("tile-asks").child(all)
}

/// The place of the session that is open, for the script of the page.
fn pane(reader: BoardReader<'_>) -> El {
    let back = button("btn pane-back", Some(Icon::Chevron), words::BACK);
    let end = reader.can("close").then(|| {
        button("btn", Some(Icon::Cross), words::CLOSE_SESSION)
            .attr("data-end", "")
            .attr("data-reserved", true)
    });
    let next = button("btn pane-next", Some(Icon::ArrowDown), words::NEXT).attr("data-reserved", true);
    let bar = el("header").class("pane-bar").child(back).child(end).child(next);
    el("section").class("pane").child(bar)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOON: i64 = 1_795_262_400_000;

    #[test]
    fn an_age_is_a_time_that_a_script_rewrites() {
        let of = |row: serde_json::Value| {
            let mut board = Board::default();
            board.merge_list(&json!([row]));
            let (mut out, mut own) = (String::new(), Styles::default());
            age_of(board.sessions().first().unwrap(), false, NOON).write(&mut out, &mut own);
            out
        };
        let at = |ago: i64| json!({ "sessionId": "s", "lastEventAt": NOON - ago });
        assert_eq!(of(at(1_000)), "<span class=\"tile-age\"><span>just now</span></span>");
        assert_eq!(
            of(at(300_000)),
            "<span class=\"tile-age\"><time datetime=\"2026-11-21T11:55:00Z\" data-ago=\"5\" data-unit=\"minute\">2026-11-21 11:55 UTC</time></span>"
        );
        assert!(
            of(at(20 * 3_600_000))
                .contains("yesterday <time datetime=\"2026-11-20T16:00:00Z\">16:00 UTC</time>")
        );
        let asked = json!({ "sessionId": "s", "status": "waiting", "requests": [{ "requestId": "r", "since": NOON - 7_200_000 }] });
        assert!(of(asked).contains("Asked <time"));
        assert_eq!(of(json!({ "sessionId": "s" })), "<span class=\"tile-age\"></span>");
    }
}
