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
use super::elements::live::Live;
use super::elements::reactive::{memo, render_effect};
use super::lazy;
use super::message::markdown::MessageText;
use crate::core::i18n::Word;
use crate::core::i18n::words::panel as words;
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::panel;
use crate::core::view_model::panel::{Environment, Plan};
use crate::store::Store;
use notification_settings::NotificationSettings;
use rows::{SectionList, rows};

/// The content of the panel, below its title.
pub fn panel(store: Store) -> El {
    let all = memo(move || store.section(Section::Environment, panel::of).unwrap_or_default());
    let plan = memo(move || all.with(|all| all.plan.clone()));
    let has_plan = memo(move || plan.with(Option::is_some));
    let lists = LISTS.map(|(heading, icon, open, read)| {
        (heading, icon, open, memo(move || all.with(|all| read(all, store))))
    });
    let tray = memo(move || notifications::collected_facts(store));
    let (used, context) = (costs::has_usage(store, all), costs::context_known(store));
    let is_empty = move || {
        let has_lists = lists.iter().any(|(_, _, _, list)| list.with(SectionList::has_lines));
        !has_lists && !has_plan.get() && !used.get() && !context.get() && !tray.with(SectionList::has_lines)
    };
    let list = move |(heading, icon, open, list)| view! { <ListSection store heading icon open list/> };
    div("panel").view(view! {
        <PanelSection heading=words::PLAN.text() icon=Icon::List open=section_open(store, words::PLAN, true) when=has_plan>
            {Live::new(move || plan.get().map(|plan| self::plan(store, &plan)))}
        </PanelSection>
        {lists.map(list).collect_view()}
        <PanelSection heading=words::USAGE.text() icon=Icon::Info open=section_open(store, words::USAGE, true) when=used>
            {costs::usage(store, all)}
        </PanelSection>
        <PanelSection
            heading=words::CONTEXT.text()
            icon=Icon::Compact
            open=section_open(store, words::CONTEXT, true)
            when=context
        >
            {costs::context(store)}
        </PanelSection>
        {list((words::TRAY, Icon::Info, false, tray))}
        {Live::new(move || is_empty().then(|| el("p").class("hint").text(words::EMPTY.text())))}
        <NotificationSettings/>
    })
}

/// Reads a list from the session's environment.
type ReadList = fn(&Environment, Store) -> SectionList;

/// The sections that are lists: heading, icon, whether it is open until the reader folds it, what is read.
const LISTS: [(Word, Icon, bool, ReadList); 10] = [
    (words::CHECKLIST, Icon::Check, true, lists::todos),
    (words::CHANGED_FILES, Icon::Pencil, true, files::changed),
    (words::WORKS, Icon::Agent, true, lists::works),
    (words::SERVERS, Icon::Plug, true, lists::servers),
    (words::SKILLS, Icon::Skill, false, lists::skills),
    (words::AGENTS, Icon::User, false, lists::agents),
    (words::TOOLS, Icon::Terminal, false, lists::tools),
    (words::SCHEDULES, Icon::Clock, true, lists::schedules),
    (words::OWN_FILES, Icon::File, false, lists::own_files),
    (words::CANVASES, Icon::Panel, true, lists::canvases),
];

/// A section with a list, while the list has lines.
#[component]
fn ListSection(
    /// The session's store.
    store: Store,
    /// Its heading.
    heading: Word,
    /// The icon before it.
    icon: Icon,
    /// Whether it is open until the reader folds it.
    open: bool,
    /// The list.
    list: Memo<SectionList>,
) -> impl IntoView {
    let when = memo(move || list.with(SectionList::has_lines));
    let note = Signal::derive(move || list.with(|list| list.note.clone()));
    view! {
        <PanelSection heading=heading.text() icon open=section_open(store, heading, open) when note>
            {rows(store, list)}
        </PanelSection>
    }
}

/// Whether a section is open: as the reader left it, which the store remembers, or else `usually`.
fn section_open(store: Store, heading: Word, usually: bool) -> RwSignal<bool> {
    // The keys of entries count up from 0, those of sections down from the largest one.
    let key = usize::MAX - usize::from(heading.number());
    let open = RwSignal::new(store.rows().fold(key).unwrap_or(usually));
    render_effect(move || {
        let now = open.get();
        if untrack(|| store.rows().fold(key)).unwrap_or(usually) != now {
            store.rows().set_fold(key, now);
        }
    });
    open
}

/// Sets up, until the owner is dropped: what is collected in the tray, the focus, closing from outside, and
/// the tab's title and icon.
pub fn attach_page_features(page: &El, store: Store) {
    notifications::watch(store);
    drawer::watch_focus(page, store);
    drawer::dismiss_from_outside(page, store);
    attention::watch(page, store);
}

/// One section of the panel: a heading that folds its content.
#[component(transparent)]
pub fn PanelSection(
    /// Its heading.
    heading: &'static str,
    /// The icon before the heading.
    icon: Icon,
    /// Whether it is open; follows the reader, who folds it.
    open: RwSignal<bool>,
    /// Whether it is there.
    #[prop(into)]
    when: Signal<bool>,
    /// A remark beside the heading.
    #[prop(optional)]
    note: Option<Signal<String>>,
    /// Its content, made when the section appears.
    children: ChildrenFn,
) -> Live {
    let section = move || {
        let details: NodeRef<Details> = NodeRef::new();
        let is_open = move || details.get_untracked().is_some_and(|details| details.open());
        // The browser's `toggle` event comes a task later, when the panel may be closed; but it also comes when
        // search in the page opens a section.
        El::of(view! {
            <details
                class="sect"
                open=open.get_untracked()
                node_ref=details
                on:toggle=move |_| open.set(is_open())
            >
                <summary on:click=move |_| open.set(!is_open())>
                    <h3>
                        {glyph(icon)} <span>{heading}</span>
                    </h3>
                    {note.map(|note| el("span").class("note").text(move || note.get()))}
                </summary>
                <div class="sect-body">{children()}</div>
            </details>
        })
    };
    Live::new(move || when.get().then(|| untrack(&section)))
}

fn plan(store: Store, plan: &Plan) -> El {
    let body = div("plan-text");
    let body = match &plan.text {
        Some(text) => {
            let prose = div("prose");
            // Same as on the card that asks for approval: everything is marked that would not be visible.
            match lazy::WORDS.ready() {
                Ok(words) => _ = StoredValue::new_local((words.exact)(&document(), prose.element(), text)),
                Err(_) => MessageText::new(&document(), prose.element()).show(text, true),
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
        store.view_state.side_view.set(None);
    }
    store.view_state.go_to(row);
}
