//! HTTP exchanges through the browser's `fetch`: what they bring becomes inputs. A token is sent in the `Authorization`
//! header only.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, Request, RequestCache, RequestInit, Response,
};

use super::Inbox;
use crate::client::yield_to_browser;
use crate::client::yield_to_browser::SLICE;
use crate::core::client::connection::{HttpNews, HttpRequest, Input, ResponseHead};
use crate::core::connection::retry_after_ms;
use crate::core::i18n::words::connection;

/// Makes the exchange with this number, until its end or until it is aborted.
pub(super) async fn exchange(
    number: u32,
    request: Result<Request, JsValue>,
    controller: AbortController,
    inbox: Inbox,
) {
    let give = |news: HttpNews<'_>| inbox(Input::Http(number, news));
    let request = match request {
        Ok(request) => request,
        Err(error) => return give(HttpNews::BadAddress(text_of(&error))),
    };
    let Some(window) = web_sys::window() else { return give(HttpNews::Broken) };
    let response = JsFuture::from(window.fetch_with_request(&request)).await;
    let signal = controller.signal();
    if signal.aborted() {
        return;
    }
    let response = response.ok().and_then(|value| value.dyn_into::<Response>().ok());
    let Some(response) = response else { return give(HttpNews::Broken) };
    give(HttpNews::Head(head_of(&response)));
    let reader = response.body().map(|body| body.get_reader().unchecked_into());
    let mut end = yield_to_browser::now() + SLICE;
    while !signal.aborted() {
        // Input that has arrived already comes without a pause, possibly a whole log, so
        // the browser gets its turn in between.
        if yield_to_browser::now() >= end {
            yield_to_browser::next().await;
            end = yield_to_browser::now() + SLICE;
        }
        let part = match &reader {
            Some(reader) => next(reader).await,
            None => Ok(None),
        };
        if signal.aborted() {
            return;
        }
        match part {
            Ok(Some(bytes)) => give(HttpNews::Body(&bytes)),
            Ok(None) => return give(HttpNews::End),
            Err(()) => return give(HttpNews::Broken),
        }
    }
}

/// A request of the browser; `headers` are those of the page.
pub(super) fn request_of(
    request: &HttpRequest,
    headers: Option<&Headers>,
    controller: &AbortController,
) -> Result<Request, JsValue> {
    let headers = match headers {
        Some(headers) => Headers::new_with_headers(headers)?,
        None => Headers::new()?,
    };
    if let Some(token) = &request.token {
        headers.set("Authorization", &["Bearer ", token].concat())?;
    }
    headers.set("Accept", request.accept)?;
    if !request.last_event_id.is_empty() {
        headers.set("Last-Event-ID", &request.last_event_id)?;
    }
    let init = RequestInit::new();
    init.set_cache(if request.kept { RequestCache::Default } else { RequestCache::NoStore });
    init.set_signal(Some(&controller.signal()));
    if let Some(body) = &request.body {
        init.set_method("POST");
        headers.set("Content-Type", "application/json")?;
        init.set_body(&JsValue::from_str(body));
    }
    init.set_headers(&headers);
    Request::new_with_str_and_init(&request.url, &init)
}

fn head_of(response: &Response) -> ResponseHead {
    let headers = response.headers();
    let header = |name: &str| headers.get(name).ok().flatten();
    let number = |name: &str| header(name).and_then(|number| number.parse().ok());
    let retry_after = header("Retry-After").and_then(|header| {
        retry_after_ms(&header).or_else(|| {
            let wait = js_sys::Date::parse(&header) - js_sys::Date::now();
            wait.is_finite().then_some(wait.max(0.0) as u64)
        })
    });
    ResponseHead {
        status: response.status(),
        content_type: header("Content-Type"),
        retry_after_ms: retry_after,
        newest: number("Pilothouse-Seq"),
        protocol: number("Pilothouse-Protocol"),
        role: header("Pilothouse-Role"),
    }
}

/// The next part of a body; `None` at its end.
async fn next(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, ()> {
    let chunk = JsFuture::from(reader.read()).await.map_err(|_| ())?;
    if Reflect::get(&chunk, &"done".into()).is_ok_and(|done| done.is_truthy()) {
        return Ok(None);
    }
    let value = Reflect::get(&chunk, &"value".into()).map_err(|_| ())?;
    Ok(Some(value.dyn_into::<Uint8Array>().map_err(|_| ())?.to_vec()))
}

/// The message of a thrown value.
pub(super) fn text_of(error: &JsValue) -> String {
    let message = error.dyn_ref::<js_sys::Error>().map(js_sys::Error::message).map(String::from);
    let message = message.or_else(|| error.as_string());
    let thrown = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|text| text.as_string());
    message.or(thrown).unwrap_or_else(|| connection::BROWSER_REFUSES.text().into())
}
