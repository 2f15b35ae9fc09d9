//! The cards of requests: which one an entry gets, and the one quiet line that is left when it was answered. Refuses
//! to send: answers go to the store. A card never takes the focus and no key answers it.

mod ask;
mod card;
mod exact;
mod form;
mod form_fields;
mod host;
mod marks;
mod permission;
mod plan;
mod question;
mod schema;
mod subject;
mod surroundings;

use leptos::prelude::*;

use self::ask::Ask;
use self::card::lowered;
use self::exact::exact;
use self::marks::Sight;
use super::icon::Glyph;
use super::icons::Icon;
use crate::core::Entry;
use crate::core::request::{Life, Request, RequestKind};
use crate::store::{Row, Store};

/// The inside of a request's article: its card while it is open, then one line.
#[component]
pub fn RequestCard(
    /// Where it is.
    store: Store,
    /// The entry's place.
    index: usize,
    /// The entry's signals.
    row: Row,
) -> impl IntoView {
    let open = Memo::new(move |_| {
        row.head.track();
        store.entry(index, |entry| entry.request().is_some_and(Request::open)).unwrap_or(false)
    });
    move || {
        if open.get() {
            let asked =
                store.entry(index, |entry| Some((entry.id.clone(), entry.request()?.clone()))).flatten();
            asked.map(|(id, request)| open_card(Ask::new(store, index, row, id), &request)).into_any()
        } else {
            settled(store, index, row).into_any()
        }
    }
}

fn open_card(ask: Ask, request: &Request) -> AnyView {
    match request.kind {
        RequestKind::Permission => permission::permission(ask, request).into_any(),
        RequestKind::UserInput => question::question(ask, request).into_any(),
        RequestKind::Elicitation => form::form(ask, request),
        RequestKind::ExitPlanMode => plan::plan(ask, request).into_any(),
        RequestKind::ExternalTool => host::external_tool(ask, request).into_any(),
        RequestKind::QueuedCommand => host::queued_command(ask, request).into_any(),
        RequestKind::Command => host::own_command(ask, request).into_any(),
        RequestKind::AutoModeSwitch => surroundings::auto_mode(ask, request).into_any(),
        RequestKind::SessionLimits => surroundings::limits(ask, request).into_any(),
        RequestKind::McpOauth => surroundings::sign_in(ask, request).into_any(),
        RequestKind::Sampling => host::sampling(ask, request).into_any(),
        RequestKind::Confirmation => surroundings::confirmation(ask, request).into_any(),
    }
}

/// What is left of a request that can't be answered any more.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Left {
    icon: Icon,
    words: String,
    /// What it was about.
    about: String,
    /// That is a command, a path, a name: shown as code.
    code: bool,
}

fn settled(store: Store, index: usize, row: Row) -> impl IntoView {
    let left = Memo::new(move |_| {
        row.head.track();
        row.text.track();
        store.entry(index, left).flatten()
    });
    move || {
        left.get().map(|Left { icon, words, about, code }| {
            let about = (!about.is_empty()).then(|| {
                let about = exact(&about, Sight::Line);
                if code {
                    view! { <code>{about}</code> }.into_any()
                } else {
                    view! { <span class="quiet">{about}</span> }.into_any()
                }
            });
            view! { <Glyph icon/><p dir="auto">{exact(&words, Sight::Content)}" "{about}</p> }
        })
    }
}

/// Characters of what a request was about that its settled line shows; the tool call below shows all of it.
const ABOUT: usize = 160;

fn left(entry: &Entry) -> Option<Left> {
    let request = entry.request()?;
    let code = matches!(
        request.kind,
        RequestKind::Permission
            | RequestKind::ExternalTool
            | RequestKind::QueuedCommand
            | RequestKind::Command
    );
    let first = entry.text.trim().lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let first =
        if request.kind == RequestKind::ExitPlanMode { first.trim_start_matches(['#', ' ']) } else { first };
    let mut about: String = first.chars().take(ABOUT).collect();
    if about.len() < entry.text.trim().len() {
        about.truncate(about.trim_end().len());
        about.push('…');
    }
    let (icon, words) = match &request.life {
        Life::Settled { outcome, word, elsewhere } => {
            let outcome = if *elsewhere {
                format!("Answered elsewhere: {}", lowered(outcome))
            } else {
                outcome.clone()
            };
            (icon(word), outcome)
        }
        Life::Stale { why } => (Icon::Clock, why.clone()),
        Life::Waiting | Life::Sending { .. } => return None,
    };
    let words = if code && !words.contains(':') { format!("{words}:") } else { words };
    Some(Left { icon, words, about, code })
}

fn icon(word: &str) -> Icon {
    let refused = ["denied", "rejected", "decline", "cancel", "dismissed", "no"];
    if refused.iter().any(|start| word == *start || (start.len() > 2 && word.starts_with(start))) {
        Icon::Cross
    } else {
        Icon::Check
    }
}
