//! The id of the session of somebody who signed in with a provider.

use std::fmt;

use crate::access::token::digest;

/// The digest of the session's cookie.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionId([u8; 32]);

impl SessionId {
    /// The id of the session with this cookie.
    pub fn of_cookie(cookie: &str) -> Self {
        Self(digest(cookie.as_bytes()))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SessionId(…)")
    }
}
