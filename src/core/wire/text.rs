//! The state's string type: an owned string that can grow, or a shared one that is unescaped from its JSON
//! form on first use.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use pilothouse_scan::{are_equal, reads_as, unescaped};
use serde::{Serialize, Serializer};

/// Initial capacity of a growing text in bytes; most grow by a word at a time.
const INITIAL_CAPACITY: usize = 256;

/// How many bytes of a text are searched for colour codes.
const MAX_EXAMINED: usize = 4 << 10;

/// A text that derefs to `str`. Cloning a shared one copies only a pointer.
#[derive(Clone, Default)]
pub struct Text {
    /// Empty while the text is shared.
    own: String,
    shared: Option<Arc<SharedText>>,
}

/// An immutable text. It is unescaped lazily: most tool results are never read, and unescaping is half the
/// work of taking them in.
struct SharedText {
    unescaped: OnceLock<Box<str>>,
    /// The validated JSON between the quotation marks; empty if `unescaped` was set from the start.
    written: Box<str>,
}

impl SharedText {
    fn text(&self) -> &str {
        self.unescaped.get_or_init(|| unescaped(&self.written, true).unwrap_or_default().into())
    }
}

impl Text {
    /// The text as a `str`.
    pub fn as_str(&self) -> &str {
        self.shared.as_ref().map_or(&self.own, |shared| shared.text())
    }

    /// True if it is empty; does not unescape it.
    pub fn is_empty(&self) -> bool {
        self.shared.is_none() && self.own.is_empty()
    }

    /// Its approximate length in bytes; does not unescape it.
    pub fn approximate_length(&self) -> usize {
        match &self.shared {
            Some(shared) => shared.unescaped.get().map_or(shared.written.len(), |text| text.len()),
            None => self.own.len(),
        }
    }

    /// The text as it is stored, and whether that is still the escaped form.
    fn stored_text(&self) -> (&str, bool) {
        match &self.shared {
            Some(shared) if shared.unescaped.get().is_none() => (&*shared.written, true),
            _ => (self.as_str(), false),
        }
    }

    /// Whether there are terminal colour codes in its first 4 KiB; does not unescape it.
    pub fn is_coloured(&self) -> bool {
        let (text, written) = self.stored_text();
        let mut near = text.as_bytes().get(..MAX_EXAMINED).unwrap_or(text.as_bytes());
        if !written {
            return memchr::memchr(0x1B, near).is_some();
        }
        while let Some(place) = memchr::memchr(b'\\', near) {
            let escape = near.get(place..).unwrap_or_default();
            if escape.starts_with(b"\\u001b") || escape.starts_with(b"\\u001B") {
                return true;
            }
            near = escape.get(2..).unwrap_or_default();
        }
        false
    }

    /// Whether it may be a shell's result with a line in `<` and `>` from the runtime; does not unescape it.
    pub(crate) fn may_name_shell(&self) -> bool {
        let (text, written) = self.stored_text();
        let mut end = text.trim_end();
        while let Some(rest) =
            ["\\n", "\\r", "\\t"].iter().find_map(|space| end.strip_suffix(space)).filter(|_| written)
        {
            end = rest.trim_end();
        }
        // An escape may stand for `<` or `>`.
        let escaped = |near: &[u8]| written && near.contains(&b'\\');
        let near = end.as_bytes().get(end.len().saturating_sub(6)..).unwrap_or_default();
        end.ends_with('>')
            || text.starts_with('<')
            || escaped(near)
            || escaped(text.as_bytes().get(..1).unwrap_or_default())
    }

    /// Calls `see` with the text. A text unescaped for this is not cached, which saves memory when many are
    /// visited.
    pub fn read_uncached<R>(&self, see: impl FnOnce(&str) -> R) -> R {
        match &self.shared {
            Some(shared) if shared.unescaped.get().is_none() => {
                see(&unescaped(&shared.written, true).unwrap_or_default())
            }
            _ => see(self),
        }
    }

    /// The text as a string to append to; it is no longer shared afterwards.
    pub(crate) fn make_owned(&mut self) -> &mut String {
        if let Some(shared) = self.shared.take() {
            shared.text().clone_into(&mut self.own);
        }
        if self.own.capacity() == 0 {
            self.own.reserve(INITIAL_CAPACITY);
        }
        &mut self.own
    }

    /// Makes the text shared and returns another handle, without copying.
    pub(crate) fn share(&mut self) -> Self {
        if !self.own.is_empty() {
            let unescaped = OnceLock::from(std::mem::take(&mut self.own).into_boxed_str());
            self.shared = Some(Arc::new(SharedText { unescaped, written: Box::default() }));
        }
        self.clone()
    }
}

impl From<SharedText> for Text {
    fn from(shared: SharedText) -> Self {
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

/// A string in an event's payload, borrowed from the event and not yet unescaped.
#[derive(Debug, Clone)]
pub(crate) enum JsonText<'a> {
    /// The validated JSON between its quotation marks, and whether it contains a backslash.
    Written(&'a str, bool),
    /// A text that was converted from another value or already unescaped.
    Read(String),
}

impl JsonText<'_> {
    /// Converts it to a shared text.
    pub(crate) fn text(self) -> Text {
        let (unescaped, written) = match self {
            Self::Read(text) if text.is_empty() => return Text::default(),
            Self::Written("", _) => return Text::default(),
            Self::Read(text) => (OnceLock::from(text.into_boxed_str()), Box::default()),
            Self::Written(inner, false) => (OnceLock::from(Box::from(inner)), Box::default()),
            Self::Written(inner, true) => (OnceLock::new(), inner.into()),
        };
        SharedText { unescaped, written }.into()
    }

    /// Whether it equals this text.
    pub(crate) fn equals(&self, text: &str) -> bool {
        match self {
            Self::Written(inner, escaped) => reads_as(inner, *escaped, text),
            Self::Read(own) => own == text,
        }
    }
}

impl PartialEq for JsonText<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Written(one, escaped), Self::Written(other, also)) => {
                are_equal((*one, *escaped), (*other, *also))
            }
            (Self::Read(text), other) | (other, Self::Read(text)) => other.equals(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn unread(text: &Text) -> bool {
        text.shared.as_ref().is_some_and(|shared| shared.unescaped.get().is_none())
    }

    #[test]
    fn it_is_read_by_whoever_looks_and_written_on_by_one() {
        let mut text = JsonText::Written("a\\nb", true).text();
        let other = text.share();
        assert!(unread(&text) && !text.is_empty());
        assert_eq!(text.read_uncached(str::len), 3);
        assert!(unread(&other), "a glance keeps nothing");
        assert_eq!(other, "a\nb");
        text.make_owned().push('c');
        assert_eq!((text.as_str(), other.as_str()), ("a\nbc", "a\nb"));
        let shared = text.share();
        assert_eq!((&shared, shared.as_ptr()), (&text, text.as_ptr()), "one text");
        assert!(JsonText::Read(String::new()).text().is_empty() && Text::default().share().is_empty());
    }

    #[test]
    fn colours_are_seen_whether_it_was_read_or_not() {
        for (inner, coloured) in [
            ("a\\u001b[33mb", true),
            ("\\u001B[m", true),
            ("a\\\\u001b[33mb", false),
            ("\\n\\u001f\\", false),
            ("plain", false),
        ] {
            let text = JsonText::Written(inner, inner.contains('\\')).text();
            assert_eq!(text.is_coloured(), coloured, "{inner}");
            assert_eq!(text.as_str().contains('\x1b'), coloured && text.is_coloured(), "{inner}");
        }
        assert!(Text::from("\x1b[1m").is_coloured() && !Text::default().is_coloured());
    }

    #[test]
    fn what_differs_in_escapes_only_is_the_same() {
        let written = |inner: &'static str| JsonText::Written(inner, inner.contains('\\'));
        assert_eq!(written("a\\u0062"), written("ab"));
        assert_eq!(written("a\\nb"), JsonText::Read("a\nb".to_owned()));
        assert_ne!(written("a\\nb"), written("a\\nc"));
        assert_eq!(written("a\\u0062").text(), written("ab").text());
    }

    #[test]
    fn a_line_of_the_runtimes_own_is_not_overlooked() {
        for (inner, may) in [
            ("done\\n<exited with exit code 0>", true),
            ("done\\n<exited with exit code 0>\\n \\r\\n", true),
            ("done\\n<exited with exit code 0\\u003e", true),
            ("<command started in background with shellId: 1>\\nmore", true),
            ("\\u003ccommand started> more", true),
            ("done\\n", false),
            ("a > b\\nplain words", false),
        ] {
            assert_eq!(JsonText::Written(inner, true).text().may_name_shell(), may, "{inner}");
        }
    }

    #[test]
    fn a_result_is_held_once_and_not_read_until_somebody_looks() {
        let mut session = Session::new();
        let mut events = |kind: &str, data: &str| {
            session.push_frame(&format!(r#"{{"type":"{kind}","id":"{kind}","data":{data}}}"#));
        };
        events("tool.execution_start", r#"{"toolCallId":"t","toolName":"bash"}"#);
        events("tool.execution_partial_result", r#"{"toolCallId":"t","partialOutput":"one\ntwo\n"}"#);
        let result = r#"{"content":"one\ntwo\n","detailedContent":"\u001b[33mone\n"}"#;
        events(
            "tool.execution_complete",
            &format!(r#"{{"toolCallId":"t","success":true,"result":{result}}}"#),
        );
        let entry = &session.state().entries[0];
        let call = entry.tool().unwrap();
        let crate::model::tool_call::CallStage::Succeeded(outcome) = &call.stage else { panic!("it ended") };
        assert!(unread(outcome.detailed.as_ref().unwrap()));
        let read = session.state().context.messages().last().unwrap();
        let shared = |text: &Text| text.shared.as_ref().map(Arc::as_ptr);
        assert!(shared(&entry.text).is_some());
        assert_eq!(shared(&read.content), shared(&entry.text));
        assert!(call.output.is_empty(), "the result has it");
        assert_eq!(
            (entry.text.as_str(), outcome.detailed.as_deref()),
            ("one\ntwo\n", Some("\u{1b}[33mone\n"))
        );
    }
}
