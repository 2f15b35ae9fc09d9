//! How long ago something was, in words. There is one clock for all tiles, and it
//! stops while nobody can see them.

use gloo_timers::callback::Interval;
use js_sys::{Array, Intl};
use leptos::prelude::*;

use crate::core::i18n;
use crate::core::i18n::words::board;
use crate::store::board::BoardStore;
use crate::ui::elements::page_visibility::is_visible;
use crate::ui::elements::reactive::{memo, render_effect};

/// How often the texts are updated, in milliseconds.
const TICK: u32 = 15_000;

/// The clock that all tiles share.
#[derive(Clone, Copy)]
pub(super) struct Ages {
    now: RwSignal<f64>,
}

impl Ages {
    /// Ticks while there are sessions and the page is in sight.
    pub(super) fn new(store: BoardStore) -> Self {
        let now = RwSignal::new(js_sys::Date::now());
        let seen = is_visible();
        let any = memo(move || store.all(|board| !board.sessions().is_empty()).unwrap_or(false));
        let timer = StoredValue::new_local(None::<Interval>);
        render_effect(move || {
            let tick = move || {
                now.try_set(js_sys::Date::now());
            };
            let on = seen.get() && any.get();
            if on {
                tick();
            }
            timer.set_value(on.then(|| Interval::new(TICK, tick)));
        });
        Self { now }
    }

    /// 'just now', '2 minutes ago'. `at` is in milliseconds since 1970; follows the clock.
    pub(super) fn since(self, at: i64) -> String {
        let seconds = ((self.now.get() - at as f64) / 1_000.0).max(0.0);
        let (amount, unit) = match seconds {
            s if s < 45.0 => return board::JUST_NOW.text().to_owned(),
            s if s < 3_570.0 => ((s / 60.0).round(), "minute"),
            s if s < 84_600.0 => ((s / 3_600.0).round(), "hour"),
            s if s < 2_592_000.0 => ((s / 86_400.0).round(), "day"),
            s if s < 31_536_000.0 => ((s / 2_592_000.0).round(), "month"),
            s => ((s / 31_536_000.0).round(), "year"),
        };
        ago(amount.max(1.0), unit)
    }
}

/// Formatted by the browser.
fn ago(amount: f64, unit: &str) -> String {
    thread_local! {
        static FORMAT: Intl::RelativeTimeFormat = {
            let tag = i18n::current().map_or("en", |language| language.tag);
            Intl::RelativeTimeFormat::new(&Array::of1(&tag.into()), &js_sys::Object::new())
        };
    }
    FORMAT.with(|format| format.format(-amount, unit)).into()
}
