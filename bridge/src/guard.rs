//! Owns the check of `Host` and `Origin`: a page on another site must not reach the gateway, be it
//! by a DNS name that it points at loopback, be it by a cross-site request. It refuses to know
//! routes; it stands before all of them. There are no CORS headers.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::gateway::json_error;

/// Lets a request through, or answers 403.
pub async fn check(State(listen): State<SocketAddr>, request: Request, next: Next) -> Response {
    match objection(listen, request.headers()) {
        None => next.run(request).await,
        Some(message) => json_error(StatusCode::FORBIDDEN, &message).into_response(),
    }
}

/// Why a request is refused, if it is.
pub fn objection(listen: SocketAddr, headers: &HeaderMap) -> Option<String> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let host = text(header::HOST).unwrap_or_default();
    if !is_own(listen, host_name(host)) {
        return Some(format!(
            "the Host header names \"{host}\", which is not this gateway; use http://localhost:{} or its listen address",
            listen.port()
        ));
    }
    let origin = text(header::ORIGIN)?;
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    match authority {
        Some(authority) if authority.eq_ignore_ascii_case(host) || is_loopback(host_name(authority)) => None,
        _ => {
            Some(format!("requests from pages of \"{origin}\" are refused; serve the page from this gateway"))
        }
    }
}

/// The name in `name:port`, `[v6]:port` or `name`.
fn host_name(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map_or("", |(name, _)| name);
    }
    authority.rsplit_once(':').map_or(authority, |(name, _)| name)
}

fn is_loopback(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Rebinding needs a name, so a bare address is safe where the gateway listens on every one.
fn is_own(listen: SocketAddr, name: &str) -> bool {
    let address = name.parse::<IpAddr>().ok();
    is_loopback(name) || address.is_some_and(|address| address == listen.ip() || listen.ip().is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::objection;
    use axum::http::{HeaderMap, HeaderValue, header};

    fn refused(listen: &str, host: &'static str, origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        let listen = listen.parse().unwrap_or_else(|_| ([127, 0, 0, 1], 1).into());
        objection(listen, &headers).is_some()
    }

    #[test]
    fn own_names_pass_and_others_do_not() {
        for host in ["127.0.0.1:7878", "localhost:7878", "localhost", "[::1]:7878", "a.localhost:1"] {
            assert!(!refused("127.0.0.1:7878", host, None), "{host}");
        }
        for host in
            ["evil.example:7878", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.5:7878", ""]
        {
            assert!(refused("127.0.0.1:7878", host, None), "{host}");
        }
        assert!(!refused("0.0.0.0:7878", "192.168.1.5:7878", None));
        assert!(refused("0.0.0.0:7878", "evil.example:7878", None));
        assert!(!refused("192.168.1.5:7878", "192.168.1.5:7878", None));
    }

    #[test]
    fn origins_are_the_same_host_or_loopback() {
        let host = "127.0.0.1:7878";
        for origin in ["http://127.0.0.1:7878", "http://localhost:8080", "https://[::1]:3"] {
            assert!(!refused(host, host, Some(origin)), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "null",
            "file://",
            "http://localhost.evil.example",
            "chrome-extension://x",
        ] {
            assert!(refused(host, host, Some(origin)), "{origin}");
        }
        assert!(!refused("0.0.0.0:1", "192.168.1.5:1", Some("http://192.168.1.5:1")));
        assert!(refused("0.0.0.0:1", "192.168.1.5:1", Some("http://192.168.1.6:1")));
    }
}
