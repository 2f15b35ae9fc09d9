//! The line under the field: choices at its start, buttons to send and stop
//! at its end, and a hint what Enter does.

use leptos::prelude::*;

use super::dialog::Dialog;
use super::menu::{Item, menu};
use super::send::{make_usual, submit};
use super::{ComposerState, attach, button, modes, queue, stop};
use crate::core::client::compose::{DeliveryMode, Note};
use crate::core::i18n::Word;
use crate::core::i18n::format::count;
use crate::core::i18n::words::composer as words;
use crate::core::model::outbox::Stage;
use crate::core::view_model::compose::{command_of, slash};
use crate::core::wire::fields::Fields;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::memo;

/// The line of choices and buttons.
pub(super) fn bar(composer: ComposerState) -> El {
    let busy = memo(move || composer.busy());
    let usual = composer.usual;
    let changing = memo(move || matches!(composer.editing.get(), Some((_, true))));
    let choices = div("composer-choices")
        .child(attach::picker(composer))
        .child(modes::mode_menu(composer))
        .child(modes::model_menu(composer))
        .child(modes::permission_menu(composer))
        .child(more_menu(composer))
        .child(el("slot").attr("name", "composer-actions"));
    let ends = div("composer-ends").child(move || {
        if changing.get() {
            let cancel = plain(words::CANCEL).attr("data-cancel", "");
            let cancel = cancel.text(words::CANCEL.text()).on("click", move |_| _ = queue::cancel(composer));
            return vec![cancel, primary(composer, words::SAVE, Icon::Check, DeliveryMode::Queue)];
        }
        if !busy.get() {
            return vec![primary(composer, words::SEND, Icon::Send, DeliveryMode::Queue)];
        }
        if composer.replies() {
            return vec![stop::stop_menu(composer)];
        }
        let way = usual.get();
        let (now, later) = ((words::SEND_NOW, Icon::Send), (words::QUEUE, Icon::Queue));
        let (first, second) = if way == DeliveryMode::Now { (now, later) } else { (later, now) };
        let other = way.other();
        let second = with_icon(plain(second.0), second.1)
            .attr("data-send", if other == DeliveryMode::Now { "now" } else { "queue" })
            .attr("disabled", move || !ready(composer))
            .on("click", move |_| submit(composer, other));
        vec![stop::stop_menu(composer), second, primary(composer, first.0, first.1, way)]
    });
    div("composer-bar").child(choices).child(ends)
}

/// Whether there is something to send and it can be sent. Subscribes.
fn ready(composer: ComposerState) -> bool {
    let some =
        composer.text.with(|text| !text.trim().is_empty()) || composer.files.with(|files| !files.is_empty());
    some && composer.connected() && !composer.ended()
}

fn primary(composer: ComposerState, name: Word, icon: Icon, way: DeliveryMode) -> El {
    with_icon(plain(name).class("btn primary"), icon)
        .attr("data-send", "usual")
        .attr("disabled", move || !ready(composer))
        .on("click", move |_| submit(composer, way))
}

fn plain(name: Word) -> El {
    el("button")
        .attr("type", "button")
        .class("btn")
        .attr("part", "button")
        .attr("aria-label", name.text())
        .attr("title", name.text())
}

fn with_icon(button: El, icon: Icon) -> El {
    let name = button.element().get_attribute("aria-label").unwrap_or_default();
    button.child(glyph(icon)).child(el("span").text(&name))
}

/// The hint: what Enter would do, or what becomes of the message just sent.
pub(super) fn hint(composer: ComposerState) -> El {
    let busy = memo(move || composer.busy());
    let usual = composer.usual;
    let changing = memo(move || matches!(composer.editing.get(), Some((_, true))));
    let told = memo(move || {
        if !composer.connected() {
            return Some(words::OFFLINE.text().to_owned());
        }
        if changing.get() {
            return Some(words::ENTER_SAVES.text().to_owned());
        }
        // Shown at once, and without moving anything. A message that takes long gets a line above the field.
        let way = composer.outbox.with(|outbox| {
            let sent = outbox.sent().last().filter(|sent| sent.stage == Stage::Sending)?;
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
                    None if text.contains(' ') && composer.doubt().is_none() => {
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
    let swap = move || {
        let way = usual.get_untracked().other();
        make_usual(way);
        usual.set(way);
        composer.focus();
    };
    div("composer-hint")
        .attr("id", "ph-composer-hint")
        .attr("data-usual", move || told.with(Option::is_none))
        .child(move || composer.asked().then(|| el("b").text(words::REQUEST_WAITS.text())))
        .child(move || {
            let doubt = composer.doubt()?;
            Some(el("b").attr("data-doubt", "").text(doubt.words()))
        })
        .child(el("span").text(move || told.get().unwrap_or_else(usually)))
        .child(move || {
            let button = el("button").attr("type", "button").class("quiet-btn").attr("data-swap", "");
            let button = button.attr("title", words::SWAP_TELLS.text());
            (busy.get() && !composer.replies() && !changing.get())
                .then(|| button.text(words::SWAP.text()).on("click", move |_| swap()))
        })
}

fn more_menu(composer: ComposerState) -> El {
    let open = RwSignal::new(false);
    let opener = button(Icon::More, words::MORE.text()).attr("data-more", "");
    let place = menu(opener, words::MORE.text(), open, move || {
        let mut items = Vec::new();
        if !composer.lacks("session.history.compact") {
            items.push(Item::new(
                Icon::Compact,
                words::COMPACT.text(),
                words::COMPACT_TELLS.text(),
                move || {
                    compact(composer);
                },
            ));
        }
        if !composer.lacks("session.name.set") {
            let rename = move || composer.open_dialog.set(Some(Dialog::Rename));
            items.push(Item::new(Icon::Pencil, words::RENAME.text(), "", rename));
        }
        if !composer.lacks("session.queue.setDrainPaused") {
            items.push(Item::new(Icon::Pause, words::PAUSE.text(), words::PAUSE_TELLS.text(), move || {
                queue::pause(composer, true);
            }));
        }
        items
    });
    place.attr("hidden", move || composer.store.server().protocol.get().is_some())
}

fn compact(composer: ComposerState) {
    const METHOD: &str = "session.history.compact";
    composer.set_note(Some(Note::info(words::COMPACTING.text())));
    composer.call(METHOD, serde_json::json!({}), move |outcome| {
        let said = match outcome {
            Ok(answer) => {
                let mut fields = Fields::of(answer);
                if fields.flag("success") == Some(false) {
                    Note::Error(words::NOT_CHANGED.text().to_owned())
                } else {
                    let tokens = count(fields.integer("tokensRemoved").unwrap_or(0));
                    Note::info(&words::COMPACTED.with(&[("tokens", (&tokens).into())]))
                }
            }
            Err(failure) => Note::failed(METHOD, &failure),
        };
        composer.set_note(Some(said));
    });
}
