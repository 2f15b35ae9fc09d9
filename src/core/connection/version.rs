//! The version of the protocol between page and gateway. docs/protocol.md describes it.

use std::cmp::Ordering;

use crate::i18n::words::connection::{NEWER_SERVER, OLDER_SERVER};

/// The version that this page speaks. It rises when a page needs more than older gateways give, or the reverse.
pub const PROTOCOL: u64 = 1;

/// What people are told if the server speaks another version; `None` if it speaks ours, or did not say which.
pub fn difference(theirs: Option<u64>) -> Option<String> {
    let theirs = theirs?;
    let words = match theirs.cmp(&PROTOCOL) {
        Ordering::Equal => return None,
        Ordering::Greater => NEWER_SERVER,
        Ordering::Less => OLDER_SERVER,
    };
    let (theirs, ours) = (theirs.to_string(), PROTOCOL.to_string());
    Some(words.with(&[("theirs", (&theirs).into()), ("ours", (&ours).into())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_is_told_with_what_helps() {
        assert_eq!(difference(None), None, "another server than ours");
        assert_eq!(difference(Some(PROTOCOL)), None);
        let newer = difference(Some(PROTOCOL + 1)).unwrap_or_default();
        assert!(newer.contains("(2)") && newer.contains("(1)") && newer.contains("Reload"), "{newer}");
        let older = difference(Some(0)).unwrap_or_default();
        assert!(older.contains("(0)") && older.contains("Update"), "{older}");
    }
}
