//! Going back in time: a scrubber over the whole log, playing, and the strip that says what is shown.

use gloo_timers::callback::Interval;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::archive;
use super::record_summary::{at, record_summary};
use crate::client::store::{NOW, Store};
use crate::core::i18n;
use crate::core::i18n::Word;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::{log, page};
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::icons::Icon;
use crate::ui::elements::reactive::memo;

/// Milliseconds between two ticks of playing, and to how many a longer pause between records is cut.
const FRAME: u32 = 16;
const LONGEST_PAUSE: f64 = 1500.0;
/// The speed that stands for: as fast as the page can.
const MAX: f64 = 1e9;
/// The most records in one tick, about as many as a frame has time for.
const AT_ONCE: usize = 400;

/// Plays the log.
#[derive(Clone, Copy)]
struct Player {
    store: Store,
    playing: RwSignal<bool>,
    speed: RwSignal<f64>,
    /// Milliseconds of event time that were too few for the next record.
    left: StoredValue<f64>,
}

/// The bar with the scrubber, at the foot of the page.
pub fn travel_bar(store: Store) -> El {
    archive::keep_up(store);
    let player = Player {
        store,
        playing: RwSignal::new(false),
        speed: RwSignal::new(1.0),
        left: StoredValue::new(0.0),
    };
    player.ticks();
    on_cleanup(move || {
        // Closing the bar returns to the session as it is now.
        if store.place().try_get_untracked().is_some_and(|place| place != NOW) {
            store.show_past(None);
        }
    });
    let length = memo(move || {
        store.heard().track();
        store.prepared().track();
        archive::length(store)
    });
    let ready = memo(move || store.prepared().get() >= length.get());
    let place = memo(move || store.at().unwrap_or_else(|| length.get()));
    let said = memo(move || position(store, place.get(), length.get()));
    let range = el("input")
        .class("scrubber")
        .attr("type", "range")
        .attr("min", "0")
        .attr("step", "1")
        .attr("aria-label", log::SCRUBBER.text())
        .attr("max", move || Some(length.get().to_string()))
        .attr("aria-valuetext", move || Some(said.get()))
        .on("input", move |event| {
            if let Some(to) = value(event) {
                player.go(to);
            }
        })
        .on("keydown", move |event| player.pressed(event));
    let scrubber: Option<HtmlInputElement> = range.element().clone().dyn_into().ok();
    Effect::new(move |_| {
        let (at, _) = (place.get(), length.get());
        if let Some(scrubber) = &scrubber {
            scrubber.set_value(&at.to_string());
        }
    });
    let step = |name: Word, class: &str, act: fn(Player)| {
        el("button")
            .attr("type", "button")
            .class(class)
            .attr("aria-label", name.text())
            .attr("title", name.text())
            .on("click", move |_| act(player))
    };
    let does = move || {
        let word = if player.playing.get() { log::PAUSE } else { log::PLAY };
        Some(word.text().to_owned())
    };
    let play = step(log::PLAY, "btn bare", Player::toggle)
        .attr("aria-label", does)
        .attr("title", does)
        .child(move || Some(glyph(if player.playing.get() { Icon::Pause } else { Icon::Play })));
    let back =
        step(log::TURN_BEFORE, "btn bare back", |player| player.turn(false)).child(glyph(Icon::Chevron));
    let on = step(log::NEXT_TURN, "btn bare on", |player| player.turn(true)).child(glyph(Icon::Chevron));
    let speed =
        el("select").class("input").attr("aria-label", log::SPEED.text()).on("change", move |event| {
            let select = event.target().and_then(|target| target.dyn_into::<HtmlSelectElement>().ok());
            if let Some(speed) = select.and_then(|select| select.value().parse().ok()) {
                player.speed.set(speed);
            }
        });
    let option = |(value, words): (&str, &str)| el("option").attr("value", value).text(words);
    let speeds = [("1", "1×"), ("4", "4×"), ("16", "16×"), ("1000000000", log::FASTEST.text())];
    let speed = speed.attr("dir", "ltr").child(speeds.into_iter().map(option).collect::<Vec<_>>());
    let close =
        step(log::CLOSE, "btn bare", |player| player.store.travelling().set(false)).child(glyph(Icon::Cross));
    let now = move || store.at().is_none();
    let waiting = el("p").class("travel-words").text(move || {
        if ready.get() {
            return said.get();
        }
        let part = (store.prepared().get() * 100).checked_div(length.get()).unwrap_or(100);
        log::READING.with(&[("percent", part.into())])
    });
    div("travel")
        .attr("role", "group")
        .attr("aria-label", page::TRAVEL.text())
        .child(back)
        .child(play)
        .child(on)
        .child(range)
        .child(speed)
        .child(
            el("button")
                .attr("type", "button")
                .class("btn small now")
                .attr("disabled", now)
                .text(log::TO_NOW.text())
                .on("click", move |_| player.now()),
        )
        .child(close)
        .child(waiting)
}

/// What is shown, in words.
fn position(store: Store, place: usize, length: usize) -> String {
    let (at, all) = (grouped(place), grouped(length));
    let mut words = log::POSITION.with(&[("at", (&at).into()), ("all", (&all).into())]);
    if let Some(record_summary) = place.checked_sub(1).and_then(|record| record_summary(store, record, true))
    {
        for part in [record_summary.time, record_summary.name] {
            if !part.is_empty() {
                words.push_str(" · ");
                words.push_str(&part);
            }
        }
    }
    words
}

fn value(event: &web_sys::Event) -> Option<usize> {
    event.target()?.dyn_into::<HtmlInputElement>().ok()?.value().parse().ok()
}

impl Player {
    fn place(self) -> usize {
        untrack(|| self.store.at()).unwrap_or_else(|| archive::length(self.store))
    }

    fn go(self, to: usize) {
        let prepared = self.store.prepared().get_untracked();
        // The log can be travelled only as far as it has been gone through.
        let to = if to >= archive::length(self.store) { to } else { to.min(prepared) };
        archive::go(self.store, to);
    }

    fn now(self) {
        self.playing.set(false);
        self.go(usize::MAX);
    }

    fn turn(self, on: bool) {
        let place = self.place();
        let to = archive::of(self.store).map(|archive| {
            let travel = archive.travel.borrow();
            if on { travel.turn_after(place) } else { travel.turn_before(place) }
        });
        self.go(to.unwrap_or(place));
    }

    fn toggle(self) {
        let playing = !self.playing.get_untracked();
        if playing && untrack(|| self.store.at()).is_none() {
            // Playing from the end means from the start.
            self.go(0);
        }
        self.left.set_value(0.0);
        self.playing.set(playing);
    }

    /// Shift and an arrow go by turns, and the space bar plays. Plain arrows, Home and
    /// End are the browser's own.
    fn pressed(self, event: &web_sys::Event) {
        let Some(key) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let to_the_left = i18n::current().is_some_and(|language| language.right_to_left);
        let on = match key.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            "ArrowRight" => !to_the_left,
            "ArrowLeft" => to_the_left,
            " " => {
                event.prevent_default();
                self.toggle();
                return;
            }
            _ => return,
        };
        if key.shift_key() {
            event.prevent_default();
            self.turn(on);
        }
    }

    fn ticks(self) {
        let timer = StoredValue::new_local(None::<Interval>);
        Effect::new(move |_| {
            let tick = move || self.tick();
            timer.set_value(self.playing.get().then(|| Interval::new(FRAME, tick)));
        });
    }

    /// Goes on by as many records as this tick's share of event time has.
    fn tick(self) {
        let (place, end) = (self.place(), archive::length(self.store));
        let speed = self.speed.get_untracked();
        let mut to = place;
        if speed >= MAX {
            to += AT_ONCE;
        } else {
            let mut left = self.left.get_value() + f64::from(FRAME) * speed;
            while to < end {
                let pause =
                    match (to.checked_sub(1).and_then(|before| at(self.store, before)), at(self.store, to)) {
                        (Some(before), Some(next)) => ((next - before) as f64).clamp(0.0, LONGEST_PAUSE),
                        _ => 0.0,
                    };
                if pause > left || to - place >= AT_ONCE {
                    break;
                }
                left -= pause;
                to += 1;
            }
            self.left.set_value(left);
        }
        if to >= end {
            self.now();
        } else {
            self.go(to);
        }
    }
}

/// The strip that says that what is shown is not now, with buttons to return.
pub fn strip(store: Store) -> El {
    let past = memo(move || store.at().is_some());
    let words = el("p").text(move || match (store.file().get(), past.get()) {
        (Some((_, trouble)), false) if !trouble.is_empty() => trouble,
        (Some((name, _)), false) => log::REPLAYING.with(&[("file", (&name).into())]),
        (Some((name, _)), true) => log::REPLAYING_PAST.with(&[("file", (&name).into())]),
        (None, _) => log::PAST.text().to_owned(),
    });
    let button = |words: Word| el("button").attr("type", "button").class("btn small").text(words.text());
    div("strip elsewhere")
        .attr("part", "strip")
        .attr("role", "status")
        .child(glyph(Icon::Clock))
        .child(words)
        .child(move || past.get().then(|| button(log::TO_NOW).on("click", move |_| store.show_past(None))))
        .child(move || {
            let file = store.file().with(Option::is_some);
            file.then(|| button(log::TO_LIVE).on("click", move |_| store.show_file(None)))
        })
}
