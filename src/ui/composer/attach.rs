//! Attachments of a message: images as thumbnails, text files as part of the text. Files that the model
//! does not take are rejected with a reason.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, FileList, HtmlInputElement};

use super::actions::{self, ACTIONS};
use super::controls::{icon_button, target};
use super::state::ComposerState;
use crate::core::client::compose::{Attached, Input};
use crate::core::i18n::words::composer as words;
use crate::core::view_model::compose::attachment::{AttachmentForm, Limits, block};
use crate::core::view_model::compose::splice;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el};

/// The button that picks files.
pub(super) fn picker(composer: ComposerState) -> El {
    let input = el("input")
        .class("sr-only")
        .attr("type", "file")
        .attr("multiple", "")
        .attr("tabindex", "-1")
        .attr("aria-hidden", "true")
        .on("change", move |event| {
            let Some(field) = target::<HtmlInputElement>(event) else { return };
            if let Some(files) = field.files() {
                take_list(composer, &files);
            }
            // Otherwise the same file could not be picked again.
            field.set_value("");
        });
    let picked: HtmlInputElement = input.element().clone().unchecked_into();
    let open = icon_button(Icon::Attach, words::ATTACH.text()).on("click", move |_| picked.click());
    el("span").class("composer-pick").attr("hidden", move || composer.replies()).child(open).child(input)
}

/// Where what is attached is listed.
pub(super) fn attachment_list(composer: ComposerState) -> El {
    div("composer-files-place").child(move || {
        if composer.files.with(Vec::is_empty) {
            return None;
        }
        actions::view(|actions| (actions.attachments)(composer))
    })
}

/// The list of attachments, each with a button to remove it.
pub(super) fn list(composer: ComposerState) -> El {
    let rows = composer.files.with_untracked(|files| {
        files.iter().enumerate().map(|(at, file)| row(composer, at, file)).collect::<Vec<_>>()
    });
    el("ul").class("composer-files").attr("aria-label", words::ATTACHED.text()).child(rows)
}

fn row(composer: ComposerState, at: usize, file: &Attached) -> El {
    let remove = icon_button(Icon::Cross, &words::REMOVE_FILE.with(&[("name", (&file.name).into())]));
    el("li")
        .child(file.picture.as_ref().map(|address| el("img").attr("src", address).attr("alt", "")))
        .child(el("span").class("name").attr("dir", "auto").text(&file.name))
        .child(remove.on("click", move |_| {
            composer.input(Input::Detach(at));
        }))
}

/// The limits of the selected model.
fn limits(composer: ComposerState) -> Limits {
    let id = composer.store.live_session().and_then(|session| session.borrow().state().info.model.clone());
    composer.models.with_untracked(|models| {
        let models = models.as_deref().unwrap_or_default();
        let model = models.iter().find(|model| Some(&model.id) == id.as_ref());
        model.map(|model| model.limits.clone()).unwrap_or_default()
    })
}

/// Takes files that were picked, pasted or dropped.
pub(super) fn take_list(composer: ComposerState, files: &FileList) {
    take_files(composer, (0..files.length()).filter_map(|at| files.get(at)).collect());
}

/// Takes files once the chunk is there that reads them. What is sent meanwhile waits for them.
pub(super) fn take_files(composer: ComposerState, files: Vec<File>) {
    composer.input(Input::Reading);
    spawn_local(async move {
        ACTIONS.fetch_ahead().await;
        if !composer.is_mounted() {
            return;
        }
        if let Ok(actions) = untrack(|| ACTIONS.ready()) {
            return (actions.attach)(composer, files);
        }
        let broken = |file: &File| words::FILE_BROKEN.with(&[("name", (&file.name()).into())]);
        composer.input(Input::Read(files.iter().map(broken).collect()));
    });
}

/// Takes files that are announced already, one after the other.
pub(super) fn take(composer: ComposerState, files: Vec<File>) {
    let limits = limits(composer);
    spawn_local(async move {
        let mut refused = Vec::new();
        for file in files {
            let (mut name, kind) = (file.name(), file.type_());
            if name.is_empty() {
                words::PASTED.text().clone_into(&mut name);
            }
            let Some(images) = composer.files.try_with_untracked(Vec::len) else { return };
            match limits.take(&name, &kind, file.size() as u64, images) {
                Ok(taken) => {
                    if let Err(why) = attach_file(composer, &file, name, kind, taken).await {
                        refused.push(why);
                    }
                }
                Err(why) => refused.push(why),
            }
        }
        composer.input(Input::Read(refused));
    });
}

async fn attach_file(
    composer: ComposerState,
    file: &File,
    name: String,
    kind: String,
    taken: AttachmentForm,
) -> Result<(), String> {
    let broken = || words::FILE_BROKEN.with(&[("name", (&name).into())]);
    let buffer = JsFuture::from(file.array_buffer()).await.map_err(|_| broken())?;
    let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
    if !composer.is_mounted() {
        return Ok(());
    }
    if taken == AttachmentForm::Image && untrack(|| composer.replies()) {
        return Err(words::FILE_KIND.with(&[("name", (&name).into())]));
    }
    if taken == AttachmentForm::Image {
        let data = base64(&bytes).ok_or_else(broken)?;
        composer.input(Input::Attach(Attached::image(name, &kind, &data)));
        return Ok(());
    }
    let block = block(&name, &bytes).ok_or_else(|| words::FILE_KIND.with(&[("name", (&name).into())]))?;
    let (text, at) = (composer.text.get_untracked(), composer.cursor());
    let new_line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let (text, cursor) = splice(&text, (at, at), &format!("{new_line}{block}"));
    composer.write(&text, Some(cursor));
    Ok(())
}

/// Encodes by the browser's `btoa`, which takes a character for each byte. Pieces are multiples of
/// 3 bytes, so they join without padding.
fn base64(bytes: &[u8]) -> Option<String> {
    const PIECE: usize = 3 << 14;
    let window = web_sys::window()?;
    let mut out = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for piece in bytes.chunks(PIECE) {
        let sent_messages: String = piece.iter().map(|byte| char::from(*byte)).collect();
        out.push_str(&window.btoa(&sent_messages).ok()?);
    }
    Some(out)
}
