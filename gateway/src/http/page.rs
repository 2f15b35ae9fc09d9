//! Serves the page and its files. Where there are none, it serves a page that says what to run.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::body::Bytes;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use percent_encoding::percent_decode_str;

use super::answers;
use super::app;
use super::files::{content_type, file};
use super::headers::page_policy;
use super::notice_page::notice_page;
use super::screen::{self, SignedIn, Visitor};
use super::state::AppState;

const NOT_BUILT: &str = "The gateway runs, but it carries no page. Build it with <code>cargo xtask build</code> and load this address \
    again. A release binary must be built again, too. The sessions are listed at <a href=\"/api/sessions\">/api/sessions</a>.";

/// Serves `GET /` and every route that is not the gateway's own. With more than one session the page is the
/// board.
pub async fn serve(
    State(state): State<AppState>,
    visitor: Option<Extension<Visitor>>,
    signed_in: Option<Extension<SignedIn>>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let path = uri.path().trim_start_matches('/');
    let folder = path.is_empty() || path.ends_with('/');
    let name = if folder { format!("{path}index.html") } else { path.to_owned() };
    match file(&name) {
        Some(bytes) if name == "index.html" => {
            let visitor = visitor.map(|Extension(visitor)| visitor);
            let signed_in = signed_in.is_some_and(|Extension(SignedIn(signed_in))| signed_in);
            index(&state, visitor, signed_in, &bytes, &uri, &headers).await
        }
        Some(bytes) => {
            let compressed = takes_brotli(&headers).then(|| compressed(&name, &bytes)).flatten();
            respond(&name, bytes, compressed, &headers)
        }
        None if path.is_empty() => Html(notice_page("The page is not built", NOT_BUILT)).into_response(),
        // `/docs`: the links of a page are relative to its folder.
        None if file(&format!("{path}/index.html")).is_some() => {
            Redirect::permanent(&format!("/{path}/")).into_response()
        }
        None => answers::error(StatusCode::NOT_FOUND, &format!("nothing at /{path}")),
    }
}

/// The page. A session that the address names (`/?session=ID`) is alone on it.
async fn index(
    state: &AppState,
    visitor: Option<Visitor>,
    signed_in: bool,
    page: &[u8],
    uri: &Uri,
    headers: &HeaderMap,
) -> Response {
    let page = app::with_app(&String::from_utf8_lossy(page)).into_bytes();
    let query = |name: &str| value_in_query(uri, name);
    let (named, kept) = (query("session").filter(|id| !id.is_empty()), query(app::KEPT).is_some());
    let page = if named.is_none() && !kept && state.sessions.needs_board() {
        board(&page).into_owned()
    } else {
        page
    };
    let visitor = visitor.filter(|_| !kept);
    let role = visitor.and_then(|Visitor(role)| role);
    let page =
        app::with_places(&String::from_utf8_lossy(&page), role, signed_in, named.is_some()).into_bytes();
    let mut response = match screen::page(state, visitor, named.as_deref(), &page, headers).await {
        Some(page) => screen::keep_private(respond("index.html", page, None, headers)),
        // Who looks is in it.
        None if role.is_some() => {
            screen::keep_private(respond("index.html", Cow::Owned(page), None, headers))
        }
        None => respond("index.html", Cow::Owned(page), None, headers),
    };
    app::mark_version(response.headers_mut());
    response
}

/// A value in the query of an address.
fn value_in_query(uri: &Uri, name: &str) -> Option<String> {
    let parts = uri.query()?.split('&').map(|part| part.split_once('=').unwrap_or((part, "")));
    let (_, value) = parts.into_iter().find(|(key, _)| *key == name)?;
    percent_decode_str(&value.replace('+', " ")).decode_utf8().ok().map(Cow::into_owned)
}

/// The page with the board in place of the session.
fn board(page: &[u8]) -> Cow<'static, [u8]> {
    let page = String::from_utf8_lossy(page);
    let page = page.replace("<pilot-house keys=\"page\" board=\"auto\"", "<pilot-house-board history");
    Cow::Owned(page.replace("</pilot-house>", "</pilot-house-board>").into_bytes())
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("br") && !refused
    })
}

/// The file as the build has compressed it, if it has. A file under `pkg/` uses that of the page if both are
/// the same.
fn compressed(name: &str, bytes: &[u8]) -> Option<Cow<'static, [u8]>> {
    let page = name.strip_prefix("pkg/").filter(|page| file(page).is_some_and(|other| *other == *bytes));
    file(&format!("{}.br", page.unwrap_or(name)))
}

fn respond(
    name: &str,
    bytes: Cow<'static, [u8]>,
    compressed: Option<Cow<'static, [u8]>>,
    headers: &HeaderMap,
) -> Response {
    let frame = name.ends_with("diagram.htm");
    let page = !frame && content_type(name).starts_with("text/html");
    let policy = page.then(|| page_policy(&String::from_utf8_lossy(&bytes))).flatten();
    let coded = compressed.is_some();
    let bytes = compressed.unwrap_or(bytes);
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let fresh = known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag));
    let mut response = if fresh {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let body = match bytes {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => Bytes::from(bytes),
        };
        ([(header::CONTENT_TYPE, content_type(name))], body).into_response()
    };
    let headers = response.headers_mut();
    // Names stay the same from build to build, so browsers ask each time, and mostly get a 304.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if coded {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    if frame {
        // Pages that are isolated from other origins load this frame, too. It has no origin, so for Firefox it is a
        // page of another one.
        headers.insert("cross-origin-embedder-policy", HeaderValue::from_static("require-corp"));
        headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    }
    if let Some(policy) = policy {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::{board, takes_brotli};

    #[test]
    fn the_board_stands_where_the_session_was() {
        let index = include_bytes!("../../../index.html");
        let page = String::from_utf8(board(index).into_owned()).unwrap();
        assert!(
            page.contains("<pilot-house-board history allow=\"diagrams\" lang=\"\">")
                && page.contains("</pilot-house-board>")
        );
        assert!(!page.contains("<pilot-house ") && !page.contains("</pilot-house>"));
    }

    #[test]
    fn brotli_is_for_those_that_take_it() {
        let takes = |value| {
            takes_brotli(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(value))]))
        };
        assert!(takes("gzip, deflate, br, zstd") && takes("br;q=0.5") && takes("BR"));
        assert!(!takes("gzip") && !takes("br;q=0, gzip") && !takes("brotli"));
        assert!(!takes_brotli(&HeaderMap::new()));
    }
}
