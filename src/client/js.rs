//! What passes between the program and the JavaScript of a page: functions, promises, and values in their JSON form.

use js_sys::{Function, JSON, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::core::json_writer::one_line;

/// The function that an object has under a name.
pub fn function(object: &JsValue, name: &str) -> Option<Function> {
    // Reading a property fails for what is not an object.
    Reflect::get(object, &name.into()).ok()?.dyn_into().ok()
}

/// What a function of the page has returned, or what the promise becomes that it returned.
///
/// # Errors
///
/// What it has thrown, or what the promise was rejected with.
pub async fn settle(returned: Result<JsValue, JsValue>) -> Result<JsValue, JsValue> {
    JsFuture::from(Promise::resolve(&returned?)).await
}

/// A value as a plain JavaScript one.
pub fn to_js(value: &Value) -> JsValue {
    // `one_line` writes valid JSON, so parsing does not fail.
    JSON::parse(&one_line(value)).unwrap_or(JsValue::NULL)
}

/// A JavaScript value that has a JSON form; null for others.
pub fn from_js(value: &JsValue) -> Value {
    let text = JSON::stringify(value).ok().and_then(|text| JsValue::from(text).as_string());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
