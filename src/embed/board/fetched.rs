//! Fetches the part of the program that knows boards. Refuses to give up: a page without it shows nothing.

#![allow(
    unsafe_code,
    reason = "wasm_split declares the functions at which the wasm is cut as imports and exports"
)]
#![allow(clippy::unnecessary_wraps, reason = "the macro adds the failing: a chunk may not come")]

use gloo_timers::future::TimeoutFuture;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::{Open, inside};

/// Milliseconds before it is asked for again.
const AGAIN: u32 = 2_000;

#[wasm_split(board, fallible)]
fn load_board() -> Result<Open, SplitLoaderError> {
    Ok(inside::open as Open)
}

/// What makes the inside of an element, once it is here.
pub(super) async fn loaded() -> Open {
    loop {
        // The loader has told the console why it failed.
        if let Ok(open) = load_board().await {
            return open;
        }
        TimeoutFuture::new(AGAIN).await;
    }
}
