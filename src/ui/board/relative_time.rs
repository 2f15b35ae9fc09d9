//! How long ago something was, in words. There is one clock for all tiles, and it
//! stops while nobody can see them.

use gloo_timers::callback::Interval;
use js_sys::{Array, Intl};
use leptos::prelude::*;

use crate::core::i18n;
use crate::core::i18n::words::board;
use crate::core::view_model::board_row::{Age, age};
use crate::store::board::BoardStore;
use crate::ui::elements::page_visibility::is_visible;
use crate::ui::elements::reactive::{memo, render_effect};
use crate::ui::message::clock;

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

    /// 'just now', '2 minutes ago', 'yesterday 14:20'. `at` is in milliseconds since 1970; follows the clock.
    pub(super) fn since(self, at: i64) -> String {
        let now = self.now.get() as i64;
        match age((at, minutes_ahead(at)), (now, minutes_ahead(now))) {
            Age::JustNow => board::JUST_NOW.text().to_owned(),
            Age::Ago(amount, unit) => ago(amount as f64, unit),
            Age::Yesterday => board::YESTERDAY.with(&[("time", (&clock(at)).into())]),
        }
    }
}

/// How many minutes the reader's clock is ahead of UTC at a time; 0 for an invalid one.
fn minutes_ahead(at: i64) -> i64 {
    -js_sys::Date::new(&(at as f64).into()).get_timezone_offset() as i64
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
