//! What the server can do: it is asked each time the composer is connected. The first answer shows whether it takes messages.

use leptos::prelude::*;
use serde_json::json;

use super::state::ComposerState;
use super::{host_options, modes, queue, unsent_messages};
use crate::core::client::compose::Input;
use crate::core::connection::ConnectionState;
use crate::core::model::agents;
use crate::core::model::state::{Notification, Section};
use crate::core::protocol::call::CallFailure;
use crate::core::protocol::{ErrorReason, EventKind};
use crate::core::view_model::compose::Command;
use crate::core::view_model::compose::model::Model;
use crate::core::wire::fields::Fields;
use crate::ui::elements::reactive::{memo, render_effect};

/// Asks, now and after each time the connection was lost, until the owner is dropped.
pub(super) fn listen(composer: ComposerState) {
    let connection = composer.store.connection;
    let open = memo(move || connection.get().0 == ConnectionState::Open);
    render_effect(move || {
        if open.get() {
            untrack(|| {
                load(composer);
                composer.input(Input::Connected);
            });
        }
    });
    // A session that was only stored has none before its agent runs.
    let named = memo(move || {
        composer
            .store
            .section(Section::Notifications, |state| {
                let newest = |known: &&Notification| known.kind == EventKind::CommandsChanged;
                state.notifications.iter().rev().find(newest).map(|known| known.number)
            })
            .flatten()
    });
    render_effect(move || {
        let is_runtime = composer.store.server().protocol.with_untracked(Option::is_none);
        if named.get().is_some() && open.get_untracked() && is_runtime {
            untrack(|| load_commands(composer, |_| ()));
        }
    });
    // An agent may say only in the open session what can be chosen, and something else for another model.
    let changes = memo(move || (composer.is_busy(), modes::mode(composer), modes::model(composer)));
    let agent = composer.store.server().agent;
    render_effect(move || {
        changes.get();
        if untrack(|| agent.with(|about| about.as_ref().is_some_and(|about| about["methods"].is_array()))) {
            load_agent(composer);
            load_models(composer);
        }
    });
}

/// Asks who the agent is and what it offers.
fn load_agent(composer: ComposerState) {
    composer.call(agents::METHOD, json!({}), move |outcome| match outcome {
        Ok(about) => composer.store.server().agent.set(Some(about)),
        // A server that does not know the method has one agent, which has them all.
        Err(CallFailure { reason: Some(_), .. }) => composer.store.server().agent.set(None),
        Err(_) => {}
    });
}

fn load_models(composer: ComposerState) {
    composer.call("session.model.list", json!({}), move |outcome| {
        if let Ok(list) = outcome {
            composer.models.set(Some(Model::list(list)));
        }
    });
}

fn load(composer: ComposerState) {
    // Another server may know more methods.
    composer.missing.set(Vec::new());
    composer.withdraws.set(None);
    if composer.store.server().protocol.get_untracked().is_some() {
        // Such a host accepts messages, but no other calls.
        composer.commands.set(untrack(|| host_options::commands(composer)));
        composer.models.set(None);
        return composer.store.server().steering.set(true);
    }
    // Before what shows the composer, so that nothing is offered first and taken back.
    load_agent(composer);
    load_commands(composer, load_more);
}

/// Asks for the commands, and does `then` where messages can be sent.
fn load_commands(composer: ComposerState, then: fn(ComposerState)) {
    let all = json!({ "includeBuiltins": true, "includeSkills": true, "includeClientCommands": true });
    composer.call("session.commands.list", all, move |outcome| {
        let able = composer.store.server().steering;
        match outcome {
            Ok(list) => {
                let own = untrack(|| host_options::commands(composer));
                composer.commands.set(own.into_iter().chain(Command::list(list)).collect());
                able.set(true);
            }
            // It may know other methods.
            Err(CallFailure { reason: Some(reason), .. }) => able.set(reason != ErrorReason::Recording),
            // No connection, or no answer: the last known state stays.
            Err(_) => {}
        }
        if able.get_untracked() {
            then(composer);
        }
    });
}

fn load_more(composer: ComposerState) {
    // A client that connects in the middle has missed the earlier changes.
    composer.call(queue::PENDING, json!({}), |_| ());
    composer.call(unsent_messages::BACKLOG, json!({}), |_| ());
    composer.call("session.completions.getTriggerCharacters", json!({}), move |outcome| {
        let mut answer = Fields::of(outcome.unwrap_or_default());
        composer.signs.set(answer.texts("triggerCharacters"));
    });
    // The answers count while no event has named the modes.
    composer.call("session.mode.get", json!({}), |_| ());
    composer.call("session.permissions.getMode", json!({}), |_| ());
    load_models(composer);
}
