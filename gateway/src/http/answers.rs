//! Answers in JSON.

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// This JSON text.
pub fn json(text: impl Into<Bytes>) -> Response {
    json_with(StatusCode::OK, text)
}

/// This JSON text with a status.
pub fn json_with(status: StatusCode, text: impl Into<Bytes>) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (status, headers, text.into()).into_response()
}

/// An error, for routes that are not JSON-RPC.
pub fn error(status: StatusCode, message: &str) -> Response {
    json_with(status, serde_json::json!({"error": {"message": message}}).to_string())
}
