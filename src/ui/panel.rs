//! The panel: what surrounds the conversation, in sections that are shown while they have content.
//!
//! A chunk of its own; `side` places it.

mod attention;
mod costs;
mod drawer;
mod files;
mod lists;
mod notification_settings;
mod notifications;
mod rows;

use leptos::prelude::*;

use super::elements::builder::{El, div, el};
use super::elements::icons::Icon;
use super::elements::reactive::memo;
use super::lazy;
use super::message::text::Written;
use crate::client::store::Store;
use crate::core::i18n::Word;
use crate::core::i18n::words::panel as words;
use crate::core::model::change::Section;
use crate::core::view_model::panel;
use crate::core::view_model::panel::{Plan, Surroundings};
use rows::{Piece, rows};

/// The state that the sections share.
#[derive(Clone, Copy)]
struct Panel {
    store: Store,
    all: Memo<Surroundings>,
}

/// A section's heading, and its place in the order.
#[derive(Clone, Copy)]
struct Head {
    place: usize,
    name: Word,
    icon: Icon,
    /// Whether it is open until the reader folds it.
    open: bool,
}

/// The content of the panel, below its title.
pub fn panel(store: Store) -> El {
    let all = memo(move || store.section(Section::Surroundings, panel::of).unwrap_or_default());
    let panel = Panel { store, all };
    let inside = div("panel");
    let inside = panel.plan(inside);
    let mut anything = vec![memo(move || all.with(|all| all.plan.is_some()))];
    let lists = [
        (Head { place: 1, name: words::CHECKLIST, icon: Icon::Check, open: true }, lists::todos as Read),
        (
            Head { place: 2, name: words::CHANGED_FILES, icon: Icon::Pencil, open: true },
            files::changed as Read,
        ),
        (Head { place: 3, name: words::WORKS, icon: Icon::Agent, open: true }, lists::works),
        (Head { place: 4, name: words::SERVERS, icon: Icon::Plug, open: true }, lists::servers),
        (Head { place: 5, name: words::SKILLS, icon: Icon::Skill, open: false }, lists::skills),
        (Head { place: 6, name: words::AGENTS, icon: Icon::User, open: false }, lists::agents),
        (Head { place: 7, name: words::TOOLS, icon: Icon::Terminal, open: false }, lists::tools),
        (Head { place: 8, name: words::SCHEDULES, icon: Icon::Clock, open: true }, lists::schedules),
        (Head { place: 9, name: words::OWN_FILES, icon: Icon::File, open: false }, lists::own_files),
        (Head { place: 12, name: words::CANVASES, icon: Icon::Panel, open: true }, lists::canvases),
    ];
    let mut inside = inside;
    for (head, read) in lists {
        let piece = memo(move || all.with(|all| read(all, store)));
        let there = memo(move || piece.with(|piece| !piece.lines.is_empty()));
        anything.push(there);
        inside = inside.child(move || {
            there.get().then(|| {
                let note = move || piece.with(|piece| piece.note.clone());
                section(store, head, Some(Box::new(note)), Box::new(move || rows(store, piece)))
            })
        });
    }
    let (used, context) = (costs::used(store, all), costs::context_known(store));
    anything.extend([used, context]);
    let usage = Head { place: 10, name: words::USAGE, icon: Icon::Info, open: true };
    let window = Head { place: 11, name: words::CONTEXT, icon: Icon::Compact, open: true };
    let inside = inside
        .child(move || {
            used.get().then(|| section(store, usage, None, Box::new(move || costs::usage(store, all))))
        })
        .child(move || {
            context.get().then(|| section(store, window, None, Box::new(move || costs::context(store))))
        });
    let collected = memo(move || notifications::collected(store));
    let told = memo(move || collected.with(|piece| !piece.lines.is_empty()));
    anything.push(told);
    let head = Head { place: 13, name: words::TRAY, icon: Icon::Info, open: false };
    let inside = inside.child(move || {
        told.get().then(|| {
            let note = move || collected.with(|piece| piece.note.clone());
            section(store, head, Some(Box::new(note)), Box::new(move || rows(store, collected)))
        })
    });
    let inside = inside.child(move || {
        let nothing = anything.iter().all(|there| !there.get());
        nothing.then(|| el("p").class("hint").text(words::EMPTY.text()))
    });
    inside.child(notification_settings::wishes())
}

/// Sets up, until the owner is dropped: what is collected in the tray, the focus, closing from outside, and
/// the tab's title and icon.
pub fn attend(page: &El, store: Store) {
    notifications::watch(store);
    drawer::watch_focus(page, store);
    drawer::dismiss_from_outside(page, store);
    attention::watch(page, store);
}

/// Reads a list from the session's surroundings.
type Read = fn(&Surroundings, Store) -> Piece;

/// One section: a heading that folds its content.
fn section(store: Store, head: Head, note: Option<Box<dyn Fn() -> String>>, fill: Box<dyn Fn() -> El>) -> El {
    // The keys of sections count down from the largest one, those of entries count up from 0.
    let key = usize::MAX - head.place;
    let open = store.fold(key).unwrap_or(head.open);
    let title =
        el("h3").child(super::elements::builder::glyph(head.icon)).child(el("span").text(head.name.text()));
    let mut summary = el("summary").child(title);
    if let Some(note) = note {
        summary = summary.child(el("span").class("note").text(note));
    }
    let body = div("sect-body").child(move || vec![fill()]);
    let details = el("details").class("sect").attr("open", open);
    let is_open = {
        let details = details.element().clone();
        move || details.has_attribute("open")
    };
    // The browser's `toggle` event comes a task later, when the panel may be closed; but it also comes when
    // search in the page opens a section.
    let (before, after) = (is_open.clone(), is_open);
    let summary = summary.on("click", move |_| store.set_fold(key, !before()));
    details.child(summary).child(body).on("toggle", move |_| store.set_fold(key, after()))
}

impl Panel {
    fn plan(self, inside: El) -> El {
        let plan = memo(move || self.all.with(|all| all.plan.clone()));
        let there = memo(move || plan.with(Option::is_some));
        let head = Head { place: 0, name: words::PLAN, icon: Icon::List, open: true };
        let store = self.store;
        inside.child(move || {
            let fill = move || plan.get().map_or_else(|| div("prose"), |plan| self::plan(store, &plan));
            there.get().then(|| section(store, head, None, Box::new(fill)))
        })
    }
}

fn plan(store: Store, plan: &Plan) -> El {
    let body = div("told");
    let body = match &plan.text {
        Some(text) => {
            let prose = div("prose");
            // Same as on the card that asks for approval: everything is marked that would not be visible.
            match lazy::words() {
                Ok(words) => _ = StoredValue::new_local((words.exact)(&document(), prose.element(), text)),
                Err(_) => Written::new(&document(), prose.element()).show(text, true),
            }
            body.child(prose)
        }
        None => body.child(el("p").class("hint").text(words::PLAN_UNTOLD.text())),
    };
    let changed = plan.changed_since && plan.text.is_some();
    let body = body.child(changed.then(|| el("p").class("hint").text(words::PLAN_CHANGED.text())));
    body.child(plan.row.map(|row| {
        el("button")
            .class("btn small")
            .attr("type", "button")
            .attr("part", "button")
            .on("click", move |_| go_to(store, row))
            .text(words::PLAN_SHOW.text())
    }))
}

/// Scrolls to a row; a panel that covers the timeline is closed first.
fn go_to(store: Store, row: usize) {
    if !store.desk.wide.get_untracked() {
        store.desk.aside.set(None);
    }
    store.desk.go_to(row);
}
