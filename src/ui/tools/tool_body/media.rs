//! Images, audio and other binaries of a result. Nothing is fetched before the reader asks for it.

use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::parts::{link, text};
use crate::core::State;
use crate::core::i18n::format::bytes;
use crate::core::i18n::words::tools;
use crate::core::view_model::icon::Icon;
use crate::core::view_model::picture::picture_address;
use crate::ui::elements::builder::{El, div, el, glyph};
use crate::ui::elements::page_policy::open_blocked_image_in_tab;

const SOUNDS: [&str; 12] = [
    "audio/mpeg",
    "audio/mp3",
    "audio/wav",
    "audio/x-wav",
    "audio/wave",
    "audio/ogg",
    "audio/webm",
    "audio/flac",
    "audio/aac",
    "audio/mp4",
    "audio/x-m4a",
    "audio/opus",
];

/// A binary of the result, inline in `data` or `blob`; or a note that it was left out.
pub(super) fn binary(value: &Value, state: &State) -> El {
    let asset = value.get("assetId").and_then(Value::as_str).and_then(|id| state.assets.get(id));
    let whole = asset.map_or(value, AsRef::as_ref);
    let data = match text(whole, "data") {
        "" => text(whole, "blob"),
        data => data,
    };
    let kind = match text(value, "mimeType") {
        "" => text(whole, "mimeType"),
        kind => kind,
    };
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let words = match text(value, "description") {
        "" => text(whole, "description"),
        words => words,
    };
    if data.is_empty() {
        return missing_binary(value, &kind, words);
    }
    let data: String = data.split_ascii_whitespace().collect();
    let size = data.trim_end_matches('=').len() * 3 / 4;
    let size = bytes(i64::try_from(size).unwrap_or(i64::MAX));
    if let Some(address) = picture_address(&kind, &data) {
        return image(&address, &two_facts(&short(&kind), &size), words);
    }
    if SOUNDS.contains(&kind.as_str()) {
        let address = format!("data:{kind};base64,{data}");
        let player = el("audio").attr("controls", true).attr("preload", "metadata").attr("src", &address);
        let name = if words.is_empty() { tools::AUDIO.text() } else { words };
        return el("figure")
            .class("media")
            .child(player.attr("aria-label", name))
            .child(el("figcaption").text(two_facts(&short(&kind), &size)));
    }
    let word = if kind.is_empty() { tools::BINARY_OF_UNKNOWN_TYPE } else { tools::BINARY_NOT_SHOWN };
    note(&word.with(&[("kind", (&kind).into()), ("size", (&size).into())]), words)
}

/// An image with a caption. The address is a data URL, or one that the reader has asked to load.
fn image(address: &str, about: &str, words: &str) -> El {
    let caption = RwSignal::new(about.to_owned());
    let alt = if words.is_empty() { tools::IMAGE.text() } else { words };
    let picture = el("img").attr("alt", alt).attr("decoding", "async");
    let size = |event: &web_sys::Event, side: &str| {
        let side = js_sys::Reflect::get(event.target()?.as_ref(), &side.into()).ok()?;
        side.as_f64().filter(|pixels| *pixels > 0.0)
    };
    let known = about.to_owned();
    let failed = about.to_owned();
    let picture = picture
        .on("load", move |event| {
            if let (Some(width), Some(height)) = (size(event, "naturalWidth"), size(event, "naturalHeight")) {
                let (width, height) = ((width as i64).to_string(), (height as i64).to_string());
                caption.set(tools::PIXELS.with(&[
                    ("about", (&known).into()),
                    ("width", (&width).into()),
                    ("height", (&height).into()),
                ]));
            }
        })
        .on("error", move |_| caption.set(tools::IMAGE_BROKEN.with(&[("about", (&failed).into())])))
        .attr("referrerpolicy", "no-referrer")
        .attr("src", address);
    let caption = el("figcaption").attr("dir", "auto").text(move || caption.get());
    let caption = if words.is_empty() { caption } else { caption.text(format!(" · {words}")) };
    el("figure").class("media").child(picture).child(caption)
}

/// An image from another server. It is fetched only when the reader presses the button, which names the host.
pub(super) fn remote_image(address: &str, words: &str) -> El {
    let host = crate::core::text::review_marks::host(address).unwrap_or_default().to_owned();
    let asked = RwSignal::new(false);
    let (address, words) = (address.to_owned(), words.to_owned());
    div("").child(move || {
        Some(if asked.get() {
            image(&address, &tools::IMAGE_FROM.with(&[("host", (&host).into())]), &words)
        } else {
            let elsewhere = address.clone();
            let button = el("button").class("btn small").attr("type", "button").on("click", move |event| {
                let button = event.current_target().and_then(|button| button.dyn_into::<Element>().ok());
                if !button.is_some_and(|button| open_blocked_image_in_tab(&button, &elsewhere)) {
                    asked.set(true);
                }
            });
            button.text(tools::LOAD_IMAGE.with(&[("host", (&host).into())]))
        })
    })
}

/// Says which binary is missing, and why.
fn missing_binary(value: &Value, kind: &str, words: &str) -> El {
    let size = value.get("byteLength").and_then(Value::as_i64).map(bytes);
    let image = text(value, "type") == "image" || kind.starts_with("image/");
    let kind = (!kind.is_empty()).then(|| short(kind));
    let about = match (kind, size) {
        (Some(kind), Some(size)) => format!(" ({})", two_facts(&kind, &size)),
        (kind, size) => kind.or(size).map_or_else(String::new, |about| format!(" ({about})")),
    };
    let why = match text(value, "omittedReason") {
        "too_large" => "size",
        "asset_unavailable" => "gone",
        _ if value.get("assetId").is_some() => "apart",
        _ => "",
    };
    let what = if image { "image" } else { "" };
    note(
        &tools::LEFT_OUT.with(&[("what", what.into()), ("about", (&about).into()), ("why", why.into())]),
        words,
    )
}

fn two_facts(one: &str, two: &str) -> String {
    tools::TWO_FACTS.with(&[("one", one.into()), ("two", two.into())])
}

fn note(words: &str, more: &str) -> El {
    let more = (!more.is_empty()).then(|| el("span").class("quiet").text(format!(" · {more}")));
    el("p")
        .class("note")
        .attr("dir", "auto")
        .child(glyph(Icon::Image))
        .child(el("span").text(words).child(more))
}

/// `image/svg+xml` → `SVG`.
fn short(kind: &str) -> String {
    let name = kind.rsplit('/').next().unwrap_or(kind);
    name.trim_start_matches("x-").split('+').next().unwrap_or(name).to_ascii_uppercase()
}

/// A link to a resource, with its facts; an image can be loaded on request.
pub(super) fn resource_link(block: &Value) -> El {
    let address = text(block, "uri");
    let name = match (text(block, "title"), text(block, "name")) {
        ("", "") => address,
        ("", name) => name,
        (title, _) => title,
    };
    let size = block.get("size").and_then(Value::as_i64).map(bytes);
    let facts = [Some(text(block, "mimeType").to_owned()).filter(|kind| !kind.is_empty()), size];
    let facts = match facts {
        [Some(kind), Some(size)] => two_facts(&kind, &size),
        [kind, size] => kind.or(size).unwrap_or_default(),
    };
    let line = el("p").class("note").child(glyph(Icon::File));
    let inside = el("span").child(link(address, name));
    let inside = if facts.is_empty() {
        inside
    } else {
        inside.child(el("span").class("quiet").text(format!(" · {facts}")))
    };
    let line = line.child(inside);
    let about = match text(block, "description") {
        "" => None,
        words => Some(el("p").class("hint").attr("dir", "auto").text(words)),
    };
    let remote = text(block, "mimeType").starts_with("image/")
        && crate::core::text::review_marks::may_open(address)
        && !text(block, "mimeType").contains("svg");
    div("").child(line).child(about).child(remote.then(|| remote_image(address, name)))
}
