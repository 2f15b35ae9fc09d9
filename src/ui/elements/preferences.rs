//! What the browser keeps: settings for all pages, and what was written in one tab. Best effort; failures are
//! ignored, since storage can be full, forbidden or gone.

use web_sys::Storage;

/// The tab's own storage. It survives a reload, and other tabs do not see it.
pub mod tab {
    use web_sys::Storage;

    use super::key;

    /// The value stored under a name.
    pub fn recall(name: &str) -> Option<String> {
        storage()?.get_item(&key(name)).ok().flatten()
    }

    /// Stores a value, if the browser allows it.
    pub fn remember(name: &str, value: &str) {
        if let Some(storage) = storage() {
            // If this fails, it lasts only until the page is closed.
            let _ = storage.set_item(&key(name), value);
        }
    }

    /// Removes a value.
    pub fn forget(name: &str) {
        if let Some(storage) = storage() {
            let _ = storage.remove_item(&key(name));
        }
    }

    fn storage() -> Option<Storage> {
        web_sys::window()?.session_storage().ok().flatten()
    }
}

/// The value stored under a name.
pub fn recall(name: &str) -> Option<String> {
    storage()?.get_item(&key(name)).ok().flatten()
}

/// Stores a value, if the browser allows it.
pub fn remember(name: &str, value: &str) {
    if let Some(storage) = storage() {
        // If this fails, the setting lasts only until the page is closed.
        let _ = storage.set_item(&key(name), value);
    }
}

/// Removes a value.
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
