//! The help sheet: every key in words, and notes for screen reader users. The page's own keys are in `keys`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, Event, HtmlDialogElement, KeyboardEvent};

use crate::client::store::Store;
use crate::core::i18n::Word;
use crate::core::i18n::words::{find, keys};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::shell::shortcuts::KEYS;

/// Keys that are not single letters, under their headings. They are handled where they apply.
const MORE: [(Word, &[Word], Word); 16] = [
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
const SPOKEN: [Word; 5] =
    [find::SPOKEN_FEED, find::SPOKEN_REQUESTS, find::SPOKEN_STATUS, find::SPOKEN_GROUPS, find::SPOKEN_OPEN];

/// The sheet. When it closes, the browser gives the focus back.
pub fn help(store: Store) -> El {
    let dialog = el("dialog").class("sheet").attr("aria-labelledby", "ph-help-title");
    let element: HtmlDialogElement = dialog.element().clone().unchecked_into();
    let shown = element.clone();
    // The browser's `close` event comes later. The signal is set at once, so that a key pressed in between
    // opens the sheet again.
    let shut = {
        let element = element.clone();
        move || {
            element.close();
            store.desk.help.set(false);
        }
    };
    let (closed, pressed, outside) = (shut.clone(), shut.clone(), shut.clone());
    spawn_local(async move {
        // Fails if it is open already or not in the document; then there is nothing to show.
        let _ = shown.show_modal();
    });
    let close = button().on("click", move |_| closed());
    let head = el("header").child(el("h2").attr("id", "ph-help-title").text(find::HELP.text())).child(close);
    let mut headings: Vec<Word> = Vec::new();
    for heading in KEYS.iter().map(|key| key.heading).chain(MORE.iter().map(|(heading, ..)| *heading)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let groups = headings.into_iter().map(group).collect::<Vec<_>>();
    let spoken = SPOKEN.iter().map(|line| el("li").text(line.text())).collect::<Vec<_>>();
    let inside = div("inside")
        .child(head)
        .child(el("p").class("quiet").text(find::HELP_WHEN.text()))
        .child(div("groups").child(groups))
        .child(el("h3").text(find::SCREEN_READER.text()))
        .child(el("ul").child(spoken));
    dialog
        .child(inside)
        .on("cancel", move |event| {
            event.prevent_default();
            shut();
        })
        .on("click", move |event| {
            // A click outside the sheet's content has the dialog itself as its target.
            if event.target().and_then(|target| target.dyn_into::<Element>().ok()).as_ref()
                == Some(element.as_ref())
            {
                outside();
            }
        })
        .on("keydown", move |event| keydown(&pressed, event))
}

/// The page's keys do not work in the sheet, except the one that opened it: it closes the sheet.
fn keydown(shut: &impl Fn(), event: &Event) {
    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
    event.stop_propagation();
    if event.key() == "?" {
        event.prevent_default();
        shut();
    }
}

fn button() -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", find::HELP_CLOSE.text())
        .child(glyph(Icon::Cross))
}

fn group(heading: Word) -> El {
    let own = KEYS.iter().filter(|key| key.heading == heading).map(|key| line(&[key.key], key.does));
    let more = MORE.iter().filter(|(of, ..)| *of == heading).map(|(_, keys, does)| {
        let keys: Vec<_> = keys.iter().map(|key| key.text()).collect();
        line(&keys, *does)
    });
    el("section")
        .child(el("h3").text(heading.text()))
        .child(el("dl").child(own.chain(more).flatten().collect::<Vec<_>>()))
}

fn line(keys: &[&str], does: Word) -> [El; 2] {
    let keys = keys.iter().map(|key| el("kbd").text(*key)).collect::<Vec<_>>();
    [el("dt").child(keys), el("dd").text(does.text())]
}
