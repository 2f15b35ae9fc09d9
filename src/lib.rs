//! The root of Pilothouse: its modules and the feature switches.
//!
//! With `default-features = false` only [`core`] is compiled: bytes in, state and changes out, with no
//! browser, clock, randomness or IO. The feature `web` adds the page: [`store`], [`client`], [`ui`]
//! and [`embed`].

pub use pilothouse_core as core;

#[cfg(feature = "web")]
pub mod client;
#[cfg(feature = "web")]
pub mod embed;
#[cfg(feature = "web")]
pub mod store;
#[cfg(feature = "web")]
pub mod ui;

#[cfg(all(test, feature = "web", target_arch = "wasm32"))]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
