//! What this browser remembers for the reader. Refuses to matter: storage can be full, forbidden or gone.

use web_sys::Storage;

/// What was remembered under a name.
pub fn recall(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok().flatten()
}

/// Remembers something, if the browser lets us.
pub fn remember(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // Without it the wish holds until the page is closed, which is all that can be had.
        let _ = storage.set_item(&key(name), value);
    }
}

/// Forgets it.
pub fn forget(name: &str) {
    if let Some(storage) = storage() {
        let _ = storage.remove_item(&key(name));
    }
}

fn key(name: &str) -> String {
    format!("pilothouse.{name}")
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
