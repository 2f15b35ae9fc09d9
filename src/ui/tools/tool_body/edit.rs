//! An edit as a diff, unified or side by side, with a button to copy it.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use super::parts::arguments;
use super::{CallContext, blocks, writing};
use crate::core::i18n::words::{cards, tools};
use crate::core::model::tool_call::{CallStage, ToolCall};
use crate::core::text::diff::Diff;
use crate::core::view_model::tool_details;
use crate::core::{Entry, State};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::copy_button::copy_button;
use crate::ui::elements::exact::exact;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::tools::diff_view;
use crate::ui::tools::diff_view::{DiffLayout, DiffView, Extent, as_text};

thread_local! {
    /// Whether diffs are shown side by side; the reader's choice for the whole page.
    static SPLIT: ArcRwSignal<bool> = ArcRwSignal::new(false);
}

/// The body of an edit's card.
pub fn show(body: El, at: CallContext) -> El {
    let known = Rc::new(RefCell::new(None::<Rc<Diff>>));
    let version = RwSignal::new(0_u32);
    let latest = known.clone();
    render_effect(move || {
        at.row.head.track();
        let read = |state: &State| tool_details::whole_edit(state, at.index);
        let fresh = at.store.read(read).flatten();
        let mut latest = latest.borrow_mut();
        if latest.as_deref() != fresh.as_ref() {
            *latest = fresh.map(Rc::new);
            version.update(|version| *version = version.wrapping_add(1));
        }
    });
    let body = writing(body, at).child(move || {
        version.track();
        let diff = known.borrow().clone();
        diff.map(|diff| changes(at, diff))
    });
    // An edit that is shown as a diff needs no list of arguments.
    let has_change = memo(move || at.call(|_, call| tool_details::change(call).is_some()).unwrap_or(false));
    let stage = move |entry: &Entry, call: &ToolCall| {
        if has_change.get() || matches!(call.stage, CallStage::Writing) {
            String::new()
        } else {
            entry.state.word().to_owned()
        }
    };
    at.stages(body, stage, |entry, call, state| {
        let mut shown: Vec<El> = arguments(call.arguments.as_deref(), &[]).into_iter().collect();
        if let CallStage::Succeeded(outcome) = &call.stage {
            shown.extend(blocks::result(outcome, &entry.text, state));
        }
        shown
    })
}

/// The diff with its header.
fn changes(at: CallContext, diff: Rc<Diff>) -> El {
    let cwd = at.store.read(|state| state.info.cwd.clone()).flatten();
    let path = at.store.entry(at.index, |entry| {
        entry.tool().map(|call| tool_details::edit_title(call, &diff, cwd.as_deref()))
    });
    let path = path.flatten().unwrap_or_default();
    let undone = move || {
        let undone = at
            .call(|_, call| matches!(call.stage, CallStage::Failed(_) | CallStage::Denied(_)))
            .unwrap_or(false);
        undone.then(|| el("span").class("label").text(tools::NOT_APPLIED.text()))
    };
    let head = div("d-head").child(undone).child(exact(el("span").class("d-path").attr("dir", "ltr"), &path));
    diff_box(head, diff, Extent::Beginning)
}

/// All of a change that is to be approved, with the file's name as it was asked for.
pub fn whole_diff(name: El, diff: Rc<Diff>) -> El {
    diff_box(div("d-head").child(name.class("d-path").attr("dir", "ltr")), diff, Extent::Whole)
}

fn diff_box(head: El, diff: Rc<Diff>, extent: Extent) -> El {
    let (added, removed) = diff.counts();
    let split = SPLIT.with(Clone::clone);
    let (is_split, toggled) = (split.clone(), split.clone());
    let switch = el("button")
        .class("quiet-btn d-switch")
        .attr("type", "button")
        .attr("aria-pressed", move || Some(is_split.get().to_string()))
        .on("click", move |_| toggled.update(|split| *split = !*split))
        .text(tools::SIDE_BY_SIDE.text());
    let copied = diff.clone();
    let head = head
        .child(el("span").class("ins-n").text(format!("+{added}")))
        .child(el("span").class("del-n").text(format!("−{removed}")))
        .child(switch)
        .child(copy_button(cards::THE_DIFF, move || as_text(&copied)));
    let lines = div("changes")
        .attr("translate", "no")
        .attr("tabindex", "0")
        .attr("role", "group")
        .attr("aria-label", tools::CHANGES.text());
    let element = lines.element().clone();
    let shown = RefCell::new(None::<DiffView>);
    render_effect(move || {
        let look = if split.get() { DiffLayout::Split } else { DiffLayout::Unified };
        *shown.borrow_mut() = Some(diff_view::render(&document(), &element, &diff, look, extent));
    });
    div("diffbox").child(head).child(lines)
}
