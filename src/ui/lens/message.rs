//! One line of the lens: a message exactly as the model reads it, or what became of removed messages.
//! Markdown is not rendered, because the characters themselves matter.

use std::rc::Rc;

use leptos::prelude::*;

use super::{LensHighlight, LensPanel};
use crate::core::i18n::words::lens;
use crate::core::i18n::{Value, Word};
use crate::core::model::model_context::Role;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::lens::lines::LensLine;
use crate::core::view_model::lens::message_facts::{MessageFacts, cut};
use crate::core::view_model::lens::{Growth, Spot, WordRun, compare, figure};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::exact::exact;

/// What in a line can be opened and closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldablePart {
    /// The whole text.
    Text,
    /// The arguments of a call.
    Call(usize),
    /// The comparison with what people see.
    Compare,
    /// What people see, in a comparison of two texts.
    People,
    /// The messages of a removal.
    Removal,
}

impl LensPanel {
    /// The element of the line with this serial.
    pub(super) fn line(self: &Rc<Self>, serial: u64) -> El {
        let nth = self.lines.borrow().place_of_serial(serial).unwrap_or_default();
        let line = self.lines.borrow().list().get(nth).copied();
        let line = match line {
            Some(LensLine::Message(spot, serial)) => self.message(spot, serial, nth),
            Some(LensLine::Removal(place, serial)) => self.removal(place, serial, nth),
            None => div("m"),
        };
        let panel = Rc::downgrade(self);
        line.attr("data-serial", serial.to_string()).attr("data-line", move || {
            let panel = panel.upgrade()?;
            panel.relisted.track();
            Some(panel.lines.borrow().place_of_serial(serial)?.to_string())
        })
    }

    fn article(self: &Rc<Self>, class: &str, serial: u64, lit: LensHighlight) -> El {
        let view = self.view;
        let out = move |_: &web_sys::Event| view.highlight(LensHighlight::default());
        let light = move |_: &web_sys::Event| view.highlight(lit.clone());
        el("article")
            .class(class)
            .attr("role", "article")
            .attr("tabindex", "-1")
            .on("mouseenter", light.clone())
            .on("focusin", light)
            .on("mouseleave", out)
            .attr("data-lit", move || view.highlighted.with(|lit| lit.messages.contains(&serial)))
    }

    fn message(self: &Rc<Self>, spot: Spot, serial: u64, nth: usize) -> El {
        let article = self.article("m", serial, self.highlighted_by(spot));
        let facts = self.view.read(self.store, |index, state| {
            let (message, removal) = index.find(state, spot)?;
            let relation = message.entry.and_then(|entry| index.relation(state, entry));
            Some(MessageFacts::of(state, message, relation.as_ref(), removal.map(|removal| removal.cause)))
        });
        let Some(facts) = facts.flatten() else { return article };
        let name = lens::MESSAGE.with(&[("at", (nth + 1).into()), ("who", (&facts.who).into())]);
        let comparing = RwSignal::new(self.is_open(serial, FoldablePart::Compare, false));
        let head = self.head(&facts, serial, comparing);
        let article = article
            .attr("data-message", facts.role.word())
            .attr("aria-label", &name)
            .attr("data-gone", facts.gone.is_some())
            .child(head);
        let calls = facts.calls.clone();
        let panel = Rc::clone(self);
        let article = article.child(move || {
            if comparing.get()
                && let Some(people) = &facts.people
            {
                return panel.comparison(serial, people, &facts.content);
            }
            if facts.content.is_empty() {
                let words = if facts.calls.is_empty() { lens::EMPTY } else { lens::ONLY_CALLS };
                return vec![el("p").class("hint").text(words.text())];
            }
            let class = if facts.role == Role::Tool { "model-text mono" } else { "model-text" };
            panel.text(class, serial, FoldablePart::Text, facts.content.clone())
        });
        calls.into_iter().enumerate().fold(article, |article, (nth, (tool, arguments))| {
            let name = el("p")
                .class("m-call")
                .child(glyph(Icon::Braces))
                .text(lens::CALLS.text())
                .text(" ")
                .child(el("code").text(&tool));
            article.child(name).child(self.text(
                "model-text mono",
                serial,
                FoldablePart::Call(nth),
                arguments,
            ))
        })
    }

    fn head(self: &Rc<Self>, facts: &MessageFacts, serial: u64, comparing: RwSignal<bool>) -> El {
        let who = || vec![glyph(icon(facts.role)), el("b").text(&facts.who)];
        let who = match facts.entry {
            Some(entry) => {
                let panel = Rc::downgrade(self);
                let go = move |_: &web_sys::Event| {
                    if let Some(panel) = panel.upgrade() {
                        panel.go_to(entry);
                    }
                };
                let button = el("button").attr("type", "button").class("m-who");
                let button = button.attr("title", lens::SHOW_IN_TIMELINE.text());
                button.child(who()).on("click", go)
            }
            None => el("span").class("m-who").child(who()),
        };
        let tag = match (facts.gone, facts.unseen) {
            (Some(_), _) => Some(lens::TAG_GONE),
            (None, true) => Some(lens::TAG_UNSEEN),
            (None, false) => None,
        };
        let mut figures = figure(facts.content.chars().count(), lens::CHARACTERS);
        if let Some(tokens) = facts.tokens {
            figures = format!("{figures} · {}", lens::TOKENS.with(&[("n", Value::Count(tokens))]));
        }
        let panel = Rc::clone(self);
        let compare = facts.people.is_some().then(|| {
            el("button")
                .attr("type", "button")
                .class("btn small")
                .attr("aria-pressed", move || Some(comparing.get().to_string()))
                .text(lens::COMPARE.text())
                .on("click", move |_| {
                    comparing.update(|on| *on = !*on);
                    panel.set_open(serial, FoldablePart::Compare, comparing.get_untracked());
                })
        });
        el("header")
            .child(who)
            .child(tag.map(|tag| el("span").class("tag").text(tag.text())))
            .child(el("span").class("m-size").text(&figures))
            .child(compare)
    }

    /// A text as it is; a long one is folded, and its size shown.
    fn text(self: &Rc<Self>, class: &'static str, serial: u64, part: FoldablePart, text: String) -> Vec<El> {
        let cut = cut(&text);
        let Some(cut) = cut else {
            return vec![exact(el("pre").class(class).attr("dir", "auto"), &text)];
        };
        let open = RwSignal::new(self.is_open(serial, part, false));
        let panel = Rc::clone(self);
        let size = figure(text.chars().count(), lens::CHARACTERS);
        let more = el("button")
            .attr("type", "button")
            .class("m-more")
            .attr("aria-expanded", move || Some(open.get().to_string()))
            .text(move || {
                if open.get() {
                    lens::SHOW_LESS.text().to_owned()
                } else {
                    lens::SHOW_ALL.with(&[("size", (&size).into())])
                }
            })
            .on("click", move |_| {
                open.update(|open| *open = !*open);
                panel.set_open(serial, part, open.get_untracked());
            });
        let body = div("m-text").child(move || {
            let part = if open.get() { Some(text.as_str()) } else { text.get(..cut) };
            Some(exact(el("pre").class(class).attr("dir", "auto"), part.unwrap_or(&text)))
        });
        vec![body, more]
    }

    /// Both texts merged, or one after the other if they have nothing in common.
    fn comparison(self: &Rc<Self>, serial: u64, people: &str, model: &str) -> Vec<El> {
        let Some(pieces) = compare(people, model) else {
            let label = |words: Word| el("p").class("m-side").text(words.text());
            let mut all = vec![label(lens::YOU_SEE)];
            all.extend(self.text("model-text mono", serial, FoldablePart::People, people.to_owned()));
            all.push(label(lens::MODEL_READS));
            all.extend(self.text("model-text mono", serial, FoldablePart::Text, model.to_owned()));
            return all;
        };
        let key = el("p").class("m-side").text(lens::BOTH.text()).text(" · ");
        let key = key.child(el("ins").text(lens::ONLY_MODEL.text())).text(" · ");
        let key = key.child(el("del").text(lens::ONLY_YOU.text()));
        let body =
            pieces.iter().fold(el("pre").class("model-text both").attr("dir", "auto"), |host, piece| {
                match piece {
                    WordRun::Both(text) => exact(host, text),
                    WordRun::People(text) => host.child(exact(el("del").attr("dir", "auto"), text)),
                    WordRun::Model(text) => host.child(exact(el("ins").attr("dir", "auto"), text)),
                }
            });
        vec![key, body]
    }

    fn removal(self: &Rc<Self>, place: usize, serial: u64, nth: usize) -> El {
        let facts = self.view.read(self.store, |index, state| {
            let removal = index.view(state)?.removals().get(place)?;
            let lit = LensHighlight {
                entries: removal
                    .messages
                    .iter()
                    .filter_map(|message| message.entry)
                    .chain([removal.entry])
                    .collect(),
                messages: vec![serial],
            };
            Some((removal.words(), removal.entry, lit, removal.messages.is_empty()))
        });
        let Some((words, entry, lit, empty)) = facts.flatten() else { return div("m") };
        let (panel, opened) = (Rc::downgrade(self), Rc::downgrade(self));
        let open = move || {
            let Some(panel) = opened.upgrade() else { return "false" };
            panel.relisted.track();
            if panel.is_open(serial, FoldablePart::Removal, false) { "true" } else { "false" }
        };
        let toggle = el("button")
            .attr("type", "button")
            .class("m-gone")
            .attr("aria-expanded", open)
            .attr("disabled", empty)
            .child(glyph(Icon::Compact))
            .child(el("span").text(&words))
            .child((!empty).then(|| glyph(Icon::Chevron)))
            .on("click", move |_| {
                if let Some(panel) = panel.upgrade() {
                    panel.set_open(
                        serial,
                        FoldablePart::Removal,
                        !panel.is_open(serial, FoldablePart::Removal, false),
                    );
                    panel.rebuild_list(Growth::Rebuilt);
                }
            });
        let panel = Rc::downgrade(self);
        let go = el("button").attr("type", "button").class("m-more").text(lens::SHOW_IN_TIMELINE.text());
        let go = go.on("click", move |_| {
            if let Some(panel) = panel.upgrade() {
                panel.go_to(entry);
            }
        });
        self.article("m removal", serial, lit)
            .attr("aria-label", lens::LINE.with(&[("at", (nth + 1).into()), ("what", (&words).into())]))
            .child(toggle)
            .child(go)
    }
}

fn icon(role: Role) -> Icon {
    match role {
        Role::System | Role::Developer => Icon::Lock,
        Role::User => Icon::User,
        Role::Assistant => Icon::Spark,
        Role::Tool => Icon::Terminal,
    }
}
