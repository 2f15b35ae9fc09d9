//! A tool call as one line that opens. The bodies are in `tool_body`.

use leptos::prelude::*;

use super::tool_summary;
use super::tool_summary::ToolFamily;
use crate::core::Entry;
use crate::core::view_model::summary_line;
use crate::store::{EntryHandle, RowSignals, Store};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::reactive::memo;
use crate::ui::lazy;
use crate::ui::message::{Fold, live_pieces};
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
        summary_line::tool(sentence.flatten().unwrap_or_default())
    });
    let end = Box::new(move || {
        row.head.track();
        store.entry(index, summary_line::tool_end).unwrap_or_default()
    });
    // What the host shows in its own way is open as well.
    let open = memo(move || {
        row.head.track();
        let open = |entry: &Entry| summary_line::tool_opens(entry, family) || (hosted && !entry.rewound);
        store.entry(index, open).unwrap_or(false)
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
    let icon = summary_line::tool_icon(family);
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
