//! The page's style sheets, as [`src/core/build/styles.rs`](../build/styles.rs) makes them of `www/styles`.

include!(concat!(env!("OUT_DIR"), "/styles.rs"));
