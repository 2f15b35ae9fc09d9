//! The page that Trunk builds: the custom elements, and nothing else. `www/index.js` loads the same program.

/// Smaller than the standard one, and a third quicker at giving back what a long session held.
#[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

fn main() {
    pilothouse::embed::start();
}
