//! The field in which a message is written: its keys, and what is pasted or dropped into it.
//! Keys of an input method are left alone.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ClipboardEvent, DragEvent, HtmlTextAreaElement, KeyboardEvent};

use super::{ComposerState, attach, compact, queue, send, stop, target};
use super::{action_bar, suggestions};
use crate::core::client::compose::Input;
use crate::core::i18n::words::composer as words;
use crate::ui::elements::builder::{El, div, el};

/// The key code of an input method's keys in browsers that do not say that it composes.
const COMPOSING: u32 = 229;

/// The field with its buttons.
pub(super) fn field(composer: ComposerState) -> El {
    let placeholder = move || {
        if composer.ended() {
            return Some(words::PLACEHOLDER_ENDED.text().to_owned());
        }
        let commands = composer.commands.with(|commands| !commands.is_empty());
        let can = match (commands, suggestions::files_proposed(composer)) {
            (true, true) => "both",
            (true, false) => "commands",
            (false, true) => "files",
            (false, false) => "none",
        };
        Some(words::PLACEHOLDER.with(&[("can", can.into())]))
    };
    let area = el("textarea")
        .class("composer-text")
        .attr("data-compose", "")
        .attr("rows", "1")
        .attr("enterkeyhint", "send")
        .attr("autocomplete", "off")
        .attr("dir", "auto")
        .attr("aria-label", words::COMPOSER.text())
        .attr("aria-describedby", "ph-composer-hint")
        .attr("aria-autocomplete", "list")
        .attr("placeholder", placeholder)
        .attr("disabled", move || composer.ended());
    let area = suggestions::described(area, composer)
        .on("input", move |event| {
            if let Some(field) = target::<HtmlTextAreaElement>(event) {
                composer.input(Input::Typed(field.value()));
                suggestions::look(composer);
            }
        })
        .on("keydown", move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                press(composer, event);
            }
        })
        .on("click", move |_| suggestions::look(composer))
        .on("blur", move |_| suggestions::close(composer))
        .on("paste", move |event| {
            let pasted = event.dyn_ref::<ClipboardEvent>().and_then(ClipboardEvent::clipboard_data);
            if let Some(files) = pasted.and_then(|pasted| pasted.files()).filter(|files| files.length() > 0) {
                event.prevent_default();
                attach::take_list(composer, &files);
            }
        });
    let element: HtmlTextAreaElement = area.element().clone().unchecked_into();
    element.set_value(&composer.text.get_untracked());
    composer.kept.update_value(|kept| kept.field = Some(element));

    let over = RwSignal::new(false);
    // The text is also put behind the field, which makes the field grow in every browser.
    let grown = div("composer-grow").attr("data-text", move || Some(composer.text.get())).child(area);
    let form = el("form")
        .class("composer-box")
        .attr("data-over", move || over.get())
        .attr("data-compact", move || compact::is_compact(composer))
        .on("submit", move |event| {
            event.prevent_default();
            send::submit(composer, composer.usual.get_untracked());
        })
        .on("dragover", move |event| {
            if files_of(event).is_some() {
                event.prevent_default();
                event.stop_propagation();
                over.set(true);
            }
        })
        .on("dragleave", move |_| over.set(false))
        .on("drop", move |event| {
            over.set(false);
            let carried = files_of(event).and_then(|carried| carried.files());
            if let Some(files) = carried.filter(|files| files.length() > 0) {
                event.prevent_default();
                // Elsewhere on the page a dropped file is opened as a recording.
                event.stop_propagation();
                attach::take_list(composer, &files);
            }
        })
        .child(attach::attached(composer))
        .child(suggestions::proposals(composer))
        .child(grown)
        .child(action_bar::bar(composer));
    div("composer-in").child(form).child(action_bar::hint(composer))
}

fn files_of(event: &web_sys::Event) -> Option<web_sys::DataTransfer> {
    let carried = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer)?;
    carried.types().includes(&"Files".into(), 0).then_some(carried)
}

fn press(composer: ComposerState, event: &KeyboardEvent) {
    if event.is_composing() || event.key_code() == COMPOSING {
        return;
    }
    // Keys pressed in the field are not the page's shortcuts. An Escape that has no use here may have one for the host.
    if event.key() != "Escape" {
        event.stop_propagation();
    }
    if suggestions::press(composer, event) {
        event.prevent_default();
        return;
    }
    let held = event.ctrl_key() || event.meta_key();
    let done = match event.key().as_str() {
        "Enter" if event.shift_key() || event.alt_key() => false,
        "Enter" => {
            let usual = composer.usual.get_untracked();
            send::submit(composer, if held { usual.other() } else { usual });
            true
        }
        "." if held => stop::stop(composer),
        "ArrowUp" if plain(event) => older(composer),
        "ArrowDown" if plain(event) => newer(composer),
        // Nothing is lost by it: a queued message that was being edited stays as it is.
        "Escape" => queue::cancel(composer),
        _ => false,
    };
    if done {
        event.prevent_default();
    }
}

fn plain(event: &KeyboardEvent) -> bool {
    !(event.ctrl_key() || event.meta_key() || event.alt_key() || event.shift_key())
}

/// Shows an older message. Only from the very start of the text: elsewhere the key moves the cursor.
fn older(composer: ComposerState) -> bool {
    let mut start = false;
    composer.with_field(|field| {
        let at = |place: Result<Option<u32>, JsValue>| place.ok().flatten();
        start = at(field.selection_start()) == Some(0) && at(field.selection_end()) == Some(0);
    });
    start && composer.input(Input::Older)
}

/// Shows a newer message. Only while an older one is shown, and from the start or the end of it.
fn newer(composer: ComposerState) -> bool {
    let end = composer.text.with_untracked(|text| text.encode_utf16().count());
    let at = composer.cursor();
    (at == 0 || at == end) && composer.input(Input::Newer)
}
