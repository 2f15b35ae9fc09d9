//! Signing in: with a link that works once, or with the token. Both set a cookie.
//! An address never contains a token, and a code works neither twice nor after some minutes.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;

use super::door::{Door, ROLE_HEADER, bearer};
use super::headers::is_https;
use super::notice_page::notice_page;
use crate::access::guard::Origin;
use crate::access::oidc::attempt::back;
use crate::access::{Member, Refusal, cookie};

const USED_LINK: &str = "A sign-in link works once, and for a few minutes. <a href=\"/\">Sign in with the token</a>, make another link \
    on a page that is signed in ('Open on a phone'), or start the gateway again for another one.";

/// The query of a link: `?code=…`, with `&back=PATH` if it leads further.
#[derive(Deserialize)]
struct SignInQuery {
    code: Option<String>,
    back: Option<String>,
}

/// The routes `GET /signin` and `POST /signin`.
pub fn routes<S: Clone + Send + Sync + 'static>(door: Door) -> Router<S> {
    Router::new().route("/signin", get(sign_in_by_link).post(sign_in_by_token)).with_state(door)
}

/// Uses the code up and redirects, so that the code is no longer in the address when the page loads.
async fn sign_in_by_link(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Query(asked): Query<SignInQuery>,
    headers: HeaderMap,
) -> Response {
    // A browser's prefetch must not use the code up.
    if is_prefetch(&headers) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let further = back(asked.back.as_deref());
    let Some(code) = asked.code else {
        return redirect(&further, HeaderMap::new());
    };
    // A wrong code does not count as a wrong token. Nobody guesses 192 bits, and any web page can have its readers'
    // browsers ask for this address, which would keep them from signing in.
    let taken = door.access.redeem(&code);
    match taken {
        Some(member) => {
            door.access.record_sign_in(&member.person, door.client(peer.ip(), &headers));
            redirect(&further, signed_in(&door, member, &headers))
        }
        // The used link was opened again, for example from the history, by a browser that is signed in.
        None if matches!(door.person(peer.ip(), Origin::Own, &headers), Ok(Some(_))) => {
            redirect(&further, HeaderMap::new())
        }
        None => (
            StatusCode::UNAUTHORIZED,
            no_store(HeaderMap::new()),
            Html(notice_page("This link does not work any more", USED_LINK)),
        )
            .into_response(),
    }
}

/// Signs in with `Authorization: Bearer`, a header that a form of another site can't send.
async fn sign_in_by_token(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if !door.access.is_closed() {
        return StatusCode::NO_CONTENT.into_response();
    }
    let offered = bearer(&headers).ok_or(Refusal::SignIn("Authorization: Bearer is missing"));
    let client = door.client(peer.ip(), &headers);
    match offered.and_then(|offered| door.access.try_token(client, offered)) {
        Ok(member) => {
            door.access.record_sign_in(&member.person, client);
            (StatusCode::NO_CONTENT, signed_in(&door, member, &headers)).into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}

fn redirect(path: &str, mut headers: HeaderMap) -> Response {
    let location = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    headers.insert(header::LOCATION, location);
    (StatusCode::SEE_OTHER, no_store(headers)).into_response()
}

fn signed_in(door: &Door, member: &Member, asked: &HeaderMap) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let cookie = cookie::set(&door.cookie, member, is_https(asked));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    headers.insert(ROLE_HEADER, HeaderValue::from_static(member.person.role.word()));
    no_store(headers)
}

/// Whether a browser fetches this in advance, so that nobody may want it. It does so as well while it starts our service worker, which
/// leaves these addresses to the browser: that asks once more, and only the second answer counts.
pub fn is_prefetch(headers: &HeaderMap) -> bool {
    headers.get("sec-purpose").is_some_and(|value| value.as_bytes().starts_with(b"prefetch"))
        || headers.contains_key("service-worker-navigation-preload")
}

/// Keeps an answer out of caches.
pub fn no_store(mut headers: HeaderMap) -> HeaderMap {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers
}
