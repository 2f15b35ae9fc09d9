//! What the browser keeps: settings for all pages, and what was written in one tab. Best effort; failures are
//! ignored, since storage can be full, forbidden or gone.

use wasm_bindgen::JsValue;
use web_sys::{Storage, Window};

/// One of the browser's two storages of texts by name.
#[derive(Clone, Copy)]
pub struct Area(fn(&Window) -> Result<Option<Storage>, JsValue>);

/// What all pages of this origin share; it stays.
pub const BROWSER: Area = Area(Window::local_storage);
/// What one tab has for itself; it survives a reload, and other tabs do not see it.
pub const TAB: Area = Area(Window::session_storage);

/// The name of the setting that the panel was closed.
pub const PANEL: &str = "panel";

impl Area {
    /// The value stored under a name.
    pub fn get(self, name: &str) -> Option<String> {
        self.storage()?.get_item(&key(name)).ok().flatten()
    }

    /// Stores a value, if the browser allows it.
    pub fn set(self, name: &str, value: &str) {
        if let Some(storage) = self.storage() {
            // If this fails, the value lasts only until the page is closed.
            let _ = storage.set_item(&key(name), value);
        }
    }

    /// Removes a value.
    pub fn remove(self, name: &str) {
        if let Some(storage) = self.storage() {
            let _ = storage.remove_item(&key(name));
        }
    }

    fn storage(self) -> Option<Storage> {
        (self.0)(&web_sys::window()?).ok().flatten()
    }
}

fn key(name: &str) -> String {
    format!("pilothouse.{name}")
}
