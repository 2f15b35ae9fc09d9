//! Runs slash commands and handles their results. No command is known by name here.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::actions::ACTIONS;
use super::state::{ComposerState, Outcome};
use super::{host_options, mode_choices};
use crate::core::client::compose::{Composer, DeliveryMode, Input, Note, OutgoingMessage};
use crate::core::i18n::words::composer as words;
use crate::core::protocol::ErrorReason;
use crate::core::text::ansi;
use crate::core::view_model::compose::command_result::CommandResult;
use crate::core::view_model::compose::{Command, CommandKind, command_of, put_before};
use crate::core::wire::fields::Fields;

/// The command in a text, with its arguments.
pub(super) fn find_in_text(composer: ComposerState, text: &str) -> Option<(Command, String)> {
    composer.commands.with_untracked(|commands| {
        let (command, input) = command_of(text, commands)?;
        Some((command.clone(), input.to_owned()))
    })
}

/// Runs the command in a text as if it were typed now. A text that is not a command here goes to the field.
pub(super) fn run_text(composer: ComposerState, text: String) {
    match find_in_text(composer, &text) {
        Some((command, input)) => run(composer, &command, &input, text),
        None => restore_text(composer, text),
    }
}

/// Runs a command, or queues it if it can't run during a turn. `text` is what was typed; it goes back to the field if
/// this fails. Until the server has answered it is among the messages that are under way, so that a reload does not
/// lose it, and if no answer comes, it is looked for as they are.
pub(super) fn run(composer: ComposerState, command: &Command, input: &str, text: String) {
    if command.kind == CommandKind::Host {
        return host_options::run(composer, &command.name, input, text);
    }
    let name = command.name.clone();
    let (method, params) = if !command.any_time && untrack(|| composer.is_busy()) {
        let line = if input.is_empty() { format!("/{name}") } else { format!("/{name} {input}") };
        ("session.commands.enqueue", json!({ "command": line }))
    } else if command.kind == CommandKind::Client {
        ("session.commands.execute", json!({ "commandName": name, "args": input }))
    } else {
        ("session.commands.invoke", json!({ "name": name, "input": input }))
    };
    composer.input(Input::SendCommand(&text));
    let Some(number) = composer.core.try_with_value(Composer::newest) else { return };
    let then = move |outcome: Outcome| {
        // Another session is shown.
        if !composer.outbox.with_untracked(|outbox| outbox.has(number)) {
            return;
        }
        match outcome {
            Err(failure) if failure.outcome_is_unknown() => {
                composer.input(Input::CommandUnsure(number, &text));
            }
            outcome => {
                composer.input(Input::Forget(number));
                show_outcome(composer, &name, text, outcome);
            }
        }
    };
    if !composer.try_call(method, params, Box::new(then)) {
        composer.input(Input::Forget(number));
    }
}

/// Handles the server's answer.
fn show_outcome(composer: ComposerState, name: &str, text: String, outcome: Outcome) {
    match outcome {
        Ok(answer) => {
            let name = name.to_owned();
            ACTIONS.with(move |actions| {
                if composer.is_mounted() {
                    (actions.show_result)(composer, &name, answer);
                }
            });
        }
        // It is offered above the field, on every page.
        Err(failure) if failure.reason == Some(ErrorReason::Kept) => {}
        Err(failure) => {
            restore_text(composer, text);
            composer.set_note(Some(Note::failed(&failure)));
        }
    }
}

/// Puts a command into the field, before what is written there.
fn restore_text(composer: ComposerState, text: String) {
    let text = put_before(&[text], &composer.text.get_untracked());
    composer.write(&text, None);
}

/// Shows the result of a command, and does what it asks for.
pub(super) fn show_result(composer: ComposerState, name: &str, answer: Value) {
    let mut fields = Fields::of(answer);
    let error = fields.non_empty_text("error");
    if error.is_some() || fields.flag("queued") == Some(false) {
        let why = error.unwrap_or_else(|| words::NOT_CHANGED.text().to_owned());
        composer.set_note(Some(Note::Error(why)));
        return;
    }
    let title = format!("/{name}");
    let show = |text: Option<String>| {
        if let Some(text) = text {
            composer.set_note(Some(Note::Output { title: title.clone(), text: plain(&text) }));
        }
    };
    match CommandResult::of(name, fields) {
        CommandResult::Text(text) | CommandResult::Other(text) => show(text),
        CommandResult::AgentPrompt { prompt, display, mode, notice } => {
            if let Some(mode) = mode.as_ref().filter(|_| prompt.is_some()) {
                mode_choices::set_mode(composer, mode);
            }
            if let Some(notice) = notice {
                composer.set_note(Some(Note::info(&notice)));
            }
            let Some(prompt) = prompt else { return };
            let way = untrack(|| composer.is_busy()).then_some(DeliveryMode::Queue);
            let message = OutgoingMessage { prompt, display, mode, files: Vec::new(), way };
            composer.input(Input::Send(message));
        }
        CommandResult::Completed { mode, message } => {
            if let Some(mode) = &mode {
                mode_choices::set_mode(composer, mode);
            }
            show(message);
        }
        CommandResult::Subcommands { command, title, options } => {
            let option = |(name, tells): (String, String)| (format!("/{command} {name} "), tells);
            let options = options.into_iter().map(option).collect();
            let title = title.unwrap_or_else(|| format!("/{command}"));
            composer.set_note(Some(Note::Choice { title, options }));
        }
        // The session has put the entry into the timeline.
        CommandResult::TimelineEntry { prefill, .. } => {
            if let Some(text) = prefill {
                composer.write(&text, None);
            }
        }
        CommandResult::Dialog => composer.pick_model.set(true),
        CommandResult::Model { model, effort, warning } => {
            if let Some(model) = model {
                mode_choices::switch_model(composer, &model, effort.as_deref());
            }
            show(warning);
        }
    }
    composer.focus();
}

/// The text without a terminal's colours.
fn plain(text: &str) -> String {
    ansi::printed_text(text).trim_end().to_owned()
}
