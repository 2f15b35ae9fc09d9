//! What can be attached to a message, and the reason if something can't.

use serde_json::{Value, json};

use crate::i18n::format::bytes;
use crate::i18n::words::composer;

/// Media types of images that count as readable if the server doesn't say.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The largest image in bytes, and the most images, if the server doesn't say.
const IMAGE_SIZE: u64 = 3 << 20;
const IMAGE_COUNT: usize = 5;
/// The largest text, in bytes, that is put into the message itself.
pub const TEXT_SIZE: u64 = 64 << 10;

/// What the selected model accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Whether it reads images at all.
    pub images: bool,
    /// Media types of the images that it reads.
    pub types: Vec<String>,
    /// The largest image, in bytes.
    pub size: u64,
    /// The most images in a message.
    pub count: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let types = IMAGES.map(str::to_owned).to_vec();
        Self { images: true, types, size: IMAGE_SIZE, count: IMAGE_COUNT }
    }
}

impl Limits {
    /// The limits of a model, as `session.model.list` has it.
    pub fn of(model: &Value) -> Self {
        let usual = Self::default();
        let images = model.pointer("/capabilities/supports/vision").and_then(Value::as_bool);
        let vision = model.pointer("/capabilities/limits/vision");
        let number = |name: &str| vision.and_then(|vision| vision.get(name)?.as_u64()).filter(|n| *n > 0);
        let types = vision.and_then(|vision| vision.get("supported_media_types")?.as_array());
        let types = types.map(|types| types.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        Self {
            images: images.unwrap_or(usual.images),
            types: types.filter(|types: &Vec<String>| !types.is_empty()).unwrap_or(usual.types),
            size: number("max_prompt_image_size").unwrap_or(usual.size),
            count: number("max_prompt_images")
                .map_or(usual.count, |count| usize::try_from(count).unwrap_or(usize::MAX)),
        }
    }

    /// Whether a file is accepted and in which form; the error says why not,
    /// in words. `images` are attached already.
    pub fn take(&self, name: &str, kind: &str, size: u64, images: usize) -> Result<AttachmentForm, String> {
        let name = ("name", name.into());
        if size == 0 {
            return Err(composer::FILE_EMPTY.with(&[name]));
        }
        let too_large = |limit: u64| {
            let limit = bytes(i64::try_from(limit).unwrap_or(i64::MAX));
            Err(composer::FILE_TOO_LARGE.with(&[name, ("limit", (&limit).into())]))
        };
        if kind.starts_with("image/") && kind != "image/svg+xml" {
            return if !self.images {
                Err(composer::NO_IMAGES.with(&[name]))
            } else if !self.types.iter().any(|known| known == kind) {
                Err(composer::IMAGE_KIND.with(&[name, ("kind", kind.into())]))
            } else if size > self.size {
                too_large(self.size)
            } else if images >= self.count {
                Err(composer::TOO_MANY_IMAGES.with(&[name, ("n", self.count.into())]))
            } else {
                Ok(AttachmentForm::Image)
            };
        }
        let other = ["video/", "audio/", "font/", "application/zip", "application/pdf", "application/vnd"];
        if other.iter().any(|other| kind.starts_with(other)) {
            return Err(composer::FILE_KIND.with(&[name]));
        }
        if size > TEXT_SIZE {
            return too_large(TEXT_SIZE);
        }
        Ok(AttachmentForm::Text)
    }
}

/// In which form a file is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachmentForm {
    /// As an attachment.
    Image,
    /// As a part of the message, if it is text.
    Text,
}

/// An image in the runtime's form; `data` is base64.
pub fn image(kind: &str, name: &str, data: &str) -> Value {
    json!({ "type": "blob", "mimeType": kind, "displayName": name, "data": data })
}

/// A file's text as a fenced block of a message; `None` if the bytes are not text.
pub fn block(name: &str, bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    // The fence has to be longer than any in the text.
    let longest =
        text.lines().map(|line| line.trim_start().chars().take_while(|letter| *letter == '`').count());
    let fence = "`".repeat(longest.max().unwrap_or(0).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Some(format!("{name}\n{fence}\n{text}{end}{fence}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_says_which_images_it_takes() {
        let model = json!({ "id": "m", "capabilities": {
            "supports": { "vision": true },
            "limits": { "vision": { "supported_media_types": ["image/png"], "max_prompt_images": 1,
                                    "max_prompt_image_size": 100 } } } });
        let limits = Limits::of(&model);
        assert_eq!(limits.take("a.png", "image/png", 100, 0), Ok(AttachmentForm::Image));
        for (kind, size, images) in [("image/png", 101, 0), ("image/png", 1, 1), ("image/gif", 1, 0)] {
            assert!(limits.take("a", kind, size, images).is_err(), "{kind} {size} {images}");
        }
        let blind = Limits::of(&json!({ "capabilities": { "supports": { "vision": false } } }));
        assert!(blind.take("a.png", "image/png", 1, 0).is_err());
        assert_eq!(blind.take("a.rs", "", 1, 0), Ok(AttachmentForm::Text));
    }

    #[test]
    fn what_is_not_taken_says_why() {
        let limits = Limits::default();
        let why = limits.take("big.png", "image/png", u64::MAX, 0).unwrap_err();
        assert!(why.contains("big.png") && why.contains("3 MB") | why.contains("3.1 MB"), "{why}");
        assert!(limits.take("film.mp4", "video/mp4", 1, 0).is_err());
        assert!(limits.take("nothing", "", 0, 0).is_err());
        assert!(limits.take("long.txt", "text/plain", TEXT_SIZE + 1, 0).is_err());
    }

    #[test]
    fn a_text_becomes_a_block_that_it_can_not_leave() {
        assert_eq!(block("a.rs", b"fn a() {}").as_deref(), Some("a.rs\n```\nfn a() {}\n```\n"));
        assert_eq!(block("a.md", b"````\nx\n````\n").as_deref(), Some("a.md\n`````\n````\nx\n````\n`````\n"));
        assert_eq!(block("a.bin", b"\0\x01"), None);
        assert_eq!(block("a.bin", &[0xFF, 0xFE]), None);
    }
}
