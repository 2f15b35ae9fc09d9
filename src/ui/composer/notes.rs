//! The notes above the field: that nobody is asked, what a command answered, what went wrong, which messages
//! are under way. A note about what a person did goes with the next thing they do, or when what it speaks of is over;
//! those that somebody has to decide about do not go away by themselves.

use leptos::prelude::*;

use super::controls::{icon_button, note_line, small_button};
use super::state::{ComposerState, use_composer};
use super::{actions, modes};
use crate::core::client::compose::{Input, Note};
use crate::core::i18n::words::composer as words;
use crate::core::model::outbox::{DeliveryStage, SentMessage};
use crate::core::model::state::Section;
use crate::core::view_model::icon::Icon;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;
use crate::ui::session::use_session;

/// What has to be said about what was written: why something was not sent, with the message to send again or to put back;
/// what a command answered; messages that the agent has not begun; that nobody is asked. Nothing that somebody wrote is lost
/// as long as this is on the page.
#[component(transparent)]
pub fn ComposerNotes() -> Live {
    let composer = use_composer();
    use_session().framed_part(move || {
        let store = composer.store;
        let has_offers = move || {
            store.section(Section::Queue, |_| ());
            store.live(|state| state.queue.has_offers()).unwrap_or(false)
        };
        let allows_all = memo(move || modes::allows_all(composer));
        div("composer-notes")
            .child(move || allows_all.get().then(|| persistent_note(composer)))
            .child(move || composer.note.get().map(|note| untrack(|| view(composer, note))))
            .child(actions::once(composer, has_offers, |actions| actions.offers))
            .child(move || messages_in_flight(composer))
    })
}

/// The note that stays as long as nobody is asked.
fn persistent_note(composer: ComposerState) -> El {
    note_line("warning", Icon::Warning, words::ALLOW_ALL_ON.text()).attr("data-standing", "").child(
        small_button(words::ASK_AGAIN).on("click", move |_| modes::set_permissions(composer, "manual")),
    )
}

fn view(composer: ComposerState, note: Note) -> El {
    let close = icon_button(Icon::Cross, words::DISMISS.text()).on("click", move |_| {
        composer.set_note(None);
        composer.focus();
    });
    match note {
        Note::Info(text) => note_line("info", Icon::Info, &text).attr("role", "status").child(close),
        Note::Error(text) | Note::Unsent(text) => {
            note_line("error", Icon::Error, &text).attr("role", "alert").child(close)
        }
        Note::Output { title, text } => {
            let head = note_line("info", Icon::Terminal, &title).attr("role", "status").child(close);
            // Focusable, so that keyboards can scroll it.
            head.child(
                el("pre").class("box wrap").attr("tabindex", "0").attr("aria-label", &title).text(&text),
            )
        }
        Note::Choice { title, options } => {
            let options = options.into_iter().map(|(text, tells)| {
                let insert = text.clone();
                let choose = el("button").attr("type", "button").class("btn small").attr("title", &tells);
                choose.text(text.trim_end()).on("click", move |_| {
                    composer.set_note(None);
                    composer.write(&insert, Some(insert.encode_utf16().count()));
                    composer.focus();
                })
            });
            let options = div("composer-options").child(options.collect::<Vec<_>>());
            note_line("info", Icon::Question, &title).attr("role", "status").child(close).child(options)
        }
    }
}

/// The messages that are under way.
fn messages_in_flight(composer: ComposerState) -> Option<El> {
    let mut sent = composer.outbox.with(|outbox| outbox.sent().to_vec());
    // What a list has is shown there.
    sent.retain(|sent| !sent.listed);
    (!sent.is_empty()).then(|| {
        let rows = sent.into_iter().map(|sent| row(composer, sent)).collect::<Vec<_>>();
        el("ul").class("composer-way").attr("aria-label", words::WAY.text()).child(rows)
    })
}

fn row(composer: ComposerState, sent: SentMessage) -> El {
    let (name, level, icon, word) = match &sent.stage {
        DeliveryStage::Sending => ("sending", "info", Icon::Clock, words::SENDING.text().to_owned()),
        DeliveryStage::Taken(_) => ("taken", "info", Icon::Check, words::TAKEN.text().to_owned()),
        DeliveryStage::Undelivered(_) => {
            ("undelivered", "warning", Icon::Warning, words::NOT_DELIVERED.text().to_owned())
        }
        DeliveryStage::Unsent => ("unsent", "warning", Icon::Warning, words::NOT_SENT_AWAY.text().to_owned()),
        DeliveryStage::Unsure => ("unsure", "warning", Icon::Warning, words::UNSURE.text().to_owned()),
        DeliveryStage::Failed(why) => {
            ("failed", "error", Icon::Error, format!("{}. {why}", words::NOT_SENT.text()))
        }
    };
    let decided = matches!(sent.stage, DeliveryStage::Sending | DeliveryStage::Taken(_));
    let parts = std::iter::once(&sent.text).chain(&sent.attachments).map(String::as_str);
    let shown = parts.collect::<Vec<_>>().join(" · ");
    let shown = shown.trim_start_matches(" · ");
    let row =
        el("li").class("composer-note").attr("data-level", level).attr("data-sent", name).child(glyph(icon));
    let words =
        el("p").child(el("b").text(&word)).text(" ").child(el("span").attr("dir", "auto").text(shown));
    let row = row.child(if decided { words } else { words.attr("role", "alert") });
    if sent.stage == DeliveryStage::Sending {
        return row;
    }
    let number = sent.number;
    let away = matches!(sent.stage, DeliveryStage::Unsent | DeliveryStage::Undelivered(_));
    let undelivered = matches!(sent.stage, DeliveryStage::Undelivered(_));
    let row = row.child(move || {
        (away && composer.connected()).then(|| {
            small_button(words::SEND_AGAIN).attr("data-send-again", "").on("click", move |_| {
                composer.input(Input::SendAgain(number));
                composer.focus();
            })
        })
    });
    let row = row.child(move || {
        (undelivered || !decided && composer.text.with(String::is_empty)).then(|| {
            small_button(words::PUT_BACK).attr("data-put-back", "").on("click", move |_| {
                composer.input(Input::PutBack(number));
                composer.focus();
            })
        })
    });
    let close = if undelivered {
        small_button(words::DISCARD).attr("data-discard", "")
    } else {
        icon_button(Icon::Cross, words::DISMISS.text())
    };
    row.child(close.on("click", move |_| {
        composer.input(Input::Forget(number));
        composer.focus();
    }))
}
