//! The help sheet: every key in words, and notes for screen reader users. The page's own keys are in `keys`.

use leptos::html::Dialog;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::KeyboardEvent;

use crate::core::i18n::Word;
use crate::core::i18n::words::{keys, search};
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, glyph};
use crate::ui::shortcuts::KEYS;

/// Keys that are not single letters, under their headings. They are handled where they apply.
const MORE_KEYS: [(Word, &[Word], Word); 16] = [
    (keys::GO, &[keys::PAGE_UP, keys::PAGE_DOWN], keys::ENTRY_BESIDE),
    (keys::OPEN, &[keys::CTRL, keys::LETTER_F], keys::FIND_AS_BROWSER),
    (keys::ENTRY, &[keys::ENTER], keys::FOLD),
    (keys::ENTRY, &[keys::TAB], keys::INSIDE),
    (keys::WRITING, &[keys::ENTER], keys::SEND),
    (keys::WRITING, &[keys::CTRL, keys::ENTER], keys::OTHER_WAY),
    (keys::WRITING, &[keys::SHIFT, keys::ENTER], keys::NEW_LINE),
    (keys::WRITING, &[keys::ARROW_UP], keys::BEFORE),
    (keys::WRITING, &[keys::CTRL, keys::FULL_STOP], keys::HALT),
    (keys::WRITING, &[keys::ALT, keys::ARROW_UP, keys::ARROW_DOWN], keys::REORDER),
    (keys::SEARCH, &[keys::ENTER], keys::MATCH_NEXT),
    (keys::SEARCH, &[keys::SHIFT, keys::ENTER], keys::MATCH_BEFORE),
    (keys::SEARCH, &[keys::ESCAPE], keys::CLOSE_SEARCH),
    (keys::REQUESTS, &[keys::TAB], keys::TO_BUTTONS),
    (keys::REQUESTS, &[keys::ENTER], keys::PRESS),
    (keys::SHEET, &[keys::ESCAPE], keys::CLOSE),
];

/// Notes for screen reader users.
const SPOKEN_KEYS: [Word; 5] = [
    search::SPOKEN_FEED,
    search::SPOKEN_REQUESTS,
    search::SPOKEN_STATUS,
    search::SPOKEN_GROUPS,
    search::SPOKEN_OPEN,
];

/// The sheet. When it closes, the browser gives the focus back.
pub fn help(store: Store) -> El {
    let dialog: NodeRef<Dialog> = NodeRef::new();
    // The browser's `close` event comes later. The signal is set at once, so that a key pressed in between
    // opens the sheet again.
    let shut = move || {
        if let Some(dialog) = dialog.get_untracked() {
            dialog.close();
        }
        store.view_state.help.set(false);
    };
    let sheet = El::of(view! {
        <dialog
            class="sheet"
            aria-labelledby="ph-help-title"
            node_ref=dialog
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                shut();
            }
            on:click=move |event| {
                // A click outside the sheet's content has the dialog itself as its target.
                if event.target() == event.current_target() {
                    shut();
                }
            }
            on:keydown=move |event| keydown(shut, &event)
        >
            <div class="inside">
                <header>
                    <h2 id="ph-help-title">{search::HELP.text()}</h2>
                    <button
                        type="button"
                        class="btn bare"
                        part="button"
                        aria-label=search::HELP_CLOSE.text()
                        on:click=move |_| shut()
                    >
                        {glyph(Icon::Cross)}
                    </button>
                </header>
                <p class="quiet">{search::HELP_WHEN.text()}</p>
                <div class="groups">{headings().into_iter().map(group).collect_view()}</div>
                <h3>{search::SCREEN_READER.text()}</h3>
                <ul>{SPOKEN_KEYS.map(|line| view! { <li>{line.text()}</li> }).collect_view()}</ul>
            </div>
        </dialog>
    });
    spawn_local(async move {
        // Fails if it is open already or not in the document; then there is nothing to show.
        let _ = dialog.get_untracked().map(|dialog| dialog.show_modal());
    });
    sheet
}

/// The page's keys do not work in the sheet, except the one that opened it: it closes the sheet.
fn keydown(shut: impl Fn(), event: &KeyboardEvent) {
    event.stop_propagation();
    if event.key() == "?" {
        event.prevent_default();
        shut();
    }
}

/// The headings of the groups, each once, in order.
fn headings() -> Vec<Word> {
    let mut headings: Vec<Word> = Vec::new();
    for heading in KEYS.iter().map(|key| key.heading).chain(MORE_KEYS.iter().map(|(heading, ..)| *heading)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings
}

/// The keys under one heading.
fn group(heading: Word) -> impl IntoView {
    let own = KEYS.iter().filter(|key| key.heading == heading).map(|key| (vec![key.key], key.does));
    let more = MORE_KEYS.iter().filter(|(of, ..)| *of == heading);
    let more = more.map(|(_, keys, does)| (keys.iter().map(|key| key.text()).collect(), *does));
    let line = |(keys, does): (Vec<&'static str>, Word)| {
        view! {
            <dt>{keys.into_iter().map(|key| view! { <kbd translate="no">{key}</kbd> }).collect_view()}</dt>
            <dd>{does.text()}</dd>
        }
    };
    view! {
        <section>
            <h3>{heading.text()}</h3>
            <dl>{own.chain(more).map(line).collect_view()}</dl>
        </section>
    }
}
