//! Tells screen readers what happens, for all elements of the page: `core::client::Announcements` decides what and when.

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::prelude::{RwSignal, Update};
use wasm_bindgen_futures::spawn_local;

use crate::core::client::{Announcement, Announcements, Topic, region_text};

thread_local! {
    static ANNOUNCER: RefCell<Announcer> = RefCell::default();
}

#[derive(Default)]
struct Announcer {
    announcements: Announcements<RwSignal<String>>,
    timer: Option<Timeout>,
}

/// Announces words in a live region, which shows the text of `region`. Empty words withdraw what was not announced yet.
pub fn announce(region: RwSignal<String>, topic: Topic, words: &str) {
    let announcement = Announcement { source: region, topic, words: words.to_owned() };
    ANNOUNCER.with_borrow_mut(|announcer| announcer.announcements.offer(announcement));
    if words.is_empty() {
        region.try_update(String::clear);
    }
    announce_next();
}

/// Announces the outcome of something that the person did, even if the words are the same as last time.
pub fn announce_outcome(region: RwSignal<String>, words: &str) {
    announce(region, Topic::Outcome, words);
}

fn announce_next() {
    let next = ANNOUNCER.with_borrow_mut(|announcer| {
        let next = announcer.announcements.next(js_sys::Date::now().max(0.0) as u64);
        announcer.timer = next.again_in_ms.map(|delay_ms| {
            // Deferred, so that this timer is not dropped while it runs.
            Timeout::new(u32::try_from(delay_ms).unwrap_or(u32::MAX), || {
                spawn_local(async { announce_next() });
            })
        });
        next.announcement
    });
    if let Some(Announcement { source, words, .. }) = next {
        // The element may have gone meanwhile.
        source.try_update(|text| *text = region_text(text, words));
    }
}
