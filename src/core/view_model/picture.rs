//! Pictures that are shown from their own bytes: in results of tools, and as attachments of messages.

use serde_json::Value;

use crate::model::entry::{PictureSource, UserMessage};
use crate::model::state::State;

/// Only pixel formats: an SVG can contain links and scripts.
const KINDS: [&str; 6] = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif"];

/// The address of a picture of this media type with these bytes, which are base64. `None` for what is not a picture.
pub fn picture_address(mime_type: &str, data: &str) -> Option<String> {
    let kind = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let data: String = data.split_ascii_whitespace().collect();
    let shown = KINDS.contains(&kind.as_str()) && !data.is_empty();
    shown.then(|| format!("data:{kind};base64,{data}"))
}

/// The address of the attachment at a place of a message, if it is a picture whose bytes are here.
pub fn attached_picture(message: &UserMessage, place: usize, state: &State) -> Option<String> {
    let picture = message.pictures.iter().find(|picture| picture.place == place)?;
    match &picture.source {
        PictureSource::Data(data) => picture_address(&picture.mime_type, data),
        PictureSource::Asset(id) => {
            let asset = state.assets.get(id)?;
            let text = |name: &str| asset.get(name).and_then(Value::as_str);
            let own = Some(picture.mime_type.as_str()).filter(|kind| !kind.is_empty());
            picture_address(own.or_else(|| text("mimeType"))?, text("data").or_else(|| text("blob"))?)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::entry::Body;
    use crate::session::Session;

    /// The addresses of the attachments of one message, after these events.
    fn addresses(before: &[Value], attachments: &Value) -> Vec<Option<String>> {
        let message = json!({ "type": "user.message", "id": "e9", "data": { "content": "Look", "messageId": "m", "attachments": attachments } });
        let lines: Vec<_> = before.iter().chain([&message]).map(Value::to_string).collect();
        let mut session = Session::new();
        session.push(lines.join("\n").as_bytes());
        session.end();
        let state = session.state();
        let of = |body: &Body| match body {
            Body::User(message) => {
                Some((0..message.attachments.len()).map(|at| attached_picture(message, at, state)).collect())
            }
            _ => None,
        };
        state.entries.iter().find_map(|entry| of(&entry.body)).unwrap_or_default()
    }

    #[test]
    fn an_attached_picture_has_an_address_where_its_bytes_are_here() {
        let asset = json!({ "type": "session.binary_asset", "id": "e1",
            "data": { "assetId": "sha256:1", "type": "image", "mimeType": "image/webp", "data": "d2Vi" } });
        let png = Some("data:image/png;base64,aGk=".to_owned());
        let attached = json!([
            { "type": "blob", "mimeType": "image/png", "displayName": "a.png", "data": "aGk=" },
            { "type": "blob", "mimeType": "IMAGE/PNG; q=1", "data": "aG\nk=" },
            { "type": "blob", "assetId": "sha256:1" },
            { "type": "blob", "assetId": "sha256:gone", "mimeType": "image/png" },
            { "type": "file", "path": "/boats/a.png", "displayName": "a.png" },
            { "type": "blob", "mimeType": "image/svg+xml", "data": "PHN2Zz4=" },
            { "type": "blob", "mimeType": "text/html", "data": "aGk=" },
            { "type": "blob", "mimeType": "image/png", "data": "" },
            { "type": "blob", "mimeType": 7, "data": { "not": "text" } },
            "not even an object",
        ]);
        let webp = Some("data:image/webp;base64,d2Vi".to_owned());
        let expected = vec![png.clone(), png, webp, None, None, None, None, None, None, None];
        let found = addresses(&[asset], &attached);
        assert_eq!(found, expected);
    }
}
