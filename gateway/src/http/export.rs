//! A session as one file, to be kept or given away: the same document that the page and `pilothouse export` make.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pilothouse_core::export::{self, Format};
use pilothouse_core::i18n::in_language;
use serde::Deserialize;

use super::answers;
use super::state::AppState;
use crate::languages::preferred;

/// The query: `?format=html` or `md`; without one it is HTML.
#[derive(Debug, Default, Deserialize)]
pub struct ExportQuery {
    format: Option<String>,
}

/// Serves `GET /api/sessions/{id}/export`.
pub async fn export(
    State(state): State<AppState>,
    Path(id): Path<String>,
    Query(asked): Query<ExportQuery>,
    headers: HeaderMap,
) -> Response {
    let format = match asked.format.as_deref() {
        None | Some("html") => Format::Html,
        Some("md") => Format::Markdown,
        Some(_) => return answers::error(StatusCode::BAD_REQUEST, "format must be html or md"),
    };
    let session = match state.session(&id, 0).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let language = preferred(&headers);
    // Writing a long session takes its time.
    let made = tokio::task::spawn_blocking(move || {
        session.with_state(|state| {
            let text = in_language(language, || export::document(state, format));
            (text, export::file_name(state, format.extension()))
        })
    });
    let Ok(Some((text, name))) = made.await else {
        return answers::error(StatusCode::NOT_FOUND, "nothing is known of this session yet");
    };
    // A name in any script, as RFC 8187 has it.
    let named = format!(
        "attachment; filename*=UTF-8''{}",
        percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC)
    );
    let Ok(disposition) = HeaderValue::from_str(&named) else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let kind = HeaderValue::from_static(format.media_type());
    (
        [
            (header::CONTENT_TYPE, kind),
            (header::CONTENT_DISPOSITION, disposition),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        ],
        text,
    )
        .into_response()
}
