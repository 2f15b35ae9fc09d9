//! Fetches the board's part of the program. It retries until that works, because a
//! page without it shows nothing.

#![allow(
    unsafe_code,
    reason = "wasm_split declares the functions at which the wasm is cut as imports and exports"
)]
#![allow(clippy::unnecessary_wraps, reason = "the macro adds the failing: a chunk may not come")]

use gloo_timers::future::TimeoutFuture;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{OpenContent, inside};

/// Milliseconds before the next try.
const RETRY_MS: u32 = 2_000;

#[wasm_split(board, fallible)]
fn load_board() -> Result<OpenContent, SplitLoaderError> {
    Ok(inside::open as OpenContent)
}

/// Loads the function that makes an element's content.
pub(super) async fn load_content() -> OpenContent {
    loop {
        // The loader has reported the failure on the console.
        if let Ok(open) = load_board().await {
            return open;
        }
        TimeoutFuture::new(RETRY_MS).await;
    }
}
