//! A message as it is sent, with its attachments.

use serde_json::{Map, Value};

use crate::view_model::compose::attachment::image;

/// How a message reaches an agent that is working.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryMode {
    /// At the end of the queue.
    Queue,
    /// Into the running turn.
    Now,
}

impl DeliveryMode {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        if self == Self::Queue { Self::Now } else { Self::Queue }
    }
}

/// An attachment: an image, or what another client had attached to a message that was put back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    /// Its name, as the session will have it.
    pub name: String,
    /// The image's `data:` URL, for the thumbnail.
    pub picture: Option<String>,
    /// The attachment as the runtime takes it.
    pub json: Value,
}

impl Attached {
    /// An image; `data` is base64.
    pub fn image(name: String, kind: &str, data: &str) -> Self {
        let json = image(kind, &name, data);
        Self { name, picture: Some(address(kind, data)), json }
    }

    /// An attachment of an earlier message.
    pub fn of(json: Value) -> Self {
        let text = |name: &str| json.get(name).and_then(Value::as_str);
        let name = ["displayName", "path", "type"].into_iter().find_map(text).unwrap_or_default().to_owned();
        let kind = text("mimeType").filter(|kind| kind.starts_with("image/"));
        let picture = kind.zip(text("data")).map(|(kind, data)| address(kind, data));
        Self { name, picture, json }
    }
}

fn address(kind: &str, data: &str) -> String {
    format!("data:{kind};base64,{data}")
}

/// A message as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// What the agent reads.
    pub prompt: String,
    /// What people read, where that is something else.
    pub display: Option<String>,
    /// The mode in which it is worked on, where it is not the session's.
    pub mode: Option<String>,
    /// Attachments.
    pub files: Vec<Attached>,
    /// Into the turn, or into the queue; `None` while no turn runs.
    pub way: Option<DeliveryMode>,
}

impl OutgoingMessage {
    /// What people read.
    pub fn shown(&self) -> &str {
        self.display.as_ref().unwrap_or(&self.prompt)
    }

    /// The parameters of `session.send`, without the session's id.
    pub fn params(&self) -> Value {
        let mut params = Map::new();
        let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
        put("prompt", self.prompt.as_str().into());
        if let Some(display) = &self.display {
            put("displayPrompt", display.as_str().into());
        }
        match self.way {
            Some(DeliveryMode::Now) => _ = put("mode", "immediate".into()),
            Some(DeliveryMode::Queue) => _ = put("mode", "enqueue".into()),
            None => {}
        }
        if let Some(mode) = &self.mode {
            put("agentMode", mode.as_str().into());
        }
        if !self.files.is_empty() {
            put("attachments", self.files.iter().map(|file| file.json.clone()).collect());
        }
        Value::Object(params)
    }
}
