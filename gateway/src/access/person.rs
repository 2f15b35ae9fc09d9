//! Who a client is: what it may do, and the name where the way in tells one.

use std::fmt;
use std::sync::Arc;

use pilothouse_core::text::hidden;

use super::Role;
use super::oidc::session_id::SessionId;
use super::shares::Share;

/// In characters. A longer name is no name of a person, and it would fill rows.
const LONGEST_NAME: usize = 80;

/// The name of a person, as it is shown to others. It has no hidden characters, so that nobody can look like somebody else.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Name(Arc<str>);

/// Who a client is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Person {
    /// What it may do.
    pub role: Role,
    /// The name; none where tokens have none, and where nobody signs in.
    pub name: Option<Name>,
    /// The link by which they came; they see its session and nothing else.
    pub share: Option<Share>,
    /// Their session, if they signed in with a provider; it ends when the provider says so.
    pub oidc: Option<SessionId>,
}

impl Name {
    /// Reads a name; white space around it does not count. The error is a sentence for people.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > LONGEST_NAME {
            return Err(format!("a name has 1 to {LONGEST_NAME} characters"));
        }
        if text.chars().any(char::is_control) || hidden::has_hidden(text) {
            return Err("a name has no control characters and none that can't be seen".to_owned());
        }
        Ok(Self(text.into()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Person {
    /// Somebody with this role, and this name if it is known.
    pub fn new(role: Role, name: Option<Name>) -> Self {
        Self { role, name, share: None, oidc: None }
    }

    /// Somebody without a name.
    pub fn unnamed(role: Role) -> Self {
        Self::new(role, None)
    }

    /// Somebody who came by a link.
    pub fn by_link(share: Share) -> Self {
        Self { role: Role::Viewer, name: None, share: Some(share), oidc: None }
    }

    /// The same person, whichever way they came in: what is kept for them is kept for this.
    #[must_use]
    pub fn account(&self) -> Self {
        Self::new(self.role, self.name.clone())
    }

    /// The name for people: that of the role where there is none.
    pub fn label(&self) -> &str {
        self.name.as_ref().map_or(self.role.word(), Name::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_is_what_is_seen() {
        assert_eq!(Name::new("  Ana María \n").unwrap().as_str(), "Ana María");
        assert_eq!(Name::new("李").unwrap().as_str(), "李");
        for wrong in ["", "  ", "Ana\u{202e}Bob", "An\u{200b}a", "a\nb", &"x".repeat(81)] {
            assert!(Name::new(wrong).is_err(), "{wrong:?}");
        }
    }
}
