//! Reads a recording, or a transcript of another agent, from disk in pieces, and shows it instead of the live session. It is not
//! sent anywhere.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, FileList, HtmlInputElement, ReadableStreamDefaultReader};

use crate::client::yield_to_browser;
use crate::client::yield_to_browser::{COMMIT, SLICE};
use crate::core::Session;
use crate::core::i18n::words::log as words;
use crate::core::session::log::Log;
use crate::core::transcripts::LogReader;
use crate::store::{SharedSession, Store};
use crate::ui::elements::builder::El;

/// Bytes between two looks at the clock.
const PIECE: usize = 64 * 1024;

/// A button that picks a file.
pub fn file_button(store: Store) -> El {
    let pick = move |event: web_sys::Event| {
        let field = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        if let Some(field) = field {
            open_first(store, field.files());
            // Otherwise the same file could not be picked again.
            field.set_value("");
        }
    };
    El::of(view! {
        <label class="btn small">
            {words::OPEN_FILE.text()}
            <input class="sr-only" type="file" accept=".jsonl,.ndjson,.json,.txt,.sse" on:change=pick/>
        </label>
    })
}

/// Takes files that are dropped on the page, and one that was dropped before this code was loaded.
pub fn take_dropped(page: &El, store: Store) {
    let (root, dropped) = (page.element().get_root_node(), JsValue::from_str("dropped"));
    if let Ok(Ok(file)) = js_sys::Reflect::get(&root, &dropped).map(JsCast::dyn_into::<web_sys::File>) {
        // Opened only once. A property that can't be set does no harm.
        let _ = js_sys::Reflect::set(&root, &dropped, &JsValue::UNDEFINED);
        open(store, file);
    }
    let page = page.clone().on("dragover", |event| {
        let carried = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
        if carried.is_some_and(|carried| carried.types().includes(&"Files".into(), 0)) {
            event.prevent_default();
        }
    });
    let _ = page.on("drop", move |event| {
        let dropped = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
        if let Some(files) = dropped.and_then(|dropped| dropped.files()).filter(|files| files.length() > 0) {
            event.prevent_default();
            open_first(store, Some(files));
        }
    });
}

fn open_first(store: Store, files: Option<FileList>) {
    if let Some(file) = files.and_then(|files| files.get(0)) {
        open(store, file);
    }
}

/// Shows a file's session and reads the file.
fn open(store: Store, file: web_sys::File) {
    let session = Rc::new(RefCell::new(Session::new()));
    session.borrow_mut().keep_log();
    store.history().show_file(Some((Rc::clone(&session), file.name())));
    spawn_local(async move {
        store.reading.set(true);
        if read(store, &session, &file).await.is_none() && shows(store, &session) {
            commit(store, &session);
            store.reading.set(false);
            let words = words::FILE_BROKEN.with(&[("file", (&file.name()).into())]);
            store.history().file().set(Some((file.name(), words)));
        }
    });
}

fn shows(store: Store, session: &SharedSession) -> bool {
    store.history().session().is_some_and(|shown| Rc::ptr_eq(&shown, session))
}

async fn read(store: Store, session: &SharedSession, file: &web_sys::File) -> Option<()> {
    let reader: ReadableStreamDefaultReader = file.stream().get_reader().dyn_into().ok()?;
    let mut end = yield_to_browser::now() + SLICE;
    let mut committed = yield_to_browser::now();
    let mut log = LogReader::default();
    loop {
        let read = JsFuture::from(reader.read()).await.ok()?;
        let field = |name: &str| js_sys::Reflect::get(&read, &JsValue::from_str(name)).ok();
        if !shows(store, session) {
            // Somebody has opened another file, or returned to the live session.
            let _ = reader.cancel();
            return Some(());
        }
        if field("done")?.is_truthy() {
            session.borrow_mut().push(&log.end());
            session.borrow_mut().end();
            commit(store, session);
            store.reading.set(false);
            while compact(session) {
                yield_to_browser::next().await;
            }
            return Some(());
        }
        let bytes = field("value")?.dyn_into::<js_sys::Uint8Array>().ok()?.to_vec();
        for piece in bytes.chunks(PIECE) {
            session.borrow_mut().push(&log.push(piece));
            compact(session);
            if yield_to_browser::now() >= end {
                if yield_to_browser::now() >= committed + COMMIT {
                    committed = yield_to_browser::now();
                    commit_with_frame(store, session);
                }
                yield_to_browser::next().await;
                end = yield_to_browser::now() + SLICE;
            }
        }
    }
}

fn compact(session: &SharedSession) -> bool {
    session.borrow_mut().log_mut().is_some_and(Log::compact)
}

/// Shows what was read with the next frame. Changes between two frames can be laid out twice.
fn commit_with_frame(store: Store, session: &SharedSession) {
    let session = Rc::clone(session);
    request_animation_frame(move || commit(store, &session));
}

/// Shows what was read, unless the reader looks at an earlier moment.
fn commit(store: Store, session: &SharedSession) {
    let changes = session.borrow_mut().take_changes();
    if shows(store, session) {
        store.history().loaded(&changes);
    }
}
