//! The rows of the timeline, each an article of its kind.

use serde_json::Value;

use super::element::{El, div, el, exact, glyph};
use super::fold::{Fold, disclosure, pieces};
use super::prose::{last_blocks, prose};
use super::tools;
use crate::i18n::words::{page, timeline};
use crate::json_writer::pretty;
use crate::model::entry::{Body, Entry, EntryState, Kind, Notice, Subagent};
use crate::model::reference::Reference;
use crate::model::request::Request;
use crate::model::state::State;
use crate::view_model::entry_words::{self, attachment_labels, rewind_effect, task_outcome};
use crate::view_model::icon::Icon;
use crate::view_model::message_words;
use crate::view_model::notice_words;
use crate::view_model::picture::attached_picture;
use crate::view_model::rows::{Rows, lanes};
use crate::view_model::summary_line;
use crate::view_model::timeline_row::{Layout, is_unknown, lane, lane_agent, level, row_label};
use crate::wire::time;

/// Bytes of a picture that come with the page. A larger one is shown when the page is live.
const LARGEST_PICTURE: usize = 32 * 1024;

/// What is the same for all rows.
#[derive(Clone, Copy)]
pub struct Timeline<'a> {
    /// The session.
    pub state: &'a State,
    /// Which rows are hidden or folded.
    pub rows: &'a Rows,
    /// How much of it is shown.
    pub extent: Extent,
    /// Makes what is in the article of a request. What makes documents brings its own, without the code of cards.
    pub request: &'a dyn Fn(usize, &Entry, &Request) -> Vec<El>,
}

/// How much of a row is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// What the page shows at first, and of a message at most so many bytes, its end.
    Screen(usize),
    /// Everything: what is folded can be unfolded.
    Document,
}

/// A row; none if there is no such entry.
pub fn article(at: Timeline<'_>, index: usize) -> Option<El> {
    let Timeline { state, rows, extent, request: make } = at;
    let whole = extent == Extent::Document;
    let entry = state.entry(index)?;
    let layout = Layout::of(entry);
    let lanes = lanes(state, entry);
    let (colour, depth) = lane(index, &lanes, entry.kind == Kind::Subagent).unzip();
    let calls = (layout == Layout::Tool).then(|| rows.parallel_calls(state, index)).flatten();
    let first = calls.as_ref().is_some_and(|calls| calls.first() == Some(&index));
    let article = el("article")
        .attr("tabindex", "-1")
        .attr("role", "article")
        .attr("part", "entry")
        .attr("data-entry", entry.kind.word())
        .attr("data-id", &entry.id)
        .attr("class", layout.class(entry))
        .attr("aria-label", row_label(state, entry, &lanes))
        .attr("data-state", entry.state.word())
        .attr("data-lane", colour.map(|colour| colour.to_string()))
        .attr("data-depth", depth.filter(|depth| *depth != 1).map(|depth| depth.to_string()))
        .attr("data-parallel", calls.as_ref().map(|_| if first { "first" } else { "more" }))
        .attr("data-rewound", entry.rewound)
        .attr("data-level", level(entry));
    Some(match (layout, &entry.body) {
        (Layout::User, _) => user(article, state, entry),
        (Layout::Assistant, _) => {
            let who = lane_agent(state, &lanes).map(|agent| el("span").class("agent who").text(agent));
            assistant(article.child(who), entry, extent)
        }
        (Layout::Reasoning, _) => {
            let what = el("span").class("what").text(message_words::thought(entry));
            let streams = entry.state == EntryState::Streaming;
            let fold = Fold { open: streams, ..Fold::new("", Icon::Thought) };
            article.child(fold.of(what, el("span").class("end"), whole, || message(entry, extent)))
        }
        (Layout::Tool, Body::Tool(call)) => {
            let head = calls.filter(|_| first).map(|calls| parallel(state, &calls));
            article.child(head).child(tools::card(state, index, entry, call, whole))
        }
        (Layout::Request, Body::Request(request)) => article.child(make(index, entry, request)),
        (Layout::Subagent, Body::Subagent(agent)) => {
            subagent(article, state, entry, agent, rows.lane_open(state, index))
        }
        (Layout::Facts, Body::Custom(custom)) => {
            let what = pieces(el("span").class("what").attr("dir", "auto"), summary_line::custom(entry));
            let end = pieces(el("span").class("end"), summary_line::custom_end(entry));
            let fold = Fold::new("card", Icon::Braces);
            article.child(fold.of(what, end, whole, || data(&custom.data)))
        }
        (Layout::Facts, body) => {
            let name = entry_words::text(entry);
            let of = if let Body::Facts { event_type, .. } = body { event_type.as_str() } else { &name };
            let (label, of) =
                if is_unknown(&name, of) { (timeline::UNKNOWN_EVENT.text(), &*name) } else { (&*name, of) };
            let what = el("span").class("what").text(label).text(" ").child(el("code").text(of));
            let facts = || match body {
                Body::Facts { facts, .. } => data(facts),
                _ => div("body"),
            };
            article.child(Fold::new("card", Icon::Braces).of(what, el("span").class("end"), whole, facts))
        }
        (Layout::Milestone, _) => milestone(article, entry, extent),
        (Layout::Notice, Body::Notice(notice)) => article.child(self::notice(state, entry, notice)),
        _ => article.child(el("span").text(entry_words::text(entry))),
    })
}

/// A message's text; of a very long one the end, below a line that says so.
fn message(entry: &Entry, extent: Extent) -> El {
    let Extent::Screen(longest) = extent else { return prose(&entry.text) };
    if entry.text.len() <= longest {
        return prose(&entry.text);
    }
    let (blocks, cut) = last_blocks(&entry.text, longest);
    let note = cut.then(|| el("p").class("hint").text(page::EARLIER_LOADED.text()));
    div("prose").child(note).child(blocks)
}

/// Data as it came.
fn data(value: &Value) -> El {
    let text = pretty(value);
    div("body").child(exact(el("pre").class("box wrap").attr("dir", "ltr"), &text))
}

fn rewind_tag(entry: &Entry) -> Option<El> {
    let tag = |effect: crate::i18n::Word| {
        el("span").class("tag").attr("title", timeline::REWOUND_TELLS.text()).text(effect.text())
    };
    rewind_effect(entry).map(tag)
}

fn user(article: El, state: &State, entry: &Entry) -> El {
    let tag = message_words::delivery(entry);
    let tag = tag.map(|tag| el("span").class("tag").child(glyph(Icon::Queue)).text(tag.text()));
    // The time is that of whoever reads, which only their browser knows. Without a script it is in UTC.
    let at = entry.at.map(|at| {
        let iso = time::iso(at);
        let clock = iso.get(11..16).map(|clock| format!("{clock} UTC")).unwrap_or_default();
        el("time").attr("datetime", &iso).text(clock)
    });
    let meta = div("meta")
        .child(el("b").text(message_words::author(state, entry)))
        .child(tag)
        .child(rewind_tag(entry))
        .child(at);
    let mut inside = div("msg").child(glyph(Icon::User)).child(meta).child(prose(&entry.text));
    if let Body::User(message) = &entry.body {
        let chips: Vec<El> = attachment_labels(message)
            .iter()
            .enumerate()
            .map(|(place, label)| chip(label, attached_picture(message, place, state).as_deref()))
            .collect();
        inside = inside.child((!chips.is_empty()).then(|| el("ul").class("chips").child(chips)));
        inside = inside.child(references(&message.references, ("ul", "li")));
    }
    let work = message_words::work_done(entry, state.info.last_event_at);
    article.child(inside).child(work.map(|work| el("p").class("turn").text(work)))
}

/// An attachment: a thumbnail with its name, or only the name.
fn chip(name: &str, picture: Option<&str>) -> El {
    let face = match picture {
        Some(address) => {
            let source = Some(address).filter(|address| address.len() <= LARGEST_PICTURE);
            el("img").attr("alt", "").attr("src", source)
        }
        None => glyph(Icon::File),
    };
    let chip = el("li").class("chip").attr("data-picture", picture.is_some());
    chip.child(face).child(el("span").text(name))
}

/// The list; within a line of elements that a parser leaves there.
fn references(all: &[Reference], (list, item): (&'static str, &'static str)) -> Option<El> {
    let row = |reference: &Reference| {
        let Reference { name, icon, url, implicit, .. } = reference;
        let sign = el("span").class("ref-icon").attr("data-icon", icon).attr("title", icon);
        let sign = if icon.is_ascii() || icon.chars().count() > 4 {
            sign.child(glyph(notice_words::reference_icon(icon)))
        } else {
            sign.attr("aria-hidden", "true").text(icon)
        };
        let place = el(item).child(sign);
        let place = match anchor(url) {
            Some(anchor) => place.child(anchor.text(name)),
            None => place.text(name),
        };
        let passed = || {
            let tag = el("span").class("tag").attr("title", timeline::IMPLICIT_TELLS.text());
            tag.text(timeline::IMPLICIT.text())
        };
        place.child(implicit.then(passed))
    };
    (!all.is_empty()).then(|| el(list).class("links").child(all.iter().map(row).collect::<Vec<_>>()))
}

/// A link, if the address may be opened.
fn anchor(url: &str) -> Option<El> {
    let link =
        || el("a").attr("href", url).attr("target", "_blank").attr("rel", "noopener noreferrer nofollow");
    notice_words::may_lead_to(url).then(link)
}

fn assistant(article: El, entry: &Entry, extent: Extent) -> El {
    let ending = message_words::ending(entry);
    let ending = ending.map(|words| el("span").class("tag").child(glyph(Icon::Stop)).text(words.text()));
    let phase = message_words::phase(entry).map(|phase| el("span").class("tag").text(phase));
    article.child(message(entry, extent)).child(ending).child(rewind_tag(entry)).child(phase)
}

/// The line above calls that run together.
fn parallel(state: &State, calls: &[usize]) -> El {
    el("button")
        .class("row parallel")
        .attr("type", "button")
        .attr("disabled", true)
        .attr("aria-expanded", "true")
        .child(glyph(Icon::List))
        .child(pieces(el("span").class("what"), summary_line::parallel(state, calls, true)))
        .child(pieces(el("span").class("end"), summary_line::parallel_end(state, calls)))
}

fn subagent(article: El, state: &State, entry: &Entry, agent: &Subagent, open: bool) -> El {
    let line = el("button")
        .class("row")
        .attr("type", "button")
        .attr("disabled", true)
        .attr("aria-expanded", if open { "true" } else { "false" })
        .child(glyph(Icon::Agent))
        .child(pieces(el("span").class("what"), summary_line::subagent(agent)))
        .child(pieces(el("span").class("end"), summary_line::subagent_end(entry.state, agent)));
    let error = agent.error.as_ref().filter(|error| !error.is_empty());
    let facts = open.then(|| {
        let facts = summary_line::subagent_facts(agent);
        let facts = (!facts.is_empty()).then(|| el("p").class("quiet").text(facts));
        let result = summary_line::given_back(state, entry);
        let result = result.and_then(|result| disclosure(timeline::GIVEN_BACK, &result));
        div("lane-facts").child(facts).child(result)
    });
    article.child(line).child(error.map(|error| div("fail").text(error))).child(facts)
}

fn notice(state: &State, entry: &Entry, notice: &Notice) -> Vec<El> {
    let text = notice_words::one_line(entry);
    let cut = notice_words::is_cut(entry, notice.level);
    let count = (notice.count > 1).then(|| timeline::TIMES.with(&[("n", i64::from(notice.count).into())]));
    let says = el("p")
        .attr("dir", "auto")
        .attr("class", cut.then_some("line"))
        .child(notice_words::tag(entry).map(|tag| el("span").class("tag").text(tag)))
        .text(" ")
        .child(references(&notice.references, ("span", "span")))
        .text(if notice.references.is_empty() { text.as_str() } else { "" })
        .text(" ")
        .child(count.map(|count| el("span").class("count").text(count)));
    let remedy = notice.remedy.as_ref().map(|remedy| el("span").text(remedy.words()));
    let url = notice.url.as_deref();
    let link = url.and_then(|url| Some(anchor(url)?.text(url.split('/').nth(2).unwrap_or_default())));
    let remedy = el("p").class("remedy").child(remedy).text(" ").child(link);
    let about = notice_words::about(state, notice).map(|about| {
        let lead = el("button").class("link").attr("type", "button").attr("disabled", true);
        let whole = el("p").class("about").attr("data-about", &about.id);
        if about.place.is_some() { whole.child(lead.text(&about.words)) } else { whole.text(&about.words) }
    });
    let detail = notice.detail.as_ref().map(|detail| detail.words().into_owned()).unwrap_or_default();
    let earlier = notice.earlier.iter().map(|earlier| earlier.words().into_owned()).collect::<Vec<_>>();
    let inside = div("notice-body")
        .child(says)
        .child(remedy)
        .child(about)
        .child(if cut { disclosure(timeline::SHOW_ALL, &text) } else { None })
        .child(disclosure(timeline::DETAILS, &detail))
        .child(disclosure(timeline::EARLIER, &earlier.join("\n")));
    vec![glyph(notice_words::icon(notice.level)), inside]
}

fn milestone(article: El, entry: &Entry, extent: Extent) -> El {
    let summary = entry.kind == Kind::Summary;
    let outcome = task_outcome(entry.state).text();
    let says = entry_words::text(entry);
    let label = el("span").class("label").child(glyph(notice_words::milestone_icon(entry)));
    let label = label.text(if summary { outcome } else { &says });
    let article = article.child(label).child(rewind_tag(entry));
    if summary {
        return article.child((says != outcome).then(|| message(entry, extent)));
    }
    let behind = notice_words::milestone_detail(entry).unwrap_or_default();
    let figures = notice_words::milestone_figures(entry).unwrap_or_default();
    article
        .child(disclosure(notice_words::milestone_detail_title(entry), &behind))
        .child(disclosure(timeline::FIGURES, &figures))
}
