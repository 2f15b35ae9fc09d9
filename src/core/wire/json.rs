//! An immutable JSON value that is parsed on first use. Most tool arguments are never read, and a parsed tree
//! takes ten times the work and memory of its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use pilothouse_scan::{Members, Value as Scanned, index_of, unescaped};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A JSON value that derefs to a [`Value`].
#[derive(Clone)]
pub struct Json {
    read: OnceLock<Box<Value>>,
    /// The validated JSON text; empty if the value was made from a [`Value`].
    written: Box<str>,
}

impl Json {
    /// Keeps JSON text that has been validated.
    pub(crate) fn from_valid_text(text: &str) -> Self {
        Self { read: OnceLock::new(), written: text.into() }
    }

    fn parse(&self) -> Value {
        serde_json::from_str(&self.written).unwrap_or_default()
    }

    /// The text of an object's member, without parsing the others.
    pub(crate) fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let members = Members::of(&self.written).filter(|_| self.read.get().is_none());
        let Some(members) = members.as_ref().and_then(Members::list) else {
            return self.get(name)?.as_str().map(Cow::Borrowed);
        };
        match members.get(index_of(members, name)?)?.value {
            Scanned::Str { inner, escaped } => unescaped(inner, escaped),
            Scanned::Other(_) => None,
        }
    }

    /// Calls `see` with the value. A value parsed for this is not cached, which saves memory when many are
    /// visited.
    pub fn read_uncached<R>(&self, see: impl FnOnce(&Value) -> R) -> R {
        match self.read.get() {
            Some(value) => see(value),
            None => see(&self.parse()),
        }
    }
}

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.read.get_or_init(|| Box::new(self.parse()))
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self { read: OnceLock::from(Box::new(value)), written: Box::default() }
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        (!self.written.is_empty() && self.written == other.written) || **self == **other
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, to)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_the_value_that_was_written_and_read_only_for_who_asks() {
        let json = Json::from_valid_text(r#"{"b":1,"a":[true,"\u00e9"]}"#);
        assert_eq!(json.read_uncached(|value| value["b"].as_u64()), Some(1));
        assert_eq!(Json::from_valid_text(r#"{"a":"\u00e9","b":1}"#).text("a").as_deref(), Some("é"));
        assert_eq!((json.text("a"), json.text("c")), (None, None));
        assert_eq!(Json::from_valid_text(r#"{"\u0061":"x"}"#).text("a").as_deref(), Some("x"));
        assert_eq!(Json::from_valid_text(r#"["a"]"#).text("a"), None);
        assert!(json.read.get().is_none(), "a glance keeps nothing");
        assert_eq!(json, Json::from_valid_text(r#"{"b":1,"a":[true,"\u00e9"]}"#));
        assert!(json.read.get().is_none(), "the same words are the same value");
        assert_eq!(json, json!({ "b": 1, "a": [true, "é"] }).into());
        assert_ne!(json, json!({ "b": 1 }).into());
        assert_eq!(serde_json::to_string(&json).unwrap(), r#"{"b":1,"a":[true,"é"]}"#);
    }

    #[test]
    fn arguments_are_not_read_before_somebody_looks() {
        let mut session = crate::Session::new();
        for event in [
            r#"{"type":"assistant.message","id":"1","data":{"content":"","toolRequests":[{"toolCallId":"t","name":"bash","arguments":{"command":"ls"}}]}}"#,
            r#"{"type":"tool.execution_start","id":"2","data":{"toolCallId":"t","toolName":"bash","arguments":{"command":"ls"}}}"#,
            r#"{"type":"tool.execution_complete","id":"3","data":{"toolCallId":"t","success":true,"result":{"content":"boat"}}}"#,
        ] {
            session.push_frame(event);
        }
        let state = session.state();
        let call = state.entries[0].tool().unwrap();
        let asked = state.context.messages().first().unwrap();
        let unread = |json: &Option<Json>| json.as_ref().is_some_and(|json| json.read.get().is_none());
        assert!(unread(&call.arguments) && unread(&asked.tool_calls));
        assert_eq!(call.argument("command"), Some("ls"));
        assert_eq!(asked.calls()[0]["arguments"]["command"], "ls");
    }
}
