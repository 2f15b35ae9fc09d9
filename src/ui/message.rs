//! Words: a person's message, the model's answer, the model's thoughts. Refuses tools and notices.

use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::icon::Glyph;
use super::icons::Icon;
use super::prose::Prose;
use crate::core::entry::Body;
use crate::core::{EntryState, Kind, time};
use crate::store::{Row, Store};

/// Shows an entry's text as prose in an element, and keeps it up to date for as long as the owner lives.
/// An append costs what it adds; everything shown before stays the same nodes.
pub fn prose_in(store: Store, index: usize, row: Row, host: NodeRef<html::Div>) {
    let shown = StoredValue::new_local(None::<Prose>);
    Effect::new(move |_| {
        row.text.track();
        row.head.track();
        let Some(element) = host.get() else { return };
        let element: HtmlElement = element.into();
        shown.update_value(|slot| {
            let prose = slot.get_or_insert_with(|| Prose::new(&document(), &element));
            store.entry(index, |entry| {
                let done = entry.state != EntryState::Streaming;
                if !done
                    && entry.text.len() >= prose.source().len()
                    && !entry.text.is_empty()
                    && !prose.source().is_empty()
                {
                    prose.append(&entry.text);
                } else {
                    prose.update(&entry.text, done);
                }
            });
        });
    });
}

/// A person's message.
#[component]
pub fn UserMessageView(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    prose_in(store, index, row, host);
    let who = store.read(|state| {
        let entry = state.entry(index)?;
        let agent = entry.agent_id.as_ref()?;
        let task = entry.parent_tool_call_id.as_deref().and_then(|id| state.subagent_place(id));
        let name = task.and_then(|place| match &state.entry(place)?.body {
            Body::Subagent(subagent) => Some(subagent.display_name.clone()),
            _ => None,
        });
        Some(format!("Task for {}", name.unwrap_or_else(|| agent.clone())))
    });
    let who = who.flatten().unwrap_or_else(|| "You".to_owned());
    let at = store.entry(index, |entry| entry.at).flatten().map(clock);
    let tag = store.entry(index, |entry| match &entry.body {
        Body::User(message) => match message.delivery.as_deref() {
            Some("steering") => Some("steering"),
            Some("queued") => Some("was queued"),
            _ => None,
        },
        _ => None,
    });
    let chips = store.entry(index, |entry| match &entry.body {
        Body::User(message) => message.attachments.clone(),
        _ => Vec::new(),
    });
    let chips = chips.unwrap_or_default();
    view! {
        <div class="msg">
            <Glyph icon=Icon::User/>
            <div class="meta">
                <b>{who}</b>
                {tag.flatten().map(|tag| view! { <span class="tag"><Glyph icon=Icon::Queue/>{tag}</span> })}
                {at.map(|at| view! { <time>{at}</time> })}
            </div>
            <div class="prose" node_ref=host></div>
            {(!chips.is_empty()).then(|| view! {
                <ul class="chips">
                    {chips.into_iter().map(|name| view! { <li class="chip"><Glyph icon=Icon::File/>{name}</li> }).collect_view()}
                </ul>
            })}
        </div>
    }
}

/// The model's answer: no box, just words.
#[component]
pub fn AssistantMessage(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    prose_in(store, index, row, host);
    let tag = move || {
        row.head.track();
        store
            .entry(index, |entry| match (entry.state, entry.text.is_empty()) {
                (EntryState::Interrupted, _) => Some("Interrupted"),
                (EntryState::Done, true) => Some("Empty reply"),
                _ => None,
            })
            .flatten()
            .map(|words| view! { <span class="tag"><Glyph icon=Icon::Stop/>{words}</span> })
    };
    view! {
        <div class="prose" node_ref=host></div>
        {tag}
    }
}

/// Thoughts: visible while they stream, then folded to one line.
#[component]
pub fn ReasoningView(
    /// Where it is.
    store: Store,
    /// Its place.
    index: usize,
    /// Its signals.
    row: Row,
) -> impl IntoView {
    let open = move || {
        row.head.track();
        let streaming = store.entry(index, |entry| entry.state == EntryState::Streaming).unwrap_or(false);
        store.fold(index).unwrap_or(streaming)
    };
    let open = Memo::new(move |_| open());
    let what = move || {
        row.head.track();
        store
            .entry(index, |entry| match (entry.state, &entry.body) {
                (EntryState::Streaming, _) => "Thinking".to_owned(),
                (EntryState::Interrupted, _) => "Thought, interrupted".to_owned(),
                (_, Body::Reasoning { duration: Some(millis) }) => {
                    format!("Thought for {}", time::duration(*millis))
                }
                _ => "Thought".to_owned(),
            })
            .unwrap_or_default()
    };
    debug_assert!(store.entry(index, |entry| entry.kind == Kind::Reasoning).unwrap_or(true));
    view! {
        <Fold store index open icon=Icon::Thought what=move || what().into_any() end=|| ().into_any()>
            <ProseBody store index row/>
        </Fold>
    }
}

#[component]
fn ProseBody(store: Store, index: usize, row: Row) -> impl IntoView {
    let host = NodeRef::<html::Div>::new();
    prose_in(store, index, row, host);
    view! { <div class="prose" node_ref=host></div> }
}

/// A one-line summary that opens: its body is made when it is opened first and taken away when it is closed.
#[component]
pub fn Fold<W, E>(
    /// Where the reader's choice is kept.
    store: Store,
    /// The entry's place.
    index: usize,
    /// Whether it is open.
    open: Memo<bool>,
    /// The line's icon.
    icon: Icon,
    /// What happened, in words.
    what: W,
    /// State and duration.
    end: E,
    /// The class of the frame.
    #[prop(optional)]
    class: &'static str,
    /// What it shows when open.
    children: ChildrenFn,
) -> impl IntoView
where
    W: Fn() -> AnyView + Send + 'static,
    E: Fn() -> AnyView + Send + 'static,
{
    let chosen = RwSignal::new(());
    let shown = Memo::new(move |_| {
        chosen.track();
        let by_itself = open.get();
        store.fold(index).unwrap_or(by_itself)
    });
    // The browser would toggle it by itself; the state decides instead, so that both always agree.
    let toggle = move |event: web_sys::MouseEvent| {
        event.prevent_default();
        store.set_fold(index, !shown.get_untracked());
        chosen.set(());
    };
    view! {
        <details class=class open=move || shown.get()>
            <summary class="row" on:click=toggle>
                <Glyph icon/>
                <span class="what">{what}</span>
                <span class="end">{end}</span>
            </summary>
            <Show when=move || shown.get()>{children()}</Show>
        </details>
    }
}

/// Hours and minutes of an event, in the reader's own time zone.
fn clock(at: i64) -> String {
    let date = js_sys::Date::new(&(at as f64).into());
    format!("{:02}:{:02}", date.get_hours(), date.get_minutes())
}
