//! What a push message says: JSON for the page's service worker, in the reader's language, with as much of the session as the
//! person chose, and never a secret.

use pilothouse_core::State;
use pilothouse_core::client::attention;
use pilothouse_core::i18n::in_language;
use pilothouse_core::i18n::words::{page, panel};
use pilothouse_core::text::hidden;
use serde_json::json;

use super::decide::News;
use super::subscription::{Says, Wishes};
use crate::access::Role;
use crate::agents::copilot::secrets::Secrets;
use crate::languages;

/// In bytes. Push services take 4,096, encrypted.
const LARGEST: usize = 3000;
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

    /// Whether it is about something that waits for a person.
    pub fn is_urgent(&self) -> bool {
        self.kind == "waiting"
    }

    /// Whether it takes others back.
    pub fn closes(&self) -> bool {
        self.kind == "close"
    }

    /// The session that it is about.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The same without what makes it long, for a push service that takes less.
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
        let mut url = format!("/#session={}", in_address(session));
        if let Some(request) = request {
            url.push_str("&request=");
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
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
