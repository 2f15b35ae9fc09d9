//! A clock that counts on between two events while a turn runs and the page is visible.
//!
//! Events carry the time of their session, which may be years ago or replayed at another speed. So the wall
//! clock is used only to measure the time since the newest event arrived.

use gloo_timers::callback::Interval;
use leptos::prelude::*;

use crate::core::connection::ConnectionState;
use crate::core::model::state::Section;
use crate::store::Store;
use crate::ui::elements::page_visibility::is_visible;
use crate::ui::elements::reactive::{memo, render_effect};

/// A clock that ticks once a second while the status is `running`, the page is visible and the live session
/// is shown.
#[derive(Clone, Copy)]
pub struct Clock {
    now: RwSignal<u32>,
    arrived: RwSignal<u32>,
}

impl Clock {
    /// `status` is the session's status, as [`State::standing`](crate::core::State::standing) gives it.
    pub fn new(store: Store, status: Memo<String>) -> Self {
        let clock = Self { now: RwSignal::new(0), arrived: RwSignal::new(now()) };
        let seen = is_visible();
        let ticks = memo(move || {
            let connected =
                matches!(store.connection.get().0, ConnectionState::Open | ConnectionState::Replaying);
            !store.history().elsewhere() && connected && status.with(|status| status == "running")
        });
        render_effect(move || {
            // The counters change with every record.
            let _ = store.section(Section::Diagnostics, |_| ());
            clock.arrived.set(now());
        });
        let timer = StoredValue::new_local(None::<Interval>);
        render_effect(move || {
            ticks.track();
            clock.arrived.set(now());
        });
        render_effect(move || {
            clock.now.set(now());
            let tick = move || {
                clock.now.try_set(now());
            };
            timer.set_value((ticks.get() && seen.get()).then(|| Interval::new(1_000, tick)));
        });
        clock
    }

    /// Milliseconds since the newest event arrived, rounded down to whole seconds. Subscribes to the clock.
    pub fn quiet(self) -> i64 {
        let since = self.now.get().saturating_sub(self.arrived.get_untracked());
        i64::from(since) / 1_000 * 1_000
    }
}

/// Milliseconds since the page was loaded. A `u32` lasts for seven weeks.
fn now() -> u32 {
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0, |performance| performance.now() as u32)
}
