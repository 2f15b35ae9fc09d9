//! Signing in: with a link that works once, or with the token. Both set a cookie.
//! An address never contains a token, and a code works neither twice nor after ten minutes.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::time::Instant;

use super::token::{digest, fresh, same};
use super::{Access, Door, ROLE_HEADER, Refusal, Role, bearer, cookie};
use crate::guard::Origin;

/// How long a link works.
pub const LINK_LIFE: Duration = Duration::from_mins(10);

const USED: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Pilothouse: this link does not work any more</title>
<style>body { font: 15px/1.55 system-ui, sans-serif; max-width: 34em; margin: 18vh auto 0; padding: 0 24px }</style>
<h1>This link does not work any more</h1>
<p>A sign-in link works once and for ten minutes. <a href="/">Sign in with the token</a>, or start the gateway
again for another link.</p>
</html>
"#;

/// The codes of links that have not been used yet: at most one for each role.
#[derive(Default)]
pub struct Codes(Vec<Code>);

struct Code {
    digest: [u8; 32],
    role: Role,
    until: Instant,
}

/// The query of a link: `?code=…`.
#[derive(Deserialize)]
struct SignInQuery {
    code: Option<String>,
}

impl Codes {
    fn take(&mut self, offered: &str) -> Option<Role> {
        self.0.retain(|code| code.until > Instant::now());
        let offered = digest(offered.as_bytes());
        let place = self.0.iter().position(|code| same(&code.digest, &offered))?;
        Some(self.0.swap_remove(place).role)
    }
}

impl Access {
    /// The path of a new link that signs somebody in, once. None where the role has no token.
    pub fn link(&self, role: Role) -> Option<String> {
        self.token_of(role)?;
        let code = fresh().ok()?;
        let mut codes = self.codes();
        codes.0.retain(|code| code.role != role);
        codes.0.push(Code { digest: digest(code.as_bytes()), role, until: Instant::now() + LINK_LIFE });
        Some(format!("/signin?code={code}"))
    }
}

/// The routes `GET /signin` and `POST /signin`.
pub fn routes<S: Clone + Send + Sync + 'static>(door: Door) -> Router<S> {
    Router::new().route("/signin", get(by_link).post(by_token)).with_state(door)
}

/// Uses the code up and redirects, so that the code is no longer in the address when the page loads.
async fn by_link(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Query(asked): Query<SignInQuery>,
    headers: HeaderMap,
) -> Response {
    // A browser's prefetch must not use the code up.
    if headers.get("sec-purpose").is_some_and(|value| value.as_bytes().starts_with(b"prefetch")) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let Some(code) = asked.code else {
        return home(HeaderMap::new());
    };
    // A wrong code does not count as a wrong token. Nobody guesses 192 bits, and any web page can have its readers'
    // browsers ask for this address, which would keep them from signing in.
    let taken = door.access.codes().take(&code);
    match taken {
        Some(role) => home(signed_in(&door, role, &headers)),
        // The used link was opened again, for example from the history, by a browser that is signed in.
        None if matches!(door.role(peer.ip(), Origin::Own, &headers), Ok(Some(_))) => home(HeaderMap::new()),
        None => (StatusCode::UNAUTHORIZED, no_store(HeaderMap::new()), Html(USED)).into_response(),
    }
}

/// Signs in with `Authorization: Bearer`, a header that a form of another site can't send.
async fn by_token(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if !door.access.is_closed() {
        return StatusCode::NO_CONTENT.into_response();
    }
    let offered = bearer(&headers).ok_or(Refusal::SignIn("Authorization: Bearer is missing"));
    match offered.and_then(|offered| door.access.try_token(peer.ip(), offered)) {
        Ok(role) => (StatusCode::NO_CONTENT, signed_in(&door, role, &headers)).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

fn home(mut headers: HeaderMap) -> Response {
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    (StatusCode::SEE_OTHER, no_store(headers)).into_response()
}

fn signed_in(door: &Door, role: Role, asked: &HeaderMap) -> HeaderMap {
    // A client that forges this header only keeps its own cookie from being sent over http.
    let secure =
        asked.get("x-forwarded-proto").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https"));
    let mut headers = HeaderMap::new();
    let cookie = cookie::set(&door.access, &door.cookie, role, secure);
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    headers.insert(ROLE_HEADER, HeaderValue::from_static(role.word()));
    no_store(headers)
}

fn no_store(mut headers: HeaderMap) -> HeaderMap {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::access::settings::Settings;
    use crate::access::{Access, Role};

    #[tokio::test(start_paused = true)]
    async fn a_link_works_once_and_not_for_long() {
        let settings = Settings { new_token: true, ..Settings::default() };
        let access = Access::open(&settings).unwrap().0;
        assert!(access.link(Role::Viewer).is_none());
        let code = || access.link(Role::Operator).unwrap().split_once('=').unwrap().1.to_owned();
        let one = code();
        assert_eq!(access.codes().take("wrong"), None);
        assert_eq!(access.codes().take(&one), Some(Role::Operator));
        assert_eq!(access.codes().take(&one), None);
        let late = code();
        tokio::time::advance(Duration::from_mins(10)).await;
        assert_eq!(access.codes().take(&late), None);
    }

    #[tokio::test]
    async fn a_new_link_replaces_the_one_for_the_same_role_alone() {
        let settings = Settings {
            operator: Some("token-of-the-operator".to_owned()),
            viewer: Some("token-of-the-viewer".to_owned()),
            ..Settings::default()
        };
        let access = Access::open(&settings).unwrap().0;
        let code = |role| access.link(role).unwrap().split_once('=').unwrap().1.to_owned();
        let (viewers, first, second) = (code(Role::Viewer), code(Role::Operator), code(Role::Operator));
        assert_eq!(access.codes().take(&first), None);
        assert_eq!(access.codes().take(&second), Some(Role::Operator));
        assert_eq!(access.codes().take(&viewers), Some(Role::Viewer));
    }
}
