//! The component of one session: header, timeline, empty and loading states, side views, and the one live
//! region.

use leptos::prelude::*;

use super::shortcuts;
use super::side_views::{log, side};
use super::states::{awaited, connection_strip, empty_state, skeleton};
use super::status_bar::status_bar;
use crate::client::store::Store;
use crate::core::connection::{ConnectionState, Protocol};
use crate::core::i18n;
use crate::core::i18n::words::page;
use crate::core::model::change::Section;
use crate::core::{EntryState, Kind, State};
use crate::ui::elements::builder::{El, div};
use crate::ui::elements::press_guard;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;
use crate::ui::lazy::Find;
use crate::ui::timeline::Timeline;
use crate::ui::tools::tool_summary;

/// One session's page.
#[component]
pub fn App(
    /// The session's store.
    store: Store,
) -> impl IntoView {
    let empty = memo(move || store.length.get() == 0);
    let spoken = i18n::current();
    let page = div("ph").attr("lang", spoken.map_or("en", |language| language.tag));
    let page = match spoken {
        Some(language) => page.attr("dir", if language.right_to_left { "rtl" } else { "ltr" }),
        // Without words in the host's language the page is in English, so the host's direction is not used.
        None => page,
    };
    let page = press_guard::watch(shortcuts::listen(page, store));
    let elsewhere = memo(move || store.elsewhere());
    let page = connection_strip(page.child(status_bar(store)), store)
        .child(move || elsewhere.get().then(|| log(|log| (log.strip)(store))));
    let page = page.view(view! { <Timeline store/> });
    let awaited = awaited(store);
    let page = page.child(move || {
        let nothing = empty.get() && !elsewhere.get();
        nothing.then(|| if awaited.get() { skeleton() } else { empty_state(store) })
    });
    // The composer stays while the connection is lost: somebody may be writing.
    let steers = memo(move || {
        let gone = match store.connection.get().0 {
            // A Copilot platform stream closes at the end of each reply; messages are sent by requests of
            // their own.
            ConnectionState::Closed { .. } => store.host().get() != Some(Protocol::Platform),
            ConnectionState::Replaying => true,
            _ => false,
        };
        store.begun.get() && !gone && !store.readonly.get()
    });
    let page = page.child(move || {
        let steer = steers.get().then(lazy::steer)?.ok()?;
        Some(untrack(|| (steer.composer)(store)))
    });
    let page = side(page, store, awaited);
    let page = page.child(move || {
        // Another session, or a later moment of this one, gets a new lens: the old one's state would be wrong
        // for it.
        store.epoch().track();
        let whole = !store.partial().get();
        (store.desk.lens.get() && whole).then(|| match lazy::lens() {
            Ok(lens) => untrack(|| (lens.panel)(store)),
            Err(coming) => div("lens").child(coming.view()),
        })
    });
    // Announces events to screen readers, politely and rarely; streaming text is never announced.
    let heard = store.desk.heard;
    let told = memo(move || {
        let _ = store.section(Section::Pending, |_| ());
        store.length.track();
        if store.elsewhere() {
            return String::new();
        }
        let readonly = store.readonly.get();
        store.section(Section::Session, |state| announcement(state, readonly)).flatten().unwrap_or_default()
    });
    render_effect(move || heard.set(told.get()));
    let announcer = div("sr-only").attr("role", "status").attr("aria-live", "polite");
    let announcer = announcer.text(move || heard.get());
    // Below the timeline, not on top of it, so that it covers no rows.
    let foot = div("foot").child(move || {
        store.desk.waiting.get().then(|| match lazy::questions() {
            Ok(questions) => untrack(|| (questions.waiting)(store)),
            Err(coming) => coming.view(),
        })
    });
    // While only the end of the log is loaded, there is no search or export: both would be incomplete.
    let foot = foot.child(move || {
        let whole = !store.partial().get();
        if whole { open_view(store.desk.finder, |find| (find.bar)(store)) } else { None }
    });
    let foot = foot.child(move || store.travelling().get().then(|| log(|log| (log.travel)(store))));
    let page = page.child(foot).child(move || open_view(store.desk.help, |find| (find.help)(store)));
    page.child(announcer)
}

/// A view of the chunk `find`, while `open` is true.
fn open_view(open: RwSignal<bool>, view: impl FnOnce(&'static Find) -> El) -> Option<El> {
    open.get().then(|| match lazy::find() {
        // Untracked: a signal that the view reads while it is built must not rebuild it; somebody may be
        // typing.
        Ok(find) => untrack(|| view(find)),
        Err(coming) => coming.view(),
    })
}

fn announcement(state: &State, readonly: bool) -> Option<String> {
    if let Some(place) = state.open_requests.first() {
        let entry = state.entry(*place)?;
        let what = entry.text.chars().take(120).collect::<String>();
        let asks = match entry.kind {
            _ if readonly => page::WAITS_READ_ONLY,
            Kind::Permission => page::NEEDS_PERMISSION,
            _ => page::WAITS_FOR_ANSWER,
        };
        return Some(asks.with(&[("what", (&what).into())]));
    }
    if state.status() == "running" {
        let running = state.entries.iter().rev().take(20).find(|entry| entry.state == EntryState::Running)?;
        let sentence = tool_summary::sentence(running.tool()?, state.info.cwd.as_deref());
        return Some(sentence.words());
    }
    let last = state.entries.iter().rev().take(20).find(|entry| entry.kind == Kind::Assistant)?;
    (last.state == EntryState::Done).then(|| page::REPLIED.text().to_owned())
}
