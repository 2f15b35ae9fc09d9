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

use leptos::html::Details;
use leptos::prelude::*;

use super::elements::builder::{El, div, el, glyph};
use super::elements::icons::Icon;
use super::elements::live::Live;
use super::elements::reactive::memo;
use super::lazy;
use super::message::text::Written;
use crate::client::store::Store;
use crate::core::i18n::Word;
use crate::core::i18n::words::panel as words;
use crate::core::model::change::Section;
use crate::core::view_model::panel;
use crate::core::view_model::panel::{Environment, Plan};
use rows::{Piece, rows};

/// The content of the panel, below its title.
pub fn panel(store: Store) -> El {
    let all = memo(move || store.section(Section::Environment, panel::of).unwrap_or_default());
    let (plan, plan_there) = plan_section(store, all);
    let mut anything = vec![plan_there];
    let mut inside = div("panel").child(plan);
    for (place, name, icon, open, read) in LISTS {
        let (section, there) =
            list_section(store, place, name, icon, open, memo(move || all.with(|all| read(all, store))));
        anything.push(there);
        inside = inside.child(section);
    }
    let (used, context) = (costs::used(store, all), costs::context_known(store));
    let usage = move || {
        let fill: Fill = Box::new(move || costs::usage(store, all));
        let props = PanelSectionProps {
            store,
            place: 10,
            name: words::USAGE,
            icon: Icon::Info,
            open: true,
            note: None,
            fill,
        };
        used.get().then(|| PanelSection(props))
    };
    let window = move || {
        let fill: Fill = Box::new(move || costs::context(store));
        let props = PanelSectionProps {
            store,
            place: 11,
            name: words::CONTEXT,
            icon: Icon::Compact,
            open: true,
            note: None,
            fill,
        };
        context.get().then(|| PanelSection(props))
    };
    let collected = memo(move || notifications::collected(store));
    let (tray, told) = list_section(store, 13, words::TRAY, Icon::Info, false, collected);
    anything.extend([used, context, told]);
    let nothing = move || {
        let nothing = anything.iter().all(|there| !there.get());
        nothing.then(|| el("p").class("hint").text(words::EMPTY.text()))
    };
    inside
        .child(usage)
        .child(window)
        .child(tray)
        .child(nothing)
        .child(notification_settings::notification_settings())
}

/// Reads a list from the session's environment.
type Read = fn(&Environment, Store) -> Piece;
/// Makes what a section contains.
type Fill = Box<dyn Fn() -> El>;

/// The sections that are lists: place, name, icon, whether it is open until the reader folds it, what is read.
const LISTS: [(usize, Word, Icon, bool, Read); 10] = [
    (1, words::CHECKLIST, Icon::Check, true, lists::todos),
    (2, words::CHANGED_FILES, Icon::Pencil, true, files::changed),
    (3, words::WORKS, Icon::Agent, true, lists::works),
    (4, words::SERVERS, Icon::Plug, true, lists::servers),
    (5, words::SKILLS, Icon::Skill, false, lists::skills),
    (6, words::AGENTS, Icon::User, false, lists::agents),
    (7, words::TOOLS, Icon::Terminal, false, lists::tools),
    (8, words::SCHEDULES, Icon::Clock, true, lists::schedules),
    (9, words::OWN_FILES, Icon::File, false, lists::own_files),
    (12, words::CANVASES, Icon::Panel, true, lists::canvases),
];

/// A section with a list, while the list has lines; and whether it has.
fn list_section(
    store: Store,
    place: usize,
    name: Word,
    icon: Icon,
    open: bool,
    piece: Memo<Piece>,
) -> (Box<dyn Fn() -> Option<El>>, Memo<bool>) {
    let there = memo(move || piece.with(|piece| !piece.lines.is_empty()));
    let section = move || {
        let note: Box<dyn Fn() -> String> = Box::new(move || piece.with(|piece| piece.note.clone()));
        let fill: Fill = Box::new(move || rows(store, piece));
        let props = PanelSectionProps { store, place, name, icon, open, note: Some(note), fill };
        there.get().then(|| PanelSection(props))
    };
    (Box::new(section), there)
}

/// The section with the plan, while there is one; and whether there is.
fn plan_section(store: Store, all: Memo<Environment>) -> (Box<dyn Fn() -> Option<El>>, Memo<bool>) {
    let plan = memo(move || all.with(|all| all.plan.clone()));
    let there = memo(move || plan.with(Option::is_some));
    let section = move || {
        let fill: Fill =
            Box::new(move || plan.get().map_or_else(|| div("prose"), |plan| self::plan(store, &plan)));
        let props = PanelSectionProps {
            store,
            place: 0,
            name: words::PLAN,
            icon: Icon::List,
            open: true,
            note: None,
            fill,
        };
        there.get().then(|| PanelSection(props))
    };
    (Box::new(section), there)
}

/// Sets up, until the owner is dropped: what is collected in the tray, the focus, closing from outside, and
/// the tab's title and icon.
pub fn attend(page: &El, store: Store) {
    notifications::watch(store);
    drawer::watch_focus(page, store);
    drawer::dismiss_from_outside(page, store);
    attention::watch(page, store);
}

/// One section of the panel: a heading that folds its content.
#[component(transparent)]
pub fn PanelSection(
    /// The session's store, which remembers what the reader folded.
    store: Store,
    /// Its number in the panel, under which that is remembered.
    place: usize,
    /// Its heading.
    name: Word,
    /// The icon before the heading.
    icon: Icon,
    /// Whether it is open until the reader folds it.
    open: bool,
    /// A remark beside the heading.
    #[prop(optional)]
    note: Option<Box<dyn Fn() -> String>>,
    /// Makes the content; made anew when the signals change that it reads.
    fill: Box<dyn Fn() -> El>,
) -> El {
    // The keys of sections count down from the largest one, those of entries count up from 0.
    let key = usize::MAX - place;
    let open = store.rows().fold(key).unwrap_or(open);
    let details: NodeRef<Details> = NodeRef::new();
    let is_open = move || details.get_untracked().is_some_and(|details| details.open());
    // The browser's `toggle` event comes a task later, when the panel may be closed; but it also comes when
    // search in the page opens a section.
    El::of(view! {
        <details class="sect" open=open node_ref=details on:toggle=move |_| store.rows().set_fold(key, is_open())>
            <summary on:click=move |_| store.rows().set_fold(key, !is_open())>
                <h3>
                    {glyph(icon)} <span>{name.text()}</span>
                </h3>
                {note.map(|note| el("span").class("note").text(note))}
            </summary>
            <div class="sect-body">{Live::new(fill)}</div>
        </details>
    })
}

fn plan(store: Store, plan: &Plan) -> El {
    let body = div("plan-text");
    let body = match &plan.text {
        Some(text) => {
            let prose = div("prose");
            // Same as on the card that asks for approval: everything is marked that would not be visible.
            match lazy::WORDS.ready() {
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
    if !store.view_state.wide.get_untracked() {
        store.view_state.aside.set(None);
    }
    store.view_state.go_to(row);
}
