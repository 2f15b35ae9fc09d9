//! A page of somebody's own, in which an agent's session is one part among others.

use leptos::mount::mount_to_body;
use leptos::prelude::*;
use pilothouse::embed::define_elements;
use pilothouse::ui::{
    Board, BoardProvider, Composer, ComposerInput, ComposerNotes, ComposerSend, EntryHandle, QueueList,
    RequestCard, SessionProvider, Timeline, ToolBody, use_session,
};

fn main() {
    // The board shows an open session by `<pilot-house>`.
    define_elements();
    let all = window().location().hash().is_ok_and(|hash| hash == "#all");
    if all { mount_to_body(Harbour) } else { mount_to_body(Office) }
}

/// The page at `#all`: every session of the gateway.
#[component]
fn Harbour() -> impl IntoView {
    view! {
        <BoardProvider>
            <main style="block-size: 100vh">
                <Board/>
            </main>
        </BoardProvider>
    }
}

/// The page: the conversation, beside it what waits for an answer and what waits for the agent, below it the field for
/// messages.
#[component]
fn Office() -> impl IntoView {
    // The page's own server is the gateway (Trunk.toml passes /api on to it), unless the address has `?src=`.
    let search = window().location().search().unwrap_or_default();
    let src = search.strip_prefix("?src=").map(str::to_owned);
    view! {
        <SessionProvider nostrip:src=src>
            <div class="office">
                <header>
                    <h1>"Harbour office"</h1>
                </header>
                <main>
                    <Timeline requests_elsewhere=true>
                        <ToolBody slot name="bash" let:call>
                            <Logbook call/>
                        </ToolBody>
                    </Timeline>
                </main>
                <aside>
                    <Workspace/>
                </aside>
                <Composer>
                    <section class="queue">
                        <QueueList/>
                    </section>
                    <footer>
                        <ComposerNotes/>
                        <ComposerInput/>
                        <div class="send">
                            <span>"To the harbour's agent"</span>
                            <ComposerSend/>
                        </div>
                    </footer>
                </Composer>
            </div>
        </SessionProvider>
    }
}

/// Every request that waits for a person, the oldest first.
#[component]
fn Workspace() -> impl IntoView {
    let store = use_session().store();
    let open = Memo::new(move |_| store.open_requests());
    view! {
        <h2>{move || format!("On your desk: {}", open.get().len())}</h2>
        <For each=move || open.get() key=String::clone let:id>
            <RequestCard id/>
        </For>
    }
}

/// The body of a command's card, instead of Pilothouse's own. It follows the call while it runs.
#[component]
fn Logbook(call: EntryHandle) -> impl IntoView {
    let command = move || match call.arguments().get("command") {
        Some(command) => command.as_str().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    view! {
        <section data-logbook style="border-inline-start: 3px solid; padding-inline-start: 8px">
            <strong>"Logbook: "</strong>
            <code>{command}</code>
            <pre style="white-space: pre-wrap">{move || call.result()}</pre>
        </section>
    }
}
