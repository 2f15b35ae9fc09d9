//! The notes above the field: that nobody is asked, what a command answered, what went wrong, which messages
//! are under way. A note about what a person did goes with the next thing they do, or when what it speaks of is over;
//! those that somebody has to decide about do not go away by themselves.

use leptos::prelude::*;

use super::{ComposerState, button, modes, queue};
use crate::core::State;
use crate::core::i18n::Word;
use crate::core::i18n::words::composer as words;
use crate::core::model::outbox::{Sent, Stage};
use crate::core::protocol::ErrorReason;
use crate::core::protocol::call::CallFailure;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::memo;

/// One note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Note {
    /// Information.
    Info(String),
    /// Something went wrong.
    Error(String),
    /// A call found no connection.
    Unsent(String),
    /// The output of a command.
    Output {
        /// The command.
        title: String,
        /// Its answer.
        text: String,
    },
    /// A command that needs a choice.
    Choice {
        /// The question.
        title: String,
        /// What is put into the field, and its description.
        options: Vec<(String, String)>,
    },
}

impl Note {
    /// Information.
    pub(super) fn info(words: &str) -> Self {
        Self::Info(words.to_owned())
    }

    /// Why a call failed.
    pub(super) fn failed(method: &str, failure: &CallFailure) -> Self {
        match failure.reason {
            Some(ErrorReason::MethodNotFound | ErrorReason::Recording) => {
                Self::Error(words::UNKNOWN_METHOD.with(&[("method", method.into())]))
            }
            _ if failure.unsent => Self::Unsent(Self::why(failure)),
            _ => Self::Error(Self::why(failure)),
        }
    }

    /// The same, where it is clear which call failed.
    pub(super) fn why(failure: &CallFailure) -> String {
        failure.words.clone()
    }
}

/// What a note speaks of besides what a person has just done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum About {
    /// The turn that ran then, or that none did.
    Turn {
        /// A turn ran.
        busy: bool,
    },
    /// The message in the queue with this id.
    Queued(String),
}

impl About {
    fn is_over(&self, state: &State) -> bool {
        match self {
            Self::Turn { busy } => state.is_busy() != *busy,
            Self::Queued(id) => {
                state.queue.items.as_ref().is_some_and(|items| !items.iter().any(|item| item.id == *id))
            }
        }
    }
}

/// Shows a note until what it speaks of is over.
pub(super) fn show_while(composer: ComposerState, note: Note, about: About) {
    composer.note.set(Some(note.clone()));
    composer.kept.update_value(|kept| kept.passing = Some((note, about)));
}

/// Removes a note when what it speaks of is over.
pub(super) fn look(composer: ComposerState) {
    let Some((note, about)) = composer.kept.with_value(|kept| kept.passing.clone()) else { return };
    let Some(session) = composer.store.live_session() else { return };
    if !about.is_over(session.borrow().state()) {
        return;
    }
    composer.kept.update_value(|kept| kept.passing = None);
    if composer.note.with_untracked(|shown| shown.as_ref() == Some(&note)) {
        composer.note.set(queue::editing_note(composer));
    }
}

/// All notes.
pub(super) fn notes(composer: ComposerState) -> El {
    let allows_all = memo(move || modes::allows_all(composer));
    div("composer-notes")
        .child(move || allows_all.get().then(|| standing(composer)))
        .child(move || composer.note.get().map(|said| untrack(|| view(composer, said))))
        .child(super::unsent_messages::offers(composer))
        .child(move || way(composer))
}

/// The note that stays as long as nobody is asked.
fn standing(composer: ComposerState) -> El {
    line("warning", Icon::Warning, words::ALLOW_ALL_ON.text())
        .attr("data-standing", "")
        .child(small(words::ASK_AGAIN).on("click", move |_| modes::set_permissions(composer, "manual")))
}

pub(super) fn line(level: &str, icon: Icon, text: &str) -> El {
    div("composer-note")
        .attr("data-level", level)
        .child(glyph(icon))
        .child(el("p").attr("dir", "auto").text(text))
}

pub(super) fn small(name: Word) -> El {
    el("button").attr("type", "button").class("btn small").attr("part", "button").text(name.text())
}

fn view(composer: ComposerState, said: Note) -> El {
    let close = button(Icon::Cross, words::DISMISS.text()).on("click", move |_| {
        composer.note.set(None);
        composer.focus();
    });
    match said {
        Note::Info(text) => line("info", Icon::Info, &text).attr("role", "status").child(close),
        Note::Error(text) | Note::Unsent(text) => {
            line("error", Icon::Error, &text).attr("role", "alert").child(close)
        }
        Note::Output { title, text } => {
            let head = line("info", Icon::Terminal, &title).attr("role", "status").child(close);
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
                    composer.note.set(None);
                    composer.write(&insert, Some(insert.encode_utf16().count()));
                    composer.focus();
                })
            });
            let options = div("composer-options").child(options.collect::<Vec<_>>());
            line("info", Icon::Question, &title).attr("role", "status").child(close).child(options)
        }
    }
}

/// The messages that are under way.
fn way(composer: ComposerState) -> Option<El> {
    let mut sent = composer.outbox.with(|outbox| outbox.sent().to_vec());
    // What a list has is shown there.
    sent.retain(|sent| !sent.listed);
    (!sent.is_empty()).then(|| {
        let rows = sent.into_iter().map(|sent| row(composer, sent)).collect::<Vec<_>>();
        el("ul").class("composer-way").attr("aria-label", words::WAY.text()).child(rows)
    })
}

fn row(composer: ComposerState, sent: Sent) -> El {
    let (name, level, icon, word) = match &sent.stage {
        Stage::Sending => ("sending", "info", Icon::Clock, words::SENDING.text().to_owned()),
        Stage::Taken(_) => ("taken", "info", Icon::Check, words::TAKEN.text().to_owned()),
        Stage::Undelivered(_) => {
            ("undelivered", "warning", Icon::Warning, words::NOT_DELIVERED.text().to_owned())
        }
        Stage::Unsent => ("unsent", "warning", Icon::Warning, words::NOT_SENT_AWAY.text().to_owned()),
        Stage::Unsure => ("unsure", "warning", Icon::Warning, words::UNSURE.text().to_owned()),
        Stage::Failed(why) => ("failed", "error", Icon::Error, format!("{}. {why}", words::NOT_SENT.text())),
    };
    let decided = matches!(sent.stage, Stage::Sending | Stage::Taken(_));
    let parts = std::iter::once(&sent.text).chain(&sent.attachments).map(String::as_str);
    let shown = parts.collect::<Vec<_>>().join(" · ");
    let shown = shown.trim_start_matches(" · ");
    let row =
        el("li").class("composer-note").attr("data-level", level).attr("data-sent", name).child(glyph(icon));
    let said = el("p").child(el("b").text(&word)).text(" ").child(el("span").attr("dir", "auto").text(shown));
    let row = row.child(if decided { said } else { said.attr("role", "alert") });
    if sent.stage == Stage::Sending {
        return row;
    }
    let number = sent.number;
    let away = matches!(sent.stage, Stage::Unsent | Stage::Undelivered(_));
    let undelivered = matches!(sent.stage, Stage::Undelivered(_));
    let again = sent.clone();
    let row = row.child(move || {
        let again = again.clone();
        (away && composer.connected()).then(|| {
            small(words::SEND_AGAIN).attr("data-send-again", "").on("click", move |_| {
                super::send::send_again(composer, &again);
                composer.focus();
            })
        })
    });
    let row = row.child(move || {
        let back = sent.clone();
        (undelivered || !decided && composer.text.with(String::is_empty)).then(|| {
            small(words::PUT_BACK).attr("data-put-back", "").on("click", move |_| {
                super::send::put_back(composer, &back);
                // A message that may have arrived is still looked for, and so not forgotten.
                if back.stage != Stage::Unsure {
                    super::send::forget(composer, number);
                }
                composer.focus();
            })
        })
    });
    let close = if undelivered {
        small(words::DISCARD).attr("data-discard", "")
    } else {
        button(Icon::Cross, words::DISMISS.text())
    };
    row.child(close.on("click", move |_| {
        super::send::forget(composer, number);
        composer.focus();
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::About;
    use crate::core::Session;

    fn session(events: &[Value]) -> Session {
        let mut session = Session::new();
        for event in events {
            session.push_frame(&event.to_string());
        }
        session
    }

    #[test]
    fn a_note_about_a_turn_goes_when_it_begins_or_ends() {
        let start = json!({ "type": "assistant.turn_start", "id": "t", "data": { "turnId": "0" } });
        let end = json!({ "type": "session.idle", "id": "i", "data": {} });
        let (rests, runs) = (session(&[]), session(&[start.clone()]));
        let ended = session(&[start, end]);
        let over = |busy: bool, session: &Session| About::Turn { busy }.is_over(session.state());
        assert_eq!([over(true, &runs), over(true, &ended)], [false, true]);
        assert_eq!([over(false, &rests), over(false, &runs)], [false, true]);
    }

    #[test]
    fn a_note_about_a_queued_message_goes_with_it() {
        let about = About::Queued("a".to_owned());
        let item = |id: &str| json!({ "id": id, "kind": "message", "displayText": id, "prompt": id });
        let with = |ids: &[&str]| {
            let mut session = Session::new();
            let items: Vec<_> = ids.iter().map(|id| item(id)).collect();
            session.set_queue(json!({ "items": items }));
            about.is_over(session.state())
        };
        assert!(!about.is_over(Session::new().state()), "nothing is known of the queue");
        assert_eq!([with(&["b", "a"]), with(&["b"]), with(&[])], [false, true, true]);
    }
}
