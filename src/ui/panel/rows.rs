//! A list of lines that keeps the elements, and the focus, of lines that have not changed.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node, ShadowRoot};

use super::go_to;
use crate::core::i18n;
use crate::core::i18n::Word;
use crate::store::Store;
use crate::ui::elements::builder::{El, append, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::render_effect;

/// What a section of the panel lists.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SectionList {
    /// Shown beside the heading: '2 of 4', '+12 −3'.
    pub note: String,
    /// The lines.
    pub lines: Vec<ListLine>,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ListLine {
    /// Its state: the name that shapes its dot, and the word for it.
    pub state: Option<(&'static str, Word)>,
    /// The main text.
    pub text: String,
    /// The text is shown as code.
    pub code: bool,
    /// Figures at the end of the line.
    pub end: String,
    /// Lines added and removed.
    pub lines: Option<(usize, usize)>,
    /// A quieter text below.
    pub more: String,
    /// The row of the entry that it leads to.
    pub row: Option<usize>,
    /// How much of something is used, in per cent.
    pub share: Option<f64>,
}

/// A number with all its digits, as the language writes it.
pub(super) fn format_count(number: usize) -> String {
    i18n::hundredths(i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(100))
}

impl SectionList {
    /// Whether it has any.
    pub(super) fn has_lines(&self) -> bool {
        !self.lines.is_empty()
    }
}

/// The list of a section.
pub(super) fn rows(store: Store, list: Memo<SectionList>) -> El {
    let place = el("ul").class("lines").on("click", move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let line = target.and_then(|target| target.closest("[data-to]").ok().flatten());
        let row = line.and_then(|line| line.get_attribute("data-to")?.parse().ok());
        if let Some(row) = row {
            go_to(store, row);
        }
    });
    let host = place.element().clone();
    let shown = StoredValue::new_local(Vec::<(ListLine, El)>::new());
    render_effect(move || {
        // A line that is being pressed is not replaced: its click would be lost, or lead elsewhere.
        if !press_guard::is_pressed_in(std::iter::once(&host)) {
            list.with(|list| shown.update_value(|shown| refresh(&host, shown, &list.lines)));
        }
    });
    place
}

fn refresh(host: &Element, shown: &mut Vec<(ListLine, El)>, lines: &[ListLine]) {
    for (_, gone) in shown.drain(lines.len().min(shown.len())..) {
        gone.element().remove();
    }
    for (place, line) in lines.iter().enumerate() {
        match shown.get_mut(place) {
            Some((old, _)) if old == line => {}
            Some((old, element)) => {
                let fresh = draw(line);
                let focused = has_focus(element.element());
                // Both are elements, and the old one is in the list: this can't fail.
                let _ = element.element().replace_with_with_node_1(fresh.element());
                if focused && let Ok(Some(button)) = fresh.element().query_selector("button") {
                    let _ = button.dyn_into::<HtmlElement>().map(|button| button.focus());
                }
                (*old, *element) = (line.clone(), fresh);
            }
            None => {
                let fresh = draw(line);
                append(host, &fresh);
                shown.push((line.clone(), fresh));
            }
        }
    }
}

fn has_focus(element: &Element) -> bool {
    let node: &Node = element;
    let root = node.get_root_node().dyn_into::<ShadowRoot>().ok();
    let active = root.and_then(|root| root.active_element());
    active.is_some_and(|active| element.contains(Some(&active)))
}

fn draw(line: &ListLine) -> El {
    let inside = match line.row {
        Some(row) => el("button").attr("type", "button").attr("data-to", row.to_string()),
        None => el("div"),
    };
    let inside = inside.class("line");
    let inside = match line.state {
        Some((state, word)) => {
            let dot = el("span").class("spot").attr("data-state", state);
            inside.child(dot.child(el("span").class("sr-only").text(format!("{}: ", word.text()))))
        }
        None => inside,
    };
    let text = el(if line.code { "code" } else { "span" }).class("text").attr("dir", "auto");
    let text = exact(text, &line.text);
    let some = |class: &str, text: &str| (!text.is_empty()).then(|| exact(el("span").class(class), text));
    let counts = line.lines.map(|(added, removed)| {
        let count = |class: &str, text: String| el("span").class(class).text(&text);
        let added = count("plus", format!("+{added}"));
        let removed = (removed > 0).then(|| count("minus", format!(" −{removed}")));
        el("span").class("tail").text(&line.end).text(" ").child(added).child(removed)
    });
    let end = if counts.is_none() { some("tail", &line.end) } else { None };
    let bar = line.share.map(|share| {
        let fill = el("span").attr("style", format!("inline-size:{:.1}%", share.clamp(0.0, 100.0)));
        let fill = if share >= 90.0 { fill.attr("data-level", "high") } else { fill };
        el("span").class("share").attr("aria-hidden", "true").child(fill)
    });
    let inside = inside.child(text).child(counts).child(end).child(some("more", &line.more));
    el("li").child(inside.child(bar))
}
