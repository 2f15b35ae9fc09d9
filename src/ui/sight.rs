//! Whether the page is in sight, for what would tick otherwise. Refuses to say whether anybody looks.

use gloo_events::EventListener;
use leptos::prelude::*;

/// False in a tab that nobody sees; follows it as long as the owner lives.
pub fn in_sight() -> RwSignal<bool> {
    let seen = RwSignal::new(!document().hidden());
    StoredValue::new_local(EventListener::new(&document(), "visibilitychange", move |_| {
        seen.try_set(!document().hidden());
    }));
    seen
}
