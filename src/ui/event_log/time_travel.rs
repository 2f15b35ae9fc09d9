//! Going back in time: a scrubber over the whole log, playing, and the strip that says what is shown.

use gloo_timers::callback::Interval;
use leptos::html::Input;
use leptos::prelude::*;
use web_sys::{Event, KeyboardEvent};

use super::archive;
use super::record_summary::{at, record_summary};
use crate::core::i18n;
use crate::core::i18n::Word;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::{log, page};
use crate::core::view_model::icon::Icon;
use crate::store::Store;
use crate::ui::elements::builder::{El, el, glyph};
use crate::ui::elements::live::{Live, LiveAttribute};
use crate::ui::elements::live_text::LiveText;
use crate::ui::elements::reactive::memo;

/// Milliseconds between two ticks of playing, and to how many a longer pause between records is cut.
const FRAME: u32 = 16;
const LONGEST_PAUSE: f64 = 1500.0;
/// The speed that stands for: as fast as the page can.
const MAX: f64 = 1e9;
/// The most records in one tick, about as many as a frame has time for.
const MAX_RECORDS_PER_TICK: usize = 400;

/// Plays the log.
#[derive(Clone, Copy)]
struct LogPlayer {
    store: Store,
    playing: RwSignal<bool>,
    speed: RwSignal<f64>,
    /// Milliseconds of event time that were too few for the next record.
    left: StoredValue<f64>,
}

/// The bar with the scrubber, at the foot of the page.
pub fn travel_bar(store: Store) -> El {
    archive::follow_log(store);
    let player = LogPlayer {
        store,
        playing: RwSignal::new(false),
        speed: RwSignal::new(1.0),
        left: StoredValue::new(0.0),
    };
    player.ticks();
    on_cleanup(move || {
        // Closing the bar returns to the session as it is now.
        if store.history().at().try_get_untracked().flatten().is_some() {
            store.history().show_past(None);
        }
    });
    let length = memo(move || {
        store.track_input();
        store.history().prepared().track();
        archive::length(store)
    });
    let ready = memo(move || store.history().prepared().get() >= length.get());
    let place = memo(move || store.history().at().get().unwrap_or_else(|| length.get()));
    let position = memo(move || position(store, place.get(), length.get()));
    let scrubber: NodeRef<Input> = NodeRef::new();
    Effect::new(move |_| {
        let (at, _) = (place.get(), length.get());
        if let Some(scrubber) = scrubber.get() {
            scrubber.set_value(&at.to_string());
        }
    });
    let go = move |event: Event| {
        if let Ok(to) = event_target_value(&event).parse() {
            player.go(to);
        }
    };
    let choose_speed = move |event: Event| {
        if let Ok(speed) = event_target_value(&event).parse() {
            player.speed.set(speed);
        }
    };
    let option = |(value, words): (&str, &str)| el("option").attr("value", value).text(words);
    let speeds = [("1", "1×"), ("4", "4×"), ("16", "16×"), ("1000000000", log::FASTEST.text())];
    let play = move || if player.playing.get() { log::PAUSE.text() } else { log::PLAY.text() };
    let play_icon = move || glyph(if player.playing.get() { Icon::Pause } else { Icon::Play });
    let words = move || {
        if ready.get() {
            return position.get();
        }
        let part = (store.history().prepared().get() * 100).checked_div(length.get()).unwrap_or(100);
        log::READING.with(&[("percent", part.into())])
    };
    El::of(view! {
        <div class="travel" role="group" aria-label=page::TRAVEL.text()>
            <TravelButton class="btn bare back" name=log::TURN_BEFORE icon=Icon::Chevron on_press=Callback::new(move |()| player.turn(false))/>
            <button type="button" class="btn bare" aria-label=LiveAttribute::new(play) title=LiveAttribute::new(play) on:click=move |_| player.toggle()>
                {Live::new(play_icon)}
            </button>
            <TravelButton class="btn bare on" name=log::NEXT_TURN icon=Icon::Chevron on_press=Callback::new(move |()| player.turn(true))/>
            <input
                class="scrubber"
                type="range"
                min="0"
                step="1"
                aria-label=log::SCRUBBER.text()
                max=LiveAttribute::new(move || length.get().to_string())
                aria-valuetext=LiveAttribute::new(move || position.get())
                node_ref=scrubber
                on:input=go
                on:keydown=move |event| player.pressed(&event)
            />
            <select class="input" aria-label=log::SPEED.text() dir="ltr" on:change=choose_speed>
                {speeds.map(option)}
            </select>
            <button type="button" class="btn small now" disabled=LiveAttribute::new(move || store.history().at().get().is_none()) on:click=move |_| player.now()>
                {log::TO_NOW.text()}
            </button>
            <TravelButton class="btn bare" name=log::CLOSE icon=Icon::Cross on_press=Callback::new(move |()| store.history().travelling().set(false))/>
            <p class="travel-words">{LiveText::new(words)}</p>
        </div>
    })
}

/// A button of the bar.
#[component(transparent)]
fn TravelButton(class: &'static str, name: Word, icon: Icon, on_press: Callback<()>) -> El {
    El::of(view! {
        <button type="button" class=class aria-label=name.text() title=name.text() on:click=move |_| on_press.run(())>
            {glyph(icon)}
        </button>
    })
}

/// What is shown, in words.
fn position(store: Store, place: usize, length: usize) -> String {
    let (at, all) = (grouped(place), grouped(length));
    let mut words = log::POSITION.with(&[("at", (&at).into()), ("all", (&all).into())]);
    if let Some(last) = place.checked_sub(1).and_then(|record| record_summary(store, record, true)) {
        for part in [last.time, last.name] {
            if !part.is_empty() {
                words.push_str(" · ");
                words.push_str(&part);
            }
        }
    }
    words
}

impl LogPlayer {
    fn place(self) -> usize {
        untrack(|| self.store.history().at().get()).unwrap_or_else(|| archive::length(self.store))
    }

    fn go(self, to: usize) {
        let prepared = self.store.history().prepared().get_untracked();
        // The log can be travelled only as far as it has been gone through.
        let to = if to >= archive::length(self.store) { to } else { to.min(prepared) };
        archive::travel_to(self.store, to);
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
        if playing && untrack(|| self.store.history().at().get()).is_none() {
            // Playing from the end means from the start.
            self.go(0);
        }
        self.left.set_value(0.0);
        self.playing.set(playing);
    }

    /// Shift and an arrow go by turns, and the space bar plays. Plain arrows, Home and
    /// End are the browser's own.
    fn pressed(self, key: &KeyboardEvent) {
        let to_the_left = i18n::current().is_some_and(|language| language.right_to_left);
        let on = match key.key().as_str() {
            "ArrowUp" => true,
            "ArrowDown" => false,
            "ArrowRight" => !to_the_left,
            "ArrowLeft" => to_the_left,
            " " => {
                key.prevent_default();
                self.toggle();
                return;
            }
            _ => return,
        };
        if key.shift_key() {
            key.prevent_default();
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
            to += MAX_RECORDS_PER_TICK;
        } else {
            let mut left = self.left.get_value() + f64::from(FRAME) * speed;
            while to < end {
                let pause =
                    match (to.checked_sub(1).and_then(|before| at(self.store, before)), at(self.store, to)) {
                        (Some(before), Some(next)) => ((next - before) as f64).clamp(0.0, LONGEST_PAUSE),
                        _ => 0.0,
                    };
                if pause > left || to - place >= MAX_RECORDS_PER_TICK {
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
    let past = memo(move || store.history().at().get().is_some());
    let has_file = memo(move || store.history().file().with(Option::is_some));
    let words = move || match (store.history().file().get(), past.get()) {
        (Some((_, trouble)), false) if !trouble.is_empty() => trouble,
        (Some((name, _)), false) => log::REPLAYING.with(&[("file", (&name).into())]),
        (Some((name, _)), true) => log::REPLAYING_PAST.with(&[("file", (&name).into())]),
        (None, _) => log::PAST.text().to_owned(),
    };
    let button = |words: Word| el("button").attr("type", "button").class("btn small").text(words.text());
    let to_now = move || button(log::TO_NOW).on("click", move |_| store.history().show_past(None));
    let to_live = move || button(log::TO_LIVE).on("click", move |_| store.history().show_file(None));
    El::of(view! {
        <div class="strip elsewhere" part="strip" role="status">
            {glyph(Icon::Clock)}
            <p>{LiveText::new(words)}</p>
            {Live::new(move || past.get().then(to_now))}
            {Live::new(move || has_file.get().then(to_live))}
        </div>
    })
}
