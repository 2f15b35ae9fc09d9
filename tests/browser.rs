//! Runs all tests that need a real browser but no server. They are one binary, because each binary links the
//! page.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test_configure;

#[path = "browser/components.rs"]
mod components;
#[path = "browser/dom_views.rs"]
mod dom_views;
#[path = "browser/links.rs"]
mod links;
#[path = "browser/prose.rs"]
mod prose;

wasm_bindgen_test_configure!(run_in_browser);
