//! The export menu: the session as a file, or on paper. The documents are made by `core::export`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlElement, Url};

use crate::client::store::Store;
use crate::core::export::{self, Format};
use crate::core::i18n::Word;
use crate::core::i18n::words::search;
use crate::ui::elements::builder::{El, div, el};

/// The export menu.
pub fn menu(store: Store) -> El {
    let format = |name, about, format: Format| {
        item(name, about).on("click", move |event| {
            let made = store.read(|state| {
                (export::file_name(state, format.extension()), export::document(state, format))
            });
            if let Some((file, text)) = made {
                download(store, &file, &text, format.media_type());
            }
            close(event);
        })
    };
    let raw = item(search::EVENTS, search::EVENTS_FOR).on("click", move |event| {
        let file = store.read(|state| export::file_name(state, "jsonl")).unwrap_or_default();
        let mut lines = String::new();
        store.history().log(|log| log.lines().for_each(|line| lines.push_str(&line)));
        download(store, &file, &lines, "application/jsonl;charset=utf-8");
        close(event);
    });
    let print = item(search::PRINT, search::PRINT_FOR).on("click", move |event| {
        close(event);
        // Where printing is forbidden nothing happens, and the browser reports it.
        let _ = window().print();
    });
    let list = div("pop")
        .child(format(search::MARKDOWN, search::MARKDOWN_FOR, Format::Markdown))
        .child(format(search::WEB_PAGE, search::WEB_PAGE_FOR, Format::Html))
        .child(raw)
        .child(print);
    let summary = el("summary").class("btn small").attr("part", "button").text(search::EXPORT.text());
    el("details").class("menu").child(summary).child(list)
}

fn item(name: Word, about: Word) -> El {
    let button = el("button").attr("type", "button").class("item").attr("part", "button");
    button.text(name.text()).text(" ").child(el("span").class("quiet").text(about.text()))
}

/// Closes the export menu of a search bar. Returns whether it was open.
pub fn close_menu(bar: &Element) -> bool {
    let Ok(Some(menu)) = bar.query_selector(".menu[open]") else { return false };
    let _ = menu.remove_attribute("open");
    if let Ok(Some(summary)) = menu.query_selector("summary")
        && let Some(summary) = summary.dyn_ref::<HtmlElement>()
    {
        // If this fails, the focus stays where it is, which does no harm.
        let _ = summary.focus();
    }
    true
}

fn close(event: &web_sys::Event) {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(bar) = target.and_then(|target| target.closest(".search-bar").ok().flatten()) {
        close_menu(&bar);
    }
}

fn download(store: Store, file: &str, text: &str, media_type: &str) {
    let words = match save(file, text, media_type) {
        Some(()) => search::EXPORTED.with(&[("file", file.into())]),
        None => search::NOT_EXPORTED.text().to_owned(),
    };
    store.view_state.say(&words);
}

fn save(file: &str, text: &str, media_type: &str) -> Option<()> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let blob = Blob::new_with_str_sequence_and_options(&js_sys::Array::of1(&text.into()), &options).ok()?;
    let address = Url::create_object_url_with_blob(&blob).ok()?;
    let link: HtmlAnchorElement = document().create_element("a").ok()?.dyn_into().ok()?;
    link.set_href(&address);
    link.set_download(file);
    link.click();
    // The download has taken over the blob by now.
    Url::revoke_object_url(&address).ok()
}
