//! The component of one session: all parts of its page, each of which others can place in a page of their own.

use leptos::prelude::*;

use super::side_views::{ElsewhereStrip, SideView, TimeTravelBar, watch_page};
use super::states::{ConnectionStrip, EmptyScreen, GatewayStrip};
use super::status_bar::StatusBar;
use crate::client::announcer::announce;
use crate::core::client::Topic;
use crate::core::client::attention::outcome;
use crate::core::i18n::words::page;
use crate::core::model::state::Section;
use crate::core::view_model::entry_words::text;
use crate::core::{EntryState, Kind, State};
use crate::store::Store;
use crate::ui::composer::Composer;
use crate::ui::elements::builder::div;
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::lazy;
use crate::ui::lens::ModelLens;
use crate::ui::requests::WaitingList;
use crate::ui::search::{HelpSheet, SearchBar};
use crate::ui::session;
use crate::ui::timeline::Timeline;
use crate::ui::tools::tool_summary;

/// One session's page: what `<pilot-house>` shows.
#[component]
pub fn App(
    /// The session's store.
    store: Store,
) -> impl IntoView {
    session::provide(store);
    let page = session::page("ph", store);
    watch_page(&page, store);
    page.view(view! {
        <StatusBar/>
        <GatewayStrip/>
        <ConnectionStrip/>
        <ElsewhereStrip/>
        <Timeline/>
        <EmptyScreen/>
        <WaitingList/>
        <Composer/>
        <SideView/>
        <ModelLens/>
        // Below the timeline, not on top of it, so that they cover no rows.
        <div class="foot">
            <SearchBar/>
            <TimeTravelBar/>
        </div>
        <HelpSheet/>
        <Announcer/>
    })
}

/// Announces events to screen readers, politely, and one a second at most for all elements of a page; streaming text is
/// never announced.
#[component(transparent)]
pub fn Announcer() -> Live {
    let session = session::use_session();
    let store = session.store();
    let heard = store.view_state.announcement;
    render_effect(move || {
        if let Ok(attention) = lazy::ATTENTION.ready() {
            untrack(|| (attention.announce)(store));
        }
    });
    session.framed("", move |_| {
        let region = div("sr-only").attr("role", "status").attr("aria-live", "polite");
        region.text(move || heard.get())
    })
}

/// Announces what happens in a session, until the owner is dropped.
pub fn announce_events(store: Store) {
    let heard = store.view_state.announcement;
    let announced = memo(move || {
        let _ = store.section(Section::Pending, |_| ());
        store.length.track();
        if store.history().is_not_live() {
            return (Topic::Activity, String::new());
        }
        let readonly = store.readonly.get();
        let news = store.section(Section::Session, |state| announcement(state, readonly)).flatten();
        news.unwrap_or((Topic::Activity, String::new()))
    });
    render_effect(move || {
        let (topic, words) = announced.get();
        announce(heard, topic, &words);
    });
}

fn announcement(state: &State, readonly: bool) -> Option<(Topic, String)> {
    if let Some(place) = state.open_requests.first() {
        let entry = state.entry(*place)?;
        let what = text(entry).chars().take(120).collect::<String>();
        let asks = match entry.kind {
            _ if readonly => page::WAITS_READ_ONLY,
            Kind::Permission => page::NEEDS_PERMISSION,
            _ => page::WAITS_FOR_ANSWER,
        };
        return Some((Topic::Request, asks.with(&[("what", (&what).into())])));
    }
    if state.status() == "running" {
        let running = state.entries.iter().rev().take(20).find(|entry| entry.state == EntryState::Running)?;
        let sentence = tool_summary::sentence(running.tool()?, state.info.cwd.as_deref());
        return Some((Topic::Activity, sentence.words()));
    }
    outcome(state).map(|words| (Topic::Activity, words))
}
