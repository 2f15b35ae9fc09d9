//! Tells screen readers what happens, for all elements of the page: `core::client::Announcements` decides what and when.

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::prelude::{RwSignal, Update};
use wasm_bindgen_futures::spawn_local;

use crate::core::client::{Announcement, Announcements, Next, Topic};

thread_local! {
    static ANNOUNCER: RefCell<Announcer> = RefCell::default();
}

#[derive(Default)]
struct Announcer {
    announcements: Announcements<RwSignal<String>>,
    timer: Option<Timeout>,
}

/// Announces words in a live region, which shows the text of `region`. No words take back what was not told yet.
pub fn announce(region: RwSignal<String>, topic: Topic, words: &str) {
    let announcement = Announcement { source: region, topic, words: words.to_owned() };
    ANNOUNCER.with_borrow_mut(|announcer| announcer.announcements.offer(announcement));
    if words.is_empty() {
        region.try_update(String::clear);
    }
    tell();
}

fn tell() {
    let now = js_sys::Date::now().max(0.0) as u64;
    let told = ANNOUNCER.with_borrow_mut(|announcer| {
        let (told, delay_ms) = match announcer.announcements.next(now) {
            Next::Tell(told) => {
                let next = announcer.announcements.next(now);
                (Some(told), if let Next::Wait(delay_ms) = next { Some(delay_ms) } else { None })
            }
            Next::Wait(delay_ms) => (None, Some(delay_ms)),
            Next::Nothing => (None, None),
        };
        announcer.timer = delay_ms.map(|delay_ms| {
            // Deferred, so that this timer is not dropped while it runs.
            Timeout::new(u32::try_from(delay_ms).unwrap_or(u32::MAX), || spawn_local(async { tell() }))
        });
        told
    });
    let Some(Announcement { source, words, .. }) = told else { return };
    // The element may have gone meanwhile.
    source.try_update(|text| {
        // The same words once more are told only if the text changes.
        let again = *text == words;
        *text = if again { format!("{words}\u{a0}") } else { words };
    });
}
