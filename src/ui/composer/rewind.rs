//! Rewinds to before a message. The dialog shows what would be lost and which files
//! can be restored; a second press does it.

use leptos::prelude::*;
use serde_json::{Value, json};
use web_sys::HtmlInputElement;

use super::controls::{answers, button, target};
use super::state::{ComposerState, Dialog};
use crate::core::client::compose::{Input, Note};
use crate::core::i18n::format::relative;
use crate::core::i18n::words::composer as words;
use crate::core::wire::fields::Fields;
use crate::core::wire::time;
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::exact::exact;
use crate::ui::elements::reactive::render_effect;

const POINTS: &str = "session.history.listRewindPoints";
const PREVIEW: &str = "session.history.previewRewind";
const REWIND: &str = "session.history.rewind";

/// Opens the dialog when somebody wants to rewind to a message.
pub(super) fn listen(composer: ComposerState) {
    let rewinding = composer.store.rewinding();
    render_effect(move || {
        if let Some(row) = rewinding.get() {
            untrack(|| {
                rewinding.set(None);
                composer.open_dialog.set(Some(Dialog::Rewind(row)));
            });
        }
    });
}

/// What is known about the rewind so far.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RewindState {
    /// The server has been asked.
    Asking,
    /// It can't be done, for this reason.
    Unavailable(String),
    /// It can be done: the id of the message's event, and the files that can be restored.
    Available(String, Vec<String>),
}

/// The dialog's content.
pub(super) fn body(composer: ComposerState, row: usize) -> El {
    let looked = RwSignal::new(RewindState::Asking);
    // Both start anew with each dialog.
    let (files_too, sure) = (RwSignal::new(false), RwSignal::new(false));
    load_rewind_points(composer, row, looked);
    let entries = composer.store.live_session().map_or(0, |session| {
        let session = session.borrow();
        session.state().entries.iter().skip(row + 1).filter(|entry| entry.ui_visible).count()
    });
    let text = composer.store.entry(row, |entry| entry.text.to_string()).unwrap_or_default();
    let quoted = el("blockquote").attr("dir", "auto").text(&text);
    div("composer-body").child(quoted).child(move || match looked.get() {
        RewindState::Asking => {
            vec![el("p").class("quiet").attr("role", "status").text(words::REWIND_LOOKS.text())]
        }
        RewindState::Unavailable(why) => {
            let close = div("composer-answers")
                .child(button(words::CLOSE).on("click", move |_| composer.close_dialog()));
            vec![el("p").attr("role", "alert").text(&why), close]
        }
        RewindState::Available(event, files) => {
            let lost = el("p").text(words::REWIND_LOST.with(&[("n", entries.into())]));
            let text = text.clone();
            let act = button(words::REWIND_DO).class("btn danger");
            let label = act.element().clone();
            let act = act.attr("data-rewind", "").on("click", move |_| {
                if sure.get_untracked() {
                    rewind(composer, &event, files_too.get_untracked(), text.clone());
                    composer.close_dialog();
                } else {
                    sure.set(true);
                    label.set_text_content(Some(words::REWIND_SURE.text()));
                }
            });
            vec![lost, choice(&files, files_too), answers(composer, act)]
        }
    })
}

/// The choice whether files are restored too, or a note that none can be.
fn choice(files: &[String], files_too: RwSignal<bool>) -> El {
    if files.is_empty() {
        return el("p").class("quiet").text(words::REWIND_NO_FILES.text());
    }
    let option = |too: bool, name: &str| {
        let field = el("input").attr("type", "radio").attr("name", "ph-rewind").on("change", move |event| {
            if target::<HtmlInputElement>(event).is_some_and(|field| field.checked()) {
                files_too.set(too);
            }
        });
        let field = field.attr("checked", !too);
        el("label").class("check").child(field).child(el("span").text(name))
    };
    let listed = files
        .iter()
        .map(|file| el("li").child(exact(el("code").attr("dir", "ltr"), file)))
        .collect::<Vec<_>>();
    el("fieldset")
        .child(el("legend").class("sr-only").text(words::REWIND_HOW.text()))
        .child(option(false, words::REWIND_TALK.text()))
        .child(option(true, &words::REWIND_FILES.with(&[("n", files.len().into())])))
        .child(el("ul").class("composer-paths").child(listed))
}

/// Asks which messages can be rewound to. The right one has the known event, or
/// the same text and time; none is guessed.
fn load_rewind_points(composer: ComposerState, row: usize, looked: RwSignal<RewindState>) {
    let meant = composer.store.entry(row, |entry| (entry.at, entry.text.trim().to_owned(), entry.id.clone()));
    let Some((at, text, id)) = meant else { return };
    // The id of the event, where the model's view knows it.
    let known = composer.store.read(|state| {
        let mut found = state.context.messages().iter().filter(|message| message.entry == Some(row));
        found.next().map(|message| message.event_id.clone())
    });
    let known = known.flatten().filter(|event| *event != id);
    composer.call(POINTS, json!({}), move |outcome| {
        let mut fields = match outcome {
            Ok(answer) => Fields::of(answer),
            Err(failure) => {
                if let Note::Error(why) | Note::Unsent(why) = Note::failed(&failure) {
                    looked.set(RewindState::Unavailable(why));
                }
                return;
            }
        };
        let reason = fields.non_empty_text("unavailableReason");
        let points = fields.list("points");
        let point = points.into_iter().map(Fields::of).find_map(|mut point| {
            let event = point.non_empty_text("eventId")?;
            let when = point.non_empty_text("timestamp").and_then(|stamp| time::parse_iso(&stamp));
            let mut same =
                || when == at && point.text("userMessage").is_none_or(|words| words.trim() == text);
            (known.as_ref() == Some(&event) || same()).then_some(event)
        });
        match (point, reason.as_deref()) {
            (Some(event), _) => preview(composer, event, looked),
            (None, Some("session-busy")) => {
                looked.set(RewindState::Unavailable(words::REWIND_BUSY.text().to_owned()));
            }
            // Without records of the files, the conversation alone can be rewound.
            (None, Some("file-change-tracking-disabled")) if known.is_some() => {
                looked.set(RewindState::Available(known.unwrap_or_default(), Vec::new()));
            }
            _ => looked.set(RewindState::Unavailable(words::REWIND_NONE.text().to_owned())),
        }
    });
}

fn preview(composer: ComposerState, event: String, looked: RwSignal<RewindState>) {
    let asked = json!({ "eventId": event });
    composer.call(PREVIEW, asked, move |outcome| {
        let cwd = composer.store.live_session().and_then(|session| session.borrow().state().info.cwd.clone());
        let mut fields = Fields::of(outcome.unwrap_or_default());
        let files =
            fields.list("files").into_iter().filter_map(|file| Fields::of(file).non_empty_text("path"));
        let files = files.map(|path| relative(&path, cwd.as_deref())).collect();
        looked.set(RewindState::Available(event, files));
    });
}

fn rewind(composer: ComposerState, event: &str, files_too: bool, text: String) {
    let mode = if files_too { "conversation-and-files" } else { "conversation" };
    composer.act(REWIND, json!({ "eventId": event, "mode": mode }), move |outcome| {
        let note = match outcome {
            Ok(answer) => outcome_note(composer, &answer, &text),
            Err(failure) => Note::failed(&failure),
        };
        composer.set_note(Some(note));
    });
}

fn outcome_note(composer: ComposerState, answer: &Value, text: &str) -> Note {
    let word = |name: &str| answer.get(name).and_then(Value::as_str);
    let error = word("error").unwrap_or_default();
    match word("outcome").unwrap_or_default() {
        "session-busy" => Note::Error(words::REWIND_BUSY.text().to_owned()),
        // The conversation is rewound in all of these cases; what could not be cleaned up is shown.
        "success" | "checkpoint-cleanup-failed" | "snapshot-prune-failed" => {
            composer.input(Input::BringBack(text));
            let words = words::REWOUND.text();
            if error.is_empty() { Note::info(words) } else { Note::Error(format!("{words}\n{error}")) }
        }
        outcome => {
            let why = if error.is_empty() { outcome } else { error };
            Note::Error(words::REWIND_FAILED.with(&[("why", why.into())]))
        }
    }
}
