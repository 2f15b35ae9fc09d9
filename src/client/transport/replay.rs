//! The carrier of sessions without a network: every request fails with an error in plain words.

use std::future::ready;

use serde_json::Value;

use super::{Answering, Connection, RequestError};

/// No network: the host pushes, or a recording plays.
pub(super) struct Replay;

impl Connection for Replay {
    fn request(&self, _method: &str, _params: Value) -> Answering {
        Box::pin(ready(Err(RequestError::Replaying)))
    }

    fn close(&self) {}
}
