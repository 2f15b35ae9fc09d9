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
pub use self::marks::may_open;
use super::built::flag;
use super::dom::{El, el, glyph};
use super::icons::Icon;
use crate::core::Entry;
use crate::core::language::words::requests;
use crate::core::request::{Life, Request, RequestKind};
use crate::store::{Row, Store};

/// Who is asked by an address.
pub fn host(url: &str) -> Option<&str> {
    marks::address(url).map(|address| address.host)
}

/// What stands in the article of a request: its card while it is open, then one line. Subscribes to that alone.
pub fn request_card(store: Store, index: usize, row: Row) -> Vec<El> {
    let open = flag(move || {
        row.head.track();
        store.entry(index, |entry| entry.request().is_some_and(Request::open)).unwrap_or(false)
    });
    if !open.get() {
        let left = Memo::new(move |_| {
            row.head.track();
            row.text.track();
            store.entry(index, left).flatten()
        });
        return left.get().as_ref().map(settled).unwrap_or_default();
    }
    let asked = store.entry(index, |entry| Some((entry.id.clone(), entry.request()?.clone()))).flatten();
    // What a card reads while it is made must not make it anew: somebody may be typing.
    let card = untrack(|| asked.map(|(id, request)| open_card(Ask::new(store, index, row, id), &request)));
    card.into_iter().collect()
}

fn open_card(ask: Ask, request: &Request) -> El {
    match request.kind {
        RequestKind::Permission => permission::permission(ask, request),
        RequestKind::UserInput => question::question(ask, request),
        RequestKind::Elicitation => form::form(ask, request),
        RequestKind::ExitPlanMode => plan::plan(ask, request),
        RequestKind::ExternalTool => host::external_tool(ask, request),
        RequestKind::QueuedCommand => host::queued_command(ask, request),
        RequestKind::Command => host::own_command(ask, request),
        RequestKind::AutoModeSwitch => surroundings::auto_mode(ask, request),
        RequestKind::SessionLimits => surroundings::limits(ask, request),
        RequestKind::McpOauth => surroundings::sign_in(ask, request),
        RequestKind::Sampling => host::sampling(ask, request),
        RequestKind::Confirmation => surroundings::confirmation(ask, request),
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

fn settled(left: &Left) -> Vec<El> {
    let about = (!left.about.is_empty()).then(|| {
        if left.code {
            exact(el("code"), &left.about, Sight::Line)
        } else {
            exact(el("span").class("quiet").attr("dir", "auto"), &left.about, Sight::Prose)
        }
    });
    // What was asked follows what became of it; both are sentences.
    let gap = if left.code || about.is_none() { " " } else { " · " };
    let line = exact(el("p").attr("dir", "auto"), &left.words, Sight::Prose).text(gap).maybe(about);
    vec![glyph(left.icon), line]
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
                requests::ANSWERED_ELSEWHERE.with(&[("outcome", (&lowered(outcome)).into())])
            } else {
                outcome.clone()
            };
            (icon(word), outcome)
        }
        Life::Stale { why } => (Icon::Clock, why.clone()),
        Life::Waiting | Life::Sending { .. } => return None,
    };
    let words = if code && !words.contains(':') {
        requests::LEFT_ABOUT.with(&[("outcome", (&words).into())])
    } else {
        words
    };
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
