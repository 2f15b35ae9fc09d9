//! The program of the page that Trunk builds: it registers the custom elements.
//! `www/package/index.js` loads the same program.

/// Smaller than the standard allocator, and a third faster at freeing the memory of a long session.
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

fn main() {
    pilothouse::embed::start();
}
