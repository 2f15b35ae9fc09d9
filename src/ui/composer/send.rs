//! Sends messages to the agent, as the composer's data wants it, and gives it what becomes of them.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::state::ComposerState;
use crate::core::client::compose::{DeliveryMode, Effect, Input, OutgoingMessage};
use crate::store::CallOutcome;
use crate::ui::elements::reactive::render_effect;

/// Sends a message of the outbox.
pub(super) fn send(composer: ComposerState, number: u64, message: OutgoingMessage) {
    // A queued message is shown above the field, so the scroll position stays.
    if message.way != Some(DeliveryMode::Queue) {
        composer.store.view_state.scroll_to_end();
    }
    let sent = call(composer, number, &message);
    spawn_local(async move {
        if let Some(sent) = sent {
            let outcome = sent.await;
            composer.input(Input::Sent(number, message, outcome));
        }
    });
}

/// Sends a message, and returns when the server has answered. `None` if the composer has gone meanwhile.
pub(super) async fn deliver(composer: ComposerState, message: OutgoingMessage) -> Option<()> {
    for effect in composer.update(Input::Send(message))? {
        let Effect::Send(number, message) = effect else {
            composer.carry_out(effect);
            continue;
        };
        let outcome = call(composer, number, &message)?.await;
        composer.input(Input::Sent(number, message, outcome));
    }
    composer.core.try_with_value(|_| ())
}

fn call(composer: ComposerState, number: u64, message: &OutgoingMessage) -> Option<CallOutcome> {
    let sent = composer.store.call("session.send", message.params());
    if sent.is_none() {
        composer.input(Input::OfHost(number));
    }
    sent
}

/// Follows the session: messages that appear in it are no longer under way, and those that don't are missed after a while.
pub(super) fn listen(composer: ComposerState) {
    render_effect(move || {
        composer.store.track_input();
        composer.store.progress.track();
        composer.outbox.track();
        composer.connected();
        untrack(|| check_delivery(composer));
    });
}

/// Has the composer look at the session.
fn check_delivery(composer: ComposerState) {
    let (newest, reached) = composer.store.progress.get_untracked();
    let is_current = composer.connected() && reached >= newest;
    composer.input(Input::Look(is_current.then(|| js_sys::Date::now().max(0.0) as u64)));
}

/// Looks again after so many milliseconds.
pub(super) fn check_delivery_after(composer: ComposerState, delay_ms: Option<u64>) {
    let timer = delay_ms.map(|delay_ms| {
        Timeout::new(u32::try_from(delay_ms).unwrap_or(u32::MAX), move || {
            // Deferred, so that this timer is not dropped while it runs.
            spawn_local(async move {
                if composer.is_mounted() {
                    untrack(|| check_delivery(composer));
                }
            });
        })
    });
    composer.untracked.update_value(|untracked| untracked.look = timer);
}
