//! The field in which a message is written: its keys, what is pasted or dropped into it, and the hint below it.
//! Keys of an input method are left alone.

use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ClipboardEvent, DragEvent, HtmlTextAreaElement, KeyboardEvent, ShadowRoot};

use super::controls::target;
use super::state::{ComposerState, use_composer};
use super::{attach, compact, stop, suggestions};
use crate::core::client::compose::{DeliveryMode, Input};
use crate::core::i18n::words::composer as words;
use crate::core::model::outbox::DeliveryStage;
use crate::core::view_model::compose::{command_of, slash};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::focus::focused_near;
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::session::use_session;

/// The key code of an input method's keys in browsers that do not say that it composes.
const COMPOSING: u32 = 229;
/// On an element whose session the board has just made.
const MADE: &str = "data-write";

/// The field in which a message is written, with what is attached to it, proposals while somebody types, and a hint what
/// Enter does.
#[component(transparent)]
pub fn ComposerInput(
    /// What stands in the field's box, below the text.
    #[prop(optional)]
    children: Option<ChildrenFn>,
) -> Live {
    let composer = use_composer();
    use_session().framed_part(move || {
        let inside = boxed(composer, field(composer));
        let inside = match &children {
            Some(children) => inside.view(children()),
            None => inside,
        };
        div("composer-in").child(inside).child(hint(composer))
    })
}

fn field(composer: ComposerState) -> El {
    let placeholder = move || {
        if composer.has_ended() {
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
        .attr("disabled", move || composer.has_ended());
    let area = suggestions::describe_field(area, composer)
        .on("input", move |event| {
            if let Some(field) = target::<HtmlTextAreaElement>(event) {
                composer.input(Input::Typed(field.value()));
                suggestions::update(composer);
            }
        })
        .on("keydown", move |event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                press(composer, event);
            }
        })
        .on("click", move |_| suggestions::update(composer))
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
    composer.untracked.update_value(|untracked| untracked.field = Some(element));
    let takes_messages = composer.store.server().steering;
    render_effect(move || {
        if takes_messages.get() {
            // It is in the document by then, and seen.
            request_animation_frame(move || composer.with_field(begin_to_write));
        }
    });
    // The text is also put behind the field, which makes the field grow in every browser.
    div("composer-grow").attr("data-text", move || Some(composer.text.get())).child(area)
}

/// Gives the field the focus where the board has just made the session, unless the person has gone elsewhere.
fn begin_to_write(field: &HtmlTextAreaElement) {
    let Some(host) = field.get_root_node().dyn_into::<ShadowRoot>().ok().map(|root| root.host()) else {
        return;
    };
    if host.has_attribute(MADE) && focused_near(&host).is_none_or(|place| place.contains(Some(&host))) {
        // If this fails, the focus stays where it is, which does no harm.
        let _ = field.focus();
    }
    // Fails for invalid names only.
    let _ = host.remove_attribute(MADE);
}

/// The box around the field, into which files can be dropped.
fn boxed(composer: ComposerState, field: El) -> El {
    let over = RwSignal::new(false);
    el("form")
        .class("composer-box")
        .attr("data-over", move || over.get())
        .attr("data-compact", move || compact::is_compact(composer))
        .on("submit", move |event| {
            event.prevent_default();
            composer.submit(composer.usual.get_untracked());
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
        .child(attach::attachment_list(composer))
        .child(suggestions::proposals(composer))
        .child(field)
}

/// The hint: what Enter would do, or what becomes of the message just sent.
fn hint(composer: ComposerState) -> El {
    let busy = memo(move || composer.is_busy());
    let usual = composer.usual;
    let edits = memo(move || composer.edits_queued());
    let special = memo(move || {
        if !composer.connected() {
            return Some(words::OFFLINE.text().to_owned());
        }
        if edits.get() {
            return Some(words::ENTER_SAVES.text().to_owned());
        }
        // Shown at once, and without moving anything. A message that takes long gets a line above the field.
        let way = composer.outbox.with(|outbox| {
            let sent = outbox.sent().last().filter(|sent| sent.stage == DeliveryStage::Sending)?;
            Some(format!("{}: {}", words::SENDING.text(), sent.text.lines().next().unwrap_or_default()))
        });
        way.or_else(|| {
            composer.text.with(|text| {
                let (name, _) = slash(text)?;
                let known = composer
                    .commands
                    .with(|commands| command_of(text, commands).map(|(command, _)| command.any_time));
                match known {
                    Some(false) if busy.get() => Some(words::RUNS_LATER.text().to_owned()),
                    // While a name is being typed it may still become known. One that was
                    // to be sent has a stronger hint.
                    None if text.contains(' ') && composer.doubtful_text().is_none() => {
                        Some(words::UNKNOWN_COMMAND.with(&[("name", name.into())]))
                    }
                    _ => None,
                }
            })
        })
    });
    let usually = move || {
        let word = match (busy.get(), usual.get()) {
            (false, _) => words::ENTER_SENDS,
            _ if composer.replies() => words::REPLIES,
            (true, DeliveryMode::Queue) => words::ENTER_QUEUES,
            (true, DeliveryMode::Now) => words::ENTER_STEERS,
        };
        word.text().to_owned()
    };
    div("composer-hint")
        .attr("id", "ph-composer-hint")
        .attr("data-usual", move || special.with(Option::is_none))
        .child(move || {
            let words = words::REQUEST_WAITS.text();
            composer.has_open_request().then(|| el("b").attr("title", words).text(words))
        })
        .child(move || {
            let doubt = composer.doubtful_text()?;
            Some(el("b").attr("data-doubt", "").text(doubt.words()))
        })
        .child(el("span").text(move || special.get().unwrap_or_else(usually)))
        .child(move || {
            let button = el("button").attr("type", "button").class("quiet-btn").attr("data-swap", "");
            let button = button.attr("title", words::SWAP_TELLS.text());
            (busy.get() && !composer.replies() && !edits.get())
                .then(|| button.text(words::SWAP.text()).on("click", move |_| composer.swap_enter_action()))
        })
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
    let is_command = event.ctrl_key() || event.meta_key();
    let done = match event.key().as_str() {
        "Enter" if event.shift_key() || event.alt_key() => false,
        "Enter" => {
            let usual = composer.usual.get_untracked();
            composer.submit(if is_command { usual.other() } else { usual });
            true
        }
        "." if is_command => stop::stop(composer),
        "ArrowUp" if plain(event) => older(composer),
        "ArrowDown" if plain(event) => newer(composer),
        // Nothing is lost by it: a queued message that was being edited stays as it is.
        "Escape" => composer.cancel_edit(),
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
