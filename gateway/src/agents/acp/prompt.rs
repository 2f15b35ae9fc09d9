//! The content of a prompt: the text, and the attachments as far as the agent takes them.

use serde_json::{Value, json};

/// A prompt of a person.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompt {
    /// The message's id.
    pub message_id: String,
    /// What the person wrote.
    pub text: String,
    /// The attachments of the page's message.
    pub attachments: Vec<Value>,
    /// Whether it waited in the queue.
    pub queued: bool,
}

/// The content blocks of a prompt. `capabilities` is the agent's `promptCapabilities`. A file is a link, which every agent takes;
/// pictures, sounds and texts are sent where the agent says that it takes them, and else named.
pub fn content(prompt: &Prompt, capabilities: &Value) -> Vec<Value> {
    let takes = |name: &str| capabilities.get(name).and_then(Value::as_bool).unwrap_or(false);
    let mut blocks = vec![json!({ "type": "text", "text": prompt.text })];
    for attachment in &prompt.attachments {
        let text = |name: &str| attachment.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let mime = text("mimeType").unwrap_or_default();
        let name = text("displayName").or_else(|| text("path")).unwrap_or("attachment");
        let block = match (text("type"), text("data")) {
            (Some("file" | "directory"), _) => {
                let Some(path) = text("path") else { continue };
                json!({ "type": "resource_link", "uri": address(path), "name": name })
            }
            (Some("blob"), Some(data)) if mime.starts_with("image/") && takes("image") => {
                json!({ "type": "image", "mimeType": mime, "data": data })
            }
            (Some("blob"), Some(data)) if mime.starts_with("audio/") && takes("audio") => {
                json!({ "type": "audio", "mimeType": mime, "data": data })
            }
            (Some("blob"), Some(data)) if takes("embeddedContext") => {
                let uri = format!("attachment:{}", encoded(name));
                json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "blob": data } })
            }
            (Some("selection"), _) => {
                let (Some(path), Some(selected)) = (text("filePath").or_else(|| text("path")), text("text"))
                else {
                    continue;
                };
                if takes("embeddedContext") {
                    json!({ "type": "resource", "resource": { "uri": address(path), "mimeType": "text/plain", "text": selected } })
                } else {
                    json!({ "type": "text", "text": format!("{path}:\n{selected}") })
                }
            }
            _ => {
                json!({ "type": "text", "text": format!("[This agent does not take the attachment {name}]") })
            }
        };
        blocks.push(block);
    }
    blocks
}

/// A path as an address.
fn address(path: &str) -> String {
    format!("file://{}{}", if path.starts_with('/') { "" } else { "/" }, encoded(&path.replace('\\', "/")))
}

fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let letter =
        |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompt(attachment: Value) -> Prompt {
        Prompt { text: "Look".to_owned(), attachments: vec![attachment], ..Prompt::default() }
    }

    #[test]
    fn a_file_is_a_link() {
        let file = json!({ "type": "file", "path": "/a b/c.txt", "displayName": "c.txt" });
        let blocks = content(&prompt(file), &Value::Null);
        assert_eq!(
            blocks[1],
            json!({ "type": "resource_link", "uri": "file:///a%20b/c.txt", "name": "c.txt" })
        );
    }

    #[test]
    fn a_picture_is_sent_only_to_an_agent_that_takes_it() {
        let picture = prompt(
            json!({ "type": "blob", "mimeType": "image/png", "data": "AA==", "displayName": "a.png" }),
        );
        let sent = content(&picture, &json!({ "image": true }));
        assert_eq!(sent[1], json!({ "type": "image", "mimeType": "image/png", "data": "AA==" }));
        let named = content(&picture, &json!({}));
        assert_eq!(named[1]["text"], "[This agent does not take the attachment a.png]");
    }
}
