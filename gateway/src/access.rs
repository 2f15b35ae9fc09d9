//! Access control in front of every route: who is let in, and in which role.
//! Which right a method needs is in `methods`. No token ever gets into a log, an error, an address or a page.

pub mod cookie;
pub mod gate;
pub mod headers;
pub mod limits;
pub mod settings;
pub mod sign_in;
pub mod token;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::guard::{Guard, Origin};
use crate::methods::{self, Right};
use crate::rpc::{Fault, Incoming};
use crate::server::metered::Allowance;
use gate::Pass;
use limits::{Limits, TooMany};
use pilothouse_core::protocol::ErrorReason;
use sign_in::Codes;
use token::Token;

/// Error code: the client has not signed in, or its token is wrong.
pub const SIGN_IN: i64 = ErrorReason::SignIn.code();
/// Error code: a viewer called a method that changes something.
pub const NOT_ALLOWED: i64 = ErrorReason::NotAllowed.code();
/// Error code: too many messages, requests or wrong tokens. The call was not carried out.
pub const TOO_FAST: i64 = ErrorReason::TooFast.code();
/// Error code: too many subscriptions on one connection, or too many open connections.
pub const TOO_MANY: i64 = ErrorReason::TooMany.code();

/// Response header with the client's role, on answers under `/api/` of a gateway where people sign in.
pub const ROLE_HEADER: HeaderName = HeaderName::from_static("pilothouse-role");

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Sees everything and changes nothing.
    Viewer,
    /// Answers and steers as well.
    Operator,
}

/// The tokens, origins, host names and limits of a gateway. Clones share one state.
#[derive(Clone, Default)]
pub struct Access(Arc<Inner>);

#[derive(Default)]
struct Inner {
    viewer: Option<Token>,
    operator: Option<Token>,
    origins: Vec<String>,
    hosts: Vec<String>,
    codes: Mutex<Codes>,
    limits: Limits,
}

/// The middleware's state: the `Access`, the guard for the gateway's address and the name of its cookie.
#[derive(Clone, Debug)]
pub struct Door {
    access: Access,
    guard: Arc<Guard>,
    cookie: Arc<str>,
}

impl Role {
    /// Its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
        }
    }

    /// Whether this role may call a method. A method that nobody may call is refused later, with its own
    /// message; a viewer is refused here already.
    pub fn may(self, method: &str) -> bool {
        self == Self::Operator || methods::right(method) == Some(Right::Read)
    }
}

impl fmt::Debug for Access {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roles = [(Role::Viewer, &self.0.viewer), (Role::Operator, &self.0.operator)];
        let tokens: Vec<_> =
            roles.iter().filter(|(_, token)| token.is_some()).map(|(role, _)| role).collect();
        out.debug_struct("Access").field("tokens_of", &tokens).finish_non_exhaustive()
    }
}

impl Access {
    /// Whether clients must sign in. Without any token every client that passes the guard is an operator.
    pub fn is_closed(&self) -> bool {
        self.0.viewer.is_some() || self.0.operator.is_some()
    }

    /// Whether a gateway may listen there. Others can reach any address but loopback, and loopback as well by the name of a
    /// proxy, so it needs a token. The error is a sentence with the command that helps.
    pub fn fits(&self, listen: SocketAddr) -> Result<(), String> {
        if self.is_closed() {
            return Ok(());
        }
        if let Some(host) = self.0.hosts.first() {
            return Err(format!(
                "others can reach {host}, so it needs a token: pilothouse serve --allow-host {host} --new-token\n\
                 (or --token-file PATH, or the environment variable PILOTHOUSE_TOKEN)"
            ));
        }
        if listen.ip().is_loopback() {
            return Ok(());
        }
        Err(format!(
            "others can reach {listen}, so it needs a token: pilothouse serve --listen {listen} --new-token\n\
             (or --token-file PATH, or the environment variable PILOTHOUSE_TOKEN)"
        ))
    }

    fn token_of(&self, role: Role) -> Option<&Token> {
        match role {
            Role::Viewer => self.0.viewer.as_ref(),
            Role::Operator => self.0.operator.as_ref(),
        }
    }

    /// The role of this token. Both tokens are always compared, so that the time taken reveals nothing.
    fn role_of(&self, offered: &str) -> Option<Role> {
        let is = |role| self.token_of(role).is_some_and(|token| token.matches(offered));
        let (viewer, operator) = (is(Role::Viewer), is(Role::Operator));
        if operator { Some(Role::Operator) } else { viewer.then_some(Role::Viewer) }
    }

    /// Checks a token. After many wrong tokens from an address, its tokens are not looked at for a while;
    /// cookies are not affected.
    fn try_token(&self, from: IpAddr, offered: &str) -> Result<Role, Refusal> {
        self.0.limits.attempt(from, || self.role_of(offered)).map_err(|wait| match wait {
            None => Refusal::SignIn("this is not the token of this gateway"),
            Some(TooMany { seconds }) => Refusal::Wait { seconds },
        })
    }

    fn codes(&self) -> std::sync::MutexGuard<'_, Codes> {
        self.0.codes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a client is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The client has to sign in.
    SignIn(&'static str),
    /// Too many wrong tokens or requests came from its address.
    Wait {
        /// How long to wait.
        seconds: u64,
    },
    /// Too many streams are open.
    Full,
}

impl Refusal {
    /// As a JSON-RPC error.
    pub fn fault(self) -> Fault {
        match self {
            Self::SignIn(why) => Fault::new(SIGN_IN, format!("sign in: {why}")),
            Self::Wait { seconds } => Fault::new(
                TOO_FAST,
                format!("too many tries or requests; wait {seconds} s. It was not carried out"),
            ),
            Self::Full => Fault::new(TOO_MANY, "too many open connections; close some or try later"),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Fault { code, message, .. } = self.fault();
        let body = json!({"error": {"code": code, "message": message}}).to_string();
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

impl Door {
    /// For a gateway that listens at `address`.
    pub fn new(access: Access, address: SocketAddr) -> Self {
        let guard = Guard {
            listen: address,
            hosts: access.0.hosts.clone(),
            origins: access.0.origins.clone(),
            closed: access.is_closed(),
        };
        // All ports of a host share their cookies: two gateways of one machine would sign each other out.
        let cookie = format!("pilothouse-{}", address.port()).into();
        Self { access, guard: Arc::new(guard), cookie }
    }

    /// The client's role, from its `Authorization` header or its cookie. A cookie counts only for pages of
    /// this very address: for a browser, another port of this machine is the same site.
    fn role(&self, from: IpAddr, origin: Origin, headers: &HeaderMap) -> Result<Option<Role>, Refusal> {
        if !self.access.is_closed() {
            return Ok(Some(Role::Operator));
        }
        if let Some(offered) = bearer(headers) {
            return self.access.try_token(from, offered).map(Some);
        }
        if origin != Origin::Own {
            return Ok(None);
        }
        let values = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let mut named = values.flat_map(|value| cookie::named(value, &self.cookie));
        Ok(named.find_map(|cookie| cookie::role(&self.access, &cookie)))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
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
    let origin = match door.guard.judge(request.uri().authority().map(Authority::as_str), request.headers()) {
        Ok(origin) => origin,
        Err(message) => {
            return crate::gateway::json_error(StatusCode::FORBIDDEN, &message).into_response();
        }
    };
    let allowed = match origin {
        Origin::Allowed => request.headers().get(header::ORIGIN).cloned(),
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
            Err(refusal) => refusal.into_response(),
        }
    } else {
        next.run(request).await
    };
    headers::guard(response.headers_mut(), &door.guard);
    if let Some(origin) = allowed {
        headers::share(response.headers_mut(), origin, preflight);
    }
    response
}

fn pass(door: &Door, from: IpAddr, origin: Origin, request: &Request) -> Result<Pass, Refusal> {
    let role = door.role(from, origin, request.headers())?;
    let path = request.uri().path();
    let socket = path == "/api/rpc";
    // Browsers can't set headers on a WebSocket, so its first message may carry the token.
    if role.is_none() && !socket {
        return Err(Refusal::SignIn("this gateway needs a token"));
    }
    let limits = &door.access.0.limits;
    if request.method() == Method::POST {
        limits.post(from).map_err(|TooMany { seconds }| Refusal::Wait { seconds })?;
    }
    let seat = if socket || path.ends_with("/events") {
        let allowance = request.extensions().get::<Allowance>().cloned().unwrap_or_default();
        Some(limits.seat(role, &allowance).ok_or(Refusal::Full)?)
    } else {
        None
    };
    Ok(Pass::new(door.access.clone(), role, from, seat))
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
    let body = gate::not_allowed(&refused.method).response(refused.id.as_ref());
    Some((StatusCode::FORBIDDEN, [(header::CONTENT_TYPE, "application/json")], body).into_response())
}
