//! Sends the gateway's own requests to the provider. No redirect is followed, and nothing but https is used, except on this machine.

use std::fmt;
use std::time::Duration;

use axum::body::Body;
use openidconnect::{HttpRequest, HttpResponse, http};
use tokio::time::timeout;

use crate::access::guard::is_loopback;
use crate::outgoing;

/// How long an answer may take.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);
/// In bytes, the longest answer.
const LARGEST_ANSWER: usize = 1 << 20;

/// The client for the provider.
#[derive(Clone, Debug)]
pub struct HttpClient(outgoing::HttpClient);

/// Why there is no answer.
#[derive(Debug)]
pub struct FetchError(String);

impl fmt::Display for FetchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for FetchError {}

impl HttpClient {
    /// Trusts the certificates that this machine trusts or, where it has none, those that browsers do.
    pub fn new() -> Result<Self, String> {
        outgoing::client().map(Self)
    }

    /// Sends a request, and waits for the whole answer.
    pub async fn send(self, request: HttpRequest) -> Result<HttpResponse, FetchError> {
        let failed = |why: &dyn fmt::Display| FetchError(why.to_string());
        let address = request.uri();
        let host = address.host().unwrap_or_default();
        if !is_safe(address.scheme_str().unwrap_or_default(), host) {
            return Err(FetchError(format!("{host} has to be asked by https")));
        }
        let answer = async {
            let answer = self.0.request(request.map(Body::from)).await.map_err(|error| failed(&error))?;
            let (head, body) = answer.into_parts();
            let body = axum::body::to_bytes(Body::new(body), LARGEST_ANSWER).await;
            Ok(http::Response::from_parts(head, body.map_err(|error| failed(&error))?.to_vec()))
        };
        timeout(LONGEST_ANSWER, answer).await.map_err(|_| FetchError("it took too long".to_owned()))?
    }
}

/// Whether nobody between can read or change what is sent: by https, or on this machine.
pub fn is_safe(scheme: &str, host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    scheme == "https" || (scheme == "http" && is_loopback(host))
}

#[cfg(test)]
mod tests {
    use super::is_safe;

    #[test]
    fn nothing_goes_out_unencrypted() {
        for (scheme, host) in
            [("https", "login.example"), ("http", "127.0.0.1"), ("http", "[::1]"), ("http", "localhost")]
        {
            assert!(is_safe(scheme, host), "{scheme} {host}");
        }
        for (scheme, host) in
            [("http", "login.example"), ("http", "localhost.example"), ("ftp", "localhost"), ("", "")]
        {
            assert!(!is_safe(scheme, host), "{scheme} {host}");
        }
    }
}
