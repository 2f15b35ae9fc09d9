//! What the host's page adds to the composer: suggestions, commands, completions and files.

use js_sys::{Array, Function};
use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::attach;
use super::state::{ComposerState, use_composer};
use crate::client::js::{settle, to_js};
use crate::core::Kind;
use crate::core::client::compose::{Input, Note};
use crate::core::i18n::words::composer as words;
use crate::core::view_model::compose::{Command, CommandKind, Proposal, mention};
use crate::ui::elements::builder::{El, div, el};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::host_options::{HostCommand, HostCompletion, Suggestion, items, text};
use crate::ui::session::use_session;

/// Follows the page's commands, and takes its text and files.
pub(super) fn listen(composer: ComposerState) {
    let options = composer.store.host_options();
    render_effect(move || {
        let own = commands(composer);
        composer.commands.update(|all| {
            all.retain(|command| command.kind != CommandKind::Host);
            all.splice(0..0, own);
        });
    });
    render_effect(move || {
        if let Some(text) = options.text.get() {
            options.text.set(None);
            untrack(|| composer.input(Input::BringBack(&text)));
        }
    });
    render_effect(move || {
        if options.files.with(|files| !files.is_empty()) {
            let files = options.files.try_update(std::mem::take).unwrap_or_default();
            attach::take_files(composer, files);
        }
    });
}

/// The page's commands, for the list of all. Subscribes.
pub(super) fn commands(composer: ComposerState) -> Vec<Command> {
    let own = |command: &HostCommand| Command {
        name: command.name.clone(),
        aliases: Vec::new(),
        description: command.description.clone(),
        kind: CommandKind::Host,
        hint: command.hint.clone(),
        choices: Vec::new(),
        any_time: true,
    };
    let all = composer.store.host_options().commands.with(|all| items("commands", all, HostCommand::of));
    all.iter().map(own).collect()
}

/// Executes a command of the page's. What it returns is shown above the field. If it fails, `text`, which was typed,
/// goes back into the field.
pub(super) fn run(composer: ComposerState, name: &str, input: &str, text: String) {
    let all =
        composer.store.host_options().commands.with_untracked(|all| items("commands", all, HostCommand::of));
    let Some(HostCommand { run, .. }) = all.into_iter().find(|command| command.name == name) else { return };
    let call = to_js(&json!({ "name": name, "input": input }));
    let name = name.to_owned();
    spawn_local(async move {
        let outcome = settle(run.call1(&JsValue::UNDEFINED, &call)).await;
        if !composer.is_mounted() {
            return;
        }
        match outcome {
            Ok(answer) => {
                composer.set_note(answer.as_string().map(|text| Note::Output { title: name, text }));
            }
            Err(why) => {
                if composer.text.with_untracked(String::is_empty) {
                    composer.write(&text, None);
                }
                composer.set_note(Some(failure_note(&name, &why)));
            }
        }
    });
}

fn failure_note(name: &str, why: &JsValue) -> Note {
    let why = text(why, "message").or_else(|| why.as_string()).unwrap_or_default();
    Note::Error(words::HOST_FAILED.with(&[("name", name.into()), ("why", (&why).into())]))
}

/// The page's function that completes what is typed at the cursor, where that begins, and what is typed.
pub(super) fn completion(
    composer: ComposerState,
    text: &str,
    cursor: usize,
) -> Option<(Function, usize, String)> {
    let all = composer.store.host_options().completions;
    all.with_untracked(|all| items("completions", all, HostCompletion::of)).into_iter().find_map(|one| {
        let (start, typed) = mention(text, cursor, &[one.trigger])?;
        Some((one.complete, start, typed))
    })
}

/// Asks the page for completions of what is typed between `start` and the cursor. An error is shown above the field.
pub(super) async fn complete(
    composer: ComposerState,
    complete: Function,
    typed: &str,
    range: (usize, usize),
) -> Vec<Proposal> {
    match settle(complete.call1(&JsValue::UNDEFINED, &typed.into())).await {
        Ok(found) => Array::from(&found).iter().filter_map(|item| proposal(&item, range)).collect(),
        Err(why) => {
            composer.set_note(Some(failure_note(typed, &why)));
            Vec::new()
        }
    }
}

fn proposal(item: &JsValue, range: (usize, usize)) -> Option<Proposal> {
    // A text alone is both.
    let label = item.as_string().or_else(|| text(item, "label"))?;
    let insert = text(item, "insert").unwrap_or_else(|| label.clone());
    let tells = text(item, "description").unwrap_or_default();
    Some(Proposal { insert: format!("{insert} "), label, tells, range, whole: true })
}

/// What the host's page suggests to write, until somebody has written a message.
#[component(transparent)]
pub fn ComposerSuggestions() -> Live {
    let composer = use_composer();
    use_session().framed_part(move || suggestions(composer))
}

fn suggestions(composer: ComposerState) -> El {
    let store = composer.store;
    let begun = memo(move || {
        store.length.track();
        store.live(|state| state.entries.iter().any(|entry| entry.kind == Kind::User)).unwrap_or(true)
    });
    let offered = memo(move || {
        let all = store.host_options().suggestions.with(|all| items("suggestions", all, Suggestion::of));
        // Only who offers something has the entries looked through.
        let free = !all.is_empty() && composer.text.with(String::is_empty) && !begun.get();
        if free { all } else { Vec::new() }
    });
    div("suggestions-place").child(move || {
        let offered = offered.get();
        (!offered.is_empty()).then(|| {
            let buttons = offered.iter().map(|one| button(composer, one)).collect::<Vec<_>>();
            let list = div("suggestions").attr("role", "group").attr("part", "suggestions");
            list.attr("aria-label", words::SUGGESTIONS.text()).child(buttons)
        })
    })
}

fn button(composer: ComposerState, one: &Suggestion) -> El {
    let Suggestion { title, prompt, sends } = one.clone();
    let whole = (title != prompt).then(|| prompt.clone());
    let button =
        el("button").attr("type", "button").class("btn").attr("part", "button").attr("data-suggestion", "");
    button.attr("dir", "auto").attr("title", whole).text(&title).on("click", move |_| {
        composer.write(&prompt, Some(prompt.encode_utf16().count()));
        composer.focus();
        if sends {
            composer.submit(composer.usual.get_untracked());
        }
    })
}
