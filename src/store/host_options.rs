//! What a host's page adds to the views of a session, by properties of the element.

use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::File;

/// One per element; views copy it. The lists are the page's own: `ui::host_options` reads them where they are needed.
#[derive(Clone, Copy)]
pub struct HostOptions {
    /// Nothing can be answered here.
    pub readonly: RwSignal<bool>,
    /// Messages that are offered before anybody has written one.
    pub suggestions: RwSignal<JsValue, LocalStorage>,
    /// Slash commands.
    pub commands: RwSignal<JsValue, LocalStorage>,
    /// Completions in the composer.
    pub completions: RwSignal<JsValue, LocalStorage>,
    /// Buttons for entries.
    pub entry_actions: RwSignal<JsValue, LocalStorage>,
    /// A text that the composer has not taken yet.
    pub text: RwSignal<Option<String>>,
    /// Files that the composer has not taken yet.
    pub files: RwSignal<Vec<File>, LocalStorage>,
}

impl Default for HostOptions {
    /// Nothing. Must be made inside a reactive owner.
    fn default() -> Self {
        let none = || RwSignal::new_local(JsValue::UNDEFINED);
        Self {
            readonly: RwSignal::new(false),
            suggestions: none(),
            commands: none(),
            completions: none(),
            entry_actions: none(),
            text: RwSignal::new(None),
            files: RwSignal::new_local(Vec::new()),
        }
    }
}
