//! What a push message says: JSON for the page's service worker, in the reader's language, with as much of the session as the
//! person chose, and never a secret.

use std::fmt::Write as _;

use pilothouse_core::State;
use pilothouse_core::client::attention;
use pilothouse_core::i18n::in_language;
use pilothouse_core::i18n::words::{app, page, panel};
use pilothouse_core::text::hidden;
use serde_json::json;

use super::decide::News;
use super::subscription::{Says, Wishes};
use crate::access::Role;
use crate::agents::secrets::Secrets;
use crate::languages;

/// In bytes. Push services take 4,096, encrypted, but that of Firefox takes less for phones.
const LARGEST: usize = 2800;
/// In characters, about as much as a notification shows.
const LONGEST: usize = 200;
/// Of a longer text the rest is not looked at.
const MOST_READ: usize = 20_000;
/// A message's length says no more of its text than how many such pieces it has.
const PIECE: usize = 512;

/// A message before it is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    kind: &'static str,
    session: String,
    request: Option<String>,
    title: String,
    body: String,
}

impl Payload {
    /// The message with this news of a session. `state` is the session's; none where it is not at hand.
    pub fn new(
        news: &News,
        session: &str,
        state: Option<&State>,
        role: Role,
        wishes: &Wishes,
        secrets: &Secrets,
    ) -> Self {
        let (kind, request) = match news {
            News::Waiting(request) => ("waiting", Some(request.clone())),
            News::Failed => ("failed", None),
            News::Done => ("done", None),
            News::Close => ("close", None),
        };
        let language = wishes.language.as_deref().and_then(languages::named).flatten();
        let (title, body) = in_language(language, || {
            let title = match news {
                News::Waiting(_) if role == Role::Viewer => page::WAITING_READ_ONLY.text(),
                News::Waiting(_) => panel::TOLD_NEEDED.text(),
                News::Failed => panel::TOLD_FAILED.text(),
                News::Done => panel::TOLD_DONE.text(),
                News::Close => "",
            };
            let asked = |state: &State| {
                let request = request.as_deref().filter(|_| wishes.says == Says::Asked)?;
                let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
                open.into_iter().find(|entry| entry.id == request).map(attention::asked)
            };
            let known = state.filter(|_| wishes.says != Says::Waiting && *news != News::Close);
            let words = known.and_then(|state| asked(state).or_else(|| attention::title(state)));
            (title.to_owned(), shown(&words.unwrap_or_default(), secrets))
        });
        Self { kind, session: session.to_owned(), request, title, body }
    }

    /// A message that somebody asked for, to see whether any come.
    pub fn test(wishes: &Wishes) -> Self {
        let language = wishes.language.as_deref().and_then(languages::named).flatten();
        let title = in_language(language, || app::TEST_ARRIVED.text().to_owned());
        Self { kind: "test", session: String::new(), request: None, title, body: String::new() }
    }

    /// Whether it is worth waking a device.
    pub fn is_urgent(&self) -> bool {
        matches!(self.kind, "waiting" | "test")
    }

    /// Whether it takes others back.
    pub fn closes(&self) -> bool {
        self.kind == "close"
    }

    /// The session that it is about; empty for a test.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The same without what makes it long, for a push service that takes less.
    #[must_use]
    pub fn shortened(&self) -> Self {
        Self { request: None, body: String::new(), ..self.clone() }
    }

    /// Its text, filled up with blanks; none where the ids alone are too long.
    pub fn text(&self) -> Option<Vec<u8>> {
        let mut text = self.json();
        if text.len() > LARGEST {
            text = self.shortened().json();
        }
        let filled = text.len().next_multiple_of(PIECE).min(LARGEST);
        (text.len() <= LARGEST).then(|| {
            text.push_str(&" ".repeat(filled - text.len()));
            text.into_bytes()
        })
    }

    fn json(&self) -> String {
        let Self { kind, session, request, title, body } = self;
        let mut url = match session.as_str() {
            "" => "/".to_owned(),
            id => format!("/?session={}", in_address(id)),
        };
        if let Some(request) = request {
            url.push_str("#request=");
            url.push_str(&in_address(request));
        }
        let mut message = json!({
            "v": 1,
            "kind": kind,
            "sessionId": session,
            "title": title,
            "body": body,
            "tag": format!("pilothouse:{session}"),
            "url": url,
        });
        if let Some(request) = request {
            message["requestId"] = request.as_str().into();
        }
        message.to_string()
    }
}

/// A text as it may leave the gateway: without secrets, hidden characters by name, and as much as a notification shows.
fn shown(text: &str, secrets: &Secrets) -> String {
    let mut read: String = text.chars().take(MOST_READ).collect();
    if read.len() < text.len() {
        // Half a secret does not look like one.
        read.truncate(read.rfind(char::is_whitespace).unwrap_or(0));
    }
    hidden::named(&secrets.hide(&read)).chars().take(LONGEST).collect()
}

/// As `encodeURIComponent` writes it.
fn in_address(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'_'
            | b'.'
            | b'!'
            | b'~'
            | b'*'
            | b'\''
            | b'('
            | b')' => {
                out.push(char::from(byte));
            }
            _ => _ = write!(out, "%{byte:02X}"),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use pilothouse_core::Session;
    use serde_json::{Value, json};

    use super::{LARGEST, Payload};
    use crate::access::Role;
    use crate::agents::secrets::Secrets;
    use crate::push::decide::News;
    use crate::push::subscription::{Says, Wishes};

    fn session(command: &str) -> Session {
        let mut session = Session::new();
        let mut push = |kind: &str, data: &Value| {
            session.push_frame(&json!({"type": kind, "id": kind, "data": data}).to_string());
        };
        push(
            "user.message",
            &json!({"content": "Paint the `boats` with ghp_0123456789abcdef", "messageId": "m"}),
        );
        let asked = json!({"kind": "shell", "fullCommandText": command, "commands": []});
        push("permission.requested", &json!({"requestId": "r&1", "permissionRequest": asked}));
        session
    }

    fn told(news: &News, command: &str, says: Says, language: Option<&str>) -> Value {
        let wishes = Wishes { says, done: true, language: language.map(str::to_owned) };
        let session = session(command);
        let payload =
            Payload::new(news, "s/1", Some(session.state()), Role::Operator, &wishes, &Secrets::default());
        let text = payload.text().unwrap();
        assert!(text.len() <= LARGEST && text.len().is_multiple_of(512), "{}", text.len());
        serde_json::from_slice(&text).unwrap()
    }

    fn waiting() -> News {
        News::Waiting("r&1".to_owned())
    }

    #[test]
    fn a_message_says_as_much_as_the_person_chose() {
        for (says, body) in [
            (Says::Waiting, ""),
            (Says::Title, "Paint the boats with [hidden]"),
            (Says::Asked, "make `it` --token [hidden]"),
        ] {
            let told = told(&waiting(), "make `it` --token abcdefgh", says, None);
            assert_eq!((&told["title"], &told["body"]), (&json!("The agent needs you"), &json!(body)));
            assert_eq!(told["url"], "/?session=s%2F1#request=r%261");
        }
        let none = told(&News::Close, "ls", Says::Asked, None);
        assert_eq!(
            (&none["title"], &none["body"], &none["requestId"]),
            (&json!(""), &json!(""), &Value::Null)
        );
        let failed = told(&News::Failed, "ls", Says::Asked, Some("de-AT"));
        assert_eq!(failed["kind"], "failed");
        assert_eq!(failed["body"], "Paint the boats with [hidden]", "not the request");
        for (tag, title) in [("ja", "エージェントが対応を求めています"), ("fr", "The agent needs you")]
        {
            assert_eq!(told(&waiting(), "ls", Says::Title, Some(tag))["title"], title);
        }
    }

    #[test]
    fn what_is_hidden_is_named_and_long_texts_are_cut() {
        let body =
            |command: &str| told(&waiting(), command, Says::Asked, None)["body"].as_str().unwrap().to_owned();
        assert_eq!(body("cat a\u{200b}b"), "cat a[zero-width space]b");
        let long = body(&"漢字 ".repeat(40_000));
        assert_eq!(long.chars().count(), 200);
        // The end of what is read is in the middle of a token.
        let blob = format!("{} ghp_0123456789abcdef0123456789", "A1b2".repeat(4_998));
        assert_eq!(body(&blob), "[hidden]");
    }

    #[test]
    fn ids_of_any_length_stay_below_the_limit() {
        let session = session("ls");
        let text = |session_id: &str, request: &str| {
            let wishes = Wishes { says: Says::Asked, ..Wishes::default() };
            let news = News::Waiting(request.to_owned());
            let (state, secrets) = (Some(session.state()), Secrets::default());
            let text = Payload::new(&news, session_id, state, Role::Viewer, &wishes, &secrets).text()?;
            assert!(text.len() <= LARGEST);
            Some(serde_json::from_slice::<Value>(&text).unwrap())
        };
        assert_eq!(text("s", "r").unwrap()["requestId"], "r");
        assert_eq!(text("s", &"\"".repeat(700)).unwrap()["requestId"], Value::Null);
        assert_eq!(text(&"漢".repeat(300), "r"), None);
    }
}
