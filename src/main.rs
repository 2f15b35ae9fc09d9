//! The page that Trunk builds: the custom elements, and nothing else. `www/index.js` loads the same program.

fn main() {
    pilothouse::embed::start();
}
