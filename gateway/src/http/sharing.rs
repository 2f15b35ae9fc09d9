//! Making links with which anybody watches one session, and taking them back.

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use pilothouse_core::protocol::ErrorReason;
use serde_json::{Value, json};

use crate::access::Access;
use crate::access::shares::{MOST_HOURS, Share, ShareError, USUAL_HOURS};
use crate::rpc::{Call, Fault};
use crate::sessions::Sessions;
use crate::sessions::session::Session;

/// What stands in front of the token in a link's fragment, which browsers send to no server.
const FRAGMENT: &str = "#share=";

/// What of an id is encoded in an address.
pub const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// Who makes links or takes them back.
#[derive(Clone, Copy, Debug)]
pub struct Sharer<'a> {
    /// The links.
    pub access: &'a Access,
    /// The name, where people are known by name.
    pub name: Option<&'a str>,
    /// The gateway's address as the client has it.
    pub address: &'a str,
}

impl From<ShareError> for Fault {
    fn from(error: ShareError) -> Self {
        let reason = match error {
            ShareError::Full => ErrorReason::TooMany,
            ShareError::NotKept(_) | ShareError::NoRandomNumbers(_) => ErrorReason::Internal,
        };
        Self::new(reason, error.to_string())
    }
}

/// Serves `pilothouse.share {sessionId, hours?}`: makes a link.
pub fn share(
    sharer: Sharer<'_>,
    sessions: &Sessions,
    call: &Call,
    here: Option<&Arc<Session>>,
) -> Result<String, Fault> {
    if !sharer.access.is_closed() {
        let words = "nobody has to sign in here, so whoever has the address can do everything; start the gateway with --new-token";
        return Err(Fault::new(ErrorReason::NotAllowed, words));
    }
    let hours = match &call.params["hours"] {
        Value::Null => USUAL_HOURS,
        hours => hours.as_f64().filter(|hours| *hours > 0.0 && *hours <= MOST_HOURS).ok_or_else(|| {
            let words = format!("{}: hours must be a number up to {MOST_HOURS}", call.method);
            Fault::new(ErrorReason::InvalidParams, words)
        })?,
    };
    let session = sessions.session_of(call, here)?;
    let (share, token) = sharer.access.shares().add(&session.id, hours, sharer.name)?;
    Ok(row(sharer, &share, &token).to_string())
}

/// Serves `pilothouse.shares {sessionId}`: the links that count.
pub fn list(
    sharer: Sharer<'_>,
    sessions: &Sessions,
    call: &Call,
    here: Option<&Arc<Session>>,
) -> Result<String, Fault> {
    let session = sessions.session_of(call, here)?;
    let all = sharer.access.shares().of_session(&session.id);
    let rows = all.iter().map(|(share, token)| row(sharer, share, token));
    Ok(json!({"shares": rows.collect::<Vec<_>>(), "possible": sharer.access.is_closed()}).to_string())
}

/// Serves `pilothouse.unshare {url}`: takes a link back. Who watches by it is cut off.
pub fn unshare(sharer: Sharer<'_>, call: &Call) -> Result<String, Fault> {
    let url = call.params["url"].as_str().unwrap_or_default();
    let token = url.split_once(FRAGMENT).map_or("", |(_, rest)| rest.split('&').next().unwrap_or_default());
    let removed = sharer.access.shares().remove(token)?;
    Ok(json!({"success": removed.is_some()}).to_string())
}

fn row(sharer: Sharer<'_>, share: &Share, token: &str) -> Value {
    let session = utf8_percent_encode(&share.session_id, ENCODED);
    let url = format!("{}/?session={session}{FRAGMENT}{token}", sharer.address);
    let mut row = json!({"url": url, "until": share.until_text()});
    if let Some(by) = &share.by {
        row["by"] = by.as_str().into();
    }
    row
}
