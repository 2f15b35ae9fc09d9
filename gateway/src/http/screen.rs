//! The first screen of a session: in the page, where it stands until the program takes its place, and for the pages of others.

use std::borrow::Cow;

use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

use super::answers;
use super::languages::preferred;
use super::page::gzip;
use super::state::AppState;
use crate::access::Role;
use crate::access::gate::Pass;
use crate::sessions::session::Session;

/// What an element of the page begins with, where the screen comes.
const ELEMENT: &str = "<pilot-house ";

/// Who asks for a page; none where a gateway has roles and they have not signed in.
#[derive(Clone, Copy, Debug)]
pub struct Visitor(pub Option<Role>);

/// Serves `GET /api/sessions/{id}/screen`: the screen as a fragment of HTML.
pub async fn screen(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(session) = state.sessions.find(Some(&id)) else {
        let message = format!("no session \"{id}\" here; GET /api/sessions lists the sessions");
        return answers::error(StatusCode::NOT_FOUND, &message);
    };
    Arc::clone(&session.agent).ready(&session.id).await;
    let markup = render(session, pass.role(), &headers).await.unwrap_or_default();
    let content = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    keep_private(match gzip(markup.as_bytes(), &headers) {
        Some(bytes) => (content, [(header::CONTENT_ENCODING, "gzip")], bytes).into_response(),
        None => (content, markup).into_response(),
    })
}

/// The page with the screen of the session that it shows; none if there is nothing to show, or the visitor may not see it.
pub async fn page(
    state: &AppState,
    visitor: Option<Visitor>,
    page: &[u8],
    headers: &HeaderMap,
) -> Option<Cow<'static, [u8]>> {
    let role = visitor?.0?;
    let session = state.sessions.find(None)?;
    let page = String::from_utf8_lossy(page);
    let (before, element) = page.split_once(ELEMENT)?;
    let (attributes, children) = element.split_once('>')?;
    let screen = render(session, Some(role), headers).await?;
    let template = format!("<template shadowrootmode=\"open\">{screen}</template>");
    Some(Cow::Owned([before, ELEMENT, attributes, ">", &template, children].concat().into_bytes()))
}

/// The screen of a session for somebody with this role. Reducing a long log takes its time, so it runs on a blocking thread.
async fn render(session: Arc<Session>, role: Option<Role>, headers: &HeaderMap) -> Option<String> {
    let language = preferred(headers);
    let readonly = role != Some(Role::Operator);
    tokio::task::spawn_blocking(move || session.screen(readonly, language)).await.ok().flatten()
}

/// Keeps an answer with data of a session out of shared caches, and apart from those for other visitors.
pub fn keep_private(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    let vary = HeaderValue::from_static("Cookie, Authorization, Accept-Language, Accept-Encoding");
    headers.insert(header::VARY, vary);
    response
}
