//! A tool call as one line that opens. The bodies are in `tool_body`.

use crate::core::i18n;
use leptos::prelude::*;

use super::tool_summary;
use super::tool_summary::{Sentence, ToolFamily};
use crate::core::i18n::words::tools;
use crate::core::model::tool_call::ToolCall;
use crate::core::{Entry, EntryState};
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;
use crate::ui::lazy;
use crate::ui::message::{Fold, Piece, live_pieces};
use crate::ui::renderers;
use crate::ui::slots;

/// A tool call as one line that opens. Its body is chosen by the kind of tool; a host's own comes from the slot
/// `ToolBody` of the timeline.
#[component(transparent)]
pub fn ToolCard(
    /// The tool call.
    entry: EntryHandle,
    /// The element that is filled; one of its own if absent.
    #[prop(optional)]
    article: Option<El>,
) -> El {
    let EntryHandle { store, index, row } = entry;
    let article = article.unwrap_or_else(|| div("entry tool"));
    // Whether a call goes to an MCP server is known when it starts, perhaps after its line was rendered.
    let served = memo(move || {
        row.head.track();
        store.entry(index, |entry| entry.tool().is_some_and(|call| call.mcp.is_some())).unwrap_or(false)
    });
    let hosted = memo(move || renderers::renders("tool", entry));
    article.child(move || {
        // `get` instead of `track`: a memo that nobody reads subscribes to nothing.
        let _ = served.get();
        let hosted = hosted.get();
        vec![untrack(|| card(store, index, row, hosted))]
    })
}

/// The line and what it opens.
fn card(store: Store, index: usize, row: RowSignals, hosted: bool) -> El {
    let family = store
        .entry(index, |entry| entry.tool().map(tool_summary::family))
        .flatten()
        .unwrap_or(ToolFamily::Other);
    let what = Box::new(move || {
        row.head.track();
        let sentence =
            store.read(|state| tool_summary::summary(state.entry(index)?, state.info.cwd.as_deref()));
        pieces(sentence.flatten().unwrap_or_default())
    });
    let end = Box::new(move || {
        row.head.track();
        let (word, figures) = store
            .entry(index, |entry| (state_word(entry.state, entry.tool()), figures(entry)))
            .unwrap_or_default();
        let word = word.map(|word| Piece::span("", word));
        word.into_iter().chain(figures.map(|figures| Piece::span("dur", figures))).collect()
    });
    // Open by default: failed calls, edits, shells while they run, and what the host shows in its own way.
    let open = memo(move || {
        row.head.track();
        let (state, rewound) =
            store.entry(index, |entry| (entry.state, entry.rewound)).unwrap_or((EntryState::Done, true));
        match state {
            _ if rewound => false,
            _ if hosted => true,
            EntryState::Failed => true,
            EntryState::Running => matches!(family, ToolFamily::Shell | ToolFamily::Edit),
            EntryState::Streaming | EntryState::Pending | EntryState::Done => family == ToolFamily::Edit,
            _ => false,
        }
    });
    let what = live_pieces(el("span").class("what"), what);
    let end = live_pieces(el("span").class("end"), end);
    let own = store.entry(index, |entry| slots::tool_body(&entry.tool()?.name)).flatten();
    let built_in = move || match lazy::TOOLS.ready() {
        _ if own.is_some() => own_body(own.as_ref(), EntryHandle { store, index, row }),
        Ok(tools) => (tools.tool_body)(store, index, row, family),
        Err(coming) => div("body").child(coming.view()),
    };
    let body = Box::new(move || {
        if hosted { hosted_body(EntryHandle { store, index, row }, built_in.clone()) } else { built_in() }
    });
    let icon = tool_summary::icon(family);
    Fold { store, index, open, on_paper: true, class: "card", icon, what, end, body }.show()
}

/// The body that a renderer of the host's page makes; the built-in one where it makes none.
fn hosted_body(entry: EntryHandle, built_in: impl Fn() -> El + 'static) -> El {
    let shown = RwSignal::new(true);
    let place = renderers::entry_view("tool", entry, shown);
    div("body").child(place).child(move || (!shown.get()).then(|| untrack(&built_in)))
}

fn own_body(own: Option<&slots::EntryView>, call: EntryHandle) -> El {
    own.map_or_else(|| div("body"), |own| own.of("body", call))
}

fn pieces(Sentence { before, object, plain, after, remark, lines }: Sentence) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(before)];
    pieces.extend(object.map(if plain { Piece::Text } else { Piece::code }));
    pieces.extend((!after.is_empty()).then_some(Piece::Text(after)));
    if let Some(remark) = remark {
        pieces.push(Piece::span("quiet", tools::REMARK.with(&[("remark", (&remark).into())])));
    }
    if let Some((added, removed)) = lines {
        pieces.extend([Piece::text(" "), Piece::span("ins-n", format!("+{added}"))]);
        pieces.extend([Piece::text(" "), Piece::span("del-n", format!("−{removed}"))]);
    }
    pieces
}

fn state_word(state: EntryState, call: Option<&ToolCall>) -> Option<String> {
    let word = match state {
        EntryState::Failed => tools::FAILED,
        EntryState::Denied => tools::DENIED,
        EntryState::Interrupted => tools::INTERRUPTED,
        EntryState::Streaming => tools::BEING_WRITTEN,
        EntryState::Pending => tools::NOT_STARTED,
        EntryState::Running => return call.and_then(|call| call.progress.clone()),
        EntryState::Done if call.is_some_and(ToolCall::in_background) => tools::IN_BACKGROUND,
        _ => return None,
    };
    Some(word.text().to_owned())
}

/// The exit code if it is not 0, and how long the call took.
fn figures(entry: &Entry) -> Option<String> {
    let exit = entry.tool().and_then(ToolCall::exit_code).filter(|code| *code != 0);
    let ended = matches!(entry.state, EntryState::Done | EntryState::Failed);
    let duration_ms = entry.took().filter(|ms| ended && *ms >= 50);
    let exit = exit.map(|code| tools::EXIT.with(&[("code", code.into())]));
    match (exit, duration_ms.map(i18n::duration)) {
        (Some(exit), Some(duration_ms)) => Some(format!("{exit} · {duration_ms}")),
        (exit, duration_ms) => exit.or(duration_ms),
    }
}
