//! A text of the state: one that grows, or one that several hold, which stays as it was written in JSON until somebody
//! reads it. Refuses to know what it says.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use pilothouse_scan::{reads_as, say_the_same, unescaped};
use serde::{Serialize, Serializer};

/// A text, read as a `str`. A copy of one that is shared costs a pointer.
#[derive(Clone, Default)]
pub struct Text {
    /// Empty while it is shared.
    own: String,
    shared: Option<Arc<Shared>>,
}

/// Never changed. Most results of tools are never looked at, and taking the escapes out is half of the work with them.
struct Shared {
    said: OnceLock<Box<str>>,
    /// Between the quotation marks, looked over; empty if it is said already.
    written: Box<str>,
}

impl Shared {
    fn said(&self) -> &str {
        self.said.get_or_init(|| unescaped(&self.written, true).unwrap_or_default().into())
    }
}

impl Text {
    /// It, as a `str`.
    pub fn as_str(&self) -> &str {
        self.shared.as_ref().map_or(&self.own, |shared| shared.said())
    }

    /// True if it says nothing; does not read it.
    pub fn is_empty(&self) -> bool {
        self.shared.is_none() && self.own.is_empty()
    }

    /// Whether it can be a shell's result with a line of the runtime's own, in `<` and `>`; does not read it.
    pub(super) fn may_name_shell(&self) -> bool {
        let (text, written) = match &self.shared {
            Some(shared) if shared.said.get().is_none() => (&*shared.written, true),
            _ => (self.as_str(), false),
        };
        let mut end = text.trim_end();
        while let Some(rest) =
            ["\\n", "\\r", "\\t"].iter().find_map(|space| end.strip_suffix(space)).filter(|_| written)
        {
            end = rest.trim_end();
        }
        // An escape may stand for either.
        let escaped = |near: &[u8]| written && near.contains(&b'\\');
        let near = end.as_bytes().get(end.len().saturating_sub(6)..).unwrap_or_default();
        end.ends_with('>')
            || text.starts_with('<')
            || escaped(near)
            || escaped(text.as_bytes().get(..1).unwrap_or_default())
    }

    /// Hands it out like [`Text::as_str`], for whoever goes over many texts: what nobody has read is not kept.
    pub fn glance<R>(&self, see: impl FnOnce(&str) -> R) -> R {
        match &self.shared {
            Some(shared) if shared.said.get().is_none() => {
                see(&unescaped(&shared.written, true).unwrap_or_default())
            }
            _ => see(self),
        }
    }

    /// The text to write on: from here on it is nobody else's.
    pub(super) fn own(&mut self) -> &mut String {
        if let Some(shared) = self.shared.take() {
            shared.said().clone_into(&mut self.own);
        }
        &mut self.own
    }

    /// The same for somebody else; neither is copied.
    pub(super) fn share(&mut self) -> Self {
        if !self.own.is_empty() {
            let said = OnceLock::from(std::mem::take(&mut self.own).into_boxed_str());
            self.shared = Some(Arc::new(Shared { said, written: Box::default() }));
        }
        self.clone()
    }
}

impl From<Shared> for Text {
    fn from(shared: Shared) -> Self {
        Self { own: String::new(), shared: Some(Arc::new(shared)) }
    }
}

impl From<String> for Text {
    fn from(own: String) -> Self {
        Self { own, shared: None }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        match (&self.shared, &other.shared) {
            (Some(one), Some(other)) if Arc::ptr_eq(one, other) => true,
            _ => self.is_empty() == other.is_empty() && self.as_str() == other.as_str(),
        }
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), to)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), to)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

/// A string of an event's payload, where it stands: looked over, not read.
#[derive(Debug, Clone)]
pub(super) enum Said<'a> {
    /// Between its quotation marks, and whether there is a backslash in it.
    Written(&'a str, bool),
    /// What the general rules made of it.
    Read(String),
}

impl Said<'_> {
    /// A text that others can hold as well.
    pub(super) fn text(self) -> Text {
        let (said, written) = match self {
            Self::Read(text) if text.is_empty() => return Text::default(),
            Self::Written("", _) => return Text::default(),
            Self::Read(text) => (OnceLock::from(text.into_boxed_str()), Box::default()),
            Self::Written(inner, false) => (OnceLock::from(Box::from(inner)), Box::default()),
            Self::Written(inner, true) => (OnceLock::new(), inner.into()),
        };
        Shared { said, written }.into()
    }

    /// Whether it says this.
    pub(super) fn says(&self, text: &str) -> bool {
        match self {
            Self::Written(inner, escaped) => reads_as(inner, *escaped, text),
            Self::Read(said) => said == text,
        }
    }
}

impl PartialEq for Said<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Written(one, escaped), Self::Written(other, also)) => {
                say_the_same((*one, *escaped), (*other, *also))
            }
            (Self::Read(text), said) | (said, Self::Read(text)) => said.says(text),
        }
    }
}
