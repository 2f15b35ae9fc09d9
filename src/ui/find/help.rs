//! The help sheet: every key in words, and what screen readers find. Refuses keys of its own; `keys` has the table.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, Event, HtmlDialogElement, KeyboardEvent};

use crate::store::Store;
use crate::ui::dom::{El, div, el, glyph};
use crate::ui::icons::Icon;
use crate::ui::keys::KEYS;

/// Keys that are no single letters, under their headings: they work where they are said to.
const MORE: [(&str, &[&str], &str); 10] = [
    ("Go to", &["Page Up", "Page Down"], "The entry before or after, from an entry"),
    ("Open and close", &["Ctrl", "F"], "Search; once more: the browser's own"),
    ("Entry with the focus", &["Enter"], "Open or fold its line; so does Space"),
    ("Entry with the focus", &["Tab"], "Its links and buttons"),
    ("Search", &["Enter"], "Next match"),
    ("Search", &["Shift", "Enter"], "Match before"),
    ("Search", &["Escape"], "Close, and show all rows again"),
    ("Requests", &["Tab"], "To the buttons of the request"),
    ("Requests", &["Enter"], "Press the button that has the focus. No other key answers a request"),
    ("This sheet", &["Escape"], "Close"),
];

/// What is there for those who do not see the page.
const SPOKEN: [&str; 5] = [
    "The timeline is a feed of articles, each named after who speaks or what it is.",
    "Requests are alert dialogs inside the feed; they never take the focus by themselves.",
    "One status line says when the agent works, asks or has replied; it never reads text while it is written.",
    "Search, filters and toolbar are named groups; switches say whether they are on.",
    "Everything that opens says whether it is open.",
];

/// The sheet. The browser gives the focus back to who had it.
pub fn help(store: Store) -> El {
    let dialog = el("dialog").class("sheet").attr("aria-labelledby", "ph-help-title");
    let element: HtmlDialogElement = dialog.element().clone().unchecked_into();
    let (shown, closed, pressed) = (element.clone(), element.clone(), element.clone());
    spawn_local(async move {
        // It is open already, or nowhere: then there is nothing to show.
        let _ = shown.show_modal();
    });
    let close = button().on("click", move |_| closed.close());
    let head = el("header").child(el("h2").attr("id", "ph-help-title").text("Keys")).child(close);
    let mut headings: Vec<&str> = Vec::new();
    for heading in KEYS.iter().map(|key| key.heading).chain(MORE.iter().map(|(heading, ..)| *heading)) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    let groups = headings.into_iter().map(group).collect();
    let spoken = SPOKEN.iter().map(|line| el("li").text(line)).collect();
    let inside = div("inside")
        .child(head)
        .child(el("p").class("quiet").text("Letters work while the page has the focus and nobody types."))
        .child(div("groups").children(groups))
        .child(el("h3").text("With a screen reader"))
        .child(el("ul").children(spoken));
    dialog
        .child(inside)
        .on("close", move |_| store.desk.help.set(false))
        .on("click", move |event| {
            // Outside of the sheet is the dialog itself.
            if event.target().and_then(|target| target.dyn_into::<Element>().ok()).as_ref()
                == Some(element.as_ref())
            {
                element.close();
            }
        })
        .on("keydown", move |event| keydown(&pressed, event))
}

/// The page's keys are not the sheet's, but for the one that opened it.
fn keydown(dialog: &HtmlDialogElement, event: &Event) {
    let Some(event) = event.dyn_ref::<KeyboardEvent>() else { return };
    event.stop_propagation();
    if event.key() == "?" {
        event.prevent_default();
        dialog.close();
    }
}

fn button() -> El {
    el("button")
        .attr("type", "button")
        .class("btn bare")
        .attr("part", "button")
        .attr("aria-label", "Close help")
        .child(glyph(Icon::Cross))
}

fn group(heading: &str) -> El {
    let own = KEYS.iter().filter(|key| key.heading == heading).map(|key| line(&[key.key], key.does));
    let more = MORE.iter().filter(|(of, ..)| *of == heading).map(|(_, keys, does)| line(keys, does));
    el("section").child(el("h3").text(heading)).child(el("dl").children(own.chain(more).flatten().collect()))
}

fn line(keys: &[&str], does: &str) -> [El; 2] {
    let keys = keys.iter().map(|key| el("kbd").text(key)).collect();
    [el("dt").children(keys), el("dd").text(does)]
}
