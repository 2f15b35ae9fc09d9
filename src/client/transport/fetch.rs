//! Single HTTP exchanges through the browser's `fetch`. A token is sent in the `Authorization` header only.

use std::rc::Rc;

use gloo_timers::callback::Timeout;
use js_sys::{Reflect, Uint8Array};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, AbortSignal, Headers, ReadableStreamDefaultReader, Request, RequestCache, RequestInit,
    Response,
};

use super::credentials::Credentials;
use super::pending::ANSWER_LIMIT_MS;
use super::{Outcome, RequestError, unknown};
use crate::core::connection::{Failure, retry_after_ms};
use crate::core::i18n::words::connection;
use crate::core::protocol::ErrorReason;

/// One request; `None` and `""` leave the header or the body out.
#[derive(Clone, Copy, Default)]
pub(super) struct Exchange<'a> {
    pub(super) url: &'a str,
    pub(super) accept: &'a str,
    pub(super) credentials: Option<&'a Rc<Credentials>>,
    pub(super) last_event_id: &'a str,
    pub(super) body: Option<&'a str>,
    pub(super) signal: Option<&'a AbortSignal>,
}

impl Exchange<'_> {
    /// Sends it; the response can have any status.
    pub(super) async fn send(self) -> Result<Response, Failure> {
        let request = self.request().map_err(|error| Failure::BadAddress(text_of(&error)))?;
        let window = web_sys::window().ok_or(Failure::Network)?;
        let response = JsFuture::from(window.fetch_with_request(&request)).await;
        response.ok().and_then(|value| value.dyn_into().ok()).ok_or(Failure::Network)
    }

    /// Sends it. If its credentials are refused and the page has others, it is sent once more: a server that refuses
    /// them has carried nothing out.
    pub(super) async fn send_renewing(self) -> Result<Response, Failure> {
        let version = self.credentials.map(|credentials| credentials.version());
        let response = self.send().await?;
        match (self.credentials, version) {
            (Some(credentials), Some(version))
                if response.status() == 401 && credentials.renewed(version).await =>
            {
                self.send().await
            }
            _ => Ok(response),
        }
    }

    /// Sends it; every status but 200 is an error.
    pub(super) async fn expect_ok(self) -> Result<Response, Failure> {
        let response = self.send().await?;
        match response.status() {
            200 => Ok(response),
            status => Err(Failure::Http { status, retry_after_ms: retry_after(&response) }),
        }
    }

    fn request(self) -> Result<Request, JsValue> {
        let headers = match self.credentials {
            Some(credentials) => credentials.headers()?,
            None => Headers::new()?,
        };
        headers.set("Accept", self.accept)?;
        if !self.last_event_id.is_empty() {
            headers.set("Last-Event-ID", self.last_event_id)?;
        }
        let init = RequestInit::new();
        init.set_cache(RequestCache::NoStore);
        init.set_signal(self.signal);
        if let Some(body) = self.body {
            init.set_method("POST");
            headers.set("Content-Type", "application/json")?;
            init.set_body(&JsValue::from_str(body));
        }
        init.set_headers(&headers);
        Request::new_with_str_and_init(self.url, &init)
    }
}

/// Fetches JSON from a gateway: its list of sessions, or its report about itself.
pub(super) async fn list(
    url: &str,
    credentials: &Rc<Credentials>,
    signal: Option<&AbortSignal>,
) -> Result<Value, Failure> {
    let credentials = Some(credentials);
    let exchange = Exchange { url, accept: "application/json", credentials, signal, ..Exchange::default() };
    let response = exchange.expect_ok().await?;
    let kind = content_type(&response);
    let text = body_text(&response).await.map_err(|()| Failure::Network)?;
    serde_json::from_str::<Value>(&text).map_err(|_| Failure::NotAStream(kind))
}

/// The id of the first session in a gateway's list.
pub(super) fn session_of(sessions: &Value) -> Result<String, Failure> {
    let Some(list) = sessions.as_array() else {
        return Err(Failure::NotAStream(connection::NO_LIST.text().into()));
    };
    let first = list.first().ok_or(Failure::NoSessions)?;
    let id = first.get("sessionId").and_then(Value::as_str);
    id.map(str::to_owned).ok_or_else(|| Failure::NotAStream(connection::NO_SESSION_ID.text().into()))
}

/// Posts `body` and gives what came back: a JSON-RPC `result`, any other JSON as it is, `null`
/// for an empty body.
pub(super) async fn post(url: String, credentials: Rc<Credentials>, body: String) -> Outcome {
    let controller = AbortController::new().map_err(|_| RequestError::NotConnected)?;
    let _limit = {
        let controller = controller.clone();
        Timeout::new(ANSWER_LIMIT_MS, move || controller.abort())
    };
    let signal = controller.signal();
    let exchange = Exchange {
        url: &url,
        accept: "application/json",
        credentials: Some(&credentials),
        body: Some(&body),
        signal: Some(&signal),
        ..Exchange::default()
    };
    let lost = || {
        if signal.aborted() { RequestError::NoAnswer } else { RequestError::Lost }
    };
    let response = exchange.send_renewing().await.map_err(|_| lost())?;
    let text = body_text(&response).await.map_err(|()| lost())?;
    answer_of(&response, &text)
}

/// What a response says: a JSON-RPC `result`, any other JSON as it is, `null` for an empty body.
pub(super) fn answer_of(response: &Response, text: &str) -> Outcome {
    let answer = match text.trim() {
        "" => Ok(Value::Null),
        text => serde_json::from_str::<Value>(text),
    };
    match answer {
        _ if unknown(response.status()) => Err(RequestError::Http(response.status())),
        Ok(answer) if answer.get("error").is_some_and(Value::is_object) => Err(refusal(&answer)),
        _ if !response.ok() => Err(RequestError::Http(response.status())),
        Ok(Value::Object(mut answer)) if answer.contains_key("jsonrpc") => {
            Ok(answer.remove("result").unwrap_or_default())
        }
        Ok(answer) => Ok(answer),
        Err(_) => Err(RequestError::NotUnderstood),
    }
}

/// The next part of a body; `None` at its end.
pub(super) async fn next(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, ()> {
    let chunk = JsFuture::from(reader.read()).await.map_err(|_| ())?;
    if Reflect::get(&chunk, &"done".into()).is_ok_and(|done| done.is_truthy()) {
        return Ok(None);
    }
    let value = Reflect::get(&chunk, &"value".into()).map_err(|_| ())?;
    Ok(Some(value.dyn_into::<Uint8Array>().map_err(|_| ())?.to_vec()))
}

/// The `Content-Type`, or a text that says there is none.
pub(super) fn content_type(response: &Response) -> String {
    let kind = response.headers().get("Content-Type").ok().flatten();
    kind.unwrap_or_else(|| connection::NO_CONTENT_TYPE.text().into())
}

/// The message of a thrown value.
pub(super) fn text_of(error: &JsValue) -> String {
    let message = error.dyn_ref::<js_sys::Error>().map(js_sys::Error::message).map(String::from);
    let message = message.or_else(|| error.as_string());
    let thrown = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
    message.or(thrown).unwrap_or_else(|| connection::BROWSER_REFUSES.text().into())
}

fn refusal(answer: &Value) -> RequestError {
    let error = answer.get("error");
    let code = error.and_then(|error| error.get("code")).and_then(Value::as_i64).unwrap_or_default();
    let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
    let message = message.unwrap_or(connection::NO_REASON.text());
    RequestError::Refused { reason: ErrorReason::parse(code, message), message: message.to_owned() }
}

fn retry_after(response: &Response) -> Option<u64> {
    let header = response.headers().get("Retry-After").ok().flatten()?;
    retry_after_ms(&header).or_else(|| {
        let wait = js_sys::Date::parse(&header) - js_sys::Date::now();
        wait.is_finite().then_some(wait.max(0.0) as u64)
    })
}

async fn body_text(response: &Response) -> Result<String, ()> {
    let text = JsFuture::from(response.text().map_err(|_| ())?).await.map_err(|_| ())?;
    text.as_string().ok_or(())
}
