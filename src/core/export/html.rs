//! The session as one HTML file that looks like the page's timeline. It has no script and no outside
//! references. Only `Page` writes markup, and it escapes every text.

mod page;
mod prose;
mod tools;

use page::Page;

use super::descriptions;
use crate::i18n;
use crate::i18n::words::export;
use crate::json_writer::pretty;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level};
use crate::model::request::Request;
use crate::model::state::State;
use crate::styles;
use crate::view_model::entry_words::{attachment_labels, text};
use crate::view_model::tool_summary::PLACE;
use crate::wire::time;

/// The page's own style sheets, and one for exported documents.
const STYLES: &[&str] =
    &[styles::TOKENS, styles::TIMELINE, styles::CONTENTS, styles::TOOLS, styles::PROSE_PARTS, styles::EXPORT];

/// The document's Content Security Policy: inline styles, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The whole session as an HTML document.
pub(super) fn document(state: &State) -> String {
    let title = super::title(state);
    let mut page = Page::default();
    let language = i18n::current();
    let mut speaks = vec![("lang", language.map_or("en", |language| language.tag))];
    speaks.extend(language.filter(|language| language.right_to_left).map(|_| ("dir", "rtl")));
    page.doctype().open("html", &speaks).open("head", &[]);
    page.leaf("meta", &[("charset", "utf-8")]);
    page.leaf("meta", &[("http-equiv", "Content-Security-Policy"), ("content", POLICY)]);
    page.leaf("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
    page.leaf("meta", &[("name", "color-scheme"), ("content", "light dark")]);
    page.leaf("meta", &[("name", "referrer"), ("content", "no-referrer")]);
    page.leaf("meta", &[("name", "generator"), ("content", "Pilothouse")]);
    page.element("title", &[], &title);
    page.style(&STYLES.concat());
    page.close("head").open("body", &[]).open("div", &[("class", "ph")]);
    head(&mut page, state, &title);
    page.open("main", &[("class", "column")]);
    let mut turn = 0;
    for entry in state.entries.iter().filter(|entry| entry.ui_visible) {
        turn += usize::from(descriptions::begins_turn(entry));
        article(&mut page, state, entry, turn);
    }
    page.close("main").close("div").close("body").close("html");
    page.into_text()
}

fn head(page: &mut Page, state: &State, title: &str) {
    page.open("header", &[("class", "title")]).element("h1", &[("dir", "auto")], title);
    page.open("dl", &[("class", "args")]);
    for (name, value) in super::facts(state) {
        page.element("dt", &[], name).element("dd", &[("dir", "auto")], &value);
    }
    page.close("dl");
    let turns: Vec<&Entry> =
        state.entries.iter().map(AsRef::as_ref).filter(|entry| descriptions::begins_turn(entry)).collect();
    if turns.len() > 1 {
        page.open("nav", &[("aria-label", export::TURNS.text())]).open("ol", &[]);
        for (number, entry) in turns.iter().enumerate() {
            let words = excerpt(&entry.text);
            let target = format!("#turn-{}", number + 1);
            page.open("li", &[("dir", "auto")]).element("a", &[("href", &target)], &words).close("li");
        }
        page.close("ol").close("nav");
    }
    page.close("header");
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(LENGTH).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}

fn article(page: &mut Page, state: &State, entry: &Entry, turn: usize) {
    let begins = descriptions::begins_turn(entry);
    let id = format!("turn-{turn}");
    let lane = lane(state, entry);
    let level = match &entry.body {
        Body::Notice(notice) => Some(notice.level.word()),
        _ => None,
    };
    let mut attributes =
        vec![("class", class(entry)), ("data-entry", entry.kind.word()), ("data-state", entry.state.word())];
    attributes.extend(begins.then_some(("id", id.as_str())));
    attributes.extend(lane.as_deref().map(|lane| ("data-lane", lane)));
    attributes.extend(level.map(|level| ("data-level", level)));
    attributes.extend(entry.rewound.then_some(("data-rewound", "")));
    page.open("article", &attributes);
    match (&entry.body, entry.kind) {
        (_, Kind::User) => user(page, state, entry),
        (_, Kind::Assistant) => assistant(page, entry),
        (_, Kind::Reasoning) => {
            fold(page, "", false, &mut |page| _ = page.text(&descriptions::thought(entry)), "");
            prose::prose(page, &entry.text);
            page.close("details");
        }
        (Body::Tool(call), _) => tools::card(page, state, entry, call),
        (Body::Request(request), _) => self::request(page, entry, request),
        (Body::Subagent(agent), _) => {
            let name = agent.title();
            page.open("div", &[("class", "row")]).open("span", &[("class", "i")]).close("span");
            page.open("span", &[("class", "what"), ("dir", "auto")]).element(
                "span",
                &[("class", "agent")],
                name,
            );
            page.text(" ").text(&agent.description).close("span");
            page.element("span", &[("class", "end")], &descriptions::agent_end(entry)).close("div");
            if let Some(error) = &agent.error {
                page.element("div", &[("class", "fail"), ("dir", "auto")], error);
            }
        }
        (Body::Custom(custom), _) => {
            let name = format!("{} {}", custom.source, custom.name);
            let what =
                &mut |page: &mut Page| _ = page.text(&text(entry)).text(" ").element("code", &[], &name);
            fold(page, "card", false, what, "");
            page.open("div", &[("class", "body")]);
            page.element("pre", &[("class", "box wrap"), ("dir", "ltr")], &pretty(&custom.data))
                .close("div")
                .close("details");
        }
        (Body::Facts { event_type, facts }, Kind::Custom | Kind::Generic) => {
            let text = text(entry);
            let name = if text == *event_type { export::UNKNOWN_EVENT.text() } else { &text };
            let what = &mut |page: &mut Page| _ = page.text(name).text(" ").element("code", &[], event_type);
            fold(page, "card", false, what, "");
            page.open("div", &[("class", "body")]).element(
                "pre",
                &[("class", "box wrap"), ("dir", "ltr")],
                &pretty(facts),
            );
            page.close("div").close("details");
        }
        (Body::Notice(notice), _) if notice.level != Level::Milestone => {
            page.open("p", &[("dir", "auto")]).text(&text(entry));
            if notice.count > 1 {
                page.text(" ").element("span", &[("class", "count")], &format!("×{}", notice.count));
            }
            page.close("p");
            if let Some(detail) = &notice.detail {
                page.open("details", &[("class", "more")]).element("summary", &[], export::DETAILS.text());
                page.element("pre", &[("class", "box wrap"), ("dir", "auto")], &detail.words())
                    .close("details");
            }
        }
        _ => {
            page.element("span", &[("dir", "auto")], &text(entry));
            if let Some(fate) = descriptions::rewind_note(entry) {
                page.element("span", &[("class", "tag")], fate);
            }
        }
    }
    page.close("article");
}

fn class(entry: &Entry) -> &'static str {
    match (&entry.body, entry.kind) {
        (_, Kind::User) => "entry user",
        (_, Kind::Assistant) => "entry assistant",
        (_, Kind::Reasoning) => "entry think",
        (Body::Tool(_), _) => "entry tool",
        (Body::Request(_), _) => "entry request",
        (_, Kind::Subagent) => "entry subagent",
        (_, Kind::Custom | Kind::Generic) => "entry generic",
        (_, Kind::Gap) => "entry gap",
        (Body::Notice(notice), _) if notice.level != Level::Milestone => "entry notice",
        _ => "entry milestone",
    }
}

/// Number of the entry's lane colour, which repeats after six as on the page; `None` outside of sub-agents.
fn lane(state: &State, entry: &Entry) -> Option<String> {
    let own = entry.kind == Kind::Subagent;
    let task = if own { Some(entry.id.as_str()) } else { entry.parent_tool_call_id.as_deref() };
    Some((state.subagent_place(task?)? % 6 + 1).to_string())
}

fn user(page: &mut Page, state: &State, entry: &Entry) {
    page.open("div", &[("class", "msg")]).open("div", &[("class", "meta")]);
    page.element("b", &[], &descriptions::author(state, entry));
    for words in descriptions::delivery(entry).into_iter().chain(descriptions::rewind_note(entry)) {
        page.element("span", &[("class", "tag")], words);
    }
    if let Some(at) = entry.at {
        let at = time::iso(at);
        page.element("time", &[("datetime", &at)], &at.replace('T', " ").replace('Z', " UTC"));
    }
    page.close("div");
    prose::prose(page, &entry.text);
    if let Body::User(message) = &entry.body
        && !message.attachments.is_empty()
    {
        page.open("ul", &[("class", "chips")]);
        for name in &attachment_labels(message) {
            page.element("li", &[("class", "chip")], name);
        }
        page.close("ul");
    }
    page.close("div");
}

fn assistant(page: &mut Page, entry: &Entry) {
    prose::prose(page, &entry.text);
    let tag = match (entry.state, entry.text.is_empty()) {
        (EntryState::Interrupted, _) => export::INTERRUPTED,
        (EntryState::Done, true) => export::EMPTY_REPLY,
        _ => return,
    };
    page.element("span", &[("class", "tag")], tag.text());
}

/// What was asked, how it ended, and all details of the request.
fn request(page: &mut Page, entry: &Entry, request: &Request) {
    let intention = request.permission().and_then(|asked| asked.get("intention")?.as_str());
    page.open("p", &[("dir", "auto")]).element("b", &[], descriptions::request_name(request));
    if let Some(intention) = intention {
        page.text(" · ").exact(intention);
    }
    page.close("p");
    let asked = text(entry);
    if !asked.is_empty() {
        page.open("pre", &[("class", "box wrap"), ("dir", "auto")]).exact(&asked).close("pre");
    }
    let words = export::OUTCOME.with(&[("outcome", PLACE.into())]);
    let (before, after) = words.split_once(PLACE).unwrap_or((&words, ""));
    page.open("p", &[("dir", "auto")]).text(before).open("b", &[]).exact(&descriptions::outcome(request));
    page.close("b").text(after).close("p").open("details", &[("class", "more")]);
    page.element("summary", &[], export::ALL_ASKED.text())
        .open("pre", &[("class", "box wrap"), ("dir", "ltr")]);
    page.exact(&pretty(&request.details)).close("pre").close("details");
}

/// Opens a `details` with its summary line. What is written next is inside; the caller closes it.
fn fold(page: &mut Page, class: &str, open: bool, what: &mut dyn FnMut(&mut Page), end: &str) {
    let mut attributes = vec![("class", class)];
    attributes.extend(open.then_some(("open", "")));
    page.open("details", &attributes).open("summary", &[("class", "row")]);
    page.open("span", &[("class", "i")]).close("span");
    page.open("span", &[("class", "what"), ("dir", "auto")]);
    what(page);
    page.close("span").element("span", &[("class", "end")], end).close("summary");
}
