//! The door in front of every route: lets a request in or refuses it, and sets the headers of the answer.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use percent_encoding::percent_decode_str;
use serde_json::json;

use super::headers::{PROVIDER_HEADER, is_https};
use super::screen::{SignedIn, Visitor};
use super::{answers, headers};
use crate::access::gate::{self, Pass};
use crate::access::guard::{Guard, Origin};
use crate::access::limits::TooMany;
use crate::access::metered::Allowance;
use crate::access::person::Person;
use crate::access::{Access, Refusal, Role, cookie};
use crate::rpc::{Fault, Incoming};

/// Response header with the client's role, on answers under `/api/` of a gateway where people sign in.
pub const ROLE_HEADER: HeaderName = HeaderName::from_static("pilothouse-role");

/// The middleware's state: the `Access`, the guard for the gateway's address and the name of its cookie.
#[derive(Clone, Debug)]
pub struct Door {
    /// Who is let in.
    pub access: Access,
    guard: Arc<Guard>,
    /// The name of the cookie.
    pub cookie: Arc<str>,
}

impl Door {
    /// For a gateway that listens at `address`.
    pub fn new(access: Access, address: SocketAddr) -> Self {
        let guard = access.guard(address);
        // All ports of a host share their cookies: two gateways of one machine would sign each other out.
        let cookie = format!("pilothouse-{}", address.port()).into();
        Self { access, guard: Arc::new(guard), cookie }
    }

    /// Who a client is: from the header of a trusted proxy, its `Authorization` header or its cookie. A proxy's word and a cookie count
    /// only for pages of this very address: for a browser, another port of this machine is the same site.
    pub fn person(
        &self,
        peer: IpAddr,
        origin: Origin,
        headers: &HeaderMap,
    ) -> Result<Option<Person>, Refusal> {
        if !self.access.is_closed() {
            return Ok(Some(Person::unnamed(Role::Operator)));
        }
        // Before the token: a proxy may pass on one that is its own affair.
        if origin == Origin::Own
            && let Some(proxy) = self.access.proxy()
            && let Ok(Some(person)) = proxy.person(peer, headers)
        {
            return Ok(Some(person));
        }
        if let Some(offered) = bearer(headers) {
            let client = self.client(peer, headers);
            return self.access.person_with(client, offered).map(Some);
        }
        if origin != Origin::Own {
            return Ok(None);
        }
        Ok(cookie::named(headers, &self.cookie).find_map(|cookie| cookie::person(&self.access, &cookie)))
    }

    /// Whether the gateway that the client names is this machine's own or one that was named at the start.
    pub fn is_named(&self, headers: &HeaderMap) -> bool {
        headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok())
            .is_some_and(|host| self.guard.is_named(host))
    }

    /// The address of the client, which may be behind a trusted proxy.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.access.proxy().map_or(peer, |proxy| proxy.client(peer, headers))
    }

    /// What comes from here and is allowed; the error says why nothing is.
    fn check_request(&self, peer: IpAddr, request: &Request) -> Result<Origin, String> {
        let named = request.uri().authority().map(Authority::as_str);
        let refused = |why| move |_: &String| self.access.record_refusal(peer, why);
        let origin = self.guard.check_request(named, request.headers());
        let origin = origin.inspect_err(refused("its host or origin is not allowed"))?;
        // A request that says itself who sent it came past the proxy.
        if let Some(proxy) = self.access.proxy() {
            let person = proxy.person(peer, request.headers());
            person.inspect_err(refused("a name in a header that does not count"))?;
        }
        Ok(origin)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Fault { reason, message, .. } = self.fault();
        let body = json!({"error": {"code": reason.code(), "message": message}}).to_string();
        let status = match self {
            Self::SignIn(_) => StatusCode::UNAUTHORIZED,
            Self::Wait { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Full => StatusCode::SERVICE_UNAVAILABLE,
        };
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        match self {
            Self::SignIn(_) => {
                headers.insert(
                    header::WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer realm=\"pilothouse\""),
                );
            }
            Self::Wait { seconds } => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
            }
            Self::Full => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(5));
            }
        }
        response
    }
}

/// The token in the `Authorization` header.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Checks a request and passes it on, with a [`Pass`] among its extensions where it goes to `/api/`.
pub async fn check(
    State(door): State<Door>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let origin = match door.check_request(peer.ip(), &request) {
        Ok(origin) => origin,
        Err(message) => return answers::error(StatusCode::FORBIDDEN, &message),
    };
    let allowed = match origin {
        Origin::Allowed => request.headers().get(header::ORIGIN).cloned(),
        // Such a page reads all of a session over its WebSocket, so it may read the history before that.
        Origin::Loopback if request.uri().path().ends_with("/history") => {
            request.headers().get(header::ORIGIN).cloned()
        }
        Origin::Own | Origin::Loopback => None,
    };
    let preflight = allowed.is_some() && request.method() == Method::OPTIONS;
    let mut response = if preflight {
        StatusCode::NO_CONTENT.into_response()
    } else if request.uri().path().starts_with("/api/") {
        match pass(&door, peer.ip(), origin, &request) {
            Ok(pass) => {
                let role = pass.role().filter(|_| door.access.is_closed());
                request.extensions_mut().insert(pass);
                let mut response = next.run(request).await;
                if let Some(role) = role {
                    response.headers_mut().insert(ROLE_HEADER, HeaderValue::from_static(role.word()));
                }
                response
            }
            Err(refusal) => {
                let mut response = refusal.into_response();
                let provider = door.access.oidc().and_then(|oidc| HeaderValue::from_str(oidc.host()).ok());
                if let (Some(provider), StatusCode::UNAUTHORIZED) = (provider, response.status()) {
                    response.headers_mut().insert(PROVIDER_HEADER, provider);
                }
                response
            }
        }
    } else {
        // A page is for everybody; what it shows of a session is for who may see that.
        let person = door.person(peer.ip(), origin, request.headers()).ok().flatten();
        let by_cookie = cookie::named(request.headers(), &door.cookie)
            .any(|cookie| cookie::person(&door.access, &cookie).is_some());
        request.extensions_mut().insert(SignedIn(door.access.is_closed() && by_cookie));
        request.extensions_mut().insert(Visitor(person.map(|person| person.role)));
        next.run(request).await
    };
    headers::guard(response.headers_mut(), &door.guard);
    if let Some(origin) = allowed {
        headers::share(response.headers_mut(), origin, preflight);
    }
    response
}

fn pass(door: &Door, peer: IpAddr, origin: Origin, request: &Request) -> Result<Pass, Refusal> {
    let person = door.person(peer, origin, request.headers())?;
    let from = door.client(peer, request.headers());
    let path = request.uri().path();
    let socket = path == "/api/rpc";
    // Browsers can't set headers on a WebSocket, so its first message may carry the token.
    if person.is_none() && !socket {
        door.access.record_refusal(from, "nobody has signed in");
        return Err(Refusal::SignIn("this gateway needs a token"));
    }
    if let Some(share) = person.as_ref().and_then(|person| person.share.as_ref())
        && !socket
        && path != "/api/me"
        && !is_of_session(path, &share.session_id)
    {
        door.access.record_refusal(from, "a link to another session");
        return Err(Refusal::SignIn("this link shows one session and nothing else"));
    }
    let limits = door.access.limits();
    if matches!(*request.method(), Method::POST | Method::DELETE) {
        limits.post(from).map_err(|TooMany { seconds }| Refusal::Wait { seconds })?;
    }
    let seat = if socket || path.ends_with("/events") || path.ends_with("/history") {
        let allowance = request.extensions().get::<Allowance>().cloned().unwrap_or_default();
        let role = person.as_ref().map(|person| person.role);
        Some(limits.take_slot(role, &allowance).ok_or(Refusal::Full)?)
    } else {
        None
    };
    if let Some(person) = &person {
        door.access.record_first_request(person, from);
    }
    Ok(Pass::new(door.access.clone(), person, from, own_address(request.headers()), seat))
}

/// The gateway's address as a client has it, from headers that have been checked. A client that forges the protocol gets its own links
/// wrong.
pub fn own_address(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let scheme = if is_https(headers) { "https" } else { "http" };
    format!("{scheme}://{host}")
}

/// Whether a path is about this session: `/api/sessions/ID/…`.
fn is_of_session(path: &str, session_id: &str) -> bool {
    let named = path.strip_prefix("/api/sessions/").and_then(|rest| rest.split_once('/'));
    named.is_some_and(|(id, _)| percent_decode_str(id).decode_utf8().is_ok_and(|id| id == session_id))
}

/// The response that refuses a POST because of the role. Of a batch with one such call, nothing is carried
/// out.
pub fn refusal_of(pass: &Pass, incoming: &Incoming) -> Option<Response> {
    let calls = match incoming {
        Incoming::Nothing => return None,
        Incoming::One(call) => std::slice::from_ref(call),
        Incoming::Many(calls) => calls,
    };
    let refused =
        calls.iter().flatten().find(|call| !pass.role().is_some_and(|role| role.may(&call.method)))?;
    pass.record_refusal(refused, "a viewer");
    let body = gate::not_allowed(&refused.method).response(refused.id.as_ref());
    Some((StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "application/json")], body).into_response())
}
