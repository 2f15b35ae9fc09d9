//! The export menu: the session as a file, or on paper. The documents are made by `core::export`.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, BlobPropertyBag, Element, HtmlAnchorElement, HtmlElement, Url};

use crate::client::announcer::announce_outcome;
use crate::core::export::{self, Format};
use crate::core::i18n::Word;
use crate::core::i18n::words::search;
use crate::store::Store;
use crate::ui::elements::builder::El;

/// The export menu.
#[component(transparent)]
pub fn ExportMenu(store: Store) -> El {
    let document = move |format: Format| {
        let made = store
            .read(|state| (export::file_name(state, format.extension()), export::document(state, format)));
        if let Some((file, text)) = made {
            download(store, &file, &text, format.media_type());
        }
    };
    let events = move |()| {
        let file = store.read(|state| export::file_name(state, "jsonl")).unwrap_or_default();
        let mut lines = String::new();
        store.history().log(|log| log.lines().for_each(|line| lines.push_str(&line)));
        download(store, &file, &lines, "application/jsonl;charset=utf-8");
    };
    let print = |()| {
        // Where printing is forbidden nothing happens, and the browser reports it.
        let _ = window().print();
    };
    El::of(view! {
        <details class="menu">
            <summary class="btn small" part="button">
                {search::EXPORT.text()}
            </summary>
            <div class="pop">
                <MenuItem name=search::MARKDOWN about=search::MARKDOWN_FOR on_press=Callback::new(move |()| document(Format::Markdown))/>
                <MenuItem name=search::WEB_PAGE about=search::WEB_PAGE_FOR on_press=Callback::new(move |()| document(Format::Html))/>
                <MenuItem name=search::EVENTS about=search::EVENTS_FOR on_press=Callback::new(events)/>
                <MenuItem name=search::PRINT about=search::PRINT_FOR on_press=Callback::new(print)/>
            </div>
        </details>
    })
}

/// An entry of the menu, which closes when it is pressed.
#[component(transparent)]
fn MenuItem(name: Word, about: Word, on_press: Callback<()>) -> El {
    // Closed first, so that the menu is not printed.
    let press = move |event: web_sys::MouseEvent| {
        close(&event);
        on_press.run(());
    };
    El::of(view! {
        <button type="button" class="item" part="button" on:click=press>
            {name.text()}
            " "
            <span class="quiet">{about.text()}</span>
        </button>
    })
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
    announce_outcome(store.view_state.announcement, &words);
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
