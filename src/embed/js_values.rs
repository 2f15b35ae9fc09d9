//! Converts between JavaScript values and the core's.

use std::cell::Cell;

use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CustomEvent, CustomEventInit, HtmlElement};

use crate::client::js::to_js;
use crate::core::model::state::Change;
use crate::core::view_model::snapshot;
use crate::core::wire::fields::Fields;
use crate::core::{Session, State};

/// Converts a value to a plain JavaScript object.
pub(super) fn plain(value: &Value) -> JsValue {
    // The serializer assigns members, and who assigns to `__proto__` sets the prototype instead.
    if names_prototype(value) {
        return to_js(value);
    }
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).unwrap_or(JsValue::UNDEFINED)
}

fn names_prototype(value: &Value) -> bool {
    match value {
        Value::Object(members) => {
            members.iter().any(|(name, value)| name == "__proto__" || names_prototype(value))
        }
        Value::Array(items) => items.iter().any(names_prototype),
        _ => false,
    }
}

thread_local! {
    /// The buffer for incoming bytes, reused so that none is made for each call.
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Returns where JavaScript can write a text of at most `size` bytes. The place is
/// valid until more is asked for.
#[wasm_bindgen(js_name = textRoom, skip_typescript)]
pub fn text_room(size: usize) -> *const u8 {
    let mut room = ROOM.take();
    if room.len() < size {
        room = vec![0; size];
    }
    let place = room.as_ptr();
    ROOM.set(room);
    place
}

/// Feeds what was written into that buffer. No JavaScript may run meanwhile, because it
/// could ask for a larger one.
pub(super) fn push_written(session: &mut Session, length: usize, frame: bool) -> usize {
    let room = ROOM.take();
    let bytes = room.get(..length).unwrap_or_default();
    let records = if frame { session.push_frame_bytes(bytes).records } else { session.push(bytes) };
    ROOM.set(room);
    records
}

/// The detail of `pilothouse-result`: a call or an answer, and what became of it.
pub(super) fn result_detail(method: &str, params: &Value, outcome: Result<&Value, String>) -> Value {
    let mut detail = json!({ "method": method, "params": params });
    match outcome {
        Ok(result) => detail["result"] = result.clone(),
        Err(error) => detail["error"] = error.into(),
    }
    detail
}

/// Dispatches a bubbling, composed, cancelable event; false if a listener prevented the default.
pub(in crate::embed) fn dispatch(element: &HtmlElement, name: &str, detail: &Value) -> bool {
    let init = CustomEventInit::new();
    init.set_bubbles(true);
    init.set_composed(true);
    init.set_cancelable(true);
    init.set_detail(&plain(detail));
    let event = CustomEvent::new_with_event_init_dict(name, &init);
    event.ok().and_then(|event| element.dispatch_event(&event).ok()).unwrap_or(true)
}

/// Feeds a part of a stream: bytes, text, or an object that is a record itself.
pub(super) fn push(session: &mut Session, chunk: &JsValue) -> usize {
    if let Some(bytes) = chunk.dyn_ref::<js_sys::Uint8Array>() {
        session.push(&bytes.to_vec())
    } else if let Some(text) = chunk.as_string() {
        session.push(text.as_bytes())
    } else {
        push_frame(session, chunk)
    }
}

/// Feeds a whole frame.
pub(super) fn push_frame(session: &mut Session, frame: &JsValue) -> usize {
    if let Some(bytes) = frame.dyn_ref::<js_sys::Uint8Array>() {
        return session.push_frame_bytes(&bytes.to_vec()).records;
    }
    if let Some(text) = frame.as_string() {
        return session.push_frame(&text).records;
    }
    let text = js_sys::JSON::stringify(frame).ok().and_then(|text| text.as_string());
    // What has no JSON form (undefined, a function) is fed as the name of its type, so the report names it.
    session.push_frame(&text.or_else(|| frame.js_typeof().as_string()).unwrap_or_default()).records
}

/// Adds a notification from the host; returns the id of its entry.
pub(super) fn notify(session: &mut Session, note: &JsValue) -> Option<String> {
    let note = js_sys::JSON::stringify(note).ok().and_then(|note| note.as_string())?;
    session.notify(Fields::parse(&note).ok()?, Some(js_sys::Date::now() as i64))
}

/// The changes of a batch with the data they changed, for subscribers.
pub(super) fn changes(state: &State, changes: &[Change]) -> JsValue {
    let entry = |index: usize| state.entry(index);
    let described = changes.iter().filter_map(|change| {
        Some(match *change {
            Change::Renewed => json!({ "type": "renewed" }),
            Change::EntryAdded { index } => {
                at("entryAdded", index, &mut [("entry", snapshot::entry(entry(index)?))])
            }
            Change::EntryUpdated { index } => {
                at("entryUpdated", index, &mut [("entry", snapshot::head(entry(index)?).into())])
            }
            Change::TextAppended { index, from } => {
                let entry = entry(index)?;
                at(
                    "textAppended",
                    index,
                    &mut [("id", entry.id.as_str().into()), ("text", entry.text.get(from..)?.into())],
                )
            }
            Change::TextReplaced { index } => {
                let entry = entry(index)?;
                at(
                    "textReplaced",
                    index,
                    &mut [("id", entry.id.as_str().into()), ("text", snapshot::text(entry).into())],
                )
            }
            Change::Section(section) => json!({ "type": "section", "section": section.word() }),
        })
    });
    plain(&Value::Array(described.collect()))
}

/// A change of one entry.
fn at(kind: &str, index: usize, more: &mut [(&str, Value)]) -> Value {
    let mut fields = snapshot::fields(&mut [("type", kind.into()), ("index", index.into())]);
    snapshot::put_all(&mut fields, more);
    fields.into()
}
