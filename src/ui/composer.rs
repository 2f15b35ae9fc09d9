//! The composer and what is around it: the queue, menus, and messages that are being sent.
//!
//! It is shown only if the server accepts messages: not for a recording, a one-way stream or a `readonly`
//! element. Requests are answered on their cards, not here.

#![allow(
    clippy::large_types_passed_by_value,
    reason = "a handle of signals that views copy, as the store in it; a reference would not outlive the call"
)]

mod abilities;
mod actions;
mod attach;
mod commands;
mod compact;
mod controls;
mod dialog;
mod host_options;
mod input;
mod menu;
mod menu_list;
mod mode_choices;
mod modes;
mod notes;
mod options;
mod proposals;
mod queue;
mod queue_focus;
mod retry;
mod rewind;
mod send;
mod send_button;
mod state;
mod stop;
mod suggestions;
mod unsent_messages;

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::elements::builder::{El, div, el};
use super::elements::live::Live;
use super::elements::reactive::{memo, render_effect};
use super::lazy;
use super::session::use_session;
use crate::client::announcer::announce_outcome;
use crate::client::storage::{self, BROWSER, TAB};
use crate::core::client::compose::{Area, Effect, Input, StoredTexts};
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::model::state::Section;
use crate::store::Store;

pub use actions::{ACTIONS, ComposerActions};
use dialog::ComposerDialog;
pub use host_options::ComposerSuggestions;
pub use input::{ComposerInput, ComposerInputProps};
use menu_list::MenuLine;
pub use notes::ComposerNotes;
pub use options::ComposerOptions;
pub use queue::QueueList;
pub use send_button::ComposerSend;
use state::{ComposerState, Menu};

/// The functions of the chunk `composer_actions`.
pub static ACTIONS_TABLE: ComposerActions = ComposerActions {
    menu: open_menu,
    proposals: proposals::list,
    propose: proposals::update,
    press: proposals::press,
    attach: attach::take,
    attachments: attach::list,
    show_result: commands::show_result,
    dialog: dialog::dialog,
    queue: queue::list,
    offers: unsent_messages::offers,
};

fn open_menu(composer: ComposerState, menu: Menu, open: RwSignal<bool>, opener: HtmlElement) -> El {
    let (name, lines): (Word, fn(ComposerState) -> Vec<MenuLine>) = match menu {
        Menu::Mode => (words::MODE, mode_choices::mode_lines),
        Menu::Model => (words::MODEL, mode_choices::model_lines),
        Menu::Permissions => (words::PERMISSIONS, mode_choices::permission_lines),
        Menu::More => (words::MORE, options::more_lines),
        Menu::Stop => (words::STOP_MORE, stop::stop_lines),
    };
    menu_list::list(name.text(), open, opener, move || lines(composer))
}

/// Where a person writes to the agent: the field, the queue above it, menus, messages that are being sent. It is shown
/// when the server has confirmed that it takes messages, and stays while the connection is lost: somebody may be writing.
///
/// With children, its parts stand where you put them, each in a shadow root of its own:
///
/// ```
/// # use leptos::prelude::*;
/// # use pilothouse::ui::{Composer, ComposerInput, ComposerNotes, ComposerSend, QueueList};
/// # #[component]
/// # fn Desk() -> impl IntoView {
/// view! {
///     <Composer>
///         <aside><QueueList/></aside>
///         <footer>
///             <ComposerNotes/>
///             <ComposerInput/>
///             <ComposerSend/>
///         </footer>
///     </Composer>
/// }
/// # }
/// ```
#[component(transparent)]
pub fn Composer(
    /// Its parts in a layout of yours. They share what is written, wherever in here they stand.
    #[prop(optional)]
    children: Option<ChildrenFn>,
) -> Live {
    let session = use_session();
    let store = session.store();
    let steers = memo(move || {
        let is_disconnected = match store.connection.get().0 {
            // A Copilot platform stream closes at the end of each reply; messages are sent by requests of their own.
            ConnectionState::Closed { .. } => store.server().protocol.get() != Some(Protocol::Platform),
            ConnectionState::Replaying => true,
            _ => false,
        };
        store.begun.get() && !is_disconnected && !store.readonly.get()
    });
    let is_laid_out = children.is_some();
    let make = move |store| {
        let composer = steers.get().then(|| lazy::COMPOSER.ready())?.ok()?;
        Some(untrack(|| (composer.composer)(store, children.clone())))
    };
    if is_laid_out { Live::new(move || make(store)) } else { session.framed_live("", make) }
}

/// The composer's element. It is there at once, but hidden until the server has shown that it accepts messages.
pub fn composer(store: Store, children: Option<ChildrenFn>) -> El {
    let composer = ComposerState::new(store, carry_out);
    listen(composer);
    provide_context(composer);
    let able = store.server().steering;
    let hidden = move || store.cannot_answer() || !able.get();
    let Some(children) = children else {
        let section = el("section").class("composer").attr("part", "composer").attr("data-composer", "");
        let section = section.attr("aria-label", words::COMPOSER.text()).view(view! {
            <ComposerInput>
                <div class="composer-bar">
                    <ComposerOptions/>
                    <ComposerSend/>
                </div>
            </ComposerInput>
            <ComposerDialog/>
        });
        // What the session tells has a row of its own, so that it never moves the field.
        let above = div("composer-above").view(view! {
            <ComposerNotes/>
            <QueueList/>
            <ComposerSuggestions/>
        });
        let whole = div("composer-whole").attr("hidden", hidden);
        return compact::watch(whole, composer).child(above).child(section);
    };
    let style = move || if hidden() { "display: none" } else { "display: contents" };
    compact::watch(div("").attr("style", style), composer).view(children()).view(ComposerDialog())
}

fn listen(composer: ComposerState) {
    let store = composer.store;
    abilities::listen(composer);
    retry::listen(composer);
    rewind::listen(composer);
    host_options::listen(composer);
    let session = memo(move || {
        store.section(Section::Session, |_| ());
        store.live(|state| state.info.id.clone()).flatten().unwrap_or_default()
    });
    render_effect(move || {
        let id = session.get();
        let stored = StoredTexts::of(&id, |area, name| area_of(area).get(name));
        untrack(|| {
            store.resending().set(None);
            composer.input(Input::Session(&id, stored));
        });
    });
    send::listen(composer);
}

fn carry_out(composer: ComposerState, effect: Effect) {
    match effect {
        Effect::Field(cursor) => composer.show_text(cursor),
        Effect::Files => composer.show_files(),
        Effect::Focus => composer.focus(),
        Effect::Send(number, message) => send::send(composer, number, message),
        Effect::Run(command, input, text) => commands::run(composer, &command, &input, text),
        Effect::Edit(edit) => queue::change(composer, edit),
        Effect::Submit(way) => composer.submit(way),
        Effect::Say(words) => announce_outcome(composer.store.view_state.announcement, &words),
        Effect::LookIn(delay_ms) => send::check_delivery_after(composer, delay_ms),
        Effect::Keep(area, name, Some(text)) => area_of(area).set(&name, &text),
        Effect::Keep(area, name, None) => area_of(area).remove(&name),
        Effect::Recall(draft, sessions) => {
            let (draft, sessions) = (BROWSER.get(&draft), BROWSER.get(sessions));
            composer.input(Input::Recalled { draft: draft.as_deref(), sessions: sessions.as_deref() });
        }
    }
}

fn area_of(area: Area) -> storage::Area {
    match area {
        Area::Browser => BROWSER,
        Area::Tab => TAB,
    }
}
