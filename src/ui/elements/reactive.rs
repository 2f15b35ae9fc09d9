//! Effects and memos that stop with their owner, and what else ends with it.
//!
//! Leptos removes an effect that is gone from a signal's list only when that signal next changes, which may be never:
//! rows come and go by the thousand, and the language stays.

use std::any::Any;

use leptos::prelude::*;
use leptos::reactive::graph::{AnySubscriber, Subscriber, ToAnySubscriber};

/// Runs at once and whenever a signal that it read changes, until the current owner is dropped.
pub fn render_effect(run: impl Fn() + 'static) {
    boxed_effect(Box::new(run));
}

/// A memo that stops with the current owner; its readers run only when its value changes.
pub fn memo<T: PartialEq + Send + Sync + 'static>(of: impl Fn() -> T + Send + Sync + 'static) -> Memo<T> {
    boxed_memo(Box::new(of))
}

/// Unsubscribes `reader` from its sources when the current owner is dropped.
pub fn stop_with_owner(reader: AnySubscriber) {
    on_cleanup(move || reader.clear_sources(&reader));
}

/// Keeps a listener, an observer or the state of a view until the current owner is dropped.
pub fn keep_with_owner(value: impl Any) {
    keep_boxed_with_owner(Box::new(value));
}

// With boxed closures and values: compiled once, or once for each type of value, and not once per closure.

fn keep_boxed_with_owner(value: Box<dyn Any>) {
    StoredValue::new_local(value);
}

fn boxed_effect(run: Box<dyn Fn()>) {
    let effect = RenderEffect::new(move |_| run());
    stop_with_owner(effect.to_any_subscriber());
    keep_with_owner(effect);
}

fn boxed_memo<T: PartialEq + Send + Sync + 'static>(of: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
    let memo = ArcMemo::new(move |_| of());
    stop_with_owner(memo.to_any_subscriber());
    memo.into()
}
