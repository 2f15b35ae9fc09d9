//! JSON-RPC: calls and responses as they are on the wire, and the codes of errors.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use pilothouse_core::protocol::ErrorReason;

/// How many messages a batch may have. Each is answered, and an answer is longer than the shortest message.
pub const MOST_IN_BATCH: usize = 10_000;

/// A request, or a notification where `id` is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Absent in a notification.
    pub id: Option<Value>,
    /// The method.
    pub method: String,
    /// Its parameters, `null` where there are none.
    pub params: Value,
    /// The raw parameters, as JSON text.
    pub raw: Option<String>,
    /// The name of the person who makes it; none where people are not known by name.
    pub by: Option<String>,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The reason, which has its code.
    pub reason: ErrorReason,
    /// The message for people.
    pub message: String,
    /// The error as the runtime sent it, where it is the runtime's.
    pub raw: Option<String>,
}

/// What a frame or a body holds.
#[derive(Debug)]
pub enum Incoming {
    /// One message.
    One(Result<Call, String>),
    /// A batch.
    Many(Vec<Result<Call, String>>),
    /// A response; ignored, because the gateway sends no requests.
    Nothing,
}

impl Fault {
    /// A fault for this reason.
    pub fn new(reason: ErrorReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), raw: None }
    }

    /// The runtime's own error.
    pub fn from_runtime(raw: String) -> Self {
        let error: Value = serde_json::from_str(&raw).unwrap_or_default();
        let message = error["message"].as_str().unwrap_or("the runtime refused").to_owned();
        let reason = error["code"].as_i64().map(|code| ErrorReason::parse(code, &message));
        Self { reason: reason.unwrap_or(ErrorReason::Internal), message, raw: Some(raw) }
    }

    /// The error for a session that does not exist.
    pub fn unknown_session(id: &str) -> Self {
        Self::new(
            ErrorReason::UnknownSession,
            format!("no session \"{id}\" here; GET /api/sessions lists the sessions"),
        )
    }

    /// The error for a message that is not in the backlog (any more).
    pub fn no_such_message() -> Self {
        Self::new(
            ErrorReason::NoSuchMessage,
            "this message waits here no more: it was sent, taken or discarded meanwhile",
        )
    }

    /// The JSON-RPC response that reports it.
    pub fn response(&self, id: Option<&Value>) -> String {
        if let Some(raw) = &self.raw {
            let id = id.unwrap_or(&Value::Null);
            return format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{raw}}}"#);
        }
        let error = json!({"code": self.reason.code(), "message": self.message});
        json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string()
    }
}

/// Reads a frame or a body. An `Err` inside is the response that reports what is wrong with it.
pub fn read(text: &[u8]) -> Incoming {
    let whole = match serde_json::from_slice::<&RawValue>(text) {
        Err(error) => {
            let fault = Fault::new(ErrorReason::ParseError, format!("this is not JSON: {error}"));
            return Incoming::One(Err(fault.response(None)));
        }
        Ok(whole) => whole,
    };
    match serde_json::from_str::<Vec<&RawValue>>(whole.get()) {
        Ok(all) if all.len() > MOST_IN_BATCH => {
            let words = format!("a batch has at most {MOST_IN_BATCH} messages; nothing was carried out");
            Incoming::One(Err(Fault::new(ErrorReason::InvalidRequest, words).response(None)))
        }
        Ok(all) if !all.is_empty() => Incoming::Many(all.into_iter().map(call_of).collect()),
        _ if is_response(whole) => Incoming::Nothing,
        _ => Incoming::One(call_of(whole)),
    }
}

/// The response to a message that is longer than this limit. Of a batch, the error has no id.
pub fn too_long(text: &[u8], limit: usize) -> String {
    #[derive(serde::Deserialize)]
    struct CallHeader {
        #[serde(default)]
        id: Option<Value>,
    }
    let id = serde_json::from_slice::<CallHeader>(text).ok().and_then(|head| head.id);
    let length = text.len();
    let words =
        format!("the message has {length} bytes, and at most {limit} are taken; nothing was carried out");
    Fault::new(ErrorReason::TooLong, words).response(id.as_ref())
}

/// A successful response; `result` is JSON text.
pub fn success(id: &Value, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

fn is_response(message: &RawValue) -> bool {
    let message = serde_json::from_str::<Value>(message.get()).unwrap_or_default();
    let has = |field| message.get(field).is_some();
    !has("method") && (has("result") || has("error"))
}

fn call_of(text: &RawValue) -> Result<Call, String> {
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(borrow, default)]
        params: Option<&'a RawValue>,
    }
    let mut message = serde_json::from_str::<Value>(text.get()).unwrap_or_default();
    let id = message.get("id").cloned();
    let Some(method) = message["method"].as_str().map(str::to_owned) else {
        let fault = Fault::new(ErrorReason::InvalidRequest, "a request is an object with a \"method\"");
        return Err(fault.response(id.as_ref()));
    };
    let params = message.get_mut("params").map(Value::take).unwrap_or_default();
    if !(params.is_null() || params.is_object()) {
        let fault = Fault::new(ErrorReason::InvalidParams, format!("{method}: params must be an object"));
        return Err(fault.response(id.as_ref()));
    }
    let raw = serde_json::from_str::<Params<'_>>(text.get()).ok().and_then(|message| message.params);
    Ok(Call { id, method, params, raw: raw.map(|raw| raw.get().to_owned()), by: None })
}
