//! The one-line header: what the agent is doing, where, with which model, how full its context is; and the page's buttons.

use super::element::{El, div, el, glyph};
use crate::connection::ConnectionState;
use crate::i18n::Word;
use crate::i18n::format::{count, without_marks};
use crate::i18n::words::page;
use crate::model::state::State;
use crate::view_model::icon::Icon;
use crate::view_model::{snapshot, status_line};

/// The header.
pub fn bar(state: &State, readonly: bool) -> El {
    let status = state.shown_status();
    let word = status_line::status(status, &ConnectionState::Open, readonly);
    let phrase = |class: &str, text: Option<String>| {
        let text = text.map(|text| without_marks(&text)).unwrap_or_default();
        let title = Some(text.clone()).filter(|text| !text.is_empty());
        el("span").class(class).attr("title", title).text(text)
    };
    let lines = div("bar-lines")
        .child(el("span").class("word").text(word.text()))
        .child(phrase("session-title", snapshot::title(state)))
        .child(phrase("intent", status_line::intent(state)))
        .child(queue(state));
    let tag = |icon, word: Word| {
        let tag = el("span").class("tag").attr("title", word.text());
        tag.child(glyph(icon)).child(el("span").text(word.text()))
    };
    let allows_all = state.info.permission_mode.as_deref() == Some("allow-all");
    let allows_all = allows_all.then(|| {
        let chip = el("span").class("chip allows").attr("title", page::ALLOWS_ALL_TIP.text());
        chip.child(glyph(Icon::Warning)).child(el("span").text(page::ALLOWS_ALL.text()))
    });
    let fact = |class: &str, text: Option<String>| {
        text.filter(|text| !text.is_empty()).map(|text| el("span").class(class).text(text))
    };
    let facts = div("bar-facts")
        .child(fact("fact by", state.info.agent.clone()))
        .child(fact("fact elapsed", Some(status_line::elapsed(state.info.running_for(), 0))))
        .child(fact("fact bytes", status_line::response_size(state)))
        .child(fact("fact mode", status_line::mode(state)))
        .child(fact("fact model", status_line::model(state)))
        .child(fact("fact place", status_line::directory(state)));
    el("header")
        .class("bar")
        .attr("part", "header")
        .attr("data-status", status)
        .child(el("slot").attr("name", "header-start"))
        .child(el("span").class("dot"))
        .child(lines)
        .child(readonly.then(|| tag(Icon::Lock, page::READ_ONLY)))
        .child(allows_all)
        .child(facts)
        .child(status_line::context_percent(&state.usage).map(meter))
        .child(el("slot").attr("name", "header"))
        .child(views())
}

/// How many messages are queued, as far as that is known; the page asks.
fn queue(state: &State) -> El {
    let known = status_line::queued(state).unwrap_or(0);
    el("span")
        .class("chip")
        .attr("data-queue-count", known.to_string())
        .attr("title", page::QUEUE_WAITS.with(&[("n", known.into())]))
        .child(glyph(Icon::Queue))
        .text(count(i64::try_from(known).unwrap_or(i64::MAX)))
        .child(el("span").text(page::QUEUED.text()))
}

/// The context window as a ring.
fn meter(percent: i64) -> El {
    let words = |word: Word| word.with(&[("n", percent.into())]);
    let ring = el("span").class("ring").property("--_v", &percent.to_string());
    let ring = ring.attr("data-level", (percent >= 80).then_some("high"));
    let summary = el("summary").attr("aria-label", words(page::CONTEXT_FULL));
    let summary = summary.child(ring).child(el("span").text(words(page::PERCENT)));
    el("details").class("meter").child(summary)
}

/// The buttons for views. Where the header is narrow, the style sheet makes a menu of them.
fn views() -> El {
    let button = |icon, name: Word| {
        el("button")
            .attr("type", "button")
            .class("btn bare")
            .attr("part", "button")
            .attr("disabled", true)
            .attr("aria-label", name.text())
            .attr("title", name.text())
            .child(glyph(icon))
    };
    let item = |icon, name: Word| button(icon, name).child(el("span").class("label").text(name.text()));
    let views = div("toolbar")
        .attr("role", "group")
        .attr("aria-label", page::VIEWS.text())
        .child(item(Icon::Search, page::SEARCH))
        .child(item(Icon::Lens, page::LENS))
        .child(item(Icon::Braces, page::LOG))
        .child(item(Icon::Clock, page::TRAVEL))
        .child(item(Icon::Panel, page::PANEL))
        .child(el("slot").attr("name", "menu"));
    div("views").child(button(Icon::Menu, page::MENU).class("btn bare menu")).child(views)
}
