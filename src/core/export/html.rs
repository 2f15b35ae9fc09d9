//! The session as one HTML file that looks like the page's timeline, made of the same markup. It has no script and no outside
//! references.

use super::descriptions;
use crate::i18n;
use crate::i18n::words::export;
use crate::json_writer::pretty;
use crate::markup::element::{El, Styles, div, el, escape, exact};
use crate::markup::rows::{Extent, Timeline, article};
use crate::model::entry::Entry;
use crate::model::request::Request;
use crate::model::state::State;
use crate::styles;
use crate::view_model::entry_words::text;
use crate::view_model::rows::Rows;
use crate::view_model::tool_summary::PLACE;

/// The page's own style sheets, and one for exported documents.
const STYLES: [&str; 9] = [
    styles::TOKENS,
    styles::CONTROLS,
    styles::TIMELINE,
    styles::CONTENTS,
    styles::PROSE,
    styles::TOOLS,
    styles::PROSE_PARTS,
    styles::CARDS,
    styles::EXPORT,
];

/// The document's Content Security Policy: inline styles, and nothing else.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The whole session as an HTML document.
pub(super) fn document(state: &State) -> String {
    let title = super::title(state);
    let language = i18n::current();
    let tag = language.map_or("en", |language| language.tag);
    let direction = language.filter(|language| language.right_to_left).map(|_| "rtl");
    let (mut body, mut own) = (String::new(), Styles::default());
    div("ph").child(head(state, &title)).child(timeline(state)).write(&mut body, &mut own);
    let meta =
        |name: &'static str, of: &str, content: &str| el("meta").attr(name, of).attr("content", content);
    let metas = [
        el("meta").attr("charset", "utf-8"),
        meta("http-equiv", "Content-Security-Policy", POLICY),
        meta("name", "viewport", "width=device-width, initial-scale=1"),
        meta("name", "color-scheme", "light dark"),
        meta("name", "referrer", "no-referrer"),
        meta("name", "generator", "Pilothouse"),
    ];
    let mut html = "<!doctype html>\n<html".to_owned();
    for (name, value) in [("lang", Some(tag)), ("dir", direction)] {
        if let Some(value) = value {
            html.extend([" ", name, "=\""]);
            escape(value, &mut html);
            html.push('"');
        }
    }
    html.push_str("><head>");
    for meta in metas {
        meta.write(&mut html, &mut Styles::default());
    }
    el("title").text(&title).write(&mut html, &mut Styles::default());
    // `:host` of the page's element is `:root` of the document.
    let rules = STYLES.concat().replace(":host", ":root") + &own.sheet();
    html.extend(["<style>", &rules, "</style></head>\n<body>", &body, "</body></html>\n"]);
    html
}

fn head(state: &State, title: &str) -> El {
    let facts = super::facts(state);
    let fact = |list: El, (name, value): &(&str, String)| {
        list.child(el("dt").text(name)).child(el("dd").attr("dir", "auto").text(value))
    };
    let header = el("header").class("title").child(el("h1").attr("dir", "auto").text(title));
    let header = header.child(facts.iter().fold(el("dl").class("args"), fact));
    let turns: Vec<&Entry> =
        state.entries.iter().map(AsRef::as_ref).filter(|entry| descriptions::begins_turn(entry)).collect();
    let turn = |(number, entry): (usize, &&Entry)| {
        let link = el("a").attr("href", format!("#turn-{}", number + 1)).text(excerpt(&entry.text));
        el("li").attr("dir", "auto").child(link)
    };
    let list = || el("ol").child(turns.iter().enumerate().map(turn).collect::<Vec<_>>());
    header.child((turns.len() > 1).then(|| el("nav").attr("aria-label", export::TURNS.text()).child(list())))
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 100;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = line.chars().take(LENGTH).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}

fn timeline(state: &State) -> El {
    let rows = Rows::default();
    let request = |_: usize, entry: &Entry, asked: &Request| request(entry, asked);
    let at = Timeline { state, rows: &rows, extent: Extent::Document, request: &request };
    let mut turn = 0;
    let shown = state.entries.iter().enumerate().filter(|(_, entry)| entry.ui_visible);
    let row = |(index, entry): (usize, &std::sync::Arc<Entry>)| {
        turn += usize::from(descriptions::begins_turn(entry));
        let id = descriptions::begins_turn(entry).then(|| format!("turn-{turn}"));
        let row = article(at, index)?.without_controls();
        // A document has links of its own.
        Some(row.attr("data-id", None::<&str>).attr("id", id))
    };
    el("main").class("column").child(shown.filter_map(row).collect::<Vec<_>>())
}

/// What was asked, how it ended, and all details of the request.
fn request(entry: &Entry, request: &Request) -> Vec<El> {
    let intention = request.permission().and_then(|asked| asked.get("intention")?.as_str());
    let line = el("p").attr("dir", "auto").child(el("b").text(descriptions::request_name(request)));
    let line = match intention {
        Some(intention) => exact(line.text(" · "), intention),
        None => line,
    };
    let asked = text(entry);
    let boxed = |direction: &str, text: &str| exact(el("pre").class("box wrap").attr("dir", direction), text);
    let words = export::OUTCOME.with(&[("outcome", PLACE.into())]);
    let (before, after) = words.split_once(PLACE).unwrap_or((&words, ""));
    let outcome = exact(el("b"), &descriptions::outcome(request));
    let outcome = el("p").attr("dir", "auto").text(before).child(outcome).text(after);
    let all = el("details").class("more").child(el("summary").text(export::ALL_ASKED.text()));
    let asked = (!asked.is_empty()).then(|| boxed("auto", &asked));
    [line]
        .into_iter()
        .chain(asked)
        .chain([outcome, all.child(boxed("ltr", &pretty(&request.details)))])
        .collect()
}
