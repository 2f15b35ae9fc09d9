//! Signing in with an OpenID Connect provider, signing out, and who one is: `/signin/oidc`, `/signin/oidc/callback`, `/signout`, `/api/me`.

use std::net::SocketAddr;

use axum::Router;
use axum::extract::{ConnectInfo, Extension, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::json;

use super::answers;
use super::door::{Door, own_address};
use super::headers::is_https;
use super::notice_page::notice_page;
use super::sign_in::{is_prefetch, no_store};
use crate::access::gate::Pass;
use crate::access::oidc::attempt::{self, back};
use crate::access::oidc::{Finished, Oidc, Reply, SignInError};
use crate::access::{Refusal, cookie};

const CALLBACK: &str = "/signin/oidc/callback";

/// What somebody sees who is not signed in. The words are ours alone.
const FAILED: &str =
    "The reason: WHY. <a href=\"/signin/oidc\">Try again</a>, or <a href=\"/\">go to the first page</a>.";

/// What is there until the browser has gone on.
const DONE_PAGE: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Pilothouse</title>
<a href="/">You are signed in</a>
</html>
"#;

/// The query with which a sign-in begins.
#[derive(Deserialize)]
struct BeginQuery {
    back: Option<String>,
}

/// The query with which the provider sends a browser back.
#[derive(Deserialize)]
struct CallbackQuery {
    state: Option<String>,
    code: Option<String>,
    iss: Option<String>,
}

/// The routes, of which those under `/signin/oidc` are not there without a provider.
pub fn routes<S: Clone + Send + Sync + 'static>(door: Door) -> Router<S> {
    Router::new()
        .route("/signin/oidc", get(begin))
        .route(CALLBACK, get(finish))
        .route("/signout", post(sign_out))
        .route("/api/me", get(me))
        .with_state(door)
}

/// Sends the browser to the provider.
async fn begin(State(door): State<Door>, Query(asked): Query<BeginQuery>, headers: HeaderMap) -> Response {
    let Some(oidc) = door.access.oidc() else { return StatusCode::NOT_FOUND.into_response() };
    if is_prefetch(&headers) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    // A listen address is not enough: the provider's answer would go wherever the client says that the gateway is.
    if !door.is_named(&headers) {
        return failed(
            StatusCode::BAD_REQUEST,
            "this gateway was not started with --allow-host and this name",
        );
    }
    let redirect = format!("{}{CALLBACK}", own_address(&headers));
    match oidc.begin(redirect, back(asked.back.as_deref())).await {
        Ok(begun) => {
            let cookie = oidc.attempts().cookie(&door.cookie, &begun.attempt, is_https(&headers));
            let mut answer = HeaderMap::new();
            set(&mut answer, header::LOCATION, Some(begun.location));
            set(&mut answer, header::SET_COOKIE, cookie);
            (StatusCode::SEE_OTHER, no_store(answer)).into_response()
        }
        Err(error) => failed(status(error), error.words()),
    }
}

/// Signs in whom the provider has sent back.
async fn finish(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Query(asked): Query<CallbackQuery>,
    headers: HeaderMap,
) -> Response {
    let Some(oidc) = door.access.oidc() else { return StatusCode::NOT_FOUND.into_response() };
    let client = door.client(peer.ip(), &headers);
    // Each of them costs the provider a request.
    if let Err(Some(wait)) = door.access.limits().attempt(client, || Some(())) {
        return Refusal::Wait { seconds: wait.seconds }.into_response();
    }
    let state = asked.state.unwrap_or_default();
    let reply = Reply { state: &state, code: asked.code.as_deref(), issuer: asked.iss.as_deref() };
    let finished = match begun(&door, oidc, &state, &headers) {
        Some(attempt) => oidc.finish(attempt, reply, client).await,
        None => Err(SignInError::NotBegun),
    };
    let mut answer = HeaderMap::new();
    set(&mut answer, header::SET_COOKIE, attempt::removal(&door.cookie, &state));
    match finished {
        Ok(Finished { person, cookie, back }) => {
            door.access.record_sign_in(&person, client);
            set(
                &mut answer,
                header::SET_COOKIE,
                cookie::set_session(&door.cookie, cookie, is_https(&headers)),
            );
            // With a redirect, the cookie would not be sent with the next request: it would come from the provider's site.
            set(&mut answer, header::REFRESH, Some(format!("0;url={back}")));
            (StatusCode::OK, no_store(answer), Html(DONE_PAGE)).into_response()
        }
        Err(error) => {
            door.access.record_refused_sign_in(client, error.words());
            // What the provider was asked in vain counts as a wrong token. What no browser has begun here does not: a page elsewhere
            // can have its readers' browsers ask for that, which must keep nobody out.
            if asked.code.is_some() && matches!(error, SignInError::Denied | SignInError::Token(_)) {
                let _ = door.access.limits().attempt(client, || None::<()>);
            }
            (no_store(answer), failed(status(error), error.words())).into_response()
        }
    }
}

/// The sign-in with this state that this browser has begun.
fn begun(door: &Door, oidc: &Oidc, state: &str, headers: &HeaderMap) -> Option<attempt::Attempt> {
    let name = attempt::name(&door.cookie, state)?;
    cookie::named(headers, &name).find_map(|cookie| oidc.attempts().read(&cookie))
}

/// Ends the session of this browser, and says where it goes now: to the provider, to end the session there, or to the first page.
async fn sign_out(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    let home = format!("{}/", own_address(&headers));
    let mut location = None;
    let from = door.client(peer.ip(), &headers);
    for cookie in cookie::named(&headers, &door.cookie) {
        let Some(person) = cookie::person(&door.access, &cookie) else { continue };
        if let Some(oidc) = door.access.oidc()
            && let Some(next) = oidc.sign_out(cookie.value(), &home).await
        {
            location = Some(next);
        }
        door.access.record_sign_out(&person, from);
    }
    let mut answer = HeaderMap::new();
    set(&mut answer, header::SET_COOKIE, cookie::removal(&door.cookie, is_https(&headers)));
    let location = location.unwrap_or_else(|| "/".to_owned());
    (answer, answers::json(json!({ "location": location }).to_string())).into_response()
}

/// Who the client is: `{role, name, signedIn, until?}`. `signedIn` is whether `POST /signout` signs it out, and `until` is the time at which
/// the link ends by which it came.
async fn me(State(door): State<Door>, Extension(pass): Extension<Pass>, headers: HeaderMap) -> Response {
    let person = pass.person();
    let link = person.and_then(|person| person.share.as_ref());
    let by_cookie = cookie::named(&headers, &door.cookie).any(|cookie| {
        let by_cookie = cookie::person(&door.access, &cookie);
        by_cookie.is_some() && (link.is_some() || by_cookie.as_ref() == person)
    });
    let name = person.and_then(|person| person.name.as_ref()).map(|name| name.as_str().to_owned());
    let role = pass.role().map(crate::access::Role::word);
    let signed_in = door.access.is_closed() && by_cookie;
    let mut me = json!({ "role": role, "name": name, "signedIn": signed_in });
    if let Some(link) = link {
        me["until"] = link.until_text().into();
    }
    answers::json(me.to_string())
}

fn failed(status: StatusCode, why: &'static str) -> Response {
    let page = notice_page("You are not signed in", &FAILED.replace("WHY", why));
    (status, no_store(HeaderMap::new()), Html(page)).into_response()
}

fn status(error: SignInError) -> StatusCode {
    match error {
        SignInError::Unreachable | SignInError::NoRandomNumbers => StatusCode::BAD_GATEWAY,
        SignInError::Busy => StatusCode::SERVICE_UNAVAILABLE,
        SignInError::NotBegun | SignInError::Used => StatusCode::BAD_REQUEST,
        SignInError::Denied | SignInError::Token(_) => StatusCode::UNAUTHORIZED,
    }
}

/// Adds a header; none where the value can't be one.
fn set(headers: &mut HeaderMap, name: HeaderName, value: Option<String>) {
    if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
        headers.append(name, value);
    }
}
